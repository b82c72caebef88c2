// Counter mode as the tests understand it: the scalar backend's ECB, and a counter
// field added to as a decimal child would. Shares no code with provider/ but the block cipher.
#ifndef GPUCTR_TEST_PROVIDER_REFERENCE_H
#define GPUCTR_TEST_PROVIDER_REFERENCE_H

#include <algorithm>

#include "kernels/cpu/backend.h"
#include "test/support/vectors.h"

namespace gpuctr::test {

// One step of the low `bits` bits of a big-endian block; the bits above stay.
inline void step_field(Bytes* block, unsigned bits) {
  for (unsigned bit = 0; bit < bits && bit < 8 * block->size(); ++bit) {
    std::uint8_t& byte = (*block)[block->size() - 1 - bit / 8];
    const auto mask = static_cast<std::uint8_t>(1u << (bit % 8));
    byte = static_cast<std::uint8_t>(byte ^ mask);
    if ((byte & mask) != 0) return;  // no carry
  }
}

// As OpenSSL has room for.
inline std::size_t iv_bytes_of(const CipherSpec& spec) {
  return std::min<std::size_t>(spec.block_bytes, 16);
}

// The first counter block of an IV: zeros stand before it where a block is longer.
inline Bytes counter_block(const CipherSpec& spec, const Bytes& iv) {
  Bytes block(spec.block_bytes);
  std::copy(iv.rbegin(), iv.rend(), block.rbegin());
  return block;
}

inline Bytes reference_ctr(const CipherSpec& spec, const Bytes& key, const Bytes& iv,
                           const Bytes& in, unsigned bits) {
  Bytes counter = counter_block(spec, iv);
  RoundKeys keys;
  spec.expand(key.data(), &keys);
  const std::size_t blocks = (in.size() + spec.block_bytes - 1) / spec.block_bytes;
  Bytes keystream;
  for (std::size_t i = 0; i < blocks; ++i) {
    keystream.insert(keystream.end(), counter.begin(), counter.end());
    step_field(&counter, bits);
  }
  find_backend("scalar")->ops[spec.index].encrypt(keys, keystream.data(), keystream.data(), blocks);
  Bytes out(in.size());
  for (std::size_t i = 0; i < in.size(); ++i) {
    out[i] = static_cast<std::uint8_t>(in[i] ^ keystream[i]);
  }
  return out;
}

}  // namespace gpuctr::test

#endif
