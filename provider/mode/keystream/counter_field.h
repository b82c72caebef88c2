// A counter that is a field of the counter block: its low `bits` bits count, the nonce above them
// never changes. With bits = the whole block this is OpenSSL's counter.
#ifndef GPUCTR_PROVIDER_MODE_KEYSTREAM_COUNTER_FIELD_H
#define GPUCTR_PROVIDER_MODE_KEYSTREAM_COUNTER_FIELD_H

#include <cstddef>
#include <cstdint>

#include "kernels/base/counter.h"

namespace gpuctr {

class CounterField {
 public:
  CounterField(std::size_t block_bytes, unsigned bits) : block_(block_bytes), bits_(bits) {}

  unsigned bits() const { return bits_; }
  bool is_whole_block() const { return bits_ == 8 * block_; }

  // Counter blocks that one IV gives, saturated at 2^64 - 1: nobody reaches that many.
  std::uint64_t blocks_per_iv() const {
    return is_whole_block() || bits_ >= 64 ? UINT64_MAX : std::uint64_t{1} << bits_;
  }

  // Blocks from `counter` to the field's wrap, at most `wanted`. A run of that many can be made
  // with an ordinary counter.
  std::uint64_t run(const std::uint8_t* counter, std::uint64_t wanted) const {
    return is_whole_block() ? wanted : run_below_nonce(counter, wanted);
  }

  // Adds `blocks` to the field modulo 2^bits.
  void add(std::uint8_t* counter, std::uint64_t blocks) const {
    if (is_whole_block()) {
      counter_add(counter, block_, blocks);
    } else {
      add_below_nonce(counter, blocks);
    }
  }

  // Subtracts one from the field modulo 2^bits: back to the block in use.
  void step_back(std::uint8_t* counter) const;

 private:
  std::uint64_t run_below_nonce(const std::uint8_t* counter, std::uint64_t wanted) const;
  void add_below_nonce(std::uint8_t* counter, std::uint64_t blocks) const;
  // Puts the bits above the field back as they were.
  void keep_nonce(const std::uint8_t* before, std::uint8_t* counter) const;

  std::size_t block_;
  unsigned bits_;
};

}  // namespace gpuctr

#endif
