#include "kernels/bulk/device/cards.h"

#include "kernels/bulk/base/process_state.h"

namespace gpuctr::bulk {

GpuStatus Cards::open(const GpuLayer& layer, std::uint64_t devices, std::uint64_t* cards) {
  *cards = 0;
  int count = 0;
  GpuStatus status = GpuStatus::kOther;
  if (CardSection section; section) status = layer.device_count(&count);
  if (status != GpuStatus::kOk) return status;
  GpuStatus last = GpuStatus::kNoDevice;
  for (int d = 0; d < count && d < 64; ++d) {
    if (devices != 0 && (devices >> d & 1) == 0) continue;
    const unsigned card = card_of(d);
    const std::uint64_t bit = std::uint64_t{1} << card;
    if (card < this->count()) {
      *cards |= bit;
      continue;
    }
    if (card == kMaxCards) break;
    GpuInfo info;
    status = GpuStatus::kOther;
    if (CardSection section; section) status = layer.device_info(d, &info);
    if (status != GpuStatus::kOk) {
      last = status;
      continue;
    }
    *cards |= bit;
    device_[card] = d;
    alive_.fetch_or(bit, std::memory_order_relaxed);
    count_.store(card + 1, std::memory_order_release);
  }
  return *cards != 0 ? GpuStatus::kOk : last;
}

unsigned Cards::card_of(int device) const {
  const unsigned n = count();
  for (unsigned card = 0; card < n; ++card) {
    if (device_[card] == device) return card;
  }
  return n;
}

GpuStatus Cards::last_failure(std::uint64_t cards) const {
  const unsigned last = last_card_.load(std::memory_order_relaxed);
  GpuStatus status = GpuStatus::kOk;
  for (unsigned card = 0; card < kMaxCards; ++card) {
    const GpuStatus its = last_[card].load(std::memory_order_relaxed);
    if ((cards >> card & 1) == 0 || its == GpuStatus::kOk) continue;
    if (status == GpuStatus::kOk || card == last) status = its;
  }
  return status;
}

void Cards::failed(unsigned card, GpuStatus why) {
  constexpr unsigned kPatience = 3;
  last_[card].store(why, std::memory_order_relaxed);
  last_card_.store(card, std::memory_order_relaxed);
  const std::uint64_t bit = std::uint64_t{1} << card;
  if (gpu_status_passes(why)) {
    if (passing_[card].fetch_add(1, std::memory_order_relaxed) + 1 >= kPatience) {
      resting_.fetch_or(bit, std::memory_order_relaxed);
    }
    return;
  }
  if (why == GpuStatus::kDeviceLost) lost_.fetch_or(bit, std::memory_order_relaxed);
  const bool hopeless = why == GpuStatus::kDeviceLost || why == GpuStatus::kNoDevice ||
                        why == GpuStatus::kNoDriver || why == GpuStatus::kUnsupported;
  if (failures_[card].fetch_add(1, std::memory_order_relaxed) + 1 >= kPatience || hopeless) {
    alive_.fetch_and(~bit, std::memory_order_relaxed);
  }
}

void Cards::wake(std::uint64_t cards) {
  for (unsigned card = 0; card < count(); ++card) {
    if ((cards >> card & 1) == 0 || passing_[card].load(std::memory_order_relaxed) == 0) continue;
    passing_[card].store(0, std::memory_order_relaxed);
    resting_.fetch_and(~(std::uint64_t{1} << card), std::memory_order_relaxed);
  }
}

}  // namespace gpuctr::bulk
