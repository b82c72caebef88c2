// What an application that called OSSL_SELF_TEST_set_callback() is told of each test, and its way
// to make one fail.
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
  // Whether the application wants this test's result spoilt.
  bool corrupt();
  void end(bool passed);

 private:
  bool tell(const char* phase);

  OSSL_CALLBACK* callback_ = nullptr;
  void* argument_ = nullptr;
  const char* type_ = "";
  const char* description_ = "";
};

}  // namespace gpuctr

#endif
