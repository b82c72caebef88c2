// Ciphers on little-endian words of 64 bits with blocks larger than a chunk of 16 bytes: a lane
// computes whole blocks, and exchange.cuh moves them to memory.
#ifndef GPUCTR_KERNELS_GPU_CUDA_KERNEL_WORDWISE_WIDE_CUH
#define GPUCTR_KERNELS_GPU_CUDA_KERNEL_WORDWISE_WIDE_CUH

#include <cstdint>

#include "kernels/gpu/cuda/kernel/wordwise/exchange.cuh"
#include "kernels/gpu/cuda/kernel/wordwise/forms.cuh"

namespace gpuctr {

// A word in two registers. An addition is an IADD3 on the ALU pipe, and an IMAD.X on the FMA pipe
// for the upper half. A rotation is two SHF on the ALU pipe. For the amounts in kAmounts (bit K: by
// K) a rotation is two DADD and two IMAD.
template <std::uint64_t kAmounts>
struct DoubleWord {
  std::uint64_t v;

  __device__ __forceinline__ static DoubleWord of(std::uint32_t low, std::uint32_t high) {
    return {std::uint64_t{high} << 32 | low};
  }
  __device__ __forceinline__ std::uint32_t low() const { return static_cast<std::uint32_t>(v); }
  __device__ __forceinline__ std::uint32_t high() const {
    return static_cast<std::uint32_t>(v >> 32);
  }
  __device__ __forceinline__ friend DoubleWord operator+(DoubleWord a, DoubleWord b) {
    return {a.v + b.v};
  }
  __device__ __forceinline__ friend DoubleWord operator-(DoubleWord a, DoubleWord b) {
    return {a.v - b.v};
  }
  __device__ __forceinline__ friend DoubleWord operator^(DoubleWord a, DoubleWord b) {
    return {a.v ^ b.v};
  }
  template <unsigned K>
  __device__ __forceinline__ DoubleWord rotl(unsigned = 0) const {
    static_assert(K > 0 && K < 64, "rotation inside the word");
    const std::uint32_t a = K < 32 ? high() : low();  // the halves, swapped if K is 32 or more
    const std::uint32_t b = K < 32 ? low() : high();
    constexpr unsigned kRest = K % 32;
    if constexpr (kRest == 0) {
      return of(b, a);
    } else if constexpr (kFullRateDouble && (kAmounts >> K & 1) != 0) {
      return of(funnel_by_double<kRest>(a, b), funnel_by_double<kRest>(b, a));
    } else {
      return of(__funnelshift_l(a, b, kRest), __funnelshift_l(b, a, kRest));
    }
  }
};

// A lane computes kBlocks blocks together. kLoop: rounds in a loop in counter mode too.
template <class C, std::uint64_t kAmounts, unsigned kBlocks, bool kLoopInCtr>
struct WideForm {
  using Cipher = C;
  using V = DoubleWord<kAmounts>;
  static constexpr unsigned kChunks = kBlocks * kChunksABlock<C>;
  static_assert(sizeof(typename C::Word) == 8 && !C::kFacts.big_endian, "little-endian, 64 bits");
  static_assert(kChunksABlock<C> > 1, "others have a form in forms.cuh");

  template <bool kLoop>
  struct Keys {
    static constexpr bool kLoops = kLoop;
    const std::uint32_t* words;
    __device__ __forceinline__ Group<V, kBlocks> operator()(unsigned i) const {
      return Group<V, kBlocks>::all(V::of(words[2 * i], words[2 * i + 1]));
    }
  };

  // Makes the keystream blocks with the numbers first, first + 32, ...
  template <bool kLoop, class Counter>
  __device__ __forceinline__ static void chunks(const std::uint32_t* keys, const Counter& counter,
                                                std::uint32_t first, uint4 (&out)[kChunks]) {
    Group<V, kBlocks> x[C::kWords];
#pragma unroll
    for (unsigned j = 0; j < C::kWords - 1; ++j) {
      x[j] = Group<V, kBlocks>::all(V::of(counter.high[2 * j], counter.high[2 * j + 1]));
    }
#pragma unroll
    for (unsigned b = 0; b < kBlocks; ++b) {
      x[C::kWords - 1].v[b] =
          V::of(counter.high[2 * C::kWords - 2], bytes_turned(counter.low + first + 32 * b));
    }
    C::encrypt(x, Keys < kLoop || kLoopInCtr > {keys});
    put(x, out);
  }

  template <bool kEncrypt>
  __device__ __forceinline__ static void blocks(const std::uint32_t* keys,
                                                uint4 (&chunk)[kChunks]) {
    Group<V, kBlocks> x[C::kWords];
#pragma unroll
    for (unsigned q = 0; q < kChunks; ++q) {
      const unsigned j = 2 * (q % kChunksABlock<C>);
      x[j].v[q / kChunksABlock<C>] = V::of(chunk[q].x, chunk[q].y);
      x[j + 1].v[q / kChunksABlock<C>] = V::of(chunk[q].z, chunk[q].w);
    }
    run_cipher<C, kEncrypt>(x, Keys<true>{keys});
    put(x, chunk);
  }

 private:
  __device__ __forceinline__ static void put(const Group<V, kBlocks> (&x)[C::kWords],
                                             uint4 (&out)[kChunks]) {
#pragma unroll
    for (unsigned q = 0; q < kChunks; ++q) {
      const unsigned j = 2 * (q % kChunksABlock<C>);
      const V a = x[j].v[q / kChunksABlock<C>];
      const V b = x[j + 1].v[q / kChunksABlock<C>];
      out[q] = {a.low(), a.high(), b.low(), b.high()};
    }
  }
};

}  // namespace gpuctr

#endif
