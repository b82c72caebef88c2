// A CUDA program that encrypts: it has a CUDA runtime of its own, captures graphs, resets the
// device, has contexts of its own, and takes all memory of the device. Its CUDA work must not
// notice the module, the bytes must be right, and the module must have the device again afterwards.
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <openssl/core_names.h>
#include <openssl/params.h>

#include <algorithm>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "test/provider/support.h"

namespace gpuctr::test {
namespace {

constexpr std::size_t kBytes = std::size_t{64} << 20;

// A function of the driver, without linking to it. The name is the library's symbol, so `_v2`
// chooses the form of the parameters.
template <class Function>
Function driver(const char* name) {
  void* const library = dlopen("libcuda.so.1", RTLD_NOW);
  return library == nullptr ? nullptr : reinterpret_cast<Function>(dlsym(library, name));
}

CUcontext current_context() {
  CUcontext context = nullptr;
  driver<CUresult (*)(CUcontext*)>("cuCtxGetCurrent")(&context);
  return context;
}

// The module with these lines of configuration, and a cipher of it.
class Module {
 public:
  explicit Module(const std::string& lines) : context_(OSSL_LIB_CTX_new()) {
    configure(context_.get(), lines);
    provider_.reset(OSSL_PROVIDER_load(context_.get(), "gpuctr"));
    ctr_.reset(EVP_CIPHER_fetch(context_.get(), "LEA-128-CTR", "provider=gpuctr"));
    gcm_.reset(EVP_CIPHER_fetch(context_.get(), "LEA-128-GCM", "provider=gpuctr"));
  }
  std::uint64_t device_bytes() const { return number("gpu-bytes"); }
  std::uint64_t fallbacks() const { return number("gpu-fallbacks"); }
  std::string failure() const {
    char text[128] = "";
    OSSL_PARAM params[] = {OSSL_PARAM_construct_utf8_string("gpu-failure", text, sizeof text),
                           OSSL_PARAM_END};
    OSSL_PROVIDER_get_params(provider_.get(), params);
    return text;
  }
  // n bytes in updates of `each`.
  bool encrypt(const void* in, void* out, std::size_t n, std::size_t each, bool gcm = false) const {
    const Evp<EVP_CIPHER_CTX> context(EVP_CIPHER_CTX_new());
    const unsigned char key[16] = {7}, iv[16] = {9};
    if (EVP_EncryptInit_ex2(context.get(), (gcm ? gcm_ : ctr_).get(), key, iv, nullptr) != 1) {
      return false;
    }
    for (std::size_t at = 0; at < n; at += each) {
      int written = 0;
      if (EVP_EncryptUpdate(context.get(), static_cast<unsigned char*>(out) + at, &written,
                            static_cast<const unsigned char*>(in) + at,
                            static_cast<int>(std::min(each, n - at))) != 1) {
        return false;
      }
    }
    return true;
  }

 private:
  std::uint64_t number(const char* name) const {
    std::uint64_t value = 0;
    OSSL_PARAM params[] = {OSSL_PARAM_construct_uint64(name, &value), OSSL_PARAM_END};
    EXPECT_EQ(1, OSSL_PROVIDER_get_params(provider_.get(), params));
    return value;
  }

  Evp<OSSL_LIB_CTX> context_;
  Evp<OSSL_PROVIDER> provider_;
  Evp<EVP_CIPHER> ctr_, gcm_;
};

class SharedDevice : public testing::Test {
 protected:
  void SetUp() override {
    int count = 0;
    if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0) GTEST_SKIP() << "no device";
    for (std::size_t i = 0; i < kBytes; ++i)
      in_[i] = static_cast<unsigned char>(i * 2654435761u >> 13);
    const Module cpu("gpu = off");
    ASSERT_TRUE(cpu.encrypt(in_.data(), want_.data(), kBytes, kBytes));
    ASSERT_TRUE(cpu.encrypt(in_.data(), want_gcm_.data(), kBytes, kBytes, true));
  }
  // Large updates of the required device, from ordinary memory. The first one starts it.
  void large(const Module& module, int count = 4) {
    for (int i = 0; i < count; ++i) {
      const std::uint64_t before = module.device_bytes();
      std::fill(out_.begin(), out_.end(), 0);
      ASSERT_TRUE(module.encrypt(in_.data(), out_.data(), kBytes, kBytes))
          << last_error() << "; " << module.failure();
      ASSERT_TRUE(out_ == want_);
      ASSERT_GT(module.device_bytes(), before) << module.failure();
    }
  }
  // Updates on the device's memory, and on it and ordinary memory.
  void on_device(const Module& module) {
    void* memory = nullptr;
    ASSERT_EQ(cudaSuccess, cudaMalloc(&memory, kBytes));
    for (const bool gcm : {false, true}) {
      for (const bool from_host : {false, true}) {
        ASSERT_EQ(cudaSuccess, cudaMemcpy(memory, in_.data(), kBytes, cudaMemcpyHostToDevice));
        ASSERT_TRUE(module.encrypt(from_host ? in_.data() : memory, memory, kBytes, kBytes, gcm))
            << last_error() << "; " << module.failure();
        ASSERT_EQ(cudaSuccess, cudaMemcpy(out_.data(), memory, kBytes, cudaMemcpyDeviceToHost));
        ASSERT_TRUE(out_ == (gcm ? want_gcm_ : want_)) << gcm << from_host;
      }
    }
    ASSERT_EQ(cudaSuccess, cudaFree(memory));
  }

  std::vector<unsigned char> in_ = std::vector<unsigned char>(kBytes);
  std::vector<unsigned char> out_ = in_, want_ = in_, want_gcm_ = in_;
};

constexpr char kRequired[] = "gpu = require\ngpu-threshold = 1M\n";
constexpr char kAuto[] = "gpu = auto\ngpu-threshold = 1M\n";

// A capture in global mode, the usual one, around `work`. It must stay valid and be launched.
template <class Work>
void capture_around(const Work& work) {
  cudaStream_t stream = nullptr;
  void* memory = nullptr;
  ASSERT_EQ(cudaSuccess, cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  ASSERT_EQ(cudaSuccess, cudaMalloc(&memory, 1 << 20));
  ASSERT_EQ(cudaSuccess, cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  ASSERT_EQ(cudaSuccess, cudaMemsetAsync(memory, 1, 1 << 20, stream));
  work();
  ASSERT_EQ(cudaSuccess, cudaMemsetAsync(memory, 2, 1 << 20, stream));
  cudaGraph_t graph = nullptr;
  const cudaError_t error = cudaStreamEndCapture(stream, &graph);
  ASSERT_EQ(cudaSuccess, error) << cudaGetErrorName(error);
  cudaGraphExec_t exec = nullptr;
  ASSERT_EQ(cudaSuccess, cudaGraphInstantiate(&exec, graph, 0));
  ASSERT_EQ(cudaSuccess, cudaGraphLaunch(exec, stream));
  ASSERT_EQ(cudaSuccess, cudaStreamSynchronize(stream));
  ASSERT_EQ(cudaSuccess, cudaGraphExecDestroy(exec));
  ASSERT_EQ(cudaSuccess, cudaGraphDestroy(graph));
  ASSERT_EQ(cudaSuccess, cudaFree(memory));
  ASSERT_EQ(cudaSuccess, cudaStreamDestroy(stream));
}

// In a process of its own (ctest) the device starts within the capture.
TEST_F(SharedDevice, CaptureSurvivesTheStart) {
  const Module module(kRequired);
  capture_around([&] { std::thread([&] { large(module); }).join(); });
  large(module);
  EXPECT_EQ(0u, module.fallbacks()) << module.failure();
}

TEST_F(SharedDevice, CaptureSurvivesWorkOfAnotherThread) {
  const Module module(kRequired);
  large(module);
  capture_around([&] { std::thread([&] { large(module, 8); }).join(); });
  large(module);
  EXPECT_EQ(0u, module.fallbacks()) << module.failure();
}

TEST_F(SharedDevice, CaptureSurvivesWorkOfItsOwnThread) {
  const Module module(kRequired);
  large(module);
  cudaStreamCaptureMode mode = cudaStreamCaptureModeThreadLocal;
  capture_around([&] {
    large(module, 8);
    // The thread's own mode is the default again.
    ASSERT_EQ(cudaSuccess, cudaThreadExchangeStreamCaptureMode(&mode));
    EXPECT_EQ(cudaStreamCaptureModeGlobal, mode);
    ASSERT_EQ(cudaSuccess, cudaThreadExchangeStreamCaptureMode(&mode));
  });
  large(module);
  EXPECT_EQ(0u, module.fallbacks()) << module.failure();
}

TEST_F(SharedDevice, CaptureSurvivesReadingAhead) {
  const Module module(kAuto);
  large(Module(kRequired));
  capture_around([&] {
    std::thread([&] { ASSERT_TRUE(module.encrypt(in_.data(), out_.data(), kBytes, 4096)); }).join();
    EXPECT_TRUE(out_ == want_);
  });
  EXPECT_GT(module.device_bytes(), 0u) << module.failure();
}

TEST_F(SharedDevice, ResetIsNotNoticed) {
  const Module module(kRequired);
  large(module);
  on_device(module);
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(cudaSuccess, cudaDeviceReset());
    large(module);
    on_device(module);
  }
  EXPECT_EQ(0u, module.fallbacks()) << module.failure();
}

// The program begins anew before the module has a call.
TEST_F(SharedDevice, ResetAndWorkOfTheProgram) {
  const Module module(kRequired);
  large(module);
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(cudaSuccess, cudaDeviceReset());
    void* memory = nullptr;
    ASSERT_EQ(cudaSuccess, cudaMalloc(&memory, kBytes));
    on_device(module);
    large(module);
    ASSERT_EQ(cudaSuccess, cudaMemset(memory, 1, kBytes));
    ASSERT_EQ(cudaSuccess, cudaFree(memory));
  }
  EXPECT_EQ(0u, module.fallbacks()) << module.failure();
}

// Keystream that was made ahead before the reset.
TEST_F(SharedDevice, ResetWhileReadingAhead) {
  large(Module(kRequired));
  const Module module(kAuto);
  const Evp<OSSL_LIB_CTX> library(OSSL_LIB_CTX_new());
  configure(library.get(), kAuto);
  const Evp<OSSL_PROVIDER> provider(OSSL_PROVIDER_load(library.get(), "gpuctr"));
  const Evp<EVP_CIPHER> ctr(EVP_CIPHER_fetch(library.get(), "LEA-128-CTR", "provider=gpuctr"));
  const Evp<EVP_CIPHER_CTX> context(EVP_CIPHER_CTX_new());
  const unsigned char key[16] = {7}, iv[16] = {9};
  ASSERT_EQ(1, EVP_EncryptInit_ex2(context.get(), ctr.get(), key, iv, nullptr));
  for (std::size_t at = 0; at < kBytes; at += 4096) {
    if (at % (kBytes / 4) == kBytes / 8) {
      ASSERT_EQ(cudaSuccess, cudaDeviceReset());
    }
    int n = 0;
    ASSERT_EQ(1, EVP_EncryptUpdate(context.get(), out_.data() + at, &n, in_.data() + at, 4096));
  }
  EXPECT_TRUE(out_ == want_);
  large(Module(kRequired));
}

TEST_F(SharedDevice, ContextsOfTheProgramStay) {
  const Module module(kRequired);
  // A thread without a context has none afterwards.
  std::thread([&] {
    EXPECT_EQ(nullptr, current_context());
    large(module);
    EXPECT_EQ(nullptr, current_context());
  }).join();
  int count = 0;
  ASSERT_EQ(cudaSuccess, cudaGetDeviceCount(&count));
  for (int device = 0; device < count; ++device) {
    ASSERT_EQ(cudaSuccess, cudaSetDevice(device));
    const CUcontext before = current_context();
    large(module);
    int now = -1;
    ASSERT_EQ(cudaSuccess, cudaGetDevice(&now));
    EXPECT_EQ(device, now);
    EXPECT_EQ(before, current_context());
  }
  // A context of the driver API, whose end must not take anything of the module's along.
  CUcontext own = nullptr, popped = nullptr;
  const auto create = driver<CUresult (*)(CUcontext*, unsigned, CUdevice)>("cuCtxCreate_v2");
  ASSERT_NE(nullptr, create);
  ASSERT_EQ(CUDA_SUCCESS, create(&own, 0, 0));
  large(module);
  EXPECT_EQ(own, current_context());
  ASSERT_EQ(CUDA_SUCCESS, driver<CUresult (*)(CUcontext*)>("cuCtxPopCurrent_v2")(&popped));
  EXPECT_EQ(own, popped);
  ASSERT_EQ(CUDA_SUCCESS, driver<CUresult (*)(CUcontext)>("cuCtxDestroy_v2")(own));
  large(module);
  ASSERT_EQ(cudaSuccess, cudaSetDevice(0));
  on_device(module);
  EXPECT_EQ(0u, module.fallbacks()) << module.failure();
}

// As a caching allocator does: nothing is left on the device.
TEST_F(SharedDevice, AllMemoryTaken) {
  const Module module(kAuto);
  ASSERT_EQ(cudaSuccess, cudaDeviceReset());  // so that the module makes its queues again
  std::vector<void*> all;
  for (std::size_t n = std::size_t{1} << 30; n >= 4096;) {
    void* memory = nullptr;
    if (cudaMalloc(&memory, n) == cudaSuccess) {
      all.push_back(memory);
    } else {
      static_cast<void>(cudaGetLastError());
      n /= 2;
    }
  }
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(module.encrypt(in_.data(), out_.data(), kBytes, kBytes));
    ASSERT_TRUE(out_ == want_);
  }
  for (void* memory : all) ASSERT_EQ(cudaSuccess, cudaFree(memory));
  const Module required(kRequired);
  large(required);
  const std::uint64_t before = module.device_bytes();
  for (int i = 0; i < 2000 && module.device_bytes() == before; ++i) {
    ASSERT_TRUE(module.encrypt(in_.data(), out_.data(), kBytes, kBytes));
    ASSERT_TRUE(out_ == want_);
  }
  EXPECT_GT(module.device_bytes(), before) << module.failure();
}

}  // namespace
}  // namespace gpuctr::test
