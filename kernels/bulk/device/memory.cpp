#include "kernels/bulk/device/memory.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>

#include "kernels/base/wipe.h"
#include "kernels/bulk/base/process_state.h"
#include "kernels/bulk/base/threads.h"
#include "kernels/bulk/device/job.h"

namespace gpuctr::bulk {

Place DeviceMemory::place(const void* pointer) const {
  Place place;
  if (pointer == nullptr) return place;
  const CancelDisabled guard;
  if (CardSection section; section) place.kind = layer_->pointer_kind(pointer, &place.device);
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
    // The staging memory is given up, because nobody can say whether the card still writes to it.
    // It is wiped once the card's queue has been waited for.
    CardSection section;
    if (section) {
      drop_scratch(channel);
      if (channel->stream != nullptr) static_cast<void>(layer_->stream_wait(channel->stream));
      if (channel->stage != nullptr) wipe(channel->stage, 2 * kHalf);
      drop_queue(channel);
    }
    channel->stream = nullptr;
    channel->stage = nullptr;
    channel->scratch = nullptr;
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  channel->busy = false;
  freed_.notify_one();
}

void DeviceMemory::drop_queue(Channel* channel) {
  for (GpuEvent*& event : channel->event) {
    if (event != nullptr) layer_->event_destroy(event);
    event = nullptr;
  }
  if (channel->stream != nullptr) layer_->stream_destroy(channel->stream);
  channel->stream = nullptr;
}

GpuStatus DeviceMemory::prepare(Channel* channel, int device, bool staging) {
  GpuStatus status = GpuStatus::kOk;
  channel->device = device;
  if (channel->stream != nullptr && !layer_->stream_lives(channel->stream)) {
    channel->scratch = nullptr;  // gone with the stream
    drop_queue(channel);
  }
  if (channel->stream == nullptr) status = layer_->stream_create(device, &channel->stream);
  for (GpuEvent*& event : channel->event) {
    if (status == GpuStatus::kOk && event == nullptr) status = layer_->event_create(device, &event);
  }
  if (status == GpuStatus::kOk && staging && channel->stage == nullptr) {
    void* memory = nullptr;
    status = layer_->pinned_alloc(device, 2 * kHalf, &memory);
    channel->stage = static_cast<std::uint8_t*>(memory);
  }
  return status;
}

GpuStatus DeviceMemory::ctr(const CipherSpec& cipher, const CipherOps& cpu, const RoundKeys& keys,
                            const std::uint8_t* counter, std::size_t skip, const std::uint8_t* in,
                            std::uint8_t* out, std::size_t n) {
  const CancelDisabled guard;
  Job job{cipher, cpu, keys, {}, in, out, n, place(in), place(out), 0};
  std::memcpy(job.counter, counter, cipher.block_bytes);
  job.device = job.to.kind == GpuPointerKind::kDevice ? job.to.device : job.from.device;
  CardSection section;
  if (!section) return GpuStatus::kOther;
  Channel* const channel = acquire(job.device);
  if (channel == nullptr) return GpuStatus::kNoDevice;

  const bool whole = (in == nullptr || job.reaches(job.from)) && job.reaches(job.to);
  const bool takes = layer_->takes(cipher);
  GpuStatus status = prepare(channel, job.device, !whole || !takes || skip != 0);
  if (status == GpuStatus::kOk && skip != 0) {
    Job head = job;
    head.n = std::min(n, cipher.block_bytes - skip);
    status = by_cpu(channel, head, skip);
    if (in != nullptr) job.in += head.n;
    job.out += head.n;
    job.n -= head.n;
    counter_add(job.counter, cipher.block_bytes, 1);
  }
  if (status == GpuStatus::kOk && job.n != 0) {
    status = !takes ? by_cpu(channel, job, 0) : whole ? direct(channel, job) : staged(channel, job);
  }
  release(channel, status == GpuStatus::kOk);
  return status;
}

// A kernel that never started leaves the data as it was, so the CPU can still do the work: the
// data goes over the link and back. After any other failure the data is lost with the card.
GpuStatus DeviceMemory::launch(Channel* channel, const Job& job) {
  const GpuStatus status =
      layer_->ctr(channel->stream, job.cipher, job.keys, job.counter, job.in, job.out, job.n);
  if (status == GpuStatus::kOk || status == GpuStatus::kDeviceLost) return status;
  if (prepare(channel, job.device, true) != GpuStatus::kOk) return status;
  return by_cpu(channel, job, 0);
}

GpuStatus DeviceMemory::direct(Channel* channel, const Job& job) {
  const GpuStatus status = launch(channel, job);
  return status == GpuStatus::kOk ? layer_->stream_wait(channel->stream) : status;
}

// Two halves of staging memory take turns: while the card works on one, this thread copies the
// other in or out.
GpuStatus DeviceMemory::staged(Channel* channel, const Job& job) {
  GpuStatus status = GpuStatus::kOk;
  std::size_t at = 0;
  std::size_t begun[2] = {};
  std::size_t size[2] = {};
  unsigned half = 0;
  for (; at < job.n && status == GpuStatus::kOk; half ^= 1) {
    status = collect(channel, half, job, begun[half], size[half]);
    if (status != GpuStatus::kOk) break;
    std::uint8_t* const stage = channel->stage + half * kHalf;
    const std::size_t n = std::min(kHalf, job.n - at);
    const std::uint8_t* in = job.in == nullptr ? nullptr : job.in + at;
    if (in != nullptr && !job.reaches(job.from)) {
      if (job.from.kind == GpuPointerKind::kHost) {
        std::memcpy(stage, in, n);
      } else {
        status = layer_->copy(channel->stream, stage, in, n);
      }
      in = stage;
    }
    std::uint8_t counter[kMaxBlockBytes];
    job.counter_at(at, counter);
    std::uint8_t* const out = job.reaches(job.to) ? job.out + at : stage;
    if (status == GpuStatus::kOk) {
      status = layer_->ctr(channel->stream, job.cipher, job.keys, counter, in, out, n);
    }
    if (status == GpuStatus::kOk)
      status = layer_->event_record(channel->stream, channel->event[half]);
    begun[half] = at;
    size[half] = n;
    at += n;
  }
  for (int i = 0; i < 2 && status == GpuStatus::kOk; ++i, half ^= 1) {
    status = collect(channel, half, job, begun[half], size[half]);
    size[half] = 0;
  }
  if (status == GpuStatus::kOk) wipe(channel->stage, std::min(2 * kHalf, job.n + kHalf));
  return status;
}

// Waits for a half and hands its bytes to ordinary memory, where that is the output.
GpuStatus DeviceMemory::collect(Channel* channel, unsigned half, const Job& job, std::size_t at,
                                std::size_t n) {
  if (n == 0) return GpuStatus::kOk;
  const GpuStatus status = layer_->event_wait(channel->event[half]);
  if (status == GpuStatus::kOk && !job.reaches(job.to)) {
    std::memcpy(job.out + at, channel->stage + half * kHalf, n);
  }
  return status;
}

GpuStatus DeviceMemory::fetch(Channel* channel, void* to, const void* from, Place place,
                              std::size_t n) {
  if (place.kind != GpuPointerKind::kDevice) {
    std::memcpy(to, from, n);
    return GpuStatus::kOk;
  }
  const GpuStatus status = layer_->copy(channel->stream, to, from, n);
  return status == GpuStatus::kOk ? layer_->stream_wait(channel->stream) : status;
}

GpuStatus DeviceMemory::store(Channel* channel, void* to, Place place, const void* from,
                              std::size_t n) {
  if (place.kind != GpuPointerKind::kDevice) {
    std::memcpy(to, from, n);
    return GpuStatus::kOk;
  }
  const GpuStatus status = layer_->copy(channel->stream, to, from, n);
  return status == GpuStatus::kOk ? layer_->stream_wait(channel->stream) : status;
}

// For the odd bytes at a start within a block, and where a card takes copies but no kernels.
GpuStatus DeviceMemory::by_cpu(Channel* channel, const Job& job, std::size_t skip) {
  GpuStatus status = GpuStatus::kOk;
  std::uint8_t* const stage = channel->stage;
  for (std::size_t at = 0; at < job.n && status == GpuStatus::kOk; at += kHalf) {
    const std::size_t n = std::min(kHalf, job.n - at);
    if (job.in != nullptr) {
      status = fetch(channel, stage + skip, job.in + at, job.from, n);
    } else {
      std::memset(stage + skip, 0, n);
    }
    if (status != GpuStatus::kOk) break;
    std::memset(stage, 0, skip);
    std::uint8_t counter[kMaxBlockBytes];
    job.counter_at(at, counter);
    job.cpu.ctr(job.keys, counter, stage, stage, skip + n);
    status = store(channel, job.out + at, job.to, stage + skip, n);
    wipe(stage, skip + n);
  }
  return status;
}

GpuStatus DeviceMemory::ctr_batch(const CipherSpec& cipher, const CipherOps& cpu,
                                  const BulkSegment* segments, std::size_t count) {
  const CancelDisabled guard;
  bool keystream = true;
  for (std::size_t i = 0; i < count; ++i) keystream = keystream && segments[i].in == nullptr;
  if (keystream && count > 1 && layer_->takes(cipher)) {
    CardSection section;
    if (!section) return GpuStatus::kOther;
    const int device = place(segments[0].out).device;
    Channel* const channel = acquire(device);
    if (channel == nullptr) return GpuStatus::kNoDevice;
    GpuStatus status = prepare(channel, device, false);
    if (status == GpuStatus::kOk) status = batch(channel, cipher, segments, count);
    release(channel, status == GpuStatus::kOk);
    if (status == GpuStatus::kOk || status == GpuStatus::kDeviceLost) return status;
    // Keystream alone can be made again from the start.
  }
  for (std::size_t i = 0; i < count; ++i) {
    const BulkSegment& s = segments[i];
    if (s.bytes == 0) continue;
    const SegmentKeys keys(cipher, s.keys, s.key);
    const GpuStatus status = ctr(cipher, cpu, *keys, s.counter, 0, s.in, s.out, s.bytes);
    if (status != GpuStatus::kOk) return status;
  }
  return GpuStatus::kOk;
}

GpuStatus DeviceMemory::batch(Channel* channel, const CipherSpec& cipher,
                              const BulkSegment* segments, std::size_t count) {
  constexpr std::size_t kAtOnce = 1024;
  const std::unique_ptr<GpuSegment[]> list(new (std::nothrow) GpuSegment[kAtOnce]);
  if (list == nullptr) return GpuStatus::kOutOfMemory;
  for (std::size_t done = 0; done < count;) {
    std::size_t n = 0;
    std::uint8_t* base = segments[done].out;
    const std::size_t end = std::min(count, done + kAtOnce);
    for (std::size_t i = done; i < end; ++i) base = std::min(base, segments[i].out);
    for (; done < end; ++done) {
      const BulkSegment& s = segments[done];
      if (s.bytes == 0) continue;
      GpuSegment& g = list[n++];
      g.keys = s.keys;
      g.key = s.key;
      std::memcpy(g.counter, s.counter, sizeof g.counter);
      g.offset = static_cast<std::size_t>(s.out - base);
      g.bytes = s.bytes;
    }
    if (n == 0) continue;
    const GpuStatus status =
        layer_->ctr_batch(channel->stream, cipher, list.get(), n, nullptr, base);
    if (status != GpuStatus::kOk) return status;
  }
  return layer_->stream_wait(channel->stream);
}

}  // namespace gpuctr::bulk
