// The threads that help callers with large jobs: one set for the process, as large as the largest
// job so far requested. The threads own nothing and are detached, so exit and dlclose need not join
// them.
#ifndef GPUCTR_KERNELS_BULK_JOB_POOL_H
#define GPUCTR_KERNELS_BULK_JOB_POOL_H

#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace gpuctr::bulk {

// Work that several threads may do at once.
class PoolWork {
 public:
  // Returns when no work is left to take. Several threads call it at once.
  virtual void work() = 0;

 protected:
  ~PoolWork() = default;

 private:
  friend class Pool;
  unsigned helpers_ = 0;  // inside work() now
  unsigned wanted_ = 0;   // the most helpers
  PoolWork* next_ = nullptr;
};

class Pool {
 public:
  // The pool of this process; a forked child makes its own. Never freed. Takes no lock. nullptr: no
  // memory.
  static Pool* of_process();

  // The threads live while the pool has users: they end when the last user has gone, and the first
  // job after that starts them again. Any thread; a child ends no threads of its parent.
  static void add_user();
  static void drop_user();

  // Ensures at least `threads` helpers; fewer if the system cannot start more or there is no user.
  // Any thread; may be repeated.
  void start(unsigned threads);

  // Offers work to at most `wanted` helpers. The caller continues itself.
  void post(PoolWork* work, unsigned wanted);
  // Withdraws the work and waits until no helper is inside work().
  void finish(PoolWork* work);

 private:
  Pool();
  static void* run(void* self);
  void serve();
  void stop();
  void wake();
  PoolWork* choose();

  const std::uint64_t generation_;
  Pool* ancestor_ = nullptr;  // the parent's pool, whose memory a forked child inherits
  std::mutex mutex_;
  std::condition_variable posted_;
  std::condition_variable left_;
  PoolWork* first_ = nullptr;  // offered work
  unsigned threads_ = 0;       // running threads
  unsigned most_ = 0;          // target; threads above it end
};

}  // namespace gpuctr::bulk

#endif
