// Camellia's rounds for many blocks on a CPU whose S-boxes are instructions. Bytes are kept in the
// basis of the boxes' inversion, kIn of SBOX1 to SBOX3. So each of these three boxes is one
// instruction of GFNI, or one map after AES's box, instead of two. Maps are linear, so P, the sum
// of the halves and FL are the same in this basis. kIn's constant, the round keys and the constants
// of FL are combined into one number for each half, its offset from the true state. The offset
// changes where a round adds to the half, so that a half already has its next key when it reaches
// the boxes.
//
// With GFNI FL is matrices that include its key. With AES-NI the right half is in the basis that
// AES's inverse box takes. The left half's boxes rotate the blocks of a lane by ShiftRows, and the
// right half's boxes rotate them back.
#ifndef GPUCTR_KERNELS_CIPHER_CAMELLIA_X86_BOXES_H
#define GPUCTR_KERNELS_CIPHER_CAMELLIA_X86_BOXES_H

#include "kernels/cipher/camellia/camellia.h"
#include "kernels/cipher/word.h"

namespace gpuctr {

template <bool kGfni, bool kRight>
struct CamelliaBasis {
  static constexpr Affine kArgument =
      kGfni || !kRight ? CamelliaBox1::kIn : composed(AesBox::kOut, CamelliaBox1::kIn);
  static constexpr Affine kMap = linear_part(kArgument);
  // The offset that turns kMap of a byte into kArgument.
  static constexpr std::uint64_t kOffset =
      std::uint64_t{0x0101010101010101} * inverse_of(kMap)(kArgument.constant);
};
template <class Basis>
struct OutOfBasis {
  static constexpr Affine kMap = inverse_of(Basis::kMap);
};

template <class Box, class From, class To>
struct BoxInBasis {
  static constexpr Affine kIn = composed(Box::kIn, inverse_of(From::kArgument));
  static constexpr Affine kOut = composed(To::kMap, Box::kOut);
};

// The schedule as numbers, in the order of encryption or of decryption.
struct CamelliaSubkeys {
  const std::uint8_t* bytes;
  unsigned rounds;
  bool decrypts;

  GPUCTR_INLINE std::uint64_t at(unsigned place) const {
    return load_be<std::uint64_t>(bytes + place);
  }
  GPUCTR_INLINE std::uint64_t whitening(unsigned i) const {
    const unsigned end = rounds / 6 * 64;
    return at((i >= 2) != decrypts ? end + 8 * (i % 2) : 8 * (i % 2));
  }
  GPUCTR_INLINE std::uint64_t round(unsigned i) const {
    if (decrypts) i = rounds - 1 - i;
    return at(16 + i / 6 * 64 + i % 6 * 8);
  }
  GPUCTR_INLINE std::uint64_t layer(unsigned i) const {
    if (decrypts) i = rounds / 3 - 3 - i;
    return at(64 + i / 2 * 64 + i % 2 * 8);
  }
};

// Keys are 32-bit words, a byte four times, or halves of a matrix. There are 16 words for the input
// block. Then, in turn, 48 words for six rounds and the words of a layer. The last 8 words are for
// the first half of the output block.
template <bool kGfni>
struct CamelliaInBasis {
  using Word = std::uint8_t;
  static constexpr unsigned kWords = 16;
  static constexpr unsigned kHalfLayer = kGfni ? 28 : 12;  // words
  static constexpr unsigned kGroup = 48 + 2 * kHalfLayer;
  static constexpr unsigned kLastAt = 16 + 4 * kGroup;
  static constexpr unsigned kGroupsAt = kLastAt + 8;  // the number of groups of six rounds
  static constexpr CipherFacts kFacts = facts([](CipherFacts& f) {
    f.boxes = true;
    f.prepared_words = kGroupsAt + 1;
    f.tabulates_first_rounds = true;
  });
  using Left = CamelliaBasis<kGfni, false>;
  using Right = CamelliaBasis<kGfni, true>;
  using LeftOut = OutOfBasis<Left>;
  using RightOut = OutOfBasis<Right>;

  // The sums of P in their cheapest order, with the keys where a sum of three has room.
  template <class From, class To, class V, class K>
  GPUCTR_HD static void half_round(V* to, const V* from, const K& keys) {
    constexpr bool kBack = std::is_same_v<From, Right>;
    using Box1 = BoxInBasis<CamelliaBox1, From, To>;
    using Box2 = BoxInBasis<CamelliaBox2, From, To>;
    using Box3 = BoxInBasis<CamelliaBox3, From, To>;
    using Box4 = BoxInBasis<CamelliaBox4, From, To>;
    V z[8];
    z[0] = from[0].template sub_shifting<Box1, kBack>();
    z[5] = from[5].template sub_shifting<Box3, kBack>();
    z[1] = from[1].template sub_shifting<Box2, kBack>();
    z[6] = from[6].template sub_shifting<Box4, kBack>();
    z[2] = from[2].template sub_shifting<Box3, kBack>();
    z[7] = from[7].template sub_shifting<Box1, kBack>();
    z[3] = from[3].template sub_shifting<Box4, kBack>();
    z[4] = from[4].template sub_shifting<Box2, kBack>();
    for (unsigned i = 0; i < 4; ++i) z[i] = z[i] ^ z[4 + (i + 1) % 4];
    for (unsigned i = 0; i < 4; ++i) z[4 + i] = z[4 + i] ^ z[(i + 2) % 4];
    for (unsigned i = 0; i < 4; ++i) z[i] = (z[i] ^ z[4 + (i + 3) % 4]) ^ keys(i);
    for (unsigned i = 0; i < 4; ++i) to[i] = (to[i] ^ z[4 + i]) ^ z[(i + 3) % 4];
    for (unsigned i = 0; i < 4; ++i) to[4 + i] = (to[4 + i] ^ z[i]) ^ keys(4 + i);
  }
  // The places where half_round() adds the number `sum` to its result: its first four words are
  // added to two bytes each.
  GPUCTR_INLINE static std::uint64_t key_places(std::uint64_t sum) {
    const auto first = rotl_word(static_cast<std::uint32_t>(sum >> 32), 8);
    return std::uint64_t{first} << 32 | (static_cast<std::uint32_t>(sum) ^ first);
  }

  // FL of RFC 3713 2.4.2 on the left half, where x | k is (x & ~k) ^ k, and its inverse, 2.4.3.
  template <class V, class K>
  GPUCTR_HD static void add_rotated(V* x, const K& keys) {
    if constexpr (kGfni) {
      for (unsigned i = 0; i < 4; ++i) {
        x[4 + i] = (x[4 + i] ^ x[i].by_matrix(keys.matrix(2 * i))) ^
                   x[(i + 1) % 4].by_matrix(keys.matrix(8 + 2 * i));
      }
    } else {
      V y[4];
      for (unsigned i = 0; i < 4; ++i) y[i] = x[i] & keys(i);
      for (unsigned i = 0; i < 4; ++i) x[4 + i] = x[4 + i] ^ y[i].shift_in(y[(i + 1) % 4]);
    }
  }
  template <class V, class K>
  GPUCTR_HD static void add_chosen(V* x, const K& keys) {
    for (unsigned i = 0; i < 4; ++i) {
      if constexpr (kGfni) {
        x[i] = (x[i] ^ x[4 + i].by_matrix(keys.matrix(16 + 2 * i))) ^ keys(24 + i);
      } else {
        x[i] = x[i] ^ (x[4 + i] & keys(4 + i)) ^ keys(8 + i);
      }
    }
  }
  template <class Map, class V>
  GPUCTR_HD static void apply(V* x) {
    for (unsigned i = 0; i < 8; ++i) x[i] = x[i].template linear<Map>();
  }
  template <class V, class K>
  GPUCTR_HD static void layers(V* x, const K& rk, unsigned at) {
    const auto left = keys_from(rk, at), right = keys_from(rk, at + kHalfLayer);
    if constexpr (!kGfni) apply<LeftOut>(x);
    add_rotated(x, left);
    add_chosen(x, left);
    if constexpr (!kGfni) apply<Left>(x), apply<RightOut>(x + 8);
    add_chosen(x + 8, right);
    add_rotated(x + 8, right);
    if constexpr (!kGfni) apply<Right>(x + 8);
  }

  template <class V, class K>
  GPUCTR_HD static void two_rounds(V (&x)[16], const K& rk, unsigned at) {
    half_round<Left, Right>(x + 8, x, keys_from(rk, at));
    half_round<Right, Left>(x, x + 8, keys_from(rk, at + 8));
  }

  template <class V, class K>
  GPUCTR_HD static void first_rounds(V (&x)[16], const K& rk) {
    for (unsigned i = 0; i < 8; ++i) x[i] = x[i].template linear<Left>() ^ rk(i);
    for (unsigned i = 8; i < 16; ++i) {
      x[i] = x[i].template shifted_rows<1>().template linear<Right>() ^ rk(i);
    }
    two_rounds(x, rk, 16);
  }
  // The last byte enters one box: that of the second round's last byte. P adds the box's result to
  // all bytes except two.
  template <class V, class K>
  GPUCTR_HD static void set_last_byte(V (&x)[16], const V& last, const K&) {
    using Box = BoxInBasis<CamelliaBox1, Right, Left>;
    const V without = x[15].template sub_shifting<Box, true>();
    x[15] = x[15] ^ last.template shifted_rows<1>().template linear<Right>();
    const V change = x[15].template sub_shifting<Box, true>() ^ without;
    for (unsigned i = 0; i < 7; ++i) {
      if (i != 3) x[i] = x[i] ^ change;
    }
  }
  static constexpr bool first_rounds_turned(unsigned j) { return j >= 8; }

  template <class V, class K>
  GPUCTR_HD static void other_rounds(V (&x)[16], const K& rk) {
    unsigned at = 16;
    GPUCTR_ROUNDS
    for (unsigned left = rk.stored(kGroupsAt); left != 0; --left, at += kGroup) {
      two_rounds(x, rk, at + 16);
      two_rounds(x, rk, at + 32);
      if (left == 1) continue;
      layers(x, rk, at + 48);
      two_rounds(x, rk, at + kGroup);
    }
    swap_halves(x);
    const auto last = keys_from(rk, kLastAt);
    for (unsigned i = 0; i < 8; ++i) {
      x[i] = x[i].template linear<RightOut>().template shifted_rows<3>() ^ last(i);
    }
    apply<LeftOut>(x + 8);
  }

  template <class V, class K>
  GPUCTR_HD static void encrypt(V (&x)[16], const K& rk) {
    first_rounds(x, rk);
    other_rounds(x, rk);
  }

  // Below: parts of prepare().

  struct High {
    GPUCTR_INLINE static constexpr std::size_t at(std::size_t i) { return i / 8; }
  };
  // The words of two numbers in their bases.
  template <class R, class First, class Second>
  GPUCTR_INLINE static void put(std::uint64_t first, std::uint64_t second, std::uint32_t* out) {
    const R bytes = R::of_numbers(first, second);
    R::template picked<High>(bytes.template linear<First>(), bytes.template linear<Second>())
        .store_words(out, 16);
  }

  // Matrix * diagonal(key byte i + By) * LeftOut, of key bytes i = 0 to 3.
  template <unsigned First>
  struct EightTimes {
    GPUCTR_INLINE static constexpr std::uint8_t at(std::size_t i) {
      return static_cast<std::uint8_t>((First + i / 8) % 4);
    }
  };
  template <std::uint64_t Matrix>
  struct Rows {
    GPUCTR_INLINE static constexpr std::uint8_t at(std::size_t i) {
      return static_cast<std::uint8_t>(Matrix >> (8 * (i % 8)));
    }
  };
  template <class Map, unsigned By, class R>
  GPUCTR_INLINE static void put_matrices(R key, std::uint32_t* out) {
    const R rows = R::template constant<Rows<Map::kMap.matrix>>();
    const R columns = R::template constant<Rows<transposed(LeftOut::kMap.matrix)>>();
    rows.by_matrices(columns & key.template moved<EightTimes<By>>()).store(out);
    rows.by_matrices(columns & key.template moved<EightTimes<By + 2>>()).store(out + 4);
  }
  struct UpInBasis {  // a left shift by one, in this basis
    static constexpr Affine kMap = {
        matrix_of([](unsigned x) { return Left::kMap.linear(x << 1 & 0xff); }), 0};
  };
  struct DownInBasis {  // a right shift by seven, in this basis
    static constexpr Affine kMap = {matrix_of([](unsigned x) { return Left::kMap.linear(x >> 7); }),
                                    0};
  };
  // The words of half a layer with key `key` and constant `sum`, and four more words, which the
  // next call overwrites.
  template <class R>
  GPUCTR_INLINE static void put_layer(std::uint64_t key, std::uint32_t sum, std::uint32_t* out) {
    const std::uint64_t chosen = key ^ 0xffffffff;  // complement of the second word
    if constexpr (kGfni) {
      const R first = R::of_numbers(key, 0), second = R::of_numbers(chosen << 32, 0);
      put_matrices<UpInBasis, 0>(first, out);
      put_matrices<DownInBasis, 1>(first, out + 8);
      put_matrices<Left, 0>(second, out + 16);
      R::of_numbers(std::uint64_t{sum} << 32, 0).template linear<Left>().store_words(out + 24, 8);
    } else {
      R::of_numbers(chosen, std::uint64_t{sum} << 32).store_words(out, 16);
    }
  }

  // The layer's constant for a first word with offset `before`, which must become `after`, and a
  // second word with offset `other`.
  GPUCTR_INLINE static std::uint32_t layer_sum(std::uint64_t key, std::uint32_t before,
                                               std::uint32_t other, std::uint32_t after) {
    const auto second = static_cast<std::uint32_t>(key);
    return before ^ (other & ~second) ^ second ^ after;
  }

  template <class R>
  GPUCTR_INLINE static void prepare(const std::uint8_t* rk, bool decrypts, std::uint32_t* out) {
    constexpr unsigned kRoundsAt = 272;
    const CamelliaSubkeys keys{rk, rk[kRoundsAt], decrypts};
    std::uint64_t left = keys.round(0) ^ Left::kOffset, right = 0;
    put<R, Left, Right>(keys.whitening(0) ^ left, keys.whitening(1) ^ right, out);
    out[kGroupsAt] = keys.rounds / 6;
    std::uint32_t* const last = out + kLastAt;
    out += 16;
    for (unsigned i = 2; i <= keys.rounds; i += 2) {
      const bool ends = i == keys.rounds, layers = i % 6 == 0 && !ends;
      const std::uint64_t next_right = keys.round(i - 1) ^ Right::kOffset;
      const std::uint64_t next_left = ends ? keys.whitening(3) : keys.round(i) ^ Left::kOffset;
      // A layer changes the offset of a second word by a value that depends on the first word's
      // offset, so the first word's offset is 0.
      const std::uint64_t to_left = layers ? next_left & 0xffffffff : next_left;
      put<R, Right, Left>(key_places(right ^ next_right), key_places(left ^ to_left), out);
      out += 16;
      left = next_left;
      right = next_right;
      if (!layers) continue;
      const std::uint64_t first = keys.layer(i / 3 - 2), second = keys.layer(i / 3 - 1);
      const auto word = [](std::uint64_t half) { return static_cast<std::uint32_t>(half >> 32); };
      const auto low = [](std::uint64_t half) { return static_cast<std::uint32_t>(half); };
      put_layer<R>(first, layer_sum(first, 0, low(left), word(left)), out);
      put_layer<R>(second, layer_sum(second, word(right), low(right), 0), out + kHalfLayer);
      right = low(right);
      out += 2 * kHalfLayer;
    }
    R::of_numbers(keys.whitening(2) ^ right, 0).store_words(last, 8);
  }
};

template <bool kGfni, unsigned kRegisters>
struct BoxInstructionRounds<CamelliaRounds, kGfni, kRegisters> {
  using Type = CamelliaInBasis<kGfni>;
};

}  // namespace gpuctr

#endif
