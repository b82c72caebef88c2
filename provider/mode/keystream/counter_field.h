// A counter that is a field of the counter block. The low `bits` bits of the block count; the nonce
// above the field never changes. If the field is the whole block, the counter is OpenSSL's.
#ifndef GPUCTR_PROVIDER_MODE_KEYSTREAM_COUNTER_FIELD_H
#define GPUCTR_PROVIDER_MODE_KEYSTREAM_COUNTER_FIELD_H

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "kernels/base/counter.h"
#include "kernels/base/part_of_block.h"

namespace gpuctr {

class CounterField {
 public:
  constexpr CounterField(std::size_t block_bytes, unsigned bits)
      : block_(static_cast<unsigned>(block_bytes)), bits_(bits) {}

  std::size_t block_bytes() const { return block_; }
  unsigned bits() const { return bits_; }
  bool is_whole_block() const { return bits_ == 8 * block_; }

  // The number of counter blocks of one IV, at most 2^64 - 1. No program reaches 2^64 - 1 blocks.
  std::uint64_t blocks_per_iv() const {
    return is_whole_block() || bits_ >= 64 ? UINT64_MAX : std::uint64_t{1} << bits_;
  }

  // The number of blocks from `counter` to the field's wrap, at most `wanted`. Within such a run, a
  // counter of the whole block yields the same counter blocks.
  std::uint64_t run(const std::uint8_t* counter, std::uint64_t wanted) const {
    if (is_whole_block()) return wanted;
    if (bits_ > 64) return run_of_long_field(counter, wanted);
    // The distance to the wrap is 2^bits - field: the two's complement of the field. 0 stands for
    // 2^64.
    const std::uint64_t left = (mask() - (low(counter) & mask())) + 1;
    return left == 0 || wanted < left ? wanted : left;
  }

  // Adds `blocks` to the field modulo 2^bits.
  void add(std::uint8_t* counter, std::uint64_t blocks) const {
    if (is_whole_block()) {
      block_ == 16 ? add_to_16_bytes(counter, blocks) : counter_add(counter, block_, blocks);
    } else if (bits_ > 64) {
      add_to_long_field(counter, blocks);
    } else {
      const std::uint64_t before = low(counter);
      const std::uint64_t after = big_endian64((before & ~mask()) | ((before + blocks) & mask()));
      if (block_ == 16) {
        std::uint64_t first;
        std::memcpy(&first, counter, sizeof first);
        store_block(counter, BlockWords{first, after});
      } else {
        std::memcpy(counter + block_ - sizeof after, &after, sizeof after);
      }
    }
  }

  // Subtracts `blocks` from the field modulo 2^bits.
  void step_back(std::uint8_t* counter, std::uint64_t blocks) const;

 private:
  // The mask of a field of at most 64 bits, applied to the counter's last 64 bits.
  std::uint64_t mask() const { return ~std::uint64_t{0} >> (64 - bits_); }
  std::uint64_t low(const std::uint8_t* counter) const {
    std::uint64_t last;
    std::memcpy(&last, counter + block_ - sizeof last, sizeof last);
    return big_endian64(last);
  }
  std::uint64_t run_of_long_field(const std::uint8_t* counter, std::uint64_t wanted) const;
  void add_to_long_field(std::uint8_t* counter, std::uint64_t blocks) const;
  static void add_to_16_bytes(std::uint8_t* counter, std::uint64_t blocks) {
    std::uint64_t halves[2];
    std::memcpy(halves, counter, sizeof halves);
    counter_add(reinterpret_cast<std::uint8_t*>(halves), 16, blocks);
    store_block(counter, BlockWords{halves[0], halves[1]});
  }
  // Copies the bits above the field from `before` to `counter`.
  void keep_nonce(const std::uint8_t* before, std::uint8_t* counter) const;

  unsigned block_;  // bytes
  unsigned bits_;
};

}  // namespace gpuctr

#endif
