#include "provider/core/trace.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

namespace gpuctr {
namespace {

// A copy: programs that write their own title into the process list move the environment.
struct Target {
  Target() {
    const char* value = secure_getenv("GPUCTR_TRACE");
    if (value != nullptr) std::snprintf(name, sizeof name, "%s", value);
  }
  char name[4096] = "";
};

const char* target() {
  static const Target kTarget;
  return kTarget.name;
}

// While it lives, a write of this thread that nobody reads (SIGPIPE), or that passes the limit on a
// file's size (SIGXFSZ), only fails; the thread is not cancelled; errno stays. Both signals go to
// the thread that writes, so that they wait behind its mask, and are taken back where they were not
// waiting before. No handler is touched.
class Undisturbed {
 public:
  Undisturbed() : errno_(errno) {
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_);
    sigset_t waiting;
    sigemptyset(&waiting);
    sigpending(&waiting);
    sigset_t ours;
    sigemptyset(&ours);
    sigemptyset(&raised_);
    for (const int signal : {SIGPIPE, SIGXFSZ}) {
      sigaddset(&ours, signal);
      if (sigismember(&waiting, signal) == 0) sigaddset(&raised_, signal);
    }
    pthread_sigmask(SIG_BLOCK, &ours, &mask_);
  }
  ~Undisturbed() {
    const timespec at_once = {0, 0};
    while (failed_ && sigtimedwait(&raised_, nullptr, &at_once) < 0 && errno == EINTR) continue;
    pthread_sigmask(SIG_SETMASK, &mask_, nullptr);
    pthread_setcancelstate(cancel_, nullptr);
    errno = errno_;
  }
  Undisturbed(const Undisturbed&) = delete;
  Undisturbed& operator=(const Undisturbed&) = delete;

  // A line that is not taken at once is lost: it must not hold up the work.
  void write_line(int fd, const char* line, std::size_t size) {
    const ssize_t n = write(fd, line, size);
    failed_ = n < 0 && (errno == EPIPE || errno == EFBIG);
  }

 private:
  const int errno_;
  int cancel_ = PTHREAD_CANCEL_ENABLE;
  sigset_t mask_, raised_;
  bool failed_ = false;
};

// Without waiting: for a reader of a FIFO, nor for room in it.
constexpr int kOpenFlags = O_WRONLY | O_APPEND | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;

// Standard error is shared with other programs, so O_NONBLOCK must not be set on it. A pipe is
// opened once more for this line; without /proc, and for the rest, poll() says whether there is
// room.
void write_to_stderr(Undisturbed* undisturbed, const char* line, std::size_t size) {
  struct stat status;
  if (fstat(STDERR_FILENO, &status) != 0) return;
  if (S_ISSOCK(status.st_mode)) {
    [[maybe_unused]] const ssize_t n = send(STDERR_FILENO, line, size, MSG_DONTWAIT | MSG_NOSIGNAL);
    return;
  }
  if (S_ISFIFO(status.st_mode)) {
    const int fd = open("/proc/self/fd/2", kOpenFlags);
    if (fd >= 0) {
      undisturbed->write_line(fd, line, size);
      close(fd);
      return;
    }
    if (errno == ENXIO) return;  // nobody reads it any more
  }
  pollfd room = {STDERR_FILENO, POLLOUT, 0};
  if (poll(&room, 1, 0) == 1 && (room.revents & POLLOUT) != 0) {
    undisturbed->write_line(STDERR_FILENO, line, size);
  }
}

}  // namespace

bool trace_enabled() { return *target() != '\0'; }

void trace(const char* format, ...) {
  if (!trace_enabled()) return;
  char line[512];
  const int head = std::snprintf(line, sizeof line, "gpuctr[%ld]: ", static_cast<long>(getpid()));
  va_list args;
  va_start(args, format);
  // clang-tidy 14 does not follow va_start here.
  const int text =  // NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized)
      std::vsnprintf(line + head, sizeof line - static_cast<std::size_t>(head) - 1, format, args);
  va_end(args);
  if (text < 0) return;
  std::size_t size = std::strlen(line);
  line[size++] = '\n';
  Undisturbed undisturbed;
  if (std::strcmp(target(), "stderr") == 0) {
    write_to_stderr(&undisturbed, line, size);
    return;
  }
  const int fd = open(target(), kOpenFlags | O_CREAT, 0600);
  if (fd < 0) return;
  undisturbed.write_line(fd, line, size);
  close(fd);
}

}  // namespace gpuctr
