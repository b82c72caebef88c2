// An update of many messages: the checks that need only the context, and the words of a refusal.
// The engine checks the messages (kernels/bulk/batch/check.h).
#include "provider/mode/base/batch.h"

#include <algorithm>
#include <cstring>

#include "kernels/bulk/engine.h"
#include "provider/core/errors.h"
#include "provider/core/gpuctr.h"
#include "provider/mode/base/cipher_context.h"

namespace gpuctr {
namespace {

struct ArrayName {
  const char* key;
  std::size_t alignment;
};
constexpr ArrayName kNames[kBatchArrays] = {
    {GPUCTR_PARAM_BATCH_KEYS, 1},        {GPUCTR_PARAM_BATCH_KEY_INDEX, 4},
    {GPUCTR_PARAM_BATCH_IVS, 1},         {GPUCTR_PARAM_BATCH_LENGTHS, 4},
    {GPUCTR_PARAM_BATCH_OFFSETS, 8},     {GPUCTR_PARAM_BATCH_AAD, 1},
    {GPUCTR_PARAM_BATCH_AAD_LENGTHS, 4}, {GPUCTR_PARAM_BATCH_TAGS, 1},
    {GPUCTR_PARAM_BATCH_RESULTS, 1}};

unsigned long long number(std::uint64_t n) { return n; }

}  // namespace

BatchSettings::Array CipherContext::batch_array(BatchArray array) const {
  return batch_ != nullptr ? batch_->arrays[array] : BatchSettings::Array{};
}

// The array, if it has room for the batch. nullptr: absent, or an error.
const void* CipherContext::batch_array_of(BatchArray array, std::size_t each, bool* good) const {
  const BatchSettings::Array a = batch_array(array);
  const ArrayName& name = kNames[array];
  if (!*good || a.data == nullptr) return nullptr;
  const std::uint64_t need = std::uint64_t{batch_messages()} * each;
  if (reinterpret_cast<std::uintptr_t>(a.data) % name.alignment != 0) {
    refuse(Reason::kBatch, "%s at %p is not aligned to %zu bytes", name.key,
           static_cast<const void*>(a.data), name.alignment);
  } else if (a.bytes < need) {
    refuse(Reason::kBatch, "%s has %zu bytes, %llu messages of %s-%s need %llu", name.key, a.bytes,
           number(batch_messages()), cipher_->name, mode_->name, number(need));
  } else {
    return a.data;
  }
  *good = false;
  return nullptr;
}

bool CipherContext::refuse_batch(const char* missing) const {
  refuse(Reason::kBatch, "%llu messages of %s-%s have no %s", number(batch_messages()),
         cipher_->name, mode_->name, missing);
  return false;
}

// The keys: an array of N, or a table.
bool CipherContext::find_batch_keys(bulk::Batch* b) {
  const BatchSettings::Array keys = batch_array(kBatchKeys);
  const bool has_index = batch_array(kBatchKeyIndex).data != nullptr;
  b->key_bytes = key_bytes_;
  b->tweak = cipher_->tweak_bytes != 0 ? tweak_ : nullptr;
  bool good = true;
  if (keys.data != nullptr && mode_->keys != 1) {
    refuse(Reason::kBatch, "%s-%s takes one key for all messages, and no %s", cipher_->name,
           mode_->name, GPUCTR_PARAM_BATCH_KEYS);
    return false;
  }
  if (keys.data == nullptr) {
    if (has_index) return refuse_batch(GPUCTR_PARAM_BATCH_KEYS);
    b->own_key = &keys_;
    if (max_bytes_ != 0) b->most_bytes = max_bytes_ - std::min(bytes_, max_bytes_);
    return check_key();
  }
  if (!has_index) {
    b->keys = static_cast<const std::uint8_t*>(batch_array_of(kBatchKeys, key_bytes_, &good));
    return good;
  }
  b->key_index = static_cast<const std::uint32_t*>(
      batch_array_of(kBatchKeyIndex, sizeof *b->key_index, &good));
  return good && make_batch_table(b);
}

bool CipherContext::make_batch_table(bulk::Batch* b) {
  bulk::SharedTable& table = batch_->table;
  if (table.get() == nullptr || table.get()->key_bytes() != key_bytes_) {
    const BatchSettings::Array keys = batch_array(kBatchKeys);
    if (keys.bytes < key_bytes_ || keys.bytes % key_bytes_ != 0) {
      refuse(Reason::kBatch, "%s has %zu bytes, a table has keys of %zu", GPUCTR_PARAM_BATCH_KEYS,
             keys.bytes, key_bytes_);
      return false;
    }
    bulk::BatchFault fault = bulk::BatchFault::kNone;
    table = bulk::SharedTable(engine().key_table(*cipher_, keys.data, key_bytes_,
                                                 keys.bytes / key_bytes_, b->tweak,
                                                 b->mode == bulk::BatchMode::kGcm, &fault));
    if (table.get() == nullptr) {
      const bool device = fault == bulk::BatchFault::kDevice;
      refuse(device ? Reason::kDeviceMemory : Reason::kNoMemory, "a table of %zu keys of %s",
             keys.bytes / key_bytes_, cipher_->name);
      return false;
    }
  }
  b->table = table.get();
  return true;
}

// Lengths and places of the texts, n bytes together.
bool CipherContext::find_batch_texts(bulk::Batch* b, std::size_t n) const {
  bool good = true;
  b->lengths =
      static_cast<const std::uint32_t*>(batch_array_of(kBatchLengths, sizeof *b->lengths, &good));
  b->offsets =
      static_cast<const std::uint64_t*>(batch_array_of(kBatchOffsets, sizeof *b->offsets, &good));
  b->ivs = static_cast<const std::uint8_t*>(batch_array_of(kBatchIvs, b->iv_bytes, &good));
  b->results =
      static_cast<std::uint8_t*>(const_cast<void*>(batch_array_of(kBatchResults, 1, &good)));
  if (!good) return false;
  if (b->ivs == nullptr) return refuse_batch(GPUCTR_PARAM_BATCH_IVS);
  if (b->lengths != nullptr) return true;
  b->length = n / b->messages;
  if (b->length * b->messages == n) return true;
  refuse(Reason::kBatch, "%zu bytes are not %llu messages of one length, and there is no %s", n,
         number(batch_messages()), GPUCTR_PARAM_BATCH_LENGTHS);
  return false;
}

// Tags and associated data.
bool CipherContext::find_batch_tags(bulk::Batch* b) const {
  bool good = true;
  b->tags = static_cast<std::uint8_t*>(
      const_cast<void*>(batch_array_of(kBatchTags, b->tag_bytes, &good)));
  if (!good) return false;
  if (b->tags == nullptr) return refuse_batch(GPUCTR_PARAM_BATCH_TAGS);
  const BatchSettings::Array aad = batch_array(kBatchAad), lengths = batch_array(kBatchAadLengths);
  b->aad = aad.data;
  b->aad_bytes = aad.bytes;
  if (lengths.data == nullptr) {
    b->aad_length = aad.bytes / b->messages;
    if (b->aad_length * b->messages == aad.bytes) return true;
    refuse(Reason::kBatch, "%zu bytes of %s are not %llu of one length, and there is no %s",
           aad.bytes, GPUCTR_PARAM_BATCH_AAD, number(batch_messages()),
           GPUCTR_PARAM_BATCH_AAD_LENGTHS);
    return false;
  }
  std::uint32_t one;
  if (lengths.bytes != sizeof one) {
    b->aad_lengths = static_cast<const std::uint32_t*>(
        batch_array_of(kBatchAadLengths, sizeof *b->aad_lengths, &good));
    return good;
  }
  if (engine().is_device(lengths.data)) {
    if (engine().read(lengths.data, &one, sizeof one) != BulkStatus::kOk) {
      return refuse_without_device(sizeof one);
    }
  } else {
    std::memcpy(&one, lengths.data, sizeof one);
  }
  b->aad_length = one;
  return true;
}

// One error for a batch that the engine refused. Nothing was written.
bool CipherContext::refuse_batch(const bulk::Batch& b, const bulk::BatchOutcome& outcome) const {
  using bulk::BatchFault;
  const std::size_t i = outcome.message;
  const unsigned long long value = outcome.value;
  switch (outcome.fault) {
    case BatchFault::kNone:
    case BatchFault::kDevice:  // only of a key table
      break;
    case BatchFault::kLength:
      refuse(Reason::kBatch, "message %zu ends at %llu, the data at %zu", i, value, b.bytes);
      break;
    case BatchFault::kSum:
      refuse(Reason::kBatch, "the lengths of %zu messages add up to %llu bytes, the data have %zu",
             b.messages, value, b.bytes);
      break;
    case BatchFault::kIndex:
      refuse(Reason::kBatch, "message %zu has key %llu, the table has %zu keys", i, value,
             b.table->count());
      break;
    case BatchFault::kBlocks:
      refuse(Reason::kPartialBlock, "message %zu has %llu bytes, %s takes blocks of %zu", i, value,
             cipher_->name, block_bytes());
      break;
    case BatchFault::kTooShort:
      refuse(Reason::kDataUnit, "message %zu has %llu bytes, a data unit of %s-%s at least %zu", i,
             value, cipher_->name, mode_->name, block_bytes());
      break;
    case BatchFault::kTooLong:
      if (b.mode == bulk::BatchMode::kXts) {
        refuse(Reason::kLongDataUnit, "message %zu has %llu bytes, more than a data unit of %s-%s",
               i, value, cipher_->name, mode_->name);
        break;
      }
      refuse(b.mode == bulk::BatchMode::kCtr ? Reason::kCounterExhausted : Reason::kTextLength,
             "message %zu has %llu bytes, more than the counter of %s-%s has blocks for", i, value,
             cipher_->name, mode_->name);
      break;
    case BatchFault::kAad:
      refuse(Reason::kBatch, "the associated data of message %zu end at %llu, %s at %zu", i, value,
             GPUCTR_PARAM_BATCH_AAD, b.aad_bytes);
      break;
    case BatchFault::kOverlap:
      refuse(Reason::kOverlap, "messages %llu and %zu share bytes", value, i);
      break;
    case BatchFault::kArrays:
      refuse(Reason::kOverlap, "an array that %zu messages write overlaps another array",
             b.messages);
      break;
    case BatchFault::kLimit:
      return refuse_limit(static_cast<std::size_t>(value));
    case BatchFault::kMemory:
      refuse(Reason::kNoMemory, "%zu messages of %s-%s", b.messages, cipher_->name, mode_->name);
      break;
    case BatchFault::kRequired:
      return refuse_without_device(b.bytes);
  }
  return false;
}

bool CipherContext::update_batch(std::uint8_t* out, std::size_t* written, std::size_t room,
                                 const std::uint8_t* in, std::size_t n) {
  *written = 0;
  call_ = Call::kUpdate;
  bulk::Batch b;
  b.cipher = cipher_;
  b.encrypts = encrypts();
  b.messages = batch_messages();
  b.iv_bytes = iv_length();
  b.in = in;
  b.out = out;
  b.bytes = n;
  describe_batch(&b);
  if (n != 0 && (!check_buffers(out, in, n) || !check_room(room, n))) return false;
  if (!find_batch_texts(&b, n) || (b.authenticates() && !find_batch_tags(&b)) ||
      !find_batch_keys(&b)) {
    return false;
  }
  const bulk::BatchOutcome outcome = engine().batch(b);
  if (outcome.fault != bulk::BatchFault::kNone) return refuse_batch(b, outcome);
  if (b.own_key != nullptr) bytes_ += outcome.bytes;
  traced_ += outcome.bytes;
  if (outcome.by_device) by_device_ += outcome.bytes;
  batch_->backend = outcome.backend;
  if (outcome.wrong == 0) {
    *written = n;
    return true;
  }
  refuse(Reason::kWrongTag,
         "%zu of %zu messages of %s-%s have a wrong tag, message %zu is the first", outcome.wrong,
         b.messages, cipher_->name, mode_->name, outcome.message);
  return false;
}

}  // namespace gpuctr
