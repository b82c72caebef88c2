// XTS on every CPU backend of this machine, and OpenSSL's own of the same cipher in the same run:
// sectors of 512 and 4096 bytes, each a call with its number as IV; the same sectors as one batch
// (ours only); data units of 16 KiB and 1 MiB, beside counter mode of these sizes.
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/params.h>

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "kernels/cipher/registry.h"
#include "kernels/cpu/backend.h"
#include "provider/core/gpuctr.h"
#include "test/bench/evp/messages.h"
#include "test/bench/rows.h"

namespace gpuctr::bench {
namespace {

constexpr std::size_t kMiB = 1 << 20;

alignas(64) unsigned char g_data[kMiB];

// A context under one key, which works on g_data.
class Sectors {
 public:
  Sectors(EVP_CIPHER* cipher, bool encrypts) : context_(EVP_CIPHER_CTX_new()) {
    unsigned char key[64];
    for (unsigned i = 0; i < sizeof key; ++i) key[i] = static_cast<unsigned char>(i);
    must(EVP_CipherInit_ex2(context_, cipher, key, iv_, encrypts ? 1 : 0, nullptr) == 1, "a key");
    EVP_CIPHER_free(cipher);
  }
  ~Sectors() { EVP_CIPHER_CTX_free(context_); }
  Sectors(const Sectors&) = delete;
  Sectors& operator=(const Sectors&) = delete;

  // A data unit with the next number.
  void unit(std::size_t bytes) {
    ++iv_[0];
    must(EVP_CipherInit_ex2(context_, nullptr, nullptr, iv_, -1, nullptr) == 1, "an IV");
    update(bytes);
  }
  void update(std::size_t bytes) {
    int n = 0;
    must(EVP_CipherUpdate(context_, g_data, &n, g_data, static_cast<int>(bytes)) == 1, "an update");
  }
  void begin_batch(std::size_t sector) {
    unsigned count = static_cast<unsigned>(kMiB / sector);
    ivs_.resize(16 * count);
    for (unsigned i = 0; i < count; ++i) ivs_[16 * i] = static_cast<unsigned char>(i);
    void* ivs = ivs_.data();
    const OSSL_PARAM params[] = {
        OSSL_PARAM_construct_uint(GPUCTR_PARAM_BATCH_MESSAGES, &count),
        OSSL_PARAM_construct_octet_ptr(GPUCTR_PARAM_BATCH_IVS, &ivs, ivs_.size()),
        OSSL_PARAM_construct_end()};
    must(EVP_CIPHER_CTX_set_params(context_, params) == 1, "a batch");
  }

 private:
  EVP_CIPHER_CTX* context_;
  unsigned char iv_[16] = {};
  std::vector<unsigned char> ivs_;
};

// A column, and the bytes of a call.
struct Column {
  const char* name;
  std::size_t bytes;
};
constexpr Column kColumns[] = {{"512 B", 512},        {"4 KiB", 4096},       {"16 KiB", 16384},
                               {"1 MiB", kMiB},       {"batch 512 B", kMiB}, {"batch 4 KiB", kMiB},
                               {"CTR 16 KiB", 16384}, {"CTR 1 MiB", kMiB}};

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
      const std::string name = cipher_spec(i).name;
      if (name.rfind(only, 0) != 0) continue;
      for (const bool encrypts : {true, false}) {
        add("OpenSSL", theirs_, name, encrypts, false);
        for (std::size_t b = 0; b < ours_.size(); ++b) {
          add(names_[b], *ours_[b], name, encrypts, true);
        }
      }
    }
  }

  void run() { rows_.run(11, 0.0005); }

  void print() const {
    std::printf("%s; one thread, GB/s\n%-38s", OpenSSL_version(OPENSSL_VERSION), "");
    for (const Column& column : kColumns) std::printf(" %11s", column.name);
    std::printf("  XTS/CTR of 16 KiB, 1 MiB\n");
    for (const Rows::Row& row : rows_.all()) {
      std::printf("%-38s", row.name.c_str());
      for (const Column& column : kColumns) std::printf(" %11.3f", rate(row, column));
      std::printf("  %.2f %.2f\n", rate(row, kColumns[2]) / rate(row, kColumns[6]),
                  rate(row, kColumns[3]) / rate(row, kColumns[7]));
    }
  }

  bool write(const char* path) const { return rows_.write(path, "ns a call"); }

 private:
  double rate(const Rows::Row& row, const Column& column) const {
    if (!Rows::has(row, column.name)) return 0;
    return static_cast<double>(column.bytes) / rows_.nanoseconds(row, column.name);
  }
  void add(const std::string& who, const Library& library, const std::string& cipher, bool encrypts,
           bool batches) {
    EVP_CIPHER* const xts = library.fetch(cipher + "-XTS");
    if (xts == nullptr) return;
    rows_.add_row(cipher + (encrypts ? "-XTS, " : "-XTS decr., ") + who);
    const auto units = std::make_shared<Sectors>(xts, encrypts);
    for (std::size_t i = 0; i < 4; ++i) {
      const std::size_t bytes = kColumns[i].bytes;
      rows_.add(kColumns[i].name, [=] { units->unit(bytes); });
    }
    for (std::size_t i = 4; batches && i < 6; ++i) {
      const auto batch = std::make_shared<Sectors>(library.fetch(cipher + "-XTS"), encrypts);
      batch->begin_batch(kColumns[i - 4].bytes);
      rows_.add(kColumns[i].name, [=] { batch->update(kMiB); });
    }
    const auto ctr = std::make_shared<Sectors>(library.fetch(cipher + "-CTR"), encrypts);
    for (std::size_t i = 6; i < 8; ++i) {
      const std::size_t bytes = kColumns[i].bytes;
      rows_.add(kColumns[i].name, [=] { ctr->update(bytes); });
    }
  }

  const Library theirs_{""};
  std::vector<std::string> names_;  // backends, best first
  std::vector<std::unique_ptr<Library>> ours_;
  Rows rows_;
};

}  // namespace
}  // namespace gpuctr::bench

// usage: bench_sectors [NAME [FILE]]: ciphers whose names begin with NAME; readings go to FILE.
int main(int argc, char** argv) {
  gpuctr::bench::Bench bench(argc > 1 ? argv[1] : "");
  bench.run();
  bench.print();
  return bench.write(argc > 2 ? argv[2] : "build/bench/sectors.json") ? 0 : 1;
}
