// GCM of every cipher with a block of 16 bytes against the model of SP 800-38D, at random lengths
// and in random pieces; and what it refuses, with its errors.
#include <gtest/gtest.h>
#include <openssl/core_names.h>
#include <openssl/params.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <utility>

#include "kernels/cipher/registry.h"
#include "provider/core/errors.h"
#include "provider/mode/aead/gcm_message.h"
#include "test/kernels/cases.h"
#include "test/provider/mode/gcm_model.h"
#include "test/provider/support.h"
#include "test/support/gtest_name.h"
#include "test/support/vector_files.h"

namespace gpuctr::test {
namespace {

static_assert(gcm_fits(0, kGcmMaxText, kGcmMaxText) && !gcm_fits(1, kGcmMaxText, kGcmMaxText));
static_assert(!gcm_fits(kGcmMaxText, UINT64_MAX, kGcmMaxText) && kGcmMaxText == 68719476704);

class Message {
 public:
  explicit Message(Evp<EVP_CIPHER> cipher) : cipher_(std::move(cipher)) {}

  int init(bool encrypt, const Bytes& key, const Bytes& iv) {
    std::size_t n = iv.size();
    const OSSL_PARAM length[] = {OSSL_PARAM_construct_size_t(OSSL_CIPHER_PARAM_IVLEN, &n),
                                 OSSL_PARAM_construct_end()};
    const int direction = encrypt ? 1 : 0;
    return EVP_CipherInit_ex2(ctx.get(), cipher_.get(), nullptr, nullptr, direction, length) == 1 &&
                   EVP_CipherInit_ex2(ctx.get(), nullptr, key.data(), iv.data(), direction,
                                      nullptr) == 1
               ? 1
               : 0;
  }
  int update(std::uint8_t* out, const std::uint8_t* in, std::size_t n) {
    int written = 0;
    const int status = EVP_CipherUpdate(ctx.get(), out, &written, in, static_cast<int>(n));
    EXPECT_EQ(written, status == 1 ? static_cast<int>(n) : 0);
    return status;
  }
  int aad(const Bytes& data) { return update(nullptr, data.data(), data.size()); }
  int final() {
    int written = 7;
    std::uint8_t none[16];
    const int status = EVP_CipherFinal_ex(ctx.get(), none, &written);
    EXPECT_EQ(written, status == 1 ? 0 : written);
    return status;
  }
  Bytes tag(std::size_t n = kGcmTag) {
    Bytes got(n);
    OSSL_PARAM params[] = {
        OSSL_PARAM_construct_octet_string(OSSL_CIPHER_PARAM_AEAD_TAG, got.data(), got.size()),
        OSSL_PARAM_construct_end()};
    EXPECT_EQ(1, EVP_CIPHER_CTX_get_params(ctx.get(), params)) << last_error();
    return got;
  }
  int set_octets(const char* name, Bytes octets) {
    const OSSL_PARAM params[] = {
        OSSL_PARAM_construct_octet_string(name, octets.data(), octets.size()),
        OSSL_PARAM_construct_end()};
    return EVP_CIPHER_CTX_set_params(ctx.get(), params);
  }
  int set_tag(const Bytes& tag) { return set_octets(OSSL_CIPHER_PARAM_AEAD_TAG, tag); }

  Evp<EVP_CIPHER_CTX> ctx{EVP_CIPHER_CTX_new()};

 private:
  Evp<EVP_CIPHER> cipher_;
};

class Gcm : public testing::TestWithParam<std::size_t> {
 protected:
  void SetUp() override {
    if (spec.block_bytes != 16) GTEST_SKIP() << "GCM takes blocks of 16 bytes";
  }
  Bytes bytes(std::size_t n) {
    Bytes b(n);
    for (auto& byte : b) byte = static_cast<std::uint8_t>(random());
    return b;
  }
  std::size_t some(std::size_t most) { return random() % (most + 1); }
  // The model over the provider's own ECB.
  GcmModel model(const Bytes& key) {
    auto ctx = std::make_shared<Evp<EVP_CIPHER_CTX>>(EVP_CIPHER_CTX_new());
    const Evp<EVP_CIPHER> ecb = library.cipher(name + "-ECB");
    EXPECT_EQ(1, EVP_EncryptInit_ex2(ctx->get(), ecb.get(), key.data(), nullptr, nullptr));
    return GcmModel([ctx](const GcmModel::Block& in) {
      GcmModel::Block out;
      EXPECT_EQ(16, EVP_Cipher(ctx->get(), out.data(), in.data(), 16));
      return out;
    });
  }
  // An IV whose counter wraps after so many blocks.
  Bytes iv_before_wrap(const GcmModel& model, unsigned left) {
    const Bytes random_part = bytes(12);
    GcmModel::Block j0;
    std::copy(random_part.begin(), random_part.end(), j0.begin());
    const std::uint32_t low = 0 - left;
    for (unsigned i = 0; i < 4; ++i) j0[15 - i] = static_cast<std::uint8_t>(low >> (8 * i));
    Bytes iv = model.iv_of(j0);
    EXPECT_EQ(model.first_counter(iv), j0);
    return iv;
  }
  // All of a text through one context, in pieces.
  Bytes in_pieces(Message* message, const Bytes& text, std::size_t piece, bool in_place) {
    Bytes from(text), to(text.size());
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t n = std::min(text.size() - at, piece == 0 ? 1 + some(400) : piece);
      EXPECT_EQ(1, message->update((in_place ? from : to).data() + at, from.data() + at, n));
      at += n;
    }
    return in_place ? from : to;
  }
  void compare(const GcmModel& model, const Bytes& key, const Bytes& iv, std::size_t n,
               std::size_t piece);

  const CipherSpec& spec = cipher_spec(GetParam());
  const std::string name = spec.name;
  Library library;
  std::mt19937 random{static_cast<unsigned>(GetParam())};
};

void Gcm::compare(const GcmModel& model, const Bytes& key, const Bytes& iv, std::size_t n,
                  std::size_t piece) {
  const Bytes text = bytes(n), aad = bytes(some(70)), more = bytes(some(40));
  Bytes all_aad(aad);
  all_aad.insert(all_aad.end(), more.begin(), more.end());
  const Bytes sealed = model.crypt(iv, text);
  const Bytes tag = model.tag(iv, all_aad, sealed);
  for (const bool encrypt : {true, false}) {
    SCOPED_TRACE(name + (encrypt ? " encrypts " : " decrypts ") + std::to_string(n) +
                 " in pieces of " + std::to_string(piece) + ", IV " + to_hex(iv));
    Message message(library.cipher(name + "-GCM"));
    ASSERT_EQ(1, message.init(encrypt, key, iv));
    ASSERT_EQ(1, message.aad(aad));
    ASSERT_EQ(1, message.aad(more));
    const Bytes out = in_pieces(&message, encrypt ? text : sealed, piece, random() % 2 == 0);
    ASSERT_EQ(out, encrypt ? sealed : text);
    const Bytes part(tag.begin(), tag.end() - static_cast<std::ptrdiff_t>(some(15)));
    if (!encrypt) {
      ASSERT_EQ(1, message.set_tag(part));
    }
    ASSERT_EQ(1, message.final()) << last_error();
    if (encrypt) {
      ASSERT_EQ(to_hex(message.tag(part.size())), to_hex(part));
    }
  }
}

TEST_P(Gcm, IsTheModel) {
  const Bytes key = bytes(spec.key_bytes);
  const GcmModel model = this->model(key);
  for (std::size_t n = 0; n < 70; ++n) compare(model, key, bytes(12), n, 0);
  for (const std::size_t n :
       {240u, 256u, 257u, 1007u, 1008u, 1009u, 1024u, 1025u, 4095u, 16384u, 40003u, 140001u}) {
    compare(model, key, bytes(12), n, n);
  }
  for (const std::size_t piece : {1u, 15u, 16u, 17u, 255u, 256u, 257u, 1000u}) {
    compare(model, key, bytes(12), 3000, piece);
  }
  for (int i = 0; i < 40; ++i) compare(model, key, bytes(1 + some(127)), some(2500), 0);
}

// The counter's 32 bits wrap, and nothing is carried above them: at every place of a small text and
// at some of a large one.
TEST_P(Gcm, CountsThirtyTwoBits) {
  const Bytes key = bytes(spec.key_bytes);
  const GcmModel model = this->model(key);
  for (unsigned left = 0; left < 90; ++left) {
    compare(model, key, iv_before_wrap(model, left), 1 + some(1500),
            left % 3 == 0   ? 0
            : left % 3 == 1 ? 16
                            : 1500);
  }
}

// Without AVX-512 the loop for long texts has a counter of 128 bits.
TEST_P(Gcm, CountsThirtyTwoBitsOnEveryBackend) {
  if (name != "AES-128") GTEST_SKIP() << "one cipher will do";
  const Bytes key = bytes(spec.key_bytes);
  for (const char* const backend : backend_names()) {
    if (!find_backend(backend)->available()) continue;
    SCOPED_TRACE(backend);
    Library on_backend("cpu = " + std::string(backend));
    std::swap(library, on_backend);
    const GcmModel model = this->model(key);
    for (const unsigned left : {1u, 20u, 150u}) {
      compare(model, key, iv_before_wrap(model, left), 4000, 4000);
    }
  }
}

// SP 800-38D 8.2.2: a random IV has at least 96 bits.
TEST_P(Gcm, ARandomIvHasAtLeast96Bits) {
  const Bytes key = bytes(spec.key_bytes);
  const Evp<EVP_CIPHER> cipher = library.cipher(name + "-GCM");
  for (std::size_t n = 1; n <= 16; ++n) {
    SCOPED_TRACE(n);
    const Evp<EVP_CIPHER_CTX> ctx(EVP_CIPHER_CTX_new());
    const OSSL_PARAM params[] = {OSSL_PARAM_construct_size_t(OSSL_CIPHER_PARAM_IVLEN, &n),
                                 OSSL_PARAM_construct_end()};
    ASSERT_EQ(1, EVP_EncryptInit_ex2(ctx.get(), cipher.get(), key.data(), nullptr, params));
    std::uint8_t text[16] = {};
    int written = 0;
    const int status = EVP_EncryptUpdate(ctx.get(), text, &written, text, sizeof text);
    EXPECT_EQ(status, n < 12 ? 0 : 1);
    EXPECT_EQ(last_error(),
              n < 12 ? "cipher operation failed: " + name + "-GCM has no IV yet" : "");
  }
}

TEST_P(Gcm, EveryWrongTagIsRefusedAndEndsTheMessage) {
  const Bytes key = bytes(spec.key_bytes), iv = bytes(12), text = bytes(20);
  const GcmModel model = this->model(key);
  const Bytes sealed = model.crypt(iv, text), tag = model.tag(iv, {}, sealed);
  Message message(library.cipher(name + "-GCM"));
  Bytes out(20);
  for (std::size_t n = 1; n <= 16; ++n) {
    for (std::size_t bit = 0; bit < 8 * n; ++bit) {
      Bytes wrong(tag.begin(), tag.begin() + static_cast<std::ptrdiff_t>(n));
      wrong[bit / 8] ^= static_cast<std::uint8_t>(1u << bit % 8);
      ASSERT_EQ(1, message.init(false, key, iv));
      ASSERT_EQ(1, message.update(out.data(), sealed.data(), sealed.size()));
      ASSERT_EQ(1, message.set_tag(wrong));
      ASSERT_EQ(0, message.final());
      ASSERT_EQ(last_error(), "") << "as OpenSSL's own";
    }
  }
  ASSERT_EQ(1, message.set_tag(tag));
  EXPECT_EQ(0, message.final());
  EXPECT_EQ(last_error(), "") << "as OpenSSL's own";
  EXPECT_EQ(0, message.update(out.data(), sealed.data(), sealed.size()));
  EXPECT_EQ(last_error(),
            "cipher operation failed: the IV of " + name + "-GCM belongs to a message that ended");
  ASSERT_EQ(1, message.init(false, key, iv));
  ASSERT_EQ(1, message.set_tag(tag));
  ASSERT_EQ(1, message.update(out.data(), sealed.data(), sealed.size()));
  EXPECT_EQ(1, message.final());
}

TEST_P(Gcm, RefusalsHaveOneErrorAndWriteNothing) {
  const Bytes key = bytes(spec.key_bytes), iv = bytes(12);
  Message message(library.cipher(name + "-GCM"));
  Bytes memory(100, 0xa5);
  const Bytes before = memory;
  std::uint8_t* const at = memory.data();
  ASSERT_EQ(1, EVP_CipherInit_ex2(message.ctx.get(), library.cipher(name + "-GCM").get(), nullptr,
                                  iv.data(), 0, nullptr));
  EXPECT_EQ(0, message.update(at, at, 20));
  EXPECT_EQ(last_error(), "cipher operation failed: " + name + " has no key yet");
  Message fresh(library.cipher(name + "-GCM"));
  ASSERT_EQ(1, EVP_CipherInit_ex2(fresh.ctx.get(), library.cipher(name + "-GCM").get(), key.data(),
                                  nullptr, 0, nullptr));
  EXPECT_EQ(0, fresh.update(at, at, 20));
  EXPECT_EQ(last_error(), "cipher operation failed: " + name + "-GCM has no IV yet");
  for (const std::size_t n : {0u, 129u}) {
    std::size_t length = n;
    const OSSL_PARAM params[] = {OSSL_PARAM_construct_size_t(OSSL_CIPHER_PARAM_IVLEN, &length),
                                 OSSL_PARAM_construct_end()};
    EXPECT_EQ(0, EVP_CIPHER_CTX_set_params(fresh.ctx.get(), params));
    EXPECT_EQ(last_error(), "invalid iv length: IV is " + std::to_string(n) + " bytes, " + name +
                                "-GCM takes 1 to 128");
  }
  ASSERT_EQ(1, fresh.init(false, key, iv));
  EXPECT_EQ(0, fresh.final());
  EXPECT_EQ(last_error(), "") << "as OpenSSL's own";
  EXPECT_EQ(0, fresh.update(at + 1, at, 20));
  EXPECT_EQ(last_error().substr(0, 30), "input and output overlap partl");
  EXPECT_EQ(0, fresh.update(at, at + 19, 20));
  last_error();
  EXPECT_EQ(memory, before);
  ASSERT_EQ(1, fresh.update(at, at, 20));
  EXPECT_EQ(0, fresh.aad(iv));
  EXPECT_EQ(last_error(),
            "cipher operation failed: 12 bytes after the first data of " + name + "-GCM");
  ASSERT_EQ(1, fresh.init(true, key, iv));
  EXPECT_EQ(0, fresh.set_tag(iv));
  EXPECT_EQ(last_error(), "invalid tag: encryption with " + name + "-GCM makes its own");
  Bytes tag(16);
  OSSL_PARAM get[] = {OSSL_PARAM_construct_octet_string(OSSL_CIPHER_PARAM_AEAD_TAG, tag.data(), 16),
                      OSSL_PARAM_construct_end()};
  EXPECT_EQ(0, EVP_CIPHER_CTX_get_params(fresh.ctx.get(), get));
  EXPECT_EQ(last_error(), "invalid tag: " + name + "-GCM has a tag after the end of an encryption");
  EXPECT_EQ(0, fresh.set_octets(OSSL_CIPHER_PARAM_AEAD_TLS1_AAD, Bytes(12)));
  EXPECT_EQ(last_error(), "invalid aad: tlsaad has 12 bytes, a record's header 13");
  EXPECT_EQ(0, fresh.set_octets(OSSL_CIPHER_PARAM_AEAD_TLS1_AAD, Bytes(13)));
  EXPECT_EQ(last_error(),
            "invalid aad: a record of 0 bytes of " + name + "-GCM has no room for its explicit IV");
  EXPECT_EQ(0, fresh.set_octets(OSSL_CIPHER_PARAM_AEAD_TLS1_IV_FIXED, Bytes(3)));
  EXPECT_EQ(
      last_error(),
      "failed to get parameter: tlsivfixed has 3 bytes: at least 4, and 8 less than the IV's 12");
}

// Several parameters of one call: all or none.
TEST_P(Gcm, ARefusedSetIsNotHalfApplied) {
  const Bytes key = bytes(spec.key_bytes), iv = bytes(12);
  Message message(library.cipher(name + "-GCM"));
  ASSERT_EQ(1, message.init(false, key, iv));
  Bytes tag(5), header(12);
  std::size_t length = 16;
  const OSSL_PARAM params[] = {
      OSSL_PARAM_construct_octet_string(OSSL_CIPHER_PARAM_AEAD_TAG, tag.data(), tag.size()),
      OSSL_PARAM_construct_size_t(OSSL_CIPHER_PARAM_IVLEN, &length),
      OSSL_PARAM_construct_octet_string(OSSL_CIPHER_PARAM_AEAD_TLS1_AAD, header.data(),
                                        header.size()),
      OSSL_PARAM_construct_end()};
  EXPECT_EQ(0, EVP_CIPHER_CTX_set_params(message.ctx.get(), params));
  EXPECT_EQ(last_error(), "invalid aad: tlsaad has 12 bytes, a record's header 13");
  EXPECT_EQ(EVP_CIPHER_CTX_get_iv_length(message.ctx.get()), 12);
  EXPECT_EQ(EVP_CIPHER_CTX_get_tag_length(message.ctx.get()), 16);
  EXPECT_EQ(1, message.update(tag.data(), tag.data(), tag.size()));
}

TEST_P(Gcm, ByteLimitOfTheKeyCountsText) {
  const Bytes key = bytes(spec.key_bytes);
  Message message(library.cipher(name + "-GCM"));
  ASSERT_EQ(1, message.init(true, key, bytes(12)));
  unsigned most = 100;
  const OSSL_PARAM params[] = {OSSL_PARAM_construct_uint("max-bytes", &most),
                               OSSL_PARAM_construct_end()};
  ASSERT_EQ(1, EVP_CIPHER_CTX_set_params(message.ctx.get(), params));
  Bytes text(101);
  EXPECT_EQ(1, message.aad(text));
  EXPECT_EQ(0, message.update(text.data(), text.data(), 101));
  EXPECT_EQ(last_error().substr(0, 31), "byte limit of this key reached:");
  EXPECT_EQ(1, message.update(text.data(), text.data(), 100));
  EXPECT_EQ(1, message.final());
}

// Vector files, in one piece and in two at every split of text and associated data.
TEST(GcmVectors, BothWaysAtEverySplit) {
  const Library library;
  for (const char* file : kPublishedGcm) {
    for (const Stanza& stanza : read_vectors(file)) {
      const Bytes aad = stanza.bytes("AAD"), tag = stanza.bytes("Tag");
      const Bytes plain = stanza.bytes("Plaintext"), secret = stanza.bytes("Ciphertext");
      for (std::size_t split = 0; split <= plain.size(); ++split) {
        const std::size_t aad_split = std::min(split, aad.size());
        for (const bool encrypt : {true, false}) {
          SCOPED_TRACE(stanza.place() + " split at " + std::to_string(split));
          Message message(library.cipher(stanza.text("Cipher")));
          ASSERT_EQ(1, message.init(encrypt, stanza.bytes("Key"), stanza.bytes("IV")));
          ASSERT_EQ(1, message.update(nullptr, aad.data(), aad_split));
          ASSERT_EQ(1, message.update(nullptr, aad.data() + aad_split, aad.size() - aad_split));
          const Bytes& in = encrypt ? plain : secret;
          Bytes out(in.size());
          ASSERT_EQ(1, message.update(out.data(), in.data(), split));
          ASSERT_EQ(1, message.update(out.data() + split, in.data() + split, in.size() - split));
          EXPECT_EQ(to_hex(out), to_hex(encrypt ? secret : plain));
          if (!encrypt) {
            ASSERT_EQ(1, message.set_tag(tag));
          }
          ASSERT_EQ(1, message.final()) << last_error();
          if (encrypt) {
            EXPECT_EQ(to_hex(message.tag()), to_hex(tag));
          }
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(AllCiphers, Gcm, testing::Range(std::size_t{0}, kCipherCount),
                         [](const auto& param) {
                           return gtest_name(cipher_spec(param.param).name);
                         });

}  // namespace
}  // namespace gpuctr::test
