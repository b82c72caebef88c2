#include "drbg/kernel_cipher.h"

namespace gpuctr::drbg {

void KernelCipher::expand(const std::uint8_t* key, RoundKeys* out) const { spec_.expand(key, out); }

void KernelCipher::encrypt(const RoundKeys& keys, const std::uint8_t* in, std::uint8_t* out,
                           std::size_t blocks) const {
  engine_->cpu(spec_).encrypt(keys, in, out, blocks);
}

void KernelCipher::keystream(const RoundKeys& keys, const std::uint8_t* counter, std::uint8_t* out,
                             std::size_t n) const {
  engine_->cpu(spec_).ctr(keys, counter, nullptr, out, n);
}

void KernelCipher::seed(const RoundKeys& keys, const std::uint8_t* counter,
                        std::uint8_t* out) const {
  engine_->cpu(spec_).seed(keys, counter, out);
}

bool KernelCipher::output(const BulkSegment* segments, std::size_t count) const {
  if (count == 1) {
    const BulkSegment& s = *segments;
    return engine_->ctr(spec_, *s.keys, s.counter, nullptr, s.out, s.bytes) == BulkStatus::kOk;
  }
  return engine_->ctr_batch(spec_, segments, count) == BulkStatus::kOk;
}

}  // namespace gpuctr::drbg
