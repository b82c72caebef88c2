#include "kernels/bulk/read_ahead.h"

#include <algorithm>
#include <cstring>

#include "kernels/base/counter.h"
#include "kernels/bulk/base/process_state.h"
#include "kernels/bulk/base/xor.h"
#include "kernels/bulk/job/work_queue.h"

namespace gpuctr::bulk {
namespace {

constexpr std::size_t kFirstWindow = 128u << 10;
// A stream gives its windows up after this many bytes if the ring refused slots to others
// meanwhile.
constexpr std::uint64_t kTurn = 64u << 20;

}  // namespace

ReadAhead::ReadAhead(Shared* shared, Report* report, std::size_t most)
    : shared_(shared),
      report_(report),
      most_(std::max(whole_cuts(std::min(most / 2, shared->ring.slot_bytes())), kCut)),
      grow_(std::min(kFirstWindow, most_)) {}

bool ReadAhead::mine() const {
  return shared_->generation == process_generation() && !process_is_exiting();
}

bool ReadAhead::begin(const CipherSpec& cipher, const RoundKeys& keys,
                      const std::uint8_t* counter) {
  if (!mine() || !shared_->ready()) return false;
  std::memcpy(next_, counter, cipher.block_bytes);
  std::memcpy(end_, counter, cipher.block_bytes);
  current_ = 0;
  grow_ = std::min(kFirstWindow, most_);
  held_bytes_ = 0;
  refused_ = shared_->ring.refused();
  // A quarter of the ring stays free for large jobs.
  const std::size_t spare = shared_->ring.slot_count() / 4;
  for (Window& window : windows_) {
    window = Window{};
    window.slot = shared_->take_slot(spare, &window.ticket);
    const bool filled = window.slot != nullptr && fill(&window, cipher, keys);
    if (window.slot != nullptr) shared_->ring.idle(window.slot, window.ticket);
    if (filled) continue;
    drop();
    return false;
  }
  return true;
}

// Starts the next window of the sequence in a slot that this thread has marked busy.
bool ReadAhead::fill(Window* window, const CipherSpec& cipher, const RoundKeys& keys) {
  window->bytes = grow_;
  window->used = 0;
  window->ready = false;
  const DeviceStatus status = shared_->ring.launch(window->slot, cipher, keys, end_, grow_);
  if (status != DeviceStatus::kOk) {
    if (!process_is_exiting()) report_->fallback(status, "launch");
    return false;
  }
  counter_add(end_, cipher.block_bytes, grow_ / cipher.block_bytes);
  report_->counters.window();
  held_bytes_ += grow_;
  grow_ = std::min(grow_ * 2, most_);
  return true;
}

bool ReadAhead::ready(Window* window, bool* failed) {
  if (window->ready) return true;
  const DeviceStatus status = shared_->ring.poll(window->slot);
  if (status == DeviceStatus::kNotReady) return false;
  window->ready = status == DeviceStatus::kOk;
  *failed = !window->ready;
  if (*failed && !process_is_exiting()) report_->fallback(status, "keystream");
  return window->ready;
}

// False: the window is not ready, or the process is leaving and must not touch the window's memory.
bool ReadAhead::from_window(Window* w, const std::uint8_t* in, std::uint8_t* out, std::size_t n,
                            bool* failed) {
  DeviceSection section;
  if (!section || !ready(w, failed)) return false;
  const std::uint8_t* const keystream = w->slot->memory + w->used;
  xor_keystream(keystream, in, out, n, false);
  fetch_ahead(keystream + n, std::min(n, w->bytes - w->used - n));
  report_->counters.gpu(n);
  return true;
}

bool ReadAhead::use(const CipherSpec& cipher, const CipherOps& cpu, const RoundKeys& keys,
                    const std::uint8_t* counter, const std::uint8_t* in, std::uint8_t* out,
                    std::size_t n, bool* by_device) {
  std::uint8_t block[kMaxBlockBytes];
  std::memcpy(block, counter, cipher.block_bytes);
  std::memcpy(next_, counter, cipher.block_bytes);
  counter_add(next_, cipher.block_bytes, (n + cipher.block_bytes - 1) / cipher.block_bytes);
  bool good = mine();
  while (n != 0) {
    Window& w = windows_[current_];
    good = good && w.slot != nullptr && shared_->ring.hold(w.slot, w.ticket);
    const std::size_t take = good ? std::min(n, w.bytes - w.used) : n;
    bool failed = false;
    *by_device = good && from_window(&w, in, out, take, &failed);
    if (!*by_device) {
      cpu.ctr(keys, block, in, out, take);
      report_->counters.cpu(take);
    }
    if (good) {
      Slot* const slot = w.slot;
      const std::uint64_t ticket = w.ticket;
      good = !failed && advance(cipher, keys, take);
      shared_->ring.idle(slot, ticket);
    }
    if (in != nullptr) in += take;
    out += take;
    n -= take;
    counter_add(block, cipher.block_bytes, take / cipher.block_bytes);
  }
  if (!good) drop();
  return good;
}

// Moves past n bytes of the current window, whose slot is busy; refills a window that is used up.
bool ReadAhead::advance(const CipherSpec& cipher, const RoundKeys& keys, std::size_t n) {
  Window& w = windows_[current_];
  w.used += (n + cipher.block_bytes - 1) / cipher.block_bytes * cipher.block_bytes;
  if (w.used < w.bytes) return true;
  if (held_bytes_ >= kTurn && shared_->ring.refused() != refused_) return false;
  if (!w.ready) {
    // The CPU made the whole window faster than the device. The slot cannot be launched into before
    // the device is done.
    const DeviceStatus status = shared_->ring.wait(w.slot);
    if (status != DeviceStatus::kOk) {
      if (!process_is_exiting()) report_->fallback(status, "keystream");
      return false;
    }
  }
  if (!fill(&w, cipher, keys)) return false;
  current_ ^= 1;
  return true;
}

bool ReadAhead::skip(const CipherSpec& cipher, const RoundKeys& keys, std::size_t n) {
  counter_add(next_, cipher.block_bytes, n / cipher.block_bytes);
  Window& w = windows_[current_];
  bool good = mine() && w.slot != nullptr && shared_->ring.hold(w.slot, w.ticket);
  if (good) {
    Slot* const slot = w.slot;
    const std::uint64_t ticket = w.ticket;
    good = advance(cipher, keys, n);
    shared_->ring.idle(slot, ticket);
  }
  if (!good) drop();
  return good;
}

void ReadAhead::release(Window* window) {
  if (window->slot != nullptr && mine() && shared_->ring.hold(window->slot, window->ticket)) {
    shared_->ring.give(window->slot);
  }
  *window = Window{};
}

void ReadAhead::drop() {
  for (Window& window : windows_) release(&window);
}

}  // namespace gpuctr::bulk
