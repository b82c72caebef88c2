#include "kernels/cpu/many/sets.h"

#include <algorithm>
#include <cstring>

#include "kernels/cpu/many/formats.h"

namespace gpuctr::many {
namespace {

constexpr std::size_t kBlock = 16;  // of GCM and CCM

}  // namespace

Sets::Sets(const Machine& machine, const ManyOps& ops, const ManyModes& modes,
           const ManyBatch& batch)
    : machine_(machine),
      ops_(ops),
      modes_(modes),
      batch_(batch),
      block_(machine.spec.block_bytes),
      row_(ops.lanes * machine.spec.block_bytes),
      hash_ops_(ops) {
  hash_ops_.encrypt = machine.ghash.multiply_rows;
  hash_ops_.chain = nullptr;
  make_mask();
}

Sets::~Sets() {
  const std::size_t keys = ops_.round_key_rows * row_;
  wipe(scratch_.table, keys);
  wipe(scratch_.rows, kManyRows * row_);
  wipe(scratch_.other_rows, kManyRows * row_);
  wipe(ctr_.blocks, row_);
  wipe(chain_.blocks, row_);
  wipe(hashes_, sizeof hashes_);
  wipe(tag_masks_, row_);
  if (ops_.expand == nullptr) wipe(schedules_, sizeof schedules_);
}

// Lanes without a message read the keys and, in chains, the text of lane 0. So all lanes are busy
// together, and their results are not used.
bool Sets::run(const ManyText* const* texts, unsigned count) {
  bool all_keys = true, all_schedules = true, one_schedule = true;
  for (unsigned i = 0; i < count; ++i) {
    all_keys &= texts[i]->key != nullptr;
    all_schedules &= texts[i]->keys != nullptr;
    one_schedule &= texts[i]->keys == texts[0]->keys;
  }
  texts_ = texts;
  count_ = count;
  if (all_schedules && (one_schedule || !all_keys || !ops_.prefers_key)) {
    if (!one_schedule || shared_ != texts[0]->keys) place_schedules();
    shared_ = one_schedule ? texts[0]->keys : nullptr;
  } else if (all_keys) {
    shared_ = nullptr;
    ops_.expand != nullptr ? expand_keys() : make_schedules();
  } else {
    return false;
  }
  switch (batch_.mode) {
    case ManyMode::kCtr:
      ctr();
      break;
    case ManyMode::kCbc:
      cbc();
      break;
    case ManyMode::kGcm:
      gcm();
      break;
    case ManyMode::kCcm:
      ccm();
      break;
  }
  return true;
}

void Sets::place_schedules() {
  const std::uint8_t* keys[kManyLanes];
  for (unsigned i = 0; i < ops_.lanes; ++i) {
    keys[i] = reinterpret_cast<const std::uint8_t*>(text(i).keys);
  }
  place(keys);
}

// The schedules of the lanes' keys, by the backend's key schedule for one key.
void Sets::make_schedules() {
  const std::size_t stride = (machine_.spec.round_key_bytes + 63) / 64 * 64;
  const std::uint8_t* keys[kManyLanes];
  for (unsigned i = 0; i < count_; ++i) {
    std::uint8_t* const to = schedules_ + i * stride;
    expand_on(machine_.spec, machine_.ops, text(i).key, batch_.key_bytes,
              reinterpret_cast<RoundKeys*>(to));
    keys[i] = to;
  }
  for (unsigned i = count_; i < ops_.lanes; ++i) keys[i] = keys[0];
  place(keys);
}

void Sets::place(const std::uint8_t* const* keys) {
  for (unsigned r = 0; r < ops_.round_key_rows; ++r) {
    modes_.gather(keys, r * block_, machine_.spec.round_key_bytes, ops_.lanes, scratch_.rows);
    ops_.place(scratch_.rows, r, 1, scratch_.table);
  }
  decrypts_ = false;
}

void Sets::expand_keys() {
  const std::uint8_t* keys[kManyLanes];
  for (unsigned i = 0; i < ops_.lanes; ++i) keys[i] = text(i).key;
  for (unsigned r = 0; r < ops_.key_rows; ++r) {
    modes_.gather(keys, r * block_, machine_.spec.key_bytes, ops_.lanes, scratch_.rows + r * row_);
  }
  ops_.expand(scratch_.rows, scratch_.table);
  decrypts_ = false;
}

// The texts into `lanes`. Lanes without a message: the text of lane 0, or no text.
void Sets::start(ManyLanes& lanes, bool mirrored) {
  for (unsigned i = 0; i < ops_.lanes; ++i) {
    lanes.in[i] = text(i).in;
    lanes.out[i] = text(i).out;
    lanes.n[i] = i < count_ || mirrored ? text(i).n : 0;
  }
}

void Sets::iv_blocks(std::uint8_t* blocks) {
  const std::size_t zeros = block_ - batch_.iv_bytes;
  if (zeros == 0) {
    const std::uint8_t* ivs[kManyLanes];
    for (unsigned i = 0; i < ops_.lanes; ++i) ivs[i] = text(i).iv;
    return modes_.gather(ivs, 0, block_, ops_.lanes, blocks);
  }
  for (unsigned i = 0; i < ops_.lanes; ++i, blocks += block_) {
    std::memset(blocks, 0, zeros);
    std::memcpy(blocks + zeros, text(i).iv, batch_.iv_bytes);
  }
}

// The counter's bits in its block.
void Sets::make_mask() {
  const auto all = static_cast<unsigned>(8 * block_);
  const unsigned bits = batch_.mode == ManyMode::kGcm ? 32
                        : batch_.mode == ManyMode::kCtr && batch_.counter_bits != 0
                            ? batch_.counter_bits
                            : all;
  for (unsigned i = 0; i < block_; ++i) {
    const unsigned below = all - 8 - 8 * i;  // bits in the bytes after this one
    const unsigned own = bits <= below ? 0 : std::min(8u, bits - below);
    mask_[i] = static_cast<std::uint8_t>((1u << own) - 1);
  }
}

// Counter mode from the blocks of ctr_ on.
void Sets::run_ctr() {
  start(ctr_, false);
  modes_.ctr(ops_, mask_, ctr_, scratch_);
}

void Sets::ctr() {
  iv_blocks(ctr_.blocks);
  run_ctr();
}

void Sets::cbc() {
  iv_blocks(chain_.blocks);
  if (batch_.encrypts) {
    start(chain_, true);
    return modes_.chain(ops_, scratch_.table, true, chain_, scratch_.rows);
  }
  if (ops_.invert != nullptr && !decrypts_) ops_.invert(scratch_.table);
  decrypts_ = true;
  start(chain_, false);
  modes_.cbc_decrypt(ops_, chain_, scratch_);
}

// Adds the texts, or what lies at out, to the chain.
void Sets::chain_texts(const ManyOps& ops, const std::uint8_t* table, bool outputs) {
  start(chain_, true);
  for (unsigned i = 0; outputs && i < ops_.lanes; ++i) chain_.in[i] = chain_.out[i];
  modes_.chain(ops, table, false, chain_, scratch_.rows);
}

// The counter blocks (RFC 3610 2.3) with the numbers 0, into the first row, and 1, into ctr_; and
// the MAC's first blocks, into the second row.
void Sets::ccm_blocks() {
  for (unsigned i = 0; i < ops_.lanes; ++i) {
    const BlockWords zero = ccm_counter(text(i).iv, batch_.iv_bytes);
    std::uint8_t* const to = scratch_.rows + i * kBlock;
    store_block(to, zero);
    store_block(to + row_, ccm_first_block(zero, batch_, text(i)));
    store_block(ctr_.blocks + i * kBlock, numbered(zero, 1));
  }
}

void Sets::ccm() {
  ccm_blocks();
  ops_.encrypt(scratch_.table, scratch_.rows, 2);
  std::memcpy(tag_masks_, scratch_.rows, row_);
  std::memcpy(chain_.blocks, scratch_.rows + row_, row_);
  ccm_aad();
  if (batch_.encrypts) chain_texts(ops_, scratch_.table, false);
  run_ctr();
  if (!batch_.encrypts) chain_texts(ops_, scratch_.table, true);
  write_tags();
}

void Sets::ccm_aad() {
  std::size_t taken[kManyLanes] = {};
  for (unsigned i = 0; i < ops_.lanes; ++i) {
    const ManyText& t = text(i);
    std::uint8_t* const first = scratch_.other_rows + i * kBlock;
    taken[i] = t.aad_bytes == 0 ? 0 : ccm_aad_block(first, t.aad, t.aad_bytes);
    chain_.in[i] = first;
    chain_.n[i] = t.aad_bytes == 0 ? 0 : kBlock;
  }
  modes_.chain(ops_, scratch_.table, false, chain_, scratch_.rows);
  for (unsigned i = 0; i < ops_.lanes; ++i) {
    chain_.in[i] = text(i).aad + taken[i];
    chain_.n[i] = text(i).aad_bytes - taken[i];
  }
  modes_.chain(ops_, scratch_.table, false, chain_, scratch_.rows);
}

void Sets::write_tags() {
  for (unsigned i = 0; i < count_; ++i) {
    std::uint64_t mac[2], mask[2];
    std::memcpy(mac, chain_.blocks + i * kBlock, kBlock);
    std::memcpy(mask, tag_masks_ + i * kBlock, kBlock);
    mac[0] ^= mask[0];
    mac[1] ^= mask[1];
    std::memcpy(text(i).tag, mac, kBlock);
  }
}

void Sets::gcm() {
  bool known = true;
  for (unsigned i = 0; i < count_; ++i) known &= text(i).hash != nullptr;
  std::uint8_t* const h = scratch_.rows;
  std::uint8_t* const first = scratch_.rows + row_;
  const bool short_ivs = batch_.iv_bytes == 12;
  if (short_ivs) gcm_short_ivs(first);
  if (known) {
    for (unsigned i = 0; i < ops_.lanes; ++i) std::memcpy(h + i * kBlock, text(i).hash, kBlock);
    if (short_ivs) ops_.encrypt(scratch_.table, first, 1);
  } else {
    std::memset(h, 0, row_);
    ops_.encrypt(scratch_.table, h, short_ivs ? 2 : 1);
  }
  machine_.ghash.expand_rows(h, ops_.lanes, hashes_);
  if (short_ivs) {
    std::memcpy(tag_masks_, first, row_);
  } else {
    gcm_long_ivs();
  }
  std::memset(chain_.blocks, 0, row_);
  for (unsigned i = 0; i < ops_.lanes; ++i) {
    chain_.in[i] = text(i).aad;
    chain_.n[i] = text(i).aad_bytes;
  }
  modes_.chain(hash_ops_, hashes_, false, chain_, scratch_.rows);
  if (!batch_.encrypts) chain_texts(hash_ops_, hashes_, false);
  run_ctr();
  if (batch_.encrypts) chain_texts(hash_ops_, hashes_, true);
  std::size_t aad[kManyLanes], text_bytes[kManyLanes];
  for (unsigned i = 0; i < ops_.lanes; ++i) {
    aad[i] = text(i).aad_bytes;
    text_bytes[i] = text(i).n;
  }
  hash_lengths(aad, text_bytes);
  write_tags();
}

// The counter blocks: the first ones into a row, the next ones into ctr_.
void Sets::gcm_short_ivs(std::uint8_t* row) {
  for (unsigned i = 0; i < ops_.lanes; ++i) {
    store_block(row + i * kBlock, gcm_counter(text(i).iv, 1));
    store_block(ctr_.blocks + i * kBlock, gcm_counter(text(i).iv, 2));
  }
}
void Sets::gcm_long_ivs() {
  std::size_t none[kManyLanes] = {}, sizes[kManyLanes] = {};
  std::memset(chain_.blocks, 0, row_);
  for (unsigned i = 0; i < ops_.lanes; ++i) {
    chain_.in[i] = text(i).iv;
    sizes[i] = chain_.n[i] = batch_.iv_bytes;
  }
  modes_.chain(hash_ops_, hashes_, false, chain_, scratch_.rows);
  hash_lengths(none, sizes);
  for (unsigned i = 0; i < ops_.lanes; ++i) {
    std::uint8_t* const counter = ctr_.blocks + i * kBlock;
    std::memcpy(counter, chain_.blocks + i * kBlock, kBlock);
    advance(counter, kBlock, 32, 1);
  }
  std::memcpy(tag_masks_, chain_.blocks, row_);
  ops_.encrypt(scratch_.table, tag_masks_, 1);
}

void Sets::hash_lengths(const std::size_t* first, const std::size_t* second) {
  for (unsigned i = 0; i < ops_.lanes; ++i) {
    std::uint8_t* const block = scratch_.other_rows + i * kBlock;
    gcm_lengths(block, first[i], second[i]);
    chain_.in[i] = block;
    chain_.n[i] = kBlock;
  }
  modes_.chain(hash_ops_, hashes_, false, chain_, scratch_.rows);
}

}  // namespace gpuctr::many
