#include "provider/mode/keystream/counter_field.h"

#include <cstring>

#include "kernels/cipher/registry.h"

namespace gpuctr {

// The wrap is at least 2^64 blocks away unless every bit of the field above the low 64 is set.
std::uint64_t CounterField::run_of_long_field(const std::uint8_t* counter,
                                              std::uint64_t wanted) const {
  for (unsigned bit = 64; bit < bits_; ++bit) {
    if ((counter[block_ - 1 - bit / 8] >> (bit % 8) & 1) == 0) return wanted;
  }
  const std::uint64_t left = 0 - low(counter);  // 0 stands for 2^64
  return left == 0 || wanted < left ? wanted : left;
}

void CounterField::add_to_long_field(std::uint8_t* counter, std::uint64_t blocks) const {
  std::uint8_t before[kMaxBlockBytes];
  std::memcpy(before, counter, block_);
  counter_add(counter, block_, blocks);
  keep_nonce(before, counter);
}

// c - b = ~(~c + b).
void CounterField::step_back(std::uint8_t* counter, std::uint64_t blocks) const {
  std::uint8_t before[kMaxBlockBytes];
  std::memcpy(before, counter, block_);
  for (std::size_t i = 0; i < block_; ++i) counter[i] = static_cast<std::uint8_t>(~counter[i]);
  counter_add(counter, block_, blocks);
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
