// XTS in device memory.
#include "kernels/bulk/base/xts.h"
#include "kernels/bulk/base/process_state.h"
#include "kernels/bulk/base/threads.h"
#include "kernels/bulk/device/transfer.h"

namespace gpuctr::bulk {

DeviceMemory::MessagesResult DeviceMemory::xts(const CipherSpec& cipher, const XtsWork& work,
                                               const std::uint8_t* mask) {
  const CancelDisabled guard;
  const Transfer transfer(place(work.in), place(work.out));
  DeviceSection section;
  if (!section) return {DeviceStatus::kOther, false};
  if (!transfer.reaches(transfer.from) || !transfer.reaches(transfer.to) || work.bytes == 0 ||
      !layer_->takes(cipher)) {
    return {DeviceStatus::kUnsupported, false};
  }
  Channel* const channel = acquire(transfer.device);
  if (channel == nullptr) return {DeviceStatus::kNoDevice, false};
  DeviceStatus status = prepare(channel, transfer.device, false);
  bool queued = false;
  if (status == DeviceStatus::kOk) {
    DeviceXts unit = {};
    unit.encrypts = work.encrypts;
    unit.mask = mask;
    unit.in = work.in;
    unit.out = work.out;
    unit.bytes = work.bytes;
    status = layer_->xts(channel->stream, cipher, work.keys, unit);
    queued = status == DeviceStatus::kOk;
    if (queued) status = layer_->stream_wait(channel->stream);
  }
  release(channel, status == DeviceStatus::kOk || status == DeviceStatus::kUnsupported);
  return {status, queued};
}

}  // namespace gpuctr::bulk
