// IDEA on a device: a word is in the upper half of a register, where a shift by 16 extracts it. The
// bits below the word have no meaning.
#ifndef GPUCTR_KERNELS_CIPHER_IDEA_FORM_CUH
#define GPUCTR_KERNELS_CIPHER_IDEA_FORM_CUH

#include <cstdint>

#include "kernels/cipher/idea/idea.h"
#include "kernels/gpu/cuda/kernel/wordwise/words.cuh"
#include "kernels/gpu/cuda/plan.h"

namespace gpuctr {

// a b + c on the FMA pipe. In PTX, because the compiler would add c elsewhere, or take b apart.
__device__ __forceinline__ std::uint32_t multiply_add(std::uint32_t a, std::uint32_t b,
                                                      std::uint32_t c) {
#ifdef __CUDA_ARCH__
  std::uint32_t sum;
  asm("mad.lo.u32 %0, %1, %2, %3;" : "=r"(sum) : "r"(a), "r"(b), "r"(c));
  return sum;
#else
  return a * b + c;
#endif
}

// A round key in IdeaForm's layout: for a product 1 .. 2^16, for a sum in the upper half. `one` is
// 1, which the compiler does not know: an addition of a constant is done on the FMA pipe as a
// product with `one`.
struct IdeaKey {
  std::uint32_t v;
  std::uint32_t one;
};

// A word of kCount blocks.
template <unsigned kCount>
struct IdeaWord {
  std::uint32_t v[kCount];

  __device__ __forceinline__ friend IdeaWord operator^(const IdeaWord& a, const IdeaWord& b) {
    IdeaWord c;
#pragma unroll
    for (unsigned i = 0; i < kCount; ++i) c.v[i] = a.v[i] ^ b.v[i];
    return c;
  }
  __device__ __forceinline__ friend IdeaWord operator+(const IdeaWord& a, IdeaKey k) {
    IdeaWord c;
#pragma unroll
    for (unsigned i = 0; i < kCount; ++i) c.v[i] = a.v[i] + k.v;
    return c;
  }
  // A lower half of zeros produces no carry.
  __device__ __forceinline__ friend IdeaWord operator+(const IdeaWord& a, const IdeaWord& b) {
    IdeaWord c;
#pragma unroll
    for (unsigned i = 0; i < kCount; ++i) c.v[i] = upper_half(a.v[i]) + b.v[i];
    return c;
  }

  // The product modulo 2^16 + 1, where 0 stands for 2^16: the same five instructions for every key.
  // x from 1 .. 2^16 times k, minus 1, is p = 2^16 h + l. 2^16 is -1, so the product is l - h + 1,
  // plus 1 if l < h (l + 1 = h is impossible: a product is not 0). p with its halves exchanged,
  // minus p, has l - h in its upper half, minus 1 if h < l. Adding 0x1ffff adds 1 there, and a
  // carry if h is not l: the product.
  __device__ __forceinline__ IdeaWord product(IdeaKey k) const {
    IdeaWord c;
#pragma unroll
    for (unsigned i = 0; i < kCount; ++i) {
      const std::uint32_t x = (multiply_add(v[i], k.one, 0xffff0000) >> 16) + 1;
      const std::uint32_t p = x * k.v - 1;
      c.v[i] = multiply_add(p, 0xffff, 0x1ffff) + (p >> 16);
    }
    return c;
  }

 private:
  // In PTX, because the compiler would move later additions before it, and compute it twice.
  __device__ __forceinline__ static std::uint32_t upper_half(std::uint32_t x) {
#ifdef __CUDA_ARCH__
    std::uint32_t half;
    asm("and.b32 %0, %1, 0xffff0000;" : "=r"(half) : "r"(x));
    return half;
#else
    return x & 0xffff0000;
#endif
  }
};

// The two blocks of each chunk; all blocks of a lane side by side.
template <unsigned kChunksALane>
struct IdeaForm {
  using Cipher = Idea;
  static constexpr unsigned kChunks = kChunksALane;
  using Word = IdeaWord<2 * kChunks>;
  static constexpr unsigned kKeyWords = Idea::kRoundKeyWords + 1;

  static void lay_out_keys(const RoundKeys& keys, std::uint32_t* out) {
    for (unsigned i = 0; i < Idea::kRoundKeyWords; ++i) {
      const std::uint32_t key = keys.words<std::uint16_t>()[i];
      const unsigned of_round = i % Idea::kSubkeys % 6;
      const bool is_sum = of_round == 1 || of_round == 2;
      const std::uint32_t is_zero = (key - 1) >> 31;
      out[i] = is_sum ? key << 16 : key + (is_zero << 16);
    }
    out[Idea::kRoundKeyWords] = 1;
  }

  template <bool kLoop>
  struct Keys {
    static constexpr bool kLoops = kLoop;
    const std::uint32_t* words;
    __device__ __forceinline__ IdeaKey operator()(unsigned i) const {
      return {words[i], words[Idea::kRoundKeyWords]};
    }
  };

  template <bool kLoop>
  __device__ __forceinline__ static void chunks(const std::uint32_t* keys,
                                                const CounterParts& counter, std::uint32_t first,
                                                uint4 (&out)[kChunks]) {
    Word x[4];
    const std::uint32_t high = __byte_perm(counter.high[0], 0, 0x0123);
#pragma unroll
    for (unsigned b = 0; b < 2 * kChunks; ++b) {
      const std::uint32_t number = counter.low + 2 * (first + 32 * (b / 2)) + b % 2;
      x[0].v[b] = high;
      x[1].v[b] = high << 16;
      x[2].v[b] = number;
      x[3].v[b] = number << 16;
    }
    Idea::encrypt(x, Keys<kLoop>{keys});
    join(x, out);
  }

  template <bool kEncrypt>
  __device__ __forceinline__ static void blocks(const std::uint32_t* keys,
                                                uint4 (&chunk)[kChunks]) {
    Word x[4];
#pragma unroll
    for (unsigned q = 0; q < kChunks; ++q) {
      split(chunk[q].x, chunk[q].y, 2 * q, x);
      split(chunk[q].z, chunk[q].w, 2 * q + 1, x);
    }
    if constexpr (kEncrypt) {
      Idea::encrypt(x, Keys<true>{keys});
    } else {
      Idea::decrypt(x, Keys<true>{keys});
    }
    join(x, chunk);
  }

 private:
  __device__ __forceinline__ static void split(std::uint32_t left, std::uint32_t right, unsigned b,
                                               Word (&x)[4]) {
    x[0].v[b] = __byte_perm(left, 0, 0x0123);
    x[1].v[b] = __byte_perm(left, 0, 0x2301);
    x[2].v[b] = __byte_perm(right, 0, 0x0123);
    x[3].v[b] = __byte_perm(right, 0, 0x2301);
  }
  __device__ __forceinline__ static void join(const Word (&x)[4], uint4 (&out)[kChunks]) {
#pragma unroll
    for (unsigned q = 0; q < kChunks; ++q) {
      const unsigned a = 2 * q;
      out[q] = {__byte_perm(x[0].v[a], x[1].v[a], 0x6723),
                __byte_perm(x[2].v[a], x[3].v[a], 0x6723),
                __byte_perm(x[0].v[a + 1], x[1].v[a + 1], 0x6723),
                __byte_perm(x[2].v[a + 1], x[3].v[a + 1], 0x6723)};
    }
  }
};

}  // namespace gpuctr

#endif
