// Intrinsics as functions of bytes. Each table is compiled twice, with the compiler's immintrin.h
// and with the models, and a test compares both.
#ifndef GPUCTR_TEST_KERNELS_EMULATED_INTRINSICS_TABLES_H
#define GPUCTR_TEST_KERNELS_EMULATED_INTRINSICS_TABLES_H

#include <cstddef>
#include <cstdint>

namespace gpuctr::test {

struct Operands {
  alignas(64) std::uint8_t a[64], b[64], c[64];
  std::uint64_t mask;
};

struct Intrinsic {
  const char* name;
  void (*run)(const Operands& in, std::uint8_t* out);  // writes at most 64 bytes
};

// No std::vector: the linker could take its functions from a unit for another CPU.
struct Table {
  const Intrinsic* first;
  std::size_t count;
};

namespace real {
Table sse(), avx2(), vaes(), avx512();
}
namespace model {
Table sse(), avx2(), vaes(), avx512();
}

}  // namespace gpuctr::test

#endif
