// The narrow waist: fill or XOR n bytes of keystream, given (cipher, round keys, counter block).
//
// Above it are the EVP ciphers and CTR_DRBG, below it the machines. The engine picks the machine,
// splits the work, reads ahead and falls back; its callers only name the bytes they want.
#ifndef GPUCTR_KERNELS_BULK_H
#define GPUCTR_KERNELS_BULK_H

#include <cstddef>
#include <cstdint>
#include <memory>

#include "kernels/backend/machine.h"
#include "kernels/cipher/table.h"

namespace gpuctr {

struct EngineConfig {
  const Machine* cpu = nullptr;  // nullptr: the best this CPU has
};

// kOk, or why nothing was written. Only a card that was required can fail.
enum class BulkStatus { kOk, kGpuRequired };

// A piece of keystream with its own key, for CTR_DRBG and for many short messages at once.
struct BulkSegment {
  const RoundKeys* keys;
  std::uint8_t counter[kMaxBlockBytes];  // block_bytes used
  const std::uint8_t* in;                // nullptr: keystream alone
  std::uint8_t* out;
  std::size_t bytes;
};

// One engine serves a provider instance. All functions may be called from any thread.
class Engine {
 public:
  explicit Engine(const EngineConfig& config);

  // CTR as CipherOps::ctr, on whichever machine is fastest for n bytes.
  BulkStatus ctr(const CipherSpec& cipher, const RoundKeys& keys, const std::uint8_t* counter,
                 const std::uint8_t* in, std::uint8_t* out, std::size_t n);

  // The same for many segments at once. All or nothing, as one job.
  BulkStatus ctr_batch(const CipherSpec& cipher, const BulkSegment* segments, std::size_t count);

  // The CPU machine for work that never leaves the CPU (ECB, key derivation, single blocks).
  const CipherOps& cpu(const CipherSpec& cipher) const { return cpu_->ops[cipher.index]; }
  const Machine& cpu_machine() const { return *cpu_; }

 private:
  const Machine* cpu_;
};

// The keystream of one EVP context: a sequence of updates under one key. It owns the counter's
// position and whatever is read ahead of it. One thread at a time. Wipes what it holds when reset
// or destroyed.
class BulkStream {
 public:
  explicit BulkStream(Engine* engine) : engine_(engine) {}

  // Encrypts n bytes from the counter block on; n a whole number of blocks except in the last call
  // before the caller changes key or counter. The caller keeps the logical counter and passes it
  // each time; a counter that does not follow the last call's drops what was read ahead.
  BulkStatus ctr(const CipherSpec& cipher, const RoundKeys& keys, const std::uint8_t* counter,
                 const std::uint8_t* in, std::uint8_t* out, std::size_t n) {
    return engine_->ctr(cipher, keys, counter, in, out, n);
  }

  // Forgets and wipes what was read ahead: new key, new IV, copy, free.
  void reset() {}

  // "avx512", "cuda": the machine that served the last call, or nullptr before the first.
  const char* served_by() const { return engine_->cpu_machine().name; }

 private:
  Engine* engine_;
};

}  // namespace gpuctr

#endif
