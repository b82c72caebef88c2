// The messages of run_many() one after the other, by CipherOps and GhashOps.
#ifndef GPUCTR_KERNELS_CPU_MANY_ONE_BY_ONE_H
#define GPUCTR_KERNELS_CPU_MANY_ONE_BY_ONE_H

#include "kernels/cpu/backend.h"

namespace gpuctr::many {

struct Machine {
  const CipherSpec& spec;
  const CipherOps& ops;
  const GhashOps& ghash;
};

// Whether run_one() makes the text and the hash of a message of GCM in one loop.
inline bool gcm_in_one_loop(const Machine& machine, const ManyBatch& batch) {
  return batch.iv_bytes == 12 && in_one_loop(machine.ops, machine.ghash);
}

void run_one(const Machine& machine, const ManyBatch& batch, const ManyText& text);

}  // namespace gpuctr::many

#endif
