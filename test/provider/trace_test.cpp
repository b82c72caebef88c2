// GPUCTR_TRACE: what it writes, and that it disturbs nothing. The target is read once a process, so
// each case runs in a child, which sets the variable and ends with its verdict. A line that cannot
// be written at once is dropped; a child that waits for a reader is killed by its alarm, which no
// other case needs.
#include "provider/core/trace.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>

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

bool one_line() {
  trace("one %d", 1);
  return true;
}

// Neither a handler nor the mask is another afterwards, nothing is pending, and errno stays.
bool leaves_signals_alone() {
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
              raise(SIGPIPE);
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

TEST_F(Trace, NothingWithoutTheVariable) {
  EXPECT_EQ(0, child("", [] { return !trace_enabled() && one_line(); }));
}

}  // namespace
}  // namespace gpuctr::test
