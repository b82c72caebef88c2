// A warp on the CPU: a thread is a lane. Before the headers of CUDA kernels.
#ifndef GPUCTR_TEST_GPU_WARP_H
#define GPUCTR_TEST_GPU_WARP_H

#include <gtest/gtest.h>

#include <pthread.h>

#include "test/gpu/host/nvcc.h"

#define __shared__

static pthread_barrier_t g_warp;
static inline void __syncwarp() { pthread_barrier_wait(&g_warp); }

namespace gpuctr::test {

// Calls run(lane) on 32 threads.
template <class Run>
void on_a_warp(const Run& run) {
  struct Lane {
    const Run* run;
    unsigned number;
    pthread_t thread;
  } lanes[32];
  pthread_barrier_init(&g_warp, nullptr, 32);
  for (unsigned i = 0; i < 32; ++i) {
    lanes[i] = {&run, i, {}};
    const auto start = [](void* lane) -> void* {
      (*static_cast<Lane*>(lane)->run)(static_cast<Lane*>(lane)->number);
      return nullptr;
    };
    ASSERT_EQ(0, pthread_create(&lanes[i].thread, nullptr, start, &lanes[i]));
  }
  for (Lane& lane : lanes) pthread_join(lane.thread, nullptr);
  pthread_barrier_destroy(&g_warp);
}

}  // namespace gpuctr::test

#endif
