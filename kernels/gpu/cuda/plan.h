// Host arithmetic before a launch: it cuts jobs so that a kernel counts only in 32 bits, and lays
// out batches. Uses no CUDA, so that it can be tested without a device.
#ifndef GPUCTR_KERNELS_GPU_CUDA_PLAN_H
#define GPUCTR_KERNELS_GPU_CUDA_PLAN_H

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "kernels/cipher/registry.h"
#include "kernels/cipher/word.h"
#include "kernels/gpu/layer.h"

namespace gpuctr {

// The number of blocks until the low 32 bits of a counter carry: 1 .. 2^32.
inline std::uint64_t blocks_to_carry(std::uint32_t low) { return (std::uint64_t{1} << 32) - low; }

// The largest block size of the plain form and of batches.
constexpr std::size_t kMaxCudaBlockBytes = 16;

// A counter block of at most kBytes, in the kernels' layout. `high` is the part above the low 32
// bits, as little-endian words of the block's bytes in order: 3 words for 16-byte blocks, 1 for
// 8-byte blocks.
template <std::size_t kBytes>
struct CounterWords {
  std::uint32_t high[kBytes / 4 - 1];
  std::uint32_t low;  // as a number
};
using CounterParts = CounterWords<kMaxCudaBlockBytes>;

template <class Parts = CounterParts>
Parts split_counter(const std::uint8_t* counter, std::size_t block_bytes) {
  Parts parts = {};
  const std::size_t words = block_bytes / 4 - 1;
  for (std::size_t j = 0; j < words; ++j) parts.high[j] = load_le<std::uint32_t>(counter + 4 * j);
  for (std::size_t i = 4 * words; i < block_bytes; ++i) parts.low = parts.low << 8 | counter[i];
  return parts;
}

// Round keys in the kernels' layout, in 32-bit words. An 8-bit or 16-bit word is repeated to fill a
// 32-bit word; a 64-bit word is two words, the lower first.
template <class Word>
constexpr unsigned spread_words(unsigned count) {
  return sizeof(Word) == 8 ? 2 * count : count;
}
template <class Word>
void spread_keys(const RoundKeys& keys, unsigned count, std::uint32_t* out) {
  if constexpr (sizeof(Word) >= 4) {
    std::memcpy(out, keys.bytes, sizeof(Word) * std::size_t{count});
  } else {
    constexpr std::uint32_t kOnes = 0xffffffffu / ((1u << (8 * sizeof(Word))) - 1);
    for (unsigned i = 0; i < count; ++i) out[i] = keys.words<Word>()[i] * kOnes;
  }
}

// A run of a job whose blocks differ only in the low 32 bits of the counter.
template <class Parts>
struct CounterRunOf {
  Parts counter;
  std::size_t offset;  // bytes from the start of the job
  std::size_t bytes;
};
using CounterRun = CounterRunOf<CounterParts>;

// Cuts [0, bytes) at every carry out of the low 32 bits; next() is false after the last piece.
class CounterRuns {
 public:
  CounterRuns(const std::uint8_t* counter, std::size_t block_bytes, std::size_t bytes);
  template <class Parts>
  bool next(CounterRunOf<Parts>* piece) {
    piece->counter = split_counter<Parts>(counter_, block_bytes_);
    return next(piece->counter.low, &piece->offset, &piece->bytes);
  }

 private:
  bool next(std::uint32_t low, std::size_t* offset, std::size_t* bytes);

  std::uint8_t counter_[kMaxBlockBytes];
  std::size_t block_bytes_;
  std::size_t offset_ = 0;
  std::size_t left_;
};

// One run of a batch on the device: a CounterRun of one segment, its place in the output and its
// key.
struct BatchRun {
  CounterParts counter;
  std::uint32_t key;         // index of its round keys in the batch
  std::uint32_t first_unit;  // units of the runs before it
  std::uint64_t offset;      // bytes, into out and in
  std::uint64_t bytes;
};

struct BatchSize {
  std::size_t runs;
  std::uint64_t units;
  std::uint64_t even;  // the number of units of every run if all are equal, else 0
  bool fits;           // the kernel numbers units in 32 bits
};

// The size of what lay_out_batch() will write. Empty segments have no run.
BatchSize measure_batch(const DeviceSegment* segments, std::size_t count, std::size_t block_bytes,
                        std::size_t unit_bytes);

// Writes the runs. Run i of segment s has key s.
void lay_out_batch(const DeviceSegment* segments, std::size_t count, std::size_t block_bytes,
                   std::size_t unit_bytes, BatchRun* runs);

}  // namespace gpuctr

#endif
