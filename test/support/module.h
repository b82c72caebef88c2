// The entry point of the built module, past libcrypto. The module stays loaded.
#ifndef GPUCTR_TEST_SUPPORT_MODULE_H
#define GPUCTR_TEST_SUPPORT_MODULE_H

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <openssl/core.h>

namespace gpuctr::test {

inline OSSL_provider_init_fn* module_entry() {
  void* const handle = dlopen(GPUCTR_MODULE_DIR "/gpuctr.so", RTLD_NOW | RTLD_LOCAL);
  EXPECT_NE(handle, nullptr) << dlerror();
  return reinterpret_cast<OSSL_provider_init_fn*>(dlsym(handle, "OSSL_provider_init"));
}

}  // namespace gpuctr::test

#endif
