#include "kernels/bulk/job/pool.h"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <new>

#include "kernels/bulk/base/process_state.h"
#include "kernels/bulk/base/threads.h"

namespace gpuctr::bulk {

namespace {

std::atomic<Pool*> g_pool{nullptr};
std::atomic<unsigned> g_users{0};

}  // namespace

Pool::Pool() : generation_(process_generation()) {}

Pool* Pool::of_process() {
  Pool* pool = g_pool.load(std::memory_order_acquire);
  Pool* fresh = nullptr;
  while (pool == nullptr || pool->generation_ != process_generation()) {
    if (fresh == nullptr) fresh = new (std::nothrow) Pool;
    if (fresh == nullptr) return nullptr;
    fresh->ancestor_ = pool;
    if (g_pool.compare_exchange_strong(pool, fresh, std::memory_order_acq_rel)) return fresh;
  }
  delete fresh;
  return pool;
}

void Pool::add_user() { g_users.fetch_add(1); }

void Pool::drop_user() {
  if (g_users.fetch_sub(1) != 1) return;
  Pool* const pool = g_pool.load(std::memory_order_acquire);
  if (pool != nullptr && pool->generation_ == process_generation()) pool->stop();
}

// Does nothing in a child: the child has none of these threads, and its copy of the lock may be
// held. No thread is joined: the code stays mapped (the module is linked nodelete).
void Pool::stop() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (g_users.load() != 0) return;
  most_ = 0;
  posted_.notify_all();
}

void Pool::start(unsigned threads) {
  const std::lock_guard<std::mutex> lock(mutex_);
  // A thread that measures may arrive after the last user has gone.
  if (threads <= most_ || g_users.load() == 0) return;
  most_ = threads;
  while (threads_ < most_ && start_thread(run, this)) ++threads_;
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
    if (threads_ > most_) {
      --threads_;
      return;
    }
    PoolWork* const work = choose();
    if (work == nullptr) {
      wait_for_change(&posted_, &lock);
      continue;
    }
    ++work->helpers_;
    // Each helper wakes two more, so that the caller does not wake all helpers itself.
    const bool more = choose() != nullptr;
    lock.unlock();
    if (more) wake();
    work->work();
    lock.lock();
    work->wanted_ = 0;  // work() returned, so nothing is left to take
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
  while (work->helpers_ != 0) wait_for_change(&left_, &lock);
}

}  // namespace gpuctr::bulk
