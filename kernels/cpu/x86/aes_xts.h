// XTS by AES instructions and carry-less multiplication, for AES on a backend M. A file of its own
// for each backend (kernels/cmake/Backends.cmake).
#ifndef GPUCTR_KERNELS_CPU_X86_AES_XTS_H
#define GPUCTR_KERNELS_CPU_X86_AES_XTS_H

#include "kernels/base/frames.h"
#include "kernels/cipher/box.h"
#include "kernels/cpu/base/xts_ops.h"
#include "kernels/cpu/simd/aes.h"
#include "kernels/cpu/simd/xts_masks.h"

namespace gpuctr::simd {

// The product of a byte with 0x87, in two bytes.
inline constexpr std::uint64_t kXtsLowProduct =
    matrix_of([](unsigned x) { return (x ^ x << 1 ^ x << 2 ^ x << 7) & 0xff; });
inline constexpr std::uint64_t kXtsHighProduct =
    matrix_of([](unsigned x) { return (x >> 7 ^ x >> 6 ^ x >> 1) & 0xff; });

// XTS's whole blocks. AESENCLAST adds the mask with the last round key. Up to kFew bytes each mask
// is made from the one before, and stays in its register. Then the masks of a batch are in
// registers where there are 32, else in memory; each is used, then multiplied for the next batch
// while the CPU makes the rounds of the present one.
template <class M, class C>
struct AesXts {
  using OnCore = Aes<M, C>;
  using A = typename OnCore::A;
  using Narrow = typename OnCore::Narrow;
  using NarrowV = typename Narrow::V;
  static constexpr unsigned kVectors = 8;
  static constexpr unsigned kBatch = kVectors * A::kBytes;
  static constexpr bool kInRegisters = A::kBytes == 64;  // the masks of a batch: there are 32
  static constexpr std::size_t kFew = 64;
  // From so many bytes on it pays to prepare the keys of decryption.
  static constexpr std::size_t kPrepared = kInRegisters ? 2 * kBatch : kBatch;
  template <class On>
  using Lanes = Vec<std::uint64_t, On::kBytes>;

  // mask_of(g): the mask of vector g.
  template <class On, unsigned G, class Keys, class MaskOf>
  GPUCTR_INLINE static void vectors(const Keys& keys, const MaskOf& mask_of, AesData& data) {
    typename On::V x[G];
    GPUCTR_UNROLL
    for (unsigned g = 0; g < G; ++g) {
      x[g] = load<typename On::V>(data.in + g * On::kBytes) ^ mask_of(g) ^ keys.template end<On>(0);
    }
    aes_rounds_but_last<On, G>(keys, x);
    const auto last = keys.template end<On>(keys.rounds);
    GPUCTR_UNROLL
    for (unsigned g = 0; g < G; ++g) {
      const auto key = last ^ mask_of(g);
      store(data.out + g * On::kBytes,
            Keys::kEncrypt ? On::encrypt_last(x[g], key) : On::decrypt_last(x[g], key));
    }
    data.step(G * On::kBytes);
  }
  GPUCTR_INLINE static NarrowV next_mask(NarrowV last) {
    return as<NarrowV>(xts_next(as<Lanes<Narrow>>(last)));
  }
  // Whole groups of G blocks, then the others; `mask` becomes the next block's.
  template <unsigned G, class Keys>
  GPUCTR_INLINE static void few(const Keys& keys, NarrowV& mask, AesData& data) {
    while (data.n >= 16 * G) {
      NarrowV masks[G];
      GPUCTR_UNROLL
      for (unsigned g = 0; g < G; ++g) {
        masks[g] = mask;
        mask = next_mask(mask);
      }
      vectors<Narrow, G>(
          keys, [&masks](unsigned g) { return masks[g]; }, data);
    }
    if constexpr (G > 1) few<G / 2>(keys, mask, data);
  }

  // The masks in memory from `masks` on.
  template <class On>
  GPUCTR_INLINE static auto stored(const std::uint8_t* masks) {
    return [masks](unsigned g) { return load<typename On::V>(masks + g * On::kBytes); };
  }
  // Fewer than a batch. Returns the mask of the next block.
  template <unsigned G, class Keys>
  GPUCTR_INLINE static NarrowV rest(const Keys& keys, const std::uint8_t* masks, AesData& data) {
    if (data.n >= G * A::kBytes) {
      vectors<A, G>(keys, stored<A>(masks), data);
      masks += G * A::kBytes;
    }
    if constexpr (G > 1) {
      return rest<G / 2>(keys, masks, data);
    } else {
      for (; data.n != 0; masks += 16) vectors<Narrow, 1>(keys, stored<Narrow>(masks), data);
      return next_mask(load<NarrowV>(masks - 16));
    }
  }

  // In vectors of one block: `count` masks, at most kVectors, each from the one before; the first
  // from `mask`. The bits that leave the two halves are the signs of `signs`, which moves up with
  // the mask. These are five operations on any port. On a Zen 4 a carry-less product is four, which
  // take two cycles: with it XTS of AES-128 makes 8.1 GB/s instead of 9.7.
  GPUCTR_INLINE static void masks_after(NarrowV mask, std::uint8_t* masks, std::size_t count) {
    const auto words = as<Vec<std::uint32_t, 16>>(mask);
    auto signs = __builtin_shufflevector(words, words, 3, 3, 1, 1);
    auto last = as<Lanes<Narrow>>(mask);
    GPUCTR_UNROLL
    for (unsigned g = 0; g < kVectors; ++g) {
      if (g == count) return;
      const auto carries = as<Vec<std::int32_t, 16>>(signs) >> 31;
      last = (last + last) ^ (as<Lanes<Narrow>>(carries) & Lanes<Narrow>{0x87, 1});
      signs += signs;
      store(masks + 16 * g, last);
    }
  }

  // In longer vectors: the masks of the first ones, as many as there are data. Eight masks by
  // shifts, the others from these by whole bytes: shifts take the port of AESENC.
  template <unsigned Vector>
  GPUCTR_INLINE static void vectors_of_masks(Lanes<A> mask, std::uint8_t* masks,
                                             typename A::V (&made)[kVectors], std::size_t n) {
    if constexpr (Vector < kVectors) {
      constexpr unsigned kShifted = 128 / A::kBytes;
      if (n <= Vector * A::kBytes) return;
      if constexpr (Vector < kShifted) {
        made[Vector] = as<typename A::V>(xts_lanes<A::kBytes / 16 * Vector>(mask));
      } else {
        made[Vector] = A::template mask_times<Vector / kShifted>(made[Vector % kShifted]);
      }
      store(masks + A::kBytes * Vector, made[Vector]);
      vectors_of_masks<Vector + 1>(mask, masks, made, n);
    }
  }
  // The masks of the first batch, of n bytes of data.
  GPUCTR_INLINE static void first_masks(NarrowV mask, std::uint8_t* masks, std::size_t n) {
    if constexpr (A::kBytes == 16) {
      store(masks, mask);
      masks_after(mask, masks + 16, n < kBatch ? n / 16 - 1 : kVectors - 1);
    } else {
      typename A::V made[kVectors];
      vectors_of_masks<0>(as<Lanes<A>>(A::key(mask)), masks, made, n);
    }
  }
  GPUCTR_INLINE static void next_masks(std::uint8_t* masks) {
    if constexpr (A::kBytes == 16) {
      masks_after(load<NarrowV>(masks + kBatch - 16), masks, kVectors);
    } else {
      GPUCTR_UNROLL
      for (unsigned g = 0; g < kVectors; ++g) {
        const auto used = load<typename A::V>(masks + g * A::kBytes);
        store(masks + g * A::kBytes, A::template mask_times<A::kBytes / 16>(used));
      }
    }
  }
  // Returns the mask of the next block.
  template <class Keys>
  GPUCTR_INLINE static NarrowV in_memory(const Keys& keys, NarrowV mask, std::uint8_t* masks,
                                         AesData data) {
    first_masks(mask, masks, data.n);
    if constexpr (!std::is_same_v<Keys, AesInverseKeys>) {
      while (data.n >= kBatch) {
        vectors<A, kVectors>(keys, stored<A>(masks), data);
        if (data.n == 0) return next_mask(load<NarrowV>(masks + kBatch - 16));
        next_masks(masks);
      }
    }
    return rest<kVectors / 2>(keys, masks, data);
  }

#if defined(__GFNI__) && defined(__AVX512F__)
  // mask_times() for the masks that nothing hides: less latency, but on the ports of AESENC.
  template <unsigned Bytes>
  GPUCTR_INLINE static typename A::V first_mask_times(typename A::V mask) {
    using Masks = XtsMaskVectors<A>;
    const auto map = [mask](std::uint64_t matrix) {
      const auto matrices = as<__m512i>(splat<std::uint64_t, 64>(matrix));
      return as<typename A::V>(_mm512_gf2p8affine_epi64_epi8(as<__m512i>(mask), matrices, 0));
    };
    const auto low = map(kXtsLowProduct), high = map(kXtsHighProduct);
    return Masks::template moved_up<Bytes>(mask, low, std::make_index_sequence<A::kBytes>{}) ^
           Masks::template come_back<Bytes>(high);
  }
#else
  template <unsigned Bytes>
  GPUCTR_INLINE static typename A::V first_mask_times(typename A::V mask) {
    return A::template mask_times<Bytes>(mask);
  }
#endif
  // The masks of eight blocks, by shifts, in two vectors. Those of later ones are made from these
  // by whole bytes: shifts take the port of AESENC.
  struct Eight {
    typename A::V half[2];

    GPUCTR_INLINE static Eight from(NarrowV mask) {
      const auto lanes = as<Lanes<A>>(A::key(mask));
      return {{as<typename A::V>(xts_lanes<0>(lanes)), as<typename A::V>(xts_lanes<4>(lanes))}};
    }
    // The first G of the vectors that follow.
    template <unsigned At, unsigned G>
    GPUCTR_INLINE void vectors(typename A::V (&made)[G]) const {
      if constexpr (At < G) {
        made[At] = At < 2 ? half[At] : first_mask_times<At / 2>(half[At % 2]);
        vectors<At + 1>(made);
      }
    }
    template <unsigned G>
    GPUCTR_INLINE void step() {
      GPUCTR_UNROLL
      for (auto& v : half) v = A::template mask_times<G / 2>(v);
    }
    template <unsigned Half>
    GPUCTR_INLINE NarrowV first() const {
      return part_of<NarrowV>(as<Lanes<A>>(half[Half]), 0);
    }
  };
  template <unsigned G, class Keys>
  GPUCTR_INLINE static void vectors_of(const Keys& keys, Eight& eight, AesData& data) {
    if (data.n < G * A::kBytes) return;
    typename A::V made[G];
    eight.template vectors<0>(made);
    vectors<A, G>(
        keys, [&made](unsigned g) { return made[g]; }, data);
    eight.template step<G>();
  }
  template <class Keys>
  GPUCTR_INLINE static NarrowV less_than_batch(const Keys& keys, Eight& eight, AesData& data) {
    vectors_of<4>(keys, eight, data);
    vectors_of<2>(keys, eight, data);
    NarrowV mask = eight.template first<0>();
    if (data.n >= A::kBytes) {
      vectors<A, 1>(
          keys, [&eight](unsigned) { return eight.half[0]; }, data);
      mask = eight.template first<1>();
    }
    few<2>(keys, mask, data);
    return mask;
  }
  // At least a batch. The masks of a batch are made from those of the one before.
  template <class Keys>
  GPUCTR_INLINE static NarrowV batches(const Keys& keys, const Eight& first, AesData& data) {
    typename A::V made[kVectors];
    first.template vectors<0>(made);
    const auto advance = [&made] {
      GPUCTR_UNROLL
      for (auto& v : made) v = A::template mask_times<kVectors / 2>(v);
    };
    for (;;) {
      vectors<A, kVectors>(
          keys, [&made](unsigned g) { return made[g]; }, data);
      if (data.n < kBatch) break;
      advance();
    }
    if (data.n == 0) {
      const auto last = as<Lanes<A>>(made[kVectors - 1]);
      return next_mask(part_of<NarrowV>(last, A::kBytes / 16 - 1));
    }
    advance();
    Eight eight = {{made[0], made[1]}};
    return less_than_batch(keys, eight, data);
  }
  template <class Keys>
  GPUCTR_INLINE static NarrowV in_registers(const Keys& keys, NarrowV mask, AesData data) {
    Eight eight = Eight::from(mask);
    return data.n >= kBatch ? batches(keys, eight, data) : less_than_batch(keys, eight, data);
  }
  template <class Keys>
  GPUCTR_INLINE static NarrowV all(const Keys& keys, NarrowV mask, std::uint8_t* masks,
                                   const AesData& data) {
    if constexpr (kInRegisters) {
      return in_registers(keys, mask, data);
    } else {
      return in_memory(keys, mask, masks, data);
    }
  }

  // The mask of the first block. With the keys of the tweak `mask` is a unit's IV, and stays.
  struct First {
    std::uint8_t* mask;
    const std::uint8_t* tweak_words;  // nullptr: `mask` becomes the next block's

    GPUCTR_INLINE NarrowV take() const {
      NarrowV x[1] = {load<NarrowV>(mask)};
      if (tweak_words == nullptr) return x[0];
      const AesKeys keys = OnCore::keys_of(tweak_words);
      x[0] ^= keys.template end<Narrow>(0);
      aes_rounds<Narrow, 1>(keys, x);
      return x[0];
    }
    GPUCTR_INLINE void put(NarrowV next) const {
      if (tweak_words == nullptr) store(mask, next);
    }
  };
  template <class Keys>
  GPUCTR_INLINE static void crypt_few(const Keys& keys, const First& first, AesData data) {
    NarrowV mask = first.take();
    if (kInRegisters && data.n == A::kBytes) {
      const auto masks = as<typename A::V>(xts_lanes<0>(as<Lanes<A>>(A::key(mask))));
      vectors<A, 1>(
          keys, [&masks](unsigned) { return masks; }, data);
      return first.put(next_mask(part_of<NarrowV>(as<Lanes<A>>(masks), A::kBytes / 16 - 1)));
    }
    few<4>(keys, mask, data);
    first.put(mask);
  }
  // With arguments in registers, not in memory.
  GPUCTR_NOINLINE static void encrypt_few(const std::uint8_t* words, std::uint8_t* mask,
                                          const std::uint8_t* tweak_words, const std::uint8_t* in,
                                          std::uint8_t* out, std::size_t n) {
    crypt_few(OnCore::keys_of(words), First{mask, tweak_words}, {in, out, n});
  }
  GPUCTR_NOINLINE static void decrypt_few(const std::uint8_t* words, std::uint8_t* mask,
                                          const std::uint8_t* tweak_words, const std::uint8_t* in,
                                          std::uint8_t* out, std::size_t n) {
    crypt_few(OnCore::inverse_keys_of(words), First{mask, tweak_words}, {in, out, n});
  }
  GPUCTR_NOINLINE static void encrypt(const std::uint8_t* words, const First& first,
                                      std::uint8_t* masks, const AesData& data) {
    first.put(all(OnCore::keys_of(words), first.take(), masks, data));
  }
  GPUCTR_NOINLINE static void decrypt(const std::uint8_t* words, const First& first,
                                      std::uint8_t* masks, const AesData& data) {
    const typename OnCore::PreparedKeys prepared(words);
    first.put(all(prepared.keys(), first.take(), masks, data));
  }
  // Fewer than kPrepared bytes.
  GPUCTR_NOINLINE static void decrypt_some(const std::uint8_t* words, const First& first,
                                           std::uint8_t* masks, const AesData& data) {
    first.put(all(OnCore::inverse_keys_of(words), first.take(), masks, data));
  }

  GPUCTR_NOINLINE static void crypt_many(const std::uint8_t* words, bool encrypts,
                                         const First& first, const AesData& data) {
    alignas(64) std::uint8_t masks[kInRegisters ? 1 : kBatch];
    const auto function = encrypts ? encrypt : data.n < kPrepared ? decrypt_some : decrypt;
    function(words, first, masks, data);
    if constexpr (!kInRegisters) {
      const std::size_t used = data.n < kBatch ? data.n + A::kBytes - 1 : kBatch;
      wipe_vectors<A>(masks, used / A::kBytes * A::kBytes);
    }
    // With GCC 12 decrypt() has a frame of 320 bytes, and the others have none (wipe_test).
    if (encrypts || data.n < kPrepared) {
      OnCore::wipe_few_stack();
    } else {
      M::template wipe_below<kAesKeysFrame>();
    }
    M::wipe_registers();
  }
  static void crypt(const RoundKeys& keys, const RoundKeys* tweak_keys, bool encrypts,
                    std::uint8_t* mask, const std::uint8_t* in, std::uint8_t* out,
                    std::size_t blocks) {
    const auto* const words = words_of<std::uint8_t>(keys);
    const auto* const tweak_words =
        tweak_keys == nullptr ? nullptr : words_of<std::uint8_t>(*tweak_keys);
    const std::size_t n = 16 * blocks;
    if (n > kFew) return crypt_many(words, encrypts, {mask, tweak_words}, {in, out, n});
    (encrypts ? encrypt_few : decrypt_few)(words, mask, tweak_words, in, out, n);
    OnCore::wipe_after_few(n);
  }
  static constexpr XtsOperation kUnit = crypt;
};

}  // namespace gpuctr::simd

#endif
