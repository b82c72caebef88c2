// ARIA's rounds for many blocks on a CPU whose S-boxes are instructions.
#ifndef GPUCTR_KERNELS_CIPHER_ARIA_X86_BOXES_H
#define GPUCTR_KERNELS_CIPHER_ARIA_X86_BOXES_H

#include "kernels/cipher/aria/block_vector.h"

namespace gpuctr {

// The rounds in two parts, for counter mode: hoisted rounds and the rest.
struct AriaHoistedRounds : AriaRounds {
  static constexpr CipherFacts kFacts =
      facts([](CipherFacts& f) { f.tabulates_first_rounds = true; }, AriaRounds::kFacts);

  template <class V, class K>
  GPUCTR_HD static void first_rounds(V (&x)[16], const K& rk) {
    add_key(x, rk, 0);
    substitute<1>(x);
    diffuse(x);
    add_key(x, rk, 1);
  }
  template <class V, class K>
  GPUCTR_HD static void set_last_byte(V (&x)[16], const V& last, const K& rk) {
    set_last_byte_with(x, last, rk(15));
  }
  // The last byte has passed one box; A adds the box's result to seven bytes.
  template <class V>
  GPUCTR_HD static void set_last_byte_with(V (&x)[16], const V& last, const V& key) {
    using Box = AriaInverseBox2;
    const V change = (last ^ key).template sub<Box>() ^ key.template sub<Box>();
    constexpr unsigned kSums[7] = {1, 2, 4, 5, 8, 10, 15};
    for (const unsigned i : kSums) x[i] = x[i] ^ change;
  }
  static constexpr bool first_rounds_turned(unsigned) { return true; }
  template <class V, class K>
  GPUCTR_HD static void other_rounds(V (&x)[16], const K& rk) {
    substitute<2>(x);
    diffuse(x);
    add_key(x, rk, 2);
    rounds_from(x, rk, 3);
  }
};

template <>
struct BlockVectorForm<AriaHoistedRounds> : BlockVectorForm<AriaRounds> {};

// The rounds for many blocks with GFNI, where the boxes keep one of two pipes busy. These are the
// rounds of decryption: their keys are added before A, so the other pipe has less work after the
// boxes. Encryption with them is 1.1 times faster on Zen 4. Their keys are A applied to the keys of
// the schedule, in reverse order (RFC 5794 2.3.2).
struct AriaKeysAfterBoxes : AriaHoistedRounds {
  static constexpr CipherFacts kFacts =
      facts([](CipherFacts& f) { f.prepared_words = kRoundKeyWords; }, AriaHoistedRounds::kFacts);

  template <class V, class K>
  GPUCTR_HD static void first_rounds(V (&x)[16], const K& rk) {
    const unsigned rounds = rk.stored(kRoundsAt);
    add_key(x, rk, rounds);
    substitute<1>(x);
    add_key(x, rk, rounds - 1);
    diffuse(x);
  }
  template <class V, class K>
  GPUCTR_HD static void set_last_byte(V (&x)[16], const V& last, const K& rk) {
    set_last_byte_with(x, last, rk(16 * rk.stored(kRoundsAt) + 15));
  }
  template <class V, class K>
  GPUCTR_HD static void other_rounds(V (&x)[16], const K& rk) {
    const unsigned rounds = rk.stored(kRoundsAt);
    substitute<2>(x);
    add_key(x, rk, rounds - 2);
    diffuse(x);
    substitute<1>(x);
    add_key(x, rk, rounds - 3);
    rounds_down_from(x, rk, rounds - 4);
  }
  template <class V, class K>
  GPUCTR_HD static void encrypt(V (&x)[16], const K& rk) {
    AriaRounds::decrypt(x, rk);
  }
  template <class R>
  GPUCTR_INLINE static void prepare(const Word* rk, bool decrypts, std::uint32_t* out) {
    const unsigned rounds = rk[kRoundsAt];
    for (unsigned round = 0; round <= rounds; ++round) {
      R key = R::load(rk + 16 * (decrypts ? round : rounds - round));
      if (!decrypts && round != 0 && round != rounds) key = aria_vector::diffuse(key);
      key.store_words(out + 16 * round, 16);
    }
    out[kRoundsAt] = rounds;
  }
};

template <bool kGfni, unsigned kRegisters>
struct BoxInstructionRounds<AriaRounds, kGfni, kRegisters> {
  using Type = AriaHoistedRounds;
};
// With 16 registers a key added after the boxes causes spills.
template <>
struct BoxInstructionRounds<AriaRounds, true, 32> {
  using Type = AriaKeysAfterBoxes;
};

}  // namespace gpuctr

#endif
