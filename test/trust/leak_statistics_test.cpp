// The statistics of bench_leaks on given numbers: equal classes, a shift, a wider spread, and slow
// samples among them, as interrupts make them.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "test/bench/leaks/statistics.h"

namespace gpuctr::bench {
namespace {

// 20,000 times of 100 or so; random ones are longer by `shift`, and `spread` times as far from 100.
Samples times(unsigned seed, double shift, double spread, bool interrupts) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal(0, 5);
  Samples made;
  for (unsigned i = 0; i < 20'000; ++i) {
    const bool of = (random() >> 16 & 1) != 0;
    double time = 100 + normal(random) * (of ? spread : 1) + (of ? shift : 0);
    if (interrupts && random() % 50 == 0) time += 20'000 + static_cast<double>(random() % 100'000);
    made.add(of, time);
  }
  return made;
}

TEST(LeakStatistics, EqualClassesDoNotDiffer) {
  for (unsigned seed = 1; seed <= 40; ++seed) {
    EXPECT_LT(std::abs(times(seed, 0, 1, false).t()), kDiffers) << seed;
    EXPECT_LT(std::abs(times(seed, 0, 1, true).t()), kDiffers) << seed;
  }
  Samples same;
  for (unsigned i = 0; i < 1000; ++i) same.add(i % 3 == 0, 7);
  EXPECT_EQ(same.t(), 0);
}

TEST(LeakStatistics, AShiftIsFound) {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    EXPECT_GT(times(seed, 1, 1, false).t(), kDiffers) << seed;
    EXPECT_GT(times(seed, 1, 1, true).t(), kDiffers) << seed;
    EXPECT_LT(times(seed, -1, 1, true).t(), -kDiffers) << seed;
  }
}

TEST(LeakStatistics, AWiderSpreadIsFound) {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    EXPECT_GT(std::abs(times(seed, 0, 1.5, false).t()), kDiffers) << seed;
    EXPECT_GT(std::abs(times(seed, 0, 1.5, true).t()), kDiffers) << seed;
  }
}

TEST(LeakStatistics, FewSamplesSayNothing) {
  Samples few;
  for (unsigned i = 0; i < 150; ++i) few.add(i % 2 == 0, i % 2 == 0 ? 200 : 100);
  EXPECT_EQ(few.t(), 0);
}

}  // namespace
}  // namespace gpuctr::bench
