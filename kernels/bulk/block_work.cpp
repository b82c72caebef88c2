#include "kernels/bulk/block_work.h"

#include <algorithm>
#include <cstring>

#include "kernels/bulk/xor.h"

namespace gpuctr::bulk {
namespace {

// Of CBC decryption at a time: the XOR finds the blocks in the nearest cache.
constexpr std::size_t kChainPiece = 4096;
static_assert(kChainPiece % kMaxBlockBytes == 0);

void decrypt_chain(const BlockWork& work) {
  const std::size_t block = work.cipher.block_bytes;
  std::uint8_t last[kMaxBlockBytes];
  std::uint8_t kept[kChainPiece];  // ciphertext, which is no secret
  std::memcpy(last, work.before, block);
  for (std::size_t at = 0; at < work.bytes; at += kChainPiece) {
    const std::size_t n = std::min(kChainPiece, work.bytes - at);
    const std::uint8_t* in = work.in + at;
    std::uint8_t* const out = work.out + at;
    if (in == out) {
      std::memcpy(kept, in, n);
      in = kept;
    }
    work.cpu.decrypt(work.keys, in, out, n / block);
    xor_keystream(last, out, out, block, false);
    xor_keystream(in, out + block, out + block, n - block, false);
    std::memcpy(last, in + n - block, block);
  }
}

}  // namespace

void run_blocks(const BlockWork& work) {
  const std::size_t count = work.bytes / work.cipher.block_bytes;
  if (work.chained()) {
    decrypt_chain(work);
  } else if (work.verb == BlockVerb::kDecrypt) {
    work.cpu.decrypt(work.keys, work.in, work.out, count);
  } else {
    work.cpu.encrypt(work.keys, work.in, work.out, count);
  }
}

}  // namespace gpuctr::bulk
