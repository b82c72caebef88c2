// For test programs that fork while threads work. Included once in each.
#ifndef GPUCTR_TEST_BULK_SANITIZERS_H
#define GPUCTR_TEST_BULK_SANITIZERS_H

#if defined(__SANITIZE_THREAD__)
// Children here may start threads, which the sanitizer would end them for.
extern "C" __attribute__((visibility("default"))) const char* __tsan_default_options() {
  return "die_after_fork=0";
}
#elif defined(__SANITIZE_ADDRESS__)
// A child that ends by exit() would be searched for leaks, and LeakSanitizer says on stderr that it
// cannot stop the parent's threads. Memcheck looks for leaks here (test/trust).
extern "C" __attribute__((visibility("default"))) const char* __asan_default_options() {
  return "detect_leaks=0";
}
#endif

namespace gpuctr::test {

#if defined(__SANITIZE_THREAD__)
constexpr bool kThreadSanitized = true;
#else
constexpr bool kThreadSanitized = false;
#endif
// GCC 12's takes no lock of its allocator before a fork, as LLVM's does from 18 on: where other
// threads allocate meanwhile, a child can wait for ever.
#if defined(__SANITIZE_ADDRESS__)
constexpr bool kAddressSanitized = true;
#else
constexpr bool kAddressSanitized = false;
#endif
constexpr bool kSanitized = kThreadSanitized || kAddressSanitized;

}  // namespace gpuctr::test

#endif
