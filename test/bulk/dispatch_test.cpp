// The dispatch tables called directly, as newer versions of libcrypto do: what the fuzz targets
// found. The device is the fake one.
#include <gtest/gtest.h>
#include <openssl/core_dispatch.h>

#include <cstring>
#include <optional>
#include <string>

#include "provider/mode/ctr/pipeline.h"
#include "test/fake_gpu/fake_gpu.h"
#include "test/provider/reference.h"
#include "test/support/core.h"

extern "C" OSSL_provider_init_fn OSSL_provider_init;

namespace gpuctr {

// The linker's --wrap sends every call of cuda_layer() here.
static const DeviceLayer* g_layer = nullptr;
const DeviceLayer* current_layer() __asm__("__wrap__ZN6gpuctr10cuda_layerEv");
const DeviceLayer* current_layer() { return g_layer; }

namespace test {
namespace {

class Dispatch : public testing::Test {
 protected:
  void load(const DeviceLayer* layer, const Core::Section& section) {
    g_layer = layer;
    core.emplace(section);
    ASSERT_TRUE(core->load(OSSL_provider_init));
    f = core->find(OSSL_OP_CIPHER, "HIGHT-CTR");
    ASSERT_NE(f, nullptr);
    cipher = function<OSSL_FUNC_cipher_newctx_fn>(f, OSSL_FUNC_CIPHER_NEWCTX)(core->context());
    ASSERT_NE(cipher, nullptr);
  }
  void TearDown() override {
    function<OSSL_FUNC_cipher_freectx_fn>(f, OSSL_FUNC_CIPHER_FREECTX)(cipher);
  }
  int init() {
    return function<OSSL_FUNC_cipher_encrypt_init_fn>(f, OSSL_FUNC_CIPHER_ENCRYPT_INIT)(
        cipher, key.data(), key.size(), iv.data(), iv.size(), nullptr);
  }
  int update(Bytes* data) {
    std::size_t written = 0;
    return function<OSSL_FUNC_cipher_update_fn>(f, OSSL_FUNC_CIPHER_UPDATE)(
        cipher, data->data(), &written, data->size(), data->data(), data->size());
  }
  int set(const char* name, unsigned value) {
    const OSSL_PARAM params[] = {{name, OSSL_PARAM_UNSIGNED_INTEGER, &value, sizeof value, 0},
                                 {nullptr, 0, nullptr, 0, 0}};
    return function<OSSL_FUNC_cipher_set_ctx_params_fn>(f, OSSL_FUNC_CIPHER_SET_CTX_PARAMS)(cipher,
                                                                                            params);
  }
  int start(std::size_t pipes, std::size_t key_bytes) {
    const unsigned char* ivs[kMaxPipes];
    for (auto& at : ivs) at = iv.data();
    return function<OSSL_FUNC_cipher_pipeline_encrypt_init_fn>(
        f, OSSL_FUNC_CIPHER_PIPELINE_ENCRYPT_INIT)(cipher, key.data(), key_bytes, pipes, ivs,
                                                   iv.size(), nullptr);
  }
  // The same n bytes of each pipe, in place.
  template <std::size_t N>
  int update_pipes(unsigned char* (&at)[N], std::size_t n) {
    const unsigned char* in[N];
    std::size_t size[N], written[N];
    for (std::size_t i = 0; i < N; ++i) {
      in[i] = at[i];
      size[i] = n;
    }
    return function<OSSL_FUNC_cipher_pipeline_update_fn>(f, OSSL_FUNC_CIPHER_PIPELINE_UPDATE)(
        cipher, N, at, written, size, in, size);
  }

  const CipherSpec& spec = *find_cipher("HIGHT");
  const Bytes key = Bytes(16, 0x31), iv = Bytes(8, 0xf7);
  std::optional<Core> core;
  const OSSL_DISPATCH* f = nullptr;
  void* cipher = nullptr;
};

// `num` begins a block: it must not begin one that the IV has had.
TEST_F(Dispatch, NumBeginsNoBlockOfAnExhaustedCounter) {
  load(nullptr, {});
  ASSERT_EQ(1, init());
  ASSERT_EQ(1, set("ctr-bits", 16));
  Bytes all(std::size_t{65536} * 8);
  ASSERT_EQ(1, update(&all));
  EXPECT_EQ(0, set("num", 3));
  EXPECT_EQ(core->take_errors().size(), 1u);
  Bytes more(8);
  EXPECT_EQ(0, update(&more));
  EXPECT_EQ(more, Bytes(8));
}

// The second pipe's memory is on a device that fails: the first and third have not moved.
TEST_F(Dispatch, ADeviceThatFailsMovesNoPipe) {
  load(fake_gpu(), {{"gpu-pointers", "yes"}, {"threads", "1"}});
  ASSERT_EQ(1, init());
  ASSERT_EQ(1, start(3, key.size()));
  Bytes host[3] = {Bytes(61, 0x11), Bytes(61, 0x22), Bytes(61, 0x33)};
  void* memory = nullptr;
  ASSERT_EQ(DeviceStatus::kOk, g_layer->device_alloc(0, 4096, &memory));
  unsigned char* on_host[] = {host[0].data(), host[1].data(), host[2].data()};
  ASSERT_EQ(1, update_pipes(on_host, 13));
  unsigned char* mixed[] = {host[0].data() + 13, static_cast<unsigned char*>(memory),
                            host[2].data() + 13};
  fake_fail(Call::kDeviceAlloc, 1, DeviceStatus::kOutOfMemory, 99);
  fake_fail(Call::kCtr, 1, DeviceStatus::kLaunch, 99);
  fake_fail(Call::kCopy, 1, DeviceStatus::kLaunch, 99);
  EXPECT_EQ(0, update_pipes(mixed, 48));
  EXPECT_GT(fake_struck(), 0u);
  EXPECT_EQ(core->take_errors().size(), 1u);
  EXPECT_EQ(Bytes(host[0].begin() + 13, host[0].end()), Bytes(48, 0x11));
  EXPECT_EQ(Bytes(host[2].begin() + 13, host[2].end()), Bytes(48, 0x33));
  for (auto& at : on_host) at += 13;
  ASSERT_EQ(1, update_pipes(on_host, 48));
  for (int i = 0; i < 3; ++i) {
    const Bytes plain(61, static_cast<std::uint8_t>(0x11 * (i + 1)));
    EXPECT_EQ(host[i], reference_ctr(spec, key, iv, plain, 64)) << i;
  }
  g_layer->device_free(0, memory);
}

// A pipe on the device moved before another one failed: taking it back fails as well, and is no
// second error.
TEST_F(Dispatch, ADeviceThatFailsIsOneError) {
  load(fake_gpu(), {{"gpu-pointers", "yes"}, {"threads", "1"}});
  ASSERT_EQ(1, init());
  ASSERT_EQ(1, start(2, key.size()));
  void* memory = nullptr;
  ASSERT_EQ(DeviceStatus::kOk, g_layer->device_alloc(0, 4096, &memory));
  auto* const first = static_cast<unsigned char*>(memory);
  unsigned char* at[] = {first, first + 2048};
  ASSERT_EQ(1, update_pipes(at, 48));
  const unsigned calls = fake_calls(Call::kCtr);
  ASSERT_EQ(1, update_pipes(at, 48));
  ASSERT_EQ(calls + 2, fake_calls(Call::kCtr));  // one for each pipe
  fake_fail(Call::kCtr, 2, DeviceStatus::kDeviceLost);
  EXPECT_EQ(0, update_pipes(at, 48));
  EXPECT_EQ(fake_struck(), 1u);
  EXPECT_EQ(core->take_errors().size(), 1u);
  g_layer->device_free(0, memory);
}

}  // namespace
}  // namespace test
}  // namespace gpuctr
