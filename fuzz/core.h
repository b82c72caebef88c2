// A libcrypto of a few functions, for targets that call the provider's own dispatch tables: what
// openssl.cnf would say, and the errors that the provider put on the queue.
#ifndef GPUCTR_FUZZ_CORE_H
#define GPUCTR_FUZZ_CORE_H

#include <openssl/core_names.h>
#include <openssl/self_test.h>

#include <cstring>
#include <string>
#include <vector>

#include "fuzz/input.h"
#include "provider/core/errors.h"
#include "provider/core/ossl_param.h"
#include "provider/instance.h"
#include "test/support/core.h"

extern "C" OSSL_provider_init_fn OSSL_provider_init;

namespace gpuctr::fuzz {

using test::function;

class Core : public test::Core {
 public:
  // Loads the provider, which must take this section.
  explicit Core(const Section& section) : test::Core(section) {
    const bool loaded = load(
        OSSL_provider_init, {{OSSL_FUNC_CORE_GET_LIBCTX, reinterpret_cast<void (*)()>(get_library)},
                             {OSSL_FUNC_SELF_TEST_CB, reinterpret_cast<void (*)()>(get_callback)}});
    require(loaded, "the provider loads");
  }

  Engine& engine() const { return *static_cast<Instance*>(context())->engine; }

  // After a call: no error where it succeeded, and one, with data, where it was refused; or none
  // where OpenSSL's own refuses some such calls in silence.
  void check_errors(bool succeeded, bool may_be_silent = false) {
    const std::vector<Error> errors = take_errors();
    require(!succeeded || errors.empty(), "an error without a refusal");
    require(succeeded || errors.size() == 1 || (may_be_silent && errors.empty()),
            "one error for one refusal");
    require(errors.empty() || !errors[0].data.empty(), "an error has data");
  }

  // Of the self-test's offers to corrupt a test the nth is taken, from 1.
  void corrupt(unsigned nth) { corrupt_ = nth; }

 private:
  // The library's handle is the core's.
  static OPENSSL_CORE_CTX* get_library(const OSSL_CORE_HANDLE* core) {
    return reinterpret_cast<OPENSSL_CORE_CTX*>(const_cast<OSSL_CORE_HANDLE*>(core));
  }
  static void get_callback(OPENSSL_CORE_CTX* library, OSSL_CALLBACK** callback, void** argument) {
    *callback = event;
    *argument = library;
  }
  static int event(const OSSL_PARAM params[], void* argument) {
    auto* const core = static_cast<Core*>(static_cast<test::Core*>(argument));
    const OSSL_PARAM* const phase = find_param(params, OSSL_PROV_PARAM_SELF_TEST_PHASE);
    require(phase != nullptr, "an event has a phase");
    if (std::strcmp(static_cast<const char*>(phase->data), OSSL_SELF_TEST_PHASE_CORRUPT) != 0) {
      return 1;
    }
    return ++core->offers_ == core->corrupt_ ? 0 : 1;
  }

  unsigned offers_ = 0;
  unsigned corrupt_ = 0;
};

}  // namespace gpuctr::fuzz

#endif
