// From which size a device is faster than the engine's threads at a batch in ordinary memory, which
// crosses the link twice.
#ifndef GPUCTR_KERNELS_BULK_BATCH_CROSSOVER_H
#define GPUCTR_KERNELS_BULK_BATCH_CROSSOVER_H

#include <cstddef>

#include "kernels/bulk/batch/work.h"

namespace gpuctr::bulk {

class Shared;

// What a batch costs, about: its bytes of text, and for each message those that take as long as its
// key and first block.
constexpr std::size_t batch_weight(std::size_t messages, std::size_t bytes) {
  constexpr std::size_t kMessageBytes = 256;
  return bytes + messages * kMessageBytes;
}

// Times batches of messages of 1 KiB by the threads and by a device, and returns the weight from
// which the device is faster; SIZE_MAX: none, or it cannot be measured. The devices are open.
std::size_t measure_batches(Shared* shared, const CipherSpec& cipher, BatchMode mode);

}  // namespace gpuctr::bulk

#endif
