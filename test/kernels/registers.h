// The vector registers after a call that should have wiped them, on x86.
#ifndef GPUCTR_TEST_KERNELS_REGISTERS_H
#define GPUCTR_TEST_KERNELS_REGISTERS_H

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace gpuctr::test {

struct Registers {
  std::uint8_t bytes[32][64];
};

#define GPUCTR_LOW_REGISTERS(store)                                                         \
  store(0) store(1) store(2) store(3) store(4) store(5) store(6) store(7) store(8) store(9) \
      store(10) store(11) store(12) store(13) store(14) store(15)
#define GPUCTR_HIGH_REGISTERS(store)                                                        \
  store(16) store(17) store(18) store(19) store(20) store(21) store(22) store(23) store(24) \
      store(25) store(26) store(27) store(28) store(29) store(30) store(31)

// As many bytes of each register as the backend works with.
enum class Width : std::size_t { kXmm = 16, kYmm = 32, kZmm = 64 };

inline Width width_of(const std::string& backend) {
  return backend.rfind("avx512", 0) == 0 ? Width::kZmm
         : backend.rfind("avx2", 0) == 0 ? Width::kYmm
                                         : Width::kXmm;
}

inline void expect_no_registers(Width width, const Registers& registers) {
  for (std::size_t r = 0; r < (width == Width::kZmm ? 32 : 16); ++r) {
    for (const std::uint8_t byte : registers.bytes[r]) ASSERT_EQ(byte, 0) << "register " << r;
  }
}

// Calls nothing: the C library's string functions use vector registers as well.
__attribute__((always_inline)) inline void read_registers(Width width, Registers* out) {
#define GPUCTR_STORE_ZMM(n) __asm__ volatile("vmovdqu64 %%zmm" #n ", %0" : "=m"(out->bytes[n]));
#define GPUCTR_STORE_YMM(n) __asm__ volatile("vmovdqu %%ymm" #n ", %0" : "=m"(out->bytes[n]));
#define GPUCTR_STORE_XMM(n) __asm__ volatile("movdqu %%xmm" #n ", %0" : "=m"(out->bytes[n]));
  if (width == Width::kZmm) {
    GPUCTR_LOW_REGISTERS(GPUCTR_STORE_ZMM)
    GPUCTR_HIGH_REGISTERS(GPUCTR_STORE_ZMM)
  } else if (width == Width::kYmm) {
    GPUCTR_LOW_REGISTERS(GPUCTR_STORE_YMM)
  } else {
    GPUCTR_LOW_REGISTERS(GPUCTR_STORE_XMM)
  }
}

// Before a call, so that what is found after it is the call's: the C library's string functions
// leave something in these, and a backend zeroes those that it used.
__attribute__((always_inline)) inline void zero_registers(Width width) {
#define GPUCTR_ZERO_YMM(n) \
  __asm__ volatile("vpxor %%xmm" #n ", %%xmm" #n ", %%xmm" #n : : : "xmm" #n);
#define GPUCTR_ZERO_ZMM(n) \
  __asm__ volatile("vpxord %%zmm" #n ", %%zmm" #n ", %%zmm" #n : : : "memory");
#define GPUCTR_ZERO_XMM(n) __asm__ volatile("pxor %%xmm" #n ", %%xmm" #n : : : "xmm" #n);
  if (width == Width::kZmm) {
    GPUCTR_HIGH_REGISTERS(GPUCTR_ZERO_ZMM)
  }
  if (width == Width::kXmm) {
    GPUCTR_LOW_REGISTERS(GPUCTR_ZERO_XMM)
  } else {
    GPUCTR_LOW_REGISTERS(GPUCTR_ZERO_YMM)
  }
}

}  // namespace gpuctr::test

#endif
