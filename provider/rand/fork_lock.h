// A mutex that a forked child can use even if another thread of the parent held the mutex at the
// fork.
#ifndef GPUCTR_PROVIDER_RAND_FORK_LOCK_H
#define GPUCTR_PROVIDER_RAND_FORK_LOCK_H

#include <pthread.h>

#include <atomic>

#include "kernels/base/fork_detection.h"

namespace gpuctr {

// Does nothing until enabled, as OpenSSL's RAND contexts require. A thread that does not exist in
// the child may have left the guarded data half changed. The data's owner detects the fork by
// fork_generation() and reseeds.
class ForkLock {
 public:
  ForkLock() = default;
  ForkLock(const ForkLock&) = delete;
  ForkLock& operator=(const ForkLock&) = delete;

  // Call this before threads share the object.
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

  // Holds the lock until the end of a scope.
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
  // A flag in generation_: a thread of that generation is making the mutex.
  static constexpr std::uint64_t kRepairing = std::uint64_t{1} << 63;

  // The first thread of the child that calls repair() makes a new mutex; other threads wait for the
  // new mutex. A fork during repair() leaves the flag of another generation. The child then repairs
  // again.
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
  std::atomic<std::uint64_t> generation_{0};  // generation of the process that made the mutex
};

}  // namespace gpuctr

#endif
