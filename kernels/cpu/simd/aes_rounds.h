// AES rounds (FIPS 197 5.1, 5.3.5), ECB and CBC decryption on vectors of blocks, by the CPU's AES
// instructions: one AESENC or AESDEC for each round and vector.
#ifndef GPUCTR_KERNELS_CPU_SIMD_AES_ROUNDS_H
#define GPUCTR_KERNELS_CPU_SIMD_AES_ROUNDS_H

#include <utility>

#include "kernels/cipher/word.h"
#include "kernels/cpu/simd/word.h"

namespace gpuctr::simd {

// Round keys that are stored in the order of use.
struct AesKeys {
  static constexpr bool kEncrypt = true;
  const std::uint8_t* bytes;
  unsigned rounds;

  template <class A>
  GPUCTR_INLINE typename A::V end(unsigned round) const {
    return A::key(load<typename A::Narrow::V>(bytes + 16 * round));
  }
  template <class A>
  GPUCTR_INLINE typename A::V inner(unsigned round) const {
    return end<A>(round);
  }
};

// Round keys of decryption (FIPS 197 5.3.5), computed from the round keys of encryption on use.
struct AesInverseKeys {
  static constexpr bool kEncrypt = false;
  const std::uint8_t* bytes;
  unsigned rounds;

  template <class Narrow>
  GPUCTR_INLINE typename Narrow::V stored(unsigned round) const {
    return load<typename Narrow::V>(bytes + 16 * (rounds - round));
  }
  template <class A>
  GPUCTR_INLINE typename A::V end(unsigned round) const {
    return A::key(stored<typename A::Narrow>(round));
  }
  template <class A>
  GPUCTR_INLINE typename A::V inner(unsigned round) const {
    return A::key(A::Narrow::unmix(stored<typename A::Narrow>(round)));
  }
};

// Round keys of decryption, computed once for many blocks.
struct AesPreparedKeys : AesKeys {
  static constexpr bool kEncrypt = false;
};

// Rounds First to Last - 1, without the cipher's last round, on G vectors of blocks.
template <class A, unsigned First, unsigned Last, unsigned G, class Keys>
GPUCTR_INLINE void aes_inner_rounds(const Keys& keys, typename A::V (&x)[G]) {
  GPUCTR_UNROLL
  for (unsigned round = First; round < Last; ++round) {
    const typename A::V key = keys.template inner<A>(round);
    GPUCTR_UNROLL
    for (unsigned g = 0; g < G; ++g) {
      x[g] = Keys::kEncrypt ? A::encrypt(x[g], key) : A::decrypt(x[g], key);
    }
  }
}

// All rounds except the last, of 10, 12 or 14 rounds, on blocks XORed with the first round key. Not
// a loop: in a loop GCC 12 keeps a second copy of x and spills it.
template <class A, unsigned G, class Keys>
GPUCTR_INLINE void aes_rounds_but_last(const Keys& keys, typename A::V (&x)[G]) {
  aes_inner_rounds<A, 1, 10>(keys, x);
  if (keys.rounds > 10) aes_inner_rounds<A, 10, 12>(keys, x);
  if (keys.rounds > 12) aes_inner_rounds<A, 12, 14>(keys, x);
}
template <class A, unsigned G, class Keys>
GPUCTR_INLINE void aes_rounds(const Keys& keys, typename A::V (&x)[G]) {
  aes_rounds_but_last<A, G>(keys, x);
  const typename A::V last = keys.template end<A>(keys.rounds);
  GPUCTR_UNROLL
  for (unsigned g = 0; g < G; ++g) {
    x[g] = Keys::kEncrypt ? A::encrypt_last(x[g], last) : A::decrypt_last(x[g], last);
  }
}

// The input and output of a call.
struct AesData {
  const std::uint8_t* in;  // nullptr: keystream only
  std::uint8_t* out;
  std::size_t n;

  GPUCTR_INLINE void step(std::size_t bytes) {
    if (in != nullptr) in += bytes;
    out += bytes;
    n -= bytes;
  }
};

// ECB of G vectors of blocks at a time while the data fill G vectors.
template <class A, unsigned G, class Keys>
GPUCTR_INLINE void aes_blocks(const Keys& keys, AesData& data) {
  using V = typename A::V;
  constexpr unsigned kBytes = G * A::kBytes;
  while (data.n >= kBytes) {
    V x[G];
    GPUCTR_UNROLL
    for (unsigned g = 0; g < G; ++g) {
      x[g] = load<V>(data.in + g * A::kBytes) ^ keys.template end<A>(0);
    }
    aes_rounds<A, G>(keys, x);
    GPUCTR_UNROLL
    for (unsigned g = 0; g < G; ++g) store(data.out + g * A::kBytes, x[g]);
    data.step(kBytes);
  }
  if constexpr (G > 1) aes_blocks<A, G / 2>(keys, data);
}

// ECB of the last blocks, fewer than a vector's.
template <class A, class Keys>
GPUCTR_INLINE void aes_last_blocks(const Keys& keys, AesData data) {
  using Narrow = typename A::Narrow;
  if (A::kBytes == 32 || data.n == 16) return aes_blocks<Narrow, 1>(keys, data);
  if constexpr (A::kBytes == 64) {
    if (data.n == 0) return;
    typename A::V x[1] = {A::load_some(data.in, data.n) ^ keys.template end<A>(0)};
    aes_rounds<A, 1>(keys, x);
    A::store_some(data.out, data.n, x[0]);
  }
}

// The blocks of `now`, each moved to the place of the next block, with the last of `before` first.
template <class A, std::size_t... I>
GPUCTR_INLINE typename A::V blocks_before(typename A::V before, typename A::V now,
                                          std::index_sequence<I...>) {
  using U = Vec<std::uint64_t, A::kBytes>;
  return as<typename A::V>(
      __builtin_shufflevector(as<U>(before), as<U>(now), (sizeof...(I) - 2 + I)...));
}

// The text of G vectors of blocks, and the blocks before each. Vectors of 64 bytes, of which there
// are 32, stay in registers: loads of the blocks before would cross cache lines. Others are loaded
// again.
template <class A, unsigned G>
struct AesChainText {
  using V = typename A::V;
  static constexpr bool kStays = A::kBytes == 64;
  using Places = std::make_index_sequence<A::kBytes / 8>;
  const std::uint8_t* in;
  typename A::Narrow::V before;
  V loaded[kStays ? G : 1];

  GPUCTR_INLINE AesChainText(const std::uint8_t* text, typename A::Narrow::V chain)
      : in(text), before(chain) {
    GPUCTR_UNROLL
    for (unsigned g = 0; g < (kStays ? G : 1); ++g) loaded[g] = load<V>(in + g * A::kBytes);
  }
  GPUCTR_INLINE V same(unsigned g) const {
    return kStays || g == 0 ? loaded[g] : load<V>(in + g * A::kBytes);
  }
  GPUCTR_INLINE V preceding(unsigned g) const {
    if (g == 0) return blocks_before<A>(A::key(before), loaded[0], Places{});
    if constexpr (kStays) {
      return blocks_before<A>(loaded[g - 1], loaded[g], Places{});
    } else {
      return load<V>(in + g * A::kBytes - 16);
    }
  }
};

// CBC decryption, or with the keys of encryption CFB decryption, of G vectors of blocks at a time
// while the data fill G vectors; `before` is the ciphertext block before them. The text that a
// block is XORed with is XORed with the last round key, outside the chain of rounds. The last
// vector is written first, because `out` may equal `in`.
template <class A, unsigned G, class Keys>
GPUCTR_INLINE void aes_chain_decrypt(const Keys& keys, typename A::Narrow::V& before,
                                     AesData& data) {
  using V = typename A::V;
  constexpr unsigned kBytes = G * A::kBytes;
  while (data.n >= kBytes) {
    const AesChainText<A, G> text(data.in, before);
    V x[G];
    GPUCTR_UNROLL
    for (unsigned g = 0; g < G; ++g) {
      x[g] = (Keys::kEncrypt ? text.preceding(g) : text.same(g)) ^ keys.template end<A>(0);
    }
    aes_rounds_but_last<A, G>(keys, x);
    const V last = keys.template end<A>(keys.rounds);
    const auto next = load<typename A::Narrow::V>(data.in + kBytes - 16);
    GPUCTR_UNROLL
    for (unsigned i = 0; i < G; ++i) {
      const unsigned g = G - 1 - i;
      const V key = last ^ (Keys::kEncrypt ? text.same(g) : text.preceding(g));
      store(data.out + g * A::kBytes,
            Keys::kEncrypt ? A::encrypt_last(x[g], key) : A::decrypt_last(x[g], key));
    }
    before = next;
    data.step(kBytes);
  }
  if constexpr (G > 1) aes_chain_decrypt<A, G / 2>(keys, before, data);
}

// The last blocks, fewer than a vector's.
template <class A, class Keys>
GPUCTR_INLINE void aes_chain_decrypt_last(const Keys& keys, typename A::Narrow::V& before,
                                          AesData& data) {
  using Narrow = typename A::Narrow;
  if (A::kBytes == 32 || data.n == 16) return aes_chain_decrypt<Narrow, 1>(keys, before, data);
  if constexpr (A::kBytes == 64) {
    if (data.n == 0) return;
    using Places = std::make_index_sequence<A::kBytes / 8>;
    const auto text = A::load_some(data.in, data.n);
    const auto preceding = blocks_before<A>(A::key(before), text, Places{});
    typename A::V x[1] = {(Keys::kEncrypt ? preceding : text) ^ keys.template end<A>(0)};
    aes_rounds_but_last<A, 1>(keys, x);
    before = load<typename Narrow::V>(data.in + data.n - 16);
    const auto key = keys.template end<A>(keys.rounds) ^ (Keys::kEncrypt ? text : preceding);
    A::store_some(data.out, data.n,
                  Keys::kEncrypt ? A::encrypt_last(x[0], key) : A::decrypt_last(x[0], key));
  }
}

}  // namespace gpuctr::simd

#endif
