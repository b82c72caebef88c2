// A cipher's context of the provider built into a test, over the fake device.
#ifndef GPUCTR_TEST_PROVIDER_DEVICE_DEVICE_H
#define GPUCTR_TEST_PROVIDER_DEVICE_DEVICE_H

#include <gtest/gtest.h>
#include <malloc.h>
#include <openssl/core_dispatch.h>
#include <openssl/core_names.h>

#include <algorithm>
#include <memory>

#include "provider/core/errors.h"
#include "test/fake_gpu/fake_gpu.h"
#include "test/support/core.h"
#include "test/support/vectors.h"

extern "C" OSSL_provider_init_fn OSSL_provider_init;

namespace gpuctr {

// The linker's --wrap sends every call of cuda_layer() here; device_test.cpp has both.
extern const DeviceLayer* g_layer;
const DeviceLayer* current_layer() __asm__("__wrap__ZN6gpuctr10cuda_layerEv");

namespace test {

class OnFakeDevice : public testing::Test {
 protected:
  void load(const char* name, const DeviceLayer* layer, const Core::Section& section) {
    unload();
    g_layer = layer;
    core = std::make_unique<Core>(section);
    ASSERT_TRUE(core->load(OSSL_provider_init));
    f = core->find(OSSL_OP_CIPHER, name);
    ASSERT_NE(f, nullptr);
    cipher = function<OSSL_FUNC_cipher_newctx_fn>(f, OSSL_FUNC_CIPHER_NEWCTX)(core->context());
    ASSERT_NE(cipher, nullptr);
  }
  void unload() {
    if (cipher != nullptr) {
      function<OSSL_FUNC_cipher_freectx_fn>(f, OSSL_FUNC_CIPHER_FREECTX)(cipher);
    }
    cipher = nullptr;
    core.reset();
  }
  void TearDown() override { unload(); }

  int init(const Bytes& key, const Bytes& iv, int id = OSSL_FUNC_CIPHER_ENCRYPT_INIT) {
    return function<OSSL_FUNC_cipher_encrypt_init_fn>(f, id)(
        cipher, key.data(), key.size(), iv.empty() ? nullptr : iv.data(), iv.size(), nullptr);
  }
  int update(std::uint8_t* out, const std::uint8_t* in, std::size_t n) {
    return function<OSSL_FUNC_cipher_update_fn>(f, OSSL_FUNC_CIPHER_UPDATE)(cipher, out, &written,
                                                                            n + 16, in, n);
  }
  // For a call that returned `status`: it was refused, because a place is in device memory.
  void expect_device_memory_refused(int status) {
    EXPECT_EQ(status, 0);
    const auto errors = core->take_errors();
    ASSERT_EQ(errors.size(), 1u);
    EXPECT_EQ(errors[0].reason, static_cast<std::uint32_t>(Reason::kDeviceMemory));
  }
  // Likewise each update of n bytes within the device's memory, out of it and into it.
  void expect_refused_on_device(std::uint8_t* on_device, std::uint8_t* here, std::size_t n) {
    expect_device_memory_refused(update(on_device, on_device, n));
    expect_device_memory_refused(update(here, on_device, n));
    expect_device_memory_refused(update(on_device, here, n));
  }
  int final(std::uint8_t* out) {
    return function<OSSL_FUNC_cipher_final_fn>(f, OSSL_FUNC_CIPHER_FINAL)(cipher, out, &written,
                                                                          16);
  }
  int set(const char* name, unsigned value) {
    const OSSL_PARAM params[] = {{name, OSSL_PARAM_UNSIGNED_INTEGER, &value, sizeof value, 0},
                                 {nullptr, 0, nullptr, 0, 0}};
    return function<OSSL_FUNC_cipher_set_ctx_params_fn>(f, OSSL_FUNC_CIPHER_SET_CTX_PARAMS)(cipher,
                                                                                            params);
  }
  // As EVP_CIPHER_CTX_iv_noconst() asks for it.
  std::uint8_t* counter() {
    void* at = nullptr;
    OSSL_PARAM params[] = {{OSSL_CIPHER_PARAM_UPDATED_IV, OSSL_PARAM_OCTET_PTR, &at, sizeof at, 0},
                           {nullptr, 0, nullptr, 0, 0}};
    EXPECT_EQ(1, function<OSSL_FUNC_cipher_get_ctx_params_fn>(f, OSSL_FUNC_CIPHER_GET_CTX_PARAMS)(
                     cipher, params));
    return static_cast<std::uint8_t*>(at);
  }
  // Whether the context's own memory has these bytes anywhere.
  bool holds(const Bytes& bytes) const {
    const auto* const from = static_cast<const std::uint8_t*>(cipher);
    const auto* const to = from + malloc_usable_size(cipher);
    return std::search(from, to, bytes.begin(), bytes.end()) != to;
  }

  std::unique_ptr<Core> core;
  const OSSL_DISPATCH* f = nullptr;
  void* cipher = nullptr;
  std::size_t written = 0;
};

}  // namespace test
}  // namespace gpuctr

#endif
