// Parent and children never give the same bytes, whichever generator they ask and however the
// process came about.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <set>
#include <thread>

#include "test/drbg/evp_rand.h"
#include "test/support/raw_fork.h"

namespace gpuctr {
namespace {

using test::Bytes;
using test::Generator;
using test::lib;
using test::Params;

constexpr std::size_t kSample = 48;

pid_t library_fork() { return fork(); }

// What `make` gives in a child, or nothing where the child failed or hung.
Bytes in_child(pid_t (*start)(), const std::function<Bytes()>& make) {
  int ends[2];
  if (pipe(ends) != 0) return {};
  const pid_t child = start();
  if (child == 0) {
    alarm(20);
    const Bytes bytes = make();
    const ssize_t written = write(ends[1], bytes.data(), bytes.size());
    _exit(written == static_cast<ssize_t>(bytes.size()) ? 0 : 1);
  }
  close(ends[1]);
  Bytes out(4096);
  std::size_t used = 0;
  for (ssize_t n; (n = read(ends[0], out.data() + used, out.size() - used)) > 0;) {
    used += static_cast<std::size_t>(n);
  }
  close(ends[0]);
  int status = -1;
  waitpid(child, &status, 0);
  out.resize(WIFEXITED(status) && WEXITSTATUS(status) == 0 ? used : 0);
  return out;
}

class Samples {
 public:
  void add(const Bytes& bytes) {
    EXPECT_EQ(bytes.size() % kSample, 0u);
    EXPECT_FALSE(bytes.empty());
    for (std::size_t i = 0; i + kSample <= bytes.size(); i += kSample) {
      const auto first = bytes.begin() + static_cast<std::ptrdiff_t>(i);
      EXPECT_TRUE(seen_.insert(Bytes(first, first + kSample)).second) << "repeated output";
    }
  }

 private:
  std::set<Bytes> seen_;
};

class Fork : public testing::TestWithParam<std::tuple<const char*, pid_t (*)()>> {
 protected:
  std::string name() const { return std::get<0>(GetParam()) + std::string("-CTR-DRBG"); }
  pid_t (*start() const)() { return std::get<1>(GetParam()); }
};

// Primary, public and private, in two children, their children, and the parent.
TEST_P(Fork, TheWholeChain) {
  Generator primary(lib(), name(), nullptr);
  ASSERT_TRUE(primary.instantiate());
  ASSERT_EQ(EVP_RAND_enable_locking(primary.get()), 1);
  Generator publics(lib(), name(), primary.get()), privates(lib(), name(), primary.get());
  ASSERT_TRUE(publics.instantiate() && privates.instantiate());
  const auto sample = [&] {
    Bytes all;
    for (Generator* rand : {&publics, &privates, &primary}) {
      const Bytes part = rand->generate(kSample);
      all.insert(all.end(), part.begin(), part.end());
    }
    return all;
  };
  const auto sample_and_fork = [&] {
    Bytes all = sample();
    const Bytes inner = in_child(start(), sample);
    all.insert(all.end(), inner.begin(), inner.end());
    return all;
  };
  Samples samples;
  samples.add(sample());
  const Bytes first = in_child(start(), sample_and_fork);
  EXPECT_EQ(first.size(), 6 * kSample);
  samples.add(first);
  samples.add(in_child(start(), sample));
  samples.add(sample());
}

// Between instantiate and the first generate; and a child that is made before anything is seeded.
TEST_P(Fork, RightAfterInstantiate) {
  Generator rand(lib(), name(), nullptr);
  const auto sample = [&] { return rand.generate(kSample); };
  const auto instantiate_and_sample = [&] {
    return rand.instantiate() ? rand.generate(kSample) : Bytes();
  };
  Samples samples;
  samples.add(in_child(start(), instantiate_and_sample));
  samples.add(in_child(start(), instantiate_and_sample));
  ASSERT_TRUE(rand.instantiate());
  samples.add(in_child(start(), sample));
  samples.add(in_child(start(), sample));
  samples.add(sample());
}

// A child is seeded afresh once, and then works on.
TEST_P(Fork, AChildReseedsOnce) {
  Generator rand(lib(), name(), nullptr);
  ASSERT_TRUE(rand.instantiate());
  const auto counters = [&] {
    Bytes bytes(kSample);
    for (std::size_t i = 0; i < 4; ++i) {
      bytes[i] = static_cast<std::uint8_t>(rand.number(OSSL_DRBG_PARAM_RESEED_COUNTER));
      if (rand.generate(8).size() != 8) return Bytes();
    }
    return bytes;
  };
  const Bytes here = counters();
  ASSERT_FALSE(here.empty());
  const std::uint8_t first = here[0];
  EXPECT_EQ(here[3], first) << "no reason in the parent";
  const Bytes child = in_child(start(), counters);
  ASSERT_FALSE(child.empty());
  EXPECT_EQ(child[0], first);
  EXPECT_EQ(child[1], first + 1);
  EXPECT_EQ(child[2], first + 1);
  EXPECT_EQ(child[3], first + 1);
}

// Only for the C library's fork(): without its handlers its own locks are not safe to use either.
class ForkWithThreads : public testing::TestWithParam<const char*> {};

// The primary is locked by another thread at the moment of the fork, more often than not: the child
// neither hangs on the lock nor repeats what that thread got.
TEST_P(ForkWithThreads, WhileAnotherThreadGenerates) {
  Generator rand(lib(), GetParam() + std::string("-CTR-DRBG"), nullptr);
  ASSERT_TRUE(rand.instantiate());
  ASSERT_EQ(EVP_RAND_enable_locking(rand.get()), 1);
  std::atomic<bool> stop{false};
  std::thread busy([&] {
    Bytes out(1 << 16);
    while (!stop) EVP_RAND_generate(rand.get(), out.data(), out.size(), 0, 0, nullptr, 0);
  });
  Samples samples;
  for (int i = 0; i < 20; ++i) {
    samples.add(in_child(library_fork, [&] { return rand.generate(kSample); }));
  }
  stop = true;
  busy.join();
  samples.add(rand.generate(kSample));
}

INSTANTIATE_TEST_SUITE_P(EveryCipher, Fork,
                         testing::Combine(testing::ValuesIn(test::generator_ciphers()),
                                          testing::Values(library_fork, test::raw_fork)));

INSTANTIATE_TEST_SUITE_P(EveryCipher, ForkWithThreads,
                         testing::ValuesIn(test::generator_ciphers()));

}  // namespace
}  // namespace gpuctr
