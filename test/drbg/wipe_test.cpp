// What Block_Cipher_df leaves on the stack: nothing that depends on its input. What it leaves is no
// secret that the scans of a whole process know: the chains' value is the key of an intermediate
// step, and the input's last block stands beside its padding.
#include <gtest/gtest.h>

#include <array>

#include "drbg/derivation.h"
#include "test/drbg/ciphers.h"
#include "test/support/dead_stack.h"

namespace gpuctr {
namespace {

using test::kDeadStack;
using test::look_at_stack;
using Stack = std::array<std::uint8_t, kDeadStack>;

std::array<std::uint8_t, 61> g_input;  // whole blocks and a part of one
std::array<std::uint8_t, drbg::kMaxSeedBytes> g_seed;

void set_input(unsigned first) {
  for (std::size_t i = 0; i < g_input.size(); ++i) {
    g_input[i] = static_cast<std::uint8_t>(first + 37 * i);
  }
}

Stack g_remains;

__attribute__((noinline)) void derive_and_look(const drbg::Mechanism& mechanism) {
  GPUCTR_CLEAR_SAVED_REGISTERS();
  g_remains.fill(0);
  look_at_stack(nullptr);
  drbg::block_cipher_df(mechanism, {g_input.data(), 20}, {g_input.data() + 20, 24},
                        {g_input.data() + 44, g_input.size() - 44}, g_seed.data());
  look_at_stack(g_remains.data());
  __asm__ volatile("" : : : "memory");  // no tail call: this frame is not to be looked at
}

__attribute__((noinline)) void copy_to_stack() {
  std::uint8_t copy[32];
  std::memcpy(copy, g_input.data(), sizeof copy);
  __asm__ volatile("" : : "r"(copy) : "memory");
}

__attribute__((noinline)) void copy_and_look() {
  GPUCTR_CLEAR_SAVED_REGISTERS();
  g_remains.fill(0);
  look_at_stack(nullptr);
  copy_to_stack();
  look_at_stack(g_remains.data());
  __asm__ volatile("" : : : "memory");
}

class DerivationWipe : public testing::TestWithParam<const char*> {};

TEST_P(DerivationWipe, NothingStays) {
  const auto cipher = test::make_cipher(GetParam());
  const drbg::Mechanism& mechanism = cipher->mechanism;
  set_input(0);
  derive_and_look(mechanism);  // the loader's work
  derive_and_look(mechanism);
  static Stack first;
  first = g_remains;
  const auto seed = g_seed;
  set_input(1);
  derive_and_look(mechanism);
  EXPECT_NE(seed, g_seed);
  EXPECT_EQ(test::bytes_that_differ(first.data(), g_remains.data()), 0u);
}

TEST(DeadStack, SeesWhatStays) {
  set_input(0);
  copy_and_look();
  static Stack first;
  first = g_remains;
  set_input(1);
  copy_and_look();
  EXPECT_GE(test::bytes_that_differ(first.data(), g_remains.data()), 32u);
}

INSTANTIATE_TEST_SUITE_P(EveryCipher, DerivationWipe, testing::ValuesIn(test::generator_ciphers()),
                         test::test_name);

}  // namespace
}  // namespace gpuctr
