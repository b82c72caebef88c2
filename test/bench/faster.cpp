// The measurements behind `algorithms = faster` (provider/config/stock.cpp): each cipher that
// OpenSSL's default provider has, in each mode, on each backend of this CPU, beside OpenSSL's own.
// A message is an init with a new IV, or with a new key and IV, and one update; in GCM and CCM it
// has its tag. A table of the worst ratio of each row, and build/bench/faster.json.
#include <openssl/evp.h>
#include <openssl/provider.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernels/cpu/backend.h"
#include "provider/mode/mode.h"
#include "test/bench/timing.h"

namespace gpuctr::bench {
namespace {

constexpr unsigned kRounds = 15;
constexpr double kSampleSeconds = 0.0003;

// What `faster` promises not to slow down.
constexpr struct {
  bool new_key;
  int bytes;
} kMessages[] = {{false, 64}, {false, 256}, {false, 1024}, {false, 16384},
                 {true, 256}, {true, 1024}, {true, 16384}};
constexpr std::size_t kMessageCount = std::size(kMessages);

void must(bool done, const char* what) {
  if (!done) throw std::runtime_error(what);
}

// A library context with one provider: OpenSSL's default one, or ours on one backend.
class Library {
 public:
  explicit Library(const std::string& backend) : context_(OSSL_LIB_CTX_new()) {
    if (backend.empty()) {
      must(OSSL_PROVIDER_load(context_, "default") != nullptr, "the default provider");
      return;
    }
    const std::string path = "build/bench/faster.cnf";
    std::filesystem::create_directories("build/bench");
    std::FILE* const file = std::fopen(path.c_str(), "w");
    must(file != nullptr, "a file in build/bench");
    std::fprintf(file,
                 "openssl_conf = init\n[init]\nproviders = providers\n[providers]\n"
                 "gpuctr = gpuctr_provider\n[gpuctr_provider]\nactivate = 1\nlegacy = yes\n"
                 "gpu = off\nmodule = %s/gpuctr.so\ncpu = %s\n",
                 GPUCTR_MODULE_DIR, backend.c_str());
    must(std::fclose(file) == 0, "a file in build/bench");
    must(OSSL_LIB_CTX_load_config(context_, path.c_str()) == 1 &&
             OSSL_PROVIDER_available(context_, "gpuctr") == 1,
         "the module");
  }
  ~Library() { OSSL_LIB_CTX_free(context_); }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
  EVP_CIPHER* fetch(const std::string& name) const {
    return EVP_CIPHER_fetch(context_, name.c_str(), nullptr);
  }

 private:
  OSSL_LIB_CTX* context_;
};

// Messages of one cipher in one direction.
class Messages {
 public:
  Messages(EVP_CIPHER* cipher, bool encrypts)
      : cipher_(cipher), context_(EVP_CIPHER_CTX_new()), encrypts_(encrypts) {
    const int mode = EVP_CIPHER_get_mode(cipher);
    has_tag_ = mode == EVP_CIPH_GCM_MODE || mode == EVP_CIPH_CCM_MODE;
    tag_first_ = mode == EVP_CIPH_CCM_MODE;
  }
  ~Messages() {
    EVP_CIPHER_CTX_free(context_);
    EVP_CIPHER_free(cipher_);
  }
  Messages(const Messages&) = delete;
  Messages& operator=(const Messages&) = delete;

  void run(bool new_key, int bytes) {
    if (!started_) {
      must(EVP_CipherInit_ex2(context_, cipher_, nullptr, nullptr, encrypts_, nullptr) == 1,
           "a cipher");
      EVP_CIPHER_CTX_set_padding(context_, 0);
    }
    // What is decrypted has its right tag, and so is the same message again.
    if (has_tag_ && !encrypts_) {
      if (sealed_bytes_ != bytes) seal(bytes);
    } else {
      ++(new_key ? key_ : iv_)[0];
    }
    if (tag_first_) {
      must(
          EVP_CIPHER_CTX_ctrl(context_, EVP_CTRL_AEAD_SET_TAG, 16, encrypts_ ? nullptr : tag_) == 1,
          "a tag");
    }
    const unsigned char* const key = new_key || !started_ ? key_ : nullptr;
    must(EVP_CipherInit_ex2(context_, nullptr, key, iv_, -1, nullptr) == 1, "an init");
    started_ = true;
    int n = 0;
    must(EVP_CipherUpdate(context_, out_, &n, in_, bytes) == 1, "an update");
    if (!has_tag_ || (tag_first_ && !encrypts_)) return;
    if (!encrypts_) {
      must(EVP_CIPHER_CTX_ctrl(context_, EVP_CTRL_AEAD_SET_TAG, 16, tag_) == 1, "a tag");
    }
    must(EVP_CipherFinal_ex(context_, out_, &n) == 1, "a final");
    if (encrypts_) {
      must(EVP_CIPHER_CTX_ctrl(context_, EVP_CTRL_AEAD_GET_TAG, 16, tag_) == 1, "a tag");
    }
  }

 private:
  void seal(int bytes) {
    EVP_CIPHER_CTX* const context = EVP_CIPHER_CTX_new();
    int n = 0;
    must(EVP_EncryptInit_ex2(context, cipher_, nullptr, nullptr, nullptr) == 1 &&
             (!tag_first_ ||
              EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, 16, nullptr) == 1) &&
             EVP_EncryptInit_ex2(context, nullptr, key_, iv_, nullptr) == 1 &&
             EVP_EncryptUpdate(context, in_, &n, out_, bytes) == 1 &&
             EVP_EncryptFinal_ex(context, out_, &n) == 1 &&
             EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, 16, tag_) == 1,
         "a sealed message");
    EVP_CIPHER_CTX_free(context);
    sealed_bytes_ = bytes;
  }

  EVP_CIPHER* cipher_;
  EVP_CIPHER_CTX* context_;
  int sealed_bytes_ = 0;
  bool encrypts_, has_tag_, tag_first_, started_ = false;
  unsigned char key_[64] = {1, 2, 3}, iv_[16] = {1, 2, 3}, tag_[16] = {};
  unsigned char in_[16384] = {}, out_[16384 + 64] = {};
};

class Bench {
 public:
  explicit Bench(const std::string& only) {
    const BackendList backends = cpu_backends();
    for (std::size_t b = 0; b < backends.count; ++b) {
      if (backends.first[b]->available()) names_.push_back(backends.first[b]->name);
    }
    const Library theirs("");
    std::vector<std::unique_ptr<Library>> ours;
    for (const std::string& name : names_) ours.push_back(std::make_unique<Library>(name));
    for (std::size_t i = 0; i < kCipherCount; ++i) {
      for (std::size_t m = 0; m < kModeCount; ++m) {
        const std::string name = std::string(cipher_spec(i).name) + "-" + kModes[m]->name;
        EVP_CIPHER* const found = theirs.fetch(name);
        if (found == nullptr || !kModes[m]->takes(cipher_spec(i))) continue;
        EVP_CIPHER_free(found);
        if (name.rfind(only, 0) != 0) continue;
        for (const bool encrypts : {true, false}) {
          rows_.push_back({name, encrypts, jobs_.size()});
          add(theirs.fetch(name), encrypts);
          for (const auto& library : ours) add(library->fetch(name), encrypts);
        }
      }
    }
  }

  void run() {
    // Row by row: what is compared is measured within the same second.
    const std::size_t each = (1 + names_.size()) * kMessageCount;
    for (std::size_t first = 0; first < jobs_.size(); first += each) {
      const auto begin = jobs_.begin() + static_cast<std::ptrdiff_t>(first);
      std::vector<Job> some(begin, begin + static_cast<std::ptrdiff_t>(each));
      time_in_turns(some, kRounds, kSampleSeconds);
      std::copy(some.begin(), some.end(), begin);
    }
  }

  void print() const {
    std::printf(
        "OpenSSL's time over ours, the worst of %zu messages: new IV from 64 bytes on, new "
        "key from 256 on.\n\n%-24s",
        kMessageCount, "");
    for (const std::string& name : names_) std::printf(" %12s", name.c_str());
    for (const Row& row : rows_) {
      std::printf("\n%-24s", shown(row).c_str());
      for (std::size_t b = 0; b < names_.size(); ++b) {
        double worst = 1e9;
        for (std::size_t k = 0; k < kMessageCount; ++k) {
          worst = std::min(worst, seconds(row, 0, k) / seconds(row, 1 + b, k));
        }
        std::printf(" %12.2f", worst);
      }
    }
    std::printf("\n");
  }

  bool write(const char* path) const {
    std::FILE* const f = std::fopen(path, "w");
    if (f == nullptr) return false;
    std::fprintf(f, "{\"openssl\": \"%s\", \"unit\": \"ns a message\", \"messages\": [",
                 OpenSSL_version(OPENSSL_VERSION));
    for (const auto& message : kMessages) {
      std::fprintf(f, "%s\"%s, %d bytes\"", &message == kMessages ? "" : ", ",
                   message.new_key ? "new key and IV" : "new IV", message.bytes);
    }
    std::fprintf(f, "], \"results\": [");
    for (const Row& row : rows_) {
      std::fprintf(f, "%s\n  {\"algorithm\": \"%s\"", &row == &rows_.front() ? "" : ",",
                   shown(row).c_str());
      for (std::size_t who = 0; who <= names_.size(); ++who) {
        std::fprintf(f, ", \"%s\": [", who == 0 ? "OpenSSL" : names_[who - 1].c_str());
        for (std::size_t k = 0; k < kMessageCount; ++k) {
          std::fprintf(f, "%s%.0f", k == 0 ? "" : ", ", 1e9 * seconds(row, who, k));
        }
        std::fprintf(f, "]");
      }
      std::fprintf(f, "}");
    }
    std::fprintf(f, "\n]}\n");
    return std::fclose(f) == 0;
  }

 private:
  struct Row {
    std::string name;
    bool encrypts;
    std::size_t first;
  };
  static std::string shown(const Row& row) { return row.name + (row.encrypts ? "" : " decr."); }
  double seconds(const Row& row, std::size_t who, std::size_t message) const {
    return jobs_[row.first + who * kMessageCount + message].best();
  }
  void add(EVP_CIPHER* cipher, bool encrypts) {
    must(cipher != nullptr, "a cipher");
    const auto messages = std::make_shared<Messages>(cipher, encrypts);
    for (const auto& message : kMessages) {
      jobs_.push_back({[=] { messages->run(message.new_key, message.bytes); }});
    }
  }

  std::vector<std::string> names_;  // the backends of this CPU, best first
  std::vector<Row> rows_;
  std::vector<Job> jobs_;
};

}  // namespace
}  // namespace gpuctr::bench

// The argument, if any, begins the names that are measured.
int main(int argc, char** argv) {
  gpuctr::bench::Bench bench(argc > 1 ? argv[1] : "");
  bench.run();
  bench.print();
  return bench.write("build/bench/faster.json") ? 0 : 1;
}
