// CAST-128 as table look-ups, for backends whose tables are out of an attacker's reach
// (kernels/gpu/cuda/kernel/tables/tables.cuh). The tables are the first four S-boxes. Before and
// after the rounds the state is words of four bytes with byte 0 lowest, two blocks side by side.
// During the rounds the state is big-endian numbers.
#ifndef GPUCTR_KERNELS_CIPHER_CAST5_CUDA_TABLES_H
#define GPUCTR_KERNELS_CIPHER_CAST5_CUDA_TABLES_H

#include <cstring>

#include "kernels/cipher/cast5/cast5.h"
#include "kernels/cipher/cuda_words.h"
#include "kernels/cipher/registry.h"

namespace gpuctr {

struct Cast5Tables {
  using Cipher = Cast5;
  static constexpr unsigned kRounds = Cipher::kRounds;
  static constexpr unsigned kKeyWords = Cipher::kRoundKeyWords;  // the last: 12 or 16 rounds
  static constexpr bool kTablesOfKey = false;
  static constexpr unsigned kTogether = 2;  // blocks of a lane in counter mode: 1, 2 or 4
  static constexpr unsigned kFixedWords = 2;

  static void lay_out_keys(const RoundKeys& keys, std::uint32_t* out) {
    std::memcpy(out, keys.bytes, 4 * kKeyWords);
  }

  // RFC 2144 2.2: round r, 0 to 15, of all blocks; its kind is r % 3.
  template <unsigned Kind, class Look>
  GPUCTR_HD static std::uint32_t f(const Look& look, const std::uint32_t* rk, unsigned r,
                                   std::uint32_t x) {
    const std::uint32_t key = rk[r];
    const std::uint32_t sum = Kind == 0 ? key + x : Kind == 1 ? key ^ x : key - x;
    const std::uint32_t at = tables::rotl_any(sum, rk[Cipher::kTurnsAt + r]);
    const std::uint32_t a = look.template word<0, 3>(at);
    const std::uint32_t b = look.template word<1, 2>(at);
    const std::uint32_t c = look.template word<2, 1>(at);
    const std::uint32_t d = look.template word<3, 0>(at);
    return Kind == 0 ? ((a ^ b) - c) + d : Kind == 1 ? ((a - b) + c) ^ d : ((a + b) ^ c) - d;
  }
  template <unsigned Kind, class Look, unsigned N>
  GPUCTR_HD static void round(const Look& look, const std::uint32_t* rk, unsigned r,
                              std::uint32_t (&to)[N], const std::uint32_t (&from)[N]) {
    GPUCTR_DEVICE_UNROLL
    for (unsigned q = 0; q < N; ++q) to[q] ^= f<Kind>(look, rk, r, from[q]);
  }
  // Six rounds, from round r on: all three kinds in both directions.
  template <class Look, unsigned N>
  GPUCTR_HD static void six(const Look& look, const std::uint32_t* rk, unsigned r,
                            std::uint32_t (&left)[N], std::uint32_t (&right)[N]) {
    round<0>(look, rk, r, left, right);
    round<1>(look, rk, r + 1, right, left);
    round<2>(look, rk, r + 2, left, right);
    round<0>(look, rk, r + 3, right, left);
    round<1>(look, rk, r + 4, left, right);
    round<2>(look, rk, r + 5, right, left);
  }
  template <class Look, unsigned N>
  GPUCTR_HD static void last_four(const Look& look, const std::uint32_t* rk,
                                  std::uint32_t (&left)[N], std::uint32_t (&right)[N]) {
    if (rk[Cipher::kRoundsAt] <= 12) return;
    round<0>(look, rk, 12, left, right);
    round<1>(look, rk, 13, right, left);
    round<2>(look, rk, 14, left, right);
    round<0>(look, rk, 15, right, left);
  }

  // N chunks of two blocks side by side. The keys include the number of rounds.
  template <class Look, unsigned N>
  GPUCTR_HD static void encrypt_blocks(const Look& look, const std::uint32_t* rk, unsigned,
                                       std::uint32_t (&s)[N][4]) {
    std::uint32_t left[2 * N], right[2 * N];
    tables::split_blocks(s, left, right);
    GPUCTR_DEVICE_LOOP
    for (unsigned r = 0; r < 12; r += 6) six(look, rk, r, left, right);
    last_four(look, rk, left, right);
    tables::join_blocks(right, left, s);
  }

  // Counter mode, for kTogether counters whose last bytes differ only in the upper bits. The first
  // round adds a key to all varying bytes and rotates the sum by another key. So before the first
  // look-up only the counter itself can be fixed.
  GPUCTR_HD static constexpr std::uint32_t apart(unsigned q) { return 256 / kTogether * q; }
  template <class Look>
  GPUCTR_HD static void fix(const Look&, const std::uint32_t*, std::uint32_t high,
                            std::uint32_t low, std::uint32_t (&fixed)[kFixedWords]) {
    fixed[0] = high;
    fixed[1] = low;
  }
  // byte_6 is byte 6 of the counter at its place in the low half; out: the halves in the order of
  // the block.
  template <class Look>
  GPUCTR_HD static void finish(const Look& look, const std::uint32_t* rk,
                               const std::uint32_t (&fixed)[kFixedWords], std::uint32_t byte_6,
                               std::uint32_t (&out)[kTogether][2]) {
    std::uint32_t left[kTogether], right[kTogether];
    GPUCTR_DEVICE_UNROLL
    for (unsigned q = 0; q < kTogether; ++q) {
      left[q] = fixed[0];
      right[q] = fixed[1] ^ byte_6 ^ apart(q);
    }
    six(look, rk, 0, left, right);
    six(look, rk, 6, left, right);
    last_four(look, rk, left, right);
    GPUCTR_DEVICE_UNROLL
    for (unsigned q = 0; q < kTogether; ++q) {
      out[q][0] = tables::turned(right[q]);
      out[q][1] = tables::turned(left[q]);
    }
  }
};

struct Cast5InverseTables : Cast5Tables {
  template <class Look, unsigned N>
  GPUCTR_HD static void encrypt_blocks(const Look& look, const std::uint32_t* rk, unsigned,
                                       std::uint32_t (&s)[N][4]) {
    std::uint32_t left[2 * N], right[2 * N];
    tables::split_blocks(s, left, right);
    if (rk[Cipher::kRoundsAt] > 12) {
      round<0>(look, rk, 15, left, right);
      round<2>(look, rk, 14, right, left);
      round<1>(look, rk, 13, left, right);
      round<0>(look, rk, 12, right, left);
    }
    GPUCTR_DEVICE_LOOP
    for (unsigned r = 12; r != 0; r -= 6) {
      round<2>(look, rk, r - 1, left, right);
      round<1>(look, rk, r - 2, right, left);
      round<0>(look, rk, r - 3, left, right);
      round<2>(look, rk, r - 4, right, left);
      round<1>(look, rk, r - 5, left, right);
      round<0>(look, rk, r - 6, right, left);
    }
    tables::join_blocks(right, left, s);
  }
};

}  // namespace gpuctr

#endif
