// GCM in one loop of counter mode and GHASH: CipherOps::gcm.
#ifndef GPUCTR_KERNELS_CPU_BASE_GCM_TEXT_H
#define GPUCTR_KERNELS_CPU_BASE_GCM_TEXT_H

#include <cstddef>
#include <cstdint>

namespace gpuctr {

struct GhashKey;
struct ManyText;  // many.h
struct RoundKeys;

struct GcmText {
  const std::uint8_t* counter;  // the first counter block; its last 32 bits count, and do not wrap
  std::uint8_t* mask;  // nullptr; or 16 bytes for the first block, encrypted: the text has the next
  const std::uint8_t* before;  // nullptr, or a block that is hashed before the text
  const std::uint8_t* in;
  std::uint8_t* out;
  std::size_t blocks;  // whole blocks, any number
  std::uint8_t*
      after;  // nullptr; or 16 bytes for the encrypted block of the counter after the text
};

// Counter mode as CipherOps::ctr, and `y` as in GhashOps::update over the ciphertext: `out` in
// encryption, `in` in decryption. The counter is public. `hash` has GcmUnit::powers powers
// (GhashOps::powers), or as many as blocks are hashed.
using GcmOperation = void(const RoundKeys& keys, bool encrypts, const GhashKey& hash,
                          std::uint8_t* y, const GcmText& text);

// A message whose IV has 12 bytes, with its tag. `powers` has as many as GcmOperation's, or as many
// as the message has blocks, associated data and lengths included. Leaves secrets on the stack and
// in registers, like ManyOps.
using GcmMessageOperation = void(const RoundKeys& keys, bool encrypts, const GhashKey& powers,
                                 const ManyText& text);

struct GcmUnit {
  GcmOperation* crypt;
  GcmMessageOperation* message;
  unsigned powers;
};

}  // namespace gpuctr

#endif
