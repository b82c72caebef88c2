// The opt-in trace: GPUCTR_TRACE=stderr, or a file to append to. Without it nothing is ever
// printed.
#ifndef GPUCTR_PROVIDER_CORE_TRACE_H
#define GPUCTR_PROVIDER_CORE_TRACE_H

namespace gpuctr {

// Whether lines are written: GPUCTR_TRACE is set and names something that can be opened. The first
// call opens it, for the life of the process; OSSL_provider_init makes that call. The variable is
// read then and never again, and not at all in set-user-ID programs. If the file is a regular one
// and SIGXFSZ has its default action, SIGXFSZ is ignored from then on: nothing but a system call
// could keep that signal from a line that passes a limit on the file's size.
bool trace_enabled();

// Appends one line, "gpuctr[<pid>]: " and the text, in a single write(2) to the open descriptor,
// and makes no other system call: a process under seccomp may trace. (Two kinds
// of standard error take another call: a socket send(2), which neither waits nor raises a signal;
// a pipe or terminal that this process may not open once more, poll(2) before the write.) A line
// that cannot be written at once is dropped. Changes no handler and no signal mask, does not wait
// for a reader, is no cancellation point and leaves errno. Raises no signal, with one exception: if
// standard error is a pipe whose last reader goes away after the first call of trace_enabled(), the
// write raises SIGPIPE, as any write of the program to it does. Never secret data. Any thread.
void trace(const char* format, ...) __attribute__((format(printf, 1, 2)));

}  // namespace gpuctr

#endif
