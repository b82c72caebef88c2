// Key wrapping as the tests understand it: RFC 3394 2.2.1 by an array of semiblocks, and RFC
// 5649 4.1. Shares no code with provider/ but the block cipher.
#ifndef GPUCTR_TEST_PROVIDER_MODE_WRAP_MODEL_H
#define GPUCTR_TEST_PROVIDER_MODE_WRAP_MODEL_H

#include "test/support/vectors.h"

namespace gpuctr::test {

struct WrapMode {
  const char* name;
  bool pads, inverse;
};
constexpr WrapMode kWrapModes[] = {{"WRAP", false, false},
                                   {"WRAP-PAD", true, false},
                                   {"WRAP-INV", false, true},
                                   {"WRAP-PAD-INV", true, true}};

// W of SP 800-38F 6.1, for whole semiblocks; of two, one call of the block cipher, which is
// block(key, 16 bytes, encrypt).
template <class Block>
Bytes model_w(const Block& block, const WrapMode& mode, const Bytes& key, Bytes a,
              const Bytes& text) {
  std::vector<Bytes> r;
  for (std::size_t at = 0; at < text.size(); at += 8) {
    r.emplace_back(text.begin() + static_cast<std::ptrdiff_t>(at),
                   text.begin() + static_cast<std::ptrdiff_t>(at) + 8);
  }
  const auto turn = [&](Bytes* half) {
    Bytes both = a;
    both.insert(both.end(), half->begin(), half->end());
    both = block(key, both, !mode.inverse);
    a.assign(both.begin(), both.begin() + 8);
    half->assign(both.begin() + 8, both.end());
  };
  if (r.size() == 1) {
    turn(&r[0]);
  } else {
    std::uint64_t t = 0;
    for (int j = 0; j < 6; ++j) {
      for (Bytes& half : r) {
        turn(&half);
        ++t;
        for (unsigned i = 0; i < 8; ++i) a[7 - i] ^= static_cast<std::uint8_t>(t >> (8 * i));
      }
    }
  }
  for (const Bytes& half : r) a.insert(a.end(), half.begin(), half.end());
  return a;
}

// iv: nullptr is the standard's.
template <class Block>
Bytes model_wrap(const Block& block, const WrapMode& mode, const Bytes& key, const Bytes* iv,
                 Bytes text) {
  Bytes a = mode.pads ? Bytes{0xa6, 0x59, 0x59, 0xa6} : Bytes(8, 0xa6);
  if (iv != nullptr) a = *iv;
  if (mode.pads) {
    for (int i = 3; i >= 0; --i) a.push_back(static_cast<std::uint8_t>(text.size() >> (8 * i)));
    while (text.size() % 8 != 0) text.push_back(0);
  }
  return model_w(block, mode, key, a, text);
}

}  // namespace gpuctr::test

#endif
