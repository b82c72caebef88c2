// The word types that the cipher definitions compute on in a CUDA thread (kernels/cipher/word.h).
#ifndef GPUCTR_KERNELS_BACKEND_CUDA_WORDS_CUH
#define GPUCTR_KERNELS_BACKEND_CUDA_WORDS_CUH

#include <cstdint>

#include "kernels/cipher/word.h"

namespace gpuctr {

// x * 2^k as 64 bits, 0 < k < 32: the two parts that a rotation by k to the left joins. IMAD.WIDE
// runs on the FMA pipe and leaves the ALU pipe to what only it can do.
__device__ __forceinline__ void shifted(std::uint32_t x, unsigned k, std::uint32_t* low,
                                        std::uint32_t* high) {
  // In PTX, or the compiler would turn the multiplication back into shifts.
  asm("{ .reg .u64 wide;\n\t"
      "mul.wide.u32 wide, %2, %3;\n\t"
      "mov.b64 {%0, %1}, wide; }"
      : "=r"(*low), "=r"(*high)
      : "r"(x), "r"(1u << k));
}

// One 32-bit word of one block as a ^ b, which are the word and 0 or, after a rotation by an amount
// whose bit kOnFma has, the parts from `shifted`: the LOP3 that XORs the round key joins them at no
// cost.
template <std::uint32_t kOnFma>
struct SplitWord {
  std::uint32_t a;
  std::uint32_t b;

  __device__ __forceinline__ static SplitWord of(std::uint32_t word) { return {word, 0}; }
  __device__ __forceinline__ std::uint32_t value() const { return a ^ b; }

  __device__ __forceinline__ friend SplitWord operator^(SplitWord x, SplitWord y) {
    return of(x.a ^ x.b ^ y.a ^ y.b);
  }
  __device__ __forceinline__ friend SplitWord operator+(SplitWord x, SplitWord y) {
    return of(x.value() + y.value());
  }
  template <unsigned K>
  __device__ __forceinline__ SplitWord rotl() const {
    if ((kOnFma >> K & 1) == 0) return of(__funnelshift_l(value(), value(), K));
    SplitWord r;
    shifted(value(), K, &r.a, &r.b);
    return r;
  }
  __device__ __forceinline__ static SplitWord constant(unsigned c) { return of(c); }
};

// One 32-bit word of one block, `s` rotated to the left by `turn`, a number the compiler knows once
// the rounds are unrolled. The rotation waits until its word meets an XOR, so that two in a row
// become one (CHAM).
template <std::uint32_t kOnFma>
struct TurningWord {
  std::uint32_t s;
  unsigned turn;

  __device__ __forceinline__ static TurningWord of(std::uint32_t word) { return {word, 0}; }
  __device__ __forceinline__ std::uint32_t xored(std::uint32_t other) const {
    if ((kOnFma >> turn & 1) == 0) return __funnelshift_l(s, s, turn) ^ other;
    std::uint32_t low;
    std::uint32_t high;
    shifted(s, turn, &low, &high);
    return low ^ high ^ other;
  }
  __device__ __forceinline__ std::uint32_t value() const { return xored(0); }

  // In CHAM b is a round key or a round number.
  __device__ __forceinline__ friend TurningWord operator^(TurningWord a, TurningWord b) {
    return of(a.xored(b.value()));
  }
  __device__ __forceinline__ friend TurningWord operator+(TurningWord a, TurningWord b) {
    return of(a.value() + b.value());
  }
  template <unsigned K>
  __device__ __forceinline__ TurningWord rotl() const {
    return {s, (turn + K) % 32};
  }
  __device__ __forceinline__ static TurningWord constant(unsigned c) { return of(c); }
};

// Several narrow words of neighbouring blocks in one 32-bit register: two of 16 bits or four of 8.
template <class T>
struct PackedWord {
  static constexpr unsigned kBits = 8 * sizeof(T);
  static constexpr std::uint32_t kOnes = 0xffffffffu / ((1u << kBits) - 1);  // 1 in every lane
  static constexpr std::uint32_t kTops = kOnes << (kBits - 1);
  std::uint32_t v;

  __device__ __forceinline__ static PackedWord of(std::uint32_t lanes) { return {lanes}; }

  // Without its top bit no lane carries into the next; the top bit is a XOR.
  __device__ __forceinline__ friend PackedWord operator+(PackedWord a, PackedWord b) {
    return {((a.v & ~kTops) + (b.v & ~kTops)) ^ ((a.v ^ b.v) & kTops)};
  }
  __device__ __forceinline__ friend PackedWord operator^(PackedWord a, PackedWord b) {
    return {a.v ^ b.v};
  }
  template <unsigned K>
  __device__ __forceinline__ PackedWord rotl() const {
    constexpr std::uint32_t kLow = kOnes * ((1u << K) - 1);  // where the wrapped bits land
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
