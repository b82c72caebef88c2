// The messages of run_many() in sets: the vectors of a backend hold blocks of different messages.
#ifndef GPUCTR_KERNELS_CPU_MANY_SETS_H
#define GPUCTR_KERNELS_CPU_MANY_SETS_H

#include "kernels/base/wipe.h"
#include "kernels/cpu/base/many.h"
#include "kernels/cpu/many/one_by_one.h"

namespace gpuctr::many {

// Runs sets of messages, at most ManyOps::lanes at a time. The destructor wipes everything.
class Sets {
 public:
  Sets(const Machine& machine, const ManyOps& ops, const ManyModes& modes, const ManyBatch& batch);
  ~Sets();
  Sets(const Sets&) = delete;
  Sets& operator=(const Sets&) = delete;

  // `count` messages, from 1 to ManyOps::lanes; the longest is the first. False, and nothing done:
  // the keys are of different kinds, or of a kind that the set cannot take.
  bool run(const ManyText* const* texts, unsigned count);

 private:
  // The message of lane i, or for a lane without one that of lane 0.
  const ManyText& text(unsigned i) const { return *texts_[i < count_ ? i : 0]; }
  void place_schedules();
  void make_schedules();
  void place(const std::uint8_t* const* keys);
  void expand_keys();
  void start(ManyLanes& lanes, bool mirrored);
  void iv_blocks(std::uint8_t* blocks);
  void make_mask();
  void run_ctr();
  void chain_texts(const ManyOps& ops, const std::uint8_t* table, bool outputs);
  void ctr();
  void cbc();
  void ccm();
  void ccm_blocks();
  void ccm_aad();
  void gcm();
  void gcm_short_ivs(std::uint8_t* row);
  void gcm_long_ivs();
  void hash_lengths(const std::size_t* first, const std::size_t* second);
  void write_tags();

  const Machine& machine_;
  const ManyOps& ops_;
  const ManyModes& modes_;
  const ManyBatch& batch_;
  const std::size_t block_, row_;
  ManyOps hash_ops_;  // GHASH as a chain: the hash so far is a block, the product its encryption
  const ManyText* const* texts_ = nullptr;
  unsigned count_ = 0;
  const RoundKeys* shared_ = nullptr;  // the schedule in all lanes of the table, if it is one
  bool decrypts_ = false;              // the table is for decryption
  alignas(64) std::uint8_t mask_[16];  // of the counter, as ManyModes::ctr takes it
  ManyLanes ctr_, chain_;
  ManyScratch scratch_;
  alignas(64) std::uint8_t hashes_[kGhashRowsBytes];
  alignas(64) std::uint8_t schedules_[kManyLanes * 320];
  alignas(64) std::uint8_t tag_masks_[kManyRowBytes];
};

}  // namespace gpuctr::many

#endif
