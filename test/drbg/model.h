// A second CTR_DRBG, written from SP 800-90A on its own and as plainly as can be: vectors, one
// block at a time, one legal request at a time, nothing precomputed. The tests' yardstick.
#ifndef GPUCTR_TEST_DRBG_MODEL_H
#define GPUCTR_TEST_DRBG_MODEL_H

#include <utility>

#include "drbg/mechanism.h"
#include "test/support/vectors.h"

namespace gpuctr::test {

class ModelDrbg {
 public:
  // Only the cipher of the mechanism is used: its sizes, key schedule and single blocks.
  ModelDrbg(const drbg::Mechanism& mechanism, bool use_df)
      : cipher_(mechanism.spec), m_(mechanism), use_df_(use_df) {}

  void instantiate(const Bytes& entropy, const Bytes& nonce, const Bytes& personalization) {
    key_.assign(cipher_.key_bytes, 0);
    v_.assign(cipher_.block_bytes, 0);
    update(use_df_ ? df(cat(cat(entropy, nonce), personalization)) : mix(entropy, personalization));
  }

  void reseed(const Bytes& entropy, const Bytes& additional) {
    update(use_df_ ? df(cat(entropy, additional)) : mix(entropy, additional));
  }

  // One request.
  Bytes generate(std::size_t n, const Bytes& additional) {
    Bytes input(seedlen(), 0);
    if (!additional.empty()) {
      input = use_df_ ? df(additional) : mix(additional, {});
      update(input);
    }
    Bytes out;
    while (out.size() < n) {
      increment();
      out = cat(std::move(out), encrypt(key_, v_));
    }
    out.resize(n);
    update(input);
    return out;
  }

  const Bytes& key() const { return key_; }
  const Bytes& v() const { return v_; }

 private:
  // Concatenation.
  static Bytes cat(Bytes a, const Bytes& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
  }

  std::size_t seedlen() const { return cipher_.key_bytes + cipher_.block_bytes; }

  Bytes mix(Bytes a, const Bytes& b) const {
    a.resize(seedlen(), 0);
    for (std::size_t i = 0; i < b.size(); ++i) a[i] = static_cast<std::uint8_t>(a[i] ^ b[i]);
    return a;
  }

  Bytes encrypt(const Bytes& key, const Bytes& block) const {
    RoundKeys keys;
    m_.expand(key.data(), &keys);
    Bytes out(block.size());
    m_.cpu.encrypt(keys, block.data(), out.data(), 1);
    return out;
  }

  void increment() {
    for (std::size_t i = v_.size(); i-- != 0;) {
      if (++v_[i] != 0) return;
    }
  }

  void update(const Bytes& provided) {
    Bytes temp;
    while (temp.size() < seedlen()) {
      increment();
      temp = cat(temp, encrypt(key_, v_));
    }
    for (std::size_t i = 0; i < seedlen(); ++i) {
      temp[i] = static_cast<std::uint8_t>(temp[i] ^ provided[i]);
    }
    const auto key_end = temp.begin() + static_cast<std::ptrdiff_t>(cipher_.key_bytes);
    key_.assign(temp.begin(), key_end);
    v_.assign(key_end, temp.begin() + static_cast<std::ptrdiff_t>(seedlen()));
  }

  static Bytes be32(std::size_t x) {
    return {static_cast<std::uint8_t>(x >> 24), static_cast<std::uint8_t>(x >> 16),
            static_cast<std::uint8_t>(x >> 8), static_cast<std::uint8_t>(x)};
  }

  Bytes bcc(const Bytes& key, const Bytes& data) const {
    Bytes chain(cipher_.block_bytes, 0);
    for (std::size_t i = 0; i < data.size(); i += chain.size()) {
      for (std::size_t j = 0; j < chain.size(); ++j) {
        chain[j] = static_cast<std::uint8_t>(chain[j] ^ data[i + j]);
      }
      chain = encrypt(key, chain);
    }
    return chain;
  }

  Bytes df(const Bytes& input) const {
    const std::size_t block = cipher_.block_bytes;
    Bytes s = cat(cat(be32(input.size()), be32(seedlen())), input);
    s.push_back(0x80);
    while (s.size() % block != 0) s.push_back(0);
    Bytes key;
    for (std::size_t i = 0; i < cipher_.key_bytes; ++i) {
      key.push_back(static_cast<std::uint8_t>(i));
    }
    Bytes temp;
    for (std::size_t i = 0; temp.size() < seedlen(); ++i) {
      Bytes iv = be32(i);
      iv.resize(block, 0);
      temp = cat(temp, bcc(key, cat(iv, s)));
    }
    const auto key_end = temp.begin() + static_cast<std::ptrdiff_t>(key.size());
    key.assign(temp.begin(), key_end);
    Bytes x(key_end, key_end + static_cast<std::ptrdiff_t>(block));
    Bytes out;
    while (out.size() < seedlen()) {
      x = encrypt(key, x);
      out = cat(out, x);
    }
    out.resize(seedlen());
    return out;
  }

  const CipherSpec& cipher_;
  const drbg::Mechanism& m_;
  bool use_df_;
  Bytes key_, v_;
};

}  // namespace gpuctr::test

#endif
