// What a cipher's definition states besides its sizes, and lists of ciphers. Sizes are in bytes.
#ifndef GPUCTR_KERNELS_CIPHER_FACTS_H
#define GPUCTR_KERNELS_CIPHER_FACTS_H

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "kernels/base/inline.h"

namespace gpuctr {

// Names of a cipher in one mode, in addition to "LEA-128-CBC": aliases and object identifiers,
// separated by colons, as in OpenSSL. Every identifier has a source.
struct ModeNames {
  const char* mode;
  const char* names;
};
struct ModeNameList {
  const ModeNames* first = nullptr;
  std::size_t count = 0;

  constexpr ModeNameList() = default;
  template <std::size_t kCount>
  constexpr ModeNameList(const ModeNames (&names)[kCount]) : first(names), count(kCount) {}
};

// How many vectors hold one word of a cipher at a time on a SIMD backend: with 16 vector registers,
// with 16 and GFNI, and with 32. They are independent work, which hides the latency of a cipher's
// chain. 0: as many as fit half of the registers.
struct GroupCounts {
  unsigned with_16 = 0;
  unsigned with_16_and_gfni = 0;
  unsigned with_32 = 0;

  constexpr unsigned of(unsigned registers, bool gfni) const {
    return registers == 32 ? with_32 : gfni ? with_16_and_gfni : with_16;
  }
};

// Every cipher and every struct of rounds states the facts that differ from the defaults below:
//   static constexpr CipherFacts kFacts = facts([](CipherFacts& f) { f.legacy = true; });
struct CipherFacts {
  // How the cipher is offered.
  const char* alias = nullptr;  // a second stem for the name
  ModeNameList mode_names;
  unsigned strength_bits = 0;  // against key recovery; 0: the key's length
  bool in_openssl = false;     // OpenSSL also has the cipher, under the same name
  bool legacy = false;         // for old data only: offered on request, without a generator
  bool generator = true;       // generators over the cipher are offered

  // The words and keys of the cipher.
  bool big_endian = false;  // byte order of a word in a block and in a key
  // A range of key sizes. kKeyBytes is the usual one. expand() takes the size after the key.
  std::size_t least_key_bytes = 0;  // both 0: kKeyBytes only
  std::size_t most_key_bytes = 0;
  // expand() takes a tweak of zeros; set_tweak(tweak, round_keys) replaces the tweak in round keys.
  std::size_t tweak_bytes = 0;

  // The rounds of the cipher.
  bool boxes = false;  // the rounds look bytes up in S-boxes (box.h)
  // The rounds look words up in tables, at addresses that depend on key and data (interleaved.h).
  // Such a cipher is not constant time on a CPU that looks up in memory.
  bool tables = false;
  // The rounds are written on bit-sliced blocks of 8 bytes: a struct BitSliced (des/des.h).
  bool bit_sliced = false;
  // The rounds are AES's (FIPS 197), for which CPUs have instructions. Then round keys are blocks,
  // in order from the first, with the number of rounds in byte kRoundsAt.
  bool aes_rounds = false;
  // In each of box_layers(rk) layers every byte of the block passes an S-box, and no other
  // operation moves bytes between blocks. A backend whose boxes change the order of the blocks in a
  // vector then keeps the changed order from layer to layer.
  bool box_layers = false;
  // All key sizes share the rounds: a struct Core with Word, kWords, kRoundKeyWords, kFacts,
  // encrypt and decrypt, which finds the number of rounds in the schedule. Code that needs only the
  // Core is then compiled once for all key sizes.
  bool shares_rounds = false;

  bool rotations = true;       // the rounds rotate words
  bool rotation_sums = false;  // the rounds call rot_xor() (word.h)

  // Other forms of the rounds, which make a backend faster.
  // encrypt() is first_rounds(x, rk), without a loop, and then other_rounds(x, rk). Most words are
  // the same in all counter blocks; a backend computes values that depend only on these words once.
  bool hoists_first_rounds = false;
  bool row_schedule = false;  // expand_rows<M>() is the key schedule by vectors of backend M
  // One block of 16 bytes in one vector: BlockVectorForm, in the folder's block_vector.h.
  bool block_vector = false;
  bool vector_chain = false;  // BlockVectorForm has CBC encryption too: chain()
  // With 16 vector registers, the rounds of encryption decrypt many blocks, with the keys of
  // BlockVectorForm's decryption_keys<R>(rk, out).
  bool decryption_keys = false;

  // Measured numbers for backends.
  unsigned scalar_blocks = 1;  // blocks side by side in integer registers (interleaved.h)
  GroupCounts groups;
  GroupCounts decryption_groups;  // 0: as `groups`
  unsigned affine_frame = 0;      // base/frames.h

  // For rounds on a backend whose S-boxes are instructions (BoxInstructionRounds).
  unsigned prepared_words = 0;  // 32-bit words of the keys that prepare() makes from the schedule
  // Given the state after first_rounds() for a block whose last byte is 0, set_last_byte(x, last,
  // rk) returns the state for the same block with the last byte `last`. first_rounds_turned(j):
  // whether boxes by AES instructions have moved the blocks of word j by ShiftRows once. A backend
  // looks up the states after first_rounds() (kernels/cpu/simd/first_round_tables.h).
  bool tabulates_first_rounds = false;

  constexpr bool has_generator() const { return generator && !legacy; }
};

// The facts of `base`, with the changes that `state` makes.
template <class State>
constexpr CipherFacts facts(State state, CipherFacts base = {}) {
  state(base);
  return base;
}

template <class C, bool = C::kFacts.shares_rounds>
struct CoreOf {
  using Type = C;
};
template <class C>
struct CoreOf<C, true> {
  using Type = typename C::Core;
};

template <class C>
struct BlockBytes {
  static constexpr std::size_t kValue = C::kWords * sizeof(typename C::Word);
  static_assert((kValue & (kValue - 1)) == 0 && kValue >= 8 && kValue <= 128,
                "a block has 8, 16, 32, 64 or 128 bytes");
};
template <class C>
struct KeyRange {
  static constexpr bool kIsRange = C::kFacts.most_key_bytes != 0;
  static constexpr std::size_t kLeast = kIsRange ? C::kFacts.least_key_bytes : C::kKeyBytes;
  static constexpr std::size_t kMost = kIsRange ? C::kFacts.most_key_bytes : C::kKeyBytes;
  static_assert(kLeast <= C::kKeyBytes && C::kKeyBytes <= kMost, "the usual size is in the range");
};
template <class C>
struct ScheduleBytes {
  static constexpr std::size_t kValue = C::kRoundKeyWords * sizeof(typename C::Word);
};

// The round keys of cipher C, in C's size. A RoundKeys (registry.h) begins with the same words.
template <class C>
struct alignas(64) Schedule {
  typename C::Word words[C::kRoundKeyWords];
};

// The definition's key schedule, from a key of kKeyBytes:
//   expand(const std::uint8_t (&key)[kKeyBytes], Word (&rk)[kRoundKeyWords])
// With S-boxes, expand is a template on what looks them up, by default BitSlicedBoxes.
template <class C>
GPUCTR_HD void expand_key(const std::uint8_t* key, typename C::Word* rk) {
  C::expand(*reinterpret_cast<const std::uint8_t(*)[C::kKeyBytes]>(key),
            *reinterpret_cast<typename C::Word(*)[C::kRoundKeyWords]>(rk));
}

// GroupCounts of a cipher, with its default.
template <class C>
constexpr unsigned groups_of(unsigned registers, bool gfni) {
  const unsigned stated = C::kFacts.groups.of(registers, gfni), fit = registers / 2 / C::kWords;
  return stated != 0 ? stated : fit != 0 ? fit : 1;
}
template <class C>
constexpr unsigned decryption_groups_of(unsigned registers, bool gfni) {
  const unsigned stated = C::kFacts.decryption_groups.of(registers, gfni);
  return stated != 0 ? stated : groups_of<C>(registers, gfni);
}

// Ciphers as a list of types.
template <class... C>
struct CipherList {
  static constexpr std::size_t kCount = sizeof...(C);

  template <class One>
  static constexpr bool has() {
    return (std::is_same_v<C, One> || ...);
  }
};

}  // namespace gpuctr

#endif
