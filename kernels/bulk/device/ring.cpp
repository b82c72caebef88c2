#include "kernels/bulk/device/ring.h"

#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <new>

#include "kernels/base/wipe.h"
#include "kernels/bulk/base/process_state.h"
#include "kernels/bulk/base/threads.h"

namespace gpuctr::bulk {
namespace {

// Accurate to a few milliseconds. The exact clock would slow updates of 4 KiB measurably.
std::uint64_t now_ms() {
  timespec t;
#ifdef CLOCK_MONOTONIC_COARSE
  clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
#else
  clock_gettime(CLOCK_MONOTONIC, &t);
#endif
  return static_cast<std::uint64_t>(t.tv_sec) * 1000 +
         static_cast<std::uint64_t>(t.tv_nsec) / 1000000;
}

// Children do not inherit the memory: they get no keystream, and a fork does not move pages that a
// device writes to.
void keep_from_children(void* memory, std::size_t bytes) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t head = (page - reinterpret_cast<std::uintptr_t>(memory) % page) % page;
  if (bytes < head + page) return;
  static_cast<void>(madvise(static_cast<std::uint8_t*>(memory) + head, (bytes - head) / page * page,
                            MADV_DONTFORK));
}

}  // namespace

DeviceStatus Ring::open(const DeviceLayer& layer, Devices* devices, std::size_t bytes,
                        std::size_t slot_bytes) {
  layer_ = &layer;
  devices_ = devices;
  slot_bytes_ = slot_bytes;
  const std::size_t least = slot_bytes * devices->count();
  bytes = std::max(bytes / slot_bytes * slot_bytes, least);
  void* memory = nullptr;
  for (;;) {
    DeviceStatus status = DeviceStatus::kOther;
    if (DeviceSection section; section)
      status = layer.pinned_alloc(devices->ordinal(0), bytes, &memory);
    if (status == DeviceStatus::kOk) break;
    if (status != DeviceStatus::kOutOfMemory || bytes == least) return status;
    bytes = std::max(bytes / 2 / slot_bytes * slot_bytes, least);
  }
  slot_count_ = bytes / slot_bytes;
  slots_.reset(new (std::nothrow) Slot[slot_count_]);
  bool allocated = slots_ != nullptr;
  for (auto& list : free_) allocated = allocated && list.reserve(slot_count_);
  if (!allocated) {
    if (DeviceSection section; section) layer.pinned_free(memory);
    return DeviceStatus::kOutOfMemory;
  }
  keep_from_children(memory, bytes);
  const std::lock_guard<std::mutex> lock(mutex_);
  for (std::size_t i = slot_count_; i-- != 0;) {
    slots_[i].memory = static_cast<std::uint8_t*>(memory) + i * slot_bytes;
    slots_[i].device = static_cast<unsigned>(i % devices->count());
    free_[slots_[i].device].push_back(&slots_[i]);
  }
  return DeviceStatus::kOk;
}

// Moves free slots, one at a time, from the device that has most to the device that has least.
void Ring::spread() {
  for (;;) {
    Slot* slot = nullptr;
    unsigned most = 0, least = 0;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      for (unsigned device = 1; device < devices_->count(); ++device) {
        if (free_[device].size() > free_[most].size()) most = device;
        if (free_[device].size() < free_[least].size()) least = device;
      }
      if (free_[most].size() < free_[least].size() + 2) return;
      slot = free_[most].back();
      free_[most].pop_back();
    }
    move(slot, least);
    const std::lock_guard<std::mutex> lock(mutex_);
    free_[least].push_back(slot);
  }
}

Slot* Ring::take_free(std::size_t spare, std::uint64_t devices) {
  const std::lock_guard<std::mutex> lock(mutex_);
  SlotStack* best = nullptr;
  std::size_t free_now = 0;
  for (unsigned device = 0; device < devices_->count(); ++device) {
    free_now += free_[device].size();
    if ((devices >> device & 1) == 0 || !devices_->alive(device) || free_[device].empty()) continue;
    if (best == nullptr || free_[device].size() > best->size()) best = &free_[device];
  }
  if (free_now <= spare || !devices_->any_alive(devices)) return nullptr;
  if (best != nullptr) {
    Slot* const slot = best->back();
    best->pop_back();
    return slot;
  }
  // If only dropped devices, or devices of other engines, have free slots, their slots are used.
  for (auto& list : free_) {
    if (list.empty()) continue;
    Slot* const slot = list.back();
    list.pop_back();
    return slot;
  }
  return nullptr;
}

// The busy bit is a try-lock: a slot whose owner is using it is not taken.
Slot* Ring::take_idle() {
  const std::uint64_t now = now_ms();
  for (std::size_t i = 0; i < slot_count_; ++i) {
    Slot& slot = slots_[i];
    std::uint64_t tag = slot.tag.load(std::memory_order_relaxed);
    if (tag == 0 || (tag & 1) != 0) continue;
    if (now < slot.used_at.load(std::memory_order_relaxed) + kIdle) continue;
    if (slot.tag.compare_exchange_strong(tag, 1, std::memory_order_acquire)) return &slot;
  }
  return nullptr;
}

Slot* Ring::take(std::size_t spare, std::uint64_t devices, std::uint64_t* ticket) {
  const CancelDisabled guard;
  Slot* slot = take_free(spare, devices);
  if (slot == nullptr && devices_->any_alive(devices)) {
    slot = take_idle();
    if (slot != nullptr && slot->in_flight) {
      // The former owner's launch must have ended before the slot is filled again.
      static_cast<void>(wait(slot));
      if (slot->in_flight) slot = nullptr;
    }
  }
  if (slot == nullptr) {
    refused_.fetch_add(1, std::memory_order_relaxed);
    return nullptr;
  }
  const auto usable = [&](unsigned device) {
    return (devices >> device & 1) != 0 && devices_->alive(device);
  };
  if (!usable(slot->device)) {
    unsigned device = slot->device;
    while (!usable(device) && devices_->any_alive(devices))
      device = (device + 1) % devices_->count();
    move(slot, device);
  }
  *ticket = next_ticket_.fetch_add(1, std::memory_order_relaxed);
  slot->tag.store(*ticket << 1 | 1, std::memory_order_relaxed);
  return slot;
}

void Ring::give(Slot* slot) {
  const CancelDisabled guard;
  if (slot->in_flight) static_cast<void>(wait(slot));
  // At exit the memory may already be gone.
  if (DeviceSection section; section) {
    forget(slot);
    wipe(slot->memory, slot->dirty);
  } else {
    return;
  }
  // The launch has not ended, and the time of the device's last write is unknown, so the slot is
  // never used again.
  if (slot->in_flight) return;
  slot->dirty = 0;
  slot->tag.store(0, std::memory_order_release);
  const std::lock_guard<std::mutex> lock(mutex_);
  free_[slot->device].push_back(slot);
}

// Prepares the slot for another device: destroys the queue on its present device.
void Ring::move(Slot* slot, unsigned device) {
  if (DeviceSection section; section) forget(slot);
  fail(slot, DeviceStatus::kOk);
  slot->device = device;
}

// Has the device overwrite its copy of the round keys; stream_wait() does this.
void Ring::forget(Slot* slot) {
  if (!slot->keyed || slot->stream == nullptr || devices_->lost(slot->device)) return;
  slot->keyed = false;
  const DeviceStatus status = layer_->stream_wait(slot->stream);
  if (status == DeviceStatus::kContextGone) {
    drop_queue(slot);  // the keys are freed with the queue
  } else if (status != DeviceStatus::kOk) {
    fail(slot, status);
  }
}

bool Ring::hold(Slot* slot, std::uint64_t ticket) {
  std::uint64_t tag = ticket << 1;
  return slot->tag.compare_exchange_strong(tag, tag | 1, std::memory_order_acquire);
}

void Ring::idle(Slot* slot, std::uint64_t ticket) {
  slot->used_at.store(now_ms(), std::memory_order_relaxed);
  slot->tag.store(ticket << 1, std::memory_order_release);
}

// Reports a failure (kOk: none, another thread dropped the device) and destroys the slot's queue.
DeviceStatus Ring::fail(Slot* slot, DeviceStatus why) {
  if (why != DeviceStatus::kOk) devices_->failed(slot->device, why);
  DeviceSection section;
  if (!section) return why;
  if (slot->in_flight) {
    // A lost device no longer writes, nor does a destroyed context. The queue of any other device
    // must be empty first.
    const DeviceStatus end = devices_->lost(slot->device) ? DeviceStatus::kDeviceLost
                                                          : layer_->stream_wait(slot->stream);
    slot->in_flight = end != DeviceStatus::kOk && end != DeviceStatus::kDeviceLost &&
                      end != DeviceStatus::kContextGone;
  }
  drop_queue(slot);
  return why;
}

void Ring::drop_queue(Slot* slot) {
  slot->keyed = false;
  if (slot->event != nullptr) layer_->event_destroy(slot->event);
  if (slot->stream != nullptr) layer_->stream_destroy(slot->stream);
  slot->event = nullptr;
  slot->stream = nullptr;
}

DeviceStatus Ring::prepare(Slot* slot) {
  const int ordinal = devices_->ordinal(slot->device);
  DeviceStatus status = DeviceStatus::kOk;
  if (slot->stream != nullptr && !layer_->stream_lives(slot->stream)) drop_queue(slot);
  if (slot->stream == nullptr) status = layer_->stream_create(ordinal, &slot->stream);
  if (status == DeviceStatus::kOk && slot->event == nullptr) {
    status = layer_->event_create(ordinal, &slot->event);
  }
  return status;
}

// The steps before and after the layer call of a launch, within one DeviceSection. `bytes`: how
// much of the slot the launch may write.
DeviceStatus Ring::begin_launch(Slot* slot, std::size_t bytes) {
  const DeviceStatus status = prepare(slot);
  if (status != DeviceStatus::kOk) return status;
  slot->dirty = std::max(slot->dirty, bytes);
  slot->in_flight = true;
  slot->keyed = true;
  return status;
}

DeviceStatus Ring::end_launch(Slot* slot, DeviceStatus status) {
  if (status == DeviceStatus::kOk) status = layer_->event_record(slot->stream, slot->event);
  return status == DeviceStatus::kOk ? status : fail(slot, status);
}

DeviceStatus Ring::launch(Slot* slot, const CipherSpec& cipher, const RoundKeys& keys,
                          const std::uint8_t* counter, std::size_t bytes) {
  const CancelDisabled guard;
  DeviceSection section;
  if (!section) return DeviceStatus::kOther;
  DeviceStatus status = begin_launch(slot, bytes);
  if (status == DeviceStatus::kOk) {
    status = layer_->ctr(slot->stream, cipher, keys, counter, nullptr, slot->memory, bytes);
  }
  return end_launch(slot, status);
}

DeviceStatus Ring::launch(Slot* slot, const CipherSpec& cipher, const DeviceSegment* segments,
                          std::size_t count, std::size_t bytes) {
  const CancelDisabled guard;
  DeviceSection section;
  if (!section) return DeviceStatus::kOther;
  DeviceStatus status = begin_launch(slot, bytes);
  if (status == DeviceStatus::kOk) {
    status = layer_->ctr_batch(slot->stream, cipher, segments, count, nullptr, slot->memory);
  }
  return end_launch(slot, status);
}

DeviceStatus Ring::launch(Slot* slot, const CipherSpec& cipher, const RoundKeys& keys,
                          DeviceOperation operation, const std::uint8_t* first,
                          const std::uint8_t* in, std::size_t bytes) {
  const CancelDisabled guard;
  DeviceSection section;
  if (!section) return DeviceStatus::kOther;
  DeviceStatus status = begin_launch(slot, bytes);
  if (status == DeviceStatus::kOk) {
    const std::size_t before = first != nullptr ? cipher.block_bytes : 0;
    if (first != nullptr) std::memcpy(slot->memory, first, before);
    std::memcpy(slot->memory + before, in, bytes - before);
    status = layer_->blocks(slot->stream, cipher, keys, operation, nullptr, slot->memory,
                            slot->memory, bytes / cipher.block_bytes);
  }
  return end_launch(slot, status);
}

DeviceStatus Ring::poll(Slot* slot) { return landed(slot, layer_->event_query); }

DeviceStatus Ring::wait(Slot* slot) { return landed(slot, layer_->event_wait); }

// Whether the launch has ended, according to `ask`.
DeviceStatus Ring::landed(Slot* slot, DeviceStatus (*ask)(DeviceEvent*)) {
  const CancelDisabled guard;
  DeviceSection section;
  if (!section || slot->event == nullptr) return DeviceStatus::kOther;
  const DeviceStatus status =
      devices_->lost(slot->device) ? DeviceStatus::kDeviceLost : ask(slot->event);
  if (status == DeviceStatus::kNotReady) return status;
  if (status != DeviceStatus::kOk) return fail(slot, status);
  slot->in_flight = false;
  return status;
}

}  // namespace gpuctr::bulk
