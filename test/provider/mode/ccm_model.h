// CCM as RFC 3610 writes it down, over a function that encrypts one block: what the mode has to
// agree with.
#ifndef GPUCTR_TEST_PROVIDER_MODE_CCM_MODEL_H
#define GPUCTR_TEST_PROVIDER_MODE_CCM_MODEL_H

#include <algorithm>
#include <array>
#include <functional>

#include "test/support/vectors.h"

namespace gpuctr::test {

class CcmModel {
 public:
  using Block = std::array<std::uint8_t, 16>;
  using Encrypt = std::function<Block(const Block&)>;

  explicit CcmModel(Encrypt encrypt) : encrypt_(std::move(encrypt)) {}

  // 2.3: ciphertext of a text, or the reverse.
  Bytes crypt(const Bytes& iv, const Bytes& text) const {
    Bytes out(text);
    Block keystream{};
    for (std::size_t i = 0; i < out.size(); ++i) {
      if (i % 16 == 0) keystream = encrypt_(counter(iv, i / 16 + 1));
      out[i] ^= keystream[i % 16];
    }
    return out;
  }

  // 2.2, and the encryption of the authentication value of 2.3.
  Bytes tag(const Bytes& iv, const Bytes& aad, const Bytes& text, std::size_t tag_bytes) const {
    Block x = counter(iv, text.size());
    x[0] = static_cast<std::uint8_t>(x[0] | (aad.empty() ? 0 : 64) | 8 * ((tag_bytes - 2) / 2));
    x = encrypt_(x);
    if (!aad.empty()) {
      Bytes all = length_of(aad.size());
      all.insert(all.end(), aad.begin(), aad.end());
      absorb(&x, all);
    }
    absorb(&x, text);
    const Block mask = encrypt_(counter(iv, 0));
    for (unsigned i = 0; i < 16; ++i) x[i] ^= mask[i];
    return Bytes(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(tag_bytes));
  }

 private:
  // Flags of L alone, the nonce, and a number in the rest.
  static Block counter(const Bytes& iv, std::uint64_t number) {
    Block block{};
    block[0] = static_cast<std::uint8_t>(14 - iv.size());
    std::copy(iv.begin(), iv.end(), block.begin() + 1);
    for (std::size_t i = 15; i > iv.size(); --i, number >>= 8) {
      block[i] = static_cast<std::uint8_t>(number);
    }
    return block;
  }
  static Bytes length_of(std::uint64_t n) {
    Bytes out;
    unsigned bytes = 2;
    if (n >= 0xff00) {
      bytes = n >> 32 == 0 ? 4 : 8;
      out = {0xff, static_cast<std::uint8_t>(bytes == 4 ? 0xfe : 0xff)};
    }
    while (bytes-- != 0) out.push_back(static_cast<std::uint8_t>(n >> (8 * bytes)));
    return out;
  }
  void absorb(Block* x, const Bytes& data) const {
    for (std::size_t i = 0; i < data.size(); ++i) {
      (*x)[i % 16] ^= data[i];
      if (i % 16 == 15 || i + 1 == data.size()) *x = encrypt_(*x);
    }
  }

  Encrypt encrypt_;
};

}  // namespace gpuctr::test

#endif
