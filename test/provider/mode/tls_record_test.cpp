// Records of TLS in CBC against the same cipher of libcrypto, which has the same bytes: padded,
// encrypted, cut, spoilt and opened again by both.
#include <gtest/gtest.h>
#include <openssl/core_names.h>
#include <openssl/params.h>
#include <openssl/prov_ssl.h>

#include <algorithm>
#include <random>

#include "kernels/cipher/registry.h"
#include "provider/core/errors.h"
#include "provider/mode/block/tls_record.h"
#include "test/provider/support.h"

namespace gpuctr::test {
namespace {

constexpr std::size_t kBlock = 16;

// A context with a key, an IV and what libssl sets.
class Records {
 public:
  Records(Evp<EVP_CIPHER> cipher, bool encrypt, unsigned version, std::size_t mac) : mac_(mac) {
    const std::uint8_t key[32] = {1, 2, 3}, iv[kBlock] = {4, 5};
    EXPECT_EQ(1, EVP_CipherInit_ex2(ctx_.get(), cipher.get(), key, iv, encrypt ? 1 : 0, nullptr));
    auto number = static_cast<int>(version);
    const OSSL_PARAM params[] = {OSSL_PARAM_construct_int(OSSL_CIPHER_PARAM_TLS_VERSION, &number),
                                 OSSL_PARAM_construct_size_t(OSSL_CIPHER_PARAM_TLS_MAC_SIZE, &mac),
                                 OSSL_PARAM_construct_end()};
    EXPECT_EQ(1, EVP_CIPHER_CTX_set_params(ctx_.get(), params));
  }
  // The record in place of `data`, or nothing where it was refused.
  bool update(Bytes* data) {
    const std::size_t n = data->size();
    data->resize(n + kBlock);
    int written = 0;
    const int status =
        EVP_CipherUpdate(ctx_.get(), data->data(), &written, data->data(), static_cast<int>(n));
    data->resize(n + kBlock);
    length = written;
    return status == 1;
  }
  // `data`, whole blocks, in plain CBC under the same key and IV.
  static Bytes cbc(Evp<EVP_CIPHER> cipher, const Bytes& data) {
    const std::uint8_t key[32] = {1, 2, 3}, iv[kBlock] = {4, 5};
    Evp<EVP_CIPHER_CTX> raw(EVP_CIPHER_CTX_new());
    EXPECT_EQ(1, EVP_CipherInit_ex2(raw.get(), cipher.get(), key, iv, 1, nullptr));
    EVP_CIPHER_CTX_set_padding(raw.get(), 0);
    int written = 0;
    Bytes sealed(data.size());
    EXPECT_EQ(1, EVP_CipherUpdate(raw.get(), sealed.data(), &written, data.data(),
                                  static_cast<int>(data.size())));
    return sealed;
  }
  Bytes mac() {
    void* at = nullptr;
    OSSL_PARAM params[] = {OSSL_PARAM_construct_octet_ptr(OSSL_CIPHER_PARAM_TLS_MAC, &at, mac_),
                           OSSL_PARAM_construct_end()};
    EXPECT_EQ(1, EVP_CIPHER_CTX_get_params(ctx_.get(), params));
    const auto* bytes = static_cast<const std::uint8_t*>(at);
    return bytes == nullptr ? Bytes() : Bytes(bytes, bytes + mac_);
  }
  int final() {
    std::uint8_t out[kBlock];
    int written = 0;
    return EVP_CipherFinal_ex(ctx_.get(), out, &written);
  }

  int length = 0;

 private:
  std::size_t mac_;
  Evp<EVP_CIPHER_CTX> ctx_{EVP_CIPHER_CTX_new()};
};

struct Case {
  unsigned version;
  std::size_t mac;
};

class TlsRecord : public testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    if (name_ == nullptr) GTEST_SKIP() << "this build has no cipher of libcrypto's";
  }
  Records ours(bool encrypt) {
    return {library_.cipher(name_ + std::string("-CBC")), encrypt, GetParam().version,
            GetParam().mac};
  }
  Records stock(bool encrypt) {
    return {library_.stock(name_ + std::string("-CBC")), encrypt, GetParam().version,
            GetParam().mac};
  }
  Bytes random(std::size_t n) {
    Bytes bytes(n);
    for (auto& byte : bytes) byte = static_cast<std::uint8_t>(random_());
    return bytes;
  }
  // The bytes of a record before the text.
  std::size_t explicit_iv() const { return GetParam().version == TLS1_VERSION ? 0 : kBlock; }
  void open_both(Records* a, Records* b, const Bytes& sealed, bool good);

  const char* const name_ = find_cipher("AES-256") != nullptr    ? "AES-256"
                            : find_cipher("ARIA-256") != nullptr ? "ARIA-256"
                                                                 : nullptr;
  const Library library_;
  std::mt19937 random_{7};
};

// Sealed bytes opened by both. A record that was not spoilt has one right MAC; of the others stock
// has random bytes for it, and ours never the text's.
void TlsRecord::open_both(Records* a, Records* b, const Bytes& sealed, bool good) {
  Bytes mine = sealed, theirs = sealed;
  ERR_clear_error();
  const bool opened = b->update(&theirs);
  const std::string expected = take_reasons();
  ASSERT_EQ(a->update(&mine), opened);
  if (!opened) {
    EXPECT_EQ(take_reasons(), expected);
    return;
  }
  ASSERT_EQ(a->length, b->length);
  EXPECT_EQ(mine, theirs);
  if (GetParam().mac == 0) return;
  const auto end = mine.begin() + static_cast<std::ptrdiff_t>(explicit_iv()) + a->length;
  const Bytes text_mac(end, end + static_cast<std::ptrdiff_t>(GetParam().mac));
  if (good) {
    EXPECT_EQ(a->mac(), b->mac());
    EXPECT_EQ(a->mac(), text_mac);
  } else if (b->mac() != text_mac) {
    EXPECT_NE(a->mac(), text_mac);
  } else {
    EXPECT_EQ(a->mac(), text_mac);
  }
}

TEST_P(TlsRecord, IsSealedAndOpenedAsByOpenSsl) {
  Records seal_ours = ours(true), seal_stock = stock(true);
  Records open_ours = ours(false), open_stock = stock(false);
  for (std::size_t n = 0; n < 700; n += 1 + random_() % 5) {
    Bytes a = random(explicit_iv() + n + GetParam().mac), b = a;
    ASSERT_TRUE(seal_ours.update(&a));
    ASSERT_TRUE(seal_stock.update(&b));
    ASSERT_EQ(seal_ours.length, seal_stock.length);
    a.resize(static_cast<std::size_t>(seal_ours.length));
    b.resize(a.size());
    ASSERT_EQ(a, b);
    open_both(&open_ours, &open_stock, a, true);
    ASSERT_EQ(open_ours.length, static_cast<int>(n));
  }
}

// Padding up to its longest, made by hand, and each byte of it spoilt.
TEST_P(TlsRecord, PaddingOfEveryLengthAndSpoilt) {
  for (unsigned round = 0; round < 400; ++round) {
    const std::size_t padding = random_() % 256;
    const std::size_t text = random_() % 64;
    const std::size_t n = explicit_iv() + text + GetParam().mac + padding + 1;
    Bytes plain = random(n);
    std::fill(plain.end() - static_cast<std::ptrdiff_t>(padding + 1), plain.end(),
              static_cast<std::uint8_t>(padding));
    plain.insert(plain.begin(), (kBlock - n % kBlock) % kBlock, std::uint8_t{0x5a});
    const bool spoil = round % 2 == 1;
    if (spoil)
      plain[plain.size() - 1 - random_() % (padding + 1)] ^=
          static_cast<std::uint8_t>(1 + random_() % 255);
    // As plain CBC, so that the padding stays as it is.
    const Bytes sealed = Records::cbc(library_.stock(name_ + std::string("-CBC")), plain);
    Records open_ours = ours(false), open_stock = stock(false);
    open_both(&open_ours, &open_stock, sealed, !spoil);
    if (HasFailure()) FAIL() << "round " << round << ", padding " << padding << ", text " << text;
  }
}

TEST_P(TlsRecord, TooShortOrNoWholeBlocksIsRefused) {
  for (std::size_t n = 0; n <= 7 * kBlock; ++n) {
    Records open_ours = ours(false), open_stock = stock(false);
    if (n == 0) continue;  // EVP answers itself
    SCOPED_TRACE(n);
    open_both(&open_ours, &open_stock, random(n), false);
  }
  Records seal = ours(true);
  EXPECT_EQ(seal.final(), 0) << "a record has no final";
  EXPECT_EQ(last_error().substr(0, 24), "cipher operation failed:");
}

INSTANTIATE_TEST_SUITE_P(Versions, TlsRecord,
                         testing::Values(Case{TLS1_VERSION, 20}, Case{TLS1_1_VERSION, 32},
                                         Case{TLS1_2_VERSION, 48}, Case{TLS1_2_VERSION, 0},
                                         Case{DTLS1_2_VERSION, 20}, Case{DTLS1_BAD_VER, 20}),
                         [](const auto& param) {
                           return "Version" + std::to_string(param.param.version) + "Mac" +
                                  std::to_string(param.param.mac);
                         });

// What a reader of RFC 5246 6.2.3.2 would do with a decrypted record, byte by byte.
struct Opened {
  bool padded = false;  // its end is padding with room for a MAC before it
  std::size_t text = 0;
  Bytes mac;
};
Opened open_plainly(const Bytes& record, std::size_t mac) {
  Opened opened;
  if (record.empty()) return opened;
  const std::size_t padding = record.back() + std::size_t{1};
  if (padding + mac > record.size()) return opened;
  const auto begin = record.end() - static_cast<std::ptrdiff_t>(padding);
  opened.padded = std::all_of(begin, record.end(), [&](auto b) { return b == record.back(); });
  opened.text = record.size() - padding - mac;
  opened.mac = Bytes(begin - static_cast<std::ptrdiff_t>(mac), begin);
  return opened;
}

TEST(TlsPadding, IsAddedUpToTheNextBlock) {
  for (const std::size_t block : {8u, 16u}) {
    for (std::size_t n = 0; n < 3 * block; ++n) {
      Bytes text(n + 2 * block, 0xa5);
      add_tls_padding(text.data(), n, block);
      const std::size_t padded = (n / block + 1) * block;
      EXPECT_EQ(tls_padding(n, block), padded - n);
      for (std::size_t i = 0; i < text.size(); ++i) {
        ASSERT_EQ(text[i], i < n || i >= padded ? 0xa5 : padded - n - 1) << n << " at " << i;
      }
    }
  }
}

// Records of every length and padding, right and with one byte spoilt.
TEST(TlsPadding, IsRemovedWithTheMac) {
  std::mt19937 random(11);
  for (const std::size_t size : {0u, 1u, 20u, 64u}) {
    for (unsigned round = 0; round < 4000; ++round) {
      const std::size_t padding = random() % 256;
      Bytes record(random() % 400);
      for (auto& byte : record) byte = static_cast<std::uint8_t>(random());
      if (record.size() > padding) {
        std::fill_n(record.rbegin(), padding + 1, static_cast<std::uint8_t>(padding));
        if (round % 2 != 0) record[record.size() - 1 - random() % (padding + 1)] ^= 0x10;
      }
      TlsMac mac;
      mac.size = size;
      std::size_t n = record.size();
      const Opened want = open_plainly(record, size);
      const bool room = record.size() >= size + 1;
      ASSERT_EQ(remove_tls_padding(record.data(), &n, &mac), room && (want.padded || size != 0));
      const Bytes got(mac.bytes, mac.bytes + size);
      if (want.padded) {
        ASSERT_EQ(n, want.text);
        ASSERT_EQ(got, want.mac);
      } else if (room && size != 0) {
        ASSERT_EQ(n, record.size() - size);
        ASSERT_EQ(got, Bytes(size)) << "no text has this MAC but by chance";
      }
    }
  }
}

std::vector<std::size_t> ciphers_with_cbc() {
  std::vector<std::size_t> indices;
  for (std::size_t i = 0; i < kCipherCount; ++i) {
    if (cipher_spec(i).block_bytes <= 16) indices.push_back(i);
  }
  return indices;
}

// Of every cipher, those too that libcrypto does not have: its own plain CBC is the model.
class TlsRecordOfAll : public testing::TestWithParam<std::size_t> {};

TEST_P(TlsRecordOfAll, IsPaddedCbc) {
  const CipherSpec& spec = cipher_spec(GetParam());
  const Library library;
  const std::string name = std::string(spec.name) + "-CBC";
  std::mt19937 random(12);
  for (const Case& it : {Case{TLS1_VERSION, 20}, Case{TLS1_2_VERSION, 32}}) {
    const std::size_t iv = it.version == TLS1_VERSION ? 0 : spec.block_bytes;
    for (std::size_t n = 0; n < 3 * spec.block_bytes; ++n) {
      Bytes plain(iv + n + it.mac);
      for (auto& byte : plain) byte = static_cast<std::uint8_t>(random());
      Records seal(library.cipher(name), true, it.version, it.mac);
      Bytes sealed = plain;
      ASSERT_TRUE(seal.update(&sealed));
      Bytes padded = plain;
      padded.resize(plain.size() + spec.block_bytes);
      add_tls_padding(padded.data(), plain.size(), spec.block_bytes);
      padded.resize(plain.size() / spec.block_bytes * spec.block_bytes + spec.block_bytes);
      ASSERT_EQ(static_cast<std::size_t>(seal.length), padded.size());
      sealed.resize(padded.size());
      ASSERT_EQ(sealed, Records::cbc(library.cipher(name), padded));
      Records open(library.cipher(name), false, it.version, it.mac);
      ASSERT_TRUE(open.update(&sealed));
      ASSERT_EQ(static_cast<std::size_t>(open.length), n);
      sealed.resize(plain.size());
      EXPECT_EQ(sealed, plain);
      EXPECT_EQ(open.mac(), Bytes(plain.end() - static_cast<std::ptrdiff_t>(it.mac), plain.end()));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Ciphers, TlsRecordOfAll, testing::ValuesIn(ciphers_with_cbc()));

TEST(TlsParameters, AreChecked) {
  const Library library;
  Evp<EVP_CIPHER> cipher = library.cipher(std::string(cipher_spec(0).name) + "-CBC");
  Evp<EVP_CIPHER_CTX> ctx(EVP_CIPHER_CTX_new());
  ASSERT_EQ(1, EVP_CipherInit_ex2(ctx.get(), cipher.get(), nullptr, nullptr, 1, nullptr));
  const auto set = [&](const char* name, unsigned value) {
    const OSSL_PARAM params[] = {OSSL_PARAM_construct_uint(name, &value),
                                 OSSL_PARAM_construct_end()};
    return EVP_CIPHER_CTX_set_params(ctx.get(), params);
  };
  EXPECT_EQ(set(OSSL_CIPHER_PARAM_TLS_VERSION, TLS1_2_VERSION), 1);
  EXPECT_EQ(set(OSSL_CIPHER_PARAM_TLS_VERSION, 0), 1);
  EXPECT_EQ(set(OSSL_CIPHER_PARAM_TLS_VERSION, 0x0300), 0) << "SSL 3";
  EXPECT_EQ(last_error(), "bad parameter: tls-version = 0x300: " +
                              std::string(cipher_spec(0).name) + "-CBC serves TLS 1.0 to 1.2");
  EXPECT_EQ(set(OSSL_CIPHER_PARAM_TLS_MAC_SIZE, 64), 1);
  EXPECT_EQ(set(OSSL_CIPHER_PARAM_TLS_MAC_SIZE, 65), 0);
  EXPECT_EQ(last_error(), "bad parameter: tls-mac-size = 65: at most 64");
}

}  // namespace
}  // namespace gpuctr::test
