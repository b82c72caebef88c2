// A bit-sliced cipher word: one register holds bit b of the word in 31 blocks, and a one in bit 0.
//
// Rotations rename registers. The remaining work uses two pipes. The ALU pipe does operations that
// are not linear in one register: two LOP3 a bit of an addition, one a bit of rot_xor. The FMA pipe
// does XORs with a key bit, the same in all blocks: a product with the bit's sign, 1 or -1. That is
// what the one in bit 0 is for: -(2 x + 1) = 2 ~x + 1, so the sign changes all blocks and keeps the
// one. Each operation below keeps it: sums, because their first carry is a one in bit 0. A register
// for 32 blocks would need the mask beside the sign (x s + m), and loading both takes longer than
// the LOP3.
//
// Where each block has its own key (many/sliced.cuh), a register has 32 blocks and a key bit is a
// mask: its XOR is one LOP3 more.
#ifndef GPUCTR_KERNELS_GPU_CUDA_KERNEL_BITSLICED_WORD_CUH
#define GPUCTR_KERNELS_GPU_CUDA_KERNEL_BITSLICED_WORD_CUH

#include <cstdint>
#include <cstring>

#include "kernels/cipher/logic.h"
#include "kernels/cipher/word.h"

namespace gpuctr {

// How a cipher's rounds are unrolled: specialised in its folder's bitslice.cuh, with
//
//   encrypt(x, rk)       the rounds
//   decrypt(x, rk)       the inverse; a cipher that has only counter mode here needs none
//   kStaticBits          the compiler knows the bits of a round number below this
//   kLaneBlocks          blocks of a lane: 31, or 32 if the rounds do not need the one in bit 0
//   kSignsInShared       the kernel takes round keys as words, and copies their bits' signs to
//                        shared memory; otherwise it takes them as signs
//   kWarps, kBlocksAnSm  warps of a thread block, thread blocks on a multiprocessor
template <class C>
struct BitslicedRounds;

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

// Volatile, so that the compiler does not keep a whole key schedule in registers across rounds.
__device__ __forceinline__ void load_shared(std::uint32_t (&v)[4], std::uint32_t address) {
#ifdef GPUCTR_TEST_ON_THE_CPU
  std::memcpy(v, test_shared_memory() + address, sizeof v);
#else
  asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3])
               : "r"(address));
#endif
}

// A key's Bits: signs, which in bits 1 to 31 are masks too, or masks.
struct KeySigns {
  static constexpr std::uint32_t kOne = 1;  // what each register has beside its blocks
  __device__ __forceinline__ static std::uint32_t keyed(std::uint32_t v, std::uint32_t sign) {
    return v * sign;
  }
};
struct KeyMasks {
  static constexpr std::uint32_t kOne = 0;
  __device__ __forceinline__ static std::uint32_t keyed(std::uint32_t v, std::uint32_t mask) {
    return v ^ mask;
  }
};

// The signs of a round-key word's bits, four a load, in shared memory or in the kernel's
// parameters.
template <bool InShared>
struct BitslicedKey {
  using Bits = KeySigns;
  const std::uint32_t* parameters;  // bit 0's sign
  std::uint32_t shared;             // the same, as an address in the shared window

  __device__ __forceinline__ void load(std::uint32_t (&v)[4], unsigned bit) const {
    if constexpr (InShared) {
      load_shared(v, shared + 4 * bit);
    } else {
#pragma unroll
      for (unsigned j = 0; j < 4; ++j) v[j] = parameters[bit + j];
    }
  }
};

// A public constant, the same in all blocks.
struct BitslicedConstant {
  unsigned value;
};

// Calls f(bit, its sign) for the bits of a word of W bits, four at a time, which saves registers.
template <unsigned W, class Key, class F>
__device__ __forceinline__ void for_each_sign(const Key& key, const F& f) {
#pragma unroll
  for (unsigned b = 0; b < W; b += 4) {
    std::uint32_t sign[4];
    key.load(sign, b);
#pragma unroll
    for (unsigned j = 0; j < 4; ++j) f(b + j, sign[j]);
  }
}

// v ^ key, not yet computed: an addition computes its bits where it needs them.
template <class V, class Key>
struct MaskedWord {
  V v;
  Key key;

  __device__ __forceinline__ operator V() const {
    V y;
    for_each_sign<V::kBits>(
        key, [&](unsigned b, std::uint32_t sign) { y.bit[b] = Key::Bits::keyed(v.bit[b], sign); });
    return y;
  }
};

// v + key, not yet computed: a XOR with another word comes first, in one LOP3.
template <class V, class Key>
struct KeySumWord {
  V v;
  Key key;

  __device__ __forceinline__ operator V() const {
    V y;
    std::uint32_t carry = V::kFirstCarry;
    for_each_sign<V::kBits>(key, [&](unsigned b, std::uint32_t sign) {
      y.bit[b] = lop3<V::kSum>(v.bit[b], sign, carry);
      carry = lop3<V::kMajority>(v.bit[b], sign, carry);
    });
    return y;
  }
  __device__ __forceinline__ friend V operator^(const V& x, const KeySumWord& y) {
    V z;
    std::uint32_t carry = V::kFirstCarry;
    for_each_sign<V::kBits>(y.key, [&](unsigned b, std::uint32_t sign) {
      z.bit[b] = Key::Bits::keyed(lop3<V::kSum>(x.bit[b], y.v.bit[b], carry), sign);
      carry = lop3<V::kMajority>(y.v.bit[b], sign, carry);
    });
    return z;
  }
};

template <unsigned W, unsigned StaticBits, class Key>
struct BitslicedWord {
  static constexpr unsigned kBits = W;
  static constexpr std::uint32_t kFirstCarry = Key::Bits::kOne;
  static constexpr unsigned kSum = 0x96;
  static constexpr unsigned kMajority = 0xe8;
  static constexpr unsigned kBorrow = 0x8e;  // the majority, with its first input inverted
  using Masked = MaskedWord<BitslicedWord, Key>;
  using KeySum = KeySumWord<BitslicedWord, Key>;
  std::uint32_t bit[W];

  __device__ __forceinline__ static BitslicedConstant constant(unsigned c) { return {c}; }

  // The compiler knows the low StaticBits bits of the constant. By subtraction: it sees that rounds
  // with the same high bits have the same `rest`.
  __device__ __forceinline__ friend BitslicedWord operator^(const BitslicedWord& x,
                                                            BitslicedConstant c) {
    const unsigned known = c.value % (1u << StaticBits);
    const unsigned rest = (c.value - known) >> StaticBits;
    BitslicedWord y = x;
#pragma unroll
    for (unsigned b = 0; b < 7; ++b) {
      if (b >= StaticBits) {
        const unsigned mask = 0u - ((rest >> (b - StaticBits)) & 1u);
        y.bit[b] = Key::Bits::keyed(y.bit[b], mask | Key::Bits::kOne);
      } else if (((known >> b) & 1u) != 0) {
        y.bit[b] = Key::Bits::keyed(y.bit[b], ~0u);
      }
    }
    return y;
  }

  __device__ __forceinline__ friend Masked operator^(const BitslicedWord& x, const Key& k) {
    return {x, k};
  }

  __device__ __forceinline__ friend BitslicedWord operator+(const BitslicedWord& x,
                                                            const Masked& y) {
    return chain<kMajority>(x, y);
  }
  __device__ __forceinline__ friend BitslicedWord operator-(const BitslicedWord& x,
                                                            const Masked& y) {
    return chain<kBorrow>(x, y);
  }
  __device__ __forceinline__ friend BitslicedWord operator-(const BitslicedWord& x, const Key& k) {
    BitslicedWord z;
    std::uint32_t borrow = kFirstCarry;
    for_each_sign<W>(k, [&](unsigned b, std::uint32_t sign) {
      z.bit[b] = lop3<kSum>(x.bit[b], sign, borrow);
      borrow = lop3<kBorrow>(x.bit[b], sign, borrow);
    });
    return z;
  }

  __device__ __forceinline__ friend KeySum operator+(const BitslicedWord& x, const Key& k) {
    return {x, k};
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
  // A sum or a difference, by what makes a bit's carry.
  template <unsigned Carry>
  __device__ __forceinline__ static BitslicedWord chain(const BitslicedWord& x, const Masked& y) {
    BitslicedWord z;
    std::uint32_t carry = kFirstCarry;
    for_each_sign<W>(y.key, [&](unsigned b, std::uint32_t sign) {
      const std::uint32_t q = Key::Bits::keyed(y.v.bit[b], sign);
      z.bit[b] = lop3<kSum>(x.bit[b], q, carry);
      carry = lop3<Carry>(x.bit[b], q, carry);
    });
    return z;
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
