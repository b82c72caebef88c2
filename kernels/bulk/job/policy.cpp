#include "kernels/bulk/job/policy.h"

#include "kernels/bulk/base/config.h"
#include "kernels/bulk/job/shared.h"

namespace gpuctr::bulk {
namespace {

// A device makes a batch of shorter segments no faster than a core: segments of 1 KiB gave 21 to 34
// GB/s on an H200, without the copy back to the host.
constexpr std::size_t kLeastDeviceSegment = 4096;

}  // namespace

Policy::Policy(const EngineConfig& config, bool has_layer)
    : has_layer_(has_layer),
      off_(config.gpu == GpuUse::kOff),
      require_(config.gpu == GpuUse::kRequire),
      threads_(config.threads),
      threshold_(config.gpu_threshold),
      large_bytes_(config.gpu_threshold != 0 ? config.gpu_threshold : kLargeBytes),
      read_ahead_(config.read_ahead) {}

JobDevices Policy::job(Shared* shared, const CipherSpec& cipher, std::size_t total) const {
  if (must(total)) return JobDevices::kMust;
  const bool pays = total >= shared->crossover(cipher);
  return pays || (large(total) && !shared->known(cipher)) ? JobDevices::kMay : JobDevices::kNone;
}

bool Policy::too_short(std::size_t total, std::size_t count) const {
  return !require_ && total / count < kLeastDeviceSegment;
}

bool Policy::threads_alone(const Shared* shared, const CipherSpec& cipher, std::size_t n) const {
  return shared != nullptr && threshold_ == 0 && n >= kLeastPooled && shared->known(cipher) &&
         n < shared->figures(cipher).alone;
}

bool Policy::joins(JobDevices devices, Shared* shared, const CipherSpec& cipher, std::size_t left) {
  return devices != JobDevices::kMay || left >= shared->crossover(cipher);
}

std::size_t Policy::crossover(const Shared* shared, const CipherSpec& cipher) const {
  if (shared == nullptr) return 0;
  if (threshold_ != 0) return threshold_;
  return shared->known(cipher) ? shared->figures(cipher).bytes : 0;
}

bool Policy::in_window(const Shared* shared, const CipherSpec& cipher, std::size_t n) const {
  if (n >= read_ahead_) return false;
  const std::size_t from = crossover(shared, cipher);
  return from == 0 || n < from;
}

Ahead Policy::ahead(Shared* shared, const CipherSpec& cipher, bool must) const {
  if (threshold_ != 0 || must) return Ahead::kNow;
  static_cast<void>(shared->crossover(cipher));
  if (!shared->known(cipher)) return Ahead::kNotKnownYet;
  return shared->figures(cipher).ahead_pays ? Ahead::kNow : Ahead::kNever;
}

}  // namespace gpuctr::bulk
