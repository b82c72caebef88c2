// Whole blocks in device memory.
#include <algorithm>
#include <cstring>

#include "kernels/base/wipe.h"
#include "kernels/bulk/base/process_state.h"
#include "kernels/bulk/base/threads.h"
#include "kernels/bulk/base/work.h"
#include "kernels/bulk/device/transfer.h"

namespace gpuctr::bulk {

// A launch that fails leaves its input unchanged, so the CPU does the rest of the work: the data
// crosses the link twice. After any other failure the data is lost with the device.
DeviceMemory::BlockResult DeviceMemory::blocks(const BlockWork& work) {
  const CancelDisabled guard;
  Blocks job(work, place(work.in), place(work.out));
  BlockResult result{DeviceStatus::kOther, 0, DeviceStatus::kOk};
  DeviceSection section;
  if (!section) return result;
  Channel* const channel = acquire(job.device);
  if (channel == nullptr) return {DeviceStatus::kNoDevice, 0, DeviceStatus::kOk};

  const bool whole = job.reaches(job.from) && job.reaches(job.to);
  result.status = prepare(channel, job.device, !whole);
  if (result.status == DeviceStatus::kOk && layer_->takes(work.cipher)) {
    result.status = !whole                              ? blocks_staged(channel, &job)
                    : work.chained() && work.in_place() ? chain_in_place(channel, &job)
                                                        : blocks_direct(channel, &job);
    if (job.begin != job.end && result.status != DeviceStatus::kDeviceLost) {
      result.refused = result.status;
      result.status = DeviceStatus::kOk;
    }
  }
  result.by_device = work.bytes - (job.end - job.begin);
  if (result.status == DeviceStatus::kOk && job.begin != job.end) {
    result.status = prepare(channel, job.device, true);
    if (result.status == DeviceStatus::kOk) result.status = blocks_by_cpu(channel, job);
  }
  release(channel, result.status == DeviceStatus::kOk);
  return result;
}

DeviceStatus DeviceMemory::read(void* to, const void* from, std::size_t n) {
  const CancelDisabled guard;
  const Place there = place(from);
  DeviceSection section;
  if (!section) return DeviceStatus::kOther;
  Channel* const channel = acquire(there.device);
  if (channel == nullptr) return DeviceStatus::kNoDevice;
  DeviceStatus status = prepare(channel, there.device, true);
  if (status == DeviceStatus::kOk) status = move(channel, channel->stage, from, there, n);
  if (status == DeviceStatus::kOk) {
    std::memcpy(to, channel->stage, n);
    wipe(channel->stage, n);
  }
  release(channel, status == DeviceStatus::kOk);
  return status;
}

DeviceStatus DeviceMemory::blocks_direct(Channel* channel, Blocks* job) {
  const BlockWork& w = job->work;
  const DeviceStatus status =
      layer_->blocks(channel->stream, w.cipher, w.keys, w.device_operation(), w.before, w.in, w.out,
                     job->count(w.bytes));
  if (status != DeviceStatus::kOk) return status;
  job->begin = job->end;
  return layer_->stream_wait(channel->stream);
}

// Pieces go from the end to the beginning, because each piece needs the last ciphertext block of
// the piece before it. The device writes each piece to scratch memory and copies it back, because
// the threads of a kernel would overwrite each other's input.
DeviceStatus DeviceMemory::chain_in_place(Channel* channel, Blocks* job) {
  const BlockWork& w = job->work;
  DeviceStatus status = DeviceStatus::kOk;
  if (channel->scratch == nullptr) {
    status = layer_->device_alloc(job->device, kScratch, &channel->scratch);
    if (status != DeviceStatus::kOk) channel->scratch = nullptr;
  }
  while (status == DeviceStatus::kOk && job->end != 0) {
    const std::size_t at = (job->end - 1) / kScratch * kScratch;
    const std::size_t n = job->end - at;
    status =
        layer_->blocks(channel->stream, w.cipher, w.keys, w.device_operation(),
                       at == 0 ? w.before : nullptr, w.in + at, channel->scratch, job->count(n));
    if (status == DeviceStatus::kOk) {
      status = layer_->copy(channel->stream, w.out + at, channel->scratch, n);
    }
    if (status == DeviceStatus::kOk) job->end = at;
  }
  if (channel->scratch == nullptr) return status;
  const std::size_t used = std::min(w.bytes, kScratch);
  const bool wiped = layer_->zero(channel->stream, channel->scratch, used) == DeviceStatus::kOk;
  const DeviceStatus done = layer_->stream_wait(channel->stream);
  if (!wiped) drop_scratch(channel);
  if (done == DeviceStatus::kOk) return status;
  job->begin = job->end;  // the content of the memory is unknown
  return done;
}

void DeviceMemory::drop_scratch(Channel* channel) {
  if (channel->scratch == nullptr) return;
  if (!layer_->stream_lives(channel->stream)) {
    channel->scratch = nullptr;  // freed; its address may now belong to the program
    return;
  }
  static_cast<void>(layer_->zero(channel->stream, channel->scratch, kScratch));
  static_cast<void>(layer_->stream_wait(channel->stream));
  layer_->device_free(channel->device, channel->scratch);
  channel->scratch = nullptr;
}

// Two halves of staging memory take turns, as in staged(). The device cannot reach either the input
// or the output.
DeviceStatus DeviceMemory::blocks_staged(Channel* channel, Blocks* job) {
  DeviceStatus status = DeviceStatus::kOk;  // status of the launches
  DeviceStatus done = DeviceStatus::kOk;    // status of the work that was launched
  unsigned half = 0;
  for (; job->begin != job->end && status == DeviceStatus::kOk; half ^= 1) {
    done = collect(channel, half, job, job->work.out);
    if (done != DeviceStatus::kOk) break;
    status = launch_blocks(channel, half, job);
    if (status == DeviceStatus::kOk)
      done = layer_->event_record(channel->stream, channel->event[half]);
    if (done != DeviceStatus::kOk) break;
  }
  if (done == DeviceStatus::kOk) done = collect_both(channel, half, job, job->work.out);
  if (done == DeviceStatus::kOk) done = layer_->stream_wait(channel->stream);
  if (done == DeviceStatus::kOk) {
    wipe(channel->stage, std::min(kStage, job->work.bytes + kHalf + 2 * kHead));
    return status;
  }
  job->begin = job->end;  // the content of the memory is unknown
  return done;
}

// Starts the next piece.
DeviceStatus DeviceMemory::launch_blocks(Channel* channel, unsigned half, Blocks* job) {
  const BlockWork& w = job->work;
  const std::size_t at = job->begin;
  const std::size_t n = std::min(kHalf, job->end - at);
  std::uint8_t* const memory = channel->half(half);
  const std::uint8_t* in = w.in + at;
  if (!job->reaches(job->from)) {
    // CBC and CFB: the piece includes the ciphertext block before it.
    const std::size_t lead = w.chained() && at != 0 ? w.cipher.block_bytes : 0;
    const DeviceStatus status = stage(channel, *job, memory - lead, in - lead, n + lead);
    if (status != DeviceStatus::kOk) return status;
    in = memory;
  }
  const DeviceStatus status = layer_->blocks(
      channel->stream, w.cipher, w.keys, w.device_operation(), at == 0 ? w.before : nullptr, in,
      job->reaches(job->to) ? w.out + at : memory, job->count(n));
  if (status != DeviceStatus::kOk) return status;
  job->begun[half] = at;
  job->size[half] = n;
  job->begin += n;
  return status;
}

// For a device that can copy but cannot launch kernels. In place, the last ciphertext block of each
// piece is saved before the piece is overwritten.
DeviceStatus DeviceMemory::blocks_by_cpu(Channel* channel, const Blocks& job) {
  const BlockWork& w = job.work;
  const std::size_t block = w.cipher.block_bytes;
  std::uint8_t last[kMaxBlockBytes];
  DeviceStatus status = DeviceStatus::kOk;
  if (w.chained() && job.begin == 0) {
    std::memcpy(last, w.before, block);
  } else if (w.chained()) {
    status = move(channel, channel->stage, w.in + job.begin - block, job.from, block);
    std::memcpy(last, channel->stage, block);
  }
  for (std::size_t at = job.begin; at < job.end && status == DeviceStatus::kOk; at += kHalf) {
    const std::size_t n = std::min(kHalf, job.end - at);
    status = move(channel, channel->stage, w.in + at, job.from, n);
    if (status != DeviceStatus::kOk) break;
    std::uint8_t next[kMaxBlockBytes];
    std::memcpy(next, channel->stage + n - block, block);
    run_blocks({w.cipher, w.cpu, w.keys, w.operation, w.chained() ? last : nullptr, channel->stage,
                channel->stage, n});
    status = move(channel, w.out + at, channel->stage, job.to, n);
    wipe(channel->stage, n);
    std::memcpy(last, next, block);
  }
  return status;
}

}  // namespace gpuctr::bulk
