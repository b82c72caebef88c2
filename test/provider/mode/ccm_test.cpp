// CCM of every cipher with a block of 16 bytes against the model of RFC 3610, and published
// vectors; and what it refuses, with its errors.
#include <gtest/gtest.h>
#include <openssl/core_names.h>
#include <openssl/params.h>

#include <cstring>
#include <memory>
#include <random>

#include "kernels/cipher/registry.h"
#include "provider/mode/aead/ccm_message.h"
#include "test/provider/mode/ccm_model.h"
#include "test/provider/support.h"
#include "test/support/gtest_name.h"
#include "test/support/vector_files.h"

namespace gpuctr::test {
namespace {

static_assert(ccm_max_text(13) == 0xffff && ccm_max_text(12) == 0xffffff);
static_assert(ccm_max_text(8) == (std::uint64_t{1} << 56) - 1 && ccm_max_text(7) == UINT64_MAX);

class Message {
 public:
  explicit Message(Evp<EVP_CIPHER> cipher) : cipher_(std::move(cipher)) {}

  // Lengths, then the key, then the IV.
  int init(bool encrypt, const Bytes& key, const Bytes& iv, std::size_t tag_bytes) {
    const int direction = encrypt ? 1 : 0;
    if (EVP_CipherInit_ex2(ctx.get(), cipher_.get(), nullptr, nullptr, direction, nullptr) != 1) {
      return 0;
    }
    return control(EVP_CTRL_AEAD_SET_IVLEN, iv.size()) == 1 &&
                   control(EVP_CTRL_AEAD_SET_TAG, tag_bytes) == 1 &&
                   EVP_CipherInit_ex2(ctx.get(), nullptr, key.data(), iv.data(), direction,
                                      nullptr) == 1
               ? 1
               : 0;
  }
  int control(int what, std::size_t n, void* data = nullptr) {
    return EVP_CIPHER_CTX_ctrl(ctx.get(), what, static_cast<int>(n), data);
  }
  int update(std::uint8_t* out, const std::uint8_t* in, std::size_t n) {
    int written = 0;
    const int status = EVP_CipherUpdate(ctx.get(), out, &written, in, static_cast<int>(n));
    EXPECT_EQ(written, status == 1 ? static_cast<int>(n) : 0);
    return status;
  }
  int length(std::size_t n) { return update(nullptr, nullptr, n); }
  int aad(const Bytes& data) { return update(nullptr, data.data(), data.size()); }
  int final() {
    int written = 7;
    std::uint8_t none[16];
    const int status = EVP_CipherFinal_ex(ctx.get(), none, &written);
    EXPECT_EQ(written, status == 1 ? 0 : written);
    return status;
  }
  Bytes tag(std::size_t n) {
    Bytes got(n);
    EXPECT_EQ(1, control(EVP_CTRL_AEAD_GET_TAG, n, got.data())) << last_error();
    return got;
  }
  int set_tag(Bytes tag) { return control(EVP_CTRL_AEAD_SET_TAG, tag.size(), tag.data()); }

  Evp<EVP_CIPHER_CTX> ctx{EVP_CIPHER_CTX_new()};

 private:
  Evp<EVP_CIPHER> cipher_;
};

class Ccm : public testing::TestWithParam<std::size_t> {
 protected:
  // One for all: libcrypto has names for the errors of some hundred providers of a process.
  static void SetUpTestSuite() { shared = std::make_unique<Library>(); }
  static void TearDownTestSuite() { shared.reset(); }
  Bytes bytes(std::size_t n) {
    Bytes b(n);
    for (auto& byte : b) byte = static_cast<std::uint8_t>(random());
    return b;
  }
  std::size_t some(std::size_t most) { return random() % (most + 1); }
  // The model over the provider's own ECB.
  CcmModel model() {
    auto ctx = std::make_shared<Evp<EVP_CIPHER_CTX>>(EVP_CIPHER_CTX_new());
    const Evp<EVP_CIPHER> ecb = library.cipher(name + "-ECB");
    EXPECT_EQ(1, EVP_EncryptInit_ex2(ctx->get(), ecb.get(), key.data(), nullptr, nullptr));
    return CcmModel([ctx](const CcmModel::Block& in) {
      CcmModel::Block out;
      EXPECT_EQ(16, EVP_Cipher(ctx->get(), out.data(), in.data(), 16));
      return out;
    });
  }
  void compare(const CcmModel& model, std::size_t iv_bytes, std::size_t tag_bytes,
               std::size_t aad_bytes, std::size_t n);
  // A context for a message without text or associated data yet, and what belongs to it.
  std::unique_ptr<Message> message(bool encrypt) {
    auto made = std::make_unique<Message>(library.cipher(mode));
    EXPECT_EQ(1, made->init(encrypt, key, iv, 16));
    return made;
  }

  const CipherSpec& spec = cipher_spec(GetParam());
  const std::string name = spec.name, mode = name + "-CCM";
  static std::unique_ptr<Library> shared;
  const Library& library = *shared;
  std::mt19937 random{static_cast<unsigned>(GetParam())};
  const Bytes key = bytes(spec.key_bytes), iv = bytes(12);
};

std::unique_ptr<Library> Ccm::shared;

void Ccm::compare(const CcmModel& model, std::size_t iv_bytes, std::size_t tag_bytes,
                  std::size_t aad_bytes, std::size_t n) {
  const Bytes text = bytes(n), aad = bytes(aad_bytes), nonce = bytes(iv_bytes);
  const Bytes sealed = model.crypt(nonce, text);
  const Bytes tag = model.tag(nonce, aad, text, tag_bytes);
  for (const bool encrypt : {true, false}) {
    SCOPED_TRACE(name + (encrypt ? " encrypts " : " decrypts ") + std::to_string(n) + " after " +
                 std::to_string(aad_bytes) + ", tag of " + std::to_string(tag_bytes) + ", IV of " +
                 std::to_string(iv_bytes));
    Message message(library.cipher(mode));
    ASSERT_EQ(1, message.init(encrypt, key, nonce, tag_bytes));
    if (!encrypt) {
      ASSERT_EQ(1, message.set_tag(tag));
    }
    if (aad_bytes != 0 || random() % 2 == 0) {
      ASSERT_EQ(1, message.length(n));
    }
    if (aad_bytes != 0) {
      ASSERT_EQ(1, message.aad(aad));
    }
    Bytes from(encrypt ? text : sealed), to(n + 1, 0xa5);
    const bool in_place = random() % 2 == 0;
    from.push_back(0xa5);
    Bytes& out = in_place ? from : to;
    if (n != 0 || random() % 2 == 0) {
      ASSERT_EQ(1, message.update(out.data(), from.data(), n)) << last_error();
    }
    ASSERT_EQ(1, message.final()) << last_error();
    ASSERT_EQ(out.back(), 0xa5);
    out.pop_back();
    if (n != 0) {
      ASSERT_EQ(out, encrypt ? sealed : text);
    }
    if (encrypt) {
      ASSERT_EQ(to_hex(message.tag(tag_bytes)), to_hex(tag));
    }
  }
}

TEST_P(Ccm, IsTheModel) {
  const CcmModel model = this->model();
  for (std::size_t n = 0; n < 70; ++n) compare(model, 7 + n % 7, 4 + 2 * some(6), some(40), n);
  for (const std::size_t n : {239u, 240u, 241u, 255u, 256u, 257u, 4095u, 16384u, 16385u, 40003u}) {
    compare(model, 12, 16, some(70), n);
  }
  for (std::size_t aad = 0; aad < 50; ++aad) compare(model, 12, 8, aad, some(50));
  for (const std::size_t aad : {0xfeffu, 0xff00u, 0x10001u}) compare(model, 13, 10, aad, 33);
  compare(model, 13, 16, 5, 0xffff);
}

TEST_P(Ccm, AWrongTagGivesNoText) {
  const Bytes text = bytes(300), aad = bytes(20);
  const CcmModel model = this->model();
  const Bytes sealed = model.crypt(iv, text), tag = model.tag(iv, aad, text, 16);
  for (const bool one_shot : {false, true}) {
    for (std::size_t bit = 0; bit < 128; ++bit) {
      Bytes wrong(tag), data(sealed);
      wrong[bit / 8] ^= static_cast<std::uint8_t>(1u << bit % 8);
      const auto message = this->message(false);
      ASSERT_EQ(1, message->set_tag(wrong));
      ASSERT_EQ(1, message->length(data.size()));
      ASSERT_EQ(1, message->aad(aad));
      if (one_shot) {
        ASSERT_EQ(-1, EVP_Cipher(message->ctx.get(), data.data(), data.data(), 300));
      } else {
        ASSERT_EQ(0, message->update(data.data(), data.data(), data.size()));
      }
      // As OpenSSL's own, which has an error for an update only.
      ASSERT_EQ(last_error(), one_shot
                                  ? ""
                                  : "cipher operation failed: 16 bytes of tag are not those of "
                                    "this message of " +
                                        mode);
      ASSERT_EQ(data, Bytes(300));
      // Nor is the end a success, for whoever looks at nothing but the final.
      ASSERT_EQ(0, message->final());
      ASSERT_EQ(last_error(), "");
      ASSERT_EQ(1, message->set_tag(tag));
      ASSERT_EQ(0, message->length(300));
      ASSERT_EQ(last_error(),
                "cipher operation failed: the IV of " + mode + " belongs to a message that ended");
    }
  }
}

// What was changed shows in the tag, wherever it is.
TEST_P(Ccm, EveryBitIsAuthenticated) {
  const Bytes text = bytes(40), aad = bytes(33);
  const CcmModel model = this->model();
  const Bytes sealed = model.crypt(iv, text), tag = model.tag(iv, aad, text, 16);
  for (std::size_t bit = 0; bit < 8 * (40 + 33 + 12); ++bit) {
    Bytes all(sealed);
    all.insert(all.end(), aad.begin(), aad.end());
    all.insert(all.end(), iv.begin(), iv.end());
    all[bit / 8] ^= static_cast<std::uint8_t>(1u << bit % 8);
    Message message(library.cipher(mode));
    ASSERT_EQ(1, message.init(false, key, Bytes(all.begin() + 73, all.end()), 16));
    ASSERT_EQ(1, message.set_tag(tag));
    ASSERT_EQ(1, message.length(40));
    ASSERT_EQ(1, message.aad(Bytes(all.begin() + 40, all.begin() + 73)));
    ASSERT_EQ(0, message.update(all.data(), all.data(), 40)) << bit;
    last_error();
  }
}

TEST_P(Ccm, RefusalsOfAMessageHaveOneErrorAndWriteNothing) {
  Bytes memory(100, 0xa5);
  const Bytes before = memory;
  std::uint8_t* const at = memory.data();
  const Bytes no_text = bytes(5);
  auto m = message(true);
  EXPECT_EQ(0, m->aad(no_text));
  EXPECT_EQ(last_error(), "cipher operation failed: " + mode +
                              " takes associated data after the text's length: an update without "
                              "buffers");
  ASSERT_EQ(1, m->length(20));
  ASSERT_EQ(1, m->aad(no_text));
  EXPECT_EQ(0, m->aad(no_text));
  EXPECT_EQ(last_error(),
            "cipher operation failed: 5 bytes more: " + mode + " takes them in one call");
  EXPECT_EQ(0, m->update(at, at, 19));
  EXPECT_EQ(last_error(),
            "cipher operation failed: 19 bytes: a text of 20 was announced to " + mode);
  EXPECT_EQ(0, m->final());
  EXPECT_EQ(last_error(), "") << "as OpenSSL's own";
  EXPECT_EQ(0, m->update(at + 1, at, 20));
  EXPECT_EQ(last_error().substr(0, 30), "input and output overlap partl");
  EXPECT_EQ(memory, before);
  // None of them has done anything to the message.
  const CcmModel model = this->model();
  EXPECT_EQ(1, m->update(at, at, 20));
  EXPECT_EQ(to_hex(m->tag(16)), to_hex(model.tag(iv, no_text, Bytes(20, 0xa5), 16)));
  for (int twice = 0; twice < 2; ++twice) {
    for (const bool announced : {true, false}) {
      EXPECT_EQ(0, announced ? m->length(20) : m->update(at, at, 20));
      EXPECT_EQ(last_error(),
                "cipher operation failed: the IV of " + mode + " belongs to a message that ended");
    }
  }
  EXPECT_EQ(0, m->aad(no_text));
  EXPECT_EQ(last_error().substr(0, 24), "cipher operation failed:");

  m = message(false);
  EXPECT_EQ(0, m->update(at, at, 20));
  EXPECT_EQ(last_error(),
            "cipher operation failed: decryption with " + mode + " needs the tag first");
  EXPECT_EQ(0, m->final());
  EXPECT_EQ(last_error(), "") << "as OpenSSL's own";
}

// A tag is for one text.
TEST_P(Ccm, EachDecryptionNeedsATag) {
  Bytes text = bytes(20);
  const Bytes tag = model().tag(iv, {}, text, 16), before = text;
  auto m = message(true);
  ASSERT_EQ(1, m->update(text.data(), text.data(), 20));
  m = message(false);
  ASSERT_EQ(1, m->set_tag(tag));
  ASSERT_EQ(1, m->update(text.data(), text.data(), 20));
  ASSERT_EQ(text, before);
  ASSERT_EQ(1, EVP_CipherInit_ex2(m->ctx.get(), nullptr, nullptr, iv.data(), -1, nullptr));
  EXPECT_EQ(0, m->update(text.data(), text.data(), 20));
  EXPECT_EQ(last_error(),
            "cipher operation failed: decryption with " + mode + " needs the tag first");
  EXPECT_EQ(text, before);
}

TEST_P(Ccm, RefusalsOfParametersHaveOneErrorAndSetNothing) {
  const auto m = message(true);
  for (const std::size_t n : {0u, 3u, 5u, 15u, 17u, 18u}) {
    EXPECT_EQ(0, m->set_tag(Bytes(n)));
    EXPECT_EQ(last_error(), "invalid tag length: tag has " + std::to_string(n) +
                                " bytes: even numbers from 4 to 16");
    EXPECT_EQ(0, m->control(EVP_CTRL_AEAD_SET_TAG, n));
    last_error();
  }
  EXPECT_EQ(0, m->set_tag(Bytes(8)));
  EXPECT_EQ(last_error(), "tag not needed: encryption with " + mode + " makes its own");
  EXPECT_EQ(EVP_CIPHER_CTX_get_tag_length(m->ctx.get()), 16);
  for (const std::size_t n : {0u, 6u, 14u, 100u}) {
    EXPECT_EQ(0, m->control(EVP_CTRL_AEAD_SET_IVLEN, n));
    EXPECT_EQ(last_error(), "invalid iv length: IV is " + std::to_string(n) + " bytes, " + mode +
                                " takes 7 to 13");
  }
  EXPECT_EQ(0, m->control(EVP_CTRL_CCM_SET_L, 1));
  EXPECT_EQ(1, m->control(EVP_CTRL_CCM_SET_L, 2));
  EXPECT_EQ(EVP_CIPHER_CTX_get_iv_length(m->ctx.get()), 13);
  ASSERT_EQ(1, m->init(true, key, iv, 16));
  Bytes tag(16);
  EXPECT_EQ(0, m->control(EVP_CTRL_AEAD_GET_TAG, 16, tag.data()));
  EXPECT_EQ(last_error(), "tag not set: " + mode + " has a tag after an encryption, once");
  ASSERT_EQ(1, m->update(tag.data(), tag.data(), 7));
  EXPECT_EQ(0, m->control(EVP_CTRL_AEAD_GET_TAG, 8, tag.data()));
  EXPECT_EQ(last_error(), "") << "as OpenSSL's own";
  EXPECT_EQ(1, m->control(EVP_CTRL_AEAD_GET_TAG, 16, tag.data()));
  EXPECT_EQ(0, m->control(EVP_CTRL_AEAD_GET_TAG, 16, tag.data()));
  EXPECT_EQ(last_error(), "tag not set: " + mode + " has a tag after an encryption, once");

  Message fresh(library.cipher(mode));
  ASSERT_EQ(1, EVP_CipherInit_ex2(fresh.ctx.get(), library.cipher(mode).get(), nullptr, iv.data(),
                                  1, nullptr));
  EXPECT_EQ(0, fresh.length(20));
  EXPECT_EQ(last_error(), "cipher operation failed: " + name + " has no key yet");
  ASSERT_EQ(1, EVP_CipherInit_ex2(fresh.ctx.get(), library.cipher(mode).get(), key.data(), nullptr,
                                  1, nullptr));
  EXPECT_EQ(0, fresh.length(20));
  EXPECT_EQ(last_error(), "cipher operation failed: " + mode + " has no IV yet");
}

// Lengths that come after the key.
TEST_P(Ccm, LengthsBelongToTheKey) {
  auto m = message(true);
  Bytes text(20);
  ASSERT_EQ(1, m->control(EVP_CTRL_AEAD_SET_IVLEN, 13));
  ASSERT_EQ(1, EVP_CipherInit_ex2(m->ctx.get(), nullptr, nullptr, bytes(13).data(), 1, nullptr));
  EXPECT_EQ(0, m->length(20));
  EXPECT_EQ(last_error(), "cipher operation failed: IV is 13 bytes, the key of " + mode +
                              " was set for 12: set the length before the key");
  EXPECT_EQ(0, m->update(text.data(), text.data(), 20));
  last_error();
  m = message(false);
  ASSERT_EQ(1, m->set_tag(Bytes(8)));
  EXPECT_EQ(0, m->update(text.data(), text.data(), 20));
  EXPECT_EQ(last_error(), "cipher operation failed: tag has 8 bytes, the key of " + mode +
                              " was set for 16: set the length before the key");
}

TEST_P(Ccm, ATextFitsTheLengthFieldOfItsIv) {
  Message m(library.cipher(mode));
  ASSERT_EQ(1, m.init(true, key, bytes(13), 16));
  Bytes text(0x10000);
  EXPECT_EQ(0, m.update(text.data(), text.data(), text.size()));
  EXPECT_EQ(last_error(),
            "cipher operation failed: 65536 bytes: an IV of 13 leaves " + mode + " room for 65535");
  EXPECT_EQ(text, Bytes(0x10000));
  EXPECT_EQ(1, m.update(text.data(), text.data(), text.size() - 1));
}

// Several parameters of one call: all or none.
TEST_P(Ccm, ARefusedSetIsNotHalfApplied) {
  const auto m = message(false);
  Bytes tag(8), header(12);
  std::size_t length = 13;
  const OSSL_PARAM params[] = {
      OSSL_PARAM_construct_octet_string(OSSL_CIPHER_PARAM_AEAD_TAG, tag.data(), tag.size()),
      OSSL_PARAM_construct_size_t(OSSL_CIPHER_PARAM_IVLEN, &length),
      OSSL_PARAM_construct_octet_string(OSSL_CIPHER_PARAM_AEAD_TLS1_AAD, header.data(),
                                        header.size()),
      OSSL_PARAM_construct_end()};
  EXPECT_EQ(0, EVP_CIPHER_CTX_set_params(m->ctx.get(), params));
  EXPECT_EQ(last_error(), "invalid data: tlsaad has 12 bytes, a record's header 13");
  EXPECT_EQ(EVP_CIPHER_CTX_get_iv_length(m->ctx.get()), 12);
  EXPECT_EQ(EVP_CIPHER_CTX_get_tag_length(m->ctx.get()), 16);
  EXPECT_EQ(0, m->update(tag.data(), tag.data(), tag.size()));
  EXPECT_EQ(last_error(),
            "cipher operation failed: decryption with " + mode + " needs the tag first");
}

TEST_P(Ccm, ByteLimitOfTheKeyCountsText) {
  const auto m = message(true);
  unsigned most = 100;
  const OSSL_PARAM params[] = {OSSL_PARAM_construct_uint("max-bytes", &most),
                               OSSL_PARAM_construct_end()};
  ASSERT_EQ(1, EVP_CIPHER_CTX_set_params(m->ctx.get(), params));
  Bytes text(101);
  EXPECT_EQ(0, m->update(text.data(), text.data(), 101));
  EXPECT_EQ(last_error().substr(0, 31), "byte limit of this key reached:");
  EXPECT_EQ(1, m->update(text.data(), text.data(), 100));
}

// EVP_Cipher without input: a length where there is one, else a final.
TEST_P(Ccm, OneShotAnnouncesALength) {
  const auto m = message(true);
  const Bytes aad = bytes(9);
  Bytes text = bytes(30);
  const CcmModel model = this->model();
  const Bytes tag = model.tag(iv, aad, text, 16);
  EXPECT_EQ(30, EVP_Cipher(m->ctx.get(), nullptr, nullptr, 30));
  EXPECT_EQ(9, EVP_Cipher(m->ctx.get(), nullptr, aad.data(), 9));
  EXPECT_EQ(30, EVP_Cipher(m->ctx.get(), text.data(), text.data(), 30));
  EXPECT_EQ(0, EVP_Cipher(m->ctx.get(), nullptr, nullptr, 0));
  EXPECT_EQ(to_hex(m->tag(16)), to_hex(tag));
}

void check_vector(const Library& library, const Stanza& stanza, const Bytes& aad, bool encrypt) {
  SCOPED_TRACE(stanza.place());
  const Bytes tag = stanza.bytes("Tag");
  Bytes data = stanza.bytes(encrypt ? "Plaintext" : "Ciphertext");
  Message message(library.cipher(stanza.text("Cipher")));
  ASSERT_EQ(1, message.init(encrypt, stanza.bytes("Key"), stanza.bytes("IV"), tag.size()));
  if (!encrypt) {
    ASSERT_EQ(1, message.set_tag(tag));
  }
  ASSERT_EQ(1, message.length(data.size()));
  if (!aad.empty()) {
    ASSERT_EQ(1, message.aad(aad));
  }
  data.push_back(0);  // so that there is a buffer
  ASSERT_EQ(1, message.update(data.data(), data.data(), data.size() - 1)) << last_error();
  data.pop_back();
  EXPECT_EQ(to_hex(data), to_hex(stanza.bytes(encrypt ? "Ciphertext" : "Plaintext")));
  if (encrypt) {
    EXPECT_EQ(to_hex(message.tag(tag.size())), to_hex(tag));
  }
}

TEST(CcmVectors, BothWays) {
  const Library library;
  for (const char* file : kPublishedCcm) {
    for (const Stanza& stanza : read_vectors(file)) {
      for (const bool encrypt : {true, false}) {
        check_vector(library, stanza, stanza.bytes("AAD"), encrypt);
      }
    }
  }
}

// SP 800-38C, appendix C, example 4: 65536 bytes of associated data.
TEST(CcmVectors, LongAssociatedData) {
  const Library library;
  if (find_cipher("AES-128") == nullptr) return;  // not in this build
  Bytes aad(65536);
  for (std::size_t i = 0; i < aad.size(); ++i) aad[i] = static_cast<std::uint8_t>(i);
  Stanza example;
  example.fields = {
      {"Cipher", "AES-128-CCM"},
      {"Key", "404142434445464748494a4b4c4d4e4f"},
      {"IV", "101112131415161718191a1b1c"},
      {"Tag", "b4ac6bec93e8598e7f0dadbcea5b"},
      {"Plaintext", "202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f"},
      {"Ciphertext", "69915dad1e84c6376a68c2967e4dab615ae0fd1faec44cc484828529463ccf72"}};
  for (const bool encrypt : {true, false}) check_vector(library, example, aad, encrypt);
}

// A cipher with a block of 8 bytes has neither GCM nor CCM, and libcrypto says whom it does not
// have.
TEST(Ccm64, IsNotOffered) {
  const Library library;
  for (std::size_t i = 0; i < kCipherCount; ++i) {
    const CipherSpec& spec = cipher_spec(i);
    for (const char* mode : {"-GCM", "-CCM"}) {
      const std::string name = std::string(spec.name) + mode;
      const bool offered = library.cipher(name) != nullptr;
      EXPECT_EQ(offered, spec.block_bytes == 16) << name;
      const std::string error = last_error();
      EXPECT_EQ(error.find("Algorithm (" + name) != std::string::npos, !offered) << error;
      EXPECT_EQ(error.find(" errors, last: "), std::string::npos) << error;
    }
  }
}

std::vector<std::size_t> of_16_bytes() {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < kCipherCount; ++i) {
    if (cipher_spec(i).block_bytes == 16) found.push_back(i);
  }
  return found;
}
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Ccm);
INSTANTIATE_TEST_SUITE_P(AllCiphers, Ccm, testing::ValuesIn(of_16_bytes()), [](const auto& param) {
  return gtest_name(cipher_spec(param.param).name);
});

}  // namespace
}  // namespace gpuctr::test
