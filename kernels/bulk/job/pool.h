// The threads that help callers with large jobs: one set for the process, as many as the largest
// job so far requested. They own nothing and are detached, so exit and dlclose have nothing to
// join.
#ifndef GPUCTR_KERNELS_BULK_JOB_POOL_H
#define GPUCTR_KERNELS_BULK_JOB_POOL_H

#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace gpuctr::bulk {

// Work that any number of threads may do at once.
class PoolWork {
 public:
  // Returns when nothing is left to take; called by several threads.
  virtual void work() = 0;

 protected:
  ~PoolWork() = default;

 private:
  friend class Pool;
  unsigned helpers_ = 0;  // inside work() now
  unsigned wanted_ = 0;   // at most
  PoolWork* next_ = nullptr;
};

class Pool {
 public:
  // The one of this process: a forked child makes its own. Never freed. Takes no lock. nullptr: no
  // memory.
  static Pool* of_process();

  // Users keep the threads: they end when the last user has gone, and start again with the first
  // job after that. Any thread; a child ends none of its parent's.
  static void add_user();
  static void drop_user();

  // At least `threads` helpers, fewer where the system gives no more or there is no user. Any
  // thread, any number of times.
  void start(unsigned threads);

  // Offers work to at most `wanted` helpers. The caller goes on itself.
  void post(PoolWork* work, unsigned wanted);
  // Takes the work back and waits until no helper is inside.
  void finish(PoolWork* work);

 private:
  Pool();
  static void* run(void* self);
  void serve();
  void stop();
  void wake();
  PoolWork* choose();

  const std::uint64_t generation_;
  Pool* ancestor_ = nullptr;  // the parent's, whose memory this process has as well
  std::mutex mutex_;
  std::condition_variable posted_;
  std::condition_variable left_;
  PoolWork* first_ = nullptr;  // offered work
  unsigned threads_ = 0;       // there are
  unsigned most_ = 0;          // there are to be; more than that end
};

}  // namespace gpuctr::bulk

#endif
