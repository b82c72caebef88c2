// XTS (IEEE 1619) block by block, for tests of kernels.
#ifndef GPUCTR_TEST_GPU_XTS_H
#define GPUCTR_TEST_GPU_XTS_H

#include <algorithm>

#include "test/gpu/support.h"

namespace gpuctr::test {

// Becomes the mask of the next block: times x.
inline void next_mask(std::uint8_t* mask) {
  unsigned carry = 0;
  for (unsigned i = 0; i < 16; ++i) {
    const unsigned byte = unsigned{mask[i]} << 1 | carry;
    mask[i] = static_cast<std::uint8_t>(byte);
    carry = byte >> 8;
  }
  if (carry != 0) mask[0] ^= 0x87;
}

// Whole blocks of one data unit, by the scalar backend; `mask` is the first block's.
inline Bytes xts_of(const Key& key, bool encrypts, const Bytes& mask, const Bytes& in) {
  const CipherOps& ops = find_backend("scalar")->ops[key.cipher.index];
  Bytes masks(in.size());
  Bytes m = mask;
  for (std::size_t at = 0; at < in.size(); at += 16, next_mask(m.data()))
    std::copy(m.begin(), m.end(), masks.begin() + static_cast<std::ptrdiff_t>(at));
  Bytes out(in.size());
  for (std::size_t i = 0; i < in.size(); ++i) out[i] = in[i] ^ masks[i];
  (encrypts ? ops.encrypt : ops.decrypt)(key.keys, out.data(), out.data(), in.size() / 16);
  for (std::size_t i = 0; i < in.size(); ++i) out[i] ^= masks[i];
  return out;
}

}  // namespace gpuctr::test

#endif
