// A fork that the C library does not see: none of its handlers runs.
#ifndef GPUCTR_TEST_SUPPORT_RAW_FORK_H
#define GPUCTR_TEST_SUPPORT_RAW_FORK_H

#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include <csignal>

namespace gpuctr::test {

inline pid_t raw_fork() {
#ifdef SYS_fork
  return static_cast<pid_t>(syscall(SYS_fork));
#else
  return static_cast<pid_t>(syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0));
#endif
}

}  // namespace gpuctr::test

#endif
