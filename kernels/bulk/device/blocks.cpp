// Whole blocks where the data is on a card.
#include <algorithm>
#include <cstring>

#include "kernels/base/wipe.h"
#include "kernels/bulk/base/process_state.h"
#include "kernels/bulk/base/threads.h"
#include "kernels/bulk/base/work.h"
#include "kernels/bulk/device/memory.h"

namespace gpuctr::bulk {
namespace {

// Before the input in staging memory: room for the block that precedes it.
constexpr std::size_t kHead = std::max<std::size_t>(64, kMaxBlockBytes);

}  // namespace

struct DeviceMemory::Blocks {
  const BlockWork& work;
  Place from;
  Place to;
  int device;
  // What is still to be done: bytes from begin to end.
  std::size_t begin;
  std::size_t end;
  // What the halves of staging memory are in use for.
  std::size_t begun[2] = {};
  std::size_t size[2] = {};

  bool reaches(Place place) const {
    return place.kind == GpuPointerKind::kPinned ||
           (place.kind == GpuPointerKind::kDevice && place.device == device);
  }
  std::size_t count(std::size_t bytes) const { return bytes / work.cipher.block_bytes; }
};

// A launch that fails leaves its input as it was, so the CPU does what is left: the data goes over
// the link and back. After any other failure the data is lost with the card.
DeviceMemory::BlockResult DeviceMemory::blocks(const BlockWork& work) {
  const CancelDisabled guard;
  Blocks job{work, place(work.in), place(work.out), 0, 0, work.bytes};
  job.device = job.to.kind == GpuPointerKind::kDevice ? job.to.device : job.from.device;
  BlockResult result{GpuStatus::kOther, 0, GpuStatus::kOk};
  CardSection section;
  if (!section) return result;
  Channel* const channel = acquire(job.device);
  if (channel == nullptr) return {GpuStatus::kNoDevice, 0, GpuStatus::kOk};

  const bool whole = job.reaches(job.from) && job.reaches(job.to);
  result.status = prepare(channel, job.device, !whole);
  if (result.status == GpuStatus::kOk && layer_->takes(work.cipher)) {
    result.status = !whole                              ? blocks_staged(channel, &job)
                    : work.chained() && work.in_place() ? chain_in_place(channel, &job)
                                                        : blocks_direct(channel, &job);
    if (job.begin != job.end && result.status != GpuStatus::kDeviceLost) {
      result.refused = result.status;
      result.status = GpuStatus::kOk;
    }
  }
  result.by_card = work.bytes - (job.end - job.begin);
  if (result.status == GpuStatus::kOk && job.begin != job.end) {
    result.status = prepare(channel, job.device, true);
    if (result.status == GpuStatus::kOk) result.status = blocks_by_cpu(channel, job);
  }
  release(channel, result.status == GpuStatus::kOk);
  return result;
}

GpuStatus DeviceMemory::read(void* to, const void* from, std::size_t n) {
  const CancelDisabled guard;
  const Place there = place(from);
  CardSection section;
  if (!section) return GpuStatus::kOther;
  Channel* const channel = acquire(there.device);
  if (channel == nullptr) return GpuStatus::kNoDevice;
  GpuStatus status = prepare(channel, there.device, true);
  if (status == GpuStatus::kOk) status = fetch(channel, channel->stage, from, there, n);
  if (status == GpuStatus::kOk) {
    std::memcpy(to, channel->stage, n);
    wipe(channel->stage, n);
  }
  release(channel, status == GpuStatus::kOk);
  return status;
}

GpuStatus DeviceMemory::blocks_direct(Channel* channel, Blocks* job) {
  const BlockWork& w = job->work;
  const GpuStatus status = layer_->blocks(channel->stream, w.cipher, w.keys, w.gpu_verb(), w.before,
                                          w.in, w.out, job->count(w.bytes));
  if (status != GpuStatus::kOk) return status;
  job->begin = job->end;
  return layer_->stream_wait(channel->stream);
}

// From the end to the beginning, because a piece needs the last block of the one before it. Made in
// memory of the card beside it and copied back, because a kernel's threads would overwrite each
// other's input.
GpuStatus DeviceMemory::chain_in_place(Channel* channel, Blocks* job) {
  const BlockWork& w = job->work;
  GpuStatus status = GpuStatus::kOk;
  if (channel->scratch == nullptr) {
    status = layer_->device_alloc(job->device, kScratch, &channel->scratch);
    if (status != GpuStatus::kOk) channel->scratch = nullptr;
  }
  while (status == GpuStatus::kOk && job->end != 0) {
    const std::size_t at = (job->end - 1) / kScratch * kScratch;
    const std::size_t n = job->end - at;
    status =
        layer_->blocks(channel->stream, w.cipher, w.keys, GpuVerb::kChain,
                       at == 0 ? w.before : nullptr, w.in + at, channel->scratch, job->count(n));
    if (status == GpuStatus::kOk) {
      status = layer_->copy(channel->stream, w.out + at, channel->scratch, n);
    }
    if (status == GpuStatus::kOk) job->end = at;
  }
  if (channel->scratch == nullptr) return status;
  const std::size_t used = std::min(w.bytes, kScratch);
  const bool wiped = layer_->zero(channel->stream, channel->scratch, used) == GpuStatus::kOk;
  const GpuStatus done = layer_->stream_wait(channel->stream);
  if (!wiped) drop_scratch(channel);
  if (done == GpuStatus::kOk) return status;
  job->begin = job->end;  // nobody knows what is there now
  return done;
}

void DeviceMemory::drop_scratch(Channel* channel) {
  if (channel->scratch == nullptr) return;
  if (!layer_->stream_lives(channel->stream)) {
    channel->scratch = nullptr;  // gone, and its address may be the program's by now
    return;
  }
  static_cast<void>(layer_->zero(channel->stream, channel->scratch, kScratch));
  static_cast<void>(layer_->stream_wait(channel->stream));
  layer_->device_free(channel->device, channel->scratch);
  channel->scratch = nullptr;
}

// Two halves of staging memory take turns, as in staged(). One side is out of the card's reach.
GpuStatus DeviceMemory::blocks_staged(Channel* channel, Blocks* job) {
  GpuStatus status = GpuStatus::kOk;  // of launches
  GpuStatus done = GpuStatus::kOk;    // of what was launched
  unsigned half = 0;
  for (; job->begin != job->end && status == GpuStatus::kOk; half ^= 1) {
    done = collect_blocks(channel, half, job);
    if (done != GpuStatus::kOk) break;
    status = launch_blocks(channel, half, job);
    if (status == GpuStatus::kOk)
      done = layer_->event_record(channel->stream, channel->event[half]);
    if (done != GpuStatus::kOk) break;
  }
  for (int i = 0; i < 2 && done == GpuStatus::kOk; ++i, half ^= 1) {
    done = collect_blocks(channel, half, job);
  }
  if (done == GpuStatus::kOk) done = layer_->stream_wait(channel->stream);
  if (done == GpuStatus::kOk) {
    wipe(channel->stage, std::min(2 * kHalf, job->work.bytes + kHalf + kHead));
    return status;
  }
  job->begin = job->end;  // nobody knows what is there now
  return done;
}

// Begins with the next piece.
GpuStatus DeviceMemory::launch_blocks(Channel* channel, unsigned half, Blocks* job) {
  const BlockWork& w = job->work;
  const std::size_t at = job->begin;
  const std::size_t n = std::min(kHalf - kHead, job->end - at);
  std::uint8_t* const stage = channel->stage + half * kHalf + kHead;
  const std::uint8_t* in = w.in + at;
  if (!job->reaches(job->from)) {
    // With the block before it, where that is needed.
    const std::size_t lead = w.chained() && at != 0 ? w.cipher.block_bytes : 0;
    if (job->from.kind == GpuPointerKind::kHost) {
      std::memcpy(stage - lead, in - lead, n + lead);
    } else {
      const GpuStatus status = layer_->copy(channel->stream, stage - lead, in - lead, n + lead);
      if (status != GpuStatus::kOk) return status;
    }
    in = stage;
  }
  const GpuStatus status =
      layer_->blocks(channel->stream, w.cipher, w.keys, w.gpu_verb(), at == 0 ? w.before : nullptr,
                     in, job->reaches(job->to) ? w.out + at : stage, job->count(n));
  if (status != GpuStatus::kOk) return status;
  job->begun[half] = at;
  job->size[half] = n;
  job->begin += n;
  return status;
}

// Waits for a half and hands its blocks to ordinary memory, where that is the output.
GpuStatus DeviceMemory::collect_blocks(Channel* channel, unsigned half, Blocks* job) {
  const std::size_t n = job->size[half];
  job->size[half] = 0;
  if (n == 0) return GpuStatus::kOk;
  const GpuStatus status = layer_->event_wait(channel->event[half]);
  if (status == GpuStatus::kOk && !job->reaches(job->to)) {
    std::memcpy(job->work.out + job->begun[half], channel->stage + half * kHalf + kHead, n);
  }
  return status;
}

// Where a card takes copies but no kernels. In place, each piece's last block of ciphertext is kept
// before it goes.
GpuStatus DeviceMemory::blocks_by_cpu(Channel* channel, const Blocks& job) {
  const BlockWork& w = job.work;
  const std::size_t block = w.cipher.block_bytes;
  std::uint8_t last[kMaxBlockBytes];
  GpuStatus status = GpuStatus::kOk;
  if (w.chained() && job.begin == 0) {
    std::memcpy(last, w.before, block);
  } else if (w.chained()) {
    status = fetch(channel, channel->stage, w.in + job.begin - block, job.from, block);
    std::memcpy(last, channel->stage, block);
  }
  for (std::size_t at = job.begin; at < job.end && status == GpuStatus::kOk; at += kHalf) {
    const std::size_t n = std::min(kHalf, job.end - at);
    status = fetch(channel, channel->stage, w.in + at, job.from, n);
    if (status != GpuStatus::kOk) break;
    std::uint8_t next[kMaxBlockBytes];
    std::memcpy(next, channel->stage + n - block, block);
    run_blocks({w.cipher, w.cpu, w.keys, w.verb, w.chained() ? last : nullptr, channel->stage,
                channel->stage, n});
    status = store(channel, w.out + at, job.to, channel->stage, n);
    wipe(channel->stage, n);
    std::memcpy(last, next, block);
  }
  return status;
}

}  // namespace gpuctr::bulk
