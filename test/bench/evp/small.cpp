// Small messages, as devices send them and as TLS asks for random bytes, in nanoseconds a call:
// updates that follow one another, messages with an IV of their own, and small random requests,
// beside OpenSSL's own ciphers and CTR-DRBG in one run; counter mode, and ECB and CBC where OpenSSL
// has them too. A table and build/bench/small.json.
#include <openssl/evp.h>
#include <openssl/provider.h>

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "kernels/cpu/backend.h"
#include "test/bench/evp/messages.h"
#include "test/bench/random/rand_jobs.h"
#include "test/bench/timing.h"

namespace gpuctr::bench {
namespace {

constexpr std::size_t kSizes[] = {16, 64, 256};
constexpr unsigned kRounds = 25;
constexpr double kSampleSeconds = 0.001;

// What is measured of a row, at each size.
enum Kind { kUpdate, kMessage, kBlocks, kRandom, kKinds };
constexpr const char* kKindNames[] = {"update", "new_iv_and_update", "blocks", "random"};

// A cipher of ours, or of OpenSSL's default or legacy provider, in ECB or CBC, without padding.
class BlockMode {
 public:
  BlockMode(const std::string& name, bool ours, bool encrypts)
      : library_(OSSL_LIB_CTX_new()), context_(EVP_CIPHER_CTX_new()) {
    OSSL_PROVIDER_set_default_search_path(library_, GPUCTR_MODULE_DIR);
    if (ours) {
      must(OSSL_PROVIDER_load(library_, "gpuctr") != nullptr, "the module");
    } else {
      must(OSSL_PROVIDER_load(library_, "default") != nullptr, "the default provider");
      OSSL_PROVIDER_set_default_search_path(library_, nullptr);
      OSSL_PROVIDER_load(library_, "legacy");  // which may be missing
    }
    EVP_CIPHER* const cipher = EVP_CIPHER_fetch(library_, name.c_str(), nullptr);
    const unsigned char key_and_iv[64] = {1, 2, 3};
    found_ = cipher != nullptr &&
             EVP_CipherInit_ex2(context_, cipher, key_and_iv, key_and_iv, encrypts, nullptr) == 1;
    EVP_CIPHER_CTX_set_padding(context_, 0);
    EVP_CIPHER_free(cipher);
  }
  ~BlockMode() {
    EVP_CIPHER_CTX_free(context_);
    OSSL_LIB_CTX_free(library_);
  }
  BlockMode(const BlockMode&) = delete;
  BlockMode& operator=(const BlockMode&) = delete;

  bool found() const { return found_; }
  void update(std::uint8_t* data, std::size_t n) const {
    int done = 0;
    must(EVP_CipherUpdate(context_, data, &done, data, static_cast<int>(n)) == 1, "an update");
  }
  void restart(const std::uint8_t* iv) const {
    must(EVP_CipherInit_ex(context_, nullptr, nullptr, nullptr, iv, -1) == 1, "a new IV");
  }

 private:
  OSSL_LIB_CTX* library_;
  EVP_CIPHER_CTX* context_;
  bool found_ = false;
};

class Bench {
 public:
  Bench() {
    for (std::size_t i = 0; i < kCipherCount; ++i) {
      const CipherSpec& spec = cipher_spec(i);
      if (spec.legacy) continue;
      add_row(spec.name);
      add_cipher(spec.name, true);
      add_blocks(spec);
      add_random();
      if (spec.in_openssl) {
        add_row(std::string("OpenSSL ") + spec.name);
        add_cipher(spec.name, false);
        add_random();
      }
      add_block_modes(spec.name);
    }
  }

  void run() { time_in_turns(jobs_, kRounds, kSampleSeconds); }

  void print() const {
    std::printf("Nanoseconds a call, one thread; best of %u, in turns. Random: RAND_bytes.\n\n",
                kRounds);
    std::printf("%-24s %20s %20s %20s %20s\n", "", "updates in sequence", "new IV and an update",
                "the backend alone", "random bytes");
    std::printf("%-24s", "");
    for (int kind = 0; kind < kKinds; ++kind) {
      for (const std::size_t size : kSizes) std::printf(" %4zu B", size);
      std::printf("   ");
    }
    for (const Row& row : rows_) {
      std::printf("\n%-24s", row.name.c_str());
      for (int kind = 0; kind < kKinds; ++kind) {
        for (std::size_t s = 0; s < std::size(kSizes); ++s) {
          if (row.first[kind] < 0) {
            std::printf(" %6s", "-");
          } else {
            std::printf(" %6.1f", nanoseconds(row, kind, s));
          }
        }
        std::printf("   ");
      }
    }
    std::printf("\n");
  }

  bool write(const char* path) const {
    std::FILE* f = std::fopen(path, "w");
    if (f == nullptr) return false;
    std::fprintf(f, "{\"unit\": \"ns a call\", \"results\": [");
    for (const Row& row : rows_) {
      std::fprintf(f, "%s\n  {\"cipher\": \"%s\"", &row == &rows_.front() ? "" : ",",
                   row.name.c_str());
      for (int kind = 0; kind < kKinds; ++kind) {
        for (std::size_t s = 0; row.first[kind] >= 0 && s < std::size(kSizes); ++s) {
          std::fprintf(f, ", \"%s_%zu\": %.2f", kKindNames[kind], kSizes[s],
                       nanoseconds(row, kind, s));
        }
      }
      std::fprintf(f, "}");
    }
    std::fprintf(f, "\n]}\n");
    return std::fclose(f) == 0;
  }

 private:
  struct Row {
    std::string name;
    int first[kKinds] = {-1, -1, -1, -1};  // its job of the first size; -1: none
  };

  void add_row(const std::string& name) {
    rows_.push_back({});
    rows_.back().name = name;
  }
  double nanoseconds(const Row& row, int kind, std::size_t size) const {
    return 1e9 * jobs_[static_cast<std::size_t>(row.first[kind]) + size].best();
  }
  void begin(Kind kind) { rows_.back().first[kind] = static_cast<int>(jobs_.size()); }

  void add_cipher(const std::string& name, bool ours) {
    sources_.push_back(std::make_unique<RandSource>(name, ours));
    const RandSource* const source = sources_.back().get();
    std::uint8_t* const data = data_;
    begin(kUpdate);
    for (const std::size_t n : kSizes) jobs_.push_back({[=] { source->encrypt(data, n); }});
    begin(kMessage);
    for (const std::size_t n : kSizes) {
      jobs_.push_back({[=] {
        data[300] = static_cast<std::uint8_t>(data[300] + 1);  // the IV is another each time
        source->restart(data + 300);
        source->encrypt(data, n);
      }});
    }
  }

  // Each mode where OpenSSL has it, ours above OpenSSL's: updates in place, and after a new IV.
  void add_block_modes(const std::string& cipher) {
    struct {
      const char* mode;
      bool encrypts;
    } constexpr kModes[] = {{"-ECB", true}, {"-ECB", false}, {"-CBC", true}, {"-CBC", false}};
    for (const auto& [mode, encrypts] : kModes) {
      const std::string name = cipher + mode;
      auto theirs = std::make_shared<BlockMode>(name, false, encrypts);
      if (!theirs->found()) continue;
      auto ours = std::make_shared<BlockMode>(name, true, encrypts);
      must(ours->found(), "our cipher");
      const std::string shown = name + (encrypts ? "" : " decr.");
      add_row(shown);
      add_block_mode(ours);
      add_row("OpenSSL " + shown);
      add_block_mode(theirs);
    }
  }

  void add_block_mode(const std::shared_ptr<BlockMode>& mode) {
    std::uint8_t* const data = data_;
    begin(kUpdate);
    for (const std::size_t n : kSizes) jobs_.push_back({[=] { mode->update(data, n); }});
    begin(kMessage);
    for (const std::size_t n : kSizes) {
      jobs_.push_back({[=] {
        mode->restart(data + 300);
        mode->update(data, n);
      }});
    }
  }

  void add_blocks(const CipherSpec& spec) {
    auto keys = std::make_shared<RoundKeys>();
    const std::uint8_t key[kMaxKeyBytes] = {1, 2, 3};
    spec.expand(key, keys.get());
    const auto ctr = best_backend().ops[spec.index].ctr;
    std::uint8_t* const data = data_;
    begin(kBlocks);
    for (const std::size_t n : kSizes) {
      jobs_.push_back({[=] { ctr(*keys, data + 300, data, data, n); }});
    }
  }

  void add_random() {
    const RandSource* source = sources_.back().get();
    must(source->name() == rows_.back().name, "the row's own generator");
    std::uint8_t* const data = data_;
    begin(kRandom);
    for (const std::size_t n : kSizes) jobs_.push_back({[=] { source->bytes(data, n); }});
  }

  std::uint8_t data_[512] = {};
  std::vector<Job> jobs_;
  std::vector<Row> rows_;
  std::vector<std::unique_ptr<RandSource>> sources_;
};

}  // namespace
}  // namespace gpuctr::bench

int main() { return gpuctr::bench::measure<gpuctr::bench::Bench>("build/bench/small.json"); }
