// Memory of the fake device for tests.
#ifndef GPUCTR_TEST_BULK_DEVICE_H
#define GPUCTR_TEST_BULK_DEVICE_H

#include <gtest/gtest.h>

#include <algorithm>

#include "test/bulk/support.h"

namespace gpuctr::test {

// A piece of one device's memory, seen by tests through its shadow.
class Device {
 public:
  Device(const DeviceLayer* layer, std::size_t bytes, int device = 0)
      : layer_(layer), device_(device), bytes_(bytes) {
    EXPECT_EQ(layer->device_alloc(device, bytes, &memory_), DeviceStatus::kOk);
  }
  ~Device() { layer_->device_free(device_, memory_); }
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;
  std::uint8_t* data() const { return static_cast<std::uint8_t*>(memory_); }
  void fill(const Bytes& bytes) { std::copy(bytes.begin(), bytes.end(), fake_shadow(memory_)); }
  Bytes read(std::size_t n) const {
    const std::uint8_t* const p = fake_shadow(memory_);
    return Bytes(p, p + n);
  }
  std::size_t size() const { return bytes_; }

 private:
  const DeviceLayer* layer_;
  int device_;
  std::size_t bytes_;
  void* memory_ = nullptr;
};

}  // namespace gpuctr::test

#endif
