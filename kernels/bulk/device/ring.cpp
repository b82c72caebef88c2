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

// Good to a few milliseconds and far cheaper than the exact clock, which 4 KiB updates would feel.
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

// Keeps keystream out of children, and keeps a fork from moving pages that a card writes to.
void keep_from_children(void* memory, std::size_t bytes) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t head = (page - reinterpret_cast<std::uintptr_t>(memory) % page) % page;
  if (bytes < head + page) return;
  static_cast<void>(madvise(static_cast<std::uint8_t*>(memory) + head, (bytes - head) / page * page,
                            MADV_DONTFORK));
}

}  // namespace

GpuStatus Ring::open(const GpuLayer& layer, Cards* cards, std::size_t bytes,
                     std::size_t slot_bytes) {
  layer_ = &layer;
  cards_ = cards;
  slot_bytes_ = slot_bytes;
  const std::size_t least = slot_bytes * cards->count();
  bytes = std::max(bytes / slot_bytes * slot_bytes, least);
  void* memory = nullptr;
  for (;;) {
    GpuStatus status = GpuStatus::kOther;
    if (CardSection section; section) status = layer.pinned_alloc(cards->device(0), bytes, &memory);
    if (status == GpuStatus::kOk) break;
    if (status != GpuStatus::kOutOfMemory || bytes == least) return status;
    bytes = std::max(bytes / 2 / slot_bytes * slot_bytes, least);
  }
  slot_count_ = bytes / slot_bytes;
  slots_.reset(new (std::nothrow) Slot[slot_count_]);
  bool allocated = slots_ != nullptr;
  for (auto& list : free_) allocated = allocated && list.reserve(slot_count_);
  if (!allocated) {
    if (CardSection section; section) layer.pinned_free(memory);
    return GpuStatus::kOutOfMemory;
  }
  keep_from_children(memory, bytes);
  const std::lock_guard<std::mutex> lock(mutex_);
  for (std::size_t i = slot_count_; i-- != 0;) {
    slots_[i].memory = static_cast<std::uint8_t*>(memory) + i * slot_bytes;
    slots_[i].card = static_cast<unsigned>(i % cards->count());
    free_[slots_[i].card].push_back(&slots_[i]);
  }
  return GpuStatus::kOk;
}

// From the card that has most to the one that has least, one at a time.
void Ring::spread() {
  for (;;) {
    Slot* slot = nullptr;
    unsigned most = 0, least = 0;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      for (unsigned card = 1; card < cards_->count(); ++card) {
        if (free_[card].size() > free_[most].size()) most = card;
        if (free_[card].size() < free_[least].size()) least = card;
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

Slot* Ring::take_free(std::size_t spare, std::uint64_t cards) {
  const std::lock_guard<std::mutex> lock(mutex_);
  SlotStack* best = nullptr;
  std::size_t free_now = 0;
  for (unsigned card = 0; card < cards_->count(); ++card) {
    free_now += free_[card].size();
    if ((cards >> card & 1) == 0 || !cards_->alive(card) || free_[card].empty()) continue;
    if (best == nullptr || free_[card].size() > best->size()) best = &free_[card];
  }
  if (free_now <= spare || !cards_->any_alive(cards)) return nullptr;
  if (best != nullptr) {
    Slot* const slot = best->back();
    best->pop_back();
    return slot;
  }
  // Only dropped cards, or those of other engines, have slots left: their memory serves as well.
  for (auto& list : free_) {
    if (list.empty()) continue;
    Slot* const slot = list.back();
    list.pop_back();
    return slot;
  }
  return nullptr;
}

// The busy bit is a try-lock: an owner who is at work keeps the slot.
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

Slot* Ring::take(std::size_t spare, std::uint64_t cards, std::uint64_t* ticket) {
  const CancelDisabled guard;
  Slot* slot = take_free(spare, cards);
  if (slot == nullptr && cards_->any_alive(cards)) {
    slot = take_idle();
    if (slot != nullptr && slot->in_flight) {
      // What a former owner left must have landed before anything else goes there.
      static_cast<void>(wait(slot));
      if (slot->in_flight) slot = nullptr;
    }
  }
  if (slot == nullptr) {
    refused_.fetch_add(1, std::memory_order_relaxed);
    return nullptr;
  }
  const auto usable = [&](unsigned card) {
    return (cards >> card & 1) != 0 && cards_->alive(card);
  };
  if (!usable(slot->card)) {
    unsigned card = slot->card;
    while (!usable(card) && cards_->any_alive(cards)) card = (card + 1) % cards_->count();
    move(slot, card);
  }
  *ticket = next_ticket_.fetch_add(1, std::memory_order_relaxed);
  slot->tag.store(*ticket << 1 | 1, std::memory_order_relaxed);
  return slot;
}

void Ring::give(Slot* slot) {
  const CancelDisabled guard;
  if (slot->in_flight) static_cast<void>(wait(slot));
  // At exit the memory may be gone already.
  if (CardSection section; section) {
    forget(slot);
    wipe(slot->memory, slot->dirty);
  } else {
    return;
  }
  // Still in flight: nobody can say when the card stops writing, so the slot is never used again.
  if (slot->in_flight) return;
  slot->dirty = 0;
  slot->tag.store(0, std::memory_order_release);
  const std::lock_guard<std::mutex> lock(mutex_);
  free_[slot->card].push_back(slot);
}

// Another card is to fill the slot: takes down what it has on the present one.
void Ring::move(Slot* slot, unsigned card) {
  if (CardSection section; section) forget(slot);
  fail(slot, GpuStatus::kOk);
  slot->card = card;
}

// Has the card overwrite what it keeps of the round keys, which stream_wait does.
void Ring::forget(Slot* slot) {
  if (!slot->keyed || slot->stream == nullptr || cards_->lost(slot->card)) return;
  slot->keyed = false;
  const GpuStatus status = layer_->stream_wait(slot->stream);
  if (status == GpuStatus::kContextGone) {
    drop_queue(slot);  // and the keys are gone
  } else if (status != GpuStatus::kOk) {
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

// Reports a failure (kOk: none, the card was dropped by another) and takes the slot's queue down.
GpuStatus Ring::fail(Slot* slot, GpuStatus why) {
  if (why != GpuStatus::kOk) cards_->failed(slot->card, why);
  CardSection section;
  if (!section) return why;
  if (slot->in_flight) {
    // A lost card writes no more, nor does a context that is gone; from any other the queue has to
    // be seen empty.
    const GpuStatus end =
        cards_->lost(slot->card) ? GpuStatus::kDeviceLost : layer_->stream_wait(slot->stream);
    slot->in_flight =
        end != GpuStatus::kOk && end != GpuStatus::kDeviceLost && end != GpuStatus::kContextGone;
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

GpuStatus Ring::prepare(Slot* slot) {
  const int device = cards_->device(slot->card);
  GpuStatus status = GpuStatus::kOk;
  if (slot->stream != nullptr && !layer_->stream_lives(slot->stream)) drop_queue(slot);
  if (slot->stream == nullptr) status = layer_->stream_create(device, &slot->stream);
  if (status == GpuStatus::kOk && slot->event == nullptr) {
    status = layer_->event_create(device, &slot->event);
  }
  return status;
}

// Before and after the layer call of a launch, within one CardSection. `bytes`: of the slot that
// may be written.
GpuStatus Ring::begin_launch(Slot* slot, std::size_t bytes) {
  const GpuStatus status = prepare(slot);
  if (status != GpuStatus::kOk) return status;
  slot->dirty = std::max(slot->dirty, bytes);
  slot->in_flight = true;
  slot->keyed = true;
  return status;
}

GpuStatus Ring::end_launch(Slot* slot, GpuStatus status) {
  if (status == GpuStatus::kOk) status = layer_->event_record(slot->stream, slot->event);
  return status == GpuStatus::kOk ? status : fail(slot, status);
}

GpuStatus Ring::launch(Slot* slot, const CipherSpec& cipher, const RoundKeys& keys,
                       const std::uint8_t* counter, std::size_t bytes) {
  const CancelDisabled guard;
  CardSection section;
  if (!section) return GpuStatus::kOther;
  GpuStatus status = begin_launch(slot, bytes);
  if (status == GpuStatus::kOk) {
    status = layer_->ctr(slot->stream, cipher, keys, counter, nullptr, slot->memory, bytes);
  }
  return end_launch(slot, status);
}

GpuStatus Ring::launch(Slot* slot, const CipherSpec& cipher, const GpuSegment* segments,
                       std::size_t count, std::size_t bytes) {
  const CancelDisabled guard;
  CardSection section;
  if (!section) return GpuStatus::kOther;
  GpuStatus status = begin_launch(slot, bytes);
  if (status == GpuStatus::kOk) {
    status = layer_->ctr_batch(slot->stream, cipher, segments, count, nullptr, slot->memory);
  }
  return end_launch(slot, status);
}

GpuStatus Ring::launch(Slot* slot, const CipherSpec& cipher, const RoundKeys& keys, GpuVerb verb,
                       const std::uint8_t* in, std::size_t bytes) {
  const CancelDisabled guard;
  CardSection section;
  if (!section) return GpuStatus::kOther;
  GpuStatus status = begin_launch(slot, bytes);
  if (status == GpuStatus::kOk) {
    std::memcpy(slot->memory, in, bytes);
    status = layer_->blocks(slot->stream, cipher, keys, verb, nullptr, slot->memory, slot->memory,
                            bytes / cipher.block_bytes);
  }
  return end_launch(slot, status);
}

GpuStatus Ring::poll(Slot* slot) { return landed(slot, layer_->event_query); }

GpuStatus Ring::wait(Slot* slot) { return landed(slot, layer_->event_wait); }

// Whether the launch has ended, as `ask` says.
GpuStatus Ring::landed(Slot* slot, GpuStatus (*ask)(GpuEvent*)) {
  const CancelDisabled guard;
  CardSection section;
  if (!section || slot->event == nullptr) return GpuStatus::kOther;
  const GpuStatus status = cards_->lost(slot->card) ? GpuStatus::kDeviceLost : ask(slot->event);
  if (status == GpuStatus::kNotReady) return status;
  if (status != GpuStatus::kOk) return fail(slot, status);
  slot->in_flight = false;
  return status;
}

}  // namespace gpuctr::bulk
