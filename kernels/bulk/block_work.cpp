#include "kernels/bulk/block_work.h"

#include <algorithm>
#include <cstring>

#include "kernels/bulk/xor.h"

namespace gpuctr::bulk {
namespace {

// Of CBC decryption at a time: the XOR finds the blocks in the nearest cache.
constexpr std::size_t kChainPiece = 4096;
static_assert(kChainPiece % kMaxBlockBytes == 0);

// `made`: the blocks decrypted each for itself; nullptr: that is to be done.
void chain(const BlockWork& work, const std::uint8_t* made) {
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
    if (made == nullptr) work.cpu.decrypt(work.keys, in, out, n / block);
    const std::uint8_t* const from = made == nullptr ? out : made + at;
    xor_keystream(last, from, out, block, false);
    xor_keystream(in, from + block, out + block, n - block, false);
    std::memcpy(last, in + n - block, block);
  }
}

}  // namespace

void run_blocks(const BlockWork& work) {
  const std::size_t count = work.bytes / work.cipher.block_bytes;
  if (work.chained()) {
    chain(work, nullptr);
  } else if (work.verb == BlockVerb::kDecrypt) {
    work.cpu.decrypt(work.keys, work.in, work.out, count);
  } else {
    work.cpu.encrypt(work.keys, work.in, work.out, count);
  }
}

void finish_blocks(const BlockWork& work, const std::uint8_t* made) {
  if (work.chained()) {
    chain(work, made);
  } else {
    std::memcpy(work.out, made, work.bytes);
  }
}

}  // namespace gpuctr::bulk
