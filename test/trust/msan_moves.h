// Included before a CPU backend's file in the MemorySanitizer build of trust.constant_time_msan,
// and in no other. clang 14 does not know what some of the backends' instructions do with undefined
// bits: it reports GF2P8AFFINE(INV)QB and assembly where an operand is undefined, and takes the
// result for defined; of AES's rounds and of products it takes the bits one by one; of VPSHUFB it
// takes the bits one by one, so that an index of 4 bits hides 4 of 8 bits. Here the result of all
// these is undefined as soon as a bit of an operand is.
#ifndef GPUCTR_TEST_TRUST_MSAN_MOVES_H
#define GPUCTR_TEST_TRUST_MSAN_MOVES_H

#include <immintrin.h>
#include <sanitizer/msan_interface.h>

// What the backends' files include of the system, before __asm__ means something else.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "kernels/cipher/logic.h"

// Not inlined: there are thousands of calls. Unnamed: each backend's file has its own instruction
// set. Nothing is thrown: of a call that an object's end follows on the way of an exception, which
// is an invoke, clang 14 takes the result for defined where two ways meet after it.
#define GPUCTR_MSAN_MOVE [[maybe_unused]] __attribute__((noinline, nothrow))

namespace gpuctr::msan {
namespace {

// move(a, b) on defined values, and then as undefined as they were.
template <class V, class Move>
V through(V a, V b, Move move) {
  const bool secret =
      __msan_test_shadow(&a, sizeof a) != -1 || __msan_test_shadow(&b, sizeof b) != -1;
  __msan_unpoison(&a, sizeof a);
  __msan_unpoison(&b, sizeof b);
  V out = move(a, b);
  if (secret) __msan_poison(&out, sizeof out);
  return out;
}

#ifdef __SSSE3__
GPUCTR_MSAN_MOVE __m128i shuffle(__m128i a, __m128i b) {
  return through(a, b, [](__m128i x, __m128i y) { return _mm_shuffle_epi8(x, y); });
}
#define _mm_shuffle_epi8(a, b) gpuctr::msan::shuffle(a, b)
#endif

GPUCTR_MSAN_MOVE __m128i high_products(__m128i a, __m128i b) {
  return through(a, b, [](__m128i x, __m128i y) { return _mm_mulhi_epu16(x, y); });
}
#define _mm_mulhi_epu16(a, b) gpuctr::msan::high_products(a, b)

#ifdef __AVX2__
GPUCTR_MSAN_MOVE __m256i high_products(__m256i a, __m256i b) {
  return through(a, b, [](__m256i x, __m256i y) { return _mm256_mulhi_epu16(x, y); });
}
#define _mm256_mulhi_epu16(a, b) gpuctr::msan::high_products(a, b)

GPUCTR_MSAN_MOVE __m256i shuffle(__m256i a, __m256i b) {
  return through(a, b, [](__m256i x, __m256i y) { return _mm256_shuffle_epi8(x, y); });
}
#define _mm256_shuffle_epi8(a, b) gpuctr::msan::shuffle(a, b)
#endif

#ifdef __AVX512BW__
GPUCTR_MSAN_MOVE __m512i high_products(__m512i a, __m512i b) {
  return through(a, b, [](__m512i x, __m512i y) { return _mm512_mulhi_epu16(x, y); });
}
#define _mm512_mulhi_epu16(a, b) gpuctr::msan::high_products(a, b)
#endif

#ifdef __AVX512VBMI__
// An index, or a secret table.
GPUCTR_MSAN_MOVE __m512i look_up(__m512i a, __m512i index, __m512i b) {
  const bool secret = __msan_test_shadow(&b, sizeof b) != -1;
  __msan_unpoison(&b, sizeof b);
  __m512i out =
      through(a, index, [&](__m512i x, __m512i at) { return _mm512_permutex2var_epi8(x, at, b); });
  if (secret) __msan_poison(&out, sizeof out);
  return out;
}
GPUCTR_MSAN_MOVE __m512i look_up(__m512i index, __m512i a) {
  return through(index, a, [](__m512i at, __m512i x) { return _mm512_permutexvar_epi8(at, x); });
}
#define _mm512_permutex2var_epi8(a, index, b) gpuctr::msan::look_up(a, index, b)
#define _mm512_maskz_permutexvar_epi8(k, index, a) \
  _mm512_maskz_mov_epi8(k, gpuctr::msan::look_up(index, a))
#define _mm512_maskz_permutex2var_epi8(k, a, index, b) \
  _mm512_maskz_mov_epi8(k, gpuctr::msan::look_up(a, index, b))
#endif

#ifdef __AVX512F__
GPUCTR_MSAN_MOVE __m512i shuffle(__m512i a, __m512i b) {
  return through(a, b, [](__m512i x, __m512i y) { return _mm512_shuffle_epi8(x, y); });
}
#define _mm512_shuffle_epi8(a, b) gpuctr::msan::shuffle(a, b)
#endif

// Any function of three bits, made of C++ operators: MemorySanitizer follows these bit by bit.
#if defined(__AVX512F__) && defined(__AVX512VL__)
#define _mm_ternarylogic_epi64(a, b, c, map) gpuctr::logic3<map>(a, b, c)
#define _mm256_ternarylogic_epi64(a, b, c, map) gpuctr::logic3<map>(a, b, c)
#define _mm512_ternarylogic_epi64(a, b, c, map) gpuctr::logic3<map>(a, b, c)
#endif

#ifdef __AES__
#define GPUCTR_MSAN_AES(V, instruction)                               \
  GPUCTR_MSAN_MOVE V of_##instruction(V a, V b) {                     \
    return through(a, b, [](V x, V y) { return instruction(x, y); }); \
  }
GPUCTR_MSAN_AES(__m128i, _mm_aesenc_si128)
GPUCTR_MSAN_AES(__m128i, _mm_aesenclast_si128)
GPUCTR_MSAN_AES(__m128i, _mm_aesdec_si128)
GPUCTR_MSAN_AES(__m128i, _mm_aesdeclast_si128)
GPUCTR_MSAN_MOVE __m128i of_aesimc(__m128i a) {
  return through(a, a, [](__m128i x, __m128i) { return _mm_aesimc_si128(x); });
}
#define _mm_aesenc_si128(a, b) gpuctr::msan::of__mm_aesenc_si128(a, b)
#define _mm_aesenclast_si128(a, b) gpuctr::msan::of__mm_aesenclast_si128(a, b)
#define _mm_aesdec_si128(a, b) gpuctr::msan::of__mm_aesdec_si128(a, b)
#define _mm_aesdeclast_si128(a, b) gpuctr::msan::of__mm_aesdeclast_si128(a, b)
#define _mm_aesimc_si128(a) gpuctr::msan::of_aesimc(a)
#endif

#ifdef __VAES__
GPUCTR_MSAN_AES(__m256i, _mm256_aesenc_epi128)
GPUCTR_MSAN_AES(__m256i, _mm256_aesenclast_epi128)
GPUCTR_MSAN_AES(__m256i, _mm256_aesdec_epi128)
GPUCTR_MSAN_AES(__m256i, _mm256_aesdeclast_epi128)
#define _mm256_aesenc_epi128(a, b) gpuctr::msan::of__mm256_aesenc_epi128(a, b)
#define _mm256_aesenclast_epi128(a, b) gpuctr::msan::of__mm256_aesenclast_epi128(a, b)
#define _mm256_aesdec_epi128(a, b) gpuctr::msan::of__mm256_aesdec_epi128(a, b)
#define _mm256_aesdeclast_epi128(a, b) gpuctr::msan::of__mm256_aesdeclast_epi128(a, b)
#ifdef __AVX512F__
GPUCTR_MSAN_AES(__m512i, _mm512_aesenc_epi128)
GPUCTR_MSAN_AES(__m512i, _mm512_aesenclast_epi128)
GPUCTR_MSAN_AES(__m512i, _mm512_aesdec_epi128)
GPUCTR_MSAN_AES(__m512i, _mm512_aesdeclast_epi128)
#define _mm512_aesenc_epi128(a, b) gpuctr::msan::of__mm512_aesenc_epi128(a, b)
#define _mm512_aesenclast_epi128(a, b) gpuctr::msan::of__mm512_aesenclast_epi128(a, b)
#define _mm512_aesdec_epi128(a, b) gpuctr::msan::of__mm512_aesdec_epi128(a, b)
#define _mm512_aesdeclast_epi128(a, b) gpuctr::msan::of__mm512_aesdeclast_epi128(a, b)
#endif
#endif

#ifdef __GFNI__
template <int Constant>
GPUCTR_MSAN_MOVE __m128i affine(__m128i a, __m128i b) {
  return through(a, b,
                 [](__m128i x, __m128i y) { return _mm_gf2p8affine_epi64_epi8(x, y, Constant); });
}
#undef _mm_gf2p8affine_epi64_epi8
#define _mm_gf2p8affine_epi64_epi8(a, b, constant) gpuctr::msan::affine<constant>(a, b)

#ifdef __AVX2__
template <int Constant>
GPUCTR_MSAN_MOVE __m256i affine(__m256i a, __m256i b) {
  return through(
      a, b, [](__m256i x, __m256i y) { return _mm256_gf2p8affine_epi64_epi8(x, y, Constant); });
}
#undef _mm256_gf2p8affine_epi64_epi8
#define _mm256_gf2p8affine_epi64_epi8(a, b, constant) gpuctr::msan::affine<constant>(a, b)
#endif

#ifdef __AVX512F__
template <int Constant>
GPUCTR_MSAN_MOVE __m512i affine(__m512i a, __m512i b) {
  return through(
      a, b, [](__m512i x, __m512i y) { return _mm512_gf2p8affine_epi64_epi8(x, y, Constant); });
}
#undef _mm512_gf2p8affine_epi64_epi8
#define _mm512_gf2p8affine_epi64_epi8(a, b, constant) gpuctr::msan::affine<constant>(a, b)
#endif
#endif

}  // namespace
}  // namespace gpuctr::msan

// The empty assembly that only holds the optimiser back (Counter::from, in_integer_register,
// read_then_spill, hold) is left out. Other `__asm__ __volatile__` does something, and stays.
#define __asm__(...)
#define GPUCTR_HOLD(v)

#ifdef __GFNI__
namespace gpuctr::msan {
namespace {

template <int Constant>
GPUCTR_MSAN_MOVE __m128i affine_inverse(__m128i a, __m128i b) {
  return through(
      a, b, [](__m128i x, __m128i y) { return _mm_gf2p8affineinv_epi64_epi8(x, y, Constant); });
}
#undef _mm_gf2p8affineinv_epi64_epi8
#define _mm_gf2p8affineinv_epi64_epi8(a, b, constant) gpuctr::msan::affine_inverse<constant>(a, b)

#ifdef __AVX2__
template <int Constant>
GPUCTR_MSAN_MOVE __m256i affine_inverse(__m256i a, __m256i b) {
  return through(
      a, b, [](__m256i x, __m256i y) { return _mm256_gf2p8affineinv_epi64_epi8(x, y, Constant); });
}
#undef _mm256_gf2p8affineinv_epi64_epi8
#define _mm256_gf2p8affineinv_epi64_epi8(a, b, constant) \
  gpuctr::msan::affine_inverse<constant>(a, b)
#endif

#ifdef __AVX512F__
template <int Constant>
GPUCTR_MSAN_MOVE __m512i affine_inverse(__m512i a, __m512i b) {
  return through(
      a, b, [](__m512i x, __m512i y) { return _mm512_gf2p8affineinv_epi64_epi8(x, y, Constant); });
}
#undef _mm512_gf2p8affineinv_epi64_epi8
#define _mm512_gf2p8affineinv_epi64_epi8(a, b, constant) \
  gpuctr::msan::affine_inverse<constant>(a, b)
#endif

}  // namespace
}  // namespace gpuctr::msan
#endif

#endif
