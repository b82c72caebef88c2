// Wrapping by Triple DES: RFC 3217's example, and what is handed out. test/provider/stock/ has the
// comparison with OpenSSL's DES3-WRAP.
#include <gtest/gtest.h>
#include <openssl/core_names.h>
#include <openssl/params.h>

#include <algorithm>

#include "test/provider/support.h"

namespace gpuctr::test {
namespace {

constexpr char kName[] = "DES3-WRAP";

// RFC 3217 3.4.
const Bytes kKek = from_hex("255e0d1c07b646dfb3134cc843ba8aa71f025b7c0838251f");
const Bytes kCek = from_hex("2923bf85e06dd6ae529149f1f1bae9eab3a7da3d860d3e98");
const Bytes kWrapped =
    from_hex("690107618ef092b3b48ca1796b234ae9fa33ebb4159604037db5d6a84eb3aac2768c632775a467d4");

class TripleDesWrap : public testing::Test {
 protected:
  void init(bool encrypt, const Bytes* key = &kKek) {
    EVP_CIPHER_CTX_reset(ctx_.get());
    EVP_CIPHER_CTX_set_flags(ctx_.get(), EVP_CIPHER_CTX_FLAG_WRAP_ALLOW);
    ASSERT_EQ(1,
              EVP_CipherInit_ex2(ctx_.get(), cipher_.get(), key == nullptr ? nullptr : key->data(),
                                 nullptr, encrypt ? 1 : 0, nullptr))
        << last_error();
  }
  // The output, or "refused". `*memory` is what the call wrote to 16 bytes more than the input.
  std::string update(const Bytes& in, Bytes* memory = nullptr) {
    Bytes out(in.size() + 16, 0x5a);
    int n = 0;
    const int status =
        EVP_CipherUpdate(ctx_.get(), out.data(), &n, in.data(), static_cast<int>(in.size()));
    if (memory != nullptr) *memory = out;
    if (status != 1) return "refused";
    out.resize(static_cast<std::size_t>(n));
    return to_hex(out);
  }

  const Library library_;
  const Evp<EVP_CIPHER> cipher_ = library_.cipher(kName);
  const Evp<EVP_CIPHER_CTX> ctx_{EVP_CIPHER_CTX_new()};
};

TEST_F(TripleDesWrap, PublishedVector) {
  init(false);
  EXPECT_EQ(update(kWrapped), to_hex(kCek));
}

TEST_F(TripleDesWrap, EachWrappedKeyHasItsIv) {
  init(true);
  const std::string first = update(kCek), second = update(kCek);
  EXPECT_EQ(first.size(), 2 * kWrapped.size());
  EXPECT_NE(first, second);
  init(false);
  EXPECT_EQ(update(from_hex(first)), to_hex(kCek));
  EXPECT_EQ(update(from_hex(second)), to_hex(kCek));
}

TEST_F(TripleDesWrap, AChangedBitHandsOutNothing) {
  init(false);
  for (std::size_t bit = 0; bit < 8 * kWrapped.size(); ++bit) {
    Bytes changed = kWrapped, memory;
    changed[bit / 8] ^= static_cast<std::uint8_t>(1u << (bit % 8));
    ERR_clear_error();
    ASSERT_EQ(update(changed, &memory), "refused") << bit;
    const std::string errors = take_reasons();
    EXPECT_NE(errors.find("cipher operation failed"), std::string::npos) << errors;
    Bytes nothing(kCek.size());  // zeros, and then what was there before
    nothing.resize(memory.size(), 0x5a);
    ASSERT_EQ(memory, nothing) << bit;
  }
}

// Texts of every length that is whole blocks, in place and at every other overlap.
TEST_F(TripleDesWrap, AnyOverlap) {
  for (std::size_t n = 8; n <= 320; n += n < 48 ? 8 : 136) {
    Bytes text(n);
    for (std::size_t i = 0; i < n; ++i) text[i] = static_cast<std::uint8_t>(7 * i + n);
    for (std::size_t at = 0; at <= 100; ++at) {
      Bytes memory(600), wrapped(n + 16);
      const auto from = memory.begin() + 50, to = memory.begin() + static_cast<std::ptrdiff_t>(at);
      std::copy(text.begin(), text.end(), from);
      int written = 0;
      init(true);
      ASSERT_EQ(1, EVP_CipherUpdate(ctx_.get(), memory.data() + at, &written, memory.data() + 50,
                                    static_cast<int>(n)));
      ASSERT_EQ(written, static_cast<int>(n + 16));
      std::copy_n(to, n + 16, wrapped.begin());
      std::copy(wrapped.begin(), wrapped.end(), from);
      init(false);
      ASSERT_EQ(1, EVP_CipherUpdate(ctx_.get(), memory.data() + at, &written, memory.data() + 50,
                                    static_cast<int>(n + 16)));
      ASSERT_EQ(to_hex(Bytes(to, to + written)), to_hex(text)) << n << " at " << at;
    }
  }
}

TEST_F(TripleDesWrap, NeedsAKeyAndInput) {
  for (const bool encrypt : {true, false}) {
    init(encrypt, nullptr);
    Bytes memory;
    ERR_clear_error();
    EXPECT_EQ(update(kWrapped, &memory), "refused");
    EXPECT_EQ(last_error(), "no key set: DES-EDE3 has no key yet");
    EXPECT_EQ(memory, Bytes(56, 0x5a));
    int n = 0;
    EXPECT_EQ(1, EVP_CipherUpdate(ctx_.get(), nullptr, &n, kWrapped.data(), 40));  // the length
    EXPECT_EQ(n, encrypt ? 56 : 24);
    init(encrypt);
    EXPECT_EQ(0, EVP_CipherUpdate(ctx_.get(), memory.data(), &n, nullptr, 40));
    EXPECT_EQ(memory, Bytes(56, 0x5a));
  }
}

TEST_F(TripleDesWrap, KeepsToTheLimitOfAKey) {
  init(true);
  std::uint64_t most = 40;
  const OSSL_PARAM params[] = {OSSL_PARAM_construct_uint64("max-bytes", &most),
                               OSSL_PARAM_construct_end()};
  ASSERT_EQ(1, EVP_CIPHER_CTX_set_params(ctx_.get(), params));
  EXPECT_NE(update(kCek), "refused");
  Bytes memory;
  EXPECT_EQ(update(kCek, &memory), "refused");
  EXPECT_EQ(memory, Bytes(40, 0x5a));
}

}  // namespace
}  // namespace gpuctr::test
