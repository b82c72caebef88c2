// The two counter-mode methods of the documents as kernels, one block a thread:
// - round keys in the registers of a warp's lanes, each one word of every 32, from which a round
//   takes its words by warp shuffle; tables in shared memory, one copy a thread block
//   (papers_shuffle.h);
// - round keys and tables in the device's memory (papers_des.h).
#ifndef GPUCTR_TEST_BENCH_PAPERS_SHUFFLE_CUH
#define GPUCTR_TEST_BENCH_PAPERS_SHUFFLE_CUH

#include "test/bench/gpu/papers_shuffle.h"

namespace gpuctr::papers {

template <unsigned kWords>
struct KeysInLanes {
  std::uint32_t mine[(kWords + 31) / 32];

  __device__ explicit KeysInLanes(const std::uint32_t* keys) {
#pragma unroll
    for (unsigned j = 0; j < (kWords + 31) / 32; ++j) {
      const unsigned i = 32 * j + threadIdx.x % 32;
      mine[j] = i < kWords ? keys[i] : 0;
    }
  }
  __device__ __forceinline__ std::uint32_t operator[](unsigned i) const {
    return __shfl_sync(0xffffffff, mine[i / 32], i % 32);
  }
};

// out = in ^ E(counter of zeros + n), where in may be nullptr, for this thread's block n.
template <class Method, class Keys>
__device__ __forceinline__ void one_block(const std::uint32_t* tables, const Keys& keys,
                                          const std::uint32_t* in, std::uint32_t* out) {
  constexpr unsigned kWords = Method::kTextWords;
  using Chunk = std::conditional_t<kWords == 2, uint2, uint4>;
  constexpr unsigned kEach = sizeof(Chunk) / 4;
  const std::uint32_t n = blockIdx.x * blockDim.x + threadIdx.x;
  std::uint32_t s[kWords] = {};
  s[kWords - 1] = __byte_perm(n, 0, 0x0123);
  Method::encrypt(WordTables{tables}, keys, s);
#pragma unroll
  for (unsigned i = 0; i < kWords; i += kEach) {
    const std::size_t at = (std::size_t{n} * kWords + i) / kEach;
    std::uint32_t data[kEach] = {};
    Chunk chunk;
    if (in != nullptr) {
      chunk = reinterpret_cast<const Chunk*>(in)[at];
      __builtin_memcpy(data, &chunk, sizeof chunk);
    }
#pragma unroll
    for (unsigned j = 0; j < kEach; ++j) data[j] ^= s[i + j];
    __builtin_memcpy(&chunk, data, sizeof chunk);
    reinterpret_cast<Chunk*>(out)[at] = chunk;
  }
}

// Method::kKeyWords words of keys, Method::kTableWords of tables; whole warps.
using CounterKernel = void (*)(const std::uint32_t* keys, const std::uint32_t* tables,
                               const std::uint32_t* in, std::uint32_t* out);

template <class Method>
__global__ void shuffle_kernel(const std::uint32_t* keys, const std::uint32_t* tables,
                               const std::uint32_t* in, std::uint32_t* out) {
  __shared__ std::uint32_t shared[Method::kTableWords == 0 ? 1 : Method::kTableWords];
  if constexpr (Method::kTableWords != 0) {
    for (unsigned i = threadIdx.x; i < Method::kTableWords; i += blockDim.x) shared[i] = tables[i];
  }
  const KeysInLanes<Method::kKeyWords> in_lanes(keys);
  __syncthreads();
  one_block<Method>(shared, in_lanes, in, out);
}

template <class Method>
__global__ void memory_kernel(const std::uint32_t* keys, const std::uint32_t* tables,
                              const std::uint32_t* in, std::uint32_t* out) {
  one_block<Method>(tables, keys, in, out);
}

}  // namespace gpuctr::papers

#endif
