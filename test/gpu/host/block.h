// Thread blocks on the CPU: a thread is a thread. After nvcc.h, before the headers of kernels.
#ifndef GPUCTR_TEST_GPU_HOST_BLOCK_H
#define GPUCTR_TEST_GPU_HOST_BLOCK_H

#include <gtest/gtest.h>
#include <pthread.h>

#include <cstdint>
#include <functional>
#include <vector>

#include "test/gpu/host/nvcc.h"

#define __shared__

static thread_local uint3 threadIdx;
static thread_local uint3 blockIdx;
static uint3 gridDim;
static pthread_barrier_t g_block;
static pthread_barrier_t g_warps[32];
static inline void __syncthreads() { pthread_barrier_wait(&g_block); }
static inline void __syncwarp() { pthread_barrier_wait(&g_warps[threadIdx.x / 32]); }
static std::uint32_t g_exchange[32][32];
[[maybe_unused]] static inline std::uint32_t __shfl_sync(unsigned, std::uint32_t value,
                                                         unsigned lane) {
  g_exchange[threadIdx.x / 32][threadIdx.x % 32] = value;
  __syncwarp();
  const std::uint32_t got = g_exchange[threadIdx.x / 32][lane % 32];
  __syncwarp();
  return got;
}
[[maybe_unused]] static inline std::uint32_t atomicAdd(std::uint32_t* at, std::uint32_t by) {
  return __atomic_fetch_add(at, by, __ATOMIC_RELAXED);
}

namespace gpuctr::test {

// kernel() by all `threads` of each of `grid` thread blocks, one block after the other.
inline void launch_blocks(unsigned grid, unsigned threads, const std::function<void()>& kernel) {
  struct Thread {
    const std::function<void()>* kernel;
    unsigned number;
    pthread_t thread;
  };
  gridDim = {grid, 1, 1};
  pthread_barrier_init(&g_block, nullptr, threads);
  for (auto& warp : g_warps) pthread_barrier_init(&warp, nullptr, 32);
  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, 256 << 10);
  std::vector<Thread> all(threads);
  for (unsigned i = 0; i < threads; ++i) {
    all[i] = {&kernel, i, {}};
    const auto run = [](void* argument) -> void* {
      const auto& self = *static_cast<const Thread*>(argument);
      threadIdx = {self.number, 0, 0};
      for (blockIdx = {0, 0, 0}; blockIdx.x < gridDim.x; ++blockIdx.x) {
        (*self.kernel)();
        __syncthreads();
      }
      return nullptr;
    };
    ASSERT_EQ(0, pthread_create(&all[i].thread, &small, run, &all[i]));
  }
  for (Thread& thread : all) pthread_join(thread.thread, nullptr);
  pthread_attr_destroy(&small);
}

}  // namespace gpuctr::test

#endif
