// AVX2: as SSSE3, with vectors of 32 bytes.
#include <immintrin.h>

#include "kernels/backend/simd_machine.h"
#include "kernels/backend/x86_wipe.h"

namespace gpuctr {
namespace {

struct Avx2 : simd::Portable<32> {
  template <class V>
  GPUCTR_INLINE static V look_up(V table, V index) {
    return simd::as<V>(_mm256_shuffle_epi8(simd::as<__m256i>(table), simd::as<__m256i>(index)));
  }
  template <unsigned A, unsigned B, unsigned C, class V>
  GPUCTR_INLINE static V rot_xor(const V& word, V key) {
    return simd::rot_xor_by_tables<Avx2, A, B, C>(simd::read_and_park(word), key);
  }
  template <unsigned Size>
  GPUCTR_INLINE static void wipe_below() {
    simd::wipe_below<Size>();
  }
  GPUCTR_INLINE static void wipe_registers() { simd::wipe_ymm(); }
  template <class>
  static constexpr unsigned groups() {
    return 2;
  }
};

struct Narrow : simd::Portable<16> {
  template <class V>
  GPUCTR_INLINE static V look_up(V table, V index) {
    return simd::as<V>(_mm_shuffle_epi8(simd::as<__m128i>(table), simd::as<__m128i>(index)));
  }
  template <unsigned A, unsigned B, unsigned C, class V>
  GPUCTR_INLINE static V rot_xor(V v, V key) {
    return simd::rot_xor_by_tables<Narrow, A, B, C>(v, key);
  }
  GPUCTR_INLINE static void wipe_registers() { Avx2::wipe_registers(); }
};

bool available() { return __builtin_cpu_supports("avx2") != 0; }

}  // namespace

extern const Machine kAvx2Machine;
constexpr Machine kAvx2Machine = simd::make_machine<Avx2, Narrow>("avx2", available, AllCiphers{});

}  // namespace gpuctr
