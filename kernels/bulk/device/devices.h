// The devices that a process uses, and which of them still work.
#ifndef GPUCTR_KERNELS_BULK_DEVICE_CARDS_H
#define GPUCTR_KERNELS_BULK_DEVICE_CARDS_H

#include <atomic>
#include <cstdint>

#include "kernels/gpu/layer.h"

namespace gpuctr::bulk {

constexpr unsigned kMaxDevices = 16;

// A device has a number here, its place in this list, and an ordinal, its number in the layer. A
// set of devices has bit i for the device with number i. All functions but open() may be called
// from any thread.
class Devices {
 public:
  // Starts the driver and takes those devices of `ordinals` (bit i: ordinal i; 0: all) that are not
  // in the list yet. kOk: there is at least one; `*devices` is the set of them. One thread at a
  // time.
  DeviceStatus open(const DeviceLayer& layer, std::uint64_t ordinals, std::uint64_t* devices);

  unsigned count() const { return count_.load(std::memory_order_acquire); }
  int ordinal(unsigned device) const { return ordinal_[device]; }
  bool alive(unsigned device) const { return any_alive(std::uint64_t{1} << device); }
  bool any_alive(std::uint64_t devices) const {
    return (alive_.load(std::memory_order_relaxed) & ~resting_.load(std::memory_order_relaxed) &
            devices) != 0;
  }
  // Lost: only the layer's *_free and *_destroy may be called for it, and it writes no more.
  bool lost(unsigned device) const {
    return (lost_.load(std::memory_order_relaxed) >> device & 1) != 0;
  }
  // The device with this ordinal, or count() where it is not in the list.
  unsigned find(int ordinal) const;

  // Reports a failed call. A lost or unusable device is dropped at once, any other after its third
  // failure. Failures that pass (device_status_passes) drop no device: after the third of them it
  // rests, and is not alive, until wake().
  void failed(unsigned device, DeviceStatus why);
  // A new job may try those of these devices that rest.
  void wake(std::uint64_t devices);
  bool any_resting(std::uint64_t devices) const {
    return (resting_.load(std::memory_order_relaxed) & devices) != 0;
  }
  // Of these devices; kOk: none failed.
  DeviceStatus last_failure(std::uint64_t devices) const;

 private:
  std::atomic<unsigned> count_{0};
  int ordinal_[kMaxDevices] = {};
  std::atomic<unsigned> failures_[kMaxDevices] = {};
  std::atomic<unsigned> passing_[kMaxDevices] = {};  // since the last wake()
  std::atomic<DeviceStatus> last_[kMaxDevices] = {};
  std::atomic<unsigned> last_device_{0};
  std::atomic<std::uint64_t> alive_{0};
  std::atomic<std::uint64_t> resting_{0};
  std::atomic<std::uint64_t> lost_{0};
};

}  // namespace gpuctr::bulk

#endif
