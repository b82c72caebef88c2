// The ring: pinned host memory of the process in equal slots, each with its own queue on a card.
//
// A slot is the unit of everything a card does: keystream is made straight into it, the CPU takes
// it from there. Large jobs hold slots while they run; a read-ahead window is one slot, which its
// context marks busy only during a call, so that a slot left idle can be taken over by others.
#ifndef GPUCTR_KERNELS_BULK_DEVICE_RING_H
#define GPUCTR_KERNELS_BULK_DEVICE_RING_H

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <new>

#include "kernels/bulk/device/cards.h"
#include "kernels/gpu/layer.h"

namespace gpuctr::bulk {

struct Slot {
  std::uint8_t* memory = nullptr;
  unsigned card = 0;
  // Below: only for whoever has the slot busy.
  GpuStream* stream = nullptr;  // made at first use
  GpuEvent* event = nullptr;
  bool in_flight = false;  // the card may still write to memory
  bool keyed = false;      // round keys have gone to the card since it was last told to forget
  std::size_t dirty = 0;   // bytes from the start that may hold keystream
  // 0 when free, else the owner's ticket times two, plus one while busy.
  std::atomic<std::uint64_t> tag{0};
  std::atomic<std::uint64_t> used_at{0};  // milliseconds
};

// Slots last in, first out. One thread at a time.
class SlotStack {
 public:
  // Room for so many, once. False: no memory. (A std::vector would throw.)
  bool reserve(std::size_t slots) {
    slots_.reset(new (std::nothrow) Slot*[slots]);
    return slots_ != nullptr;
  }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  Slot* back() const { return slots_[size_ - 1]; }
  void push_back(Slot* slot) { slots_[size_++] = slot; }
  void pop_back() { --size_; }

 private:
  std::unique_ptr<Slot*[]> slots_;
  std::size_t size_ = 0;
};

class Ring {
 public:
  // Idle for this long, a slot may be taken over. Milliseconds.
  static constexpr std::uint64_t kIdle = 100;

  // Once, by one thread. Halves the size while memory is short, down to one slot a card.
  GpuStatus open(const GpuLayer& layer, Cards* cards, std::size_t bytes, std::size_t slot_bytes);

  std::size_t slot_bytes() const { return slot_bytes_; }
  std::size_t slot_count() const { return slot_count_; }

  // After more cards were opened: each gets its part of the free slots.
  void spread();

  // A slot for the caller, busy, on the one of `cards` with the most free ones; nullptr when fewer
  // than `spare` would be left, or none is free and none is idle. Never waits for a slot.
  Slot* take(std::size_t spare, std::uint64_t cards, std::uint64_t* ticket);
  // Waits for the card, wipes, and frees the slot. The caller has it busy.
  void give(Slot* slot);

  // The owner of an idle slot wants it again: false when it was taken over meanwhile.
  bool hold(Slot* slot, std::uint64_t ticket);
  void idle(Slot* slot, std::uint64_t ticket);

  // How often take() had to refuse: a sign to long holders that others wait.
  std::uint64_t refused() const { return refused_.load(std::memory_order_relaxed); }

  // Keystream into a busy slot, from its start. Asynchronous. kOther without a layer call once the
  // process is leaving.
  GpuStatus launch(Slot* slot, const CipherSpec& cipher, const RoundKeys& keys,
                   const std::uint8_t* counter, std::size_t bytes);
  GpuStatus launch(Slot* slot, const CipherSpec& cipher, const GpuSegment* segments,
                   std::size_t count, std::size_t bytes);
  // Copies whole blocks from ordinary memory into a busy slot and has them encrypted or decrypted
  // there. Likewise.
  GpuStatus launch(Slot* slot, const CipherSpec& cipher, const RoundKeys& keys, GpuVerb verb,
                   const std::uint8_t* in, std::size_t bytes);
  // Whether what was launched is there: kOk, kNotReady or the failure, after which nothing in the
  // slot may be used. A failure has been reported to Cards.
  GpuStatus poll(Slot* slot);
  GpuStatus wait(Slot* slot);

 private:
  Slot* take_free(std::size_t spare, std::uint64_t cards);
  Slot* take_idle();
  void move(Slot* slot, unsigned card);
  GpuStatus prepare(Slot* slot);
  void drop_queue(Slot* slot);
  void forget(Slot* slot);
  GpuStatus begin_launch(Slot* slot, std::size_t bytes);
  GpuStatus end_launch(Slot* slot, GpuStatus status);
  GpuStatus landed(Slot* slot, GpuStatus (*ask)(GpuEvent*));
  GpuStatus fail(Slot* slot, GpuStatus why);

  const GpuLayer* layer_ = nullptr;
  Cards* cards_ = nullptr;
  std::size_t slot_bytes_ = 0;
  std::size_t slot_count_ = 0;
  std::unique_ptr<Slot[]> slots_;
  std::atomic<std::uint64_t> next_ticket_{1};
  std::atomic<std::uint64_t> refused_{0};
  std::mutex mutex_;
  SlotStack free_[kMaxCards];  // guarded by mutex_
};

}  // namespace gpuctr::bulk

#endif
