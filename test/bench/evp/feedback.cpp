// CFB and OFB of 16 KiB, update after update, on every CPU backend of this machine. CFB decryption
// beside counter mode, the chains (encryption in CFB, OFB) beside CBC encryption, and all of them
// beside OpenSSL's own of the same cipher, from its default or legacy provider, in the same run.
#include <openssl/crypto.h>

#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "kernels/cipher/registry.h"
#include "kernels/cpu/backend.h"
#include "test/bench/evp/messages.h"
#include "test/bench/timing.h"

namespace gpuctr::bench {
namespace {

constexpr unsigned kRounds = 15;
constexpr double kSampleSeconds = 0.0005;
constexpr int kBytes = Messages::kBytes;

// A mode in one direction. What it is compared with, besides OpenSSL's own: another of the list.
constexpr struct {
  const char* mode;
  bool encrypts;
  const char* name;
} kWhat[] = {{"CTR", true, "CTR"},         {"CFB", false, "CFB decr."},
             {"CBC", true, "CBC encr."},   {"CFB", true, "CFB encr."},
             {"OFB", true, "OFB"},         {"CFB8", false, "CFB8 decr."},
             {"CFB8", true, "CFB8 encr."}, {"CFB1", true, "CFB1 encr."}};
constexpr std::size_t kWhats = std::size(kWhat);

struct Row {
  std::string cipher;
  std::string who;
  double rates[kWhats] = {};  // GB/s; 0: there is no such algorithm
};

class Bench {
 public:
  explicit Bench(const std::string& only) {
    const BackendList backends = cpu_backends();
    for (std::size_t b = 0; b < backends.count; ++b) {
      if (!backends.first[b]->available()) continue;
      names_.emplace_back(backends.first[b]->name);
      ours_.push_back(std::make_unique<Library>(names_.back()));
    }
    for (std::size_t i = 0; i < kCipherCount; ++i) {
      const CipherSpec& spec = cipher_spec(i);
      if (spec.block_bytes <= 16 && std::string(spec.name).rfind(only, 0) == 0) measure(spec.name);
    }
  }

  void print() const {
    std::printf("%s; %d bytes, one thread, GB/s\n%-14s %-12s", OpenSSL_version(OPENSSL_VERSION),
                kBytes, "", "");
    for (const auto& what : kWhat) std::printf(" %10s", what.name);
    std::printf("  CFB decr./CTR  CFB/CBC encr.\n");
    for (const Row& row : rows_) {
      std::printf("%-14s %-12s", row.cipher.c_str(), row.who.c_str());
      for (const double rate : row.rates) std::printf(rate == 0 ? "          -" : " %10.3f", rate);
      if (row.rates[0] != 0) std::printf("  %13.2f", row.rates[1] / row.rates[0]);
      if (row.rates[2] != 0) std::printf("  %13.2f", row.rates[3] / row.rates[2]);
      std::printf("\n");
    }
  }

  bool write(const char* path) const {
    std::FILE* const f = std::fopen(path, "w");
    if (f == nullptr) return false;
    std::fprintf(f, "{\"openssl\": \"%s\", \"unit\": \"GB/s\", \"bytes\": %d, \"results\": [",
                 OpenSSL_version(OPENSSL_VERSION), kBytes);
    for (const Row& row : rows_) {
      std::fprintf(f, "%s\n  {\"cipher\": \"%s\", \"by\": \"%s\"",
                   &row == &rows_.front() ? "" : ",", row.cipher.c_str(), row.who.c_str());
      for (std::size_t i = 0; i < kWhats; ++i) {
        if (row.rates[i] != 0) std::fprintf(f, ", \"%s\": %.4f", kWhat[i].name, row.rates[i]);
      }
      std::fprintf(f, "}");
    }
    std::fprintf(f, "\n]}\n");
    return std::fclose(f) == 0;
  }

 private:
  // Everything of a cipher within the same seconds.
  void measure(const std::string& cipher) {
    std::vector<Job> jobs;
    std::vector<std::pair<std::size_t, std::size_t>> places;
    for (std::size_t who = 0; who <= ours_.size(); ++who) {
      const Library& library = who == 0 ? theirs_ : *ours_[who - 1];
      rows_.push_back({cipher, who == 0 ? "OpenSSL" : names_[who - 1]});
      for (std::size_t i = 0; i < kWhats; ++i) {
        EVP_CIPHER* const found = library.fetch(cipher + "-" + kWhat[i].mode);
        if (found == nullptr) continue;
        const auto messages = std::make_shared<Messages>(found, kWhat[i].encrypts);
        // A fiftieth of the bytes where each takes an encryption, and CFB1 eight.
        const bool slow = kWhat[i].encrypts && std::strncmp(kWhat[i].mode, "CFB", 3) == 0 &&
                          kWhat[i].mode[3] != '\0';
        const int bytes = slow ? 320 : kBytes;
        places.emplace_back(rows_.size() - 1, i);
        sizes_.push_back(bytes);
        jobs.push_back({[=] { messages->call(Way::kUpdate, bytes); }});
      }
    }
    for (const Job& job : jobs) {
      for (int i = 0; i < 3; ++i) job.call();
    }
    time_in_turns(jobs, kRounds, kSampleSeconds);
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      rows_[places[i].first].rates[places[i].second] = sizes_[i] / jobs[i].best() * 1e-9;
    }
    sizes_.clear();
  }

  const Library theirs_{"", true};
  std::vector<std::string> names_;  // backends, best first
  std::vector<std::unique_ptr<Library>> ours_;
  std::vector<int> sizes_;
  std::vector<Row> rows_;
};

}  // namespace
}  // namespace gpuctr::bench

// usage: bench_feedback [NAME [FILE]]: ciphers whose names begin with NAME; readings go to FILE.
int main(int argc, char** argv) {
  const gpuctr::bench::Bench bench(argc > 1 ? argv[1] : "");
  bench.print();
  return bench.write(argc > 2 ? argv[2] : "build/bench/feedback.json") ? 0 : 1;
}
