// Block_Cipher_df of SP 800-90A 10.3.2.
#ifndef GPUCTR_DRBG_DERIVATION_H
#define GPUCTR_DRBG_DERIVATION_H

#include <cstddef>
#include <cstdint>

#include "drbg/mechanism.h"

namespace gpuctr::drbg {

// Bytes that the caller owns. `data` may be nullptr if `size` is 0.
struct ByteView {
  const std::uint8_t* data = nullptr;
  std::size_t size = 0;
};

// Writes seedlen bytes derived from a || b || c to `out`. The lengths add up to less than 2^32.
// Leaves no secret on the stack. Any thread.
void block_cipher_df(const Mechanism& m, ByteView a, ByteView b, ByteView c, std::uint8_t* out);

}  // namespace gpuctr::drbg

#endif
