// GCM where the data is on a card.
#include <algorithm>
#include <cstring>

#include "kernels/base/wipe.h"
#include "kernels/bulk/device_job.h"
#include "kernels/bulk/process_state.h"
#include "kernels/bulk/threads.h"
#include "kernels/cpu/ghash.h"

namespace gpuctr::bulk {
namespace {

constexpr std::size_t kBlock = 16;

}  // namespace

GpuStatus DeviceMemory::gcm(const GcmWork& work) {
  const CancelDisabled guard;
  Job job{work.cipher, work.cpu,       work.keys,       {}, work.in, work.out,
          work.bytes,  place(work.in), place(work.out), 0};
  std::memcpy(job.counter, work.counter, kBlock);
  job.device = job.to.kind == GpuPointerKind::kDevice ? job.to.device : job.from.device;
  CardSection section;
  if (!section) return GpuStatus::kOther;
  Channel* const channel = acquire(job.device);
  if (channel == nullptr) return GpuStatus::kNoDevice;
  // Staging memory takes the hash, if nothing else.
  GpuStatus status = prepare(channel, job.device, true);
  if (status == GpuStatus::kOk) {
    const bool whole = job.reaches(job.from) && job.reaches(job.to) && layer_->takes(work.cipher);
    status = whole ? gcm_direct(channel, job, work) : gcm_in_turn(channel, job, work);
  }
  release(channel, status == GpuStatus::kOk);
  return status;
}

// In one pass, where the card has one for this. Else both in one queue. The hash of what is
// decrypted in place comes first, else it is second, because its tables are made while the card
// counts. A launch that fails leaves the data as it was: what it should have done is done in
// another way.
GpuStatus DeviceMemory::gcm_direct(Channel* channel, const Job& job, const GcmWork& work) {
  const GpuStatus one_pass = layer_->gcm(channel->stream, work.cipher, work.keys,
                                         {work.counter, work.h, work.y, work.in, work.out,
                                          work.bytes / kBlock, work.encrypts, channel->stage});
  if (one_pass == GpuStatus::kOk) return take_hash(channel, work);
  if (one_pass == GpuStatus::kDeviceLost) return one_pass;
  const std::uint8_t* const data = work.encrypts ? work.out : work.in;
  const Place where = work.encrypts ? job.to : job.from;
  if (!work.encrypts && work.in == work.out) {
    const GpuStatus status = hash(channel, job, work, data, where);
    return status == GpuStatus::kOk ? direct(channel, job) : status;
  }
  const GpuStatus status = launch(channel, job);
  return status == GpuStatus::kOk ? hash(channel, job, work, data, where) : status;
}

GpuStatus DeviceMemory::gcm_in_turn(Channel* channel, const Job& job, const GcmWork& work) {
  GpuStatus status = GpuStatus::kOk;
  if (!work.encrypts) status = hash(channel, job, work, work.in, job.from);
  if (status == GpuStatus::kOk) {
    status = layer_->takes(work.cipher) ? staged(channel, job) : by_cpu(channel, job, 0);
  }
  if (status == GpuStatus::kOk && work.encrypts)
    status = hash(channel, job, work, work.out, job.to);
  return status;
}

// From staging memory, when the card has made it.
GpuStatus DeviceMemory::take_hash(Channel* channel, const GcmWork& work) {
  const GpuStatus status = layer_->stream_wait(channel->stream);
  if (status != GpuStatus::kOk) return status;
  std::memcpy(work.y, channel->stage, kBlock);
  wipe(channel->stage, kBlock);
  return status;
}

// By the card where it can and the data is there; else by the CPU, to which the data comes.
GpuStatus DeviceMemory::hash(Channel* channel, const Job& job, const GcmWork& work,
                             const std::uint8_t* data, Place place) {
  if (place.kind == GpuPointerKind::kHost) {
    const GpuStatus status = layer_->stream_wait(channel->stream);
    if (status == GpuStatus::kOk) work.ghash.update(work.key, work.y, data, work.bytes / kBlock);
    return status;
  }
  std::uint8_t* const stage = channel->stage;
  GpuStatus status = GpuStatus::kUnsupported;
  if (job.reaches(place)) {
    status = layer_->ghash(channel->stream, work.h, work.y, data, work.bytes / kBlock, stage);
  }
  if (status == GpuStatus::kOk) return take_hash(channel, work);
  if (status == GpuStatus::kDeviceLost) return status;
  status = layer_->stream_wait(channel->stream);
  for (std::size_t at = 0; at < work.bytes && status == GpuStatus::kOk; at += kHalf) {
    const std::size_t n = std::min(kHalf, work.bytes - at);
    status = fetch(channel, stage, data + at, place, n);
    if (status == GpuStatus::kOk) work.ghash.update(work.key, work.y, stage, n / kBlock);
    wipe(stage, n);
  }
  return status;
}

}  // namespace gpuctr::bulk
