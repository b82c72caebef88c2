// Random bytes of every generator of ours beside OpenSSL's own CTR-DRBG over AES-256 and beside the
// same cipher's counter mode, in one run: the table and build/bench/rand.json.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "kernels/gpu/layer.h"
#include "test/bench/random/rand_jobs.h"
#include "test/bench/timing.h"

namespace gpuctr::bench {
namespace {

struct Size {
  const char* name;
  std::size_t bytes;
};
constexpr Size kSizes[] = {{"32 B", 32}, {"4 KiB", 4096}, {"64 KiB", 65536}, {"1 MiB", 1u << 20}};
constexpr std::size_t kSizeCount = sizeof kSizes / sizeof kSizes[0];
constexpr std::size_t kLarge = std::size_t{1} << 30;
constexpr unsigned kRounds = 9;
constexpr double kSampleSeconds = 0.004;

struct Row {
  std::unique_ptr<RandSource> source;
  bool ours = false;
  double rand_bytes[kSizeCount] = {};  // seconds a call
  double generate[kSizeCount] = {};
  double ctr[kSizeCount] = {};
  double chain_ns = 0;  // 0: not one of ours
  double large = 0;     // seconds of the wall clock for kLarge; 0: not measured
  double device = 0;    // the same, into device memory
};

double gbps(std::size_t bytes, double seconds) {
  return seconds == 0 ? 0 : static_cast<double>(bytes) / seconds / 1e9;
}

template <class F>
double wall(int times, F&& call) {
  double best = 1e9;
  for (int i = 0; i < times; ++i) {
    const auto start = std::chrono::steady_clock::now();
    call();
    best = std::min(
        best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return best;
}

// The small sizes, all in turns, on the thread's own clock.
void measure_small(std::vector<Row>& rows) {
  std::vector<std::uint8_t> data(kSizes[kSizeCount - 1].bytes);
  std::vector<Job> jobs;
  for (const Row& row : rows) {
    const RandSource* source = row.source.get();
    for (const Size& size : kSizes) {
      jobs.push_back({[=, &data] { source->bytes(data.data(), size.bytes); }});
      jobs.push_back({[=, &data] { source->generate(data.data(), size.bytes); }});
      jobs.push_back({[=, &data] { source->encrypt(data.data(), size.bytes); }});
    }
  }
  time_in_turns(jobs, kRounds, kSampleSeconds);
  const Job* job = jobs.data();
  for (Row& row : rows) {
    for (std::size_t s = 0; s < kSizeCount; ++s) {
      row.rand_bytes[s] = job++->best();
      row.generate[s] = job++->best();
      row.ctr[s] = job++->best();
    }
    if (row.ours) row.chain_ns = chain_nanoseconds(row.source->name());
  }
}

// A large request each, on the wall clock: here a device takes part where there is one.
void measure_large(std::vector<Row>& rows) {
  const auto pages = static_cast<std::size_t>(sysconf(_SC_AVPHYS_PAGES));
  if (pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) < 3 * kLarge) return;
  std::vector<std::uint8_t> data(kLarge);
  for (Row& row : rows) {
    row.large = wall(3, [&] { row.source->bytes(data.data(), kLarge); });
  }
}

// Straight into device memory, where there is a device.
void measure_device(std::vector<Row>& rows) {
  const DeviceLayer* layer = cuda_layer();
  int cards = 0;
  if (layer == nullptr || layer->device_count(&cards) != DeviceStatus::kOk || cards == 0) return;
  void* memory = nullptr;
  if (layer->device_alloc(0, kLarge, &memory) != DeviceStatus::kOk) return;
  auto* out = static_cast<std::uint8_t*>(memory);
  for (Row& row : rows) {
    if (row.chain_ns == 0 || row.large == 0) continue;  // OpenSSL's own would write to it itself
    bool done = true;
    const double seconds = wall(15, [&] { done = done && row.source->generate(out, kLarge); });
    if (done) row.device = seconds;
  }
  layer->device_free(0, memory);
}

void print(const std::vector<Row>& rows) {
  std::printf(
      "RAND_bytes, one caller; best of %u, in turns. 32 B in ns a call, else GB/s; /CTR: beside "
      "the same cipher's CTR\nthrough EVP at that size. Chain: ns a legal request takes for its "
      "next state alone, and the GB/s that bounds.\n1 GiB on the wall clock, by every backend the "
      "provider uses.\n\n%-16s %7s %8s %6s %8s %6s %8s %6s %9s %9s %8s %8s\n",
      kRounds, "generator", "32 B ns", "4 KiB", "/CTR", "64 KiB", "/CTR", "1 MiB", "/CTR",
      "chain ns", "bound", "1 GiB", "device");
  for (const Row& row : rows) {
    std::printf("%-16s %7.0f", row.source->name().c_str(), row.rand_bytes[0] * 1e9);
    for (std::size_t s = 1; s < kSizeCount; ++s) {
      std::printf(" %8.3f %6.2f", gbps(kSizes[s].bytes, row.rand_bytes[s]),
                  row.ctr[s] / row.rand_bytes[s]);
    }
    const double request = static_cast<double>(request_bytes(row.source->name()));
    std::printf(" %9.1f %9.2f %8.2f %8.1f\n", row.chain_ns,
                row.chain_ns == 0 ? 0 : request / row.chain_ns, gbps(kLarge, row.large),
                gbps(kLarge, row.device));
  }
}

void write_json(const std::vector<Row>& rows, const char* path) {
  std::filesystem::create_directories("build/bench");
  std::FILE* out = std::fopen(path, "w");
  if (out == nullptr) return;
  std::fprintf(out, "{\n");
  for (const Row& row : rows) {
    std::fprintf(out, "  \"%s\": {", row.source->name().c_str());
    for (std::size_t s = 0; s < kSizeCount; ++s) {
      std::fprintf(out,
                   "\"%s\": {\"rand_bytes_gbps\": %.4f, \"generate_gbps\": %.4f, "
                   "\"ctr_gbps\": %.4f}, ",
                   kSizes[s].name, gbps(kSizes[s].bytes, row.rand_bytes[s]),
                   gbps(kSizes[s].bytes, row.generate[s]), gbps(kSizes[s].bytes, row.ctr[s]));
    }
    std::fprintf(out, "\"chain_ns\": %.1f, \"1 GiB gbps\": %.3f, \"device gbps\": %.1f}%s\n",
                 row.chain_ns, gbps(kLarge, row.large), gbps(kLarge, row.device),
                 &row == &rows.back() ? "" : ",");
  }
  std::fprintf(out, "}\n");
  std::fclose(out);
  std::printf("\nwritten to %s\n", path);
}

}  // namespace
}  // namespace gpuctr::bench

int main() {
  using namespace gpuctr::bench;
  std::vector<Row> rows;
  const auto add = [&](const char* cipher, bool ours) {
    rows.emplace_back();
    rows.back().ours = ours;
    rows.back().source = std::make_unique<RandSource>(cipher, ours);
  };
  add("AES-256", false);
  for (std::size_t i = 0; i < gpuctr::kCipherCount; ++i) {
    const gpuctr::CipherSpec& spec = gpuctr::cipher_spec(i);
    if (spec.generator_answer != nullptr) add(spec.name, true);
  }
  measure_small(rows);
  measure_large(rows);
  measure_device(rows);
  print(rows);
  write_json(rows, "build/bench/rand.json");
}
