// openssl.cnf: every key's good and bad values, through OpenSSL's own configuration loader.
#include <gtest/gtest.h>
#include <openssl/core_names.h>
#include <openssl/params.h>

#include <algorithm>
#include <set>

#include "test/provider/support.h"

namespace gpuctr::test {
namespace {

// A library context that has read a configuration with `lines` in the provider's section.
class Configured {
 public:
  explicit Configured(const std::string& lines) : context_(OSSL_LIB_CTX_new()) {
    configure(context_.get(), lines);
    // Not by `activate = 1`: OpenSSL 3.0 goes on without a provider that fails then, and drops its
    // errors.
    provider_.reset(OSSL_PROVIDER_load(context_.get(), "gpuctr"));
    error_ = first_error();
  }
  bool loaded() const { return provider_ != nullptr; }
  const std::string& error() const { return error_; }
  OSSL_LIB_CTX* get() const { return context_.get(); }

 private:
  // The data of our own error; libcrypto puts its "could not load" behind it.
  static std::string first_error() {
    const char* data = nullptr;
    int flags = 0;
    const unsigned long code = ERR_get_error_all(nullptr, nullptr, nullptr, &data, &flags);
    const std::string text = code == 0 || (flags & ERR_TXT_STRING) == 0 ? "" : data;
    ERR_clear_error();
    return text;
  }

  Evp<OSSL_LIB_CTX> context_;
  Evp<OSSL_PROVIDER> provider_;
  std::string error_;
};

struct Line {
  const char* text;
  const char* error;  // nullptr: a good value
};

void PrintTo(const Line& line, std::ostream* out) { *out << '"' << line.text << '"'; }

class ConfigLine : public testing::TestWithParam<Line> {};

TEST_P(ConfigLine, TakenOrRefusedWithKeyAndValue) {
  const std::string text = GetParam().text;
  if (!GPUCTR_EVERY_CIPHER &&
      (text.find("ARIA") != std::string::npos || text.find("CAMELLIA-128") != std::string::npos)) {
    GTEST_SKIP() << "a build with a part of the ciphers";
  }
  const Configured configured(GetParam().text);
  if (GetParam().error == nullptr) {
    EXPECT_TRUE(configured.loaded());
    EXPECT_EQ(configured.error(), "");
  } else {
    EXPECT_FALSE(configured.loaded());
    EXPECT_EQ(configured.error(), GetParam().error);
  }
}

#define TAKES                                                                                     \
  ": it takes all, or a list of own, faster and names such as LEA-128,HIGHT-CBC; names of older " \
  "ciphers with legacy = yes"
const Line kLines[] = {
    {"", nullptr},
    {"legacy = yes", nullptr},
    {"legacy = no", nullptr},
    {"legacy = true", "legacy = true: it takes yes, no"},
    {"legacy = YES", "legacy = YES: it takes yes, no"},
    {"algorithms = all", nullptr},
    {"algorithms = own", nullptr},
    {"algorithms = lea-128,LEA-256-CBC,hight,HIGHT-128,LEA-192-ctr-drbg,LEA", nullptr},
    {"algorithms = LEA-128, LEA-192", nullptr},
    {"algorithms = LEA-128 ,\tHIGHT", nullptr},
    {"algorithms = own,ARIA-128,SEED-CBC", nullptr},
    {"algorithms = FASTER", nullptr},
    {"algorithms = faster, CAMELLIA-CBC", "algorithms = faster, CAMELLIA-CBC" TAKES},
    {"algorithms = faster, CAMELLIA-128-CBC", nullptr},
    {"algorithms = LEA 128", "algorithms = LEA 128" TAKES},
    {"algorithms = LEA-128, ,HIGHT", "algorithms = LEA-128, ,HIGHT" TAKES},
    {"algorithms = LEA-128,,HIGHT", "algorithms = LEA-128,,HIGHT" TAKES},
    {"algorithms = LEA-128,", "algorithms = LEA-128," TAKES},
    {"algorithms = LEA-512", "algorithms = LEA-512" TAKES},
    {"algorithms = LEA-128-EAX", "algorithms = LEA-128-EAX" TAKES},
    {"algorithms = LE", "algorithms = LE" TAKES},
    {"algorithms = all,HIGHT", "algorithms = all,HIGHT" TAKES},
    {"algorithms = CTR-DRBG", "algorithms = CTR-DRBG" TAKES},
    {"cpu = auto", nullptr},
    {"cpu = scalar", nullptr},
    {"gpu = auto", nullptr},
    {"gpu = off", nullptr},
    {"gpu = require", nullptr},
    {"gpu = maybe", "gpu = maybe: it takes auto, off, require"},
    {"gpu-threshold = auto", nullptr},
    {"gpu-threshold = 4M", nullptr},
    {"gpu-threshold = 4MB", "gpu-threshold = 4MB: it takes auto, or a size from 1 to 4194304T"},
    {"gpu-threshold = -1", "gpu-threshold = -1: it takes auto, or a size from 1 to 4194304T"},
    {"gpu-threshold = 0", "gpu-threshold = 0: it takes auto, or a size from 1 to 4194304T"},
    {"gpu-threshold = 99999999999999999999",
     "gpu-threshold = 99999999999999999999: it takes auto, or a size from 1 to 4194304T"},
    {"gpus = all", nullptr},
    {"gpus = 0,2", nullptr},
    {"gpus = 0, 2 ,3", nullptr},
    {"gpus = 0 2", "gpus = 0 2: it takes all, or device numbers such as 0,2"},
    {"gpus = 0,0", "gpus = 0,0: it takes all, or device numbers such as 0,2"},
    {"gpus = 64", "gpus = 64: it takes all, or device numbers such as 0,2"},
    {"gpus = 0,", "gpus = 0,: it takes all, or device numbers such as 0,2"},
    {"read-ahead = off", nullptr},
    {"read-ahead = 64K", nullptr},
    {"read-ahead = 63K", "read-ahead = 63K: it takes auto, off, or a size from 64K to 1G"},
    {"read-ahead = 2G", "read-ahead = 2G: it takes auto, off, or a size from 64K to 1G"},
    {"threads = auto", nullptr},
    {"threads = 16", nullptr},
    {"threads = 0", "threads = 0: it takes auto, or 1 to 256"},
    {"threads = 257", "threads = 257: it takes auto, or 1 to 256"},
    {"threads = four", "threads = four: it takes auto, or 1 to 256"},
    {"gpu-pointers = yes", nullptr},
    {"gpu-pointers = true", "gpu-pointers = true: it takes auto, yes, no"},
    {"pinned-memory = 64M", nullptr},
    {"pinned-memory = 1", "pinned-memory = 1: it takes a size from 1M to 64G"},
    {"max-bytes = off", nullptr},
    {"max-bytes = 32G", nullptr},
    {"max-bytes = 32 G", "max-bytes = 32 G: it takes off, or a size from 1 to 4194304T"},
    // Shifted into 64 bits without a look at what falls out, these are 1 T and more than 0.
    {"max-bytes = 99999999999T",
     "max-bytes = 99999999999T: it takes off, or a size from 1 to 4194304T"},
    {"max-bytes = 16777217T", "max-bytes = 16777217T: it takes off, or a size from 1 to 4194304T"},
    {"gpu-threshold = 18014398509481985K",
     "gpu-threshold = 18014398509481985K: it takes auto, or a size from 1 to 4194304T"},
    {"max-bytes = 4194304T", nullptr},
    {"max-bytes = 4194305T", "max-bytes = 4194305T: it takes off, or a size from 1 to 4194304T"},
};
INSTANTIATE_TEST_SUITE_P(Keys, ConfigLine, testing::ValuesIn(kLines));

// Every cipher of the module in the library context, by its first name.
std::set<std::string> ours_in(const Configured& configured) {
  std::set<std::string> names;
  EVP_CIPHER_do_all_provided(
      configured.get(),
      [](EVP_CIPHER* cipher, void* all) {
        const OSSL_PROVIDER* const owner = EVP_CIPHER_get0_provider(cipher);
        if (std::string(OSSL_PROVIDER_get0_name(owner)) != "gpuctr") return;
        static_cast<std::set<std::string>*>(all)->insert(EVP_CIPHER_get0_name(cipher));
      },
      &names);
  return names;
}

// The table in provider/config/stock.cpp, beside the libcrypto that is installed here.
TEST(Config, OwnIsWhatTheDefaultProviderLacks) {
  if (!GPUCTR_EVERY_CIPHER) GTEST_SKIP() << "a build with a part of the ciphers";
  const Evp<OSSL_LIB_CTX> stock(OSSL_LIB_CTX_new());
  const Evp<OSSL_PROVIDER> provider(OSSL_PROVIDER_load(stock.get(), "default"));
  ASSERT_NE(provider, nullptr);
  for (const std::string legacy : {"legacy = no\n", "legacy = yes\n"}) {
    const Configured all(legacy + "algorithms = all"), own(legacy + "algorithms = own");
    const std::set<std::string> offered = ours_in(own);
    EXPECT_GT(offered.size(), 40u);
    std::size_t there = 0;
    for (const std::string& name : ours_in(all)) {
      const Evp<EVP_CIPHER> found(EVP_CIPHER_fetch(stock.get(), name.c_str(), nullptr));
      // The table is that of OpenSSL 3.2 and later, which have it.
      const bool later = name.find("-GCM-SIV") != std::string::npos;
      EXPECT_EQ(offered.count(name), found == nullptr && !later ? 1u : 0u) << name;
      if (found != nullptr) ++there;
    }
    ERR_clear_error();
    EXPECT_GT(there, 30u);
  }
}

// OpenSSL takes a value that is the name of a section for that section: the provider gets its lines
// as "cpu.threads", and no "cpu".
TEST(Config, ValueThatIsTheNameOfASectionIsRefused) {
  for (const char* key : {"legacy", "algorithms", "cpu", "gpu", "gpu-threshold", "gpus",
                          "read-ahead", "threads", "gpu-pointers", "pinned-memory", "max-bytes"}) {
    for (const char* line : {"threads = 3", "cpu = avx2", "max-bytes = 1M", "activate = 1",
                             "module = x", "identity = x", "soft_load = 1"}) {
      const std::string lines = std::string(key) + " = scalar\n[scalar]\n" + line;
      const Configured configured(lines);
      EXPECT_FALSE(configured.loaded()) << lines;
      EXPECT_EQ(configured.error(),
                std::string(key) +
                    ": its value is the name of a section of openssl.cnf, and OpenSSL " +
                    "passes " + key + "." + line + " in place of it: rename the section");
    }
  }
}

TEST(Config, UnknownBackendIsNamedWithThoseOfThisCpu) {
  const Configured configured("cpu = z80");
  EXPECT_FALSE(configured.loaded());
  EXPECT_EQ(configured.error().find("cpu = z80: it takes auto, "), 0u) << configured.error();
  EXPECT_NE(configured.error().find("scalar on this CPU"), std::string::npos);
}

TEST(Config, TheBackendServes) {
  const Configured configured("cpu = scalar");
  const Evp<EVP_CIPHER> cipher(EVP_CIPHER_fetch(configured.get(), "LEA-128-CTR", nullptr));
  const Evp<EVP_CIPHER_CTX> ctx(EVP_CIPHER_CTX_new());
  const std::uint8_t key[16] = {1};
  ASSERT_EQ(1, EVP_EncryptInit_ex2(ctx.get(), cipher.get(), key, key, nullptr));
  char backend[32];
  OSSL_PARAM params[] = {OSSL_PARAM_construct_utf8_string("backend", backend, sizeof backend),
                         OSSL_PARAM_construct_end()};
  ASSERT_EQ(1, EVP_CIPHER_CTX_get_params(ctx.get(), params));
  EXPECT_STREQ(backend, "scalar");
}

// max-bytes bounds what one key encrypts: from openssl.cnf, or for one context.
class Limit : public testing::Test {
 protected:
  void start(const Configured& configured) {
    cipher.reset(EVP_CIPHER_fetch(configured.get(), "HIGHT-CTR", nullptr));
    ASSERT_EQ(1, EVP_EncryptInit_ex2(ctx.get(), cipher.get(), key, key, nullptr));
  }
  bool feed(int bytes) {
    int n = 0;
    return EVP_EncryptUpdate(ctx.get(), out, &n, in, bytes) == 1;
  }
  Evp<EVP_CIPHER> cipher;
  Evp<EVP_CIPHER_CTX> ctx{EVP_CIPHER_CTX_new()};
  std::uint8_t key[16] = {1}, in[64] = {}, out[64] = {};
};

TEST_F(Limit, FromTheFileForEveryKey) {
  const Configured configured("max-bytes = 100");
  start(configured);
  EXPECT_TRUE(feed(64));
  std::fill(out, out + 64, 0xa5);
  EXPECT_FALSE(feed(37));
  EXPECT_EQ(last_error(),
            "byte limit of this key reached: 37 bytes more: this key of HIGHT has had 64 of its "
            "max-bytes = 100");
  for (std::uint8_t byte : out) EXPECT_EQ(byte, 0xa5);
  EXPECT_TRUE(feed(36));
  EXPECT_FALSE(feed(1));
  last_error();
  // A new IV is the same key; a new key starts again.
  ASSERT_EQ(1, EVP_EncryptInit_ex2(ctx.get(), nullptr, nullptr, key, nullptr));
  EXPECT_FALSE(feed(1));
  last_error();
  ASSERT_EQ(1, EVP_EncryptInit_ex2(ctx.get(), nullptr, key, key, nullptr));
  EXPECT_TRUE(feed(64));
}

TEST_F(Limit, OfOneContextAndItsCopies) {
  const Configured configured("");
  start(configured);
  std::size_t bytes = 100;
  const OSSL_PARAM params[] = {OSSL_PARAM_construct_size_t("max-bytes", &bytes),
                               OSSL_PARAM_construct_end()};
  ASSERT_EQ(1, EVP_CIPHER_CTX_set_params(ctx.get(), params));
  EXPECT_TRUE(feed(64));
  const Evp<EVP_CIPHER_CTX> copy(EVP_CIPHER_CTX_new());
  ASSERT_EQ(1, EVP_CIPHER_CTX_copy(copy.get(), ctx.get()));
  int n = 0;
  EXPECT_EQ(0, EVP_EncryptUpdate(copy.get(), out, &n, in, 37));
  last_error();
  EXPECT_EQ(1, EVP_EncryptUpdate(copy.get(), out, &n, in, 36));
  EXPECT_FALSE(feed(37));
  last_error();
}

TEST(Counters, TellWhatTheCpuDid) {
  const Library library;
  const auto read = [&library] {
    std::uint64_t cpu = 0, gpu = 1, fallbacks = 1;
    char failure[64] = "none";
    OSSL_PARAM params[] = {OSSL_PARAM_construct_uint64("cpu-bytes", &cpu),
                           OSSL_PARAM_construct_uint64("gpu-bytes", &gpu),
                           OSSL_PARAM_construct_uint64("gpu-fallbacks", &fallbacks),
                           OSSL_PARAM_construct_utf8_string("gpu-failure", failure, sizeof failure),
                           OSSL_PARAM_construct_end()};
    EXPECT_EQ(1, OSSL_PROVIDER_get_params(library.provider(), params));
    EXPECT_EQ(gpu, 0u);
    EXPECT_EQ(fallbacks, 0u);
    EXPECT_STREQ(failure, "");
    return cpu;
  };
  const std::uint64_t before = read();
  const Evp<EVP_CIPHER> cipher = library.cipher("CHAM-64-128-CTR");
  const Evp<EVP_CIPHER_CTX> ctx(EVP_CIPHER_CTX_new());
  const std::uint8_t key[16] = {1};
  std::uint8_t data[4096] = {};
  int n = 0;
  ASSERT_EQ(1, EVP_EncryptInit_ex2(ctx.get(), cipher.get(), key, key, nullptr));
  ASSERT_EQ(1, EVP_EncryptUpdate(ctx.get(), data, &n, data, sizeof data));
  EXPECT_EQ(read(), before + sizeof data);
}

}  // namespace
}  // namespace gpuctr::test
