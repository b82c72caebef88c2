// The cards one process uses, and which of them still work.
#ifndef GPUCTR_KERNELS_BULK_CARDS_H
#define GPUCTR_KERNELS_BULK_CARDS_H

#include <atomic>
#include <cstdint>

#include "kernels/gpu.h"

namespace gpuctr::bulk {

constexpr unsigned kMaxCards = 16;

// Opened once by one thread; after that all functions may be called from any thread. A card is
// named by its place here, its number in the layer is device(card).
class Cards {
 public:
  // Starts the driver and takes the cards of `mask` (bit i: device i; 0: all). kOk: at least one.
  GpuStatus open(const GpuLayer& layer, std::uint64_t mask);

  unsigned count() const { return count_; }
  int device(unsigned card) const { return device_[card]; }
  bool alive(unsigned card) const {
    return (alive_.load(std::memory_order_relaxed) >> card & 1) != 0;
  }
  bool any_alive() const { return alive_.load(std::memory_order_relaxed) != 0; }
  // Lost: nothing of the layer but freeing may be called for it, and it writes no more.
  bool lost(unsigned card) const {
    return (lost_.load(std::memory_order_relaxed) >> card & 1) != 0;
  }
  // The card of this device number, or count() where it is not ours.
  unsigned card_of(int device) const;

  // Reports a failed call. A lost or unusable card is dropped at once, any other after its third
  // failure: memory may only have been short.
  void failed(unsigned card, GpuStatus why);
  GpuStatus last_failure() const { return last_.load(std::memory_order_relaxed); }

 private:
  unsigned count_ = 0;
  int device_[kMaxCards] = {};
  std::atomic<unsigned> failures_[kMaxCards] = {};
  std::atomic<GpuStatus> last_{GpuStatus::kOk};
  std::atomic<std::uint64_t> alive_{0};
  std::atomic<std::uint64_t> lost_{0};
};

}  // namespace gpuctr::bulk

#endif
