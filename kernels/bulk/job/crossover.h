// The measured crossover of a cipher: the size from which a device is faster than a core.
#ifndef GPUCTR_KERNELS_BULK_JOB_CROSSOVER_H
#define GPUCTR_KERNELS_BULK_JOB_CROSSOVER_H

#include <time.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace gpuctr {
struct CipherSpec;
}

namespace gpuctr::bulk {

class Shared;

// The time for n bytes: fixed + slope n seconds.
struct CostLine {
  double fixed;
  double slope;

  // The line through two measurements; neither part is below zero.
  static CostLine through(std::size_t a, double a_time, std::size_t b, double b_time) {
    const double slope = b_time > a_time ? (b_time - a_time) / static_cast<double>(b - a) : 0;
    const double fixed = a_time - slope * static_cast<double>(a);
    return {fixed > 0 ? fixed : 0, slope};
  }
  // This line is no slower than `other` from this many bytes on; SIZE_MAX: never.
  std::size_t meets(const CostLine& other) const {
    if (other.slope < slope) return SIZE_MAX;
    if (other.slope == slope) return fixed <= other.fixed ? 0 : SIZE_MAX;
    const double bytes = (fixed - other.fixed) / (other.slope - slope);
    if (bytes <= 0) return 0;
    return bytes < 1e15 ? static_cast<std::size_t>(bytes) : SIZE_MAX;
  }
};

// The measurements of one cipher. The measuring thread writes them once, before state becomes
// kKnown.
struct Crossover {
  enum State : int { kUnknown, kMeasuring, kKnown };
  std::atomic<int> state{kUnknown};
  std::size_t bytes = SIZE_MAX;  // a job of this size is as fast on the device as on one core
  std::size_t alone = 0;  // up to this size the engine's threads are faster without the device
  std::size_t cpu_piece = 64 << 10;  // one core takes about 0.1 ms for this
  bool ahead_pays = false;           // reading ahead is faster than one core's own keystream
};

// The same of batches in ordinary memory, in one mode: from this weight on (batch/crossover.h) a
// device is faster than the engine's threads.
struct BatchCrossover {
  std::atomic<int> state{Crossover::kUnknown};
  std::size_t weight = SIZE_MAX;
};

// The best of a few times of work(), seconds: a disturbance can only make one longer.
template <class Work>
double best_time(const Work& work) {
  constexpr int kRepeats = 3;
  double best = 1e9;
  for (int i = 0; i < kRepeats; ++i) {
    timespec a, b;
    clock_gettime(CLOCK_MONOTONIC, &a);
    work();
    clock_gettime(CLOCK_MONOTONIC, &b);
    const double t = static_cast<double>(b.tv_sec - a.tv_sec) +
                     1e-9 * static_cast<double>(b.tv_nsec - a.tv_nsec);
    best = t < best ? t : best;
  }
  return best;
}

// Times one core, all threads and the whole device path, in some ten milliseconds, and fills
// `result` except for its state. The devices are open. Leaves the default (never) if it cannot
// measure, or if the devices have no kernels for the cipher.
void measure_crossover(Shared* shared, const CipherSpec& cipher, Crossover* result);

}  // namespace gpuctr::bulk

#endif
