// Descriptions of work: segments of keystream, whole blocks, runs of GCM. A description owns
// nothing; its keys and data must outlive the call that takes it.
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

constexpr std::size_t kGcmBlock = 16;  // block size of the ciphers in GCM, bytes

// The operation on whole blocks.
enum class BlockOperation { kEncrypt, kDecrypt };

// A piece of keystream with its own key, for CTR_DRBG and for many short messages at once.
struct BulkSegment {
  const RoundKeys* keys;                 // nullptr: the backend expands `key`
  std::uint8_t counter[kMaxBlockBytes];  // the first block_bytes are used
  const std::uint8_t* in;                // nullptr: keystream only
  std::uint8_t* out;
  std::size_t bytes;
  const std::uint8_t* key = nullptr;  // key_bytes
};

namespace bulk {

// Whole blocks: ECB encryption, ECB decryption, CBC decryption or CFB decryption.
struct BlockWork {
  const CipherSpec& cipher;
  const CipherOps& cpu;
  const RoundKeys& keys;
  BlockOperation operation;
  // The ciphertext block before in[0], in host memory. With kDecrypt the work is CBC decryption,
  // with kEncrypt CFB decryption. nullptr: ECB.
  const std::uint8_t* before;
  const std::uint8_t* in;
  std::uint8_t* out;  // may equal `in`; no other overlap is allowed
  std::size_t bytes;  // a multiple of block_bytes

  // Whether each block needs the ciphertext block before it.
  bool chained() const { return before != nullptr; }
  bool is_cfb() const { return chained() && operation == BlockOperation::kEncrypt; }
  bool in_place() const { return in == out; }
  DeviceOperation device_operation() const {
    if (is_cfb()) return DeviceOperation::kFeedback;
    if (operation == BlockOperation::kEncrypt) return DeviceOperation::kEncrypt;
    return chained() ? DeviceOperation::kChain : DeviceOperation::kDecrypt;
  }
  // A part of the work; `last` is the ciphertext block before the part, nullptr for ECB.
  BlockWork part(std::size_t at, std::size_t n, const std::uint8_t* last) const {
    return {cipher, cpu, keys, operation, last, in + at, out + at, n};
  }
};

// A run of GCM over whole blocks of 16 bytes: counter mode, and GHASH of the ciphertext. The
// ciphertext is `out` for encryption, `in` for decryption.
struct GcmWork {
  const CipherSpec& cipher;
  const CipherOps& cpu;
  const RoundKeys& keys;
  const std::uint8_t* counter;  // its last 32 bits are the counter, and do not wrap in this run
  const GhashOps& ghash;
  const GhashKey& key;
  const std::uint8_t* h;  // the hash key H of `keys`, 16 bytes
  std::uint8_t* y;        // in: the hash before this run; out: the hash after it; 16 bytes
  bool encrypts;
  const std::uint8_t* in;
  std::uint8_t* out;
  std::size_t bytes;
};

// Host memory only. Cannot fail; leaves no secret on the stack.
void run_blocks(const BlockWork& work);

// Finishes work whose blocks a device has encrypted or decrypted (ECB) into `made`: the XOR of CBC
// and CFB, and the copy to the output. In CFB `made` has the encrypted blocks before each block.
void finish_blocks(const BlockWork& work, const std::uint8_t* made);

}  // namespace bulk
}  // namespace gpuctr

#endif
