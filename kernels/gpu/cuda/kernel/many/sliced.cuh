// Counter mode for many messages of a cipher with blocks of 8 bytes, bit-sliced: the rounds of
// bitsliced/ with a key for each text.
//
// A lane makes four texts of 64 bytes, each under the key of its message. Byte i of a bit-sliced
// register has the eight blocks of text i. So all bits of a mask's byte i are one bit of key i:
// PRMT copies the top bit of a byte to all its bits. Keys lie in shared memory as words that have
// the same byte of four keys.
#ifndef GPUCTR_KERNELS_GPU_CUDA_KERNEL_MANY_SLICED_CUH
#define GPUCTR_KERNELS_GPU_CUDA_KERNEL_MANY_SLICED_CUH

#include <cstdint>

#include "kernels/gpu/cuda/kernel/bitsliced/word.cuh"
#include "kernels/gpu/cuda/kernel/many/kernels.cuh"
#include "kernels/gpu/cuda/kernel/wordwise/words.cuh"

namespace gpuctr::many {

constexpr unsigned kSlicedThreads = 128;
constexpr unsigned kTexts = 4;  // of a lane
constexpr std::uint32_t kTextBytes = 64;

// The keys of a lane's four texts: specialised in the folder's bitslice_keys.cuh, with
//
//   kWords             of shared memory a lane
//   kStaticBits        as in BitslicedRounds
//   expand(keys, put)  from four keys; calls put(i, word) for each word
//   from_row(row, put) from a row of round keys, the same for all texts (ManyJob::row)
//   mask(word, i)      round key i, a KeyMask, where word(n) is word n
template <class C>
struct SlicedKeys;

__device__ __forceinline__ std::uint32_t top_bits_spread(std::uint32_t x) {
#ifdef __CUDA_ARCH__
  std::uint32_t r;
  asm("prmt.b32 %0, %1, 0, 0xba98;" : "=r"(r) : "r"(x));
  return r;
#else
  return (x >> 7 & 0x01010101) * 0xff;
#endif
}

// A word of W bits of a round key: byte[n] has bits 8 n to 8 n + 7 of four keys.
template <unsigned W>
struct KeyMask {
  using Bits = KeyMasks;
  std::uint32_t byte[W / 8];

  __device__ __forceinline__ void load(std::uint32_t (&v)[4], unsigned bit) const {
#pragma unroll
    for (unsigned j = 0; j < 4; ++j)
      v[j] = top_bits_spread(byte[(bit + j) / 8] << (7 - (bit + j) % 8));
  }
};

// A lane's part of shared memory. The words of neighbouring lanes lie side by side.
struct LaneWords {
  std::uint32_t* first;

  __device__ __forceinline__ explicit LaneWords(std::uint8_t* memory)
      : first(reinterpret_cast<std::uint32_t*>(memory) + threadIdx.x) {}
  __device__ __forceinline__ std::uint32_t operator()(unsigned i) const {
    return first[kSlicedThreads * i];
  }
  __device__ __forceinline__ void put(unsigned i, std::uint32_t word) const {
    first[kSlicedThreads * i] = word;
  }
  // Shared memory keeps its content after the kernel.
  __device__ __forceinline__ void wipe(unsigned count) const {
    for (unsigned i = 0; i < count; ++i)
      *static_cast<volatile std::uint32_t*>(first + kSlicedThreads * i) = 0;
  }
};

template <class C>
struct RoundKeysOf {
  static constexpr bool kLoops = true;
  LaneWords words;
  __device__ __forceinline__ auto operator()(unsigned i) const {
    return SlicedKeys<C>::mask(words, i);
  }
};

// 64 bytes of a message, or what there is of them.
struct Text {
  std::uint32_t message;
  std::uint32_t bytes;  // 0: none
  std::uint32_t first;  // the number of its first byte in the message
  std::uint64_t offset;
};

// The texts of a lane. Texts of one length follow each other in their message; of mixed lengths the
// texts of like places do, so that warps have no texts where messages have ended.
class Texts {
 public:
  __device__ __forceinline__ Texts(const ManyJob& job, std::uint64_t lane) : job_(job) {
    parts_ = (job.longest + kTextBytes - 1) / kTextBytes;
    const std::uint64_t number = kTexts * lane;
    const std::uint32_t steps = job.list != nullptr ? job.pieces : parts_;
    const std::uint64_t turns = steps == 1 ? number : number / steps;
    step_ = static_cast<std::uint32_t>(number - turns * steps);
    turn_ = static_cast<std::uint32_t>(turns);
    is_there_ = turns < (job.list != nullptr ? parts_ : job.pieces);
  }
  // Calls f(i, text) for the four, in order.
  template <class F>
  __device__ __forceinline__ void each(const F& f) const {
    std::uint32_t step = step_;
    std::uint32_t turn = turn_;
    const std::uint32_t steps = job_.list != nullptr ? job_.pieces : parts_;
    const std::uint32_t turns = job_.list != nullptr ? parts_ : job_.pieces;
#pragma unroll
    for (unsigned i = 0; i < kTexts; ++i) {
      const bool is_there = is_there_ && turn < turns;
      const std::uint32_t part = job_.list != nullptr ? turn : step;
      const Piece piece(job_, job_.list != nullptr ? step : turn, is_there);
      const std::uint32_t from = kTextBytes * part;
      const std::uint32_t left = piece.bytes > from ? piece.bytes - from : 0;
      f(i, Text{piece.message, left < kTextBytes ? left : kTextBytes, piece.start + from,
                piece.offset + from});
      if (++step == steps) step = 0, ++turn;
    }
  }

 private:
  const ManyJob& job_;
  std::uint32_t parts_;  // of the longest piece
  std::uint32_t step_;
  std::uint32_t turn_;
  bool is_there_;
};

// The counters of 32 blocks, eight a text, from the counters of their first ones.
template <class V, unsigned kWords>
__device__ __forceinline__ void count_blocks(const std::uint32_t (&low)[kTexts],
                                             const std::uint32_t (&high)[kTexts], bool wraps_at_32,
                                             V (&x)[kWords]) {
  constexpr std::uint32_t kNumber[3] = {0xaaaaaaaa, 0xcccccccc, 0xf0f0f0f0};  // of a block in eight
  std::uint32_t byte[2][4];
  transpose_bytes(low[0], low[1], low[2], low[3], byte[0]);
  transpose_bytes(high[0], high[1], high[2], high[3], byte[1]);
  std::uint32_t carry = 0;
#pragma unroll
  for (unsigned n = 0; n < 64; ++n) {
    if (n == 32 && wraps_at_32) carry = 0;
    const unsigned place = (56 - n / 8 * 8) + n % 8;  // the block is big-endian
    const std::uint32_t bit = top_bits_spread(byte[n / 32][n / 8 % 4] << (7 - n % 8));
    const std::uint32_t number = n < 3 ? kNumber[n] : 0;
    x[place / V::kBits].bit[place % V::kBits] = lop3<V::kSum>(bit, number, carry);
    carry = lop3<V::kMajority>(bit, number, carry);
  }
}

// XORs the keystream of a text on to it.
__device__ __forceinline__ void add_text(const ManyJob& job, const Text& text,
                                         const uint4 (&keystream)[4]) {
  const std::uint8_t* const in = job.in + text.offset;
  std::uint8_t* const out = job.out + text.offset;
  const bool aligned = is_aligned(in, 16) && is_aligned(out, 16);
#pragma unroll
  for (unsigned q = 0; q < 4; ++q) {
    if (aligned && 16 * q + 16 <= text.bytes) {
      reinterpret_cast<uint4*>(out)[q] = xor4(keystream[q], reinterpret_cast<const uint4*>(in)[q]);
    } else {
      add_part(keystream[q], in, out, 16 * q, text.bytes, false);
    }
  }
}

// How many lanes a job has.
inline std::uint64_t sliced_lanes(const ManyJob& job) {
  const std::uint64_t parts = (job.longest + kTextBytes - 1) / kTextBytes;
  return (job.pieces * parts + kTexts - 1) / kTexts;
}

template <class C>
__global__ void __launch_bounds__(kSlicedThreads)
    sliced_kernel(const __grid_constant__ ManyJob job) {
  extern __shared__ __align__(128) std::uint8_t shared[];
  using Keys = SlicedKeys<C>;
  using V = BitslicedWord<8 * sizeof(typename C::Word), Keys::kStaticBits,
                          KeyMask<8 * sizeof(typename C::Word)>>;
  static_assert(C::kWords * V::kBits == 64);
  const Texts texts(job, std::uint64_t{blockIdx.x} * kSlicedThreads + threadIdx.x);
  const LaneWords words(shared);
  const auto put = [&](unsigned i, std::uint32_t word) { words.put(i, word); };
  std::uint32_t low[kTexts];
  std::uint32_t high[kTexts];
  uint4 key[kTexts];
  std::uint32_t bytes = 0;
  texts.each([&](unsigned i, const Text& text) {
    bytes |= text.bytes;
    Counter counter = Counter::load<8>(job.blocks + std::uint64_t{text.message} * 8);
    counter.add<8>(text.first / 8 + job.first_block, job.wraps_at_32);
    low[i] = counter.word[3], high[i] = counter.word[2];
    if (job.row == nullptr) {
      const std::uint32_t of = job.index == nullptr ? text.message : job.index[text.message];
      key[i] = load_any(job.keys + std::uint64_t{of} * C::kKeyBytes);
    }
  });
  if (bytes == 0) return;
  if (job.row == nullptr) {
    Keys::expand(key, put);
  } else {
    Keys::from_row(job.row, put);
  }
  V x[C::kWords];
  count_blocks(low, high, job.wraps_at_32, x);
  BitslicedRounds<C>::encrypt(x, RoundKeysOf<C>{words});
  words.wipe(Keys::kWords);
  std::uint32_t half[2][32];
#pragma unroll
  for (unsigned n = 0; n < 64; ++n) half[n / 32][n % 32] = x[n / V::kBits].bit[n % V::kBits];
  transpose(half[0]);
  transpose(half[1]);
  texts.each([&](unsigned i, const Text& text) {
    uint4 keystream[4];
#pragma unroll
    for (unsigned q = 0; q < 4; ++q) {
      const unsigned b = 8 * i + 2 * q;
      keystream[q] = {half[0][b], half[1][b], half[0][b + 1], half[1][b + 1]};
    }
    add_text(job, text, keystream);
  });
}

}  // namespace gpuctr::many

#endif
