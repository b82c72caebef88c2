#include "test/bench/leaks/trial.h"

#include <time.h>

#include <algorithm>
#include <cmath>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace gpuctr::bench {
namespace {

// Ticks of the time stamp counter; nothing moves across.
std::uint64_t ticks() {
#if defined(__x86_64__)
  _mm_lfence();
  const std::uint64_t now = __rdtsc();
  _mm_lfence();
  return now;
#else
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000u +
         static_cast<std::uint64_t>(now.tv_nsec);
#endif
}

double time_of(const Trial& trial) {
  if (trial.timed_call) return trial.timed_call();
  const std::uint64_t before = ticks();
  trial.call();
  return static_cast<double>(ticks() - before);
}

}  // namespace

Finding measure(const Trial& trial, std::size_t samples) {
  std::mt19937_64 classes(samples);
  Samples taken;
  taken.reserve(samples);
  const std::size_t warm = std::min<std::size_t>(1000, samples / 10);
  for (std::size_t i = 0; i < samples + warm; ++i) {
    const bool random = (classes() >> 40 & 1) != 0;
    trial.prepare(random);
    const double time = time_of(trial);
    if (i >= warm) taken.add(random, time);
  }
  const double t = taken.t();
  return {trial.where, trial.what, trial.planted, samples, t, std::abs(t) >= kDiffers};
}

Inputs::Inputs(std::size_t bytes, std::uint64_t seed) : bytes_(bytes) {
  std::mt19937_64 random(seed);
  for (Bytes& of : of_) of.resize(kCount * bytes);
  for (std::uint8_t& byte : of_[1]) byte = static_cast<std::uint8_t>(random());
  for (std::size_t i = 0; i < kCount * bytes; ++i) of_[0][i] = of_[1][i % bytes];
}

const std::uint8_t* Inputs::next(bool random) {
  at_ = (at_ + 1) % kCount;
  return of_[random].data() + at_ * bytes_;
}

}  // namespace gpuctr::bench
