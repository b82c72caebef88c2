// The blocks that GCM (SP 800-38D) and CCM (RFC 3610) make of IVs and lengths, and counters that
// wrap within a block. Blocks of GCM and CCM have 16 bytes. Nothing here is secret.
#ifndef GPUCTR_KERNELS_CPU_MANY_FORMATS_H
#define GPUCTR_KERNELS_CPU_MANY_FORMATS_H

#include <algorithm>
#include <cstring>

#include "kernels/base/counter.h"
#include "kernels/base/part_of_block.h"
#include "kernels/cpu/base/many.h"

namespace gpuctr::many {

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

// Two lengths in bits.
GPUCTR_INLINE void gcm_lengths(std::uint8_t* block, std::uint64_t first, std::uint64_t second) {
  store_block(block, BlockWords{big_endian64(8 * first), big_endian64(8 * second)});
}

// A block's bytes `bits` bits, 8 to 56, nearer to its end, behind zeros.
GPUCTR_INLINE BlockWords moved(BlockWords block, unsigned bits) {
  return BlockWords{block[0] << bits, block[1] << bits | block[0] >> (64 - bits)};
}
// Added to a counter block whose number is 0.
constexpr std::uint64_t kCounterOne = std::uint64_t{1} << 56;
GPUCTR_INLINE BlockWords numbered(BlockWords block, std::uint64_t number) {
  return BlockWords{block[0], block[1] | number * kCounterOne};
}

// SP 800-38D 7.1 step 2, for an IV of 12 bytes: the counter block with this number.
GPUCTR_INLINE BlockWords gcm_counter(const std::uint8_t* iv, std::uint64_t number) {
  return numbered(load_part(iv, 12), number);
}

// RFC 3610 2.3: the counter block with the number 0.
GPUCTR_INLINE BlockWords ccm_counter(const std::uint8_t* iv, std::size_t bytes) {
  const BlockWords block = moved(load_part(iv, bytes), 8);
  return BlockWords{block[0] | (14 - bytes), block[1]};
}

// RFC 3610 2.2: makes the first block of the MAC from the counter block with the number 0.
GPUCTR_INLINE BlockWords ccm_first_block(BlockWords zero, const ManyBatch& batch,
                                         const ManyText& text) {
  constexpr std::uint64_t kHasAad = 0x40;
  const std::uint64_t flags = (text.aad_bytes != 0 ? kHasAad : 0) | (batch.tag_bytes - 2) / 2 << 3;
  const std::size_t bits = 8 * (15 - batch.iv_bytes);  // of the length
  const std::uint64_t length = bits >= 64 ? text.n : text.n & ((std::uint64_t{1} << bits) - 1);
  return BlockWords{zero[0] | flags, zero[1] | big_endian64(length)};
}

// RFC 3610 2.2: the first block of associated data, which begins with their length. Returns how
// many bytes of the data are in it.
GPUCTR_INLINE std::size_t ccm_aad_block(std::uint8_t* block, const std::uint8_t* aad,
                                        std::size_t n) {
  const std::uint64_t length = big_endian64(n);
  if (n < 0xff00) {
    const std::size_t take = std::min<std::size_t>(n, 14);
    const BlockWords data = moved(load_part(aad, take), 16);
    store_block(block, BlockWords{data[0] | length >> 48, data[1]});
    return take;
  }
  if (static_cast<std::uint64_t>(n) >> 32 == 0) {
    const BlockWords data = moved(load_part(aad, 10), 48);
    store_block(block, BlockWords{data[0] | length >> 32 << 16 | 0xfeff, data[1]});
    return 10;
  }
  store_block(block, BlockWords{length << 16 | 0xffff, length >> 48 | load_part(aad, 6)[0] << 16});
  return 6;
}

}  // namespace gpuctr::many

#endif
