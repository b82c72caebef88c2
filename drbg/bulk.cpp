// One large generate as one job of the bulk engine.
//
// A request's next (Key, V) depends on Key, V, the request's length and the additional input, never
// on the output. So the chain of states is worked out first, a few block encryptions a request, and
// the bodies then expand side by side. The bytes are those of the sequential algorithm. Where there
// are threads, the chain of the next job is worked out while this one expands.
#include <pthread.h>

#include <algorithm>
#include <memory>
#include <new>
#include <utility>

#include "drbg/ctr_drbg.h"
#include "kernels/bulk/threads.h"
#include "kernels/wipe.h"

namespace gpuctr::drbg {
namespace {

// Output of one job, as far as it takes no more than kMostRequests. Measured with an H200 and 16
// cores: 64 MiB give 40 GB/s in host memory, 256 MiB 54. For 64-bit blocks the second limit
// decides: two windows of schedules have to stay in a core's cache.
constexpr std::size_t kWindowBytes = std::size_t{256} << 20;
constexpr std::size_t kMostRequests = 4096;
constexpr std::size_t kMostShortRequests = 512;
// And a window of theirs takes one core longer than the chain takes to the next window, but is too
// short to be shared: so several are made side by side.
constexpr unsigned kMostShortLanes = 4;

// The states of one job. Wiped after each.
class Window {
 public:
  Window(std::size_t requests, std::size_t schedule_bytes)
      : keys(new (std::nothrow) RoundKeys[requests + 1]),
        segments(new (std::nothrow) BulkSegment[requests]),
        size(requests),
        schedule_(schedule_bytes) {}
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  bool allocated() const { return keys != nullptr && segments != nullptr; }
  // After `used` requests: their schedules, and the one that follows.
  void clear(std::size_t used) {
    for (std::size_t i = 0; i <= used; ++i) wipe(&keys[i], schedule_);
    wipe(segments.get(), used * sizeof(BulkSegment));
  }

  const std::unique_ptr<RoundKeys[]> keys;
  const std::unique_ptr<BulkSegment[]> segments;
  const std::size_t size;

 private:
  std::size_t schedule_;
};

// The output of one window after the other, in a thread of its own where that is allowed: the same
// one for all windows, because a short window takes no longer than to start one.
class Expansion {
 public:
  Expansion(const BlockCipher& cipher, bool in_a_thread)
      : cipher_(cipher), in_a_thread_(in_a_thread) {}
  ~Expansion() {
    finish();
    if (!started_) return;
    pthread_mutex_lock(&lock_);
    leave_ = true;
    pthread_cond_signal(&changed_);
    pthread_mutex_unlock(&lock_);
    pthread_join(thread_, nullptr);
  }
  Expansion(const Expansion&) = delete;
  Expansion& operator=(const Expansion&) = delete;

  // The window is not touched until finish().
  void begin(Window* window, std::size_t used) {
    if (in_a_thread_ && !started_) started_ = bulk::start_joinable(run, this, &thread_);
    pthread_mutex_lock(&lock_);
    window_ = window;
    used_ = used;
    busy_ = started_;
    pthread_cond_signal(&changed_);
    pthread_mutex_unlock(&lock_);
    if (!started_) expand();
  }

  // Whether what was begun last was written. Wipes its window.
  bool finish() {
    pthread_mutex_lock(&lock_);
    while (busy_) pthread_cond_wait(&changed_, &lock_);
    pthread_mutex_unlock(&lock_);
    if (window_ != nullptr) window_->clear(used_);
    window_ = nullptr;
    return written_;
  }

 private:
  void expand() { written_ = cipher_.output(window_->segments.get(), used_); }

  static void* run(void* self) {
    auto* const e = static_cast<Expansion*>(self);
    pthread_mutex_lock(&e->lock_);
    while (!e->leave_) {
      if (e->busy_) {
        pthread_mutex_unlock(&e->lock_);
        e->expand();
        pthread_mutex_lock(&e->lock_);
        e->busy_ = false;
        pthread_cond_signal(&e->changed_);
      } else {
        pthread_cond_wait(&e->changed_, &e->lock_);
      }
    }
    pthread_mutex_unlock(&e->lock_);
    return nullptr;
  }

  const BlockCipher& cipher_;
  const bool in_a_thread_;
  Window* window_ = nullptr;
  std::size_t used_ = 0;
  bool written_ = true;

  pthread_mutex_t lock_ = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t changed_ = PTHREAD_COND_INITIALIZER;
  bool busy_ = false;   // the thread has a window
  bool leave_ = false;  // the thread is to end
  bool started_ = false;
  pthread_t thread_ = {};
};

// Windows in turn, each with its expansion.
class Lanes {
 public:
  // `together`: whether lanes expand side by side, or one waits for the other.
  Lanes(const BlockCipher& cipher, unsigned count, std::size_t requests, bool together)
      : count_(count), together_(together) {
    for (unsigned i = 0; i < count; ++i) {
      lanes_[i].reset(new (std::nothrow) Lane(cipher, requests, count > 1));
    }
  }
  bool allocated() const {
    for (unsigned i = 0; i < count_; ++i) {
      if (lanes_[i] == nullptr || !lanes_[i]->window.allocated()) return false;
    }
    return true;
  }
  // The next lane's window, which is free then. nullptr: what a lane had was not written.
  Window* next() {
    at_ = (at_ + 1) % count_;
    return lanes_[at_]->expansion.finish() ? &lanes_[at_]->window : nullptr;
  }
  bool begin(std::size_t used) {
    if (!together_ && !finish()) {
      lanes_[at_]->window.clear(used);
      return false;
    }
    lanes_[at_]->expansion.begin(&lanes_[at_]->window, used);
    return true;
  }
  bool finish() {
    bool written = true;
    for (unsigned i = 0; i < count_; ++i) written = lanes_[i]->expansion.finish() && written;
    return written;
  }

 private:
  struct Lane {
    Lane(const BlockCipher& cipher, std::size_t requests, bool in_a_thread)
        : window(requests, cipher.schedule_bytes()), expansion(cipher, in_a_thread) {}
    Window window;
    Expansion expansion;  // ends before its window goes
  };

  std::unique_ptr<Lane> lanes_[kMostShortLanes];
  const unsigned count_;
  const bool together_;
  unsigned at_ = 0;
};

}  // namespace

// The states of as many requests as the window holds, of n bytes at `out`.
std::size_t CtrDrbg::chain(RoundKeys* keys, BulkSegment* segments, std::size_t size,
                           std::uint8_t* out, std::size_t n, Provided additional) {
  std::size_t used = 0;
  keys[0] = keys_;
  for (; used != size && n != 0; ++used) {
    const std::size_t take = std::min(n, m_.max_request);
    if (additional != nullptr) update(keys[used], additional, &keys[used]);
    segments[used] = begin_output(keys[used], out, take);
    update(keys[used], additional, &keys[used + 1]);
    out += take;
    n -= take;
  }
  keys_ = keys[used];
  return used;
}

// kNoMemory: nothing was done.
CtrDrbg::Bulk CtrDrbg::bulk(std::uint8_t* out, std::size_t n, Provided additional) {
  const bool is_short = m_.max_request < 65536 && !m_.cipher.for_card(out);
  const std::uint64_t most =
      std::min(is_short ? kMostShortRequests : kMostRequests, kWindowBytes / m_.max_request);
  const std::uint64_t requests = requests_for(n);
  const auto size = static_cast<std::size_t>(std::min(most, requests));
  const unsigned threads = requests > most ? m_.cipher.threads() : 1;
  const unsigned side_by_side = is_short ? std::min(threads, kMostShortLanes) : 2;
  Lanes lanes(m_.cipher, threads > 1 ? side_by_side : 1, size, is_short);
  if (!lanes.allocated()) return Bulk::kNoMemory;
  while (n != 0) {
    Window* const window = lanes.next();
    if (window == nullptr) return Bulk::kFailed;
    const std::size_t used =
        chain(window->keys.get(), window->segments.get(), size, out, n, additional);
    if (!lanes.begin(used)) return Bulk::kFailed;
    const std::size_t take = std::min(n, used * m_.max_request);
    out += take;
    n -= take;
    reseed_counter_ += used;
  }
  return lanes.finish() ? Bulk::kDone : Bulk::kFailed;
}

}  // namespace gpuctr::drbg
