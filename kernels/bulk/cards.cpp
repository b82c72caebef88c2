#include "kernels/bulk/cards.h"

#include "kernels/bulk/life.h"

namespace gpuctr::bulk {

GpuStatus Cards::open(const GpuLayer& layer, std::uint64_t mask) {
  int devices = 0;
  GpuStatus status = GpuStatus::kOther;
  if (CardSection section; section) status = layer.device_count(&devices);
  if (status != GpuStatus::kOk) return status;
  GpuStatus last = GpuStatus::kNoDevice;
  std::uint64_t alive = 0;
  for (int d = 0; d < devices && d < 64 && count_ < kMaxCards; ++d) {
    if (mask != 0 && (mask >> d & 1) == 0) continue;
    GpuInfo info;
    status = GpuStatus::kOther;
    if (CardSection section; section) status = layer.device_info(d, &info);
    if (status != GpuStatus::kOk) {
      last = status;
      continue;
    }
    alive |= std::uint64_t{1} << count_;
    device_[count_++] = d;
  }
  alive_.store(alive, std::memory_order_relaxed);
  return count_ != 0 ? GpuStatus::kOk : last;
}

unsigned Cards::card_of(int device) const {
  for (unsigned card = 0; card < count_; ++card) {
    if (device_[card] == device) return card;
  }
  return count_;
}

void Cards::failed(unsigned card, GpuStatus why) {
  constexpr unsigned kPatience = 3;
  last_.store(why, std::memory_order_relaxed);
  const std::uint64_t bit = std::uint64_t{1} << card;
  if (why == GpuStatus::kDeviceLost) lost_.fetch_or(bit, std::memory_order_relaxed);
  const bool hopeless = why == GpuStatus::kDeviceLost || why == GpuStatus::kNoDevice ||
                        why == GpuStatus::kNoDriver || why == GpuStatus::kUnsupported;
  if (failures_[card].fetch_add(1, std::memory_order_relaxed) + 1 >= kPatience || hopeless) {
    alive_.fetch_and(~bit, std::memory_order_relaxed);
  }
}

}  // namespace gpuctr::bulk
