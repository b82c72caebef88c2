// The models of intrinsics against the CPU's instructions: every pair of bytes, every word of 16
// bits beside random ones, and random operands.
#include <cpuid.h>
#include <gtest/gtest.h>

#include <cstring>
#include <iomanip>
#include <random>
#include <sstream>

#include "test/kernels/emulated/intrinsics/tables.h"

namespace gpuctr::test {
namespace {

struct Set {
  const char* name;
  bool available;
  Table real, model;
};

Set set_of(const std::string& name) {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx);
  const bool aes = __builtin_cpu_supports("ssse3") && __builtin_cpu_supports("aes") &&
                   __builtin_cpu_supports("pclmul");
  const bool avx2 = __builtin_cpu_supports("avx2") != 0;
  // GFNI, VAES, VPCLMULQDQ: bits 8 to 10 of CPUID.7.0:ECX.
  const bool vaes = avx2 && aes && (ecx >> 8 & 7) == 7;
  const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
                      __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512vbmi2");
  if (name == "sse") return {"sse", aes, real::sse(), model::sse()};
  if (name == "avx2") return {"avx2", avx2, real::avx2(), model::avx2()};
  if (name == "vaes") return {"vaes", vaes, real::vaes(), model::vaes()};
  return {"avx512", vaes && avx512, real::avx512(), model::avx512()};
}

std::string hex(const std::uint8_t* p) {
  std::ostringstream text;
  for (unsigned i = 0; i < 64; ++i) {
    text << std::hex << std::setw(2) << std::setfill('0') << unsigned{p[i]};
  }
  return text.str();
}

class Intrinsics : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!set_.available) GTEST_SKIP() << "this CPU has not all of " << set_.name;
  }
  Operands random_operands() {
    Operands in;
    for (std::uint8_t* const p : {in.a, in.b, in.c}) {
      for (unsigned i = 0; i < 64; ++i) p[i] = static_cast<std::uint8_t>(random_());
    }
    in.mask = random_();
    return in;
  }
  void check(const Operands& in) {
    for (std::size_t i = 0; i < set_.real.count; ++i) {
      alignas(64) std::uint8_t real[64] = {}, model[64] = {};
      set_.real.first[i].run(in, real);
      set_.model.first[i].run(in, model);
      ASSERT_EQ(std::memcmp(real, model, 64), 0)
          << set_.real.first[i].name << "\na     " << hex(in.a) << "\nb     " << hex(in.b)
          << "\nc     " << hex(in.c) << "\nmask  " << std::hex << in.mask << "\nCPU   " << hex(real)
          << "\nmodel " << hex(model);
    }
  }

  const Set set_ = set_of(GetParam());
  std::mt19937_64 random_{36};
};

TEST_P(Intrinsics, HasTheSameTables) {
  ASSERT_EQ(set_.real.count, set_.model.count);
  for (std::size_t i = 0; i < set_.real.count; ++i) {
    ASSERT_STREQ(set_.real.first[i].name, set_.model.first[i].name);
  }
}

TEST_P(Intrinsics, RandomOperands) {
  for (int i = 0; i < 500; ++i) {
    check(random_operands());
    if (HasFatalFailure()) return;
  }
}

// Operands of equal bytes, of zeros and of ones; equal operands.
TEST_P(Intrinsics, SpecialOperands) {
  constexpr std::uint8_t kBytes[] = {0x00, 0x01, 0x0f, 0x10, 0x3f, 0x40, 0x7f, 0x80, 0xff};
  for (const std::uint8_t a : kBytes) {
    for (const std::uint8_t b : kBytes) {
      Operands in = random_operands();
      std::memset(in.a, a, 64);
      std::memset(in.b, b, 64);
      in.mask = a % 2 == 0 ? 0 : ~std::uint64_t{0};
      check(in);
      in = random_operands();
      std::memcpy(in.b, in.a, 64);
      check(in);
      if (HasFatalFailure()) return;
    }
  }
}

TEST_P(Intrinsics, EveryPairOfBytes) {
  for (unsigned pair = 0; pair < 0x10000; pair += 64) {
    Operands in = random_operands();
    for (unsigned i = 0; i < 64; ++i) {
      in.a[i] = static_cast<std::uint8_t>((pair + i) >> 8);
      in.b[i] = static_cast<std::uint8_t>(pair + i);
    }
    // Vectors of 16 bytes see another quarter each time.
    for (unsigned turn = 0; turn < 4; ++turn) {
      check(in);
      if (HasFatalFailure()) return;
      for (std::uint8_t* const p : {in.a, in.b}) {
        std::uint8_t first[16];
        std::memcpy(first, p, 16);
        std::memmove(p, p + 16, 48);
        std::memcpy(p + 48, first, 16);
      }
    }
  }
}

TEST_P(Intrinsics, EveryWord) {
  for (unsigned word = 0; word < 0x20000; word += 8) {
    Operands in = random_operands();
    for (unsigned i = 0; i < 32; ++i) {
      const auto value = static_cast<std::uint16_t>(word + i % 8);
      std::memcpy((word < 0x10000 ? in.a : in.b) + 2 * i, &value, 2);
    }
    check(in);
    if (HasFatalFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Sets, Intrinsics, testing::Values("sse", "avx2", "vaes", "avx512"),
                         [](const testing::TestParamInfo<const char*>& set) {
                           return std::string(set.param);
                         });

}  // namespace
}  // namespace gpuctr::test
