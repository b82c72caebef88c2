// CBC and CFB decryption, and XEX with the masks of XTS, of any number of whole blocks on any CPU
// backend. Whole batches go through CipherOps::xex: masks and ciphertext are XORed as a batch is
// read and written, which saves a pass over the text, 12 % of ARIA's time on AVX-512.
#ifndef GPUCTR_KERNELS_CPU_XEX_H
#define GPUCTR_KERNELS_CPU_XEX_H

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "kernels/base/counter.h"
#include "kernels/cipher/registry.h"
#include "kernels/cpu/base/cipher_ops.h"

namespace gpuctr {

// Copies a block; a block of 16 bytes in one piece, because a CPU stalls on a load that is wider
// than the stores before it. Arrays of kMaxBlockBytes have room for 16 bytes only if a cipher of
// the build has such a block.
inline void copy_chain(std::uint8_t* to, const std::uint8_t* from, std::size_t block_bytes) {
  if (kMaxBlockBytes >= 16 && block_bytes == 16) {
    std::memcpy(to, from, 16);
  } else {
    copy_block(to, from, block_bytes);
  }
}

// The functions are thread-safe, cannot fail and leave no secret on the stack or, but for xor_back,
// in vector registers. Pointers need no alignment; in == out is allowed, partial overlap is not.

// `block`: the bytes of a block. `chain` is the ciphertext block before the text, and then its last
// one.
void decrypt_cbc(const CipherOps& cpu, std::size_t block, const RoundKeys& keys,
                 std::uint8_t* chain, const std::uint8_t* in, std::uint8_t* out,
                 std::size_t blocks);
void decrypt_cfb(const CipherOps& cpu, std::size_t block, const RoundKeys& keys,
                 std::uint8_t* chain, const std::uint8_t* in, std::uint8_t* out,
                 std::size_t blocks);

// out = E(in ^ masks) ^ masks, or D, for blocks of 16 bytes.
void crypt_masked(const CipherOps& cpu, const RoundKeys& keys, bool encrypts,
                  const std::uint8_t* masks, const std::uint8_t* in, std::uint8_t* out,
                  std::size_t blocks);

// out = a ^ b, n bytes, a multiple of 8, from the end to the beginning: `out` may lie behind `b` in
// the same buffer.
void xor_back(const std::uint8_t* a, const std::uint8_t* b, std::uint8_t* out, std::size_t n);

}  // namespace gpuctr

#endif
