#include "drbg/kernel_cipher.h"

namespace gpuctr::drbg {

void KernelCipher::expand(const std::uint8_t* key, RoundKeys* out) const {
  expand_on(spec_, engine_->cpu(spec_), key, spec_.key_bytes, out);
}

void KernelCipher::encrypt(const RoundKeys& keys, const std::uint8_t* in, std::uint8_t* out,
                           std::size_t blocks) const {
  engine_->cpu(spec_).encrypt(keys, in, out, blocks);
}

void KernelCipher::keystream(const RoundKeys& keys, const std::uint8_t* counter, std::uint8_t* out,
                             std::size_t n) const {
  engine_->cpu(spec_).ctr(keys, counter, nullptr, out, n);
}

bool KernelCipher::for_card(const void* out) const {
  return engine_->config().gpu == GpuUse::kRequire || engine_->is_device(out);
}

// The requests of a cipher with 64-bit blocks are 1 KiB each. A core makes each of them beside the
// step to the next faster than a card gets to it, so only threads that are there anyway share them.
bool KernelCipher::shares(const void* out, std::size_t n) const {
  if (spec_.block_bytes == 16 || for_card(out)) return engine_->shares(out, n);
  return engine_->threads() > 1 && n >= (std::size_t{1} << 20);
}

void KernelCipher::step(const RoundKeys& keys, const std::uint8_t* counter, std::uint8_t* out,
                        std::size_t n, std::uint8_t* seed) const {
  engine_->step(spec_, keys, counter, out, n, seed);
}

bool KernelCipher::requests(std::uint8_t* key, std::uint8_t* v, std::uint8_t* out, std::size_t n,
                            std::size_t count) const {
  return engine_->requests(spec_, key, v, out, n, count);
}

bool KernelCipher::chain(std::uint8_t* key, std::uint8_t* v, std::uint64_t blocks, ChainLink* links,
                         std::size_t count) const {
  engine_->cpu(spec_).chain(key, v, blocks, links, count);
  return true;
}

bool KernelCipher::output(const BulkSegment* segments, std::size_t count) const {
  if (count == 1) {
    const BulkSegment& s = *segments;
    const SegmentKeys keys(spec_, s.keys, s.key);
    return engine_->ctr(spec_, *keys, s.counter, nullptr, s.out, s.bytes) == BulkStatus::kOk;
  }
  return engine_->ctr_batch(spec_, segments, count) == BulkStatus::kOk;
}

}  // namespace gpuctr::drbg
