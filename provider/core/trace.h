// The opt-in trace: GPUCTR_TRACE=stderr, or the name of a file to append to. Without GPUCTR_TRACE
// the provider prints nothing.
#ifndef GPUCTR_PROVIDER_CORE_TRACE_H
#define GPUCTR_PROVIDER_CORE_TRACE_H

namespace gpuctr {

// Whether lines are written: GPUCTR_TRACE is set and names a file that can be opened. The first
// call, in OSSL_provider_init, opens the file for the life of the process. Only that call reads the
// variable, and in set-user-ID programs no call reads it. If the file is a regular file and SIGXFSZ
// has its default action, the first call sets SIGXFSZ to be ignored. Otherwise a line that passes a
// limit on the file's size would raise that signal. Only a further system call per line could
// prevent the signal.
bool trace_enabled();

// Appends one line, "gpuctr[<pid>]: " and the text, in a single write(2) to the open descriptor.
// Makes no other system call, so a process under seccomp may trace. (Two kinds of standard error
// need another call. For a socket: send(2), which neither waits nor raises a signal. For a pipe or
// terminal that this process cannot open again: poll(2) before the write.) A line that cannot be
// written at once is dropped. trace() changes no signal handler or mask, and preserves errno. It
// does not wait for a reader and is no cancellation point. It raises no signal, with one exception:
// standard error is a pipe whose last reader closes it after the first call of trace_enabled(). The
// write then raises SIGPIPE, as any other write to that pipe does. Never pass secret data. Any
// thread.
void trace(const char* format, ...) __attribute__((format(printf, 1, 2)));

}  // namespace gpuctr

#endif
