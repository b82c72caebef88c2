// The bulk engine end to end: tables and build/bench/bulk.json, which plot_bulk.py draws.
#include <openssl/crypto.h>
#include <sched.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>

#include "kernels/cpu/backend.h"
#include "kernels/gpu/layer.h"
#include "test/bench/bulk/bulk_sections.h"

namespace gpuctr::bench {
namespace {

struct Section {
  const char* name;
  void (*run)(const Settings& settings, Report* report);
  bool standard;  // part of a run without names
};
constexpr Section kSections[] = {{"ceiling", bench_ceiling, true},
                                 {"updates", bench_updates, true},
                                 {"boxes", bench_boxes, true},
                                 {"enc", bench_enc, true},
                                 {"device", bench_device, true},
                                 {"cards", bench_cards, true},
                                 {"cards-memory", bench_cards_memory, true},
                                 {"crossover", bench_crossover, true},
                                 {"few-blocks", bench_few_blocks, true},
                                 {"tune", bench_tune, false}};

Settings settings_of_host(Report* report) {
  Settings s;
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0)
    s.threads = static_cast<unsigned>(CPU_COUNT(&set));
  s.memory = static_cast<std::size_t>(sysconf(_SC_AVPHYS_PAGES)) *
             static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const DeviceLayer* const layer = cuda_layer();
  DeviceInfo info{};
  if (layer == nullptr || layer->device_count(&s.cards) != DeviceStatus::kOk ||
      layer->device_info(0, &info) != DeviceStatus::kOk) {
    s.cards = 0;
  }
  report->fact("card", s.cards > 0        ? std::to_string(s.cards) + " x " + info.name
                       : layer == nullptr ? "no card: build without CUDA"
                                          : "no card");
  report->fact("cores", std::to_string(s.threads));
  report->fact("cpu backend", best_backend().name);
  report->fact("openssl", OpenSSL_version(OPENSSL_VERSION));
  return s;
}

int run(int argc, char** argv) {
  Report report;
  Settings settings = settings_of_host(&report);
  bool named = false;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--quick") == 0) {
      settings.quick = true;
      continue;
    }
    named = true;
    bool known = false;
    for (const Section& s : kSections) known = known || std::strcmp(argv[i], s.name) == 0;
    if (!known) {
      std::fprintf(stderr,
                   "bench_bulk [--quick] [ceiling updates boxes enc device cards crossover "
                   "few-blocks tune]\n");
      return 2;
    }
  }
  for (const Section& section : kSections) {
    bool wanted = !named && section.standard;
    for (int i = 1; i < argc; ++i) wanted = wanted || std::strcmp(argv[i], section.name) == 0;
    if (wanted) section.run(settings, &report);
  }
  report.write("build/bench/bulk.json");
  return 0;
}

}  // namespace
}  // namespace gpuctr::bench

int main(int argc, char** argv) { return gpuctr::bench::run(argc, argv); }
