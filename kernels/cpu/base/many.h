// Many messages in one call, under keys of their own: the data of the operation (cpu/many/many.h),
// and the functions of a backend whose vectors hold blocks of different messages.
#ifndef GPUCTR_KERNELS_CPU_BASE_MANY_H
#define GPUCTR_KERNELS_CPU_BASE_MANY_H

#include <cstddef>
#include <cstdint>

namespace gpuctr {

struct GhashKey;  // ghash_ops.h
struct ManyLanes;
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
  const GhashKey* powers = nullptr;    // GCM: all its powers, if they are known
  const std::uint8_t* iv = nullptr;    // iv_bytes
  const std::uint8_t* in = nullptr;    // CBC: whole blocks
  std::uint8_t* out = nullptr;         // `in`, or bytes that no other text of the call has
  std::size_t n = 0;
  const std::uint8_t* aad = nullptr;  // GCM and CCM
  std::size_t aad_bytes = 0;
  std::uint8_t* tag = nullptr;  // GCM and CCM: the whole tag, 16 bytes, is written
};

// A row: one block of each of the `lanes` messages of a set, one block after the other.
inline constexpr std::size_t kManyRowBytes = 1024;     // the most, 64 blocks of 16 bytes
inline constexpr unsigned kManyLanes = 64;             // the most
inline constexpr std::size_t kManyRows = 8;            // the most in one piece of work
inline constexpr std::size_t kManyTableBytes = 18432;  // the largest table of round keys

// One cipher on one backend, in vectors that hold blocks of different messages. Pointers are
// aligned to 64. The functions leave secrets on the stack and in registers.
struct ManyOps {
  unsigned lanes;
  unsigned least;  // with fewer messages, one after the other is no slower
  // Longer texts are no slower one by one, except in chains: in counter mode and CBC decryption,
  // the first with a key, the second with its schedule.
  std::size_t long_text, long_text_with_schedule;
  unsigned key_rows;  // rows of a key, the last filled with zeros; 0: no `expand`
  unsigned round_key_rows;
  bool prefers_key;  // expanding the key takes less time than reading its schedule
  // Makes the table of the set's round keys from its keys, or from their schedules, in rows.
  void (*expand)(const std::uint8_t* rows, std::uint8_t* table);
  void (*place)(const std::uint8_t* rows, std::size_t first, std::size_t count,
                std::uint8_t* table);
  // Rows in place, any number.
  void (*encrypt)(const std::uint8_t* table, std::uint8_t* rows, std::size_t count);
  // ManyModes::chain over the first `size` bytes of every lane, whole vectors; only lanes.blocks
  // changes. `rows`: room for a vector's blocks of each lane. nullptr: `encrypt` row by row.
  void (*chain)(const std::uint8_t* table, bool writes, std::size_t size, ManyLanes& lanes,
                std::uint8_t* rows);
  // ManyModes::ctr over as many whole blocks of each lane as this form can do, which it counts.
  // nullptr: `encrypt` row by row is no slower.
  void (*ctr)(const std::uint8_t* table, const std::uint8_t* mask, ManyLanes& lanes);
  // Decrypts; `table` as made for decryption by `invert`, unless that is nullptr.
  void (*decrypt)(const std::uint8_t* table, std::uint8_t* rows, std::size_t count);
  void (*invert)(std::uint8_t* table);
};

// The messages of a set on their way through a mode. Entries from ManyOps::lanes on are unused.
struct ManyLanes {
  alignas(64) std::uint8_t blocks[kManyRowBytes];  // a row: counter blocks, or chains
  const std::uint8_t* in[kManyLanes];
  std::uint8_t* out[kManyLanes];
  std::size_t n[kManyLanes];  // bytes that remain
};
struct ManyScratch {
  alignas(64) std::uint8_t table[kManyTableBytes];
  alignas(64) std::uint8_t rows[kManyRows * kManyRowBytes];
  alignas(64) std::uint8_t other_rows[kManyRows * kManyRowBytes];
};

// The modes on rows, for blocks of one size, in the vectors of a backend. The functions change
// everything in `lanes`. They leave secrets on the stack and in registers; `wipe` zeroes all vector
// registers of the backend.
struct ManyModes {
  // A row: bytes `from` to from + block of each of `lanes` texts; zeros behind `size`.
  void (*gather)(const std::uint8_t* const* texts, std::size_t from, std::size_t size,
                 unsigned lanes, std::uint8_t* row);
  // Counter mode; blocks are the next counter blocks. The counter is the bits of `mask`, a block.
  void (*ctr)(const ManyOps& ops, const std::uint8_t* mask, ManyLanes& lanes, ManyScratch& scratch);
  // CBC encryption, or only its chain: then a part of a block is filled with zeros. `rows` is room
  // for kManyRows.
  void (*chain)(const ManyOps& ops, const std::uint8_t* table, bool writes, ManyLanes& lanes,
                std::uint8_t* rows);
  // CBC decryption, with a table for decryption.
  void (*cbc_decrypt)(const ManyOps& ops, ManyLanes& lanes, ManyScratch& scratch);
  void (*wipe)();
};

}  // namespace gpuctr

#endif
