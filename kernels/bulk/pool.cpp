#include "kernels/bulk/pool.h"

#include <pthread.h>
#include <signal.h>

#include <algorithm>

#include "kernels/bulk/threads.h"

namespace gpuctr::bulk {

void Pool::start(unsigned threads) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (started_) return;
  started_ = true;
  while (threads_ < threads && start_thread(run, this)) ++threads_;
}

void* Pool::run(void* self) {
  static_cast<Pool*>(self)->serve();
  return nullptr;
}

// The work with the fewest helpers, so that jobs of many callers share the pool evenly.
PoolWork* Pool::choose() {
  PoolWork* best = nullptr;
  for (PoolWork* work = first_; work != nullptr; work = work->next_) {
    if (work->helpers_ >= work->wanted_) continue;
    if (best == nullptr || work->helpers_ < best->helpers_) best = work;
  }
  return best;
}

void Pool::wake() {
  posted_.notify_one();
  posted_.notify_one();
}

void Pool::serve() {
  std::unique_lock<std::mutex> lock(mutex_);
  for (;;) {
    PoolWork* const work = choose();
    if (work == nullptr) {
      posted_.wait(lock);
      continue;
    }
    ++work->helpers_;
    // Each wakes two more, so that a caller with many helpers does not wake them all itself.
    const bool more = choose() != nullptr;
    lock.unlock();
    if (more) wake();
    work->work();
    lock.lock();
    work->wanted_ = 0;  // it returned, so nothing is left to take
    if (--work->helpers_ == 0) left_.notify_all();
  }
}

void Pool::post(PoolWork* work, unsigned wanted) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    work->wanted_ = std::min(wanted, threads_);
    work->next_ = first_;
    first_ = work;
  }
  wake();
}

void Pool::finish(PoolWork* work) {
  std::unique_lock<std::mutex> lock(mutex_);
  for (PoolWork** at = &first_; *at != nullptr; at = &(*at)->next_) {
    if (*at != work) continue;
    *at = work->next_;
    break;
  }
  while (work->helpers_ != 0) left_.wait(lock);
}

}  // namespace gpuctr::bulk
