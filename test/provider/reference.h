// Counter mode as the tests understand it: the scalar backend one block at a time, and a counter
// field added to as a decimal child would. Shares no code with provider/ but the block cipher.
#ifndef GPUCTR_TEST_PROVIDER_REFERENCE_H
#define GPUCTR_TEST_PROVIDER_REFERENCE_H

#include "kernels/cpu/backend.h"
#include "test/support/vectors.h"

namespace gpuctr::test {

// One step of the low `bits` bits of a big-endian block; the bits above stay.
inline void step_field(Bytes* block, unsigned bits) {
  for (unsigned bit = 0; bit < bits; ++bit) {
    std::uint8_t& byte = (*block)[block->size() - 1 - bit / 8];
    const auto mask = static_cast<std::uint8_t>(1u << (bit % 8));
    byte = static_cast<std::uint8_t>(byte ^ mask);
    if ((byte & mask) != 0) return;  // no carry
  }
}

inline Bytes reference_ctr(const CipherSpec& spec, const Bytes& key, Bytes counter, const Bytes& in,
                           unsigned bits) {
  RoundKeys keys;
  spec.expand(key.data(), &keys);
  const Backend& scalar = *find_backend("scalar");
  Bytes out(in.size());
  Bytes keystream(spec.block_bytes);
  for (std::size_t i = 0; i < in.size(); ++i) {
    if (i % spec.block_bytes == 0) {
      scalar.ops[spec.index].encrypt(keys, counter.data(), keystream.data(), 1);
      step_field(&counter, bits);
    }
    out[i] = static_cast<std::uint8_t>(in[i] ^ keystream[i % spec.block_bytes]);
  }
  return out;
}

}  // namespace gpuctr::test

#endif
