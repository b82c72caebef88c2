// Runs one large generate as jobs of the bulk engine.
//
// The (Key, V) after a request depends on Key, V, the request's length and the additional input,
// but not on the output. So the chain of states is computed first, with a few block encryptions per
// request. The outputs are then made in parallel, and equal those of the sequential algorithm. If
// the engine has several threads, the next batch's chain is computed while this batch's output is
// made.
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

// How a large generate is cut into batches of requests.
struct Plan {
  std::size_t requests;  // the most requests of one batch
  unsigned batches;      // batches in progress at once
  bool side_by_side;     // whether the outputs of several batches are made at once
};
constexpr unsigned kMostBatches = 8;

// Measured with an H200 and 16 cores, in host memory: 40 GB/s with 1024 requests per batch, 54 GB/s
// with 4096.
constexpr Plan kForThreads = {4096, 2, false};
// In device memory several jobs are queued at once, so that the device is never idle. LEA-128: 550
// GB/s with 2 batches, 660 with 3, 880 with 4.
constexpr Plan kForDevice = {1024, 4, true};
// For requests of 1 KiB. A batch is below 1 MiB, so its output is made by one thread. One core
// takes several times as long for a batch's output as for its chain of states. So more batches are
// in progress at once.
Plan for_short_requests(std::uint64_t requests) {
  return {std::clamp<std::size_t>(requests / (2 * kMostBatches), 512, 960), kMostBatches, true};
}

// The states of up to `requests` requests, and the thread that makes their output.
class Batch {
 public:
  Batch(const Mechanism& mechanism, std::size_t requests, bool own_thread)
      : links(new (std::nothrow) ChainLink[requests]),
        m_(mechanism),
        segments_(new (std::nothrow) BulkSegment[requests]),
        own_thread_(own_thread) {}
  ~Batch() {
    finish();
    if (!started_) return;
    set(kLeave);
    pthread_join(thread_, nullptr);
  }
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;

  bool allocated() const { return links != nullptr && segments_ != nullptr; }

  // Starts to make the output of the first `requests` links, n bytes in all; these links are then
  // wiped. The caller must not access the batch until finish(). One thread makes all outputs of
  // this batch, because the start of a thread takes as long as a short output.
  void begin(std::size_t requests, std::uint8_t* out, std::size_t n) {
    requests_ = requests;
    out_ = out;
    bytes_ = n;
    if (own_thread_ && !started_) started_ = bulk::start_joinable(run, this, &thread_);
    if (started_) {
      set(kBusy);
    } else {
      write_output();
    }
  }

  // Waits for the last output. False: that output was not written.
  bool finish() {
    pthread_mutex_lock(&lock_);
    while (state_ == kBusy) pthread_cond_wait(&changed_, &lock_);
    pthread_mutex_unlock(&lock_);
    return written_;
  }

  const std::unique_ptr<ChainLink[]> links;

 private:
  enum State { kIdle, kBusy, kLeave };

  void set(State state) {
    pthread_mutex_lock(&lock_);
    state_ = state;
    pthread_cond_signal(&changed_);
    pthread_mutex_unlock(&lock_);
  }

  void write_output() {
    std::uint8_t* out = out_;
    std::size_t left = bytes_;
    for (std::size_t i = 0; i < requests_; ++i) {
      const std::size_t take = std::min(left, m_.max_request);
      segments_[i] = {nullptr, {}, nullptr, out, take, links[i].key};
      std::memcpy(segments_[i].counter, links[i].counter, m_.block);
      out += take;
      left -= take;
    }
    written_ = m_.engine.ctr_batch(m_.spec, segments_.get(), requests_) == BulkStatus::kOk;
    wipe(links.get(), requests_ * sizeof(ChainLink));
    wipe(segments_.get(), requests_ * sizeof(BulkSegment));
  }

  static void* run(void* self) {
    auto* const batch = static_cast<Batch*>(self);
    pthread_mutex_lock(&batch->lock_);
    while (batch->state_ != kLeave) {
      if (batch->state_ == kIdle) {
        pthread_cond_wait(&batch->changed_, &batch->lock_);
        continue;
      }
      pthread_mutex_unlock(&batch->lock_);
      batch->write_output();
      pthread_mutex_lock(&batch->lock_);
      batch->state_ = kIdle;
      pthread_cond_signal(&batch->changed_);
    }
    pthread_mutex_unlock(&batch->lock_);
    return nullptr;
  }

  const Mechanism& m_;
  const std::unique_ptr<BulkSegment[]> segments_;
  const bool own_thread_;
  std::size_t requests_ = 0;
  std::uint8_t* out_ = nullptr;
  std::size_t bytes_ = 0;
  bool written_ = true;

  pthread_mutex_t lock_ = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t changed_ = PTHREAD_COND_INITIALIZER;
  State state_ = kIdle;  // guarded by lock_
  bool started_ = false;
  pthread_t thread_ = {};
};

// A ring of batches, used in turn.
class Pipeline {
 public:
  Pipeline(const Mechanism& mechanism, unsigned batches, std::size_t requests) : count_(batches) {
    for (unsigned i = 0; i < count_; ++i) {
      batches_[i].reset(new (std::nothrow) Batch(mechanism, requests, count_ > 1));
    }
  }
  bool allocated() const {
    for (unsigned i = 0; i < count_; ++i) {
      if (batches_[i] == nullptr || !batches_[i]->allocated()) return false;
    }
    return true;
  }
  // Returns the next batch, when it is idle. nullptr: that batch's last output was not written.
  Batch* next() {
    at_ = (at_ + 1) % count_;
    return batches_[at_]->finish() ? batches_[at_].get() : nullptr;
  }
  bool finish() {
    bool written = true;
    for (unsigned i = 0; i < count_; ++i) written = batches_[i]->finish() && written;
    return written;
  }

 private:
  std::unique_ptr<Batch> batches_[kMostBatches];
  const unsigned count_;
  unsigned at_ = 0;
};

}  // namespace

// Computes the states of the first `requests` requests of a generate of n bytes.
void CtrDrbg::chain(ChainLink* links, std::size_t requests, std::size_t n, Provided additional) {
  std::size_t linked = 0;
  if (additional == nullptr) {
    linked = std::min(requests, n / m_.max_request);
    m_.cpu.chain(key_, v_, m_.max_request / m_.block, links, linked);
    m_.expand(key_, &keys_);
  }
  for (; linked != requests; ++linked) {
    if (additional != nullptr) update(additional);
    std::memcpy(links[linked].key, key_, m_.key);
    begin_output(std::min(n - linked * m_.max_request, m_.max_request), links[linked].counter);
    update(additional);
  }
}

// Makes the output in batches. kNothing: no memory for the batches, and nothing was done.
CtrDrbg::Made CtrDrbg::batches(std::uint8_t* out, std::size_t n, Provided additional) {
  const std::uint64_t requests = requests_for(n);
  const Plan plan = for_device(out)          ? kForDevice
                    : m_.max_request < 65536 ? for_short_requests(requests)
                                             : kForThreads;
  const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(plan.requests, requests));
  const unsigned threads = requests > size ? m_.engine.threads() : 1;
  Pipeline pipeline(m_, std::min(threads, plan.batches), size);
  if (!pipeline.allocated()) return Made::kNothing;
  while (n != 0) {
    Batch* const batch = pipeline.next();
    if (batch == nullptr) return Made::kFailed;
    const auto used = static_cast<std::size_t>(std::min<std::uint64_t>(size, requests_for(n)));
    chain(batch->links.get(), used, n, additional);
    if (!plan.side_by_side && !pipeline.finish()) {
      wipe(batch->links.get(), used * sizeof(ChainLink));
      return Made::kFailed;
    }
    const std::size_t take = std::min(n, used * m_.max_request);
    batch->begin(used, out, take);
    out += take;
    n -= take;
    reseed_counter_ += used;
  }
  return pipeline.finish() ? Made::kAll : Made::kFailed;
}

}  // namespace gpuctr::drbg
