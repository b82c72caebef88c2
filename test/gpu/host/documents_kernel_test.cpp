// The counter-mode kernels of the documents' methods (test/bench/gpu/papers_shuffle.cuh) without a
// device: a thread is a lane, and a thread block is a warp.
#include "test/gpu/host/nvcc.h"

#include <thread>

#define __shared__ static

namespace {

constexpr unsigned kLanes = 32;

struct Barrier {
  Barrier() { pthread_barrier_init(&all, nullptr, kLanes); }
  void wait() { pthread_barrier_wait(&all); }
  pthread_barrier_t all;
};
Barrier g_warp;
std::uint32_t g_lanes[kLanes];

struct Index {
  unsigned x;
};
thread_local Index threadIdx;
thread_local Index blockIdx;
constexpr Index blockDim = {kLanes};

void __syncthreads() { g_warp.wait(); }

std::uint32_t __shfl_sync(unsigned, std::uint32_t mine, unsigned lane) {
  g_lanes[threadIdx.x] = mine;
  g_warp.wait();
  const std::uint32_t theirs = g_lanes[lane];
  g_warp.wait();
  return theirs;
}

}  // namespace

#include "test/bench/gpu/papers_des.h"
#include "test/bench/gpu/papers_shuffle.cuh"
#include "test/gpu/support.h"

namespace gpuctr {
namespace {

using namespace test;

template <class M>
struct ByShuffle {
  using Method = M;
  static constexpr papers::CounterKernel kKernel = papers::shuffle_kernel<M>;
};
template <class M>
struct InMemory {
  using Method = M;
  static constexpr papers::CounterKernel kKernel = papers::memory_kernel<M>;
};

template <class Kernel>
class DocumentKernel : public testing::Test {};

using Kernels =
    testing::Types<ByShuffle<papers::AesByShuffle>, ByShuffle<papers::CamelliaByShuffle>,
                   ByShuffle<papers::SeedByShuffle>, ByShuffle<papers::CastByShuffle>,
                   ByShuffle<papers::BlowfishByShuffle>, ByShuffle<papers::IdeaByShuffle>,
                   ByShuffle<papers::ThreefishByShuffle>, InMemory<papers::DesByThread>>;
TYPED_TEST_SUITE(DocumentKernel, Kernels);

// Two thread blocks, with data and without.
TYPED_TEST(DocumentKernel, IsCounterMode) {
  using Method = typename TypeParam::Method;
  const Key key(*find_cipher(Method::Cipher::kName));
  std::vector<std::uint32_t> words(Method::kKeyWords + Method::kTableWords);
  Method::lay_out(key.keys, words.data(), words.data() + Method::kKeyWords);
  constexpr std::size_t kBytes = 2 * kLanes * 4 * Method::kTextWords;
  for (const bool with_data : {false, true}) {
    const Bytes data = with_data ? random_bytes(kBytes) : Bytes(kBytes);
    Bytes want = data;
    key.expect(Bytes(key.cipher.block_bytes), &want);
    alignas(16) std::uint32_t in[kBytes / 4];
    alignas(16) std::uint32_t out[kBytes / 4];
    std::memcpy(in, data.data(), kBytes);
    for (unsigned block = 0; block < 2; ++block) {
      std::vector<std::thread> lanes;
      for (unsigned lane = 0; lane < kLanes; ++lane) {
        lanes.emplace_back([&, lane] {
          threadIdx.x = lane;
          blockIdx.x = block;
          TypeParam::kKernel(words.data(), words.data() + Method::kKeyWords,
                             with_data ? in : nullptr, out);
        });
      }
      for (std::thread& lane : lanes) lane.join();
    }
    EXPECT_EQ(std::memcmp(out, want.data(), kBytes), 0) << key.cipher.name;
  }
}

}  // namespace
}  // namespace gpuctr
