#include "kernels/bulk/batch/crossover.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>

#include "kernels/base/wipe.h"
#include "kernels/bulk/batch/cpu_work.h"
#include "kernels/bulk/job/shared.h"

namespace gpuctr::bulk {
namespace {

constexpr std::size_t kLength = 1024;
constexpr std::size_t kSmall = 1024, kLarge = 16 * kSmall;  // messages
constexpr std::size_t kIvBytes = 16, kTagBytes = 16;

// Batches under one key, in place.
class Timer {
 public:
  Timer(Shared* shared, const CipherSpec& cipher, BatchMode mode)
      : shared_(shared),
        text_(new (std::nothrow) std::uint8_t[kLarge * kLength]),
        numbers_(new (std::nothrow) std::uint8_t[kLarge * (kIvBytes + kTagBytes)]),
        key_(new (std::nothrow) Wiped<RoundKeys>) {
    if (!good()) return;
    std::memset(text_.get(), 0, kLarge * kLength);
    std::memset(numbers_.get(), 0, kLarge * (kIvBytes + kTagBytes));
    const std::uint8_t zeros[kMaxKeyBytes] = {};
    cipher.expand(zeros, &key_->value);
    batch_.cipher = &cipher;
    batch_.mode = mode;
    batch_.own_key = &key_->value;
    batch_.key_bytes = cipher.key_bytes;
    batch_.ivs = numbers_.get();
    batch_.iv_bytes = batch_.authenticates() ? 12 : cipher.block_bytes;
    batch_.counter_bits = static_cast<unsigned>(8 * cipher.block_bytes);
    batch_.length = kLength;
    batch_.in = batch_.out = text_.get();
    if (batch_.authenticates()) {
      batch_.tags = numbers_.get() + kLarge * kIvBytes;
      batch_.tag_bytes = kTagBytes;
    }
  }
  bool good() const { return text_ != nullptr && numbers_ != nullptr && key_ != nullptr; }

  // The times of both sizes, by weight.
  template <class Work>
  CostLine line(const Work& work) {
    double times[2];
    for (const bool large : {false, true}) {
      batch_.messages = large ? kLarge : kSmall;
      batch_.bytes = batch_.messages * kLength;
      times[large] = best_time(work);
    }
    return CostLine::through(batch_weight(kSmall, kSmall * kLength), times[0],
                             batch_weight(kLarge, kLarge * kLength), times[1]);
  }
  CostLine by_threads() {
    return line([&] {
      BatchWork work(batch_, *shared_->key.cpu, shared_->threads());
      run_by_threads(shared_, &work, shared_->threads());
    });
  }
  CostLine by_device(bool* ok) {
    return line([&] {
      BatchOutcome outcome;
      const auto result = shared_->device_memory.messages(batch_, shared_->any_ordinal(), &outcome);
      *ok = *ok && result.status == DeviceStatus::kOk;
    });
  }

 private:
  Shared* const shared_;
  const std::unique_ptr<std::uint8_t[]> text_, numbers_;
  const std::unique_ptr<Wiped<RoundKeys>> key_;
  Batch batch_;
};

}  // namespace

std::size_t measure_batches(Shared* shared, const CipherSpec& cipher, BatchMode mode) {
  Timer timer(shared, cipher, mode);
  // A disturbance can make the device look slower at any size.
  for (int i = 0; i < 3 && timer.good(); ++i) {
    bool ok = true;
    const CostLine device = timer.by_device(&ok);
    if (!ok) break;
    const std::size_t weight = device.meets(timer.by_threads());
    if (weight != SIZE_MAX) return std::max(weight, batch_weight(kSmall, kSmall * kLength));
  }
  return SIZE_MAX;
}

}  // namespace gpuctr::bulk
