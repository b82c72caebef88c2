#include "kernels/bulk/device/devices.h"

#include "kernels/bulk/base/process_state.h"

namespace gpuctr::bulk {

DeviceStatus Devices::open(const DeviceLayer& layer, std::uint64_t ordinals,
                           std::uint64_t* devices) {
  *devices = 0;
  int count = 0;
  DeviceStatus status = DeviceStatus::kOther;
  if (DeviceSection section; section) status = layer.device_count(&count);
  if (status != DeviceStatus::kOk) return status;
  DeviceStatus last = DeviceStatus::kNoDevice;
  for (int d = 0; d < count && d < 64; ++d) {
    if (ordinals != 0 && (ordinals >> d & 1) == 0) continue;
    const unsigned device = find(d);
    const std::uint64_t bit = std::uint64_t{1} << device;
    if (device < this->count()) {
      *devices |= bit;
      continue;
    }
    if (device == kMaxDevices) break;
    DeviceInfo info;
    status = DeviceStatus::kOther;
    if (DeviceSection section; section) status = layer.device_info(d, &info);
    if (status != DeviceStatus::kOk) {
      last = status;
      continue;
    }
    *devices |= bit;
    ordinal_[device] = d;
    alive_.fetch_or(bit, std::memory_order_relaxed);
    count_.store(device + 1, std::memory_order_release);
  }
  return *devices != 0 ? DeviceStatus::kOk : last;
}

unsigned Devices::find(int ordinal) const {
  const unsigned n = count();
  for (unsigned device = 0; device < n; ++device) {
    if (ordinal_[device] == ordinal) return device;
  }
  return n;
}

DeviceStatus Devices::last_failure(std::uint64_t devices) const {
  const unsigned last = last_device_.load(std::memory_order_relaxed);
  DeviceStatus status = DeviceStatus::kOk;
  for (unsigned device = 0; device < kMaxDevices; ++device) {
    const DeviceStatus its = last_[device].load(std::memory_order_relaxed);
    if ((devices >> device & 1) == 0 || its == DeviceStatus::kOk) continue;
    if (status == DeviceStatus::kOk || device == last) status = its;
  }
  return status;
}

void Devices::failed(unsigned device, DeviceStatus why) {
  constexpr unsigned kPatience = 3;
  last_[device].store(why, std::memory_order_relaxed);
  last_device_.store(device, std::memory_order_relaxed);
  const std::uint64_t bit = std::uint64_t{1} << device;
  if (device_status_passes(why)) {
    if (passing_[device].fetch_add(1, std::memory_order_relaxed) + 1 >= kPatience) {
      resting_.fetch_or(bit, std::memory_order_relaxed);
    }
    return;
  }
  if (why == DeviceStatus::kDeviceLost) lost_.fetch_or(bit, std::memory_order_relaxed);
  const bool hopeless = why == DeviceStatus::kDeviceLost || why == DeviceStatus::kNoDevice ||
                        why == DeviceStatus::kNoDriver || why == DeviceStatus::kUnsupported;
  if (failures_[device].fetch_add(1, std::memory_order_relaxed) + 1 >= kPatience || hopeless) {
    alive_.fetch_and(~bit, std::memory_order_relaxed);
  }
}

void Devices::wake(std::uint64_t devices) {
  for (unsigned device = 0; device < count(); ++device) {
    if ((devices >> device & 1) == 0 || passing_[device].load(std::memory_order_relaxed) == 0)
      continue;
    passing_[device].store(0, std::memory_order_relaxed);
    resting_.fetch_and(~(std::uint64_t{1} << device), std::memory_order_relaxed);
  }
}

}  // namespace gpuctr::bulk
