// Timing of many small jobs on a machine that does other work as well.
#ifndef GPUCTR_TEST_BENCH_TIMING_H
#define GPUCTR_TEST_BENCH_TIMING_H

#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <vector>

namespace gpuctr::bench {

// Something to time. `call` is run many times for one sample.
struct Job {
  std::function<void()> call;
  std::vector<double> samples = {};  // seconds of the thread's CPU time for one call

  double best() const;
  double median() const;
};

// Takes `rounds` samples of each job, of at least `seconds` each. Jobs take turns, so that a slow
// phase of the machine falls on all of them.
void time_in_turns(std::vector<Job>& jobs, unsigned rounds, double seconds);

// The core's clock now, in Hz, from a chain of rotations of one cycle each: the time stamp counter
// runs at a fixed rate that is not the core's.
double core_clock();

// The main() of a benchmark: runs it, prints its table and writes its JSON file.
template <class Bench, class... Arguments>
int measure(const char* path, const Arguments&... arguments) {
  Bench bench(arguments...);
  bench.run();
  bench.print();
  std::filesystem::create_directories("build/bench");
  if (bench.write(path)) return 0;
  std::perror(path);
  return 1;
}

}  // namespace gpuctr::bench

#endif
