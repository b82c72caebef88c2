// What XTS leaves on the stack on x86: nothing that depends on keys, masks or text, whether the
// backend has XTS of its own or the text goes in pieces between its masks.
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "kernels/bulk/base/xts.h"
#include "test/kernels/cases.h"
#include "test/kernels/registers.h"
#include "test/support/dead_stack.h"

namespace gpuctr {
namespace {

using test::kDeadStackOfMany;
constexpr std::size_t kText = 20007;  // more than a piece, and a part of a block

struct Remains {
  std::uint8_t stack[kDeadStackOfMany];
};

// A data unit, or many of `unit` bytes.
__attribute__((noinline)) void crypt_and_look(const bulk::XtsWork& work,
                                              const bulk::XtsUnits& units, Remains* remains) {
  static std::uint8_t mask[kXtsBlock];
  std::memcpy(mask, units.tweak_keys.bytes, sizeof mask);
  GPUCTR_CLEAR_SAVED_REGISTERS();
  std::memset(remains, 0, sizeof *remains);
  test::look_at_stack<kDeadStackOfMany>(nullptr);
  if (units.unit == kText) {
    bulk::xts_unit(work, mask);
  } else {
    bulk::xts_units(work, units);
  }
  test::look_at_stack<kDeadStackOfMany>(remains->stack);
  __asm__ volatile("" : : : "memory");
}

class XtsWipe : public testing::TestWithParam<test::Case> {};

TEST_P(XtsWipe, NothingStays) {
  static Remains remains, first;
  static volatile std::uint8_t secret;
  static std::uint8_t in[kText], out[kText], ivs[kXtsBlock * (kText / 32 + 1)];
  static RoundKeys keys, tweak_keys;
  const auto& [backend, cipher] = GetParam();
  if (!backend->available() || cipher->block_bytes != kXtsBlock) return;
  if (!is_constant_time(*cipher, backend->ops[cipher->index])) return;
  for (const std::size_t unit : {kText, std::size_t{512}, std::size_t{4096}, std::size_t{37}}) {
    for (const bool encrypts : {true, false}) {
      SCOPED_TRACE(testing::Message() << "units of " << unit << ", encrypts: " << encrypts);
      // The first time is the loader's work.
      for (const unsigned time : {0u, 0u, 1u}) {
        secret = static_cast<std::uint8_t>(2 * time);
        for (std::size_t i = 0; i < sizeof in; ++i) {
          in[i] = static_cast<std::uint8_t>((3 + 2 * secret) * i + 11);
        }
        const std::uint8_t key[kMaxKeyBytes] = {secret, 0x9a, 3, 4, secret, 6};
        cipher->expand(key, &keys);
        cipher->expand(key + 1, &tweak_keys);
        crypt_and_look(
            {backend->ops[cipher->index], backend->xts_masks, keys, encrypts, in, out, kText},
            {unit, ivs, tweak_keys}, &remains);
        if (time == 0) first = remains;
      }
      EXPECT_EQ(0, std::memcmp(&remains, &first, sizeof first));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, XtsWipe, testing::ValuesIn(test::cases()), test::case_name);

}  // namespace
}  // namespace gpuctr
