// The checks of a batch before anything is written.
#ifndef GPUCTR_KERNELS_BULK_BATCH_CHECK_H
#define GPUCTR_KERNELS_BULK_BATCH_CHECK_H

#include "kernels/bulk/batch/work.h"

namespace gpuctr::bulk {

// Makes every check of BatchFault that needs no device, and sets `bytes`. The arrays of numbers
// (lengths, offsets, indices) must be in ordinary memory; no other array is read. The provider has
// checked that each array has its size and that keys, IVs and tags are present where the mode needs
// them.
BatchOutcome check_batch(const Batch& batch);

}  // namespace gpuctr::bulk

#endif
