// Many messages in one call, on one core: ns a message by size, cipher and mode. Each backend
// without EVP; a batch through EVP; EVP message by message with a new key and IV each time; and
// ipsec-mb, all in turns in one run; then large batches (large.cpp). "own": each message has a key
// that is expanded for it; "table": the keys are those of a table that was set once.
#include <cstdio>
#include <cstring>
#include <iterator>
#include <map>
#include <memory>
#include <string>

#include "kernels/cpu/many/many.h"
#include "test/bench/batch/evp.h"
#include "test/bench/batch/large.h"
#include "test/bench/batch/peer.h"
#include "test/bench/evp/messages.h"
#include "test/bench/must.h"
#include "test/bench/rows.h"

namespace gpuctr::bench {
namespace {

constexpr std::size_t kSizes[] = {16, 64, 256, 1024};
constexpr const char* kCiphers[] = {"AES-128",      "AES-256",      "LEA-128",      "HIGHT",
                                    "CHAM-64-128",  "CHAM-128-128", "CHAM-128-256", "ARIA-128",
                                    "CAMELLIA-128", "SEED"};
constexpr unsigned kRounds = 7;
constexpr double kSampleSeconds = 0.002;
constexpr const char *kBatch = "EVP batch", *kOneByOne = "EVP one by one", *kPeer = "ipsec-mb";

// A batch on a backend, without EVP.
class OnBackend {
 public:
  OnBackend(const CipherSpec& spec, const Backend& backend, ManyMode mode, BatchData* data,
            std::size_t size, bool table)
      : spec_(spec), backend_(backend), texts_(kMessages), schedules_(table ? kMessages : 0) {
    const CipherOps& ops = backend.ops[spec.index];
    batch_.mode = mode;
    batch_.key_bytes = spec.key_bytes;
    batch_.iv_bytes = BatchData::iv_bytes(mode, spec.block_bytes);
    if (table && mode == ManyMode::kGcm) {
      hashes_.resize(16 * kMessages);
      powers_.resize(kMessages);
    }
    for (std::size_t i = 0; i < kMessages; ++i) {
      ManyText& text = texts_[i];
      text.key = &data->keys[i * kKeyBytes];
      if (table) {
        expand_on(spec, ops, text.key, spec.key_bytes, &schedules_[i]);
        text.keys = &schedules_[i];
      }
      if (!hashes_.empty()) {
        ops.encrypt(schedules_[i], &hashes_[16 * i], &hashes_[16 * i], 1);
        text.hash = &hashes_[16 * i];
        backend.ghash->expand(text.hash, &powers_[i]);
        text.powers = &powers_[i];
      }
      text.iv = &data->ivs[16 * i];
      text.in = text.out = &data->texts[i * size];
      text.n = size;
      if (!BatchData::authenticates(mode)) continue;
      text.aad = &data->aad[i * kAadBytes];
      text.aad_bytes = kAadBytes;
      text.tag = &data->tags[i * kTagBytes];
    }
  }
  void operator()() const {
    for (std::size_t i = 0; i < kMessages; i += 256) {
      run_many(spec_, backend_, batch_, &texts_[i], 256);
    }
  }

 private:
  const CipherSpec& spec_;
  const Backend& backend_;
  ManyBatch batch_;
  std::vector<ManyText> texts_;
  std::vector<RoundKeys> schedules_;
  std::vector<std::uint8_t> hashes_;
  std::vector<GhashKey> powers_;
};

// The arrays of a batch of all messages, in the layout of a batch.
class Packed {
 public:
  Packed(const CipherSpec& spec, ManyMode mode, BatchData* data, std::size_t size, bool table)
      : data_(data), size_(size) {
    const std::size_t iv_bytes = BatchData::iv_bytes(mode, spec.block_bytes);
    for (std::size_t i = 0; i < kMessages; ++i) {
      keys_.insert(keys_.end(), &data->keys[i * kKeyBytes],
                   &data->keys[i * kKeyBytes] + spec.key_bytes);
      ivs_.insert(ivs_.end(), &data->ivs[i * 16], &data->ivs[i * 16] + iv_bytes);
      if (table) index_.push_back(static_cast<std::uint32_t>(i));
    }
  }
  BatchArrays arrays() const {
    return {kMessages,           size_,
            keys_.data(),        ivs_.data(),
            data_->aad.data(),   data_->tags.data(),
            data_->texts.data(), index_.empty() ? nullptr : index_.data()};
  }

 private:
  BatchData* data_;
  std::size_t size_;
  std::vector<std::uint8_t> keys_, ivs_;
  std::vector<std::uint32_t> index_;
};

class Bench {
 public:
  explicit Bench(bool only_large) : one_by_one_(best_backend().name) {
    if (only_large) return;
    const BackendList backends = cpu_backends();
    for (std::size_t i = 0; i < backends.count; ++i) {
      if (backends.first[i]->available()) backends_.push_back(backends.first[i]);
    }
    for (const char* const name : kCiphers) {
      const CipherSpec* const spec = find_cipher(name);
      for (int mode = 0; spec != nullptr && mode < 4; ++mode) {
        if (mode >= 2 && spec->block_bytes != 16) continue;
        for (const bool table : {false, true}) {
          for (const std::size_t size : kSizes) {
            add(*spec, static_cast<ManyMode>(mode), size, table);
          }
        }
      }
    }
  }

  void run() { rows_.run(kRounds, kSampleSeconds); }

  void print() const {
    if (rows_.all().empty()) return;
    std::printf(
        "Many messages in one call, one core: ns a message; best of %u, in turns; batches of %zu.\n"
        "GCM and CCM with %zu bytes of associated data.\n\n%-31s",
        kRounds, kMessages, kAadBytes, "");
    for (const std::string& column : columns()) std::printf(" %14s", column.c_str());
    std::printf(" %9s\n", "M/s");
    for (const Rows::Row& row : rows_.all()) {
      std::printf("%-31s", row.name.c_str());
      for (const std::string& column : columns()) {
        if (Rows::has(row, column)) {
          std::printf(" %14.1f", of_one(row, column));
        } else {
          std::printf(" %14s", "-");
        }
      }
      std::printf(" %9.2f\n", 1e3 / of_one(row, kBatch));
    }
  }

  bool write(const char* path) const {
    std::FILE* const file = std::fopen(path, "w");
    if (file == nullptr) return false;
    std::fprintf(file, "{\"unit\": \"ns a message\", \"messages\": %zu, \"results\": [", kMessages);
    const char* separator = "";
    for (const Rows::Row& row : rows_.all()) {
      std::fprintf(file, "%s\n  {\"row\": \"%s\"", separator, row.name.c_str());
      for (const std::string& column : row.columns) {
        std::fprintf(file, ", \"%s\": %.2f", column.c_str(), of_one(row, column));
      }
      std::fprintf(file, "}");
      separator = ",";
    }
    std::fprintf(file, "\n], \"large\": [");
    measure_large(file);
    std::fprintf(file, "\n]}\n");
    return std::fclose(file) == 0;
  }

 private:
  void add(const CipherSpec& spec, ManyMode mode, std::size_t size, bool table) {
    const std::string name = std::string(spec.name) + "-" + kModes[static_cast<int>(mode)];
    rows_.add_row(name + (table ? " table " : " own ") + std::to_string(size) + " B");
    for (const Backend* const backend : backends_) {
      if (table && backend != backends_.front()) break;
      const auto run = std::make_shared<OnBackend>(spec, *backend, mode, &data_, size, table);
      rows_.add(backend->name, [run] { (*run)(); });
    }
    const auto packed = std::make_shared<Packed>(spec, mode, &data_, size, table);
    const auto batch = std::make_shared<ThroughEvp>(batches_, spec, mode, packed->arrays());
    rows_.add(kBatch, [packed, batch] { (*batch)(); });
    const auto peer = ipsec_mb(spec.name, mode, &data_, size, table);
    if (peer) rows_.add(kPeer, peer);
    if (table) return;
    const auto message = std::make_shared<Messages>(one_by_one_.fetch(name), true);
    rows_.add(kOneByOne, [message, size] {
      for (std::size_t i = 0; i < kMessages; ++i) {
        message->call(Way::kKey, static_cast<int>(size));
      }
    });
  }
  std::vector<std::string> columns() const {
    std::vector<std::string> all;
    for (const Backend* const backend : backends_) all.push_back(backend->name);
    all.insert(all.end(), {kBatch, kOneByOne, kPeer});
    return all;
  }
  double of_one(const Rows::Row& row, const std::string& column) const {
    return rows_.nanoseconds(row, column) / kMessages;
  }

  BatchData data_;
  BatchLibrary batches_{"gpu = off\nthreads = 1\n"};
  Library one_by_one_;
  std::vector<const Backend*> backends_;
  Rows rows_;
};

}  // namespace
}  // namespace gpuctr::bench

// usage: bench_batch [large]: only large batches.
int main(int argc, char** argv) {
  const bool only_large = argc == 2 && std::strcmp(argv[1], "large") == 0;
  return gpuctr::bench::measure<gpuctr::bench::Bench>("build/bench/batch.json", only_large);
}
