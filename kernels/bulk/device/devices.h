// The cards one process uses, and which of them still work.
#ifndef GPUCTR_KERNELS_BULK_DEVICE_CARDS_H
#define GPUCTR_KERNELS_BULK_DEVICE_CARDS_H

#include <atomic>
#include <cstdint>

#include "kernels/gpu/layer.h"

namespace gpuctr::bulk {

constexpr unsigned kMaxCards = 16;

// A card is named by its place here, its number in the layer is device(card). Sets of cards have
// bit i for the card at place i. All functions but open() may be called from any thread.
class Cards {
 public:
  // Starts the driver and takes the cards of `devices` (bit i: device i; 0: all) that it does not
  // have yet. kOk: there is at least one, and `*cards` are those of `devices`. One thread at a
  // time.
  GpuStatus open(const GpuLayer& layer, std::uint64_t devices, std::uint64_t* cards);

  unsigned count() const { return count_.load(std::memory_order_acquire); }
  int device(unsigned card) const { return device_[card]; }
  bool alive(unsigned card) const { return any_alive(std::uint64_t{1} << card); }
  bool any_alive(std::uint64_t cards) const {
    return (alive_.load(std::memory_order_relaxed) & ~resting_.load(std::memory_order_relaxed) &
            cards) != 0;
  }
  // Lost: nothing of the layer but freeing may be called for it, and it writes no more.
  bool lost(unsigned card) const {
    return (lost_.load(std::memory_order_relaxed) >> card & 1) != 0;
  }
  // The card of this device number, or count() where it is not ours.
  unsigned card_of(int device) const;

  // Reports a failed call. A lost or unusable card is dropped at once, any other after its third
  // failure. Failures that pass (gpu_status_passes) drop no card: after the third of them it rests,
  // and is not alive, until wake().
  void failed(unsigned card, GpuStatus why);
  // A new job may try those of these cards that rest.
  void wake(std::uint64_t cards);
  bool any_resting(std::uint64_t cards) const {
    return (resting_.load(std::memory_order_relaxed) & cards) != 0;
  }
  // Of these cards; kOk: none failed.
  GpuStatus last_failure(std::uint64_t cards) const;

 private:
  std::atomic<unsigned> count_{0};
  int device_[kMaxCards] = {};
  std::atomic<unsigned> failures_[kMaxCards] = {};
  std::atomic<unsigned> passing_[kMaxCards] = {};  // since the last wake()
  std::atomic<GpuStatus> last_[kMaxCards] = {};
  std::atomic<unsigned> last_card_{0};
  std::atomic<std::uint64_t> alive_{0};
  std::atomic<std::uint64_t> resting_{0};
  std::atomic<std::uint64_t> lost_{0};
};

}  // namespace gpuctr::bulk

#endif
