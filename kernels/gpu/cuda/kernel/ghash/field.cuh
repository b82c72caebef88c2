// GHASH's field (SP 800-38D 6.3) on a device, in constant time: elements as four big-endian words,
// the coefficient of x^0 in the highest bit.
#ifndef GPUCTR_KERNELS_GPU_CUDA_KERNEL_GHASH_FIELD_CUH
#define GPUCTR_KERNELS_GPU_CUDA_KERNEL_GHASH_FIELD_CUH

#include <cstdint>

namespace gpuctr::cuda {

__device__ __forceinline__ std::uint32_t big_endian(std::uint32_t x) {
  return __byte_perm(x, 0, 0x0123);
}
__device__ __forceinline__ uint4 big_endian(uint4 x) {
  return {big_endian(x.x), big_endian(x.y), big_endian(x.z), big_endian(x.w)};
}

__device__ __forceinline__ uint4 load_power(const std::uint32_t* p) {
  return {p[0], p[1], p[2], p[3]};
}

// x^128 is 1 + x + x^2 + x^7: bits shifted out of the last word return in the first.
__device__ __forceinline__ uint4 times_x32(uint4 v) {
  const std::uint32_t out = v.w;
  return {out ^ out >> 1 ^ out >> 2 ^ out >> 7, v.x ^ out << 31 ^ out << 30 ^ out << 25, v.y, v.z};
}

// The product of polynomials over GF(2), by integer products of every fourth bit: at most eight of
// these add up in a place, so no carry reaches the next bit that counts.
__device__ __forceinline__ std::uint64_t carryless(std::uint32_t a, std::uint32_t b) {
  constexpr std::uint32_t kFourth = 0x11111111;
  constexpr std::uint64_t kWide = 0x1111111111111111;
  std::uint64_t product = 0;
#pragma unroll
  for (unsigned k = 0; k < 4; ++k) {
    std::uint64_t sum = 0;
#pragma unroll
    for (unsigned i = 0; i < 4; ++i) {
      sum ^= std::uint64_t{a & kFourth << i} * (b & kFourth << ((k - i) % 4));
    }
    product |= sum & kWide << k;
  }
  return product;
}
// Karatsuba; the highest word first.
struct Words4 {
  std::uint32_t w[4];
};
__device__ __forceinline__ Words4 carryless(std::uint32_t a1, std::uint32_t a0, std::uint32_t b1,
                                            std::uint32_t b0) {
  const std::uint64_t high = carryless(a1, b1);
  const std::uint64_t low = carryless(a0, b0);
  const std::uint64_t middle = carryless(a1 ^ a0, b1 ^ b0) ^ high ^ low;
  return {{static_cast<std::uint32_t>(high >> 32),
           static_cast<std::uint32_t>(high) ^ static_cast<std::uint32_t>(middle >> 32),
           static_cast<std::uint32_t>(low >> 32) ^ static_cast<std::uint32_t>(middle),
           static_cast<std::uint32_t>(low)}};
}

// The product in the field. With the coefficients in this order bit 254 of the integer is x^0.
__device__ __forceinline__ uint4 multiply_here(uint4 a, uint4 b) {
  const Words4 high = carryless(a.x, a.y, b.x, b.y);
  const Words4 low = carryless(a.z, a.w, b.z, b.w);
  Words4 middle = carryless(a.x ^ a.z, a.y ^ a.w, b.x ^ b.z, b.y ^ b.w);
#pragma unroll
  for (unsigned i = 0; i < 4; ++i) middle.w[i] ^= high.w[i] ^ low.w[i];
  const std::uint32_t q[9] = {high.w[0],
                              high.w[1],
                              high.w[2] ^ middle.w[0],
                              high.w[3] ^ middle.w[1],
                              low.w[0] ^ middle.w[2],
                              low.w[1] ^ middle.w[3],
                              low.w[2],
                              low.w[3],
                              0};
  std::uint32_t p[8];
#pragma unroll
  for (unsigned i = 0; i < 8; ++i) p[i] = __funnelshift_l(q[i + 1], q[i], 1);
    // Reduces the coefficients of x^128 and above, the highest word first.
#pragma unroll
  for (unsigned i = 7; i >= 4; --i) {
    const std::uint32_t v = p[i];
    p[i - 4] ^= v ^ v >> 1 ^ v >> 2 ^ v >> 7;
    p[i - 3] ^= v << 31 ^ v << 30 ^ v << 25;
  }
  return {p[0], p[1], p[2], p[3]};
}
__device__ __noinline__ inline uint4 multiply(uint4 a, uint4 b) { return multiply_here(a, b); }

}  // namespace gpuctr::cuda

#endif
