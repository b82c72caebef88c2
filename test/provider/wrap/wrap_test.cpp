// Key wrapping: published vectors, Wycheproof's tests, and every cipher beside a model.
#include <gtest/gtest.h>
#include <openssl/core_names.h>
#include <openssl/params.h>

#include <algorithm>
#include <fstream>
#include <random>
#include <sstream>

#include "test/provider/stock/pair.h"
#include "test/provider/support.h"
#include "test/provider/wrap/wrap_model.h"
#include "test/support/gtest_name.h"

namespace gpuctr::test {
namespace {

// One key of one cipher, in either direction.
class Wrapper {
 public:
  Wrapper(const Library& library, const std::string& name, const Bytes& key, bool encrypt,
          const Bytes* iv = nullptr)
      : cipher_(library.cipher(name)) {
    EXPECT_NE(cipher_, nullptr) << name << ": " << last_error();
    if (cipher_ == nullptr) return;
    EVP_CIPHER_CTX_set_flags(ctx.get(), EVP_CIPHER_CTX_FLAG_WRAP_ALLOW);
    EXPECT_EQ(1, EVP_CipherInit_ex2(ctx.get(), cipher_.get(), key.data(),
                                    iv == nullptr ? nullptr : iv->data(), encrypt ? 1 : 0, nullptr))
        << name << ": " << last_error();
  }
  // The output, or "refused". `*memory` is what the call wrote to 16 bytes more than the input.
  std::string operator()(const Bytes& in, Bytes* memory = nullptr) {
    Bytes out(in.size() + 16, 0x5a);
    int n = 0, more = 0;
    const int status =
        EVP_CipherUpdate(ctx.get(), out.data(), &n, in.data(), static_cast<int>(in.size()));
    if (memory != nullptr) *memory = out;
    ERR_clear_error();
    if (status != 1) return "refused";
    EXPECT_EQ(1, EVP_CipherFinal_ex(ctx.get(), out.data() + n, &more));
    EXPECT_EQ(more, 0);
    out.resize(static_cast<std::size_t>(n));
    return to_hex(out);
  }
  Evp<EVP_CIPHER_CTX> ctx{EVP_CIPHER_CTX_new()};

 private:
  Evp<EVP_CIPHER> cipher_;
};

TEST(Wrap, PublishedVectors) {
  const Library library;
  for (const Stanza& stanza : read_vectors("test/vectors/wrap.txt")) {
    const std::string name = stanza.text("Cipher");
    if (find_cipher(name.substr(0, 7).c_str()) == nullptr) continue;  // not in this build
    const Bytes key = stanza.bytes("Key"), plain = stanza.bytes("Plaintext");
    const Bytes wrapped = stanza.bytes("Ciphertext");
    EXPECT_EQ(Wrapper(library, name, key, true)(plain), to_hex(wrapped)) << stanza.place();
    EXPECT_EQ(Wrapper(library, name, key, false)(wrapped), to_hex(plain)) << stanza.place();
  }
}

Bytes octets(const std::string& word) { return word == "-" ? Bytes() : from_hex(word); }

// "acceptable": a wrapped key of a length that the standards advise against.
TEST(Wrap, Wycheproof) {
  const Library library;
  std::ifstream file(GPUCTR_WYCHEPROOF);
  std::string line, family, mode;
  int count = 0;
  for (int number = 1; std::getline(file, line); ++number) {
    std::istringstream words(line);
    std::string result, key_word, text_word, wrapped_word;
    words >> result >> key_word >> text_word >> wrapped_word;
    if (result.empty() || result[0] == '#') continue;
    ++count;
    if (result[0] == '[') {
      family = result.substr(1);
      mode = key_word.substr(0, key_word.size() - 1);
      continue;
    }
    const Bytes key = octets(key_word), text = octets(text_word), wrapped = octets(wrapped_word);
    const std::string cipher =
        family == "SEED" ? family : family + "-" + std::to_string(8 * key.size());
    if (find_cipher(cipher.c_str()) == nullptr) continue;
    const std::string name = cipher + "-" + mode;
    Bytes memory;
    const std::string unwrapped = Wrapper(library, name, key, false)(wrapped, &memory);
    if (result == "valid") {
      EXPECT_EQ(Wrapper(library, name, key, true)(text), to_hex(wrapped)) << "line " << number;
      EXPECT_EQ(unwrapped, to_hex(text)) << "line " << number;
    } else if (wrapped.empty()) {
      EXPECT_EQ(unwrapped, "") << "line " << number;  // an update of no bytes
    } else if (result == "invalid") {
      EXPECT_EQ(unwrapped, "refused") << "line " << number;
      // Nothing is handed out.
      for (std::size_t i = 0; i < memory.size(); ++i) {
        EXPECT_TRUE(memory[i] == 0 || memory[i] == 0x5a) << "line " << number;
      }
    } else {
      EXPECT_TRUE(unwrapped == "refused" || unwrapped == to_hex(text)) << "line " << number;
    }
  }
  EXPECT_EQ(count, 1030);  // with 6 headings
}

TEST(Wrap, KeepsToTheLimitOfAKey) {
  const Library library;
  const Bytes key(16, 0x21), text(32, 0x44);
  if (find_cipher("LEA-128") == nullptr) GTEST_SKIP() << "no LEA in this build";
  Wrapper wrap(library, "LEA-128-WRAP", key, true);
  std::uint64_t most = 40;
  const OSSL_PARAM params[] = {OSSL_PARAM_construct_uint64("max-bytes", &most),
                               OSSL_PARAM_construct_end()};
  ASSERT_EQ(1, EVP_CIPHER_CTX_set_params(wrap.ctx.get(), params));
  EXPECT_NE(wrap(text), "refused");
  Bytes memory;
  EXPECT_EQ(wrap(Bytes(16), &memory), "refused");
  EXPECT_EQ(memory, Bytes(32, 0x5a));
}

// OpenSSL's would crash.
TEST(Wrap, NeedsAKey) {
  const Library library;
  const Evp<EVP_CIPHER> cipher = library.cipher("LEA-128-WRAP");
  if (cipher == nullptr) GTEST_SKIP() << "no LEA in this build";
  for (const int encrypt : {1, 0}) {
    const Evp<EVP_CIPHER_CTX> ctx(EVP_CIPHER_CTX_new());
    EVP_CIPHER_CTX_set_flags(ctx.get(), EVP_CIPHER_CTX_FLAG_WRAP_ALLOW);
    ASSERT_EQ(1, EVP_CipherInit_ex2(ctx.get(), cipher.get(), nullptr, nullptr, encrypt, nullptr));
    Bytes in(24), out(40, 0x5a);
    int n = 0;
    ERR_clear_error();
    EXPECT_EQ(0, EVP_CipherUpdate(ctx.get(), out.data(), &n, in.data(), 24));
    EXPECT_EQ(last_error(), "no key set: LEA-128 has no key yet");
    EXPECT_EQ(out, Bytes(40, 0x5a));
    EXPECT_EQ(1, EVP_CipherUpdate(ctx.get(), nullptr, &n, in.data(), 24));  // the output's length
    EXPECT_EQ(n, encrypt != 0 ? 32 : 16);
  }
}

std::vector<std::size_t> wide_ciphers() {
  std::vector<std::size_t> indices;
  for (std::size_t i = 0; i < kCipherCount; ++i) {
    if (cipher_spec(i).block_bytes == 16) indices.push_back(i);
  }
  return indices;
}

// The step number takes more than two bytes.
TEST(Wrap, LongText) {
  if (wide_ciphers().empty()) GTEST_SKIP() << "no cipher with a block of 16 bytes";
  const CipherSpec& spec = cipher_spec(wide_ciphers()[0]);
  const Library library;
  const WrapMode& mode = kWrapModes[0];
  const std::string name = std::string(spec.name) + "-" + mode.name;
  const Bytes key(spec.key_bytes, 0x17), text(96 * 1024, 0x29);
  const std::string wrapped = Wrapper(library, name, key, true)(text);
  EXPECT_EQ(wrapped, to_hex(model_wrap(RawBlock(spec), mode, key, nullptr, text)));
  EXPECT_EQ(Wrapper(library, name, key, false)(from_hex(wrapped)), to_hex(text));
}

class WrapOfCipher : public testing::TestWithParam<std::size_t> {
 protected:
  Bytes bytes(std::size_t n) {
    Bytes b(n);
    for (auto& byte : b) byte = static_cast<std::uint8_t>(random());
    return b;
  }
  const CipherSpec& spec = cipher_spec(GetParam());
  std::mt19937 random{1};
};

TEST_P(WrapOfCipher, IsTheModel) {
  const Library library;
  for (const WrapMode& mode : kWrapModes) {
    const std::string name = std::string(spec.name) + "-" + mode.name;
    for (std::size_t n = 1; n < 700; n += n < 80 ? 1 : 61) {
      if (!mode.pads && (n % 8 != 0 || n < 16)) continue;
      const Bytes key = bytes(spec.key_bytes), text = bytes(n), iv = bytes(mode.pads ? 4 : 8);
      const Bytes* const own_iv = n % 3 == 0 ? &iv : nullptr;
      const RawBlock block(spec);
      const Bytes wrapped = model_wrap(block, mode, key, own_iv, text);
      ASSERT_EQ(Wrapper(library, name, key, true, own_iv)(text), to_hex(wrapped)) << name << n;
      ASSERT_EQ(Wrapper(library, name, key, false, own_iv)(wrapped), to_hex(text)) << name << n;
      Bytes spoilt = wrapped;
      spoilt[random() % spoilt.size()] ^= static_cast<std::uint8_t>(1u << random() % 8);
      ASSERT_EQ(Wrapper(library, name, key, false, own_iv)(spoilt), "refused") << name << n;
    }
  }
}

// Padding that is not zeros, and every length that an initial value may state.
TEST_P(WrapOfCipher, EveryPadding) {
  const Library library;
  const Bytes key = bytes(spec.key_bytes);
  const WrapMode& mode = kWrapModes[1];
  Wrapper unwrap(library, std::string(spec.name) + "-" + mode.name, key, false);
  for (const std::size_t whole : {8U, 16U, 40U}) {
    for (std::uint64_t stated = 0; stated < 64; ++stated) {
      for (std::size_t set = 0; set <= 8; ++set) {  // 8: none
        Bytes a = from_hex("a65959a6");
        for (int i = 3; i >= 0; --i) a.push_back(static_cast<std::uint8_t>(stated >> (8 * i)));
        Bytes text(whole, 0x31);
        std::fill(text.end() - 8, text.end(), std::uint8_t{0});
        if (set != 8) text[whole - 8 + set] = 0x80;
        const Bytes wrapped = model_w(RawBlock(spec), mode, key, a, text);
        const bool fits = stated <= whole && stated + 8 > whole;
        const bool good = fits && (set == 8 || whole - 8 + set < stated);
        Bytes expected = text;
        if (good) expected.resize(stated);
        ASSERT_EQ(unwrap(wrapped), good ? to_hex(expected) : "refused")
            << whole << " " << stated << " " << set;
      }
    }
  }
}

// Output that begins anywhere in the input, or before it.
TEST_P(WrapOfCipher, AnyOverlap) {
  const Library library;
  const Bytes key = bytes(spec.key_bytes), text = bytes(40);
  for (const WrapMode& mode : kWrapModes) {
    const std::string name = std::string(spec.name) + "-" + mode.name;
    const Bytes wrapped = model_wrap(RawBlock(spec), mode, key, nullptr, text);
    Wrapper wrap(library, name, key, true), unwrap(library, name, key, false);
    for (std::size_t at = 0; at <= 100; ++at) {
      for (const bool encrypt : {true, false}) {
        const Bytes &from = encrypt ? text : wrapped, &to = encrypt ? wrapped : text;
        Bytes memory(200);
        std::copy(from.begin(), from.end(), memory.begin() + 50);
        int n = 0;
        ASSERT_EQ(1, EVP_CipherUpdate((encrypt ? wrap : unwrap).ctx.get(), memory.data() + at, &n,
                                      memory.data() + 50, static_cast<int>(from.size())));
        ASSERT_EQ(to_hex(Bytes(memory.begin() + static_cast<std::ptrdiff_t>(at),
                               memory.begin() + static_cast<std::ptrdiff_t>(at) + n)),
                  to_hex(to))
            << name << " at " << at;
      }
    }
  }
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(WrapOfCipher);
INSTANTIATE_TEST_SUITE_P(AllCiphers, WrapOfCipher, testing::ValuesIn(wide_ciphers()),
                         [](const auto& param) {
                           return gtest_name(cipher_spec(param.param).name);
                         });

}  // namespace
}  // namespace gpuctr::test
