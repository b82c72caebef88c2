#include "kernels/bulk/base/xts.h"

#include <algorithm>
#include <cstring>

#include "kernels/base/wipe.h"
#include "kernels/cipher/word.h"
#include "kernels/cpu/xex.h"

namespace gpuctr::bulk {
namespace {

// The masks and text of a piece fit the nearest cache, and a call of a backend costs little
// compared with a piece.
constexpr std::size_t kPieceBlocks = 1024;

// Copies, XORs and masks of single blocks, in integers.
struct Block {
  std::uint64_t low, high;

  static Block load(const std::uint8_t* p) {
    return {load_le<std::uint64_t>(p), load_le<std::uint64_t>(p + 8)};
  }
  void store(std::uint8_t* p) const {
    store_le(p, low);
    store_le(p + 8, high);
  }
  friend Block operator^(Block a, Block b) { return {a.low ^ b.low, a.high ^ b.high}; }
  Block times_x() const { return {low << 1 ^ (high >> 63) * 0x87, high << 1 | low >> 63}; }
};

// A block with its mask, in place.
void crypt_one(const XtsWork& work, const std::uint8_t* mask, std::uint8_t* block) {
  crypt_masked(work.cpu, work.keys, work.encrypts, mask, block, block, 1);
}

// a b; b is public. Constant time in a.
Block times(Block a, Block b) {
  Block sum{0, 0};
  for (unsigned i = 0; i < 128; ++i) {
    if (((i < 64 ? b.low : b.high) >> i % 64 & 1) != 0) sum = sum ^ a;
    a = a.times_x();
  }
  return sum;
}

// x^n; n is public.
Block power_of_x(std::uint64_t n) {
  Block power{1, 0};
  for (unsigned bit = 64; bit-- != 0;) {
    power = times(power, power);
    if ((n >> bit & 1) != 0) power = power.times_x();
  }
  return power;
}

__attribute__((noinline)) void skip(std::uint8_t* mask, Block power) {
  times(Block::load(mask), power).store(mask);
}

// The masks of a piece of text, in memory that is aligned for vectors.
struct PieceMasks {
  alignas(64) std::uint8_t bytes[xts_mask_bytes(kPieceBlocks)];

  void crypt(const XtsWork& work, std::size_t at, std::size_t blocks) const {
    crypt_masked(work.cpu, work.keys, work.encrypts, bytes, work.in + at, work.out + at, blocks);
  }
  void wipe_used(std::size_t blocks) { wipe(bytes, xts_mask_bytes(blocks)); }
};

void blocks_in_pieces(const XtsWork& work, std::uint8_t* mask) {
  PieceMasks masks;
  const std::size_t blocks = work.bytes / kXtsBlock;
  for (std::size_t at = 0; at < blocks; at += kPieceBlocks) {
    const std::size_t n = std::min(blocks - at, kPieceBlocks);
    work.masks(mask, masks.bytes, n);
    masks.crypt(work, kXtsBlock * at, n);
  }
  masks.wipe_used(std::min(blocks, kPieceBlocks));
}

// The whole block is `first` under its mask. Its end fills the part of a block, which becomes the
// second block. Decryption uses the two masks in the other order.
__attribute__((noinline)) void steal(const XtsWork& work, const std::uint8_t* mask) {
  Wiped<std::uint8_t[kXtsBlock]> next, first, second;
  const std::size_t part = work.bytes - kXtsBlock;
  Block::load(mask).times_x().store(next.value);
  std::memcpy(first.value, work.in, kXtsBlock);
  crypt_one(work, work.encrypts ? mask : next.value, first.value);
  std::memcpy(second.value, work.in + kXtsBlock, part);
  std::memcpy(second.value + part, first.value + part, kXtsBlock - part);
  crypt_one(work, work.encrypts ? next.value : mask, second.value);
  std::memcpy(work.out + kXtsBlock, first.value, part);
  std::memcpy(work.out, second.value, kXtsBlock);
}

}  // namespace

void xts_blocks(const XtsWork& work, std::uint8_t* mask) {
  if (work.bytes == 0) return;
  if (work.cpu.xts != nullptr) {
    work.cpu.xts(work.keys, nullptr, work.encrypts, mask, work.in, work.out,
                 work.bytes / kXtsBlock);
  } else {
    blocks_in_pieces(work, mask);
  }
}

void xts_steal(const XtsWork& work, const std::uint8_t* mask) {
  steal(work, mask);
  wipe_stack<256>();  // GCC keeps a block of text there while it copies
}

void xts_unit(const XtsWork& work, const std::uint8_t* first_mask) {
  Wiped<std::uint8_t[kXtsBlock]> mask;
  std::memcpy(mask.value, first_mask, kXtsBlock);
  const std::size_t body = work.body();
  xts_blocks(work.part(0, body), mask.value);
  if (body != work.bytes) xts_steal(work.part(body, work.bytes - body), mask.value);
}

void xts_skip(std::uint8_t* mask, std::uint64_t blocks) {
  skip(mask, power_of_x(blocks));
  wipe_stack<256>();
}

namespace {

// The encrypted tweaks of so many data units are made together, which takes little more time than
// one.
constexpr std::size_t kTweaks = 64;

// Whole data units of whole blocks, so short that several are one piece. `mask` is the first
// unit's, the others follow; the masks become undefined.
void units_in_pieces(const XtsWork& work, std::size_t unit, std::uint8_t* mask) {
  PieceMasks masks;
  const std::size_t unit_blocks = unit / kXtsBlock;
  const std::size_t together = kPieceBlocks / unit_blocks, all = work.bytes / unit;
  for (std::size_t first = 0; first < all; first += together) {
    const std::size_t units = std::min(together, all - first);
    for (std::size_t i = 0; i < units; ++i, mask += kXtsBlock) {
      work.masks(mask, masks.bytes + i * unit, unit_blocks);
    }
    masks.crypt(work, first * unit, units * unit_blocks);
  }
  masks.wipe_used(std::min(all, together) * unit_blocks);
}

}  // namespace

void xts_units(const XtsWork& work, const XtsUnits& units) {
  Wiped<std::uint8_t[kTweaks * kXtsBlock]> masks;
  const std::uint8_t* ivs = units.ivs;
  const bool in_pieces = work.cpu.xts == nullptr && units.unit % kXtsBlock == 0 &&
                         units.unit <= kPieceBlocks / 2 * kXtsBlock;
  for (std::size_t at = 0; at < work.bytes;) {
    const std::size_t left = work.bytes - at;
    const std::size_t count = std::min(kTweaks, (left + units.unit - 1) / units.unit);
    const std::size_t whole = std::min(count, left / units.unit);
    work.cpu.encrypt(units.tweak_keys, ivs, masks.value, count);
    ivs += kXtsBlock * count;
    std::size_t done = 0;
    if (in_pieces) {
      units_in_pieces(work.part(at, whole * units.unit), units.unit, masks.value);
      done = whole;
    }
    for (; done < count; ++done) {
      const std::size_t from = at + done * units.unit;
      xts_unit(work.part(from, std::min(units.unit, work.bytes - from)),
               masks.value + kXtsBlock * done);
    }
    at = std::min(work.bytes, at + count * units.unit);
  }
}

}  // namespace gpuctr::bulk
