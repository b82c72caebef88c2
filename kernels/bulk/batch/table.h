// The keys that the messages of many batches choose by a number.
#ifndef GPUCTR_KERNELS_BULK_BATCH_TABLE_H
#define GPUCTR_KERNELS_BULK_BATCH_TABLE_H

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "kernels/bulk/device/key_copy.h"
#include "kernels/cpu/backend.h"

namespace gpuctr::bulk {

// Immutable once made; any thread. The destructor wipes the keys.
class KeyTable {
 public:
  // Copies `count` keys of `key_bytes`, one after the other in ordinary memory, and expands them
  // unless the backend prefers keys (ManyOps::prefers_key). `tweak` as in Batch. `gcm`: also makes
  // the hash key of each key, and its powers if a loop of the backend uses them and the keys are
  // few enough for a cache. nullptr: no memory.
  static KeyTable* make(const CipherSpec& cipher, const Backend& cpu, const std::uint8_t* keys,
                        std::size_t key_bytes, std::size_t count, const std::uint8_t* tweak,
                        bool gcm);
  ~KeyTable();
  KeyTable(const KeyTable&) = delete;
  KeyTable& operator=(const KeyTable&) = delete;

  std::size_t count() const { return count_; }
  std::size_t key_bytes() const { return key_bytes_; }
  // The keys as they were given, `key_bytes` each.
  const std::uint8_t* raw() const { return raw_; }
  // The round keys of key i: CipherSpec::round_key_bytes bytes, aligned to 64. nullptr: the backend
  // prefers keys.
  const RoundKeys* round_keys(std::size_t i) const {
    return stride_ == 0 ? nullptr : reinterpret_cast<const RoundKeys*>(expanded_ + i * stride_);
  }
  // The copy of raw() on a device.
  KeyCopy& on_device() const { return on_device_; }
  // GCM's hash key of key i (SP 800-38D 7.1 step 1), 16 bytes.
  const std::uint8_t* hash_key(std::size_t i) const { return hash_keys_ + i * 16; }
  // Its powers, which only the backend can read; nullptr: not in the table.
  const GhashKey* powers(std::size_t i) const { return powers_ == nullptr ? nullptr : powers_ + i; }

 private:
  friend class SharedTable;

  KeyTable() = default;

  void expand(const CipherSpec& cipher, const Backend& cpu, const std::uint8_t* tweak, bool gcm);

  std::atomic<unsigned> users_{1};
  std::size_t count_ = 0, key_bytes_ = 0, stride_ = 0, memory_bytes_ = 0;
  std::uint8_t* memory_ = nullptr;  // one allocation: powers, round keys, hash keys, keys
  GhashKey* powers_ = nullptr;
  std::uint8_t* expanded_ = nullptr;
  std::uint8_t* hash_keys_ = nullptr;
  std::uint8_t* raw_ = nullptr;
  mutable KeyCopy on_device_;
};

// A context's use of a table; copies of the context use the same table. The last user frees it.
// (A std::shared_ptr throws an exception where memory is short.)
class SharedTable {
 public:
  SharedTable() = default;
  explicit SharedTable(KeyTable* table) : table_(table) {}  // takes the first use
  SharedTable(const SharedTable& other) : table_(other.table_) {
    if (table_ != nullptr) table_->users_.fetch_add(1, std::memory_order_relaxed);
  }
  SharedTable& operator=(SharedTable other) {
    std::swap(table_, other.table_);
    return *this;
  }
  ~SharedTable() {
    if (table_ != nullptr && table_->users_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      delete table_;
    }
  }
  const KeyTable* get() const { return table_; }

 private:
  KeyTable* table_ = nullptr;
};

}  // namespace gpuctr::bulk

#endif
