// The word type on which a definition is proved: one word of one block, with every operation of
// kernels/cipher/word.h in its plainest form. An S-box is a table look-up, a linear map a sum of
// bits, and a product modulo 2^16 + 1 a function that the proof leaves open.
#ifndef GPUCTR_TEST_PROVE_WORD_H
#define GPUCTR_TEST_PROVE_WORD_H

#include <array>
#include <cstdint>

#include "kernels/cipher/box.h"
#include "kernels/cipher/logic.h"
#include "kernels/cipher/word.h"

extern "C" std::uint16_t prove_product(std::uint16_t x, std::uint16_t y);

namespace gpuctr::prove {

template <class Box>
constexpr std::array<std::uint8_t, 256> table_of() {
  std::array<std::uint8_t, 256> table = {};
  for (unsigned x = 0; x < 256; ++x) table[x] = Box::at(x);
  return table;
}
template <class Box>
inline constexpr std::array<std::uint8_t, 256> kTableOf = table_of<Box>();

// What a key schedule takes its S-boxes from (kernels/cipher/sliced.h): each byte by its table.
struct TableBoxes {
  static constexpr bool kHasRow = false;

  template <class Box>
  static std::uint64_t sub_bytes(std::uint64_t bytes) {
    std::uint64_t out = 0;
    for (unsigned i = 0; i < 64; i += 8) {
      out |= std::uint64_t{kTableOf<Box>[bytes >> i & 0xff]} << i;
    }
    return out;
  }
  template <class Box, unsigned N>
  static void sub_bytes(std::uint64_t (&words)[N]) {
    for (std::uint64_t& word : words) word = sub_bytes<Box>(word);
  }
};

template <class T>
struct Word {
  T v;
  using Carry = T;

  static Word of(std::uint64_t x) { return {static_cast<T>(x)}; }
  static Word constant(std::uint64_t c) { return of(c); }
  friend Word operator+(Word a, Word b) { return of(std::uint64_t{a.v} + b.v); }
  friend Word operator-(Word a, Word b) { return of(std::uint64_t{a.v} - b.v); }
  friend Word operator^(Word a, Word b) { return of(std::uint64_t{a.v} ^ b.v); }
  friend Word operator&(Word a, Word b) { return of(std::uint64_t{a.v} & b.v); }
  friend Word operator|(Word a, Word b) { return of(std::uint64_t{a.v} | b.v); }
  Word operator~() const { return of(~std::uint64_t{v}); }

  template <unsigned K>
  Word rotl() const {
    static_assert(K > 0 && K < 8 * sizeof(T), "rotation inside the word");
    return of(std::uint64_t{v} << K | v >> (8 * sizeof(T) - K));
  }
  template <unsigned A, unsigned B, unsigned C>
  Word rot_xor() const {
    return rotl<A>() ^ rotl<B>() ^ rotl<C>();
  }
  Word shift_in(Word below) const { return of(std::uint64_t{v} << 1 | below.v >> 7); }
  static Word add(Word a, Word b, Carry* carry) {
    // The carry comes in through a bit below: one addition, as in a sum of whole numbers.
    const std::uint32_t sum = (2u * a.v + 1 + (2u * b.v + *carry)) >> 1;
    *carry = static_cast<T>(sum >> 8);
    return of(sum);
  }

  template <class Box>
  Word sub() const {
    return of(kTableOf<Box>[v]);
  }
  template <class Box, bool Back>
  Word sub_turning() const {
    return sub<Box>();
  }
  template <class Map>
  Word linear() const {
    return of(Map::kMap(v));
  }
  Word product(Word y) const { return of(prove_product(v, y.v)); }
  template <unsigned Map>
  static Word logic3(Word a, Word b, Word c) {
    return gpuctr::logic3<Map>(a, b, c);
  }

  // As Several of kernels/cipher/several.h.
  Word early() const { return *this; }
  const Word& bytes() const { return *this; }
  Word turned(unsigned bits) const {
    constexpr unsigned kMask = 8 * sizeof(T) - 1;
    return of(static_cast<T>(v << (bits & kMask)) | v >> ((0 - bits) & kMask));
  }
  template <unsigned Byte>
  Word entry(const T* table) const {
    return of(table[v >> (8 * Byte) & 0xff]);
  }
};

template <class T>
struct Keys {
  const T* words;
  Word<T> operator()(unsigned i) const { return {words[i]}; }
  T stored(unsigned i) const { return words[i]; }
  template <class C>
  const T* table(unsigned i) const {
    return C::table(words, i);
  }
};

// One block, with the words' bytes in the order of kBig.
template <class C, bool kBig, bool kEncrypt>
void crypt(const typename C::Word* rk, const std::uint8_t* in, std::uint8_t* out) {
  using T = typename C::Word;
  Word<T> x[C::kWords];
  for (unsigned i = 0; i < C::kWords; ++i) x[i].v = load_word<T, kBig>(in + sizeof(T) * i);
  if constexpr (kEncrypt) {
    C::encrypt(x, Keys<T>{rk});
  } else {
    C::decrypt(x, Keys<T>{rk});
  }
  for (unsigned i = 0; i < C::kWords; ++i) store_word<kBig>(out + sizeof(T) * i, x[i].v);
}

}  // namespace gpuctr::prove

#endif
