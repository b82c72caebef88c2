// A device for a test, its memory, and the scalar backend's word on what should be in it.
#ifndef GPUCTR_TEST_GPU_SUPPORT_H
#define GPUCTR_TEST_GPU_SUPPORT_H

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "kernels/base/counter.h"
#include "kernels/cpu/backend.h"
#include "kernels/gpu/layer.h"

namespace gpuctr::test {

using Bytes = std::vector<std::uint8_t>;

inline const DeviceLayer* cuda_with_a_device() {
  const DeviceLayer* const layer = cuda_layer();
  int count = 0;
  return layer != nullptr && layer->device_count(&count) == DeviceStatus::kOk ? layer : nullptr;
}

#define GPUCTR_NEEDS_A_DEVICE() \
  if (::gpuctr::test::cuda_with_a_device() == nullptr) GTEST_SKIP() << "no device"

#define EXPECT_OK(call) EXPECT_EQ(call, ::gpuctr::DeviceStatus::kOk)
#define ASSERT_OK(call) ASSERT_EQ(call, ::gpuctr::DeviceStatus::kOk)

inline std::mt19937_64& random_source() {
  static std::mt19937_64 source(20201121);
  return source;
}
inline std::uint64_t random_below(std::uint64_t n) { return random_source()() % n; }
inline Bytes random_bytes(std::size_t n) {
  Bytes b(n);
  for (auto& x : b) x = static_cast<std::uint8_t>(random_source()());
  return b;
}

struct Key {
  explicit Key(const CipherSpec& spec) : Key(spec, spec.key_bytes) {}
  Key(const CipherSpec& spec, std::size_t bytes) : cipher(spec), raw(random_bytes(bytes)) {
    spec.expand_bytes(raw.data(), bytes, &keys);
  }
  // keystream XOR data from `counter`, by the scalar backend
  void expect(const Bytes& counter, Bytes* data) const {
    find_backend("scalar")->ops[cipher.index].ctr(keys, counter.data(), data->data(), data->data(),
                                                  data->size());
  }
  const CipherSpec& cipher;
  Bytes raw;
  RoundKeys keys = {};
};

class TestStream {
 public:
  TestStream() : layer_(cuda_with_a_device()) { layer_->stream_create(0, &stream_); }
  TestStream(const TestStream&) = delete;
  TestStream& operator=(const TestStream&) = delete;
  ~TestStream() { layer_->stream_destroy(stream_); }
  operator DeviceStream*() const { return stream_; }
  void put(void* to, const Bytes& data) {
    EXPECT_OK(layer_->copy(stream_, to, data.data(), data.size()));
    EXPECT_OK(layer_->stream_wait(stream_));
  }
  Bytes get(const void* from, std::size_t n) {
    Bytes data(n);
    EXPECT_OK(layer_->copy(stream_, data.data(), from, n));
    EXPECT_OK(layer_->stream_wait(stream_));
    return data;
  }

 private:
  const DeviceLayer* layer_;
  DeviceStream* stream_ = nullptr;
};

// Device or pinned memory that ends with its owner, zeros at first: a kernel reads the whole words
// that its data touches.
class TestMemory {
 public:
  enum class Where { kDevice, kPinned };
  TestMemory(Where where, std::size_t bytes) : layer_(cuda_with_a_device()), where_(where) {
    const DeviceStatus status = where == Where::kDevice ? layer_->device_alloc(0, bytes, &memory_)
                                                        : layer_->pinned_alloc(0, bytes, &memory_);
    if (status != DeviceStatus::kOk) {
      memory_ = nullptr;
    } else if (where == Where::kPinned) {
      std::memset(memory_, 0, bytes);
    } else {
      const TestStream stream;
      layer_->zero(stream, memory_, bytes);
      layer_->stream_wait(stream);
    }
  }
  TestMemory(const TestMemory&) = delete;
  TestMemory& operator=(const TestMemory&) = delete;
  ~TestMemory() {
    if (where_ == Where::kDevice) {
      layer_->device_free(0, memory_);
    } else {
      layer_->pinned_free(memory_);
    }
  }
  std::uint8_t* get() const { return static_cast<std::uint8_t*>(memory_); }

 private:
  const DeviceLayer* layer_;
  Where where_;
  void* memory_ = nullptr;
};

// The indices of the ciphers that have kernels in this build.
inline std::vector<std::size_t> ciphers_with_kernels() {
  std::vector<std::size_t> list;
  for (std::size_t i = 0; i < kCipherCount; ++i) {
    if (cuda_layer()->takes(cipher_spec(i))) list.push_back(i);
  }
  return list;
}

inline std::string cipher_test_name(const testing::TestParamInfo<std::size_t>& test) {
  std::string name = cipher_spec(test.param).name;
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return name;
}

// First difference, or the common size.
inline std::size_t first_difference(const Bytes& a, const Bytes& b) {
  const std::size_t n = std::min(a.size(), b.size());
  for (std::size_t i = 0; i < n; ++i) {
    if (a[i] != b[i]) return i;
  }
  return n;
}

}  // namespace gpuctr::test

#endif
