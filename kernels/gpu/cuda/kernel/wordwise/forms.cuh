// How a lane of a warp computes a cipher: the word type, the number of blocks at once, and the
// conversion of blocks to the 16-byte chunks that the lane stores.
//
// A lane makes chunks first, first + 32, first + 64, ... of its unit, so that the stores of a warp
// lie side by side. The blocks of a lane advance together, operation by operation (Group), and so
// hide each other's latency. Values that depend only on the constant part of the counter are
// computed once for all blocks, because the compiler sees the same expression.
#ifndef GPUCTR_KERNELS_GPU_CUDA_KERNEL_WORDWISE_FORMS_CUH
#define GPUCTR_KERNELS_GPU_CUDA_KERNEL_WORDWISE_FORMS_CUH

#include <cstdint>

#include "kernels/cipher/registry.h"
#include "kernels/gpu/cuda/kernel/wordwise/words.cuh"
#include "kernels/gpu/cuda/plan.h"

namespace gpuctr {

// Round keys in a form's layout: that of spread_keys, or the form's own kKeyWords words, which its
// lay_out_keys() writes.
template <class F, class = void>
struct KeysOf {
  static constexpr unsigned kWords =
      spread_words<typename F::Cipher::Word>(F::Cipher::kRoundKeyWords);
  static void lay_out(const RoundKeys& keys, std::uint32_t* out) {
    spread_keys<typename F::Cipher::Word>(keys, F::Cipher::kRoundKeyWords, out);
  }
};
template <class F>
struct KeysOf<F, std::void_t<decltype(F::kKeyWords)>> {
  static constexpr unsigned kWords = F::kKeyWords;
  static void lay_out(const RoundKeys& keys, std::uint32_t* out) { F::lay_out_keys(keys, out); }
};

// The form whose kernels for whole jobs serve F: F, or F::Rounds, which has the layout of F's round
// keys.
template <class F, class = void>
struct RoundsOfForm {
  using Type = F;
};
template <class F>
struct RoundsOfForm<F, std::void_t<typename F::Rounds>> {
  using Type = typename F::Rounds;
};
template <class F>
using RoundsOf = typename RoundsOfForm<F>::Type;

// The counter of a launch in a form's layout.
template <class F, std::size_t kBlock = BlockBytes<typename F::Cipher>::kValue>
using CounterOf = CounterWords<(kBlock > kMaxCudaBlockBytes ? kBlock : kMaxCudaBlockBytes)>;

template <class V, unsigned kCount>
struct Group {
  V v[kCount];

  __device__ __forceinline__ friend Group operator+(const Group& a, const Group& b) {
    Group c;
#pragma unroll
    for (unsigned i = 0; i < kCount; ++i) c.v[i] = a.v[i] + b.v[i];
    return c;
  }
  __device__ __forceinline__ friend Group operator-(const Group& a, const Group& b) {
    Group c;
#pragma unroll
    for (unsigned i = 0; i < kCount; ++i) c.v[i] = a.v[i] - b.v[i];
    return c;
  }
  __device__ __forceinline__ friend Group operator^(const Group& a, const Group& b) {
    Group c;
#pragma unroll
    for (unsigned i = 0; i < kCount; ++i) c.v[i] = a.v[i] ^ b.v[i];
    return c;
  }
  template <unsigned K>
  __device__ __forceinline__ Group rotl() const {
    Group c;
#pragma unroll
    for (unsigned i = 0; i < kCount; ++i) c.v[i] = v[i].template rotl<K>(i);
    return c;
  }
  template <unsigned A, unsigned B, unsigned C>
  __device__ __forceinline__ Group rot_xor() const {
    Group c;
#pragma unroll
    for (unsigned i = 0; i < kCount; ++i) c.v[i] = v[i].template rot_xor<A, B, C>();
    return c;
  }
  __device__ __forceinline__ static Group all(V one) {
    Group c;
#pragma unroll
    for (unsigned i = 0; i < kCount; ++i) c.v[i] = one;
    return c;
  }
  __device__ __forceinline__ static Group constant(unsigned c) { return all(V::constant(c)); }
};

// Round keys for Group words from the spread 32-bit words (spread_keys), in kernel parameters or
// device memory. Rounds in a loop take a fraction of the code and are a few percent slower: for
// kernels that are limited by other work, and for ciphers whose long jobs are bit-sliced.
template <class V, unsigned kCount, bool kLoop>
struct GroupKeys {
  static constexpr bool kLoops = kLoop;
  const std::uint32_t* words;
  __device__ __forceinline__ Group<V, kCount> operator()(unsigned i) const {
    return Group<V, kCount>::all(V::of(words[i]));
  }
};

// Encryption or decryption of a cipher.
template <class C, bool kEncrypt, class X, class K>
__device__ __forceinline__ void run_cipher(X& x, const K& keys) {
  if constexpr (kEncrypt) {
    C::encrypt(x, keys);
  } else {
    C::decrypt(x, keys);
  }
}

__device__ __forceinline__ std::uint32_t bytes_turned(std::uint32_t x) {
  return __byte_perm(x, 0, 0x0123);
}

// 128-bit blocks of 32-bit words: a block is a chunk, and only its last word varies in a run.
template <class C, class Word, unsigned kChunksALane = 4, bool kLoopInCtr = false>
struct Word32Form {
  using Cipher = C;
  using V = Word;
  static constexpr unsigned kChunks = kChunksALane;
  static constexpr unsigned kBlocksAChunk = 1;

  template <bool kLoop>
  __device__ __forceinline__ static void chunks(const std::uint32_t* keys,
                                                const CounterParts& counter, std::uint32_t first,
                                                uint4 (&out)[kChunks]) {
    Group<V, kChunks> x[4];
#pragma unroll
    for (unsigned j = 0; j < 3; ++j) x[j] = Group<V, kChunks>::all(V::of(counter.high[j]));
#pragma unroll
    for (unsigned q = 0; q < kChunks; ++q)
      x[3].v[q] = V::of(bytes_turned(counter.low + first + 32 * q));
    constexpr bool kLoops = kLoop || kLoopInCtr;
    C::encrypt(x, GroupKeys<V, kChunks, kLoops>{keys});
#pragma unroll
    for (unsigned q = 0; q < kChunks; ++q)
      out[q] = {x[0].v[q].v, x[1].v[q].v, x[2].v[q].v, x[3].v[q].v};
  }

  // The chunks of whole blocks.
  template <bool kEncrypt>
  __device__ __forceinline__ static void blocks(const std::uint32_t* keys,
                                                uint4 (&chunk)[kChunks]) {
    Group<V, kChunks> x[4];
#pragma unroll
    for (unsigned q = 0; q < kChunks; ++q) {
      x[0].v[q] = V::of(chunk[q].x);
      x[1].v[q] = V::of(chunk[q].y);
      x[2].v[q] = V::of(chunk[q].z);
      x[3].v[q] = V::of(chunk[q].w);
    }
    run_cipher<C, kEncrypt>(x, GroupKeys<V, kChunks, true>{keys});
#pragma unroll
    for (unsigned q = 0; q < kChunks; ++q)
      chunk[q] = {x[0].v[q].v, x[1].v[q].v, x[2].v[q].v, x[3].v[q].v};
  }
};

// 64-bit blocks of four 16-bit words: the two blocks of a chunk share their registers.
template <class C, unsigned kChunksALane = 4>
struct Word16Form {
  using Cipher = C;
  using V = PackedWord<std::uint16_t>;
  static constexpr unsigned kChunks = kChunksALane;
  static constexpr unsigned kBlocksAChunk = 2;

  template <bool>
  __device__ __forceinline__ static void chunks(const std::uint32_t* keys,
                                                const CounterParts& counter, std::uint32_t first,
                                                uint4 (&out)[kChunks]) {
    Group<V, kChunks> x[4];
    x[0] = Group<V, kChunks>::all({__byte_perm(counter.high[0], 0, 0x1010)});
    x[1] = Group<V, kChunks>::all({__byte_perm(counter.high[0], 0, 0x3232)});
#pragma unroll
    for (unsigned q = 0; q < kChunks; ++q) {
      const std::uint32_t low = counter.low + 2 * (first + 32 * q);
      x[2].v[q] = {__byte_perm(low, low + 1, 0x6723)};
      x[3].v[q] = {__byte_perm(low, low + 1, 0x4501)};
    }
    C::encrypt(x, GroupKeys<V, kChunks, true>{keys});
    join(x, out);
  }

  template <bool kEncrypt>
  __device__ __forceinline__ static void blocks(const std::uint32_t* keys,
                                                uint4 (&chunk)[kChunks]) {
    Group<V, kChunks> x[4];
#pragma unroll
    for (unsigned q = 0; q < kChunks; ++q) {
      x[0].v[q] = {__byte_perm(chunk[q].x, chunk[q].z, 0x5410)};
      x[1].v[q] = {__byte_perm(chunk[q].x, chunk[q].z, 0x7632)};
      x[2].v[q] = {__byte_perm(chunk[q].y, chunk[q].w, 0x5410)};
      x[3].v[q] = {__byte_perm(chunk[q].y, chunk[q].w, 0x7632)};
    }
    run_cipher<C, kEncrypt>(x, GroupKeys<V, kChunks, true>{keys});
    join(x, chunk);
  }

 private:
  __device__ __forceinline__ static void join(const Group<V, kChunks> (&x)[4],
                                              uint4 (&out)[kChunks]) {
#pragma unroll
    for (unsigned q = 0; q < kChunks; ++q) {
      const std::uint32_t a = x[0].v[q].v;
      const std::uint32_t b = x[1].v[q].v;
      const std::uint32_t c = x[2].v[q].v;
      const std::uint32_t d = x[3].v[q].v;
      out[q] = {__byte_perm(a, b, 0x5410), __byte_perm(c, d, 0x5410), __byte_perm(a, b, 0x7632),
                __byte_perm(c, d, 0x7632)};
    }
  }
};

// 64-bit blocks of eight bytes: the four blocks of two chunks share their registers.
template <class C, unsigned kChunksALane = 4>
struct Word8Form {
  using Cipher = C;
  using V = PackedWord<std::uint8_t>;
  static constexpr unsigned kChunks = kChunksALane;
  static constexpr unsigned kBlocksAChunk = 2;
  static constexpr unsigned kSets = kChunks / 2;

  template <bool>
  __device__ __forceinline__ static void chunks(const std::uint32_t* keys,
                                                const CounterParts& counter, std::uint32_t first,
                                                uint4 (&out)[kChunks]) {
    Group<V, kSets> x[8];
#pragma unroll
    for (unsigned j = 0; j < 4; ++j)
      x[j] = Group<V, kSets>::all({__byte_perm(counter.high[0], 0, 0x1111 * j)});
#pragma unroll
    for (unsigned s = 0; s < kSets; ++s) {
      const std::uint32_t low = counter.low + 2 * (first + 64 * s);
      std::uint32_t bytes[4];  // byte j of the number in four blocks
      transpose_bytes(low, low + 1, low + 64, low + 65, bytes);
#pragma unroll
      for (unsigned j = 0; j < 4; ++j) x[4 + j].v[s] = {bytes[3 - j]};
    }
    C::encrypt(x, GroupKeys<V, kSets, true>{keys});
    join(x, out);
  }

  template <bool kEncrypt>
  __device__ __forceinline__ static void blocks(const std::uint32_t* keys,
                                                uint4 (&chunk)[kChunks]) {
    Group<V, kSets> x[8];
#pragma unroll
    for (unsigned s = 0; s < kSets; ++s) {
      const uint4 a = chunk[2 * s];
      const uint4 b = chunk[2 * s + 1];
      std::uint32_t left[4];
      std::uint32_t right[4];
      transpose_bytes(a.x, a.z, b.x, b.z, left);
      transpose_bytes(a.y, a.w, b.y, b.w, right);
#pragma unroll
      for (unsigned j = 0; j < 4; ++j) {
        x[j].v[s] = {left[j]};
        x[4 + j].v[s] = {right[j]};
      }
    }
    run_cipher<C, kEncrypt>(x, GroupKeys<V, kSets, true>{keys});
    join(x, chunk);
  }

 private:
  __device__ __forceinline__ static void join(const Group<V, kSets> (&x)[8],
                                              uint4 (&out)[kChunks]) {
#pragma unroll
    for (unsigned s = 0; s < kSets; ++s) {
      std::uint32_t left[4];
      std::uint32_t right[4];
      transpose_bytes(x[0].v[s].v, x[1].v[s].v, x[2].v[s].v, x[3].v[s].v, left);
      transpose_bytes(x[4].v[s].v, x[5].v[s].v, x[6].v[s].v, x[7].v[s].v, right);
      out[2 * s] = {left[0], right[0], left[1], right[1]};
      out[2 * s + 1] = {left[2], right[2], left[3], right[3]};
    }
  }
};

}  // namespace gpuctr

#endif
