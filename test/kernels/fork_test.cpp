// The generation of a process, with a page that the kernel clears and, where WITHOUT_PAGE is
// defined, without one.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include <cerrno>
#include <thread>
#include <vector>

#include "kernels/base/fork_detection.h"
#include "test/bulk/sanitizers.h"
#include "test/support/raw_fork.h"

#ifdef WITHOUT_PAGE
// As kernels before 4.14 answer. In front of the C library's.
extern "C" int madvise(void*, std::size_t, int) noexcept {
  errno = EINVAL;
  return -1;
}
#endif

namespace gpuctr {
namespace {

using test::raw_fork;

// Where children leave their numbers.
std::uint64_t* shared() {
  static auto* const p = static_cast<std::uint64_t*>(
      mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  return p;
}

template <class Body>
bool in_child(pid_t (*make)(), const Body& body) {
  const pid_t child = make();
  if (child == 0) _exit(body() ? 0 : 1);
  int status = -1;
  waitpid(child, &status, 0);
  return status == 0;
}

TEST(ForkDetection, HoldsWithoutAFork) {
  const std::uint64_t mine = fork_generation();
  EXPECT_NE(mine, 0u);
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(fork_generation(), mine);
  std::uint64_t other = 0;
  std::thread([&] { other = fork_generation(); }).join();
  EXPECT_EQ(other, mine);
}

TEST(ForkDetection, EveryDescendantHasItsOwn) {
  const std::uint64_t mine = fork_generation();
  for (pid_t (*make)() : {static_cast<pid_t (*)()>(fork), raw_fork}) {
    shared()[0] = shared()[1] = 0;
    ASSERT_TRUE(in_child(make, [&] {
      shared()[0] = fork_generation();
      bool good = fork_generation() == shared()[0];
      for (pid_t (*again)() : {static_cast<pid_t (*)()>(fork), raw_fork}) {
        good = in_child(again,
                        [] {
                          shared()[1] = fork_generation();
                          return shared()[1] == fork_generation();
                        }) &&
               good && shared()[1] != shared()[0] && shared()[1] != 0;
      }
      return good && fork_generation() == shared()[0];
    }));
    EXPECT_NE(shared()[0], 0u);
    EXPECT_NE(shared()[0], mine);
    EXPECT_NE(shared()[1], mine);
  }
  EXPECT_EQ(fork_generation(), mine) << "the parent keeps its own";
}

TEST(ForkDetection, ThreadsOfAChildAgree) {
  if (test::kThreadSanitized) GTEST_SKIP() << "it cannot follow threads of a child";
  fork_generation();
  ASSERT_TRUE(in_child(fork, [] {
    std::atomic<std::uint64_t> all[8] = {};
    std::vector<std::thread> threads;
    for (auto& one : all) threads.emplace_back([&] { one = fork_generation(); });
    for (auto& thread : threads) thread.join();
    bool good = true;
    for (auto& one : all) good = good && one == all[0] && one != 0;
    return good;
  }));
}

}  // namespace
}  // namespace gpuctr
