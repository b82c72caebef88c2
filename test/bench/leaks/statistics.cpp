#include "test/bench/leaks/statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace gpuctr::bench {
namespace {

// Mean and variance of numbers that come one after the other.
struct Moments {
  double n = 0, mean = 0, squares = 0;

  void add(double x) {
    n += 1;
    const double before = x - mean;
    mean += before / n;
    squares += before * (x - mean);
  }
  double variance_of_mean() const { return squares / (n - 1) / n; }
};

double welch(const Moments (&of)[2]) {
  if (of[0].n < 100 || of[1].n < 100) return 0;
  const double variance = of[0].variance_of_mean() + of[1].variance_of_mean();
  const double difference = of[1].mean - of[0].mean;
  if (variance > 0) return difference / std::sqrt(variance);
  return difference == 0 ? 0 : std::numeric_limits<double>::infinity();
}

}  // namespace

double Samples::t_of(std::size_t from, std::size_t to, const Choice& choice) const {
  Moments of[2];
  for (std::size_t i = from; i < to; ++i)
    if (all_[i].time < choice.below) of[all_[i].random].add(all_[i].time);
  if (!choice.squares) return welch(of);
  Moments spread[2];
  for (std::size_t i = from; i < to; ++i) {
    if (all_[i].time >= choice.below) continue;
    const double distance = all_[i].time - of[all_[i].random].mean;
    spread[all_[i].random].add(distance * distance);
  }
  return welch(spread);
}

double Samples::t() const {
  constexpr unsigned kPercentiles = 30;
  const std::size_t half = all_.size() / 2;
  if (half == 0) return 0;
  std::vector<double> times;
  for (std::size_t i = 0; i < half; ++i) times.push_back(all_[i].time);
  std::sort(times.begin(), times.end());
  Choice best = {std::numeric_limits<double>::infinity(), false};
  double most = std::abs(t_of(0, half, best));
  for (unsigned i = 0; i <= kPercentiles; ++i) {
    // From the median up to all, denser at the upper end.
    const double part = 1 - 0.5 * std::pow(0.8, i);
    const double below = i == kPercentiles
                             ? std::numeric_limits<double>::infinity()
                             : times[static_cast<std::size_t>(part * static_cast<double>(half))];
    for (const bool squares : {false, true}) {
      const Choice choice = {below, squares};
      const double t = std::abs(t_of(0, half, choice));
      if (t > most) most = t, best = choice;
    }
  }
  return t_of(half, all_.size(), best);
}

}  // namespace gpuctr::bench
