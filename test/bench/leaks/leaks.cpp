// Whether secrets show in times: each call of the kernels on each backend of this CPU, the checks
// of tags and padding through EVP, and kernels on a device, with secrets that are the same each
// time and with random ones. For a quiet machine: a busy one hides a small leak, and shows none
// that is not there.
//
// usage: bench_leaks [SAMPLES [BACKEND|device|evp|planted]...]
#include "test/bench/leaks/leaks.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <set>

namespace gpuctr::bench {
namespace {

bool write_json(const char* path, const std::vector<Finding>& found) {
  std::FILE* const out = std::fopen(path, "w");
  if (out == nullptr) return false;
  std::fprintf(out, "[\n");
  for (const Finding& f : found) {
    std::fprintf(
        out,
        "%s {\"where\": \"%s\", \"what\": \"%s\", \"planted\": %s, \"samples\": %zu, \"t\": %.2f}",
        &f == &found.front() ? "" : ",\n", f.where.c_str(), f.what.c_str(),
        f.planted ? "true" : "false", f.samples, f.t);
  }
  std::fprintf(out, "\n]\n");
  return std::fclose(out) == 0;
}

// A difference is a finding only where a second measurement shows it too.
Finding confirmed(const Trial& trial, std::size_t samples) {
  const Finding first = measure(trial, samples);
  return first.differs ? measure(trial, samples + 1) : first;
}

int run(std::size_t samples, const std::set<std::string>& chosen) {
  std::vector<Trial> trials;
  add_planted(&trials);
  add_kernels(&trials);
  add_evp(&trials);
  add_card(&trials);
  std::vector<Finding> found;
  unsigned leaks = 0, missed = 0;
  std::string where;
  for (const Trial& trial : trials) {
    if (!chosen.empty() && chosen.count(trial.planted ? "planted" : trial.where) == 0) continue;
    // An event of the device is coarser and slower than a time stamp.
    found.push_back(confirmed(trial, trial.timed_call ? samples / 50 : samples));
    const Finding& f = found.back();
    leaks += !f.planted && f.differs;
    missed += f.planted && !f.differs;
    if (f.where != where) std::printf("%s\n", (where = f.where).c_str());
    std::printf("  %-44s t = %9.2f %s\n", f.what.c_str(), f.t,
                f.differs   ? f.planted ? "found" : "DIFFERS"
                : f.planted ? "MISSED"
                            : "");
    std::fflush(stdout);
  }
  std::printf("%zu measurements: %u of secrets differ, %u planted leaks were missed\n",
              found.size(), leaks, missed);
  std::filesystem::create_directories("build/bench");
  if (!write_json("build/bench/leaks.json", found)) std::perror("build/bench/leaks.json");
  return leaks == 0 && missed == 0 ? 0 : 1;
}

}  // namespace
}  // namespace gpuctr::bench

int main(int argc, char** argv) {
  const long samples = argc > 1 ? std::atol(argv[1]) : 200'000;
  if (samples < 10'000) {
    std::fprintf(
        stderr,
        "usage: bench_leaks [SAMPLES [BACKEND|card|evp|planted]...]; SAMPLES from 10000 on\n");
    return 2;
  }
  std::set<std::string> chosen;
  for (int i = 2; i < argc; ++i) chosen.insert(argv[i]);
  return gpuctr::bench::run(static_cast<std::size_t>(samples), chosen);
}
