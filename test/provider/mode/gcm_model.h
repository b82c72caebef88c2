// GCM as SP 800-38D writes it down, a bit of a product at a time, over a function that encrypts one
// block: what every faster form has to agree with.
#ifndef GPUCTR_TEST_PROVIDER_MODE_GCM_MODEL_H
#define GPUCTR_TEST_PROVIDER_MODE_GCM_MODEL_H

#include <algorithm>
#include <array>
#include <functional>

#include "test/support/vectors.h"

namespace gpuctr::test {

class GcmModel {
 public:
  using Block = std::array<std::uint8_t, 16>;
  using Encrypt = std::function<Block(const Block&)>;

  explicit GcmModel(Encrypt encrypt) : encrypt_(std::move(encrypt)), h_(encrypt_(Block{})) {}

  // 6.3, algorithm 1. Bit 0 of a block is the most significant of its first byte.
  static Block product(const Block& x, Block v) {
    Block z{};
    for (unsigned i = 0; i < 128; ++i) {
      if ((x[i / 8] >> (7 - i % 8) & 1) != 0) add(&z, v);
      const bool low = (v[15] & 1) != 0;
      for (unsigned j = 15; j != 0; --j) {
        v[j] = static_cast<std::uint8_t>(v[j] >> 1 | v[j - 1] << 7);
      }
      v[0] = static_cast<std::uint8_t>(v[0] >> 1);
      if (low) v[0] ^= 0xe1;
    }
    return z;
  }

  // x^(2^128 - 2), the inverse of a block other than 0.
  static Block inverse(const Block& x) {
    Block square = x, result{};
    result[0] = 0x80;  // one
    for (unsigned i = 1; i < 128; ++i) {
      square = product(square, square);
      result = product(result, square);
    }
    return result;
  }

  // 7.1 step 2.
  Block first_counter(const Bytes& iv) const {
    Block j0{};
    if (iv.size() == 12) {
      std::copy(iv.begin(), iv.end(), j0.begin());
      j0[15] = 1;
      return j0;
    }
    absorb(&j0, iv);
    add_lengths(&j0, 0, iv.size());
    return j0;
  }

  // The IV of 16 bytes that has this first counter block.
  Bytes iv_of(Block j0) const {
    const Block divisor = inverse(h_);
    j0 = product(j0, divisor);
    j0[15] ^= 128;  // the length
    j0 = product(j0, divisor);
    return Bytes(j0.begin(), j0.end());
  }

  // Ciphertext of a text, or the reverse, and the tag.
  Bytes crypt(const Bytes& iv, const Bytes& text) const {
    Block counter = first_counter(iv), keystream{};
    Bytes out(text);
    for (std::size_t i = 0; i < out.size(); ++i) {
      if (i % 16 == 0) {
        for (unsigned j = 15; j >= 12 && ++counter[j] == 0; --j) continue;  // inc32
        keystream = encrypt_(counter);
      }
      out[i] ^= keystream[i % 16];
    }
    return out;
  }
  Bytes tag(const Bytes& iv, const Bytes& aad, const Bytes& ciphertext) const {
    Block y{};
    absorb(&y, aad);
    absorb(&y, ciphertext);
    add_lengths(&y, aad.size(), ciphertext.size());
    add(&y, encrypt_(first_counter(iv)));
    return Bytes(y.begin(), y.end());
  }

 private:
  static void add(Block* a, const Block& b) {
    for (unsigned i = 0; i < 16; ++i) (*a)[i] ^= b[i];
  }
  void absorb(Block* y, const Bytes& data) const {
    for (std::size_t i = 0; i < data.size(); ++i) {
      (*y)[i % 16] ^= data[i];
      if (i % 16 == 15 || i + 1 == data.size()) *y = product(*y, h_);
    }
  }
  void add_lengths(Block* y, std::uint64_t first, std::uint64_t second) const {
    for (unsigned i = 0; i < 8; ++i) {
      (*y)[7 - i] ^= static_cast<std::uint8_t>(8 * first >> (8 * i));
      (*y)[15 - i] ^= static_cast<std::uint8_t>(8 * second >> (8 * i));
    }
    *y = product(*y, h_);
  }

  Encrypt encrypt_;
  Block h_;
};

}  // namespace gpuctr::test

#endif
