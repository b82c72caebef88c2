// NEON: vectors of 16 bytes, part of every AArch64 CPU. TBL looks up HIGHT's F0 and F1.
#include <arm_neon.h>

#include "kernels/backend/simd_engine.h"

namespace gpuctr {
namespace {

struct Neon : simd::Portable<16> {
  template <class V>
  GPUCTR_INLINE static V look_up(V table, V index) {
    return simd::as<V>(vqtbl1q_u8(simd::as<uint8x16_t>(table), simd::as<uint8x16_t>(index)));
  }
  template <unsigned A, unsigned B, unsigned C, class V>
  GPUCTR_INLINE static V rot_xor(V v) {
    return simd::rot_xor_by_tables<Neon, A, B, C>(v);
  }
  template <class Cipher>
  static constexpr unsigned groups() {
    return 2;
  }
};

bool available() { return true; }

}  // namespace

extern const Machine kNeonMachine;
constexpr Machine kNeonMachine = simd::make_machine<Neon>("neon", available, AllCiphers{});

}  // namespace gpuctr
