#include "test/bench/timing.h"

#include <time.h>

#include <algorithm>
#include <cstdint>

namespace gpuctr::bench {
namespace {

// The thread's own time: what other processes take of the core does not count.
double now() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

double sample(const Job& job, std::size_t calls) {
  const double start = now();
  for (std::size_t i = 0; i < calls; ++i) job.call();
  return (now() - start) / static_cast<double>(calls);
}

}  // namespace

double Job::best() const { return *std::min_element(samples.begin(), samples.end()); }

double Job::median() const {
  std::vector<double> sorted = samples;
  std::sort(sorted.begin(), sorted.end());
  return sorted[sorted.size() / 2];
}

void time_in_turns(std::vector<Job>& jobs, unsigned rounds, double seconds) {
  std::vector<std::size_t> calls;
  for (const Job& job : jobs) {
    std::size_t n = 1;
    while (sample(job, n) * static_cast<double>(n) < seconds) n *= 2;
    calls.push_back(n);
  }
  for (unsigned r = 0; r < rounds; ++r) {
    for (std::size_t j = 0; j < jobs.size(); ++j)
      jobs[j].samples.push_back(sample(jobs[j], calls[j]));
  }
}

double core_clock() {
  constexpr int kLoops = 1000000;
  double best = 1e9;
  for (int r = 0; r < 10; ++r) {
    std::uint64_t x = 1;
    const double start = now();
    for (int i = 0; i < kLoops; ++i) {
#if defined(__x86_64__)
      __asm__ volatile("ror $1, %0\n\tror $1, %0\n\tror $1, %0\n\tror $1, %0" : "+r"(x));
#elif defined(__aarch64__)
      __asm__ volatile("ror %0, %0, 1\n\tror %0, %0, 1\n\tror %0, %0, 1\n\tror %0, %0, 1"
                       : "+r"(x));
#endif
    }
    best = std::min(best, (now() - start) / (4.0 * kLoops));
  }
  return 1 / best;
}

}  // namespace gpuctr::bench
