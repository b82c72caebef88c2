// GCM in device memory.
#include <algorithm>
#include <cstring>

#include "kernels/base/wipe.h"
#include "kernels/bulk/base/process_state.h"
#include "kernels/bulk/base/threads.h"
#include "kernels/bulk/device/transfer.h"
#include "kernels/cpu/ghash.h"

namespace gpuctr::bulk {

DeviceStatus DeviceMemory::gcm(const GcmWork& work) {
  const CancelDisabled guard;
  Stream job(work.cipher, work.cpu, work.keys, work.counter, work.in, work.out, work.bytes,
             place(work.in), place(work.out));
  DeviceSection section;
  if (!section) return DeviceStatus::kOther;
  Channel* const channel = acquire(job.device);
  if (channel == nullptr) return DeviceStatus::kNoDevice;
  // Staging memory is always needed: it receives the hash.
  DeviceStatus status = prepare(channel, job.device, true);
  if (status == DeviceStatus::kOk) {
    const bool whole = job.reaches(job.from) && job.reaches(job.to) && layer_->takes(work.cipher);
    status = whole ? gcm_direct(channel, job, work) : gcm_in_turn(channel, &job, work);
  }
  release(channel, status == DeviceStatus::kOk);
  return status;
}

// One pass if the device has a kernel for it. Otherwise both parts go to one queue; for decryption
// in place the hash comes first. A launch that fails leaves the data unchanged, and another path
// does its work.
DeviceStatus DeviceMemory::gcm_direct(Channel* channel, const Stream& job, const GcmWork& work) {
  DeviceStatus status = layer_->gcm(channel->stream, work.cipher, work.keys,
                                    {work.counter, work.h, work.y, work.in, work.out,
                                     work.bytes / kGcmBlock, work.encrypts, sum_of(channel)});
  if (status == DeviceStatus::kOk) return take_hash(channel, work);
  if (status == DeviceStatus::kDeviceLost) return status;
  const std::uint8_t* const data = work.encrypts ? work.out : work.in;
  const Place where = work.encrypts ? job.to : job.from;
  const bool hash_first = !work.encrypts && work.in == work.out;
  bool queued = false;
  status = DeviceStatus::kOk;
  if (hash_first) status = hash(channel, job, work, data, where, &queued);
  if (status == DeviceStatus::kOk) status = launch(channel, job);
  if (status == DeviceStatus::kOk && !hash_first)
    status = hash(channel, job, work, data, where, &queued);
  if (status != DeviceStatus::kOk) return status;
  return queued ? take_hash(channel, work) : layer_->stream_wait(channel->stream);
}

DeviceStatus DeviceMemory::gcm_in_turn(Channel* channel, Stream* job, const GcmWork& work) {
  DeviceStatus status = DeviceStatus::kOk;
  const auto hash_all = [&](const std::uint8_t* data, Place where) {
    bool queued = false;
    status = hash(channel, *job, work, data, where, &queued);
    if (queued) status = take_hash(channel, work);
  };
  if (!work.encrypts) hash_all(work.in, job->from);
  if (status == DeviceStatus::kOk) {
    status = layer_->takes(work.cipher) ? staged(channel, job) : by_cpu(channel, *job, 0);
  }
  if (status == DeviceStatus::kOk && work.encrypts) hash_all(work.out, job->to);
  return status;
}

// The device writes the hash to the end of staging memory, which by_cpu() does not use.
std::uint8_t* DeviceMemory::sum_of(Channel* channel) { return channel->stage + kStage - kGcmBlock; }

// Reads the hash after the device has written it.
DeviceStatus DeviceMemory::take_hash(Channel* channel, const GcmWork& work) {
  const DeviceStatus status = layer_->stream_wait(channel->stream);
  if (status != DeviceStatus::kOk) return status;
  std::memcpy(work.y, sum_of(channel), kGcmBlock);
  wipe(sum_of(channel), kGcmBlock);
  return status;
}

// The device hashes if it can and the data is in its memory: then the hash is `queued`, for
// take_hash(). Otherwise the CPU hashes a copy of the data.
DeviceStatus DeviceMemory::hash(Channel* channel, const Transfer& job, const GcmWork& work,
                                const std::uint8_t* data, Place place, bool* queued) {
  if (place.kind == PointerKind::kHost) {
    const DeviceStatus status = layer_->stream_wait(channel->stream);
    if (status == DeviceStatus::kOk)
      work.ghash.update(work.key, work.y, data, work.bytes / kGcmBlock);
    return status;
  }
  DeviceStatus status = DeviceStatus::kUnsupported;
  if (job.reaches(place)) {
    status = layer_->ghash(channel->stream, work.h, work.y, data, work.bytes / kGcmBlock,
                           sum_of(channel));
  }
  *queued = status == DeviceStatus::kOk;
  if (*queued || status == DeviceStatus::kDeviceLost) return status;
  std::uint8_t* const stage = channel->stage;
  status = layer_->stream_wait(channel->stream);
  for (std::size_t at = 0; at < work.bytes && status == DeviceStatus::kOk; at += kHalf) {
    const std::size_t n = std::min(kHalf, work.bytes - at);
    status = move(channel, stage, data + at, place, n);
    if (status == DeviceStatus::kOk) work.ghash.update(work.key, work.y, stage, n / kGcmBlock);
    wipe(stage, n);
  }
  return status;
}

}  // namespace gpuctr::bulk
