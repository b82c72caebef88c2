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

// Output of one job, as far as it takes no more than kMostRequests.
constexpr std::size_t kWindowBytes = std::size_t{64} << 20;
constexpr std::size_t kMostRequests = 8192;

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

// The output of one window after the other, in a thread of its own where that is allowed.
class Expansion {
 public:
  Expansion(const BlockCipher& cipher, bool in_a_thread)
      : cipher_(cipher), in_a_thread_(in_a_thread) {}
  ~Expansion() { finish(); }
  Expansion(const Expansion&) = delete;
  Expansion& operator=(const Expansion&) = delete;

  // The window is not touched until finish().
  void begin(Window* window, std::size_t used) {
    window_ = window;
    used_ = used;
    started_ = in_a_thread_ && bulk::start_joinable(run, this, &thread_);
    if (!started_) run(this);
  }

  // Whether what was begun last was written. Wipes its window.
  bool finish() {
    if (started_) pthread_join(thread_, nullptr);
    started_ = false;
    if (window_ != nullptr) window_->clear(used_);
    window_ = nullptr;
    return written_;
  }

 private:
  static void* run(void* self) {
    auto* e = static_cast<Expansion*>(self);
    e->written_ = e->cipher_.output(e->window_->segments.get(), e->used_);
    return nullptr;
  }

  const BlockCipher& cipher_;
  const bool in_a_thread_;
  Window* window_ = nullptr;
  std::size_t used_ = 0;
  bool started_ = false;
  bool written_ = true;
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
  const std::uint64_t most = std::min(kMostRequests, kWindowBytes / m_.max_request);
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
