// The dispatch tables called directly, as newer versions of libcrypto do: what the fuzz targets
// found. The card is the fake one.
#include <gtest/gtest.h>
#include <openssl/core_dispatch.h>

#include <cstring>
#include <map>
#include <string>

#include "provider/cipher_pipeline.h"
#include "test/bulk/fake_gpu.h"
#include "test/provider/reference.h"

extern "C" OSSL_provider_init_fn OSSL_provider_init;

namespace gpuctr {

// The linker's --wrap sends every call of gpu_cuda_layer() here.
static const GpuLayer* g_layer = nullptr;
const GpuLayer* current_layer() __asm__("__wrap__ZN6gpuctr14gpu_cuda_layerEv");
const GpuLayer* current_layer() { return g_layer; }

namespace test {
namespace {

template <class F>
F* function(const OSSL_DISPATCH* table, int id) {
  while (table->function_id != id) ++table;
  return reinterpret_cast<F*>(table->function);
}

int g_errors = 0;
std::map<std::string, std::string> g_section;

int get_params(const OSSL_CORE_HANDLE*, OSSL_PARAM* params) {
  for (OSSL_PARAM* p = params; p->key != nullptr; ++p) {
    const auto found = g_section.find(p->key);
    if (found != g_section.end()) *static_cast<const char**>(p->data) = found->second.c_str();
  }
  return 1;
}
void new_error(const OSSL_CORE_HANDLE*) { ++g_errors; }
void set_error(const OSSL_CORE_HANDLE*, std::uint32_t, const char*, va_list) {}

class Dispatch : public testing::Test {
 protected:
  void load(const GpuLayer* layer, const std::map<std::string, std::string>& section) {
    static const OSSL_DISPATCH core[] = {
        {OSSL_FUNC_CORE_GET_PARAMS, reinterpret_cast<void (*)()>(get_params)},
        {OSSL_FUNC_CORE_NEW_ERROR, reinterpret_cast<void (*)()>(new_error)},
        {OSSL_FUNC_CORE_VSET_ERROR, reinterpret_cast<void (*)()>(set_error)},
        {0, nullptr}};
    g_layer = layer;
    g_section = section;
    g_errors = 0;
    ASSERT_EQ(1, OSSL_provider_init(nullptr, core, &provider, &context));
    int no_store = 0;
    const OSSL_ALGORITHM* a = function<OSSL_FUNC_provider_query_operation_fn>(
        provider, OSSL_FUNC_PROVIDER_QUERY_OPERATION)(context, OSSL_OP_CIPHER, &no_store);
    while (std::string(a->algorithm_names).substr(0, 9) != "HIGHT-CTR") ++a;
    f = a->implementation;
    cipher = function<OSSL_FUNC_cipher_newctx_fn>(f, OSSL_FUNC_CIPHER_NEWCTX)(context);
    ASSERT_NE(cipher, nullptr);
  }
  void TearDown() override {
    function<OSSL_FUNC_cipher_freectx_fn>(f, OSSL_FUNC_CIPHER_FREECTX)(cipher);
    function<OSSL_FUNC_provider_teardown_fn>(provider, OSSL_FUNC_PROVIDER_TEARDOWN)(context);
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
  const OSSL_DISPATCH* provider = nullptr;
  const OSSL_DISPATCH* f = nullptr;
  void* context = nullptr;
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
  EXPECT_EQ(g_errors, 1);
  Bytes more(8);
  EXPECT_EQ(0, update(&more));
  EXPECT_EQ(more, Bytes(8));
}

// The second pipe's memory is on a card that fails: the first and third have not moved.
TEST_F(Dispatch, ACardThatFailsMovesNoPipe) {
  load(fake_gpu(), {{"gpu-pointers", "yes"}, {"threads", "1"}});
  ASSERT_EQ(1, init());
  ASSERT_EQ(1, start(3, key.size()));
  Bytes host[3] = {Bytes(61, 0x11), Bytes(61, 0x22), Bytes(61, 0x33)};
  void* memory = nullptr;
  ASSERT_EQ(GpuStatus::kOk, g_layer->device_alloc(0, 4096, &memory));
  unsigned char* on_host[] = {host[0].data(), host[1].data(), host[2].data()};
  ASSERT_EQ(1, update_pipes(on_host, 13));
  unsigned char* mixed[] = {host[0].data() + 13, static_cast<unsigned char*>(memory),
                            host[2].data() + 13};
  fake_fail(Call::kDeviceAlloc, 1, GpuStatus::kOutOfMemory, 99);
  fake_fail(Call::kCtr, 1, GpuStatus::kLaunch, 99);
  fake_fail(Call::kCopy, 1, GpuStatus::kLaunch, 99);
  EXPECT_EQ(0, update_pipes(mixed, 48));
  EXPECT_GT(fake_struck(), 0u);
  EXPECT_EQ(g_errors, 1);
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

// A pipe on the card moved before another one failed: taking it back fails as well, and is no
// second error.
TEST_F(Dispatch, ACardThatFailsIsOneError) {
  load(fake_gpu(), {{"gpu-pointers", "yes"}, {"threads", "1"}});
  ASSERT_EQ(1, init());
  ASSERT_EQ(1, start(2, key.size()));
  void* memory = nullptr;
  ASSERT_EQ(GpuStatus::kOk, g_layer->device_alloc(0, 4096, &memory));
  auto* const first = static_cast<unsigned char*>(memory);
  unsigned char* at[] = {first, first + 2048};
  ASSERT_EQ(1, update_pipes(at, 48));
  const unsigned calls = fake_calls(Call::kCtr);
  ASSERT_EQ(1, update_pipes(at, 48));
  ASSERT_EQ(calls + 2, fake_calls(Call::kCtr));  // one for each pipe
  fake_fail(Call::kCtr, 2, GpuStatus::kDeviceLost);
  EXPECT_EQ(0, update_pipes(at, 48));
  EXPECT_EQ(fake_struck(), 1u);
  EXPECT_EQ(g_errors, 1);
  g_layer->device_free(0, memory);
}

}  // namespace
}  // namespace test
}  // namespace gpuctr
