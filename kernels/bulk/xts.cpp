// Engine::xts: one data unit.
#include <cstring>

#include "kernels/base/wipe.h"
#include "kernels/bulk/engine.h"
#include "kernels/bulk/job/shared.h"
#include "kernels/bulk/job/xts_job.h"

namespace gpuctr {

// The end of the unit needs the mask after the last block of the body.
void Engine::xts(const CipherSpec& cipher, const bulk::XtsWork& work, const std::uint8_t* mask) {
  const std::size_t body = work.body();
  bulk::Shared* const s = bulk::Policy::pooled(threads(), body) ? shared() : nullptr;
  if (s == nullptr) {
    bulk::xts_unit(work, mask);
    return report_.counters.cpu(work.bytes);
  }
  bulk::XtsJob job(s, cipher, work.part(0, body), mask, &report_);
  static_cast<void>(job.run());  // without a device it cannot fail
  if (body == work.bytes) return;
  Wiped<std::uint8_t[kXtsBlock]> last;
  std::memcpy(last.value, mask, kXtsBlock);
  bulk::xts_skip(last.value, body / kXtsBlock);
  bulk::xts_steal(work.part(body, work.bytes - body), last.value);
  report_.counters.cpu(work.bytes - body);
}

}  // namespace gpuctr
