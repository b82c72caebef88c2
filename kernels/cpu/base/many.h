// Many messages in one call, under keys of their own: the data of the operation (cpu/many/many.h),
// and the functions of a backend whose vectors hold blocks of different messages.
#ifndef GPUCTR_KERNELS_CPU_BASE_MANY_H
#define GPUCTR_KERNELS_CPU_BASE_MANY_H

#include <cstddef>
#include <cstdint>

namespace gpuctr {

struct RoundKeys;  // kernels/cipher/registry.h

enum class ManyMode { kCtr, kCbc, kGcm, kCcm };

// What the messages of a call share.
struct ManyBatch {
  ManyMode mode = ManyMode::kCtr;
  bool encrypts = true;
  std::size_t key_bytes = 0;
  // CTR and CBC: at most a block; zeros precede a shorter IV. GCM: 1 or more. CCM: 7 to 13.
  std::size_t iv_bytes = 0;
  // CTR: the counter is the last bits of the block and wraps there; 0: all bits of the block.
  unsigned counter_bits = 0;
  std::size_t tag_bytes = 16;           // CCM: the first block of the MAC states it
  const std::uint8_t* tweak = nullptr;  // for a cipher with a tweak; nullptr: zeros
};

// One message. It has `key`, or `keys`, or both. Pointers need no alignment, except `keys`.
struct ManyText {
  const std::uint8_t* key = nullptr;   // key_bytes
  const RoundKeys* keys = nullptr;     // the expanded key, with its tweak
  const std::uint8_t* hash = nullptr;  // GCM: the encrypted zero block, 16 bytes, if it is known
  const std::uint8_t* iv = nullptr;    // iv_bytes
  const std::uint8_t* in = nullptr;    // CBC: whole blocks
  std::uint8_t* out = nullptr;         // `in`, or bytes that no other text of the call has
  std::size_t n = 0;
  const std::uint8_t* aad = nullptr;  // GCM and CCM
  std::size_t aad_bytes = 0;
  std::uint8_t* tag = nullptr;  // GCM and CCM: the whole tag, 16 bytes, is written
};

}  // namespace gpuctr

#endif
