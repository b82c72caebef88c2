// The devices that a process uses, and their state.
#ifndef GPUCTR_KERNELS_BULK_DEVICE_DEVICES_H
#define GPUCTR_KERNELS_BULK_DEVICE_DEVICES_H

#include <atomic>
#include <cstdint>

#include "kernels/gpu/layer.h"

namespace gpuctr::bulk {

constexpr unsigned kMaxDevices = 16;

// A device has two numbers: its index in this list, and its ordinal in the layer. In a set of
// devices bit i stands for the device with index i. All functions except open() may be called from
// any thread.
class Devices {
 public:
  // Starts the driver and adds the devices of `ordinals` (bit i: ordinal i; 0: all) that are not in
  // the list yet. kOk: there is at least one device; `*devices` is the set of them. One thread at a
  // time.
  DeviceStatus open(const DeviceLayer& layer, std::uint64_t ordinals, std::uint64_t* devices);

  unsigned count() const { return count_.load(std::memory_order_acquire); }
  int ordinal(unsigned device) const { return ordinal_[device]; }
  bool alive(unsigned device) const { return any_alive(std::uint64_t{1} << device); }
  bool any_alive(std::uint64_t devices) const {
    return (alive_.load(std::memory_order_relaxed) & ~resting_.load(std::memory_order_relaxed) &
            devices) != 0;
  }
  // For a lost device only the layer's *_free and *_destroy may be called; a lost device no longer
  // writes to memory.
  bool lost(unsigned device) const {
    return (lost_.load(std::memory_order_relaxed) >> device & 1) != 0;
  }
  // The index of the device with this ordinal; count() if it is not in the list.
  unsigned find(int ordinal) const;

  // Reports a failed call. A lost or unusable device is dropped at once, any other device after its
  // third failure. Transient failures (device_status_passes) drop no device: after the third the
  // device rests, and is not alive, until wake().
  void failed(unsigned device, DeviceStatus why);
  // Lets a new job use the resting devices of this set again.
  void wake(std::uint64_t devices);
  bool any_resting(std::uint64_t devices) const {
    return (resting_.load(std::memory_order_relaxed) & devices) != 0;
  }
  // The last failure of these devices; kOk: no device failed.
  DeviceStatus last_failure(std::uint64_t devices) const;

 private:
  std::atomic<unsigned> count_{0};
  int ordinal_[kMaxDevices] = {};
  std::atomic<unsigned> failures_[kMaxDevices] = {};
  std::atomic<unsigned> passing_[kMaxDevices] = {};  // transient failures since the last wake()
  std::atomic<DeviceStatus> last_[kMaxDevices] = {};
  std::atomic<unsigned> last_device_{0};
  std::atomic<std::uint64_t> alive_{0};
  std::atomic<std::uint64_t> resting_{0};
  std::atomic<std::uint64_t> lost_{0};
};

}  // namespace gpuctr::bulk

#endif
