// Ciphers with byte S-boxes on a SIMD backend: one vector for each byte of the block. This file has
// what they need in addition to wordwise.h.
//
// Many blocks use the cipher's rounds for the backend (BoxInstructionRounds of facts.h). One block
// uses one vector (block_vector.h). The key schedule uses the backend's boxes (key_schedule.h).
#ifndef GPUCTR_KERNELS_CPU_SIMD_BOXES_H
#define GPUCTR_KERNELS_CPU_SIMD_BOXES_H

#include "kernels/cpu/simd/block_vector.h"
#include "kernels/cpu/simd/first_round_tables.h"
#include "kernels/cpu/simd/key_schedule.h"
#include "kernels/cpu/simd/wordwise.h"

namespace gpuctr::simd {

// Conditions of the specialisations below. They have names of their own because a misspelt fact
// inside a specialisation would be no error.
template <class M, class C>
constexpr bool kOnBoxes = C::kFacts.boxes && (M::kAffine || M::kAesBoxes);
template <class C>
constexpr bool kPreparesKeys = C::kFacts.prepared_words != 0;
template <class M, class C>
constexpr bool kMakesDecryptionKeys =
    !kPreparesKeys<C> && C::kFacts.decryption_keys && M::kRegisters == 16;

template <class M, class C>
struct RoundsOn<M, C, std::enable_if_t<kOnBoxes<M, C>>> {
  using Type = typename BoxInstructionRounds<C, M::kAffine, M::kRegisters>::Type;
};

template <class M, class C>
struct PreparedKeys<M, C, std::enable_if_t<kPreparesKeys<C>>> {
  static constexpr std::size_t kSize =
      (4 * C::kFacts.prepared_words + M::kBytes - 1) / M::kBytes * M::kBytes;
  alignas(M::kBytes) std::uint32_t words[kSize / 4];

  GPUCTR_INLINE PreparedKeys(const typename C::Word* stored, bool decrypts) {
    prepare(stored, decrypts, words);
  }
  PreparedKeys(const PreparedKeys&) = delete;
  PreparedKeys& operator=(const PreparedKeys&) = delete;
  GPUCTR_INLINE ~PreparedKeys() { wipe_vectors<M>(words, kSize); }

 private:
  // Not inline: its stack is wiped with the stack of a batch.
  GPUCTR_NOINLINE static void prepare(const typename C::Word* stored, bool decrypts,
                                      std::uint32_t* words) {
    C::template prepare<BlockVector<typename M::Lane>>(stored, decrypts, words);
  }
};

// 16 bytes that are only moved and XORed, on any CPU.
struct MovedBytes {
  using V = Vec<std::uint8_t, 16>;
  V v;

  GPUCTR_INLINE static MovedBytes load(const std::uint8_t* p) { return {simd::load<V>(p)}; }
  GPUCTR_INLINE void store(std::uint8_t* p) const { simd::store(p, v); }
  GPUCTR_INLINE friend MovedBytes operator^(MovedBytes a, MovedBytes b) { return {a.v ^ b.v}; }
  template <class Map>
  GPUCTR_INLINE MovedBytes moved() const {
    return {shuffle_lanes<Map>(v)};
  }
};

template <class M, class C>
struct DecryptionKeys<M, C, std::enable_if_t<kPreparesKeys<C>>> {
  static constexpr bool kByEncryption = true;
  static constexpr bool kPrepares = true;
  struct Keys {
    const RoundKeys& keys;
  };
};
template <class M, class C>
struct DecryptionKeys<M, C, std::enable_if_t<kMakesDecryptionKeys<M, C>>> {
  static constexpr bool kByEncryption = true;
  static constexpr bool kPrepares = false;
  class Keys {
    Wiped<Schedule<C>> made_;

   public:
    const RoundKeys& keys = *reinterpret_cast<const RoundKeys*>(&made_.value);
    explicit Keys(const RoundKeys& stored) { make(stored, made_.value.words); }
  };

 private:
  GPUCTR_NOINLINE static void make(const RoundKeys& stored, typename C::Word* made) {
    BlockVectorForm<C>::template decryption_keys<MovedBytes>(words_of<typename C::Word>(stored),
                                                             made);
  }
};

// FewBlocks for one block of 16 bytes.
template <class M, class Narrow, class C>
struct VectorBlocks {
  using Form = BlockVectorForm<typename CoreOf<C>::Type>;
  using Word = typename C::Word;
  using V = Vec<std::uint8_t, 16>;
  using Lane = LaneOf<M, Narrow>;
  // With GCC 12 Camellia has 488 bytes, 264 with GFNI and 120 with its 32 registers.
  static constexpr unsigned kStackBytes = !Lane::kAffine ? 576 : M::kRegisters < 32 ? 384 : 256;

  template <bool kEncrypts>
  GPUCTR_NOINLINE static void whole_block(const Word* keys, const std::uint8_t* in,
                                          std::uint8_t* out) {
    const BlockVector<Lane> x{load<V>(in)};
    const BlockVectorKeys<Lane> row_keys{keys};
    if constexpr (kEncrypts) {
      store(out, Form::encrypt(x, row_keys).v);
    } else {
      store(out, Form::decrypt(x, row_keys).v);
    }
  }
  GPUCTR_NOINLINE static void counter_block(const Word* keys, Counter<C> counter,
                                            const std::uint8_t* in, std::uint8_t* out,
                                            std::size_t n) {
    const auto block =
        Lane::pair(__builtin_bswap64(counter.limb[0]), __builtin_bswap64(counter.limb[1]));
    V bytes = Form::encrypt(BlockVector<Lane>{as<V>(block)}, BlockVectorKeys<Lane>{keys}).v;
    if (n < 16) return write_part(bytes, in, out, n);
    if (in != nullptr) bytes ^= load<V>(in);
    store(out, bytes);
  }

  // The input and output of BlockVectorForm's chain().
  struct Text {
    const std::uint8_t* from;
    std::uint8_t* to;
    GPUCTR_INLINE BlockVector<Lane> in(std::size_t i) const {
      return BlockVector<Lane>::load(from + 16 * i);
    }
    GPUCTR_INLINE void out(std::size_t i, BlockVector<Lane> x) const { x.store(to + 16 * i); }
  };
  // CBC encryption.
  GPUCTR_NOINLINE static void cbc_chain(const Word* keys, std::uint8_t* chain,
                                        const std::uint8_t* in, std::uint8_t* out,
                                        std::size_t blocks) {
    const BlockVectorKeys<Lane> row_keys{keys};
    const Text text{in, out};
    auto x = BlockVector<Lane>::load(chain);
    if constexpr (C::kFacts.vector_chain) {
      x = Form::chain(x, row_keys, blocks, text);
    } else {
      for (std::size_t i = 0; i < blocks; ++i) {
        x = Form::encrypt(x ^ text.in(i), row_keys);
        text.out(i, x);
      }
    }
    x.store(chain);
  }
};

template <class M, class Narrow, class C>
constexpr CipherOps box_ops() {
  CipherOps ops = wordwise_ops<M, Narrow, C>();
  if constexpr (TakesBoxes<C, RegisterBoxes<LaneOf<M, Narrow>>>::value) {
    ops.expand = KeySchedule<M, Narrow, C>::expand;
  }
  return ops;
}

}  // namespace gpuctr::simd

#endif
