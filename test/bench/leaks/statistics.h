// Whether times of two classes of inputs differ, in the manner of dudect (Reparaz, Balasch,
// Verbauwhede, "Dude, is my code constant time?", 2017): Welch's t-test, with the slowest samples
// left out, because interrupts make them slow.
#ifndef GPUCTR_TEST_BENCH_LEAKS_STATISTICS_H
#define GPUCTR_TEST_BENCH_LEAKS_STATISTICS_H

#include <cstddef>
#include <vector>

namespace gpuctr::bench {

// Samples in the order in which they were taken.
class Samples {
 public:
  void reserve(std::size_t n) { all_.reserve(n); }
  void add(bool random, double time) { all_.push_back({random, time}); }
  std::size_t size() const { return all_.size(); }

  // The t value of the second half of the samples. The first half chooses what is compared: the
  // times below one of 30 percentiles, or the squares of their distances from the mean. So one
  // value is one test, however many were tried. From 4.5 on, the classes differ: of equal ones one
  // in 150,000 does.
  double t() const;

 private:
  struct Sample {
    bool random;
    double time;
  };
  struct Choice {
    double below;
    bool squares;
  };
  double t_of(std::size_t from, std::size_t to, const Choice& choice) const;

  std::vector<Sample> all_;
};

constexpr double kDiffers = 4.5;

}  // namespace gpuctr::bench

#endif
