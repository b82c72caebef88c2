// Counter mode of every cipher on every backend this CPU has, on one thread, straight at the
// backends' functions, beside Crypto++, OpenSSL, libgcrypt and Botan in the same run; and ECB both
// ways and CBC decryption, as the engine runs it on one thread, on our backends.
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "kernels/bulk/base/work.h"
#include "kernels/cpu/backend.h"
#include "test/bench/cpu/cpu_peers.h"
#include "test/bench/timing.h"

namespace gpuctr::bench {
namespace {

constexpr std::size_t kSizes[] = {std::size_t{1} << 20, 4096, 64};
constexpr std::size_t kSizeCount = 3;
constexpr unsigned kRounds = 15;
constexpr double kSampleSeconds = 0.002;
// Jobs on whole blocks, of 1 MiB, in the order of a row.
enum BlockKind { kEcbEncrypt, kEcbDecrypt, kCbcDecrypt, kBlockKinds };
constexpr const char* kBlockKindKeys[] = {"ecb_encrypt", "ecb_decrypt", "cbc_decrypt"};

// One line of the table: who runs which cipher; its jobs are jobs[first + size].
struct Row {
  std::string cipher;
  std::string backend;
  std::size_t first;
  double work;  // as in Peer
  int blocks;   // its jobs on whole blocks, from here on; -1: none
};

class Bench {
 public:
  // Of these ciphers, or of all if none is named.
  explicit Bench(const std::vector<std::string>& ciphers) : data_(kSizes[0] + 64) {
    const BackendList backends = cpu_backends();
    for (std::size_t c = 0; c < kCipherCount; ++c) {
      if (!ciphers.empty() &&
          std::find(ciphers.begin(), ciphers.end(), cipher_spec(c).name) == ciphers.end()) {
        continue;
      }
      for (std::size_t m = 0; m < backends.count; ++m) {
        if (backends.first[m]->available()) add(*backends.first[m], cipher_spec(c));
      }
      const std::string name = cipher_spec(c).name;
      add(name, "Crypto++", cryptopp(name));
      add(name, "OpenSSL", openssl(name));
      add(name, "libgcrypt", libgcrypt(name));
      add(name, "Botan", botan(name));
    }
  }

  void run() {
    clock_ = core_clock();
    time_in_turns(jobs_, kRounds, kSampleSeconds);
    clock_ = std::max(clock_, core_clock());
  }

  void print() const {
    std::printf(
        "CTR, one thread, in place; best of %u, in turns. Core clock %.2f GHz, from a chain of "
        "rotations.\n"
        "GB/s and ratios of Crypto++ are for the rounds of the revised CHAM.\n\n",
        kRounds, clock_ / 1e9);
    std::printf("%-13s %-12s %9s %9s %9s %10s %10s %10s %10s %9s %9s %9s %9s\n", "cipher",
                "backend", "1 MiB GB/s", "4 KiB", "64 B", "cycles/B", "x Crypto++", "x OpenSSL",
                "x scalar", "4K/1M", "ECB enc", "ECB dec", "CBC dec");
    for (const Row& row : rows_) {
      std::printf("%-13s %-12s %9.3f %9.3f %9.3f %10.3f %10.2f %10.2f %10.1f %9.2f",
                  row.cipher.c_str(), row.backend.c_str(), gbps(row, 0), gbps(row, 1), gbps(row, 2),
                  cycles(row), ratio(row, "Crypto++"), ratio(row, "OpenSSL"), ratio(row, "scalar"),
                  gbps(row, 1) / gbps(row, 0));
      for (int kind = 0; row.blocks >= 0 && kind < kBlockKinds; ++kind) {
        std::printf(" %9.3f", block_gbps(row, kind));
      }
      std::printf("\n");
    }
    for (const std::string& note : notes_) std::printf("%s\n", note.c_str());
  }

  bool write(const char* path) const {
    std::FILE* f = std::fopen(path, "w");
    if (f == nullptr) return false;
    std::fprintf(f, "{\"clock_ghz\": %.3f, \"results\": [", clock_ / 1e9);
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      const Row& row = rows_[r];
      std::fprintf(f, "%s\n  {\"cipher\": \"%s\", \"backend\": \"%s\", \"cycles_per_byte\": %.4f",
                   r == 0 ? "" : ",", row.cipher.c_str(), row.backend.c_str(), cycles(row));
      for (std::size_t s = 0; s < kSizeCount; ++s) {
        std::fprintf(f, ", \"gbps_%zu\": %.4f, \"median_gbps_%zu\": %.4f", kSizes[s], gbps(row, s),
                     kSizes[s], rate(row, s, jobs_[row.first + s].median()));
      }
      for (int kind = 0; row.blocks >= 0 && kind < kBlockKinds; ++kind) {
        std::fprintf(f, ", \"gbps_%s\": %.4f", kBlockKindKeys[kind], block_gbps(row, kind));
      }
      std::fprintf(f, ", \"ratio_to_openssl\": %.3f", ratio(row, "OpenSSL"));
      std::fprintf(f, ", \"ratio_to_cryptopp\": %.3f, \"ratio_to_scalar\": %.3f}",
                   ratio(row, "Crypto++"), ratio(row, "scalar"));
    }
    std::fprintf(f, "\n]}\n");
    return std::fclose(f) == 0;
  }

 private:
  void add(const Backend& backend, const CipherSpec& cipher) {
    rows_.push_back(
        {cipher.name, backend.name, jobs_.size(), 1, static_cast<int>(jobs_.size() + kSizeCount)});
    RoundKeys keys{};
    std::uint8_t key[kMaxKeyBytes] = {1, 2, 3};
    cipher.expand(key, &keys);
    for (const std::size_t size : kSizes) {
      const auto ctr = backend.ops[cipher.index].ctr;
      jobs_.push_back({[this, keys, ctr, size] {
        const std::uint8_t counter[kMaxBlockBytes] = {9, 8, 7};
        ctr(keys, counter, data_.data(), data_.data(), size);
      }});
    }
    const CipherOps& ops = backend.ops[cipher.index];
    const std::size_t blocks = kSizes[0] / cipher.block_bytes;
    for (const auto run : {ops.encrypt, ops.decrypt}) {
      jobs_.push_back(
          {[this, keys, run, blocks] { run(keys, data_.data(), data_.data(), blocks); }});
    }
    jobs_.push_back({[this, keys, &cipher, &ops] {
      const std::uint8_t iv[kMaxBlockBytes] = {9, 8, 7};
      bulk::run_blocks(
          {cipher, ops, keys, BlockOperation::kDecrypt, iv, data_.data(), data_.data(), kSizes[0]});
    }});
  }

  void add(const std::string& cipher, const std::string& backend, const Peer& peer) {
    if (!peer.ctr) return;
    rows_.push_back({cipher, backend, jobs_.size(), peer.work, -1});
    if (!peer.note.empty()) notes_.push_back(backend + "'s " + cipher + ": " + peer.note);
    for (const std::size_t size : kSizes) {
      jobs_.push_back({[this, peer, size] { peer.ctr(data_.data(), size); }});
    }
  }

  double rate(const Row& row, std::size_t size, double seconds) const {
    return static_cast<double>(kSizes[size]) / seconds * row.work / 1e9;
  }
  double gbps(const Row& row, std::size_t size) const {
    return rate(row, size, jobs_[row.first + size].best());
  }
  double block_gbps(const Row& row, int kind) const {
    return rate(row, 0, jobs_[static_cast<std::size_t>(row.blocks + kind)].best());
  }
  double cycles(const Row& row) const { return clock_ / 1e9 / gbps(row, 0); }

  // At 1 MiB, to another backend's run of the same cipher; 0 where there is none.
  double ratio(const Row& row, const std::string& backend) const {
    for (const Row& other : rows_) {
      if (other.cipher == row.cipher && other.backend == backend) {
        return gbps(row, 0) / gbps(other, 0);
      }
    }
    return 0;
  }

  std::vector<std::uint8_t> data_;
  std::vector<Job> jobs_;
  std::vector<Row> rows_;
  std::vector<std::string> notes_;
  double clock_ = 0;
};

}  // namespace
}  // namespace gpuctr::bench

// usage: bench_cpu [CIPHER...]
int main(int argc, char** argv) {
  return gpuctr::bench::measure<gpuctr::bench::Bench>(
      "build/bench/cpu.json", std::vector<std::string>(argv + 1, argv + argc));
}
