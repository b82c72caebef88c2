// GPUCTR_TRACE: what it writes, and that it disturbs nothing. The target is opened once a process,
// so each case runs in a child, which sets the variable and ends with its verdict. A line that
// cannot be written at once is dropped; a child that waits for a reader is killed by its alarm,
// which no other case needs.
#include "provider/core/trace.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>

#include "provider/core/core.h"
#include "provider/core/errors.h"
#include "test/support/seccomp.h"

namespace gpuctr::test {
namespace {

class Trace : public testing::Test {
 protected:
  Trace() {
    char folder[] = "/tmp/gpuctr-trace-XXXXXX";
    folder_ = mkdtemp(folder);
    file_ = folder_ + "/trace";
  }
  ~Trace() override { std::filesystem::remove_all(folder_); }

  // Runs `act` in a child under GPUCTR_TRACE=target; its verdict, or minus the signal that killed
  // it.
  static int child(const std::string& target, const std::function<bool()>& act) {
    const pid_t pid = fork();
    if (pid == 0) {
      setenv("GPUCTR_TRACE", target.c_str(), 1);
      alarm(60);
      _exit(act() ? 0 : 1);
    }
    int status = 0;
    waitpid(pid, &status, 0);
    return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
  }

  std::string written() const {
    std::ostringstream text;
    text << std::ifstream(file_).rdbuf();
    return text.str();
  }

  // Bytes that can be read from a pipe or socket without waiting.
  static std::string drained(int fd) {
    fcntl(fd, F_SETFL, O_NONBLOCK);
    std::string text;
    char piece[4096];
    for (ssize_t n; (n = read(fd, piece, sizeof piece)) > 0;) {
      text.append(piece, static_cast<std::size_t>(n));
    }
    return text;
  }

  std::string folder_, file_;
};

// A refusal with an error on the queue, and one that OpenSSL's own makes in silence.
bool refuse_twice() {
  static int errors;
  const auto new_error = [](const OSSL_CORE_HANDLE*) {};
  const auto set_error = [](const OSSL_CORE_HANDLE*, std::uint32_t, const char*, va_list) {
    ++errors;
  };
  Core core;
  core.new_error = new_error;
  core.vset_error = set_error;
  raise(core, Reason::kNoMemory, "no line of %s", "this");
  raise(core, Reason::kRandParameter, "%s takes an integer", "reseed_requests");
  return errors == 1;
}

bool one_line() {
  trace("one %d", 1);
  return true;
}

// A line changes neither a handler nor the mask, nothing is pending after it, and errno stays.
bool leaves_signals_alone() {
  trace_enabled();
  struct sigaction pipe_before, size_before, after;
  sigset_t mask_before, mask_after, pending;
  sigaction(SIGPIPE, nullptr, &pipe_before);
  sigaction(SIGXFSZ, nullptr, &size_before);
  pthread_sigmask(SIG_SETMASK, nullptr, &mask_before);
  errno = 4711;
  trace("one %d", 1);
  if (errno != 4711) return false;
  pthread_sigmask(SIG_SETMASK, nullptr, &mask_after);
  sigpending(&pending);
  for (int n = 1; n < 32; ++n) {
    if (sigismember(&mask_before, n) != sigismember(&mask_after, n)) return false;
    if (sigismember(&pending, n) != 0) return false;
  }
  sigaction(SIGPIPE, nullptr, &after);
  if (after.sa_handler != pipe_before.sa_handler) return false;
  sigaction(SIGXFSZ, nullptr, &after);
  return after.sa_handler == size_before.sa_handler;
}

TEST_F(Trace, HasARefusalWithoutAnError) {
  EXPECT_EQ(child(file_, refuse_twice), 0);
  const std::string text = written();
  EXPECT_NE(text.find("]: refused: parameter of a random generator cannot be read: "
                      "reseed_requests takes an integer\n"),
            std::string::npos)
      << text;
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1) << text;
}

TEST_F(Trace, AppendsToWhatTheFileHas) {
  std::ofstream(file_) << "before\n";
  ASSERT_EQ(0, child(file_, [] { return one_line() && one_line(); }));
  ASSERT_EQ(0, child(file_, one_line));
  const std::string text = written();
  EXPECT_EQ(0u, text.find("before\ngpuctr["));
  EXPECT_EQ(4, std::count(text.begin(), text.end(), '\n'));
  EXPECT_NE(std::string::npos, text.find("]: one 1\n"));
}

TEST_F(Trace, FileIsTheOwnersAlone) {
  umask(0);
  ASSERT_EQ(0, child(file_, one_line));
  struct stat status;
  ASSERT_EQ(0, stat(file_.c_str(), &status));
  EXPECT_EQ(0600u, status.st_mode & 0777u);
}

TEST_F(Trace, LongLineIsCutAndEnds) {
  ASSERT_EQ(0,
            child(file_, [] { return trace("%s", std::string(5000, 'x').c_str()), one_line(); }));
  const std::string text = written();
  EXPECT_EQ(2, std::count(text.begin(), text.end(), '\n'));
  EXPECT_EQ(510u, text.find('\n'));
}

TEST_F(Trace, ClosedPipeOnStandardError) {
  EXPECT_EQ(0, child("stderr", [] {
              int ends[2];
              if (pipe(ends) != 0) return false;
              dup2(ends[1], STDERR_FILENO);
              close(ends[0]);
              return leaves_signals_alone();
            }));
}

TEST_F(Trace, FullPipeOnStandardErrorDoesNotWait) {
  EXPECT_EQ(0, child("stderr", [] {
              int ends[2];
              if (pipe(ends) != 0) return false;
              dup2(ends[1], STDERR_FILENO);
              for (int i = 0; i < 10000; ++i) trace("%s", std::string(400, 'x').c_str());
              // Others still find the pipe as it was made, and what is in it is whole lines.
              const std::string text = drained(ends[0]);
              return (fcntl(STDERR_FILENO, F_GETFL) & O_NONBLOCK) == 0 && !text.empty() &&
                     text.size() % text.find("\ngpuctr[") == text.size() / text.find("\ngpuctr[");
            }));
}

TEST_F(Trace, SocketOnStandardError) {
  for (const bool open : {false, true}) {
    EXPECT_EQ(0, child("stderr", [open] {
                int ends[2];
                if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return false;
                dup2(ends[1], STDERR_FILENO);
                if (!open) return close(ends[0]), leaves_signals_alone();
                for (int i = 0; i < 10000; ++i) one_line();
                return drained(ends[0]).rfind("gpuctr[", 0) == 0;
              }));
  }
}

TEST_F(Trace, StandardErrorToAFileGoesOnWhereItIs) {
  EXPECT_EQ(0, child("stderr", [this] {
              const int fd = open(file_.c_str(), O_WRONLY | O_CREAT, 0600);
              dup2(fd, STDERR_FILENO);
              if (write(STDERR_FILENO, "before\n", 7) != 7) return false;
              one_line();
              return write(STDERR_FILENO, "after\n", 6) == 6;
            }));
  const std::string text = written();
  EXPECT_EQ(0u, text.find("before\ngpuctr["));
  EXPECT_NE(std::string::npos, text.find("]: one 1\nafter\n"));
}

TEST_F(Trace, FifoWithoutReader) {
  ASSERT_EQ(0, mkfifo(file_.c_str(), 0600));
  EXPECT_EQ(0, child(file_, leaves_signals_alone));
}

TEST_F(Trace, FifoWithAReaderThatSleeps) {
  ASSERT_EQ(0, mkfifo(file_.c_str(), 0600));
  const int reader = open(file_.c_str(), O_RDONLY | O_NONBLOCK);
  EXPECT_EQ(0, child(file_, [] {
              for (int i = 0; i < 10000; ++i) one_line();
              return true;
            }));
  EXPECT_EQ(0u, drained(reader).find("gpuctr["));
  close(reader);
}

TEST_F(Trace, FileSizeLimit) {
  EXPECT_EQ(0, child(file_, [] {
              const rlimit none = {0, 0};
              setrlimit(RLIMIT_FSIZE, &none);
              return leaves_signals_alone();
            }));
  EXPECT_EQ("", written());
}

// A signal of the program's own that waits to be taken is still there afterwards.
TEST_F(Trace, SignalThatWasPendingStays) {
  EXPECT_EQ(0, child("stderr", [] {
              int ends[2];
              if (pipe(ends) != 0) return false;
              dup2(ends[1], STDERR_FILENO);
              close(ends[0]);
              sigset_t set;
              sigemptyset(&set);
              sigaddset(&set, SIGPIPE);
              pthread_sigmask(SIG_BLOCK, &set, nullptr);
              ::raise(SIGPIPE);
              one_line();
              sigpending(&set);
              return sigismember(&set, SIGPIPE) == 1;
            }));
}

TEST_F(Trace, PlacesThatTakeNothing) {
  for (const char* place : {"/dev/full", "/nowhere/trace", "/"}) {
    EXPECT_EQ(0, child(place, leaves_signals_alone)) << place;
  }
  EXPECT_EQ(0, child("stderr", [] { return close(STDERR_FILENO), leaves_signals_alone(); }));
}

// A thread that is cancelled ends where the program says, not inside of a call of ours.
TEST_F(Trace, IsNoCancellationPoint) {
  EXPECT_EQ(0, child(file_, [] {
              pthread_cancel(pthread_self());
              one_line();
              return true;
            }));
  EXPECT_NE("", written());
}

// A process under seccomp that may write and end, and no more: any other call would kill it.
bool only_writes() {
  if (!trace_enabled() || !allow_only({SYS_write, SYS_exit_group})) return false;
  return one_line() && one_line();
}

// The same with the limit that OpenSSH's pre-auth child sets for itself.
bool only_writes_and_no_file() {
  const rlimit none = {0, 0};
  return trace_enabled() && setrlimit(RLIMIT_FSIZE, &none) == 0 && only_writes();
}

int lines(const std::string& text) {
  return static_cast<int>(std::count(text.begin(), text.end(), '\n'));
}

TEST_F(Trace, OnlyWritesToAFile) {
  if (!kCallsAreOurs) GTEST_SKIP() << "a sanitizer makes system calls of its own";
  EXPECT_EQ(0, child(file_, only_writes));
  EXPECT_EQ(2, lines(written()));
}

TEST_F(Trace, OnlyWritesInAProcessThatMayGrowNoFile) {
  if (!kCallsAreOurs) GTEST_SKIP() << "a sanitizer makes system calls of its own";
  EXPECT_EQ(0, child(file_, only_writes_and_no_file));
  EXPECT_EQ("", written());
  EXPECT_EQ(0, child("stderr", [this] {
              const int fd = open(file_.c_str(), O_WRONLY | O_CREAT, 0600);
              return dup2(fd, STDERR_FILENO) >= 0 && only_writes_and_no_file();
            }));
}

TEST_F(Trace, OnlyWritesToAFifo) {
  if (!kCallsAreOurs) GTEST_SKIP() << "a sanitizer makes system calls of its own";
  ASSERT_EQ(0, mkfifo(file_.c_str(), 0600));
  const int reader = open(file_.c_str(), O_RDONLY | O_NONBLOCK);
  EXPECT_EQ(0, child(file_, only_writes_and_no_file));
  EXPECT_EQ(2, lines(drained(reader)));
  close(reader);
}

TEST_F(Trace, OnlyWritesToAPipe) {
  if (!kCallsAreOurs) GTEST_SKIP() << "a sanitizer makes system calls of its own";
  int ends[2];
  ASSERT_EQ(0, pipe(ends));
  EXPECT_EQ(0, child("stderr", [&] {
              return dup2(ends[1], STDERR_FILENO) >= 0 && only_writes_and_no_file();
            }));
  EXPECT_EQ(2, lines(drained(ends[0])));
  close(ends[0]);
  close(ends[1]);
}

// Nobody reads the terminal, and it is stopped (Ctrl-S): the line is dropped.
TEST_F(Trace, OnlyWritesToATerminal) {
  if (!kCallsAreOurs) GTEST_SKIP() << "a sanitizer makes system calls of its own";
  const int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  ASSERT_GE(master, 0);
  ASSERT_EQ(0, grantpt(master));
  ASSERT_EQ(0, unlockpt(master));
  const int terminal = open(ptsname(master), O_RDWR | O_NOCTTY | O_CLOEXEC);
  ASSERT_GE(terminal, 0);
  const auto writes = [&] {
    return dup2(terminal, STDERR_FILENO) >= 0 && only_writes_and_no_file();
  };
  EXPECT_EQ(0, child("stderr", writes));
  EXPECT_EQ(2, lines(drained(master)));
  ASSERT_EQ(0, tcflow(terminal, TCOOFF));
  EXPECT_EQ(0, child("stderr", writes));
  EXPECT_EQ("", drained(master));
  close(terminal);
  close(master);
}

TEST_F(Trace, OnlySendsToASocket) {
  if (!kCallsAreOurs) GTEST_SKIP() << "a sanitizer makes system calls of its own";
  int ends[2];
  ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_STREAM, 0, ends));
  EXPECT_EQ(0, child("stderr", [&] {
              return dup2(ends[1], STDERR_FILENO) >= 0 && trace_enabled() &&
                     allow_only({SYS_sendto, SYS_exit_group}) && one_line();
            }));
  EXPECT_EQ(1, lines(drained(ends[0])));
  close(ends[0]);
  close(ends[1]);
}

// The child of a fork writes its own process ID, and makes no call to learn it.
TEST_F(Trace, ForkedChildOnlyWrites) {
  if (!kCallsAreOurs) GTEST_SKIP() << "a sanitizer makes system calls of its own";
  EXPECT_EQ(0, child(file_, [this] {
              one_line();
              const pid_t pid = fork();
              if (pid == 0) _exit(allow_only({SYS_write, SYS_exit_group}) && one_line() ? 0 : 1);
              int status = 1;
              waitpid(pid, &status, 0);
              return status == 0 && written().find("gpuctr[" + std::to_string(pid) +
                                                   "]: one 1\n") != std::string::npos;
            }));
}

// The bare system call runs no handler, so the child can only name its parent.
TEST_F(Trace, BareForkNamesTheParent) {
  if (!kCallsAreOurs) GTEST_SKIP() << "a sanitizer makes system calls of its own";
  EXPECT_EQ(0, child(file_, [this] {
              one_line();
              const auto pid = static_cast<pid_t>(syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0));
              if (pid == 0) _exit(allow_only({SYS_write, SYS_exit_group}) && one_line() ? 0 : 1);
              int status = 1;
              waitpid(pid, &status, 0);
              return status == 0 && written().find("gpuctr[child of " + std::to_string(getpid()) +
                                                   "]: one 1\n") != std::string::npos;
            }));
}

// A FIFO stays open for reading in this process, so that no write raises SIGPIPE.
TEST_F(Trace, FifoWhoseReaderGoesAway) {
  ASSERT_EQ(0, mkfifo(file_.c_str(), 0600));
  EXPECT_EQ(0, child(file_, [this] {
              const int reader = open(file_.c_str(), O_RDONLY | O_NONBLOCK);
              one_line();
              return close(reader) == 0 && leaves_signals_alone();
            }));
}

// The one signal that a line can raise (trace.h). A program that ignores it goes on, and the
// program's own writes to the pipe fail as without a trace.
TEST_F(Trace, PipeWhoseReaderGoesAway) {
  for (const bool ignored : {false, true}) {
    EXPECT_EQ(ignored ? 0 : -SIGPIPE, child("stderr", [&] {
                int ends[2];
                if (pipe(ends) != 0) return false;
                dup2(ends[1], STDERR_FILENO);
                one_line();
                close(ends[0]);
                if (ignored) std::signal(SIGPIPE, SIG_IGN);
                return leaves_signals_alone() && write(STDERR_FILENO, "x", 1) < 0 && errno == EPIPE;
              }));
  }
}

// A handler of the program's own for SIGXFSZ stays, and so does the default action where the trace
// writes to no regular file.
TEST_F(Trace, FileSizeSignal) {
  const auto action = [] {
    struct sigaction now;
    sigaction(SIGXFSZ, nullptr, &now);
    return now.sa_handler;
  };
  EXPECT_EQ(0, child(file_, [&] { return one_line() && action() == SIG_IGN; }));
  EXPECT_EQ(0, child(file_, [&] {
              const auto own = [](int) {};
              std::signal(SIGXFSZ, own);
              return one_line() && action() == static_cast<void (*)(int)>(own);
            }));
  EXPECT_EQ(0, child("stderr", [&] {
              int ends[2];
              if (pipe(ends) != 0) return false;
              dup2(ends[1], STDERR_FILENO);
              return one_line() && action() == SIG_DFL;
            }));
}

// A program that closes all descriptors and opens files of its own finds no line in them.
TEST_F(Trace, DescriptorThatTheProgramCloses) {
  const std::string own = folder_ + "/own";
  EXPECT_EQ(0, child(file_, [&] {
              one_line();
              for (int fd = 3; fd < 5000; ++fd) close(fd);
              for (int i = 0; i < 100; ++i) {
                if (open(own.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600) < 0) return false;
              }
              return leaves_signals_alone();
            }));
  EXPECT_EQ(0u, std::filesystem::file_size(own));
  EXPECT_EQ(1, lines(written()));
}

TEST_F(Trace, NothingWithoutTheVariable) {
  EXPECT_EQ(0, child("", [] { return !trace_enabled() && one_line(); }));
}

}  // namespace
}  // namespace gpuctr::test
