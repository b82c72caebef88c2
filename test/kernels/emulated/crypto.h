// Models of the instructions for AES, GF(2^8) and products without carries: crypto.cpp.
#ifndef GPUCTR_TEST_KERNELS_EMULATED_CRYPTO_H
#define GPUCTR_TEST_KERNELS_EMULATED_CRYPTO_H

#include "test/kernels/emulated/lanes.h"

namespace gpuctr::emulated {

// On `bytes` bytes at `x`, lanes of 16 bytes, in place.
void run_aes_rounds(std::uint8_t* x, const std::uint8_t* keys, unsigned bytes, bool inverts,
                    bool mixes);
void aes_mix_inversely(std::uint8_t* x);  // one lane
void run_affine(std::uint8_t* x, const std::uint8_t* matrices, unsigned bytes, unsigned constant,
                bool of_inverse);
void run_carryless(std::uint8_t* x, const std::uint8_t* y, unsigned bytes, unsigned halves);

namespace {

template <class V>
V aes_rounds(V v, V keys, bool inverts, bool mixes) {
  Lanes<std::uint8_t, V> x(v);
  run_aes_rounds(x.of, Lanes<std::uint8_t, V>(keys).of, sizeof v, inverts, mixes);
  return x;
}
template <class V>
V affine(V v, V matrices, int constant, bool of_inverse) {
  Lanes<std::uint8_t, V> x(v);
  run_affine(x.of, Lanes<std::uint8_t, V>(matrices).of, sizeof v, static_cast<unsigned>(constant),
             of_inverse);
  return x;
}
template <class V>
V carryless(V a, V b, int halves) {
  Lanes<std::uint8_t, V> x(a);
  run_carryless(x.of, Lanes<std::uint8_t, V>(b).of, sizeof a, static_cast<unsigned>(halves));
  return x;
}

}  // namespace
}  // namespace gpuctr::emulated

#endif
