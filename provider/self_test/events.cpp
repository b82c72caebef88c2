#include "provider/self_test/events.h"

#include <openssl/core_names.h>
#include <openssl/self_test.h>

#include <cstring>

#include "provider/core/ossl_param.h"

namespace gpuctr {

SelfTestEvents::SelfTestEvents(const Core& core) {
  if (core.get_library == nullptr || core.get_self_test_callback == nullptr) return;
  core.get_self_test_callback(core.get_library(core.handle), &callback_, &argument_);
}

bool SelfTestEvents::call_back(const char* phase) {
  if (callback_ == nullptr) return true;
  const auto text = [](const char* key, const char* value) {
    return OSSL_PARAM{key, OSSL_PARAM_UTF8_STRING, const_cast<char*>(value), std::strlen(value),
                      OSSL_PARAM_UNMODIFIED};
  };
  const OSSL_PARAM params[] = {text(OSSL_PROV_PARAM_SELF_TEST_PHASE, phase),
                               text(OSSL_PROV_PARAM_SELF_TEST_TYPE, type_),
                               text(OSSL_PROV_PARAM_SELF_TEST_DESC, description_), kParamEnd};
  return callback_(params, argument_) == 1;
}

void SelfTestEvents::begin(const char* type, const char* description) {
  type_ = type;
  description_ = description;
  call_back(OSSL_SELF_TEST_PHASE_START);
}

bool SelfTestEvents::corrupt() { return !call_back(OSSL_SELF_TEST_PHASE_CORRUPT); }

void SelfTestEvents::end(bool passed) {
  call_back(passed ? OSSL_SELF_TEST_PHASE_PASS : OSSL_SELF_TEST_PHASE_FAIL);
}

}  // namespace gpuctr
