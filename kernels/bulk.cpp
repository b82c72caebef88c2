#include "kernels/bulk.h"

namespace gpuctr {

Engine::Engine(const EngineConfig& config)
    : cpu_(config.cpu != nullptr ? config.cpu : &best_machine()) {}

BulkStatus Engine::ctr(const CipherSpec& cipher, const RoundKeys& keys, const std::uint8_t* counter,
                       const std::uint8_t* in, std::uint8_t* out, std::size_t n) {
  cpu(cipher).ctr(keys, counter, in, out, n);
  return BulkStatus::kOk;
}

BulkStatus Engine::ctr_batch(const CipherSpec& cipher, const BulkSegment* segments,
                             std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const BulkSegment& s = segments[i];
    cpu(cipher).ctr(*s.keys, s.counter, s.in, s.out, s.bytes);
  }
  return BulkStatus::kOk;
}

}  // namespace gpuctr
