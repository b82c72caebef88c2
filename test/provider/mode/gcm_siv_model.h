// AES-GCM-SIV as RFC 8452 writes it down, bit by bit, over AES of one block: what the mode has to
// agree with.
#ifndef GPUCTR_TEST_PROVIDER_MODE_GCM_SIV_MODEL_H
#define GPUCTR_TEST_PROVIDER_MODE_GCM_SIV_MODEL_H

#include <algorithm>
#include <array>
#include <functional>

#include "test/support/vectors.h"

namespace gpuctr::test {

class GcmSivModel {
 public:
  using Block = std::array<std::uint8_t, 16>;
  // One block under a key.
  using Encrypt = std::function<Block(const Bytes& key, const Block& block)>;

  // 4: derive_keys.
  GcmSivModel(Encrypt encrypt, const Bytes& key, const Bytes& nonce)
      : encrypt_(std::move(encrypt)), nonce_(nonce) {
    Bytes keys;
    for (std::uint8_t i = 0; i < 2 + key.size() / 8; ++i) {
      Block in{};
      in[0] = i;
      std::copy(nonce.begin(), nonce.end(), in.begin() + 4);
      const Block out = encrypt_(key, in);
      keys.insert(keys.end(), out.begin(), out.begin() + 8);
    }
    std::copy(keys.begin(), keys.begin() + 16, hash_key_.begin());
    key_.assign(keys.begin() + 16, keys.end());
  }

  // 4: AES_CTR from the tag.
  Bytes crypt(const Block& tag, const Bytes& text) const {
    Block counter = tag;
    counter[15] |= 0x80;
    Bytes out(text);
    Block keystream{};
    for (std::size_t i = 0; i < out.size(); ++i) {
      if (i % 16 == 0) {
        keystream = encrypt_(key_, counter);
        for (unsigned k = 0; k < 4 && ++counter[k] == 0; ++k) {
        }
      }
      out[i] ^= keystream[i % 16];
    }
    return out;
  }

  // 4 and 5: the tag of a plaintext.
  Block tag(const Bytes& aad, const Bytes& text) const {
    Block sum{};
    absorb(&sum, aad);
    absorb(&sum, text);
    Bytes lengths(16);
    for (unsigned i = 0; i < 8; ++i) {
      lengths[i] = static_cast<std::uint8_t>(std::uint64_t{8} * aad.size() >> 8 * i);
      lengths[8 + i] = static_cast<std::uint8_t>(std::uint64_t{8} * text.size() >> 8 * i);
    }
    absorb(&sum, lengths);
    for (unsigned i = 0; i < 12; ++i) sum[i] ^= nonce_[i];
    sum[15] &= 0x7f;
    return encrypt_(key_, sum);
  }

 private:
  // Bit i of a block is the coefficient of x^i (3).
  static bool bit(const Block& b, unsigned i) { return (b[i / 8] >> i % 8 & 1) != 0; }
  // a x modulo x^128 + x^127 + x^126 + x^121 + 1.
  static Block times_x(const Block& a) {
    Block out{};
    for (unsigned i = 0; i < 16; ++i) {
      out[i] = static_cast<std::uint8_t>(a[i] << 1 | (i == 0 ? 0 : a[i - 1] >> 7));
    }
    if (bit(a, 127)) {
      out[0] ^= 1;
      out[15] ^= 0xc2;
    }
    return out;
  }
  static Block product(Block a, const Block& b) {
    Block sum{};
    for (unsigned i = 0; i < 128; ++i) {
      for (unsigned k = 0; k < 16 && bit(b, i); ++k) sum[k] ^= a[k];
      a = times_x(a);
    }
    return sum;
  }
  // dot(a, b) = a b x^-128, and x^-128 = x^127 + x^124 + x^121 + x^114 + 1 (3).
  static Block dot(const Block& a, const Block& b) {
    Block inverse{};
    for (const unsigned i : {0u, 114u, 121u, 124u, 127u}) {
      inverse[i / 8] = static_cast<std::uint8_t>(inverse[i / 8] | 1 << i % 8);
    }
    return product(product(a, b), inverse);
  }
  // POLYVAL goes on over data, padded with zeros.
  void absorb(Block* sum, const Bytes& data) const {
    for (std::size_t at = 0; at < data.size(); at += 16) {
      for (std::size_t i = at; i < std::min(at + 16, data.size()); ++i) (*sum)[i - at] ^= data[i];
      *sum = dot(*sum, hash_key_);
    }
  }

  Encrypt encrypt_;
  Bytes nonce_, key_;
  Block hash_key_{};
};

}  // namespace gpuctr::test

#endif
