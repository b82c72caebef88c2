// CBC encryption of whole blocks on the calling thread. The feedback modes and CBC use it.
#ifndef GPUCTR_PROVIDER_MODE_BASE_CBC_CHAIN_H
#define GPUCTR_PROVIDER_MODE_BASE_CBC_CHAIN_H

#include <cstddef>
#include <cstdint>

#include "kernels/cpu/base/cipher_ops.h"

namespace gpuctr {

// out[i] = E(in[i] ^ chain), and then chain = out[i]. in == out is allowed. `ops` are of a cipher
// with blocks of block_bytes.
void cbc_chain(const CipherOps& ops, const RoundKeys& keys, std::size_t block_bytes,
               std::uint8_t* chain, const std::uint8_t* in, std::uint8_t* out, std::size_t blocks);

}  // namespace gpuctr

#endif
