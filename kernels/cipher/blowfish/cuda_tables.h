// Blowfish as table look-ups, for backends whose tables are out of an attacker's reach
// (kernels/gpu/cuda/kernel/tables/tables.cuh). The tables are the S-boxes, which are made from the
// key. Before and after the rounds the state is words of four bytes with byte 0 lowest, two blocks
// side by side. During the rounds the state is big-endian numbers.
#ifndef GPUCTR_KERNELS_CIPHER_BLOWFISH_CUDA_TABLES_H
#define GPUCTR_KERNELS_CIPHER_BLOWFISH_CUDA_TABLES_H

#include <cstring>

#include "kernels/cipher/blowfish/blowfish.h"
#include "kernels/cipher/cuda_words.h"
#include "kernels/cipher/registry.h"

namespace gpuctr {

struct BlowfishTables {
  using Cipher = Blowfish;
  static constexpr unsigned kRounds = Cipher::kRounds;
  static constexpr unsigned kKeyWords = Cipher::kRoundKeyWords;
  static constexpr bool kTablesOfKey = true;
  static constexpr unsigned kTogether = 2;  // blocks of a lane in counter mode: 1, 2 or 4
  static constexpr unsigned kFixedWords = 3 + kTogether;

  static void lay_out_keys(const RoundKeys& keys, std::uint32_t* out) {
    std::memcpy(out, keys.bytes, 4 * kKeyWords);
  }
  // Four tables of 256.
  GPUCTR_HD static const std::uint32_t* table_words(const std::uint32_t* rk) {
    return rk + Cipher::kBoxesAt;
  }

  template <class Look>
  GPUCTR_HD static std::uint32_t high_bytes(const Look& look, std::uint32_t x) {
    return look.template word<0, 3>(x) + look.template word<1, 2>(x);
  }
  template <class Look>
  GPUCTR_HD static std::uint32_t f(const Look& look, std::uint32_t x) {
    return (high_bytes(look, x) ^ look.template word<2, 1>(x)) + look.template word<3, 0>(x);
  }
  // Round i, 1 to 16, of all blocks.
  template <class Look, unsigned N>
  GPUCTR_HD static void round(const Look& look, std::uint32_t key, std::uint32_t (&to)[N],
                              const std::uint32_t (&from)[N]) {
    GPUCTR_DEVICE_UNROLL
    for (unsigned q = 0; q < N; ++q) to[q] ^= key ^ f(look, from[q]);
  }

  // N chunks of two blocks side by side.
  template <class Look, unsigned N>
  GPUCTR_HD static void encrypt_blocks(const Look& look, const std::uint32_t* rk, unsigned rounds,
                                       std::uint32_t (&s)[N][4]) {
    std::uint32_t left[2 * N], right[2 * N];
    tables::split_blocks(s, left, right);
    GPUCTR_DEVICE_UNROLL
    for (unsigned q = 0; q < 2 * N; ++q) left[q] ^= rk[0];
    GPUCTR_DEVICE_LOOP
    for (unsigned i = 1; i <= rounds; i += 2) {
      round(look, rk[i], right, left);
      round(look, rk[i + 1], left, right);
    }
    GPUCTR_DEVICE_UNROLL
    for (unsigned q = 0; q < 2 * N; ++q) right[q] ^= rk[kRounds + 1];
    tables::join_blocks(right, left, s);
  }

  // Counter mode with all bytes of the counter fixed except byte 6, for kTogether counters. Their
  // last bytes differ only in the upper bits. Round 1 is the same for all. In round 2 byte 6 enters
  // one S-box, once for all of them. fixed[0] is the contribution of the higher bytes to round 2,
  // fixed[3 + q] that of the last byte. fixed[1] is the S-box input of round 2 from the first
  // counter's low half, and fixed[2] the half that round 2 changes.
  GPUCTR_HD static constexpr std::uint32_t apart(unsigned q) { return 256 / kTogether * q; }
  template <class Look>
  GPUCTR_HD static void fix(const Look& look, const std::uint32_t* rk, std::uint32_t high,
                            std::uint32_t low, std::uint32_t (&fixed)[kFixedWords]) {
    const std::uint32_t left = high ^ rk[0];
    fixed[1] = low ^ rk[1] ^ f(look, left);
    fixed[0] = high_bytes(look, fixed[1]);
    fixed[2] = left ^ rk[2];
    GPUCTR_DEVICE_UNROLL
    for (unsigned q = 0; q < kTogether; ++q)
      fixed[3 + q] = look.template word<3, 0>(fixed[1] ^ apart(q));
  }
  // byte_6 is byte 6 of the counter at its place in the low half; out: the halves in the order of
  // the block.
  template <class Look>
  GPUCTR_HD static void finish(const Look& look, const std::uint32_t* rk,
                               const std::uint32_t (&fixed)[kFixedWords], std::uint32_t byte_6,
                               std::uint32_t (&out)[kTogether][2]) {
    const std::uint32_t low = fixed[1] ^ byte_6;
    const std::uint32_t shared = fixed[0] ^ look.template word<2, 1>(low);
    std::uint32_t left[kTogether], right[kTogether];
    GPUCTR_DEVICE_UNROLL
    for (unsigned q = 0; q < kTogether; ++q) {
      right[q] = low ^ apart(q);
      left[q] = fixed[2] ^ (shared + fixed[3 + q]);
    }
    GPUCTR_DEVICE_UNROLL
    for (unsigned i = 3; i <= kRounds; i += 2) {
      round(look, rk[i], right, left);
      round(look, rk[i + 1], left, right);
    }
    GPUCTR_DEVICE_UNROLL
    for (unsigned q = 0; q < kTogether; ++q) {
      out[q][0] = tables::turned(right[q] ^ rk[kRounds + 1]);
      out[q][1] = tables::turned(left[q]);
    }
  }
};

// Decryption is encryption with P in reverse.
struct BlowfishInverseTables : BlowfishTables {
  static void lay_out_keys(const RoundKeys& keys, std::uint32_t* out) {
    BlowfishTables::lay_out_keys(keys, out);
    for (unsigned i = 0; i < kBoxesAt; ++i)
      std::memcpy(out + i, keys.bytes + 4 * (kBoxesAt - 1 - i), 4);
  }

 private:
  static constexpr unsigned kBoxesAt = Cipher::kBoxesAt;
};

}  // namespace gpuctr

#endif
