#include "provider/core/trace.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "kernels/base/fork_detection.h"

namespace gpuctr {
namespace {

// O_NONBLOCK: neither open() nor write() waits for a FIFO's reader or for room in the FIFO.
constexpr int kOpenFlags = O_APPEND | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;

bool is_type(int fd, mode_t type) {
  struct stat status;
  return fstat(fd, &status) == 0 && (status.st_mode & S_IFMT) == type;
}

// A FIFO has a name, so any process may read it later. A pipe has no name.
bool is_fifo(const char* name) {
  constexpr long kPipeFileSystem = 0x50495045;
  struct stat status;
  struct statfs system;
  return stat(name, &status) == 0 && S_ISFIFO(status.st_mode) && statfs(name, &system) == 0 &&
         system.f_type != kPipeFileSystem;
}

// Opens a FIFO also for reading: while this process can read the FIFO, no write raises SIGPIPE.
// Opens a pipe only for writing: otherwise other writers, such as the program itself, would not
// notice that their reader has gone.
int open_file(const char* name) {
  return is_fifo(name) ? open(name, O_RDWR | kOpenFlags)
                       : open(name, O_WRONLY | O_CREAT | kOpenFlags, 0600);
}

// Standard error shares its flags with other programs, so O_NONBLOCK must not be set on it. A pipe
// or a terminal is opened again. A regular file is not opened again, because its writers share one
// position.
int open_stderr() {
  if (!is_type(STDERR_FILENO, S_IFREG) && !is_type(STDERR_FILENO, S_IFSOCK)) {
    const int fd = open("/proc/self/fd/2", O_WRONLY | kOpenFlags);
    // ENXIO: the pipe no longer has a reader.
    if (fd >= 0 || errno == ENXIO) return fd;
  }
  return fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0);
}

// Some programs close descriptors that they did not open, and then open files under the same
// numbers. New files get the lowest free numbers, so the trace uses a high number.
int moved_up(int fd) {
  constexpr rlim_t kHigh = 4096;
  rlimit limit;
  if (fd < 0 || getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur < 64) return fd;
  const int high = static_cast<int>(std::min(limit.rlim_cur, kHigh)) - 16;
  const int moved = fcntl(fd, F_DUPFD_CLOEXEC, high);
  if (moved < 0) return fd;
  close(fd);
  return moved;
}

// POLLOUT: a line can be written at once. POLLERR or POLLHUP: the file no longer has a reader.
int state(int fd) {
  pollfd it = {fd, POLLOUT, 0};
  return poll(&it, 1, 0) == 1 ? it.revents : 0;
}

void ignore_file_size_signal() {
  struct sigaction action;
  if (sigaction(SIGXFSZ, nullptr, &action) != 0 || (action.sa_flags & SA_SIGINFO) != 0) return;
  if (action.sa_handler != SIG_DFL) return;
  action.sa_handler = SIG_IGN;
  sigaction(SIGXFSZ, &action, nullptr);
}

// The process ID, read without a system call. After the C library's fork(), the child updates
// g_pid. A child of the bare system call keeps its parent's ID. Only its fork generation differs,
// and trace() then writes "child of" before the ID.
std::atomic<long> g_pid{0};
std::atomic<std::uint64_t> g_generation{0};

void store_process_id() {
  g_pid.store(getpid(), std::memory_order_relaxed);
  g_generation.store(fork_generation(), std::memory_order_relaxed);
}

// The trace's file. The constructor makes every system call except the write of a line.
class Target {
 public:
  Target() {
    const char* const name = secure_getenv("GPUCTR_TRACE");
    if (name == nullptr || *name == '\0') return;
    const int error = errno;
    int cancel;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
    fd_ = moved_up(std::strcmp(name, "stderr") == 0 ? open_stderr() : open_file(name));
    if (fd_ >= 0) prepare();
    pthread_setcancelstate(cancel, nullptr);
    errno = error;
  }
  bool is_open() const { return fd_ >= 0; }

  // A line that cannot be written at once is dropped, because the trace must not delay the work.
  void write_line(const char* line, std::size_t size) const {
    const int error = errno;
    int cancel;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
    if (is_socket_) {
      static_cast<void>(send(fd_, line, size, MSG_DONTWAIT | MSG_NOSIGNAL));
    } else if (!may_wait_ || state(fd_) == POLLOUT) {
      [[maybe_unused]] const ssize_t n = write(fd_, line, size);
    }
    pthread_setcancelstate(cancel, nullptr);
    errno = error;
  }

 private:
  void prepare() {
    is_socket_ = is_type(fd_, S_IFSOCK);
    may_wait_ = !is_type(fd_, S_IFREG) && (fcntl(fd_, F_GETFL) & O_NONBLOCK) == 0;
    if ((state(fd_) & (POLLERR | POLLHUP)) != 0) {  // the file has no reader
      close(fd_);
      fd_ = -1;
      return;
    }
    if (is_type(fd_, S_IFREG)) ignore_file_size_signal();
    store_process_id();
    pthread_atfork(nullptr, nullptr, store_process_id);
  }

  int fd_ = -1;
  bool is_socket_ = false;
  bool may_wait_ = false;  // the file could not be opened again
};

const Target& target() {
  static const Target kTarget;
  return kTarget;
}

}  // namespace

bool trace_enabled() { return target().is_open(); }

void trace(const char* format, ...) {
  if (!trace_enabled()) return;
  char line[512];
  const bool inherited = g_generation.load(std::memory_order_relaxed) != fork_generation();
  const int head = std::snprintf(line, sizeof line, "gpuctr[%s%ld]: ", inherited ? "child of " : "",
                                 g_pid.load(std::memory_order_relaxed));
  va_list args;
  va_start(args, format);
  // clang-tidy 14 does not follow va_start here.
  const int text =  // NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized)
      std::vsnprintf(line + head, sizeof line - static_cast<std::size_t>(head) - 1, format, args);
  va_end(args);
  if (text < 0) return;
  std::size_t size = std::strlen(line);
  line[size++] = '\n';
  target().write_line(line, size);
}

}  // namespace gpuctr
