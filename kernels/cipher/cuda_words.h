// Words of four bytes, byte 0 lowest, for forms of ciphers with table look-ups.
#ifndef GPUCTR_KERNELS_CIPHER_CUDA_WORDS_H
#define GPUCTR_KERNELS_CIPHER_CUDA_WORDS_H

#include <cstdint>
#include <tuple>

#include "kernels/cipher/word.h"

// For loops in such a form.
#ifndef GPUCTR_DEVICE_UNROLL  // bit_sliced.h has the same
#ifdef __CUDA_ARCH__
#define GPUCTR_DEVICE_UNROLL _Pragma("unroll")
#else
#define GPUCTR_DEVICE_UNROLL
#endif
#endif
#ifdef __CUDA_ARCH__
#define GPUCTR_DEVICE_LOOP _Pragma("unroll 1")
#else
#define GPUCTR_DEVICE_LOOP
#endif

namespace gpuctr::tables {

// PRMT: byte i of the result is one of the eight bytes of a and b, selected by nibble i of kSelect.
template <unsigned kSelect>
GPUCTR_HD std::uint32_t permute(std::uint32_t a, std::uint32_t b) {
#ifdef __CUDA_ARCH__
  return __byte_perm(a, b, kSelect);
#else
  const std::uint64_t both = std::uint64_t{b} << 32 | a;
  std::uint32_t result = 0;
  for (unsigned i = 0; i < 4; ++i) {
    const unsigned from = kSelect >> (4 * i) & 7;
    result |= static_cast<std::uint32_t>(both >> (8 * from) & 0xff) << (8 * i);
  }
  return result;
#endif
}

GPUCTR_HD std::uint32_t bytes(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d) {
  return ((d * 256 + c) * 256 + b) * 256 + a;  // three IMAD on a device
}

// Reverses the bytes.
GPUCTR_HD std::uint32_t turned(std::uint32_t x) { return permute<0x0123>(x, 0); }

// Rotates by a multiple of 8, which may be 0.
GPUCTR_HD std::uint32_t rotl(std::uint32_t x, unsigned by) {
  return x << (by % 32) | x >> ((32 - by) % 32);
}

// Rotates by any number below 32 that depends on the key: SHF.
GPUCTR_HD std::uint32_t rotl_any(std::uint32_t x, std::uint32_t by) {
#ifdef __CUDA_ARCH__
  return __funnelshift_l(x, x, by);
#else
  return x << by | x >> ((32 - by) % 32);
#endif
}

// Converts the two 8-byte blocks of each of N chunks to halves as numbers, and back.
template <unsigned N, unsigned kBlocks>
GPUCTR_HD void split_blocks(const std::uint32_t (&s)[N][4], std::uint32_t (&left)[kBlocks],
                            std::uint32_t (&right)[kBlocks]) {
  static_assert(kBlocks == 2 * N);
  GPUCTR_DEVICE_UNROLL
  for (unsigned q = 0; q < N; ++q) {
    left[2 * q] = turned(s[q][0]), right[2 * q] = turned(s[q][1]);
    left[2 * q + 1] = turned(s[q][2]), right[2 * q + 1] = turned(s[q][3]);
  }
}
template <unsigned N, unsigned kBlocks>
GPUCTR_HD void join_blocks(const std::uint32_t (&left)[kBlocks],
                           const std::uint32_t (&right)[kBlocks], std::uint32_t (&s)[N][4]) {
  static_assert(kBlocks == 2 * N);
  GPUCTR_DEVICE_UNROLL
  for (unsigned q = 0; q < N; ++q) {
    s[q][0] = turned(left[2 * q]), s[q][1] = turned(right[2 * q]);
    s[q][2] = turned(left[2 * q + 1]), s[q][3] = turned(right[2 * q + 1]);
  }
}

// A cipher's forms for encryption and decryption, and the forms whose rounds they use: key sizes
// may share one form. A folder's cuda_tables.h defines folder::<name>_tables, a std::tuple with one
// of these for each cipher. test/gpu/host/tables_test.cpp compares them with the scalar backend.
template <class Encrypts, class Decrypts, class RoundsOfEncryption = Encrypts,
          class RoundsOfDecryption = Decrypts>
struct Forms {
  using Encryption = Encrypts;
  using Decryption = Decrypts;
  using EncryptionRounds = RoundsOfEncryption;
  using DecryptionRounds = RoundsOfDecryption;
};

}  // namespace gpuctr::tables

#endif
