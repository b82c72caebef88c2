// The threads that help callers with large jobs. Made once, with the first job that may use them;
// they never end and own nothing, so exit and dlclose find nothing to join.
#ifndef GPUCTR_KERNELS_BULK_POOL_H
#define GPUCTR_KERNELS_BULK_POOL_H

#include <condition_variable>
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
  // Up to `threads` helpers, fewer where the system gives no more. Any thread, any number of times.
  void start(unsigned threads);

  // Offers work to at most `wanted` helpers. The caller goes on itself.
  void post(PoolWork* work, unsigned wanted);
  // Takes the work back and waits until no helper is inside.
  void finish(PoolWork* work);

 private:
  static void* run(void* self);
  void serve();
  void wake();
  PoolWork* choose();

  std::mutex mutex_;
  std::condition_variable posted_;
  std::condition_variable left_;
  PoolWork* first_ = nullptr;  // offered work
  unsigned threads_ = 0;
  bool started_ = false;
};

}  // namespace gpuctr::bulk

#endif
