// The events of OSSL_SELF_TEST_set_callback(): each test calls the application's callback, which
// can make the test fail.
#ifndef GPUCTR_PROVIDER_SELF_TEST_EVENTS_H
#define GPUCTR_PROVIDER_SELF_TEST_EVENTS_H

#include "provider/core/core.h"

namespace gpuctr {

// The events of one run of the self-test. One thread.
class SelfTestEvents {
 public:
  explicit SelfTestEvents(const Core& core);

  // `type` is one of OSSL_SELF_TEST_TYPE_..., `description` the algorithm. Both outlive end().
  void begin(const char* type, const char* description);
  // Whether the application's callback requests a wrong result of this test.
  bool corrupt();
  void end(bool passed);

 private:
  bool call_back(const char* phase);

  OSSL_CALLBACK* callback_ = nullptr;
  void* argument_ = nullptr;
  const char* type_ = "";
  const char* description_ = "";
};

}  // namespace gpuctr

#endif
