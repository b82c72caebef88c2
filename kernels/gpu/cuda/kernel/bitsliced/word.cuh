// A bit-sliced cipher word: one register holds bit b of the word in 32 blocks.
//
// Rotations rename registers. The remaining work uses two pipes. The ALU pipe does operations that
// are not linear in one register: two LOP3 a bit of an addition, one a bit of rot_xor. The FMA pipe
// does XORs with a mask m that is all zeros or all ones, the same in all blocks. With s = 1 for m =
// 0 and s = -1 for m = ~0, x ^ m = x * s + m modulo 2^32: one IMAD.
#ifndef GPUCTR_KERNELS_GPU_CUDA_KERNEL_BITSLICED_WORD_CUH
#define GPUCTR_KERNELS_GPU_CUDA_KERNEL_BITSLICED_WORD_CUH

#include <cstdint>
#include <cstring>

#include "kernels/cipher/logic.h"
#include "kernels/cipher/word.h"

namespace gpuctr {

// In assembly, because the compiler would share x ^ y between an adder's sum and its carry, and
// then need three LOP3 instead of two.
template <unsigned Lut>
__device__ __forceinline__ std::uint32_t lop3(std::uint32_t x, std::uint32_t y, std::uint32_t z) {
#ifdef __CUDA_ARCH__
  std::uint32_t r;
  asm("lop3.b32 %0, %1, %2, %3, %4;" : "=r"(r) : "r"(x), "r"(y), "r"(z), "n"(Lut));
  return r;
#else
  return logic3<Lut>(x, y, z);  // for a test on the CPU
#endif
}

// Copies bit `bit` of x to all bits: one shift on the FMA pipe and one on the ALU pipe.
__device__ __forceinline__ std::uint32_t spread(std::uint32_t x, unsigned bit) {
  return static_cast<std::uint32_t>(static_cast<std::int32_t>(x << (31 - bit)) >> 31);
}

// The bits of a round-key word as masks and signs, four a load. Signs come from shared memory.
// Masks come from shared memory, or from the kernel's parameters through uniform registers; an IMAD
// reads one uniform register.
template <bool MasksInShared>
struct BitslicedKey {
  const std::uint32_t* masks;  // parameters, bit 0 of the word
  std::uint32_t signs;         // shared-window address of bit 0's sign
  std::uint32_t distance;      // from a sign to its mask, in bytes

  __device__ __forceinline__ static void load(std::uint32_t (&v)[4], std::uint32_t address) {
#ifdef GPUCTR_TEST_ON_THE_CPU
    std::memcpy(v, test_shared_memory() + address, sizeof v);
#else
    // Volatile, so that the compiler does not keep a whole key schedule in registers across rounds.
    asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3])
                 : "r"(address));
#endif
  }
  __device__ __forceinline__ void load_signs(std::uint32_t (&v)[4], unsigned bit) const {
    load(v, signs + 4 * bit);
  }
  __device__ __forceinline__ void load_masks(std::uint32_t (&v)[4], unsigned bit) const {
    if constexpr (MasksInShared) {
      load(v, signs + distance + 4 * bit);
    } else {
#pragma unroll
      for (unsigned j = 0; j < 4; ++j) v[j] = masks[bit + j];
    }
  }
};

// A public constant, the same in all blocks.
struct BitslicedConstant {
  unsigned value;
};

// v ^ constant, before an addition: the LOP3s of the addition absorb the bits of the constant that
// the compiler knows.
template <class V>
struct FlippedWord {
  V v;
  unsigned known;  // the constant's bits that the compiler knows: the low StaticBits
  unsigned rest;   // its other bits, shifted down
};

// x - y, not yet computed: the LOP3s of the subtraction absorb those bits of a constant that is
// XORed with the difference.
template <class V, class Masked>
struct DifferenceWord {
  V x;
  Masked y;

  __device__ __forceinline__ operator V() const {
    return *this ^ BitslicedConstant { 0 };
  }
  __device__ __forceinline__ friend V operator^(const DifferenceWord& d, BitslicedConstant c) {
    return V::difference(d.x, d.y, V::flipped(d.x, c));
  }
};

// v ^ mask, not yet computed: a XOR with another word comes first, in one LOP3.
template <class V, class Key>
struct MaskedWord {
  V v;
  V mask;
  Key key;

  __device__ __forceinline__ operator V() const {
    V y;
#pragma unroll
    for (unsigned b = 0; b < V::kBits; b += 4) {
      std::uint32_t s[4];
      key.load_signs(s, b);
#pragma unroll
      for (unsigned j = 0; j < 4; ++j) y.bit[b + j] = v.bit[b + j] * s[j] + mask.bit[b + j];
    }
    return y;
  }
};

template <unsigned W, unsigned StaticBits, class Key>
struct BitslicedWord {
  static constexpr unsigned kBits = W;
  using Masked = MaskedWord<BitslicedWord, Key>;
  using Flipped = FlippedWord<BitslicedWord>;
  using Difference = DifferenceWord<BitslicedWord, Masked>;
  std::uint32_t bit[W];

  __device__ __forceinline__ static BitslicedConstant constant(unsigned c) { return {c}; }

  // By subtraction: compilers see that rounds with the same high bits have the same `rest`.
  __device__ __forceinline__ static Flipped flipped(const BitslicedWord& x, BitslicedConstant c) {
    const unsigned known = c.value % (1u << StaticBits);
    return {x, known, (c.value - known) >> StaticBits};
  }
  __device__ __forceinline__ friend Flipped operator^(const BitslicedWord& x, BitslicedConstant c) {
    return flipped(x, c);
  }

  __device__ __forceinline__ friend Masked operator^(const BitslicedWord& x, const Key& k) {
    return masked(x, k);
  }

  __device__ __forceinline__ friend Masked operator^(const BitslicedWord& x, const Masked& y) {
    Masked z = y;
#pragma unroll
    for (unsigned b = 0; b < W; ++b) z.v.bit[b] = x.bit[b] ^ y.v.bit[b];
    return z;
  }

  __device__ __forceinline__ friend BitslicedWord operator+(const Flipped& x, const Masked& y) {
    BitslicedWord z;
    std::uint32_t carry = 0;
#pragma unroll
    for (unsigned b = 0; b < W; b += 4) {  // finish four bits before the next four: saves registers
      std::uint32_t s[4];
      y.key.load_signs(s, b);
#pragma unroll
      for (unsigned j = b; j < b + 4; ++j) {
        const std::uint32_t q = y.v.bit[j] * s[j - b] + y.mask.bit[j];
        if (j < StaticBits && ((x.known >> j) & 1u) != 0) {  // known in an unrolled round
          const std::uint32_t out = lop3<kBorrow>(x.v.bit[j], q, carry);
          z.bit[j] = lop3<kSumFlipped>(x.v.bit[j], q, carry);
          carry = out;
        } else {
          const std::uint32_t p =
              j < StaticBits || j >= 7 ? x.v.bit[j] : flip(x.v.bit[j], x.rest, j);
          const std::uint32_t out = lop3<kMajority>(p, q, carry);
          z.bit[j] = lop3<kSum>(p, q, carry);
          carry = out;
        }
      }
    }
    return z;
  }
  __device__ __forceinline__ friend BitslicedWord operator+(const BitslicedWord& x,
                                                            const Masked& y) {
    return Flipped{x, 0, 0} + y;
  }

  __device__ __forceinline__ friend Masked operator+(const BitslicedWord& x, const Key& k) {
    Masked z = masked(x, k);
    std::uint32_t carry = 0;
#pragma unroll
    for (unsigned b = 0; b < W; ++b) {
      z.v.bit[b] = x.bit[b] ^ carry;
      carry = lop3<kMajority>(x.bit[b], z.mask.bit[b], carry);
    }
    return z;
  }

  __device__ __forceinline__ friend Difference operator-(const BitslicedWord& x, const Masked& y) {
    return {x, y};
  }
  // (x - y) ^ the constant of `flips`.
  __device__ __forceinline__ static BitslicedWord difference(const BitslicedWord& x,
                                                             const Masked& y,
                                                             const Flipped& flips) {
    BitslicedWord z;
    std::uint32_t borrow = 0;
#pragma unroll
    for (unsigned b = 0; b < W; b += 4) {
      std::uint32_t s[4];
      y.key.load_signs(s, b);
#pragma unroll
      for (unsigned j = b; j < b + 4; ++j) {
        const std::uint32_t q = y.v.bit[j] * s[j - b] + y.mask.bit[j];
        const std::uint32_t out = lop3<kBorrow>(x.bit[j], q, borrow);
        z.bit[j] = j < StaticBits && ((flips.known >> j) & 1u) != 0
                       ? lop3<kSumFlipped>(x.bit[j], q, borrow)
                       : lop3<kSum>(x.bit[j], q, borrow);
        if (j >= StaticBits && j < 7) z.bit[j] = flip(z.bit[j], flips.rest, j);
        borrow = out;
      }
    }
    return z;
  }

  __device__ __forceinline__ friend BitslicedWord operator-(const BitslicedWord& x, const Key& k) {
    const Masked y = masked(x, k);
    BitslicedWord z;
    std::uint32_t borrow = 0;
#pragma unroll
    for (unsigned b = 0; b < W; ++b) {
      z.bit[b] = lop3<kSum>(x.bit[b], y.mask.bit[b], borrow);
      borrow = lop3<kBorrow>(x.bit[b], y.mask.bit[b], borrow);
    }
    return z;
  }

  template <unsigned K>
  __device__ __forceinline__ BitslicedWord rotl() const {
    BitslicedWord y;
#pragma unroll
    for (unsigned b = 0; b < W; ++b) y.bit[(b + K) % W] = bit[b];
    return y;
  }

  template <unsigned A, unsigned B, unsigned C>
  __device__ __forceinline__ BitslicedWord rot_xor() const {
    BitslicedWord y;
#pragma unroll
    for (unsigned b = 0; b < W; ++b) {
      y.bit[b] = lop3<kSum>(bit[(b + W - A) % W], bit[(b + W - B) % W], bit[(b + W - C) % W]);
    }
    return y;
  }

 private:
  __device__ __forceinline__ static Masked masked(const BitslicedWord& x, const Key& k) {
    Masked z;
    z.v = x;
    z.key = k;
#pragma unroll
    for (unsigned b = 0; b < W; b += 4) {
      std::uint32_t m[4];
      k.load_masks(m, b);
#pragma unroll
      for (unsigned j = 0; j < 4; ++j) z.mask.bit[b + j] = m[j];
    }
    return z;
  }
  static constexpr unsigned kSum = 0x96;
  static constexpr unsigned kSumFlipped = 0x69;  // inverted
  static constexpr unsigned kMajority = 0xe8;
  static constexpr unsigned kBorrow = 0x8e;  // the majority, with its first input inverted

  // x ^ bit `b` of a constant, where the compiler does not know that bit.
  __device__ __forceinline__ static std::uint32_t flip(std::uint32_t x, unsigned rest, unsigned b) {
    const std::uint32_t mask = 0u - ((rest >> (b - StaticBits)) & 1u);
    return x * (mask | 1u) + mask;
  }
};

// The bits of `x` where `Mask` has ones and those of `y` elsewhere.
template <std::uint32_t Mask>
__device__ __forceinline__ std::uint32_t choose(std::uint32_t x, std::uint32_t y) {
  return lop3<0xe4>(x, y, Mask);
}

// One stage of a transposition by selection: `Mask` selects the bits whose place has bit `Step`
// clear. Both shifts are multiplications, for the FMA pipe: IMAD.SHL and, at half rate, IMAD.HI.
template <unsigned Step, std::uint32_t Mask>
__device__ __forceinline__ void exchange(std::uint32_t (&a)[32]) {
#pragma unroll
  for (unsigned i = 0; i < 16; ++i) {
    const unsigned r = i / Step * 2 * Step + i % Step;
    const std::uint32_t low = a[r], high = a[r + Step];
    a[r] = choose<Mask>(low, high << Step);
    a[r + Step] = choose<Mask>(__umulhi(low, 1u << (32 - Step)), high);
  }
}

// The same stage for whole bytes: the selectors say which bytes of (low, high) make the new pair.
template <unsigned Step, unsigned Low, unsigned High>
__device__ __forceinline__ void exchange_bytes(std::uint32_t (&a)[32]) {
#pragma unroll
  for (unsigned i = 0; i < 16; ++i) {
    const unsigned r = i / Step * 2 * Step + i % Step;
    const std::uint32_t low = a[r], high = a[r + Step];
    a[r] = __byte_perm(low, high, Low);
    a[r + Step] = __byte_perm(low, high, High);
  }
}

// The 32 x 32 bits of `a`, transposed: bit i of word j becomes bit j of word i.
__device__ __forceinline__ void transpose(std::uint32_t (&a)[32]) {
  exchange_bytes<16, 0x5410, 0x7632>(a);
  exchange_bytes<8, 0x6240, 0x7351>(a);
  exchange<4, 0x0f0f0f0f>(a);
  exchange<2, 0x33333333>(a);
  exchange<1, 0x55555555>(a);
}

}  // namespace gpuctr

#endif
