#include "provider/mode/base/cbc_chain.h"

#include <cstring>

#include "kernels/base/wipe.h"
#include "kernels/cipher/registry.h"

namespace gpuctr {

void cbc_chain_by_blocks(const CipherOps& ops, const RoundKeys& keys, std::size_t block_bytes,
                         std::uint8_t* chain, const std::uint8_t* in, std::uint8_t* out,
                         std::size_t blocks) {
  Wiped<std::uint8_t[kMaxBlockBytes]> text;
  for (; blocks != 0; --blocks, in += block_bytes, out += block_bytes) {
    // Eight bytes at a time: a CPU stalls when a load covers more bytes than the store before it.
    for (std::size_t i = 0; i < block_bytes; i += 8) {
      std::uint64_t a, b;
      std::memcpy(&a, in + i, sizeof a);
      std::memcpy(&b, chain + i, sizeof b);
      a ^= b;
      std::memcpy(text.value + i, &a, sizeof a);
    }
    ops.encrypt(keys, text.value, chain, 1);
    std::memcpy(out, chain, block_bytes);
  }
}

}  // namespace gpuctr
