// The ring: pinned host memory of the process in equal slots, each with its own queue on a device.
//
// A slot is the unit of a device's work: a kernel writes keystream into the slot, and the CPU reads
// it there. Large jobs hold slots while they run. A read-ahead window is one slot. Its context
// marks the slot busy only during a call, so that other contexts can take over an idle slot. Any
// thread. Only the thread that marked a slot busy may use it.
#ifndef GPUCTR_KERNELS_BULK_DEVICE_RING_H
#define GPUCTR_KERNELS_BULK_DEVICE_RING_H

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <new>

#include "kernels/bulk/device/devices.h"
#include "kernels/gpu/layer.h"

namespace gpuctr::bulk {

struct Slot {
  std::uint8_t* memory = nullptr;
  unsigned device = 0;
  // The members below belong to the thread that marked the slot busy.
  DeviceStream* stream = nullptr;  // made at first use
  DeviceEvent* event = nullptr;
  bool in_flight = false;  // the device may still write to memory
  bool keyed = false;      // the device may hold a copy of round keys
  std::size_t dirty = 0;   // bytes from the start that may hold keystream
  // 0 if free. Otherwise twice the owner's ticket, plus one while busy.
  std::atomic<std::uint64_t> tag{0};
  std::atomic<std::uint64_t> used_at{0};  // milliseconds, as now_ms()
};

// Free slots, last in, first out. One thread at a time.
class SlotStack {
 public:
  // Reserves room for this many slots; called once. False: no memory. (A std::vector would throw.)
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
  // A slot that has been idle for this many milliseconds may be taken over.
  static constexpr std::uint64_t kIdle = 100;

  // Called once, by one thread. If memory is short, halves the size, down to one slot a device.
  DeviceStatus open(const DeviceLayer& layer, Devices* devices, std::size_t bytes,
                    std::size_t slot_bytes);

  std::size_t slot_bytes() const { return slot_bytes_; }
  std::size_t slot_count() const { return slot_count_; }

  // Called after more devices were opened: shares the free slots out among all devices.
  void spread();

  // A busy slot for the caller, on the device of `devices` with the most free slots. nullptr if
  // fewer than `spare` slots would be left, or if no slot is free and none is idle. Never waits for
  // a slot.
  Slot* take(std::size_t spare, std::uint64_t devices, std::uint64_t* ticket);
  // Waits for the device, wipes the slot and frees it. The caller has marked the slot busy.
  void give(Slot* slot);

  // Marks an idle slot busy again for its owner. False: another context has taken the slot over.
  bool hold(Slot* slot, std::uint64_t ticket);
  void idle(Slot* slot, std::uint64_t ticket);

  // How often take() had to refuse. If it grows, contexts that hold slots for long should give them
  // up.
  std::uint64_t refused() const { return refused_.load(std::memory_order_relaxed); }

  // Starts keystream into a busy slot, from the slot's start. Asynchronous. Once the process is
  // leaving, returns kOther without a layer call.
  DeviceStatus launch(Slot* slot, const CipherSpec& cipher, const RoundKeys& keys,
                      const std::uint8_t* counter, std::size_t bytes);
  DeviceStatus launch(Slot* slot, const CipherSpec& cipher, const DeviceSegment* segments,
                      std::size_t count, std::size_t bytes);
  // Copies whole blocks from ordinary memory into a busy slot and encrypts or decrypts them there.
  // With `first` the blocks are *first and then those from `in` on. Asynchronous, like the launch
  // above.
  DeviceStatus launch(Slot* slot, const CipherSpec& cipher, const RoundKeys& keys,
                      DeviceOperation operation, const std::uint8_t* first, const std::uint8_t* in,
                      std::size_t bytes);
  // Whether the launch has ended: kOk, kNotReady or its failure. After a failure nothing in the
  // slot may be used; poll() has reported the failure to Devices.
  DeviceStatus poll(Slot* slot);
  DeviceStatus wait(Slot* slot);

 private:
  Slot* take_free(std::size_t spare, std::uint64_t devices);
  Slot* take_idle();
  void move(Slot* slot, unsigned device);
  DeviceStatus prepare(Slot* slot);
  void drop_queue(Slot* slot);
  void forget(Slot* slot);
  DeviceStatus begin_launch(Slot* slot, std::size_t bytes);
  DeviceStatus end_launch(Slot* slot, DeviceStatus status);
  DeviceStatus landed(Slot* slot, DeviceStatus (*ask)(DeviceEvent*));
  DeviceStatus fail(Slot* slot, DeviceStatus why);

  const DeviceLayer* layer_ = nullptr;
  Devices* devices_ = nullptr;
  std::size_t slot_bytes_ = 0;
  std::size_t slot_count_ = 0;
  std::unique_ptr<Slot[]> slots_;
  std::atomic<std::uint64_t> next_ticket_{1};
  std::atomic<std::uint64_t> refused_{0};
  std::mutex mutex_;
  SlotStack free_[kMaxDevices];  // guarded by mutex_
};

}  // namespace gpuctr::bulk

#endif
