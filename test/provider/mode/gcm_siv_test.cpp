// AES-GCM-SIV against the model of RFC 8452 on every CPU backend; and what it does otherwise than
// OpenSSL's, or where this machine's OpenSSL has none.
#include <gtest/gtest.h>

#include <openssl/core_names.h>
#include <openssl/params.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <thread>

#include "kernels/cpu/backend.h"
#include "provider/mode/aead/gcm_siv_message.h"
#include "test/provider/mode/gcm_siv_model.h"
#include "test/provider/support.h"

namespace gpuctr::test {
namespace {

constexpr const char* kCiphers[] = {"AES-128", "AES-192", "AES-256"};

GcmSivModel model_of(const CipherSpec& spec, const Bytes& key, const Bytes& nonce) {
  const auto encrypt = [&spec](const Bytes& k, const GcmSivModel::Block& in) {
    RoundKeys keys;
    GcmSivModel::Block out;
    spec.expand(k.data(), &keys);
    find_backend("scalar")->ops[spec.index].encrypt(keys, in.data(), out.data(), 1);
    return out;
  };
  return GcmSivModel(encrypt, key, nonce);
}

class Random {
 public:
  Bytes bytes(std::size_t n) {
    Bytes b(n);
    for (auto& byte : b) byte = static_cast<std::uint8_t>(random_());
    return b;
  }
  std::size_t below(std::size_t n) { return random_() % n; }

 private:
  std::mt19937 random_{8452};
};

// A message both ways, out of place and in place.
void check(const CipherSpec& spec, const Engine& engine, Random* random, std::size_t aad_bytes,
           std::size_t n) {
  const Bytes key = random->bytes(spec.key_bytes), nonce = random->bytes(12);
  const Bytes aad = random->bytes(aad_bytes), text = random->bytes(n);
  const GcmSivModel model = model_of(spec, key, nonce);
  const GcmSivModel::Block tag = model.tag(aad, text);
  const Bytes sealed = model.crypt(tag, text);
  RoundKeys keys;
  expand_on(spec, engine.cpu(spec), key.data(), key.size(), &keys);
  Bytes memory(GcmSivMessage::memory_bytes(spec) + 64);
  const auto address = reinterpret_cast<std::uintptr_t>(memory.data());
  GcmSivMessage message(engine, spec, keys, memory.data() + (64 - address % 64));
  message.start(nonce.data());
  GcmSivModel::Block made{};
  Bytes out(n + 1), place(text);
  place.push_back(0x5a);
  message.encrypt(aad.data(), aad.size(), place.data(), out.data(), n, made.data());
  out.resize(n);
  ASSERT_EQ(out, sealed);
  ASSERT_EQ(made, tag);
  message.encrypt(aad.data(), aad.size(), place.data(), place.data(), n, made.data());
  ASSERT_EQ(Bytes(place.begin(), place.end() - 1), sealed);
  ASSERT_EQ(made, tag);
  made.fill(0);
  message.decrypt(aad.data(), aad.size(), place.data(), place.data(), n, tag.data(), made.data());
  ASSERT_EQ(Bytes(place.begin(), place.end() - 1), text);
  ASSERT_EQ(made, tag);
  ASSERT_EQ(place.back(), 0x5a);
}

TEST(GcmSiv, IsTheModel) {
  const BackendList backends = cpu_backends();
  Random random;
  for (std::size_t b = 0; b < backends.count; ++b) {
    if (!backends.first[b]->available()) continue;
    EngineConfig config;
    config.cpu = backends.first[b];
    const Engine engine(config);
    for (const char* name : kCiphers) {
      const CipherSpec& spec = *find_cipher(name);
      SCOPED_TRACE(std::string(name) + " on " + backends.first[b]->name);
      for (std::size_t n = 0; n <= 70 && !HasFatalFailure(); n += 1 + random.below(3)) {
        check(spec, engine, &random, random.below(60), n);
      }
      for (const std::size_t n : {128u, 240u, 256u, 257u, 1000u, 2049u, 8421u}) {
        check(spec, engine, &random, random.below(600), n);
        if (HasFatalFailure()) return;
      }
    }
  }
}

class Context {
 public:
  explicit Context(const std::string& name) : cipher(library.cipher(name)) {}
  int init(bool encrypt, const Bytes* key, const Bytes* iv) {
    return EVP_CipherInit_ex2(ctx.get(), cipher.get(), key == nullptr ? nullptr : key->data(),
                              iv == nullptr ? nullptr : iv->data(), encrypt ? 1 : 0, nullptr);
  }
  int update(std::uint8_t* out, const Bytes& in) {
    int n = 0;
    const std::uint8_t none = 0;
    return EVP_CipherUpdate(ctx.get(), out, &n, in.empty() ? &none : in.data(),
                            static_cast<int>(in.size()));
  }
  int final() {
    int n = 0;
    std::uint8_t none[16];
    return EVP_CipherFinal_ex(ctx.get(), none, &n);
  }
  int control(int what, Bytes* tag) {
    return EVP_CIPHER_CTX_ctrl(ctx.get(), what, static_cast<int>(tag->size()), tag->data());
  }

  // Goes on with a copy of the context, and frees the original.
  void become_a_copy() {
    Evp<EVP_CIPHER_CTX> made(EVP_CIPHER_CTX_new());
    ASSERT_EQ(1, EVP_CIPHER_CTX_copy(made.get(), ctx.get())) << last_error();
    std::swap(ctx, made);
  }

  const Library library;
  const Evp<EVP_CIPHER> cipher;
  Evp<EVP_CIPHER_CTX> ctx{EVP_CIPHER_CTX_new()};
};

// This machine's OpenSSL may have no such cipher.
TEST(GcmSiv, OverEvp) {
  Random random;
  for (const char* name : kCiphers) {
    const CipherSpec& spec = *find_cipher(name);
    Context context(std::string(name) + "-GCM-SIV");
    EXPECT_EQ(EVP_CIPHER_get_iv_length(context.cipher.get()), 12);
    EXPECT_EQ(EVP_CIPHER_get_mode(context.cipher.get()), 0x10005);
    for (const std::size_t n : {0u, 1u, 16u, 50u, 3000u}) {
      const Bytes key = random.bytes(spec.key_bytes), iv = random.bytes(12);
      const Bytes first = random.bytes(random.below(90)),
                  second = random.bytes(1 + random.below(9));
      Bytes aad(first);
      aad.insert(aad.end(), second.begin(), second.end());
      const Bytes text = random.bytes(n);
      const GcmSivModel model = model_of(spec, key, iv);
      const GcmSivModel::Block tag = model.tag(aad, text);
      Bytes out(n + 1), made(16), wrong(tag.begin(), tag.end());
      ASSERT_EQ(1, context.init(true, &key, &iv));
      ASSERT_EQ(1, context.update(nullptr, {}));
      if (!first.empty()) {
        ASSERT_EQ(1, context.update(nullptr, first));
      }
      ASSERT_EQ(1, context.update(nullptr, second));
      ASSERT_EQ(1, context.update(out.data(), text));
      ASSERT_EQ(1, context.final());
      ASSERT_EQ(1, context.control(EVP_CTRL_AEAD_GET_TAG, &made));
      out.resize(n);
      ASSERT_EQ(out, model.crypt(tag, text));
      ASSERT_TRUE(std::equal(made.begin(), made.end(), tag.begin()));
      // A second text of the message.
      Bytes more(n + 1);
      EXPECT_EQ(0, context.update(more.data(), text));
      EXPECT_EQ(0, context.control(EVP_CTRL_AEAD_GET_TAG, &made));
      EXPECT_EQ(last_error(), "failed to set parameter: tag does not fit 16 bytes of type 5");
      // A wrong tag gives zeros and fails at the end.
      wrong[random.below(16)] ^= 4;
      for (Bytes* given : {&made, &wrong}) {
        ASSERT_EQ(1, context.init(false, &key, &iv));
        ASSERT_EQ(1, context.control(EVP_CTRL_AEAD_SET_TAG, given));
        ASSERT_EQ(1, context.update(nullptr, aad));
        Bytes plain(n + 1, 0x11);
        ASSERT_EQ(1, context.update(plain.data(), out));
        plain.resize(n);
        EXPECT_EQ(plain, given == &made ? text : Bytes(n));
        EXPECT_EQ(context.final(), given == &made ? 1 : 0);
      }
      EXPECT_EQ(last_error(), "");
    }
  }
}

// The copy has the message of the original: key, nonce, associated data, the set tag and the made
// one.
TEST(GcmSiv, ACopyAtEveryStepOutlivesTheOriginal) {
  Random random;
  for (const char* name : kCiphers) {
    const CipherSpec& spec = *find_cipher(name);
    const Bytes key = random.bytes(spec.key_bytes), iv = random.bytes(12);
    const Bytes aad = random.bytes(100), text = random.bytes(321);
    const GcmSivModel model = model_of(spec, key, iv);
    const GcmSivModel::Block tag = model.tag(aad, text);
    const Bytes sealed = model.crypt(tag, text);
    for (const bool encrypt : {true, false}) {
      for (int copied = 0; copied < 6; ++copied) {
        SCOPED_TRACE(std::string(name) + ", copy at step " + std::to_string(copied));
        Context context(std::string(name) + "-GCM-SIV");
        const auto step = [&](int number) {
          if (number == copied) context.become_a_copy();
        };
        Bytes given(tag.begin(), tag.end()), out(text.size());
        ASSERT_EQ(1, context.init(encrypt, &key, &iv));
        step(0);
        ASSERT_EQ(1, context.update(nullptr, Bytes(aad.begin(), aad.begin() + 37)));
        step(1);
        ASSERT_EQ(1, context.update(nullptr, Bytes(aad.begin() + 37, aad.end())));
        step(2);
        if (!encrypt) {
          ASSERT_EQ(1, context.control(EVP_CTRL_AEAD_SET_TAG, &given));
        }
        step(3);
        ASSERT_EQ(1, context.update(out.data(), encrypt ? text : sealed));
        EXPECT_EQ(out, encrypt ? sealed : text);
        step(4);
        ASSERT_EQ(1, context.final());
        step(5);
        if (!encrypt) continue;
        Bytes made(16);
        ASSERT_EQ(1, context.control(EVP_CTRL_AEAD_GET_TAG, &made));
        EXPECT_EQ(made, given);
      }
    }
  }
}

// Associated data that comes after the copy is of the one context only.
TEST(GcmSiv, CopiesAreApart) {
  const CipherSpec& spec = *find_cipher("AES-128");
  const Bytes key(16, 1), iv(12, 2), text(50, 3), aad(20, 4), more(13, 5);
  Bytes all(aad);
  all.insert(all.end(), more.begin(), more.end());
  const GcmSivModel model = model_of(spec, key, iv);
  Context context("AES-128-GCM-SIV"), copy("AES-128-GCM-SIV");
  ASSERT_EQ(1, context.init(true, &key, &iv));
  ASSERT_EQ(1, context.update(nullptr, aad));
  ASSERT_EQ(1, EVP_CIPHER_CTX_copy(copy.ctx.get(), context.ctx.get()));
  ASSERT_EQ(1, copy.update(nullptr, more));
  Bytes out(50);
  ASSERT_EQ(1, context.update(out.data(), text));
  EXPECT_EQ(out, model.crypt(model.tag(aad, text), text));
  ASSERT_EQ(1, copy.update(out.data(), text));
  EXPECT_EQ(out, model.crypt(model.tag(all, text), text));
}

// Contexts that are copies of one, each in a thread of its own.
TEST(GcmSiv, ThreadsWithCopiesOfOneContext) {
  constexpr std::size_t kThreads = 4, kMessages = 300;
  const CipherSpec& spec = *find_cipher("AES-256");
  const Bytes key = Random().bytes(32), aad(33, 7);
  Context context("AES-256-GCM-SIV");
  ASSERT_EQ(1, context.init(true, &key, nullptr));
  ASSERT_EQ(1, context.update(nullptr, aad));
  std::size_t good[kThreads] = {};
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < kThreads; ++t) {
    EVP_CIPHER_CTX* const ctx = EVP_CIPHER_CTX_new();
    ASSERT_EQ(1, EVP_CIPHER_CTX_copy(ctx, context.ctx.get()));
    threads.emplace_back([&, t, ctx] {
      for (std::size_t i = 0; i < kMessages; ++i) {
        Bytes iv(12, static_cast<std::uint8_t>(t)), text(i, static_cast<std::uint8_t>(i));
        iv[0] = static_cast<std::uint8_t>(i);
        iv[1] = static_cast<std::uint8_t>(i >> 8);
        Bytes out(i + 1), made(16);
        std::uint8_t none[16];
        int n = 0;
        const GcmSivModel model = model_of(spec, key, iv);
        const GcmSivModel::Block tag = model.tag(aad, text);
        text.push_back(0);
        const bool done =
            EVP_EncryptInit_ex2(ctx, nullptr, nullptr, iv.data(), nullptr) == 1 &&
            EVP_EncryptUpdate(ctx, out.data(), &n, text.data(), static_cast<int>(i)) == 1 &&
            EVP_EncryptFinal_ex(ctx, none, &n) == 1 &&
            EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, 16, made.data()) == 1;
        text.pop_back();
        out.pop_back();
        good[t] += done && std::equal(tag.begin(), tag.end(), made.begin()) &&
                   out == model.crypt(tag, text);
      }
      EVP_CIPHER_CTX_free(ctx);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::size_t count : good) EXPECT_EQ(count, kMessages);
}

TEST(GcmSiv, KeepsToTheLimitOfAKey) {
  const Bytes key(16, 1), iv(12, 2), text(50, 3);
  Context context("AES-128-GCM-SIV");
  ASSERT_EQ(1, context.init(true, &key, &iv));
  std::uint64_t most = 99;
  const OSSL_PARAM params[] = {OSSL_PARAM_construct_uint64("max-bytes", &most),
                               OSSL_PARAM_construct_end()};
  ASSERT_EQ(1, EVP_CIPHER_CTX_set_params(context.ctx.get(), params));
  ASSERT_EQ(1, context.update(nullptr, Bytes(200)));  // associated data does not count
  Bytes out(50, 0x5a);
  ASSERT_EQ(1, context.update(out.data(), text));
  const auto init = [&](const std::uint8_t* new_key) {
    ASSERT_EQ(1, EVP_EncryptInit_ex2(context.ctx.get(), nullptr, new_key, iv.data(), nullptr));
  };
  init(nullptr);
  out.assign(50, 0x5a);
  EXPECT_EQ(0, context.update(out.data(), text));
  EXPECT_EQ(out, Bytes(50, 0x5a));
  EXPECT_NE(last_error().find("byte limit"), std::string::npos);
  init(key.data());
  EXPECT_EQ(1, context.update(out.data(), text));
}

// A key without an IV, or an IV without a key.
TEST(GcmSiv, NeedsKeyAndIv) {
  const Bytes key(16, 1), iv(12, 2), text(20, 3);
  for (const bool with_key : {true, false}) {
    Context context("AES-128-GCM-SIV");
    ASSERT_EQ(1, context.init(true, with_key ? &key : nullptr, with_key ? nullptr : &iv));
    Bytes out(20, 0x5a);
    EXPECT_EQ(0, context.update(out.data(), text));
    EXPECT_EQ(out, Bytes(20, 0x5a));
    EXPECT_NE(last_error(), "");
    EXPECT_EQ(0, context.final());
    EXPECT_NE(last_error(), "");
  }
}

// A tag that comes after the text: it cannot be the one that made the keystream.
TEST(GcmSiv, TagAfterTheText) {
  const Bytes key(16, 1), iv(12, 2), sealed(20, 3);
  Context context("AES-128-GCM-SIV");
  ASSERT_EQ(1, context.init(false, &key, &iv));
  Bytes out(20, 0x5a), tag(16, 7);
  EXPECT_EQ(1, context.update(out.data(), sealed));
  EXPECT_EQ(out, Bytes(20));
  EXPECT_EQ(1, context.control(EVP_CTRL_AEAD_SET_TAG, &tag));
  EXPECT_EQ(0, context.final());
  EXPECT_EQ(last_error(), "");
}

// RFC 8452 names AES.
TEST(GcmSiv, IsOfAesOnly) {
  const Library library;
  for (std::size_t i = 0; i < kCipherCount; ++i) {
    const std::string name = cipher_spec(i).name;
    const bool aes = name.rfind("AES-", 0) == 0;
    EXPECT_EQ(library.cipher(name + "-GCM-SIV") != nullptr, aes) << name;
    ERR_clear_error();
  }
}

}  // namespace
}  // namespace gpuctr::test
