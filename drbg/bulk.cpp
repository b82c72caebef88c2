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
constexpr std::size_t kMostShortRequests = 1024;

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
  const std::uint64_t most = std::min(m_.max_request < 65536 ? kMostShortRequests : kMostRequests,
                                      kWindowBytes / m_.max_request);
  const std::uint64_t requests = requests_for(n);
  const auto size = static_cast<std::size_t>(std::min(most, requests));
  Window first(size, m_.cipher.schedule_bytes());
  Window second(requests > most ? size : 0, m_.cipher.schedule_bytes());
  if (!first.allocated() || !second.allocated()) return Bulk::kNoMemory;
  Window* window = &first;
  Window* other = &second;
  Expansion expansion(m_.cipher, requests > most && m_.cipher.has_threads());
  while (n != 0) {
    const std::size_t used =
        chain(window->keys.get(), window->segments.get(), size, out, n, additional);
    if (!expansion.finish()) {
      window->clear(used);
      return Bulk::kFailed;
    }
    expansion.begin(window, used);
    const std::size_t take = std::min(n, used * m_.max_request);
    out += take;
    n -= take;
    reseed_counter_ += used;
    std::swap(window, other);
  }
  return expansion.finish() ? Bulk::kDone : Bulk::kFailed;
}

}  // namespace gpuctr::drbg
