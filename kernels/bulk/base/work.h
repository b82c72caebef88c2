// Descriptions of work: segments of keystream, whole blocks, runs of GCM. They own nothing; keys
// and data outlive the call that they are passed to.
#ifndef GPUCTR_KERNELS_BULK_BASE_WORK_H
#define GPUCTR_KERNELS_BULK_BASE_WORK_H

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "kernels/base/counter.h"
#include "kernels/cipher/registry.h"
#include "kernels/cpu/backend.h"
#include "kernels/gpu/layer.h"

namespace gpuctr {

constexpr std::size_t kGcmBlock = 16;  // of the ciphers in GCM, bytes

// The operation on whole blocks.
enum class BlockOperation { kEncrypt, kDecrypt };

// A piece of keystream with its own key, for CTR_DRBG and for many short messages at once.
struct BulkSegment {
  const RoundKeys* keys;                 // nullptr: the backend expands `key`
  std::uint8_t counter[kMaxBlockBytes];  // block_bytes used
  const std::uint8_t* in;                // nullptr: keystream only
  std::uint8_t* out;
  std::size_t bytes;
  const std::uint8_t* key = nullptr;  // key_bytes
};

namespace bulk {

// Whole blocks: each encrypted or decrypted by itself, or CBC decryption.
struct BlockWork {
  const CipherSpec& cipher;
  const CipherOps& cpu;
  const RoundKeys& keys;
  BlockOperation verb;
  // CBC decryption: the ciphertext block before in[0], host memory; nullptr: each block for itself.
  const std::uint8_t* before;
  const std::uint8_t* in;
  std::uint8_t* out;  // == in is allowed, no other overlap
  std::size_t bytes;  // a multiple of block_bytes

  bool chained() const { return before != nullptr && verb == BlockOperation::kDecrypt; }
  bool in_place() const { return in == out; }
  DeviceOperation device_operation() const {
    if (verb == BlockOperation::kEncrypt) return DeviceOperation::kEncrypt;
    return chained() ? DeviceOperation::kChain : DeviceOperation::kDecrypt;
  }
  // A part of it; `last` is the block before, where it is chained.
  BlockWork part(std::size_t at, std::size_t n, const std::uint8_t* last) const {
    return {cipher, cpu, keys, verb, last, in + at, out + at, n};
  }
};

// A run of GCM over whole blocks of 16 bytes: counter mode, and GHASH of the ciphertext, which is
// `out` where it encrypts, else `in`.
struct GcmWork {
  const CipherSpec& cipher;
  const CipherOps& cpu;
  const RoundKeys& keys;
  const std::uint8_t* counter;  // its last 32 bits count, and do not wrap in this run
  const GhashOps& ghash;
  const GhashKey& key;
  const std::uint8_t* h;  // that key's block, 16 bytes
  std::uint8_t* y;        // the hash so far, and then with this run, 16 bytes
  bool encrypts;
  const std::uint8_t* in;
  std::uint8_t* out;
  std::size_t bytes;
};

// Whether the CPU makes GCM's text in one loop (CipherOps::gcm). Where the key has more powers than
// the loop uses, two passes are faster, because the separate hash uses wider vectors.
inline bool in_one_loop(const CipherOps& cpu, const GhashOps& ghash) {
  return cpu.gcm != nullptr && cpu.gcm_powers == ghash.powers;
}

// A block, that of 16 bytes in one piece: a CPU waits where it loads more than was stored at once.
// Arrays of kMaxBlockBytes have room for 16 bytes only where a cipher of the build has such a
// block.
inline void copy_chain(std::uint8_t* to, const std::uint8_t* from, std::size_t block_bytes) {
  if (kMaxBlockBytes >= 16 && block_bytes == 16) {
    std::memcpy(to, from, 16);
  } else {
    copy_block(to, from, block_bytes);
  }
}

// Host memory only. Cannot fail, leaves no secret on the stack.
void run_blocks(const BlockWork& work);

// Finishes the work where a device has encrypted or decrypted each block by itself, into `made`:
// CBC's XOR, and the copy to the output.
void finish_blocks(const BlockWork& work, const std::uint8_t* made);

}  // namespace bulk
}  // namespace gpuctr

#endif
