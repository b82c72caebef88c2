#include "kernels/bulk/base/stats.h"

#include <cstdio>

#include "kernels/bulk/base/threads.h"

namespace gpuctr::bulk {

void Report::fallback(DeviceStatus status, const char* where) {
  if (!counters.fallback(status, where) || note == nullptr) return;
  const CancelDisabled guard;  // the callback may write to a trace
  char text[128];
  std::snprintf(text, sizeof text, "the CPU does a device's work: %s: %s", where,
                device_status_text(status));
  note(note_argument, text);
}

}  // namespace gpuctr::bulk
