// Small pieces of work, in nanoseconds a call: the CPU's backend called without EVP, in counter
// mode, and random bytes, beside OpenSSL's CTR-DRBG. `./run bench calls` has messages through EVP.
// A table and build/bench/small.json.
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "kernels/cpu/backend.h"
#include "test/bench/random/rand_jobs.h"
#include "test/bench/rows.h"
#include "test/bench/timing.h"

namespace gpuctr::bench {
namespace {

constexpr std::size_t kSizes[] = {16, 64, 256};
constexpr unsigned kRounds = 25;
constexpr double kSampleSeconds = 0.001;
constexpr const char* kKinds[] = {"blocks_", "random_"};

class Bench {
 public:
  Bench() {
    for (std::size_t i = 0; i < kCipherCount; ++i) {
      const CipherSpec& spec = cipher_spec(i);
      if (spec.legacy) continue;
      rows_.add_row(spec.name);
      add_blocks(spec);
      add_random(spec.name, true);
      if (spec.in_openssl) {
        rows_.add_row(std::string("OpenSSL ") + spec.name);
        add_random(spec.name, false);
      }
    }
  }

  void run() { rows_.run(kRounds, kSampleSeconds); }

  void print() const {
    std::printf("Nanoseconds a call, one thread; best of %u, in turns. Random: RAND_bytes.\n\n",
                kRounds);
    std::printf("%-24s %20s    %20s\n%-24s", "", "the backend", "random bytes", "");
    for ([[maybe_unused]] const char* kind : kKinds) {
      for (const std::size_t size : kSizes) std::printf(" %4zu B", size);
      std::printf("   ");
    }
    for (const Rows::Row& row : rows_.all()) {
      std::printf("\n%-24s", row.name.c_str());
      for (const char* kind : kKinds) {
        for (const std::size_t size : kSizes) {
          const std::string column = kind + std::to_string(size);
          if (Rows::has(row, column)) {
            std::printf(" %6.1f", rows_.nanoseconds(row, column));
          } else {
            std::printf(" %6s", "-");
          }
        }
        std::printf("   ");
      }
    }
    std::printf("\n");
  }

  bool write(const char* path) const { return rows_.write(path, "ns a call"); }

 private:
  void add_blocks(const CipherSpec& spec) {
    auto keys = std::make_shared<RoundKeys>();
    const std::uint8_t key[kMaxKeyBytes] = {1, 2, 3};
    spec.expand(key, keys.get());
    const auto ctr = best_backend().ops[spec.index].ctr;
    std::uint8_t* const data = data_;
    for (const std::size_t n : kSizes) {
      rows_.add(kKinds[0] + std::to_string(n), [=] { ctr(*keys, data + 300, data, data, n); });
    }
  }

  void add_random(const std::string& name, bool ours) {
    sources_.push_back(std::make_unique<RandSource>(name, ours));
    const RandSource* const source = sources_.back().get();
    std::uint8_t* const data = data_;
    for (const std::size_t n : kSizes) {
      rows_.add(kKinds[1] + std::to_string(n), [=] { source->bytes(data, n); });
    }
  }

  std::uint8_t data_[512] = {};
  Rows rows_;
  std::vector<std::unique_ptr<RandSource>> sources_;
};

}  // namespace
}  // namespace gpuctr::bench

int main() { return gpuctr::bench::measure<gpuctr::bench::Bench>("build/bench/small.json"); }
