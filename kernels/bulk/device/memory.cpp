#include "kernels/bulk/device/memory.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>

#include "kernels/base/wipe.h"
#include "kernels/bulk/base/process_state.h"
#include "kernels/bulk/base/threads.h"
#include "kernels/bulk/device/transfer.h"

namespace gpuctr::bulk {

Place DeviceMemory::place(const void* pointer) const {
  Place place;
  if (pointer == nullptr) return place;
  const CancelDisabled guard;
  if (DeviceSection section; section) place.kind = layer_->pointer_kind(pointer, &place.device);
  return place;
}

DeviceMemory::Channel* DeviceMemory::acquire(int device) {
  if (device < 0 || static_cast<unsigned>(device) >= kDevices) return nullptr;
  std::unique_lock<std::mutex> lock(mutex_);
  for (;;) {
    for (Channel& channel : channels_[device]) {
      if (channel.busy) continue;
      channel.busy = true;
      return &channel;
    }
    wait_for_change(&freed_, &lock);
  }
}

void DeviceMemory::release(Channel* channel, bool healthy) {
  if (!healthy) {
    // Abandons the staging memory, because the device may still write to it. It is wiped once the
    // device's queue is empty.
    DeviceSection section;
    if (section) {
      drop_scratch(channel);
      if (channel->stream != nullptr) {
        static_cast<void>(layer_->stream_wait(channel->stream));
        drop_arena(channel);
      }
      if (channel->stage != nullptr) wipe(channel->stage, kStage);
      drop_queue(channel);
    }
    channel->stream = nullptr;
    channel->stage = nullptr;
    channel->scratch = nullptr;
    channel->arena = nullptr;
    channel->arena_bytes = 0;
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  channel->busy = false;
  freed_.notify_one();
}

void DeviceMemory::drop_queue(Channel* channel) {
  for (DeviceEvent*& event : channel->event) {
    if (event != nullptr) layer_->event_destroy(event);
    event = nullptr;
  }
  if (channel->stream != nullptr) layer_->stream_destroy(channel->stream);
  channel->stream = nullptr;
}

DeviceStatus DeviceMemory::prepare(Channel* channel, int device, bool staging) {
  DeviceStatus status = DeviceStatus::kOk;
  channel->device = device;
  if (channel->stream != nullptr && !layer_->stream_lives(channel->stream)) {
    channel->scratch = nullptr;  // freed with the stream
    channel->arena = nullptr;
    channel->arena_bytes = 0;
    drop_queue(channel);
  }
  if (channel->stream == nullptr) status = layer_->stream_create(device, &channel->stream);
  for (DeviceEvent*& event : channel->event) {
    if (status == DeviceStatus::kOk && event == nullptr)
      status = layer_->event_create(device, &event);
  }
  if (status == DeviceStatus::kOk && staging && channel->stage == nullptr) {
    void* memory = nullptr;
    status = layer_->pinned_alloc(device, kStage, &memory);
    channel->stage = static_cast<std::uint8_t*>(memory);
  }
  return status;
}

DeviceStatus DeviceMemory::ctr(const CipherSpec& cipher, const CipherOps& cpu,
                               const RoundKeys& keys, const std::uint8_t* counter, std::size_t skip,
                               const std::uint8_t* in, std::uint8_t* out, std::size_t n) {
  const CancelDisabled guard;
  Stream job(cipher, cpu, keys, counter, in, out, n, place(in), place(out));
  DeviceSection section;
  if (!section) return DeviceStatus::kOther;
  Channel* const channel = acquire(job.device);
  if (channel == nullptr) return DeviceStatus::kNoDevice;

  const bool whole = (in == nullptr || job.reaches(job.from)) && job.reaches(job.to);
  const bool takes = layer_->takes(cipher);
  DeviceStatus status = prepare(channel, job.device, !whole || !takes || skip != 0);
  if (status == DeviceStatus::kOk && skip != 0) {
    Stream head = job;
    head.bytes = std::min(n, cipher.block_bytes - skip);
    status = by_cpu(channel, head, skip);
    if (in != nullptr) job.in += head.bytes;
    job.out += head.bytes;
    job.bytes -= head.bytes;
    counter_add(job.counter, cipher.block_bytes, 1);
  }
  if (status == DeviceStatus::kOk && job.bytes != 0) {
    status = !takes  ? by_cpu(channel, job, 0)
             : whole ? direct(channel, job)
                     : staged(channel, &job);
  }
  release(channel, status == DeviceStatus::kOk);
  return status;
}

// A kernel that never started leaves the data unchanged, so the CPU can still do the work: the data
// crosses the link twice. After any other failure the data is lost with the device.
DeviceStatus DeviceMemory::launch(Channel* channel, const Stream& job) {
  const DeviceStatus status =
      layer_->ctr(channel->stream, job.cipher, job.keys, job.counter, job.in, job.out, job.bytes);
  if (status == DeviceStatus::kOk || status == DeviceStatus::kDeviceLost) return status;
  if (prepare(channel, job.device, true) != DeviceStatus::kOk) return status;
  return by_cpu(channel, job, 0);
}

DeviceStatus DeviceMemory::direct(Channel* channel, const Stream& job) {
  const DeviceStatus status = launch(channel, job);
  return status == DeviceStatus::kOk ? layer_->stream_wait(channel->stream) : status;
}

// Two halves of staging memory take turns: while the device works on one, this thread copies the
// other in or out.
DeviceStatus DeviceMemory::staged(Channel* channel, Stream* job) {
  DeviceStatus status = DeviceStatus::kOk;
  unsigned half = 0;
  for (std::size_t at = 0; at < job->bytes && status == DeviceStatus::kOk; half ^= 1) {
    status = collect(channel, half, job, job->out);
    if (status != DeviceStatus::kOk) break;
    std::uint8_t* const memory = channel->half(half);
    const std::size_t n = std::min(kHalf, job->bytes - at);
    const std::uint8_t* in = job->in == nullptr ? nullptr : job->in + at;
    if (in != nullptr && !job->reaches(job->from)) {
      status = stage(channel, *job, memory, in, n);
      in = memory;
    }
    std::uint8_t counter[kMaxBlockBytes];
    job->counter_at(at, counter);
    std::uint8_t* const out = job->reaches(job->to) ? job->out + at : memory;
    if (status == DeviceStatus::kOk) {
      status = layer_->ctr(channel->stream, job->cipher, job->keys, counter, in, out, n);
    }
    if (status == DeviceStatus::kOk) {
      status = layer_->event_record(channel->stream, channel->event[half]);
    }
    job->begun[half] = at;
    job->size[half] = n;
    at += n;
  }
  if (status == DeviceStatus::kOk) status = collect_both(channel, half, job, job->out);
  if (status == DeviceStatus::kOk) {
    wipe(channel->stage, std::min(kStage, job->bytes + kHalf + 2 * kHead));
  }
  return status;
}

// Copies input that the device cannot reach into staging memory.
DeviceStatus DeviceMemory::stage(Channel* channel, const Transfer& transfer, std::uint8_t* to,
                                 const std::uint8_t* from, std::size_t n) {
  if (transfer.from.kind != PointerKind::kHost) {
    return layer_->copy(channel->stream, to, from, n);
  }
  std::memcpy(to, from, n);
  return DeviceStatus::kOk;
}

// Waits for a half of staging memory. If the device cannot reach the job's output, copies the half
// to `out`.
DeviceStatus DeviceMemory::collect(Channel* channel, unsigned half, Transfer* transfer,
                                   std::uint8_t* out) {
  const std::size_t n = transfer->size[half];
  transfer->size[half] = 0;
  if (n == 0) return DeviceStatus::kOk;
  const DeviceStatus status = layer_->event_wait(channel->event[half]);
  if (status == DeviceStatus::kOk && !transfer->reaches(transfer->to)) {
    std::memcpy(out + transfer->begun[half], channel->half(half), n);
  }
  return status;
}

// `half` is the older half.
DeviceStatus DeviceMemory::collect_both(Channel* channel, unsigned half, Transfer* transfer,
                                        std::uint8_t* out) {
  const DeviceStatus status = collect(channel, half, transfer, out);
  return status == DeviceStatus::kOk ? collect(channel, half ^ 1, transfer, out) : status;
}

DeviceStatus DeviceMemory::move(Channel* channel, void* to, const void* from, Place other,
                                std::size_t n) {
  if (other.kind != PointerKind::kDevice) {
    std::memcpy(to, from, n);
    return DeviceStatus::kOk;
  }
  const DeviceStatus status = layer_->copy(channel->stream, to, from, n);
  return status == DeviceStatus::kOk ? layer_->stream_wait(channel->stream) : status;
}

// For a start within a block, and for a device that can copy but cannot launch kernels.
DeviceStatus DeviceMemory::by_cpu(Channel* channel, const Stream& job, std::size_t skip) {
  DeviceStatus status = DeviceStatus::kOk;
  std::uint8_t* const stage = channel->stage;
  for (std::size_t at = 0; at < job.bytes && status == DeviceStatus::kOk; at += kHalf) {
    const std::size_t n = std::min(kHalf, job.bytes - at);
    if (job.in != nullptr) {
      status = move(channel, stage + skip, job.in + at, job.from, n);
    } else {
      std::memset(stage + skip, 0, n);
    }
    if (status != DeviceStatus::kOk) break;
    std::memset(stage, 0, skip);
    std::uint8_t counter[kMaxBlockBytes];
    job.counter_at(at, counter);
    job.cpu.ctr(job.keys, counter, stage, stage, skip + n);
    status = move(channel, job.out + at, stage + skip, job.to, n);
    wipe(stage, skip + n);
  }
  return status;
}

DeviceStatus DeviceMemory::ctr_batch(const CipherSpec& cipher, const CipherOps& cpu,
                                     const BulkSegment* segments, std::size_t count) {
  const CancelDisabled guard;
  bool keystream = true;
  for (std::size_t i = 0; i < count; ++i) keystream = keystream && segments[i].in == nullptr;
  if (keystream && count > 1 && layer_->takes(cipher)) {
    DeviceSection section;
    if (!section) return DeviceStatus::kOther;
    const int device = place(segments[0].out).device;
    Channel* const channel = acquire(device);
    if (channel == nullptr) return DeviceStatus::kNoDevice;
    DeviceStatus status = prepare(channel, device, false);
    if (status == DeviceStatus::kOk) status = batch(channel, cipher, segments, count);
    release(channel, status == DeviceStatus::kOk);
    if (status == DeviceStatus::kOk || status == DeviceStatus::kDeviceLost) return status;
    // Without input the keystream can be made again from the start.
  }
  for (std::size_t i = 0; i < count; ++i) {
    const BulkSegment& s = segments[i];
    if (s.bytes == 0) continue;
    const SegmentKeys keys(cipher, s.keys, s.key);
    const DeviceStatus status = ctr(cipher, cpu, *keys, s.counter, 0, s.in, s.out, s.bytes);
    if (status != DeviceStatus::kOk) return status;
  }
  return DeviceStatus::kOk;
}

DeviceStatus DeviceMemory::batch(Channel* channel, const CipherSpec& cipher,
                                 const BulkSegment* segments, std::size_t count) {
  constexpr std::size_t kAtOnce = 1024;
  const std::unique_ptr<DeviceSegment[]> list(new (std::nothrow) DeviceSegment[kAtOnce]);
  if (list == nullptr) return DeviceStatus::kOutOfMemory;
  for (std::size_t done = 0; done < count;) {
    std::size_t n = 0;
    std::uint8_t* base = segments[done].out;
    const std::size_t end = std::min(count, done + kAtOnce);
    for (std::size_t i = done; i < end; ++i) base = std::min(base, segments[i].out);
    for (; done < end; ++done) {
      const BulkSegment& s = segments[done];
      if (s.bytes == 0) continue;
      DeviceSegment& g = list[n++];
      g.keys = s.keys;
      g.key = s.key;
      std::memcpy(g.counter, s.counter, sizeof g.counter);
      g.offset = static_cast<std::size_t>(s.out - base);
      g.bytes = s.bytes;
    }
    if (n == 0) continue;
    const DeviceStatus status =
        layer_->ctr_batch(channel->stream, cipher, list.get(), n, nullptr, base);
    if (status != DeviceStatus::kOk) return status;
  }
  return layer_->stream_wait(channel->stream);
}

}  // namespace gpuctr::bulk
