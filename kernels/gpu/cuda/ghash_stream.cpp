#include "kernels/gpu/cuda/ghash_stream.h"

#include "kernels/base/wipe.h"
#include "kernels/gpu/cuda/kernels.h"

namespace gpuctr::cuda {
bool GhashStream::suits(int device) {
  if (suits_ < 0) {
    int major = 0;
    int count = 0;
    if (cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) != cudaSuccess ||
        cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device) != cudaSuccess) {
      return false;
    }
    suits_ = major == 8 || major == 9 ? 1 : 0;
    processors_ = static_cast<unsigned>(count);
  }
  return suits_ == 1;
}

cudaError_t GhashStream::prepare() {
  cudaError_t error = cudaSuccess;
  if (beside_ == nullptr) {
    error = cudaStreamCreateWithFlags(&beside_, cudaStreamNonBlocking);
    if (error != cudaSuccess) beside_ = nullptr;
  }
  for (cudaEvent_t* event : {&made_, &used_}) {
    if (error != cudaSuccess || *event != nullptr) continue;
    error = cudaEventCreateWithFlags(event, cudaEventDisableTiming);
    if (error != cudaSuccess) *event = nullptr;
  }
  if (error == cudaSuccess && memory_ == nullptr) {
    void* memory = nullptr;
    error = cudaMalloc(&memory, hash_table_bytes());
    if (error == cudaSuccess) memory_ = static_cast<std::uint8_t*>(memory);
  }
  return error;
}

void GhashStream::free() {
  if (beside_ != nullptr) {
    static_cast<void>(cudaStreamSynchronize(beside_));
    static_cast<void>(cudaStreamDestroy(beside_));
  }
  for (cudaEvent_t event : {made_, used_}) {
    if (event != nullptr) static_cast<void>(cudaEventDestroy(event));
  }
  if (memory_ != nullptr) static_cast<void>(cudaFree(memory_));
  *this = {};
}

// Behind the last use of the tables, which may be under way: its kernel wipes them.
cudaError_t GhashStream::make_tables(const std::uint8_t* h, const std::uint8_t* y) {
  Wiped<HashPowers> powers;
  make_hash_powers(h, hash_warps(processors_), &powers.value);
  cudaError_t error = cudaStreamWaitEvent(beside_, used_, 0);
  if (error == cudaSuccess) {
    error = make_hash_tables(beside_, powers.value, y, processors_, memory_);
  }
  // The powers were the launch's parameters.
  if (error == cudaSuccess) error = cuda_scrub(beside_);
  return error == cudaSuccess ? cudaEventRecord(made_, beside_) : error;
}

cudaError_t GhashStream::hash(cudaStream_t main, const std::uint8_t* h, const std::uint8_t* y,
                              const void* in, std::size_t blocks, void* sum) {
  cudaError_t error = make_tables(h, y);
  if (error == cudaSuccess) error = cudaStreamWaitEvent(main, made_, 0);
  if (error == cudaSuccess) error = hash_blocks(main, memory_, processors_, in, blocks, sum);
  if (error != cudaSuccess) {
    // Nobody wipes the tables, which may be under way.
    static_cast<void>(cudaStreamSynchronize(beside_));
    static_cast<void>(cuda_wipe(main, memory_, hash_table_bytes()));
    return error;
  }
  return cudaEventRecord(used_, main);
}

}  // namespace gpuctr::cuda
