// GHASH in every form that this CPU has, on one thread, straight at the forms' functions, beside
// OpenSSL's in the same run: GMAC, whose updates are GHASH alone. Each message is one call.
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/params.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernels/cpu/ghash.h"
#include "test/bench/timing.h"

namespace gpuctr::bench {
namespace {

constexpr std::size_t kSizes[] = {std::size_t{1} << 20, 16384, 1024, 64};
constexpr std::size_t kSizeCount = sizeof kSizes / sizeof kSizes[0];
constexpr unsigned kRounds = 15;
constexpr double kSampleSeconds = 0.002;

// One line of the table; its jobs are jobs[first + size], and after them that of the key.
struct Row {
  std::string form;
  std::size_t first;
  bool has_key;
};

using Mac = std::shared_ptr<EVP_MAC_CTX>;

Mac openssl_gmac() {
  EVP_MAC* const mac = EVP_MAC_fetch(nullptr, "GMAC", nullptr);
  Mac context(EVP_MAC_CTX_new(mac), EVP_MAC_CTX_free);
  EVP_MAC_free(mac);
  char cipher[] = "AES-128-GCM";
  unsigned char iv[12] = {1};
  const OSSL_PARAM parameters[] = {
      OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_CIPHER, cipher, 0),
      OSSL_PARAM_construct_octet_string(OSSL_MAC_PARAM_IV, iv, sizeof iv),
      OSSL_PARAM_construct_end()};
  const unsigned char key[16] = {1, 2, 3};
  if (context == nullptr || EVP_MAC_init(context.get(), key, sizeof key, parameters) != 1) {
    throw std::runtime_error("no GMAC in this OpenSSL");
  }
  return context;
}

class Bench {
 public:
  Bench() : data_(kSizes[0]) {
    const GhashList forms = ghash_implementations();
    for (std::size_t i = 0; i < forms.count; ++i) {
      if (forms.first[i].available()) add(forms.first[i]);
    }
    rows_.push_back({"OpenSSL", jobs_.size(), false});
    const Mac mac = openssl_gmac();
    for (const std::size_t size : kSizes) {
      jobs_.push_back({[this, mac, size] { EVP_MAC_update(mac.get(), data_.data(), size); }});
    }
  }

  void run() {
    clock_ = core_clock();
    time_in_turns(jobs_, kRounds, kSampleSeconds);
    clock_ = std::max(clock_, core_clock());
  }

  void print() const {
    std::printf(
        "GHASH, one thread; best of %u, in turns. Core clock %.2f GHz, from a chain of rotations.\n"
        "OpenSSL: EVP_MAC_update of GMAC.\n\n",
        kRounds, clock_ / 1e9);
    std::printf("%-16s %10s %9s %9s %9s %9s %10s %10s\n", "form", "1 MiB GB/s", "16 KiB", "1 KiB",
                "64 B", "64 B ns", "key ns", "cycles/B");
    for (const Row& row : rows_) {
      std::printf("%-16s %10.2f %9.2f %9.2f %9.2f %9.1f %10.1f %10.3f\n", row.form.c_str(),
                  gbps(row, 0), gbps(row, 1), gbps(row, 2), gbps(row, 3),
                  1e9 * jobs_[row.first + 3].best(), key_ns(row), clock_ / 1e9 / gbps(row, 0));
    }
  }

  bool write(const char* path) const {
    std::FILE* f = std::fopen(path, "w");
    if (f == nullptr) return false;
    std::fprintf(f, "{\"clock_ghz\": %.3f, \"results\": [", clock_ / 1e9);
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      const Row& row = rows_[r];
      std::fprintf(f, "%s\n  {\"form\": \"%s\", \"key_ns\": %.2f", r == 0 ? "" : ",",
                   row.form.c_str(), key_ns(row));
      for (std::size_t s = 0; s < kSizeCount; ++s) {
        std::fprintf(f, ", \"gbps_%zu\": %.4f, \"median_gbps_%zu\": %.4f", kSizes[s], gbps(row, s),
                     kSizes[s], rate(s, jobs_[row.first + s].median()));
      }
      std::fprintf(f, "}");
    }
    std::fprintf(f, "\n]}\n");
    return std::fclose(f) == 0;
  }

 private:
  // What a form's calls work on.
  struct State {
    GhashKey key;
    std::uint8_t y[16];
  };

  void add(const GhashImplementation& form) {
    rows_.push_back({form.name, jobs_.size(), true});
    const GhashOps& ops = *form.ops;
    const auto state = std::make_shared<State>();
    static const std::uint8_t h[16] = {1, 2, 3};
    ops.expand(h, &state->key);
    for (const std::size_t size : kSizes) {
      jobs_.push_back({[this, &ops, state, size] {
        ops.update(state->key, state->y, data_.data(), size / 16);
      }});
    }
    jobs_.push_back({[&ops, state] { ops.expand(h, &state->key); }});
  }

  static double rate(std::size_t size, double seconds) {
    return static_cast<double>(kSizes[size]) / seconds / 1e9;
  }
  double gbps(const Row& row, std::size_t size) const {
    return rate(size, jobs_[row.first + size].best());
  }
  double key_ns(const Row& row) const {
    return row.has_key ? 1e9 * jobs_[row.first + kSizeCount].best() : 0;
  }

  std::vector<std::uint8_t> data_;
  std::vector<Job> jobs_;
  std::vector<Row> rows_;
  double clock_ = 0;
};

}  // namespace
}  // namespace gpuctr::bench

int main() { return gpuctr::bench::measure<gpuctr::bench::Bench>("build/bench/ghash.json"); }
