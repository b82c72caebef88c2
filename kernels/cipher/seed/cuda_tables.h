// SEED as table look-ups, for backends whose tables are out of an attacker's reach
// (kernels/gpu/cuda/kernel/tables/tables.cuh). Round keys are words as numbers. Before and after
// the rounds the state is words of four bytes with byte 0 lowest; during the rounds the state is
// numbers.
#ifndef GPUCTR_KERNELS_CIPHER_SEED_CUDA_TABLES_H
#define GPUCTR_KERNELS_CIPHER_SEED_CUDA_TABLES_H

#include "kernels/cipher/cuda_words.h"
#include "kernels/cipher/registry.h"
#include "kernels/cipher/seed/seed.h"

namespace gpuctr {

struct SeedTables {
  using Cipher = Seed;
  static constexpr unsigned kRounds = Cipher::kRounds;
  static constexpr unsigned kKeyWords = 2 * kRounds;
  static constexpr unsigned kFixedWords = 6;

  // The stored table: both boxes of x, one byte each.
  static constexpr std::uint32_t stored(unsigned x) {
    return SeedBox1::at(x) | std::uint32_t{SeedBox2::at(x)} << 8;
  }
  // The contribution of byte `byte` of G's input: the box's value in all bytes, with two bits of
  // each byte dropped.
  GPUCTR_HD static std::uint32_t entry(unsigned byte, std::uint32_t stored_word) {
    return dropped(byte, stored_word >> (8 * (byte % 2)) & 0xff);
  }
  GPUCTR_HD static std::uint32_t dropped(unsigned byte, std::uint32_t value) {
    return value * 0x01010101u & tables::rotl(0x3fcff3fcu, 32 - 8 * byte);
  }

  static void lay_out_keys(const RoundKeys& keys, std::uint32_t* out) {
    for (unsigned i = 0; i < kKeyWords; ++i) out[i] = load_be<std::uint32_t>(keys.bytes + 4 * i);
  }

  template <unsigned Byte, class Look>
  GPUCTR_HD static std::uint32_t part(const Look& look, std::uint32_t x) {
    if constexpr (Look::kFour) {
      return look.template word<Byte, Byte>(x);
    } else {
      return dropped(Byte, look.template byte<Byte % 2, Byte>(x));
    }
  }
  template <class Look>
  GPUCTR_HD static std::uint32_t mix(const Look& look, std::uint32_t x) {
    return part<0>(look, x) ^ part<1>(look, x) ^ part<2>(look, x) ^ part<3>(look, x);
  }

  // The rest of F after its first G, whose result is t; c is the first half with its key.
  template <class Look>
  GPUCTR_HD static void half_round(const Look& look, std::uint32_t t, std::uint32_t c,
                                   std::uint32_t* left) {
    const std::uint32_t u = mix(look, t + c);
    t = mix(look, t + u);
    left[0] ^= t + u;
    left[1] ^= t;
  }
  template <class Look>
  GPUCTR_HD static void round(const Look& look, const std::uint32_t* key,
                              const std::uint32_t* right, std::uint32_t* left) {
    const std::uint32_t c = right[0] ^ key[0];
    half_round(look, mix(look, c ^ right[1] ^ key[1]), c, left);
  }
  template <class Look>
  GPUCTR_HD static void two_rounds(const Look& look, const std::uint32_t* key,
                                   std::uint32_t (&s)[4]) {
    round(look, key, s + 2, s);
    round(look, key + 2, s, s + 2);
  }

  GPUCTR_HD static void to_numbers(std::uint32_t (&s)[4]) {
    for (unsigned i = 0; i < 4; ++i) s[i] = tables::turned(s[i]);
  }
  // The halves are swapped after the last round.
  GPUCTR_HD static void to_block(std::uint32_t (&s)[4]) {
    const std::uint32_t a = tables::turned(s[2]), b = tables::turned(s[3]),
                        c = tables::turned(s[0]), d = tables::turned(s[1]);
    s[0] = a, s[1] = b, s[2] = c, s[3] = d;
  }

  // Blocks side by side.
  template <class Look, unsigned N>
  GPUCTR_HD static void encrypt_blocks(const Look& look, const std::uint32_t* rk, unsigned rounds,
                                       std::uint32_t (&s)[N][4]) {
    GPUCTR_DEVICE_UNROLL
    for (unsigned q = 0; q < N; ++q) to_numbers(s[q]);
    GPUCTR_DEVICE_LOOP
    for (unsigned r = 0; r < rounds; r += 2) {
      GPUCTR_DEVICE_UNROLL
      for (unsigned q = 0; q < N; ++q) two_rounds(look, rk + 2 * r, s[q]);
    }
    GPUCTR_DEVICE_UNROLL
    for (unsigned q = 0; q < N; ++q) to_block(s[q]);
  }

  // Counter mode with all bytes of the counter fixed except byte 14. Byte 14 enters one byte of the
  // first G; fixed[0] is the contribution of G's other three bytes. The rest of `fixed` is the
  // counter block as numbers and the first round's c.
  template <class Look>
  GPUCTR_HD static void row(const Look& look, const std::uint32_t* rk, const std::uint32_t* counter,
                            unsigned byte_14, std::uint32_t (&out)[4]) {
    out[0] = part<1>(look, tables::turned(counter[2]) ^ rk[0] ^ byte_14 << 8 ^ rk[1]);
    out[1] = byte_14 << 8;
    out[2] = out[3] = 0;
  }
  template <class Look>
  GPUCTR_HD static void fix(const Look& look, const std::uint32_t* rk, const std::uint32_t* counter,
                            std::uint32_t (&fixed)[kFixedWords]) {
    const std::uint32_t c = tables::turned(counter[2]) ^ rk[0];
    const std::uint32_t d = tables::turned(counter[3]) & 0xffff00ff;
    const std::uint32_t x = c ^ d ^ rk[1];
    fixed[0] = part<0>(look, x) ^ part<2>(look, x) ^ part<3>(look, x);
    fixed[1] = c;
    fixed[2] = tables::turned(counter[0]), fixed[3] = tables::turned(counter[1]);
    fixed[4] = tables::turned(counter[2]), fixed[5] = d;
  }
  template <class Look>
  GPUCTR_HD static void finish(const Look& look, const std::uint32_t* rk,
                               const std::uint32_t (&fixed)[kFixedWords], std::uint32_t (&s)[4]) {
    const std::uint32_t t = s[0] ^ fixed[0], byte_14 = s[1];
    s[0] = fixed[2], s[1] = fixed[3], s[2] = fixed[4], s[3] = fixed[5] ^ byte_14;
    half_round(look, t, fixed[1], s);
    round(look, rk + 2, s, s + 2);
    GPUCTR_DEVICE_UNROLL
    for (unsigned r = 2; r < kRounds; r += 2) two_rounds(look, rk + 2 * r, s);
    to_block(s);
  }
};

// Decryption is encryption with the round keys in reverse order.
struct SeedInverseTables : SeedTables {
  static void lay_out_keys(const RoundKeys& keys, std::uint32_t* out) {
    for (unsigned i = 0; i < kKeyWords; ++i) {
      out[i] = load_be<std::uint32_t>(keys.bytes + 4 * ((kKeyWords - 2 - i / 2 * 2) + i % 2));
    }
  }
};

namespace folder {
using seed_tables = std::tuple<tables::Forms<SeedTables, SeedInverseTables>>;
}

}  // namespace gpuctr

#endif
