// Threads of our own inside somebody else's process.
#ifndef GPUCTR_KERNELS_BULK_BASE_THREADS_H
#define GPUCTR_KERNELS_BULK_BASE_THREADS_H

#include <pthread.h>
#include <sched.h>
#include <signal.h>

#include <chrono>
#include <condition_variable>
#include <mutex>

namespace gpuctr::bulk {

// Starts a thread that takes no signal: handlers of the application run in its own threads. False
// when the system gives none. Somebody joins it.
inline bool start_joinable(void* (*run)(void*), void* argument, pthread_t* thread) {
  sigset_t all, before;
  sigfillset(&all);
  if (pthread_sigmask(SIG_SETMASK, &all, &before) != 0) return false;
  const bool started = pthread_create(thread, nullptr, run, argument) == 0;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return started;
}

// The same, detached.
inline bool start_thread(void* (*run)(void*), void* argument) {
  pthread_t thread;
  const bool started = start_joinable(run, argument, &thread);
  if (started) pthread_detach(thread);
  return started;
}

// Waits for a notification of `changed`, at most for an hour: the caller looks at its condition
// again. condition_variable::wait() is not called, because GCC 12 and later make a symbol of
// GLIBCXX_3.4.30 of it, which the C++ library of systems with glibc 2.34 lacks.
inline void wait_for_change(std::condition_variable* changed, std::unique_lock<std::mutex>* lock) {
  changed->wait_for(*lock, std::chrono::hours(1));
}

// Puts off a pthread_cancel() of the calling thread. While other threads or a card work on what
// lies on its stack or in its caller's memory, it must not be unwound: waits and calls of a driver
// are cancellation points.
class CancelDisabled {
 public:
  CancelDisabled() { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_); }
  ~CancelDisabled() { pthread_setcancelstate(before_, nullptr); }
  CancelDisabled(const CancelDisabled&) = delete;
  CancelDisabled& operator=(const CancelDisabled&) = delete;

 private:
  int before_ = PTHREAD_CANCEL_ENABLE;
};

// Cores this process may run on; one system call, no file is read.
inline unsigned usable_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  const int n = CPU_COUNT(&set);
  return n > 0 ? static_cast<unsigned>(n) : 1;
}

}  // namespace gpuctr::bulk

#endif
