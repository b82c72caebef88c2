// From how many bytes on a card pays, for one cipher: measured, never guessed.
#ifndef GPUCTR_KERNELS_BULK_CROSSOVER_H
#define GPUCTR_KERNELS_BULK_CROSSOVER_H

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace gpuctr {
struct CipherSpec;
}

namespace gpuctr::bulk {

class Shared;

// One cipher's figures. Written once by the thread that measures, before state becomes kKnown.
struct Crossover {
  enum State : int { kUnknown, kMeasuring, kKnown };
  std::atomic<int> state{kUnknown};
  std::size_t bytes = SIZE_MAX;      // a job of this size is as fast on the card as on one core
  std::size_t cpu_piece = 64 << 10;  // what one core does in 0.1 ms or so
  bool ahead_pays = false;           // reading ahead beats one core making its own keystream
};

// Times one core and the whole card path end to end, a few milliseconds in all, and fills `result`
// but for its state. The cards are open. Leaves the default (never) where it cannot measure.
void measure_crossover(Shared* shared, const CipherSpec& cipher, Crossover* result);

}  // namespace gpuctr::bulk

#endif
