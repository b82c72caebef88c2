// Threads that the engine starts in the program's process.
#ifndef GPUCTR_KERNELS_BULK_BASE_THREADS_H
#define GPUCTR_KERNELS_BULK_BASE_THREADS_H

#include <pthread.h>
#include <sched.h>
#include <signal.h>

#include <chrono>
#include <condition_variable>
#include <mutex>

namespace gpuctr::bulk {

// Starts a thread that blocks all signals: the program's signal handlers run in the program's
// threads. The caller joins the thread. False: the system could not start a thread.
inline bool start_joinable(void* (*run)(void*), void* argument, pthread_t* thread) {
  sigset_t all, before;
  sigfillset(&all);
  if (pthread_sigmask(SIG_SETMASK, &all, &before) != 0) return false;
  const bool started = pthread_create(thread, nullptr, run, argument) == 0;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return started;
}

// Like start_joinable(), but the thread is detached.
inline bool start_thread(void* (*run)(void*), void* argument) {
  pthread_t thread;
  const bool started = start_joinable(run, argument, &thread);
  if (started) pthread_detach(thread);
  return started;
}

// Waits for a notification of `changed`, at most one hour; the caller checks its condition again.
// condition_variable::wait() is not called: GCC 12 and later compile it to a symbol of
// GLIBCXX_3.4.30. The C++ library of systems with glibc 2.34 lacks that symbol.
inline void wait_for_change(std::condition_variable* changed, std::unique_lock<std::mutex>* lock) {
  changed->wait_for(*lock, std::chrono::hours(1));
}

// Defers pthread_cancel() of the calling thread. Other threads or a device work on its stack or its
// caller's memory, so the stack must not be unwound. Waits and driver calls are cancellation
// points.
class CancelDisabled {
 public:
  CancelDisabled() { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_); }
  ~CancelDisabled() { pthread_setcancelstate(before_, nullptr); }
  CancelDisabled(const CancelDisabled&) = delete;
  CancelDisabled& operator=(const CancelDisabled&) = delete;

 private:
  int before_ = PTHREAD_CANCEL_ENABLE;
};

// The number of cores that this process may use; one system call, no file is read.
inline unsigned usable_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  const int n = CPU_COUNT(&set);
  return n > 0 ? static_cast<unsigned>(n) : 1;
}

}  // namespace gpuctr::bulk

#endif
