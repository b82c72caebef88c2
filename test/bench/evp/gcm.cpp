// Messages in GCM, CCM and GCM-SIV through EVP, one thread: a new IV, 13 bytes of associated data,
// the text in place, the tag, as a record of TLS has them. Beside OpenSSL's own of the same cipher
// in the same run.
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/provider.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernels/cipher/registry.h"
#include "test/bench/must.h"
#include "test/bench/rows.h"
#include "test/bench/timing.h"

namespace gpuctr::bench {
namespace {

constexpr std::size_t kSizes[] = {16, 256, 1024, 16384, std::size_t{1} << 20};
constexpr unsigned kRounds = 25;
constexpr double kSampleSeconds = 0.002;

// A context with a key, which seals messages of any size.
class Sealer {
 public:
  Sealer(OSSL_LIB_CTX* library, const std::string& cipher, const char* properties)
      : ctx_(EVP_CIPHER_CTX_new(), EVP_CIPHER_CTX_free) {
    EVP_CIPHER* const fetched = EVP_CIPHER_fetch(library, cipher.c_str(), properties);
    const unsigned char key[32] = {1, 2, 3};
    EVP_CIPHER_CTX* const c = ctx_.get();
    bool done = EVP_EncryptInit_ex2(c, fetched, nullptr, nullptr, nullptr) == 1;
    announces_ = done && EVP_CIPHER_get_mode(fetched) == EVP_CIPH_CCM_MODE;
    keeps_header_ = done && EVP_CIPHER_get_mode(fetched) == 0x10005;
    if (announces_) {  // the lengths come before the key
      done = EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_IVLEN, 12, nullptr) == 1 &&
             EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_TAG, 16, nullptr) == 1;
    }
    if (!done || EVP_EncryptInit_ex2(c, nullptr, key, nullptr, nullptr) != 1) {
      throw std::runtime_error("no " + cipher + " with " + properties);
    }
    EVP_CIPHER_free(fetched);
  }
  void operator()(std::uint8_t* text, std::size_t n) {
    ++number_;
    unsigned char iv[12] = {}, tag[16];
    static_assert(sizeof number_ <= sizeof iv);
    for (unsigned i = 0; i < sizeof number_; ++i) {
      iv[i] = static_cast<unsigned char>(number_ >> (8 * i));
    }
    const unsigned char header[13] = {};
    int written = 0;
    EVP_CIPHER_CTX* const c = ctx_.get();
    const bool done = EVP_EncryptInit_ex2(c, nullptr, nullptr, iv, nullptr) == 1 &&
                      (!announces_ || EVP_EncryptUpdate(c, nullptr, &written, nullptr,
                                                        static_cast<int>(n)) == 1) &&
                      (!keeps_header_ || EVP_EncryptUpdate(c, nullptr, &written, header, 0) == 1) &&
                      EVP_EncryptUpdate(c, nullptr, &written, header, sizeof header) == 1 &&
                      EVP_EncryptUpdate(c, text, &written, text, static_cast<int>(n)) == 1 &&
                      EVP_EncryptFinal_ex(c, tag, &written) == 1 &&
                      EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_GET_TAG, sizeof tag, tag) == 1;
    must(done, "a message was refused");
  }

 private:
  std::unique_ptr<EVP_CIPHER_CTX, void (*)(EVP_CIPHER_CTX*)> ctx_;
  bool announces_ = false;     // CCM: the text's length
  bool keeps_header_ = false;  // GCM-SIV, whose associated data stays until an empty update
  std::uint64_t number_ = 0;
};

class Bench {
 public:
  Bench() : data_(kSizes[std::size(kSizes) - 1]), library_(OSSL_LIB_CTX_new()) {
    OSSL_PROVIDER_set_default_search_path(library_, GPUCTR_MODULE_DIR);
    for (const char* name : {"gpuctr", "default"}) {
      must(OSSL_PROVIDER_load(library_, name) != nullptr, name);
    }
    for (const char* mode : {"-GCM", "-CCM", "-GCM-SIV"}) {
      for (std::size_t i = 0; i < kCipherCount; ++i) {
        const std::string name = std::string(cipher_spec(i).name) + mode;
        if (cipher_spec(i).block_bytes != 16) continue;
        if (!has(name, "provider=gpuctr")) continue;
        add(name, name, "provider=gpuctr");
        if (has(name, "provider!=gpuctr")) add("OpenSSL " + name, name, "provider!=gpuctr");
      }
    }
  }
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;
  ~Bench() {
    rows_ = {};
    OSSL_LIB_CTX_free(library_);
  }

  void run() { rows_.run(kRounds, kSampleSeconds); }

  void print() const {
    std::printf("%s\nGCM, CCM and GCM-SIV, one thread; best of %u, in turns.\n\n%-23s",
                OpenSSL_version(OPENSSL_VERSION), kRounds, "");
    for (const char* head : {"16 B ns", "256 B ns", "1 KiB ns", "16 KiB GB/s", "1 MiB GB/s"}) {
      std::printf(" %12s", head);
    }
    std::printf("\n");
    for (const Rows::Row& row : rows_.all()) {
      std::printf("%-23s", row.name.c_str());
      for (const std::size_t size : kSizes) {
        const double ns = rows_.nanoseconds(row, column(size));
        std::printf(size <= 1024 ? " %12.0f" : " %12.2f",
                    size <= 1024 ? ns : static_cast<double>(size) / ns);
      }
      std::printf("\n");
    }
  }

  bool write(const char* path) const { return rows_.write(path, "ns a message"); }

 private:
  bool has(const std::string& name, const char* properties) const {
    EVP_CIPHER* const cipher = EVP_CIPHER_fetch(library_, name.c_str(), properties);
    EVP_CIPHER_free(cipher);
    return cipher != nullptr;
  }
  static std::string column(std::size_t size) { return "ns_" + std::to_string(size); }
  void add(const std::string& row, const std::string& cipher, const char* properties) {
    rows_.add_row(row);
    const auto seal = std::make_shared<Sealer>(library_, cipher, properties);
    for (const std::size_t size : kSizes) {
      rows_.add(column(size), [this, seal, size] { (*seal)(data_.data(), size); });
    }
  }

  std::vector<std::uint8_t> data_;
  OSSL_LIB_CTX* library_;
  Rows rows_;
};

}  // namespace
}  // namespace gpuctr::bench

int main() { return gpuctr::bench::measure<gpuctr::bench::Bench>("build/bench/gcm.json"); }
