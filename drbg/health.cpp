#include "drbg/health.h"

#include <cstring>

#include "drbg/ctr_drbg.h"

namespace gpuctr::drbg {
namespace {

// The bytes first, first + 1, ...
struct Counting {
  explicit Counting(unsigned first) {
    for (unsigned i = 0; i < sizeof bytes; ++i) bytes[i] = static_cast<std::uint8_t>(first + i);
  }
  ByteView view(std::size_t size) const { return {bytes, size}; }
  std::uint8_t bytes[kMaxSeedBytes];
};

}  // namespace

const char* health_test(const Mechanism& m, const std::uint8_t* known, bool corrupt) {
  CtrDrbg drbg(m, true);
  const Counting entropy(0x00), nonce(0x20), personalization(0x40), additional(0x60);
  const Counting new_entropy(0x80), new_additional(0xa0);
  std::uint8_t out[2 * kMaxBlockBytes] = {};
  const std::size_t n = 2 * m.block;

  // 11.3.2 and 11.3.6: input that must be refused, and a state that must stay empty.
  if (drbg.generate(out, n, {}) != Status::kNotInstantiated) return "generate uninstantiated";
  if (drbg.instantiate(entropy.view(m.min_entropy - 1), nonce.view(m.key / 2), {}) !=
      Status::kEntropyTooShort) {
    return "instantiate with short entropy";
  }
  if (drbg.instantiate(entropy.view(m.seed), nonce.view(m.key / 2), personalization.view(m.seed)) !=
      Status::kOk) {
    return "instantiate";
  }
  // 11.3.3 and 11.3.4: with an interval of 1, the second request needs a reseed.
  drbg.set_reseed_interval(1);
  if (drbg.generate(out, n, additional.view(m.seed)) != Status::kOk) return "generate";
  if (drbg.generate(out, n, {}) != Status::kReseedRequired) return "reseed interval";
  if (drbg.reseed(new_entropy.view(m.min_entropy - 1), {}) != Status::kEntropyTooShort) {
    return "reseed with short entropy";
  }
  if (drbg.reseed(new_entropy.view(m.seed), new_additional.view(m.seed)) != Status::kOk) {
    return "reseed";
  }
  if (drbg.generate(out, n, {}) != Status::kOk) return "generate after reseed";
  if (corrupt) out[0] ^= 1;
  if (std::memcmp(out, known, kKnownAnswerBytes) != 0) return "known answer";
  // 11.3.5.
  drbg.uninstantiate();
  return drbg.is_zeroized() ? nullptr : "uninstantiate";
}

}  // namespace gpuctr::drbg
