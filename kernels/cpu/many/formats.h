// The blocks that GCM (SP 800-38D) and CCM (RFC 3610) make of IVs and lengths, and counters that
// wrap within a block. Blocks of GCM and CCM have 16 bytes. Nothing here is secret.
#ifndef GPUCTR_KERNELS_CPU_MANY_FORMATS_H
#define GPUCTR_KERNELS_CPU_MANY_FORMATS_H

#include <algorithm>
#include <cstring>

#include "kernels/base/counter.h"
#include "kernels/cpu/base/many.h"

namespace gpuctr::many {

// The last `bytes` bytes before `end`, big-endian.
inline void write_number(std::uint8_t* end, std::uint64_t number, std::size_t bytes) {
  for (; bytes != 0; --bytes, number >>= 8) *--end = static_cast<std::uint8_t>(number);
}

// The low 64 bits of a counter block.
inline std::uint64_t low_bits(const std::uint8_t* counter, std::size_t block_bytes) {
  std::uint64_t low;
  std::memcpy(&low, counter + block_bytes - sizeof low, sizeof low);
  return big_endian64(low);
}

// How many blocks there are before the last `bits` bits, or at most 64 of them, become zero; 2^63
// at most. A call of CipherOps::ctr carries into all bits of the block, so it ends there. Any
// number where the counter has all bits.
inline std::uint64_t blocks_before_wrap(const std::uint8_t* counter, std::size_t block_bytes,
                                        unsigned bits) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 63;
  if (bits == 8 * block_bytes) return kMost;
  const std::uint64_t low = low_bits(counter, block_bytes);
  if (bits >= 64) return low == 0 ? kMost : std::min(kMost, ~low + 1);
  const std::uint64_t period = std::uint64_t{1} << bits;
  return period - (low & (period - 1));
}

// Adds `blocks`, at most those of blocks_before_wrap(), to the last `bits` bits of the counter.
inline void advance(std::uint8_t* counter, std::size_t block_bytes, unsigned bits,
                    std::uint64_t blocks) {
  if (bits == 8 * block_bytes) return counter_add(counter, block_bytes, blocks);
  const std::uint64_t low = low_bits(counter, block_bytes);
  const std::uint64_t mask = bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
  const std::uint64_t sum = low + blocks;
  const std::uint64_t stored = big_endian64((low & ~mask) | (sum & mask));
  std::memcpy(counter + block_bytes - sizeof stored, &stored, sizeof stored);
  // The carry into the bits from 64 on.
  unsigned carry = sum < low ? 1 : 0;
  for (unsigned bit = 64; bit < bits; bit += 8) {
    std::uint8_t& byte = counter[block_bytes - 1 - bit / 8];
    const unsigned within = bits - bit >= 8 ? 0xff : (1u << (bits - bit)) - 1;
    const unsigned digit = (byte & within) + carry;
    byte = static_cast<std::uint8_t>((byte & ~within) | (digit & within));
    carry = digit > within ? 1 : 0;
  }
}

// SP 800-38D 7.1 step 2, for an IV of 12 bytes. Otherwise false.
inline bool gcm_short_iv(std::uint8_t (&counter)[16], const std::uint8_t* iv, std::size_t bytes) {
  if (bytes != 12) return false;
  constexpr std::uint8_t kOne[4] = {0, 0, 0, 1};
  std::memcpy(counter, iv, 12);
  std::memcpy(counter + 12, kOne, sizeof kOne);
  return true;
}

// Two lengths in bits.
inline void gcm_lengths(std::uint8_t (&block)[16], std::uint64_t first, std::uint64_t second) {
  const std::uint64_t bits[2] = {big_endian64(8 * first), big_endian64(8 * second)};
  std::memcpy(block, bits, sizeof block);
}

// RFC 3610 2.3: the counter block with the number 0.
inline void ccm_counter(std::uint8_t (&block)[16], const std::uint8_t* iv, std::size_t bytes) {
  std::memset(block, 0, sizeof block);
  block[0] = static_cast<std::uint8_t>(14 - bytes);
  std::memcpy(block + 1, iv, bytes);
}

// RFC 3610 2.2: makes the first block of the MAC from the counter block with the number 0.
inline void ccm_first_block(std::uint8_t* block, const ManyBatch& batch, const ManyText& text) {
  constexpr unsigned kHasAad = 0x40;
  block[0] = static_cast<std::uint8_t>(block[0] | (text.aad_bytes != 0 ? kHasAad : 0) |
                                       (batch.tag_bytes - 2) / 2 << 3);
  write_number(block + 16, text.n, 15 - batch.iv_bytes);
}

// RFC 3610 2.2: the first block of associated data, which begins with their length. Returns how
// many bytes of the data are in it.
inline std::size_t ccm_aad_block(std::uint8_t (&block)[16], const std::uint8_t* aad,
                                 std::size_t n) {
  std::memset(block, 0, sizeof block);
  std::size_t at = 2;
  if (n < 0xff00) {
    write_number(block + 2, n, 2);
  } else {
    const std::size_t bytes = static_cast<std::uint64_t>(n) >> 32 == 0 ? 4 : 8;
    block[0] = 0xff;
    block[1] = bytes == 4 ? 0xfe : 0xff;
    at = 2 + bytes;
    write_number(block + at, n, bytes);
  }
  const std::size_t take = std::min(n, sizeof block - at);
  std::memcpy(block + at, aad, take);
  return take;
}

}  // namespace gpuctr::many

#endif
