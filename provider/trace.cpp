#include "provider/trace.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

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
  const bool to_stderr = std::strcmp(target(), "stderr") == 0;
  const int fd =
      to_stderr ? STDERR_FILENO : open(target(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (fd < 0) return;
  // A trace that cannot be written must not disturb the work.
  [[maybe_unused]] const ssize_t done = write(fd, line, size);
  if (!to_stderr) close(fd);
}

}  // namespace gpuctr
