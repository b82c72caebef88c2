// A mutex that a forked child can use although another thread of its parent held it at the fork.
#ifndef GPUCTR_PROVIDER_RAND_FORK_LOCK_H
#define GPUCTR_PROVIDER_RAND_FORK_LOCK_H

#include <pthread.h>

#include <atomic>

#include "kernels/base/fork_detection.h"

namespace gpuctr {

// Does nothing until enabled, as OpenSSL's RAND contexts want it. What the lock guards may have
// been left half changed by a thread that the child does not have: its owner compares
// fork_generation() and starts afresh.
class ForkLock {
 public:
  ForkLock() = default;
  ForkLock(const ForkLock&) = delete;
  ForkLock& operator=(const ForkLock&) = delete;

  // Before the object is shared between threads.
  void enable() {
    if (enabled_) return;
    pthread_mutex_init(&mutex_, nullptr);
    generation_.store(fork_generation(), std::memory_order_relaxed);
    enabled_ = true;
  }

  void lock() {
    if (!enabled_) return;
    repair();
    pthread_mutex_lock(&mutex_);
  }

  void unlock() {
    if (enabled_) pthread_mutex_unlock(&mutex_);
  }

  // Holds the lock for the length of a scope.
  class Guard {
   public:
    explicit Guard(ForkLock* lock) : lock_(lock) { lock_->lock(); }
    ~Guard() { lock_->unlock(); }
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;

   private:
    ForkLock* lock_;
  };

 private:
  // Beside a generation: a thread of that generation is at it.
  static constexpr std::uint64_t kRepairing = std::uint64_t{1} << 63;

  // The first thread of the child that comes by makes a new mutex of it; others wait for that. A
  // fork in the middle of it leaves another generation's mark, which counts as unrepaired.
  void repair() {
    const std::uint64_t now = fork_generation();
    std::uint64_t seen = generation_.load(std::memory_order_acquire);
    while (seen != now) {
      if (seen != (now | kRepairing) && generation_.compare_exchange_weak(seen, now | kRepairing)) {
        pthread_mutex_init(&mutex_, nullptr);
        generation_.store(now, std::memory_order_release);
        return;
      }
      seen = generation_.load(std::memory_order_acquire);
    }
  }

  bool enabled_ = false;
  pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
  std::atomic<std::uint64_t> generation_{0};  // of the process that made the mutex
};

}  // namespace gpuctr

#endif
