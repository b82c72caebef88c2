// The word types of the cipher definitions in a CUDA thread (kernels/cipher/word.h).
#ifndef GPUCTR_KERNELS_GPU_CUDA_KERNEL_WORDWISE_WORDS_CUH
#define GPUCTR_KERNELS_GPU_CUDA_KERNEL_WORDWISE_WORDS_CUH

#include <cstdint>

#include "kernels/cipher/word.h"

namespace gpuctr {

// The upper word of (high, low) << K, exact and without the ALU pipe: 2^52 + x is a double whose
// low word is x. Let k = 32 - K. Adding 2^(52 + k) - 2^52, rounded toward zero, leaves low >> k in
// the low word (the FP64 pipe). high * 2^K plus that word is the result (the FMA pipe).
template <unsigned K>
__device__ __forceinline__ std::uint32_t funnel_by_double(std::uint32_t low, std::uint32_t high) {
  constexpr long long kPower = static_cast<long long>(1023 + 52 + 32 - K) << 52;
  const double addend = __longlong_as_double(kPower) - 4503599627370496.0;
  std::uint32_t shifted;
  asm("{ .reg .f64 d;\n\t"
      ".reg .b32 high;\n\t"
      "mov.b64 d, {%1, 0x43300000};\n\t"
      "add.rz.f64 d, d, %2;\n\t"
      "mov.b64 {%0, high}, d; }"
      : "=r"(shifted)
      : "r"(low), "d"(addend));
  std::uint32_t turned;
  // In PTX, because the compiler would turn the multiplication into a shift, which is an ALU
  // operation.
  asm("mad.lo.u32 %0, %1, %2, %3;" : "=r"(turned) : "r"(high), "r"(1u << K), "r"(shifted));
  return turned;
}
template <unsigned K>
__device__ __forceinline__ std::uint32_t rotl_by_double(std::uint32_t x) {
  return funnel_by_double<K>(x, x);
}

// Whether the device has as many FP64 lanes as ALU lanes. Other devices have only a few.
#if defined(__CUDA_ARCH__) && \
    (__CUDA_ARCH__ == 800 || __CUDA_ARCH__ == 900 || __CUDA_ARCH__ == 1000)
constexpr bool kFullRateDouble = true;
#else
constexpr bool kFullRateDouble = false;
#endif

// One 32-bit word of one block. A lane computes several blocks together. The first kBlocks of them
// rotate by the amounts in kAmounts (bit K: by K) on the FP64 pipe, which leaves the ALU pipe to
// the others.
template <std::uint32_t kAmounts, unsigned kBlocks>
struct MixedWord {
  std::uint32_t v;

  __device__ __forceinline__ static MixedWord of(std::uint32_t word) { return {word}; }
  __device__ __forceinline__ friend MixedWord operator^(MixedWord a, MixedWord b) {
    return {a.v ^ b.v};
  }
  __device__ __forceinline__ friend MixedWord operator+(MixedWord a, MixedWord b) {
    return {a.v + b.v};
  }
  __device__ __forceinline__ friend MixedWord operator-(MixedWord a, MixedWord b) {
    return {a.v - b.v};
  }
  template <unsigned K>
  __device__ __forceinline__ MixedWord rotl(unsigned block) const {
    if (kFullRateDouble && (kAmounts >> K & 1) != 0 && block < kBlocks) {
      return {rotl_by_double<K>(v)};
    }
    return {__funnelshift_l(v, v, K)};
  }
  __device__ __forceinline__ static MixedWord constant(unsigned c) { return {c}; }
};

// The bytes of four words, transposed: byte i of word j becomes byte j of word i.
__device__ __forceinline__ void transpose_bytes(std::uint32_t a, std::uint32_t b, std::uint32_t c,
                                                std::uint32_t d, std::uint32_t (&out)[4]) {
  const std::uint32_t ab01 = __byte_perm(a, b, 0x5140);
  const std::uint32_t cd01 = __byte_perm(c, d, 0x5140);
  const std::uint32_t ab23 = __byte_perm(a, b, 0x7362);
  const std::uint32_t cd23 = __byte_perm(c, d, 0x7362);
  out[0] = __byte_perm(ab01, cd01, 0x5410);
  out[1] = __byte_perm(ab01, cd01, 0x7632);
  out[2] = __byte_perm(ab23, cd23, 0x5410);
  out[3] = __byte_perm(ab23, cd23, 0x7632);
}

// Several narrow words of neighbouring blocks in one 32-bit register: two of 16 bits or four of 8.
template <class T>
struct PackedWord {
  static constexpr unsigned kBits = 8 * sizeof(T);
  static constexpr std::uint32_t kOnes = 0xffffffffu / ((1u << kBits) - 1);  // 1 in each word
  static constexpr std::uint32_t kTops = kOnes << (kBits - 1);
  std::uint32_t v;

  __device__ __forceinline__ static PackedWord of(std::uint32_t lanes) { return {lanes}; }

  // Without its top bit a packed word does not carry into the next; the top bit is a XOR.
  __device__ __forceinline__ friend PackedWord operator+(PackedWord a, PackedWord b) {
    return {((a.v & ~kTops) + (b.v & ~kTops)) ^ ((a.v ^ b.v) & kTops)};
  }
  // With its top bit set a packed word does not borrow from the next.
  __device__ __forceinline__ friend PackedWord operator-(PackedWord a, PackedWord b) {
    return {((a.v | kTops) - (b.v & ~kTops)) ^ (~(a.v ^ b.v) & kTops)};
  }
  __device__ __forceinline__ friend PackedWord operator^(PackedWord a, PackedWord b) {
    return {a.v ^ b.v};
  }
  template <unsigned K>
  __device__ __forceinline__ PackedWord rotl(unsigned = 0) const {
    constexpr std::uint32_t kLow = kOnes * ((1u << K) - 1);  // positions of the wrapped bits
    if (kBits == 16 && K == 8) return {__byte_perm(v, 0, 0x2301)};
    return {(v << K & ~kLow) | (v >> (kBits - K) & kLow)};
  }
  template <unsigned A, unsigned B, unsigned C>
  __device__ __forceinline__ PackedWord rot_xor() const {
    return rotl<A>() ^ rotl<B>() ^ rotl<C>();
  }
  __device__ __forceinline__ static PackedWord constant(unsigned c) { return {c * kOnes}; }
};

}  // namespace gpuctr

#endif
