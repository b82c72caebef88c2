// A text of GCM for CipherOps::gcm.
#ifndef GPUCTR_KERNELS_CPU_BASE_GCM_TEXT_H
#define GPUCTR_KERNELS_CPU_BASE_GCM_TEXT_H

#include <cstddef>
#include <cstdint>

namespace gpuctr {

struct GhashKey;
struct RoundKeys;

struct GcmText {
  const std::uint8_t* counter;  // the first counter block; its last 32 bits count, and do not wrap
  std::uint8_t* mask;  // nullptr; or 16 bytes for the encrypted block of the counter before that
  const std::uint8_t* before;  // nullptr, or a block that is hashed before the text
  const std::uint8_t* in;
  std::uint8_t* out;
  std::size_t blocks;  // whole blocks, any number
  std::uint8_t*
      after;  // nullptr; or 16 bytes for the encrypted block of the counter after the text
};

// Counter mode as CipherOps::ctr, and `y` as in GhashOps::update over the ciphertext: `out` in
// encryption, `in` in decryption. The counter is public. `hash` has CipherOps::gcm_powers powers
// (GhashOps::powers), or as many as blocks are hashed.
using GcmOperation = void(const RoundKeys& keys, bool encrypts, const GhashKey& hash,
                          std::uint8_t* y, const GcmText& text);

struct GcmUnit {
  GcmOperation* crypt;
  unsigned powers;  // CipherOps::gcm_powers
};

}  // namespace gpuctr

#endif
