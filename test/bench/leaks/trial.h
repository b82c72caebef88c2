// A call whose time must not depend on its secrets, and how it is timed.
#ifndef GPUCTR_TEST_BENCH_LEAKS_TRIAL_H
#define GPUCTR_TEST_BENCH_LEAKS_TRIAL_H

#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "test/bench/leaks/statistics.h"

namespace gpuctr::bench {

using Bytes = std::vector<std::uint8_t>;

struct Trial {
  std::string where;  // the backend, or the device
  std::string what;
  bool planted = false;  // a leak that has to be found
  // The secret of a sample: one that is the same each time, or a random one. Not timed.
  std::function<void(bool random)> prepare;
  // The call; or, for a trial with its own clock, its time.
  std::function<void()> call;
  std::function<double()> timed_call = nullptr;
};

struct Finding {
  std::string where, what;
  bool planted;
  std::size_t samples;
  double t;
  bool differs;
};

// Times `samples` calls, of a random class each.
Finding measure(const Trial& trial, std::size_t samples);

// Inputs of a class, `bytes` each: copies of one input, or random ones. The copies lie in as much
// memory as the random ones, so that a cache holds both alike.
class Inputs {
 public:
  explicit Inputs(std::size_t bytes, std::uint64_t seed = 1);
  // The next input of a class, until the next call.
  const std::uint8_t* next(bool random);
  std::size_t bytes() const { return bytes_; }

 private:
  static constexpr std::size_t kCount = 1024;
  std::size_t bytes_;
  std::size_t at_ = 0;
  Bytes of_[2];
};

}  // namespace gpuctr::bench

#endif
