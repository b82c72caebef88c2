// What run_many() leaves behind on x86: nothing that depends on keys or texts on the stack, nothing
// at all in the vector registers.
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "kernels/cpu/many/many.h"
#include "test/kernels/cases.h"
#include "test/kernels/registers.h"
#include "test/support/dead_stack.h"

namespace gpuctr {
namespace {

using test::expect_no_registers;
using test::read_registers;
using test::Registers;
using test::Width;
using test::width_of;
using test::zero_registers;

class ManyWipe : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    backend_ = find_backend(GetParam());
    ASSERT_NE(backend_, nullptr);
    if (!backend_->available()) GTEST_SKIP() << "this CPU has no " << GetParam();
  }
  const Backend* backend_ = nullptr;
};

constexpr std::size_t kManyStack = test::kDeadStackOfMany;
constexpr std::size_t kManyMessages = 70, kManyBytes = 1000, kShortBytes = 100;
struct ManyRemains {
  std::uint8_t stack[kManyStack];
  Registers registers;
};

__attribute__((noinline)) void run_many_and_look(const CipherSpec& spec, const Backend& backend,
                                                 const ManyBatch& batch, const ManyText* texts,
                                                 Width width, ManyRemains* remains) {
  GPUCTR_CLEAR_SAVED_REGISTERS();
  std::memset(remains, 0, sizeof *remains);
  test::look_at_stack<kManyStack>(nullptr);
  zero_registers(width);
  run_many(spec, backend, batch, texts, kManyMessages);
  read_registers(width, &remains->registers);
  test::look_at_stack<kManyStack>(remains->stack);
  __asm__ volatile("" : : : "memory");
}

// One call in which every key and text depends on `byte`.
__attribute__((noinline)) void run_many_with(const CipherSpec& spec, const Backend& backend,
                                             ManyBatch batch, bool schedules, std::uint8_t byte,
                                             Width width, ManyRemains* remains) {
  static std::uint8_t keys[kManyMessages][kMaxKeyBytes], data[kManyMessages][kManyBytes];
  static std::uint8_t ivs[kManyMessages][kMaxBlockBytes], aad[33], tags[kManyMessages][16];
  static RoundKeys expanded[kManyMessages];
  static GhashKey powers[kManyMessages];
  static ManyText texts[kManyMessages];
  const bool blocks = batch.mode == ManyMode::kCbc;
  for (std::size_t m = 0; m < kManyMessages; ++m) {
    for (std::size_t i = 0; i < kMaxKeyBytes; ++i) {
      keys[m][i] = static_cast<std::uint8_t>(m * 8 + i * 4 + 2 * byte);
    }
    for (std::size_t i = 0; i < kManyBytes; ++i) {
      data[m][i] = static_cast<std::uint8_t>(m + 3 * i + byte);
    }
    spec.expand(keys[m], &expanded[m]);
    ManyText& text = texts[m];
    text = {};
    text.keys = schedules ? &expanded[m] : nullptr;
    text.key = schedules ? nullptr : keys[m];
    if (schedules && batch.mode == ManyMode::kGcm && m % 2 != 0) {
      std::uint8_t h[16] = {};
      backend.ops[spec.index].encrypt(expanded[m], h, h, 1);
      backend.ghash->expand(h, &powers[m]);
      text.powers = &powers[m];
    }
    text.iv = ivs[m];
    text.in = text.out = data[m];
    // Some are so long that they go one by one.
    text.n = m % 16 == 15 ? kManyBytes - m : m * (blocks ? spec.block_bytes : 1) % kShortBytes;
    if (blocks) text.n -= text.n % spec.block_bytes;
    text.aad = aad;
    text.aad_bytes = m % 2 * sizeof aad;
    text.tag = tags[m];
  }
  run_many_and_look(spec, backend, batch, texts, width, remains);
}

TEST_P(ManyWipe, NothingStays) {
  static ManyRemains first, remains;
  const Width width = width_of(GetParam());
  const bool simd = std::string(GetParam()) != "scalar";
  bool loaded = false;
  for (std::size_t c = 0; c < kCipherCount; ++c) {
    const CipherSpec& spec = cipher_spec(c);
    for (unsigned turn = 0; turn < 16; ++turn) {
      ManyBatch batch;
      batch.mode = static_cast<ManyMode>(turn % 4);
      batch.encrypts = turn / 4 % 2 == 0;
      batch.key_bytes = spec.key_bytes;
      const bool authenticates = turn % 4 >= 2, schedules = turn >= 8;
      if (authenticates && spec.block_bytes != 16) continue;
      batch.iv_bytes = authenticates ? 12 : spec.block_bytes;
      SCOPED_TRACE(std::string(spec.name) + ", turn " + std::to_string(turn));
      // First the loader's work; then one call each, from the same place of the stack.
      for (unsigned call = loaded ? 1 : 0; call < 3; ++call) {
        if (call == 2) std::memcpy(&first, &remains, sizeof first);
        const auto byte = static_cast<std::uint8_t>(call == 2 ? 1 : 0);
        run_many_with(spec, *backend_, batch, schedules, byte, width, &remains);
      }
      loaded = true;
      std::size_t differ = 0;
      for (std::size_t i = 0; i < kManyStack; ++i) differ += first.stack[i] != remains.stack[i];
      EXPECT_EQ(differ, 0U) << "bytes of stack";
      if (simd && is_constant_time(spec, backend_->ops[c])) {
        expect_no_registers(width, remains.registers);
      }
      if (HasFatalFailure()) return;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Backends, ManyWipe, testing::ValuesIn(test::backend_names()));

}  // namespace
}  // namespace gpuctr
