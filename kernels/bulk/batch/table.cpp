#include "kernels/bulk/batch/table.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

#include "kernels/base/wipe.h"

namespace gpuctr::bulk {
namespace {

constexpr std::size_t kAlign = alignof(RoundKeys);
constexpr std::size_t kHashKey = 16;
// The most keys of which a table has schedules and powers that only save time. With their powers
// keys take 1.2 KiB each. In any order of 16,384 such keys, a message takes twice the time on a Zen
// 4: the cache has not enough room.
constexpr std::size_t kFewKeys = 4096;

constexpr std::size_t aligned(std::size_t bytes) { return (bytes + kAlign - 1) & ~(kAlign - 1); }

}  // namespace

KeyTable* KeyTable::make(const CipherSpec& cipher, const Backend& cpu, const std::uint8_t* keys,
                         std::size_t key_bytes, std::size_t count, const std::uint8_t* tweak,
                         bool gcm) {
  const ManyOps* const many = cpu.many[cipher.index];
  const bool has_powers =
      gcm && count <= kFewKeys && in_one_loop(cpu.ops[cipher.index], *cpu.ghash);
  const bool expands =
      many == nullptr || !many->prefers_key || tweak != nullptr || count <= kFewKeys;
  const std::size_t stride = expands ? aligned(cipher.round_key_bytes) : 0;
  const std::size_t hashes = gcm ? kHashKey : 0;
  if (count > SIZE_MAX / (2 * (sizeof(GhashKey) + stride + hashes + key_bytes))) return nullptr;
  const std::size_t expanded_at = has_powers ? count * sizeof(GhashKey) : 0;
  const std::size_t hashes_at = expanded_at + count * stride, raw_at = hashes_at + count * hashes;
  const std::size_t bytes = aligned(raw_at + count * key_bytes);
  const auto memory = static_cast<std::uint8_t*>(std::aligned_alloc(kAlign, bytes));
  KeyTable* const table = memory != nullptr ? new (std::nothrow) KeyTable : nullptr;
  if (table == nullptr) {
    std::free(memory);
    return nullptr;
  }
  table->memory_ = memory;
  table->count_ = count;
  table->key_bytes_ = key_bytes;
  table->stride_ = stride;
  table->memory_bytes_ = bytes;
  table->powers_ = has_powers ? reinterpret_cast<GhashKey*>(memory) : nullptr;
  table->expanded_ = table->memory_ + expanded_at;
  table->hash_keys_ = table->memory_ + hashes_at;
  table->raw_ = table->memory_ + raw_at;
  std::memcpy(table->raw_, keys, count * key_bytes);
  if (expands || gcm) table->expand(cipher, cpu, tweak, gcm);
  return table;
}

void KeyTable::expand(const CipherSpec& cipher, const Backend& cpu, const std::uint8_t* tweak,
                      bool gcm) {
  const CipherOps& ops = cpu.ops[cipher.index];
  constexpr std::uint8_t kZeros[kHashKey] = {};
  ScopedRoundKeys one(cipher.round_key_bytes);  // if the table keeps none
  for (std::size_t i = 0; i < count_; ++i) {
    auto* const keys =
        stride_ != 0 ? reinterpret_cast<RoundKeys*>(expanded_ + i * stride_) : &one.value;
    expand_on(cipher, ops, raw_ + i * key_bytes_, key_bytes_, keys);
    if (tweak != nullptr) cipher.set_tweak(tweak, keys);
    if (gcm) ops.encrypt(*keys, kZeros, hash_keys_ + i * kHashKey, 1);
    if (powers_ != nullptr) cpu.ghash->expand(hash_keys_ + i * kHashKey, &powers_[i]);
  }
}

KeyTable::~KeyTable() {
  wipe(memory_, memory_bytes_);
  std::free(memory_);
}

}  // namespace gpuctr::bulk
