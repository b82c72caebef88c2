// One large generate as one job of the bulk engine.
//
// A request's next (Key, V) depends on Key, V, the request's length and the additional input, never
// on the output. So the chain of states is worked out first, a few block encryptions a request, and
// the bodies then expand side by side. The bytes are those of the sequential algorithm. Where there
// are threads, the chain of the next job is worked out while this one expands.
#include <pthread.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>

#include "drbg/ctr_drbg.h"
#include "kernels/base/wipe.h"
#include "kernels/bulk/base/threads.h"

namespace gpuctr::drbg {
namespace {

// Requests of one job. Measured with an H200 and 16 cores: 1024 give 40 GB/s in host memory, 4096
// give 54.
constexpr std::size_t kMostRequests = 4096;
constexpr unsigned kLanes = 2;  // one expands, the chain of the other is worked out
// Into a card's memory several jobs are on their way at once, so that the card never waits: LEA-128
// made 550 GB/s with 2 lanes, 660 with 3 and 880 with 4.
constexpr std::size_t kMostCardRequests = 1024;
constexpr unsigned kCardLanes = 4;
// The same where requests are 1 KiB. Such a job is below 1 MiB, so that threads do not share it,
// and its output takes one core several times as long as the chain of states needs to reach the
// next job. So more jobs are on their way at once.
constexpr std::size_t kLeastShortRequests = 512;
constexpr std::size_t kMostShortRequests = 960;
constexpr unsigned kShortLanes = 8;
constexpr unsigned kMostLanes = std::max({kLanes, kCardLanes, kShortLanes});

std::size_t short_requests(std::uint64_t requests) {
  return std::clamp<std::size_t>(requests / (2 * kShortLanes), kLeastShortRequests,
                                 kMostShortRequests);
}

// The states of one job, and where its output goes.
class Window {
 public:
  explicit Window(std::size_t requests)
      : links(new (std::nothrow) ChainLink[requests]),
        segments_(new (std::nothrow) BulkSegment[requests]) {}
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  bool allocated() const { return links != nullptr && segments_ != nullptr; }

  // Writes the output of `used` requests, n bytes in all, and wipes their states.
  bool expand(const BlockCipher& cipher, std::size_t used, std::uint8_t* out, std::size_t n,
              std::size_t max_request) {
    for (std::size_t i = 0; i < used; ++i) {
      const std::size_t take = std::min(n, max_request);
      segments_[i] = {nullptr, {}, nullptr, out, take, links[i].key};
      std::memcpy(segments_[i].counter, links[i].counter, kMaxBlockBytes);
      out += take;
      n -= take;
    }
    const bool written = cipher.output(segments_.get(), used);
    wipe(links.get(), used * sizeof(ChainLink));
    wipe(segments_.get(), used * sizeof(BulkSegment));
    return written;
  }

  const std::unique_ptr<ChainLink[]> links;

 private:
  const std::unique_ptr<BulkSegment[]> segments_;
};

// What to expand: all of a Window's requests, n bytes in all.
struct Output {
  std::size_t requests;
  std::uint8_t* out;
  std::size_t n;
};

// The output of one window after the other, in a thread of its own where that is allowed: the same
// one for all windows, because a short window takes no longer than to start one.
class Expansion {
 public:
  Expansion(const Mechanism& mechanism, Window* window, bool in_a_thread)
      : m_(mechanism), window_(window), in_a_thread_(in_a_thread) {}
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
  void begin(const Output& output) {
    if (in_a_thread_ && !started_) started_ = bulk::start_joinable(run, this, &thread_);
    pthread_mutex_lock(&lock_);
    output_ = output;
    busy_ = started_;
    pthread_cond_signal(&changed_);
    pthread_mutex_unlock(&lock_);
    if (!started_) expand();
  }

  // Whether what was begun last was written.
  bool finish() {
    pthread_mutex_lock(&lock_);
    while (busy_) pthread_cond_wait(&changed_, &lock_);
    pthread_mutex_unlock(&lock_);
    return written_;
  }

 private:
  void expand() {
    written_ = window_->expand(m_.cipher, output_.requests, output_.out, output_.n, m_.max_request);
  }

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

  const Mechanism& m_;
  Window* const window_;
  const bool in_a_thread_;
  Output output_ = {};
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
  Lanes(const Mechanism& mechanism, unsigned count, std::size_t requests, bool together)
      : count_(count), together_(together) {
    for (unsigned i = 0; i < count; ++i) {
      lanes_[i].reset(new (std::nothrow) Lane(mechanism, requests, count > 1));
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
  bool begin(const Output& output) {
    if (!together_ && !finish()) {
      wipe(lanes_[at_]->window.links.get(), output.requests * sizeof(ChainLink));
      return false;
    }
    lanes_[at_]->expansion.begin(output);
    return true;
  }
  bool finish() {
    bool written = true;
    for (unsigned i = 0; i < count_; ++i) written = lanes_[i]->expansion.finish() && written;
    return written;
  }

 private:
  struct Lane {
    Lane(const Mechanism& mechanism, std::size_t requests, bool in_a_thread)
        : window(requests), expansion(mechanism, &window, in_a_thread) {}
    Window window;
    Expansion expansion;  // ends before its window goes
  };

  std::unique_ptr<Lane> lanes_[kMostLanes];
  const unsigned count_;
  const bool together_;
  unsigned at_ = 0;
};

}  // namespace

// The states of the first `requests` requests of n bytes.
void CtrDrbg::chain(ChainLink* links, std::size_t requests, std::size_t n, Provided additional) {
  std::size_t linked = 0;
  const std::size_t full = std::min(requests, n / m_.max_request);
  if (additional == nullptr && m_.cipher.chain(key_, v_, m_.max_request / m_.block, links, full)) {
    linked = full;
    m_.cipher.expand(key_, &keys_);
  }
  for (; linked != requests; ++linked) {
    if (additional != nullptr) update(additional);
    std::memcpy(links[linked].key, key_, m_.key);
    begin_output(std::min(n - linked * m_.max_request, m_.max_request), links[linked].counter);
    update(additional);
  }
}

// kNoMemory: nothing was done.
CtrDrbg::Bulk CtrDrbg::bulk(std::uint8_t* out, std::size_t n, Provided additional) {
  const bool for_card = m_.cipher.for_card(out);
  const bool together = for_card || m_.max_request < 65536;
  const std::uint64_t requests = requests_for(n);
  const std::size_t most = for_card   ? kMostCardRequests
                           : together ? short_requests(requests)
                                      : kMostRequests;
  const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(most, requests));
  const unsigned threads = requests > most ? m_.cipher.threads() : 1;
  const unsigned lanes_for_all = for_card ? kCardLanes : together ? kShortLanes : kLanes;
  const unsigned side_by_side = std::min(threads, lanes_for_all);
  Lanes lanes(m_, threads > 1 ? side_by_side : 1, size, together);
  if (!lanes.allocated()) return Bulk::kNoMemory;
  while (n != 0) {
    Window* const window = lanes.next();
    if (window == nullptr) return Bulk::kFailed;
    const auto used = static_cast<std::size_t>(std::min<std::uint64_t>(size, requests_for(n)));
    chain(window->links.get(), used, n, additional);
    const std::size_t take = std::min(n, used * m_.max_request);
    if (!lanes.begin({used, out, take})) return Bulk::kFailed;
    out += take;
    n -= take;
    reseed_counter_ += used;
  }
  return lanes.finish() ? Bulk::kDone : Bulk::kFailed;
}

}  // namespace gpuctr::drbg
