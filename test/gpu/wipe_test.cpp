// No round key of a batch stays in memory: neither on the device nor in the pinned copy it came
// from.
#include "kernels/gpu/cuda/scratch.h"
#include "test/gpu/support.h"

namespace gpuctr {
namespace {

using namespace test;

// What the device's side of `scratch` holds when the stream has done its work.
Bytes on_the_device(const cuda::Scratch& scratch, std::size_t bytes) {
  Bytes seen(bytes);
  EXPECT_EQ(cudaMemcpy(seen.data(), scratch.device, bytes, cudaMemcpyDeviceToHost), cudaSuccess);
  return seen;
}

void wiped_after_use(cudaError_t launch_fails_with) {
  const cuda::DeviceScope scope(0);
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
  cuda::ScratchPool pool;
  for (const std::size_t n : {16u, 1000u, 300000u, 5000000u}) {
    cuda::Scratch* scratch = nullptr;
    ASSERT_OK(pool.take(0, n, &scratch));
    const Bytes secret = random_bytes(n);
    std::memcpy(scratch->host, secret.data(), n);
    const DeviceStatus status = pool.use(scratch, 0, stream, n, [&] {
      EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
      EXPECT_EQ(on_the_device(*scratch, n), secret) << "the batch itself sees the keys";
      return launch_fails_with;
    });
    EXPECT_EQ(status == DeviceStatus::kOk, launch_fails_with == cudaSuccess);
    ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
    ASSERT_EQ(cudaEventSynchronize(scratch->cleared), cudaSuccess);
    EXPECT_EQ(on_the_device(*scratch, n), Bytes(n));
    EXPECT_EQ(std::memcmp(scratch->host, Bytes(n).data(), n), 0);
  }
  pool.free(0);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
}

TEST(Wiping, OfABatchsKeys) {
  GPUCTR_NEEDS_A_DEVICE();
  wiped_after_use(cudaSuccess);
}

TEST(Wiping, WhenTheLaunchFails) {
  GPUCTR_NEEDS_A_DEVICE();
  wiped_after_use(cudaErrorInvalidConfiguration);
}

}  // namespace
}  // namespace gpuctr
