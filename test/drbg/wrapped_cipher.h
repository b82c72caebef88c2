// A BlockCipher in front of another: tests and benchmarks override what they spoil or leave out.
// Its steps are BlockCipher's own, made of keystream().
#ifndef GPUCTR_TEST_DRBG_WRAPPED_CIPHER_H
#define GPUCTR_TEST_DRBG_WRAPPED_CIPHER_H

#include "drbg/block_cipher.h"

namespace gpuctr::test {

class WrappedCipher : public drbg::BlockCipher {
 public:
  // `real` is not owned and outlives this object.
  explicit WrappedCipher(const drbg::BlockCipher& real)
      : BlockCipher(real.block_bytes(), real.key_bytes(), real.strength_bits()), real_(real) {}
  void expand(const std::uint8_t* key, RoundKeys* out) const override { real_.expand(key, out); }
  void encrypt(const RoundKeys& keys, const std::uint8_t* in, std::uint8_t* out,
               std::size_t blocks) const override {
    real_.encrypt(keys, in, out, blocks);
  }
  void keystream(const RoundKeys& keys, const std::uint8_t* counter, std::uint8_t* out,
                 std::size_t n) const override {
    real_.keystream(keys, counter, out, n);
  }
  bool output(const BulkSegment* segments, std::size_t count) const override {
    return real_.output(segments, count);
  }

 protected:
  const drbg::BlockCipher& real_;
};

}  // namespace gpuctr::test

#endif
