// GCM where the data is on a card.
#include <algorithm>
#include <cstring>

#include "kernels/base/wipe.h"
#include "kernels/bulk/base/process_state.h"
#include "kernels/bulk/base/threads.h"
#include "kernels/bulk/device/job.h"
#include "kernels/cpu/ghash.h"

namespace gpuctr::bulk {

GpuStatus DeviceMemory::gcm(const GcmWork& work) {
  const CancelDisabled guard;
  Job job{work.cipher, work.cpu,       work.keys,       {}, work.in, work.out,
          work.bytes,  place(work.in), place(work.out), 0};
  std::memcpy(job.counter, work.counter, kGcmBlock);
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

// In one pass, where the card has one for this. Else both in one queue, of which the hash is first
// where the text is decrypted in place. A launch that fails leaves the data as it was: what it
// should have done is done in another way.
GpuStatus DeviceMemory::gcm_direct(Channel* channel, const Job& job, const GcmWork& work) {
  GpuStatus status = layer_->gcm(channel->stream, work.cipher, work.keys,
                                 {work.counter, work.h, work.y, work.in, work.out,
                                  work.bytes / kGcmBlock, work.encrypts, sum_of(channel)});
  if (status == GpuStatus::kOk) return take_hash(channel, work);
  if (status == GpuStatus::kDeviceLost) return status;
  const std::uint8_t* const data = work.encrypts ? work.out : work.in;
  const Place where = work.encrypts ? job.to : job.from;
  const bool hash_first = !work.encrypts && work.in == work.out;
  bool queued = false;
  status = GpuStatus::kOk;
  if (hash_first) status = hash(channel, job, work, data, where, &queued);
  if (status == GpuStatus::kOk) status = launch(channel, job);
  if (status == GpuStatus::kOk && !hash_first)
    status = hash(channel, job, work, data, where, &queued);
  if (status != GpuStatus::kOk) return status;
  return queued ? take_hash(channel, work) : layer_->stream_wait(channel->stream);
}

GpuStatus DeviceMemory::gcm_in_turn(Channel* channel, const Job& job, const GcmWork& work) {
  GpuStatus status = GpuStatus::kOk;
  const auto hash_all = [&](const std::uint8_t* data, Place where) {
    bool queued = false;
    status = hash(channel, job, work, data, where, &queued);
    if (queued) status = take_hash(channel, work);
  };
  if (!work.encrypts) hash_all(work.in, job.from);
  if (status == GpuStatus::kOk) {
    status = layer_->takes(work.cipher) ? staged(channel, job) : by_cpu(channel, job, 0);
  }
  if (status == GpuStatus::kOk && work.encrypts) hash_all(work.out, job.to);
  return status;
}

// Where a card puts the hash: the end of staging memory, which by_cpu() does not use.
std::uint8_t* DeviceMemory::sum_of(Channel* channel) {
  return channel->stage + 2 * kHalf - kGcmBlock;
}

// When the card has made it.
GpuStatus DeviceMemory::take_hash(Channel* channel, const GcmWork& work) {
  const GpuStatus status = layer_->stream_wait(channel->stream);
  if (status != GpuStatus::kOk) return status;
  std::memcpy(work.y, sum_of(channel), kGcmBlock);
  wipe(sum_of(channel), kGcmBlock);
  return status;
}

// By the card where it can and the data is there: then it is `queued`, for take_hash(). Else by the
// CPU, to which the data comes.
GpuStatus DeviceMemory::hash(Channel* channel, const Job& job, const GcmWork& work,
                             const std::uint8_t* data, Place place, bool* queued) {
  if (place.kind == GpuPointerKind::kHost) {
    const GpuStatus status = layer_->stream_wait(channel->stream);
    if (status == GpuStatus::kOk) work.ghash.update(work.key, work.y, data, work.bytes / kGcmBlock);
    return status;
  }
  GpuStatus status = GpuStatus::kUnsupported;
  if (job.reaches(place)) {
    status = layer_->ghash(channel->stream, work.h, work.y, data, work.bytes / kGcmBlock,
                           sum_of(channel));
  }
  *queued = status == GpuStatus::kOk;
  if (*queued || status == GpuStatus::kDeviceLost) return status;
  std::uint8_t* const stage = channel->stage;
  status = layer_->stream_wait(channel->stream);
  for (std::size_t at = 0; at < work.bytes && status == GpuStatus::kOk; at += kHalf) {
    const std::size_t n = std::min(kHalf, work.bytes - at);
    status = fetch(channel, stage, data + at, place, n);
    if (status == GpuStatus::kOk) work.ghash.update(work.key, work.y, stage, n / kGcmBlock);
    wipe(stage, n);
  }
  return status;
}

}  // namespace gpuctr::bulk
