// The messages that every side of the benchmark seals: a key, an IV and 16 bytes of associated data
// of its own for each.
#ifndef GPUCTR_TEST_BENCH_BATCH_MESSAGES_H
#define GPUCTR_TEST_BENCH_BATCH_MESSAGES_H

#include <cstdint>
#include <random>
#include <vector>

#include "kernels/cpu/base/many.h"

namespace gpuctr::bench {

constexpr std::size_t kMessages = 1024, kMostBytes = 1024, kAadBytes = 16, kTagBytes = 16;
constexpr std::size_t kKeyBytes = 32;  // from one key to the next, of every size

struct BatchData {
  std::vector<std::uint8_t> keys, ivs, texts, aad, tags;

  BatchData()
      : keys(kMessages * kKeyBytes),
        ivs(kMessages * 16),
        texts(kMessages * kMostBytes),
        aad(kMessages * kAadBytes),
        tags(kMessages * kTagBytes) {
    std::mt19937 random(1);
    for (auto* bytes : {&keys, &ivs, &texts, &aad}) {
      for (std::uint8_t& byte : *bytes) byte = static_cast<std::uint8_t>(random());
    }
  }
  // The IV of the mode, in bytes.
  static std::size_t iv_bytes(ManyMode mode, std::size_t block) {
    return mode == ManyMode::kGcm || mode == ManyMode::kCcm ? 12 : block;
  }
  static bool authenticates(ManyMode mode) {
    return mode == ManyMode::kGcm || mode == ManyMode::kCcm;
  }
};

}  // namespace gpuctr::bench

#endif
