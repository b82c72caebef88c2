// The method of "ARX-based Korean Block Ciphers with CTR Mode and CTR_DRBG on Embedded Processors
// and GPU" (ICISC 2020), rebuilt from its section 3.3 and figures 18 to 23 to be measured on the
// device at hand: one block a thread, 256 threads a thread block, rounds in inline PTX; LEA's round
// keys in shared memory with a copy for each bank, CHAM's in registers, HIGHT's keys and its tables
// of F0 and F1 in shared memory. In ECB mode the plaintext is read from memory; in CTR mode it is
// the thread's number. What the paper also skips in CTR mode, the constant parts of the first two
// or three rounds, is not rebuilt: it is worth at most a tenth of LEA-128.
#ifndef GPUCTR_TEST_BENCH_GPU_PAPER_CUH
#define GPUCTR_TEST_BENCH_GPU_PAPER_CUH

#include "kernels/cipher/cham/cham.h"
#include "kernels/cipher/hight/hight.h"
#include "kernels/cipher/lea/lea.h"
#include "kernels/cipher/registry.h"

namespace gpuctr::paper {

constexpr unsigned kThreads = 256;

template <class C>
struct Rounds;

__device__ __forceinline__ void lea_add(std::uint32_t a, std::uint32_t ka, std::uint32_t& b,
                                        std::uint32_t kb) {
  asm("{ .reg .u32 t;\n\t"
      "xor.b32 t, %1, %2;\n\t"
      "xor.b32 %0, %0, %3;\n\t"
      "add.u32 %0, %0, t; }"
      : "+r"(b)
      : "r"(a), "r"(ka), "r"(kb));
}
template <unsigned kRight>
__device__ __forceinline__ void turn_right(std::uint32_t& x) {
  asm("shf.r.wrap.b32 %0, %0, %0, %1;" : "+r"(x) : "n"(kRight));
}

template <unsigned kKeyBits>
struct Rounds<Lea<kKeyBits>> {
  using C = Lea<kKeyBits>;
  using Text = uint4;
  static constexpr unsigned kShared = C::kRoundKeyWords * 32 * 4;

  __device__ static void load(const std::uint32_t* keys, std::uint32_t* shared) {
    for (unsigned i = threadIdx.x; i < C::kRoundKeyWords * 32; i += kThreads)
      shared[i] = keys[i / 32];
    __syncthreads();
  }
  __device__ static Text encrypt(const std::uint32_t*, const std::uint32_t* shared, Text in) {
    std::uint32_t x[4] = {in.x, in.y, in.z, in.w};
    const std::uint32_t* const rk = shared + threadIdx.x % 32;
#pragma unroll
    for (unsigned i = 0; i < C::kRounds; ++i) {
      lea_add(x[(i + 2) % 4], rk[32 * C::key_index(i, 4)], x[(i + 3) % 4],
              rk[32 * C::key_index(i, 5)]);
      turn_right<3>(x[(i + 3) % 4]);
      lea_add(x[(i + 1) % 4], rk[32 * C::key_index(i, 2)], x[(i + 2) % 4],
              rk[32 * C::key_index(i, 3)]);
      turn_right<5>(x[(i + 2) % 4]);
      lea_add(x[i % 4], rk[32 * C::key_index(i, 0)], x[(i + 1) % 4], rk[32 * C::key_index(i, 1)]);
      turn_right<23>(x[(i + 1) % 4]);
    }
    return {x[0], x[1], x[2], x[3]};
  }
  __device__ static Text counter(std::uint32_t n) { return {0, 0, 0, n}; }
};

template <unsigned kKeyBits, unsigned kRounds>
struct Rounds<Cham<std::uint32_t, kKeyBits, kRounds>> {
  using C = Cham<std::uint32_t, kKeyBits, kRounds>;
  using Text = uint4;
  static constexpr unsigned kShared = 4;

  __device__ static void load(const std::uint32_t*, std::uint32_t*) {}
  template <unsigned kInner, unsigned kOuter>
  __device__ __forceinline__ static void round(std::uint32_t& x, std::uint32_t y, std::uint32_t k,
                                               unsigned i) {
    asm("{ .reg .u32 t0, t1, t2;\n\t"
        "shf.l.wrap.b32 t0, %1, %1, %4;\n\t"
        "xor.b32 t1, t0, %2;\n\t"
        "xor.b32 t2, %0, %3;\n\t"
        "add.u32 t2, t1, t2;\n\t"
        "shf.l.wrap.b32 %0, t2, t2, %5; }"
        : "+r"(x)
        : "r"(y), "r"(k), "r"(i), "n"(kInner), "n"(kOuter));
  }
  __device__ static Text encrypt(const std::uint32_t* keys, const std::uint32_t*, Text in) {
    std::uint32_t x[4] = {in.x, in.y, in.z, in.w};
    std::uint32_t rk[C::kRoundKeyWords];
#pragma unroll
    for (unsigned i = 0; i < C::kRoundKeyWords; ++i) rk[i] = keys[i];
#pragma unroll
    for (unsigned i = 0; i < kRounds; i += 2) {
      round<1, 8>(x[i % 4], x[(i + 1) % 4], rk[i % C::kRoundKeyWords], i);
      round<8, 1>(x[(i + 1) % 4], x[(i + 2) % 4], rk[(i + 1) % C::kRoundKeyWords], i + 1);
    }
    return {x[0], x[1], x[2], x[3]};
  }
  __device__ static Text counter(std::uint32_t n) { return {0, 0, 0, n}; }
};

template <>
struct Rounds<Cham64_128> {
  using C = Cham64_128;
  using Text = uint2;
  static constexpr unsigned kShared = 4;

  __device__ static void load(const std::uint32_t*, std::uint32_t*) {}
  // 16-bit words have no rotation in PTX: two shifts.
  template <unsigned kInner, unsigned kOuter>
  __device__ __forceinline__ static void round(std::uint16_t& x, std::uint16_t y, std::uint16_t k,
                                               std::uint16_t i) {
    asm("{ .reg .u16 t0, t1, t2;\n\t"
        "shl.b16 t0, %1, %4;\n\t"
        "shr.u16 t1, %1, %5;\n\t"
        "or.b16 t0, t0, t1;\n\t"
        "xor.b16 t1, t0, %2;\n\t"
        "xor.b16 t2, %0, %3;\n\t"
        "add.u16 t2, t1, t2;\n\t"
        "shl.b16 t0, t2, %6;\n\t"
        "shr.u16 t1, t2, %7;\n\t"
        "or.b16 %0, t0, t1; }"
        : "+h"(x)
        : "h"(y), "h"(k), "h"(i), "n"(kInner), "n"(16 - kInner), "n"(kOuter), "n"(16 - kOuter));
  }
  __device__ static Text encrypt(const std::uint32_t* keys, const std::uint32_t*, Text in) {
    std::uint16_t x[4] = {static_cast<std::uint16_t>(in.x), static_cast<std::uint16_t>(in.x >> 16),
                          static_cast<std::uint16_t>(in.y), static_cast<std::uint16_t>(in.y >> 16)};
    std::uint16_t rk[C::kRoundKeyWords];
#pragma unroll
    for (unsigned i = 0; i < C::kRoundKeyWords; ++i) rk[i] = static_cast<std::uint16_t>(keys[i]);
#pragma unroll
    for (unsigned i = 0; i < C::kRounds; i += 2) {
      round<1, 8>(x[i % 4], x[(i + 1) % 4], rk[i % C::kRoundKeyWords],
                  static_cast<std::uint16_t>(i));
      round<8, 1>(x[(i + 1) % 4], x[(i + 2) % 4], rk[(i + 1) % C::kRoundKeyWords],
                  static_cast<std::uint16_t>(i + 1));
    }
    return {x[0] | std::uint32_t{x[1]} << 16, x[2] | std::uint32_t{x[3]} << 16};
  }
  __device__ static Text counter(std::uint32_t n) { return {0, n}; }
};

template <>
struct Rounds<Hight> {
  using C = Hight;
  using Text = uint2;
  static constexpr unsigned kTables = C::kRoundKeyWords;  // F0 then F1, after the keys
  static constexpr unsigned kShared = (C::kRoundKeyWords + 512) * 4;

  __device__ static void load(const std::uint32_t* keys, std::uint32_t* shared) {
    for (unsigned i = threadIdx.x; i < C::kRoundKeyWords; i += kThreads) shared[i] = keys[i] & 0xff;
    const PlainWord<std::uint8_t> x = {static_cast<std::uint8_t>(threadIdx.x)};
    shared[kTables + threadIdx.x] = C::f0(x).v;
    shared[kTables + 256 + threadIdx.x] = C::f1(x).v;
    __syncthreads();
  }
  __device__ static Text encrypt(const std::uint32_t*, const std::uint32_t* rk, Text in) {
    std::uint32_t x[8];
#pragma unroll
    for (unsigned j = 0; j < 8; ++j) x[j] = (j < 4 ? in.x : in.y) >> (8 * (j % 4)) & 0xff;
    const std::uint32_t* const f0 = rk + kTables;
    const std::uint32_t* const f1 = f0 + 256;
    const std::uint32_t* const wk = rk + C::kWhitening;
    x[0] = (x[0] + wk[0]) & 0xff;
    x[2] ^= wk[1];
    x[4] = (x[4] + wk[2]) & 0xff;
    x[6] ^= wk[3];
#pragma unroll
    for (unsigned i = 0; i < C::kRounds; ++i) {
      const unsigned b = 32 - i;
      x[(b + 1) % 8] = (x[(b + 1) % 8] + (f1[x[b % 8]] ^ rk[4 * i])) & 0xff;
      x[(b + 3) % 8] ^= (f0[x[(b + 2) % 8]] + rk[4 * i + 1]) & 0xff;
      x[(b + 5) % 8] = (x[(b + 5) % 8] + (f1[x[(b + 4) % 8]] ^ rk[4 * i + 2])) & 0xff;
      x[(b + 7) % 8] ^= (f0[x[(b + 6) % 8]] + rk[4 * i + 3]) & 0xff;
    }
    std::uint32_t y[8];  // the last round does not move the bytes
#pragma unroll
    for (unsigned j = 0; j < 8; ++j) y[j] = x[(j + 1) % 8];
    y[0] = (y[0] + wk[4]) & 0xff;
    y[2] ^= wk[5];
    y[4] = (y[4] + wk[6]) & 0xff;
    y[6] ^= wk[7];
    return {y[0] | y[1] << 8 | y[2] << 16 | y[3] << 24, y[4] | y[5] << 8 | y[6] << 16 | y[7] << 24};
  }
  __device__ static Text counter(std::uint32_t n) { return {0, n}; }
};

// out = E(in), or E(first + thread number, as big-endian bytes) where in is nullptr.
template <class C>
__global__ void __launch_bounds__(kThreads)
    kernel(const std::uint32_t* keys, std::uint32_t first, const typename Rounds<C>::Text* in,
           typename Rounds<C>::Text* out) {
  using R = Rounds<C>;
  __shared__ std::uint32_t shared[R::kShared / 4];
  R::load(keys, shared);
  const std::uint32_t n = blockIdx.x * kThreads + threadIdx.x;
  const auto text = in == nullptr ? R::counter(__byte_perm(first + n, 0, 0x0123)) : in[n];
  out[n] = R::encrypt(keys, shared, text);
}

}  // namespace gpuctr::paper

#endif
