// CBC encryption of whole blocks on the calling thread. The feedback modes and CBC use it.
#ifndef GPUCTR_PROVIDER_MODE_BASE_CBC_CHAIN_H
#define GPUCTR_PROVIDER_MODE_BASE_CBC_CHAIN_H

#include <cstddef>
#include <cstdint>

#include "kernels/cpu/base/cipher_ops.h"

namespace gpuctr {

// cbc_chain() where the backend has no cbc_encrypt.
void cbc_chain_by_blocks(const CipherOps& ops, const RoundKeys& keys, std::size_t block_bytes,
                         std::uint8_t* chain, const std::uint8_t* in, std::uint8_t* out,
                         std::size_t blocks);

// out[i] = E(in[i] ^ chain), and then chain = out[i]. in == out is allowed. `ops` are of a cipher
// with blocks of block_bytes.
inline void cbc_chain(const CipherOps& ops, const RoundKeys& keys, std::size_t block_bytes,
                      std::uint8_t* chain, const std::uint8_t* in, std::uint8_t* out,
                      std::size_t blocks) {
  if (ops.cbc_encrypt != nullptr) return ops.cbc_encrypt(keys, chain, in, out, blocks);
  cbc_chain_by_blocks(ops, keys, block_bytes, chain, in, out, blocks);
}

}  // namespace gpuctr

#endif
