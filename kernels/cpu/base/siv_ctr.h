// AES's counter mode of GCM-SIV (RFC 8452 4) on one CPU backend, for keys of every size.
#ifndef GPUCTR_KERNELS_CPU_BASE_SIV_CTR_H
#define GPUCTR_KERNELS_CPU_BASE_SIV_CTR_H

#include "kernels/cpu/base/cipher_ops.h"

namespace gpuctr {

// As CipherOps::ctr, but `in` is not nullptr, and the first four bytes of the block `counter`
// count, little-endian and modulo 2^32. The counter is public. nullptr: use CipherOps::encrypt.
using SivCtr = void (*)(const RoundKeys& keys, const std::uint8_t* counter, const std::uint8_t* in,
                        std::uint8_t* out, std::size_t n);

}  // namespace gpuctr

#endif
