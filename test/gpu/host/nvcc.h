// What the headers of CUDA kernels ask of nvcc, for the CPU: qualifiers and arithmetic. Before
// those headers.
#ifndef GPUCTR_TEST_GPU_NVCC_H
#define GPUCTR_TEST_GPU_NVCC_H

#include <cuda_runtime_api.h>

#include <cstdint>

#undef __constant__
#undef __device__
#undef __forceinline__
#undef __global__
#undef __shared__
#undef __launch_bounds__
#undef __grid_constant__
#undef __align__
#define __constant__
#define __device__
#define __forceinline__ inline
#define __global__ inline
#define __launch_bounds__(...)
#define __grid_constant__
#define __align__(n)

static inline std::uint32_t __byte_perm(std::uint32_t a, std::uint32_t b, std::uint32_t select) {
  const std::uint64_t both = std::uint64_t{b} << 32 | a;
  std::uint32_t result = 0;
  for (unsigned i = 0; i < 4; ++i) {
    const auto byte = static_cast<std::uint32_t>(both >> (8 * (select >> (4 * i) & 7)) & 0xff);
    result |= byte << (8 * i);
  }
  return result;
}
static inline std::uint32_t __funnelshift_r(std::uint32_t low, std::uint32_t high, unsigned by) {
  return static_cast<std::uint32_t>((std::uint64_t{high} << 32 | low) >> (by & 31));
}
static inline std::uint32_t __funnelshift_l(std::uint32_t low, std::uint32_t high, unsigned by) {
  return static_cast<std::uint32_t>((std::uint64_t{high} << 32 | low) << (by & 31) >> 32);
}
static inline double __longlong_as_double(long long) { return 0; }  // never called

static inline std::uint32_t __umulhi(std::uint32_t a, std::uint32_t b) {
  return static_cast<std::uint32_t>(std::uint64_t{a} * b >> 32);
}
static inline std::uint32_t __dp4a(std::uint32_t a, std::uint32_t b, std::uint32_t sum) {
  for (unsigned i = 0; i < 32; i += 8) sum += (a >> i & 0xff) * (b >> i & 0xff);
  return sum;
}

#endif
