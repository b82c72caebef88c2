// MemorySanitizer ends the process at the first report, including reports from its own versions of
// libc's functions. So each piece of work runs in a child, and the child's exit status shows
// whether there was a report.
#include <sanitizer/msan_interface.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "test/trust/watcher.h"

// exitcode: kReported below.
extern "C" const char* __msan_default_options() { return "exitcode=86"; }

namespace gpuctr::watcher {
namespace {
constexpr int kReported = 86;
}

const char* const kAbsent = "this CPU does not have it";

bool only_here(const char* backend) {
  for (const char* name : {"avx512-gfni", "avx512", "avx2-gfni", "avx2-vaes"}) {
    if (std::strcmp(backend, name) == 0) return true;
  }
  return false;
}

bool present() { return true; }  // it is compiled in

const bool kFollowsProducts = false;

void hide(void* p, std::size_t size) { __msan_poison(p, size); }

std::size_t hidden(const void* p, std::size_t size) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < size; ++i) {
    if (__msan_test_shadow(static_cast<const std::uint8_t*>(p) + i, 1) == 0) ++count;
  }
  return count;
}

unsigned long leaks(const std::function<void()>& work, bool planted) {
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    if (planted) __msan_set_expect_umr(1);  // the same end, with nothing printed
    work();
    _exit(0);
  }
  int status = 0;
  if (child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status)) {
    if (WEXITSTATUS(status) == 0) return 0;
    if (WEXITSTATUS(status) == kReported) return 1;
  }
  std::printf("FAILED   a child did not run to its end (status %d)\n", status);
  std::exit(1);
}

}  // namespace gpuctr::watcher
