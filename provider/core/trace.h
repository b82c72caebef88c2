// The opt-in trace: GPUCTR_TRACE=stderr, or a file to append to. Without it nothing is ever
// printed.
#ifndef GPUCTR_PROVIDER_CORE_TRACE_H
#define GPUCTR_PROVIDER_CORE_TRACE_H

namespace gpuctr {

// Whether GPUCTR_TRACE is set. Read once, and not at all in set-user-ID programs.
bool trace_enabled();

// Appends one line, "gpuctr[<pid>]: " and the text, in a single write; drops it where it cannot be
// written at once. Raises no signal, changes no handler, does not wait for a reader, is no
// cancellation point and leaves errno. Never secret data. Any thread.
void trace(const char* format, ...) __attribute__((format(printf, 1, 2)));

}  // namespace gpuctr

#endif
