// A batch: many messages of one cipher, mode and direction, as plain arrays. Each message has its
// own IV and length, and its own key, a key of a table, or the key of the context.
#ifndef GPUCTR_KERNELS_BULK_BATCH_WORK_H
#define GPUCTR_KERNELS_BULK_BATCH_WORK_H

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "kernels/cipher/registry.h"

namespace gpuctr::bulk {

class KeyTable;  // table.h

enum class BatchMode { kCtr, kGcm, kCcm, kCbc, kXts };
constexpr int kBatchModes = 5;

// Owns nothing; everything must outlive the call that takes the batch. The pointers to arrays may
// be to ordinary or to device memory, in any mixture. Numbers are in host byte order and aligned to
// their size. Message i has the IV ivs[i * iv_bytes], the text at offset(i) of `in` and `out`, and
// the tag tags[i * tag_bytes].
struct Batch {
  const CipherSpec* cipher = nullptr;
  BatchMode mode = BatchMode::kCtr;
  bool encrypts = true;
  std::size_t messages = 0;  // at least 1

  // The key of message i is one of: `own_key`, if `keys` and `table` are nullptr; keys[i *
  // key_bytes]; entry key_index[i] of `table`.
  const RoundKeys* own_key = nullptr;    // in ordinary memory; has the tweak
  const RoundKeys* tweak_key = nullptr;  // XTS, which takes own_key only: the key of the tweaks
  std::size_t key_bytes = 0;
  const std::uint8_t* keys = nullptr;
  const KeyTable* table = nullptr;
  const std::uint32_t* key_index = nullptr;
  const std::uint8_t* tweak = nullptr;  // of all `keys`, CipherSpec::tweak_bytes, ordinary memory

  // CTR and CBC: at most a block; zeros precede a shorter IV. GCM: 1 to 128. CCM: 7 to 13. XTS: 16.
  const std::uint8_t* ivs = nullptr;
  std::size_t iv_bytes = 0;
  unsigned counter_bits = 0;  // CTR: the counter is the last bits of the block and wraps there

  const std::uint32_t* lengths = nullptr;  // nullptr: every message has `length` bytes
  std::size_t length = 0;
  const std::uint64_t* offsets = nullptr;  // nullptr: one message after the other
  const std::uint8_t* in = nullptr;
  std::uint8_t* out = nullptr;            // `in`, or no overlap
  std::size_t bytes = 0;                  // the size of `in` and of `out`
  std::uint64_t most_bytes = UINT64_MAX;  // of all texts, under the key's limit

  // GCM and CCM. The associated data of all messages, one after the other.
  const std::uint8_t* aad = nullptr;
  std::size_t aad_bytes = 0;                   // the size of `aad`
  const std::uint32_t* aad_lengths = nullptr;  // nullptr: every message has `aad_length` bytes
  std::size_t aad_length = 0;
  std::uint8_t* tags = nullptr;  // written by encryption, compared by decryption
  std::size_t tag_bytes = 0;

  std::uint8_t* results = nullptr;  // a byte a message: 1 good, 0 wrong tag; nullptr: not written

  std::size_t length_of(std::size_t i) const { return lengths != nullptr ? lengths[i] : length; }
  std::size_t aad_length_of(std::size_t i) const {
    return aad_lengths != nullptr ? aad_lengths[i] : aad_length;
  }
  bool authenticates() const { return mode == BatchMode::kGcm || mode == BatchMode::kCcm; }
};

// What is wrong with a batch. Then nothing was written.
enum class BatchFault {
  kNone,
  kLength,    // the message ends after the data; `value`: its end
  kSum,       // without offsets the lengths do not add up to the data; `value`: the sum
  kIndex,     // no such key in the table; `value`: the index
  kBlocks,    // CBC: not a whole number of blocks; `value`: the length
  kTooShort,  // XTS: less than a block; `value`: the length
  kTooLong,   // more text than the mode or the counter takes; `value`: the length
  kAad,       // the associated data end after `aad_bytes`; `value`: the end
  kOverlap,   // two messages share bytes; `value`: the number of the other message
  kArrays,    // an array that is written shares bytes with another array
  kLimit,     // more than `most_bytes`; `value`: the bytes of all texts
  kDevice,    // memory on a device that the batch cannot use
  kMemory,    // no memory
  kRequired,  // no device could do a batch that requires one, or a device failed
};

struct BatchOutcome {
  BatchFault fault = BatchFault::kNone;
  std::size_t message = 0;  // of the fault; else the first message with a wrong tag
  std::uint64_t value = 0;
  std::size_t wrong = 0;          // messages with a wrong tag
  std::size_t bytes = 0;          // of all texts
  bool by_device = false;         // a device did the work
  const char* backend = nullptr;  // its name, or the CPU backend's
};

}  // namespace gpuctr::bulk

#endif
