// Arithmetic on the host before a launch: cutting jobs so that a kernel only counts in 32 bits, and
// laying out batches. Knows no CUDA, so that it is tested where there is no card.
#ifndef GPUCTR_KERNELS_GPU_CUDA_PLAN_H
#define GPUCTR_KERNELS_GPU_CUDA_PLAN_H

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "kernels/cipher/registry.h"
#include "kernels/cipher/word.h"
#include "kernels/gpu/layer.h"

namespace gpuctr {

// Blocks until the low 32 bits of a counter have all been ones: 1 .. 2^32.
inline std::uint64_t blocks_to_carry(std::uint32_t low) { return (std::uint64_t{1} << 32) - low; }

// The largest block that the plain form and batches take.
constexpr std::size_t kMaxCudaBlockBytes = 16;

// A counter block of kBytes or fewer as the kernels take it. `high` is all of it above the low 32
// bits, as little-endian words of the block's bytes in their order: 3 for 16-byte blocks, 1 for
// 8-byte.
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

// Round keys as the kernels take them, in 32-bit words: an 8-bit or 16-bit word repeated to fill
// one, a 64-bit word as two, the lower first.
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

// A run of a job whose blocks share all of the counter but its low 32 bits.
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

// One run of a batch on the card: a CounterRun of one segment, its place in the output and its key.
struct BatchRun {
  CounterParts counter;
  std::uint32_t key;         // number of its round keys in the batch
  std::uint32_t first_unit;  // units of the runs before it
  std::uint64_t offset;      // bytes, into out and in
  std::uint64_t bytes;
};

struct BatchSize {
  std::size_t runs;
  std::uint64_t units;
  std::uint64_t even;  // units of each run where all have the same number, else 0
  bool fits;           // the kernel numbers units in 32 bits
};

// What lay_out_batch will write. Empty segments take no run.
BatchSize measure_batch(const GpuSegment* segments, std::size_t count, std::size_t block_bytes,
                        std::size_t unit_bytes);

// Writes the runs. Run i of segment s has key s.
void lay_out_batch(const GpuSegment* segments, std::size_t count, std::size_t block_bytes,
                   std::size_t unit_bytes, BatchRun* runs);

}  // namespace gpuctr

#endif
