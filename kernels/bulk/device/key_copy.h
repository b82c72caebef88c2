// The copy of a table of keys in a device's memory.
#ifndef GPUCTR_KERNELS_BULK_DEVICE_KEY_COPY_H
#define GPUCTR_KERNELS_BULK_DEVICE_KEY_COPY_H

#include <cstddef>
#include <cstdint>
#include <mutex>

#include "kernels/gpu/layer.h"

namespace gpuctr::bulk {

// Made at the first batch that needs it, and kept for the next ones. Any thread. The destructor
// zeroes the copy, unless the process exits or was forked: then the layer is not called.
class KeyCopy {
 public:
  KeyCopy() = default;
  KeyCopy(const KeyCopy&) = delete;
  KeyCopy& operator=(const KeyCopy&) = delete;
  ~KeyCopy();

  // The copy on this device, of `bytes` bytes of ordinary memory at `keys`. A copy on another
  // device is dropped first: batches of one table use one device. Called in a DeviceSection.
  DeviceStatus get(const DeviceLayer& layer, int device, const std::uint8_t* keys,
                   std::size_t bytes, const void** copy);

 private:
  void drop();

  std::mutex mutex_;
  const DeviceLayer* layer_ = nullptr;
  int device_ = 0;
  DeviceStream* stream_ = nullptr;  // tells whether the memory's context lives
  void* memory_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace gpuctr::bulk

#endif
