#include "provider/mode/keystream/counter_field.h"

#include <cstring>

#include "kernels/cipher/registry.h"

namespace gpuctr {

std::uint64_t CounterField::run_below_nonce(const std::uint8_t* counter,
                                            std::uint64_t wanted) const {
  // The distance to the wrap is 2^bits - field: the two's complement of the field.
  std::uint64_t low = 0;
  const unsigned low_bits = bits_ < 64 ? bits_ : 64;
  for (unsigned i = 0; 8 * i < low_bits; ++i) {
    low |= std::uint64_t{counter[block_ - 1 - i]} << (8 * i);
  }
  const std::uint64_t mask =
      low_bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << low_bits) - 1;
  low &= mask;
  if (bits_ > 64) {
    // Far from the wrap unless every field bit above the low 64 is set.
    for (unsigned bit = 64; bit < bits_; ++bit) {
      if ((counter[block_ - 1 - bit / 8] >> (bit % 8) & 1) == 0) return wanted;
    }
  }
  const std::uint64_t left = (mask - low) + 1;  // 0 stands for 2^64
  return left == 0 || wanted < left ? wanted : left;
}

void CounterField::add_below_nonce(std::uint8_t* counter, std::uint64_t blocks) const {
  std::uint8_t before[kMaxBlockBytes];
  std::memcpy(before, counter, block_);
  counter_add(counter, block_, blocks);
  keep_nonce(before, counter);
}

// c - 1 = ~(~c + 1).
void CounterField::step_back(std::uint8_t* counter) const {
  std::uint8_t before[kMaxBlockBytes];
  std::memcpy(before, counter, block_);
  for (std::size_t i = 0; i < block_; ++i) counter[i] = static_cast<std::uint8_t>(~counter[i]);
  counter_add(counter, block_, 1);
  for (std::size_t i = 0; i < block_; ++i) counter[i] = static_cast<std::uint8_t>(~counter[i]);
  if (!is_whole_block()) keep_nonce(before, counter);
}

void CounterField::keep_nonce(const std::uint8_t* before, std::uint8_t* counter) const {
  const std::size_t nonce_bytes = block_ - (bits_ + 7) / 8;
  std::memcpy(counter, before, nonce_bytes);
  if (bits_ % 8 != 0) {
    const unsigned field = (1u << (bits_ % 8)) - 1;
    counter[nonce_bytes] =
        static_cast<std::uint8_t>((before[nonce_bytes] & ~field) | (counter[nonce_bytes] & field));
  }
}

}  // namespace gpuctr
