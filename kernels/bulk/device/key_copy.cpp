#include "kernels/bulk/device/key_copy.h"

#include "kernels/bulk/base/process_state.h"
#include "kernels/bulk/base/threads.h"

namespace gpuctr::bulk {

KeyCopy::~KeyCopy() {
  if (stream_ == nullptr) return;
  const CancelDisabled guard;
  DeviceSection section;
  if (section) drop();
}

// After a reset of the device the memory is freed already, and its address may belong to the
// program.
void KeyCopy::drop() {
  if (stream_ == nullptr) return;
  if (memory_ != nullptr && layer_->stream_lives(stream_)) {
    static_cast<void>(layer_->zero(stream_, memory_, bytes_));
    static_cast<void>(layer_->stream_wait(stream_));
    layer_->device_free(device_, memory_);
  }
  layer_->stream_destroy(stream_);
  stream_ = nullptr;
  memory_ = nullptr;
}

DeviceStatus KeyCopy::get(const DeviceLayer& layer, int device, const std::uint8_t* keys,
                          std::size_t bytes, const void** copy) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (stream_ != nullptr && layer_ == &layer && device_ == device && layer.stream_lives(stream_)) {
    *copy = memory_;
    return DeviceStatus::kOk;
  }
  drop();
  layer_ = &layer;
  device_ = device;
  bytes_ = bytes;
  DeviceStatus status = layer.stream_create(device, &stream_);
  if (status != DeviceStatus::kOk) {
    stream_ = nullptr;
    return status;
  }
  status = layer.device_alloc(device, bytes, &memory_);
  if (status != DeviceStatus::kOk) memory_ = nullptr;
  if (status == DeviceStatus::kOk) status = layer.copy(stream_, memory_, keys, bytes);
  if (status == DeviceStatus::kOk) status = layer.stream_wait(stream_);
  if (status != DeviceStatus::kOk) drop();
  *copy = memory_;
  return status;
}

}  // namespace gpuctr::bulk
