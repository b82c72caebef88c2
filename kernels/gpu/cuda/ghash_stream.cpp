#include "kernels/gpu/cuda/ghash_stream.h"

#include <algorithm>
#include <atomic>

#include "kernels/base/wipe.h"

namespace gpuctr::cuda {
namespace {

bool is_aligned(const void* p) { return reinterpret_cast<std::uintptr_t>(p) % 16 == 0; }

}  // namespace

bool GhashStream::suits(int device) {
  if (form_ == Form::kUnknown) {
    int major = 0;
    int count = 0;
    if (cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) != cudaSuccess ||
        cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device) != cudaSuccess) {
      return false;
    }
    form_ = major == 9 && kBuiltForSm90a ? Form::kWgmma
            : major == 8 || major == 9   ? Form::kMma
                                         : Form::kNone;
    grid_ = std::min(static_cast<unsigned>(count), kMostHashBlocks);
  }
  return form_ != Form::kNone;
}

bool GhashStream::takes_wgmma(const void* in, std::size_t blocks) const {
  return form_ == Form::kWgmma && is_aligned(in) && blocks <= kMostWgmmaBlocks;
}

bool GhashStream::suits_gcm(int device, const DeviceGcm& run) {
  return suits(device) && takes_wgmma(run.in, run.blocks) && is_aligned(run.out);
}

cudaError_t GhashStream::prepare(cudaStream_t stream) {
  cudaError_t error = cudaSuccess;
  if (flag_ == nullptr) {
    void* memory = nullptr;
    error = cudaHostAlloc(&memory, sizeof *flag_, cudaHostAllocPortable);
    if (error != cudaSuccess) return error;
    flag_ = static_cast<std::uint32_t*>(memory);
    *flag_ = ticket_;
  }
  if (state_ == nullptr) {
    void* memory = nullptr;
    error = cudaMalloc(&memory, kHashStateBytes);
    if (error != cudaSuccess) return error;
    error = cudaMemsetAsync(memory, 0, kHashStateBytes, stream);
    if (error == cudaSuccess) {
      state_ = memory;
    } else {
      static_cast<void>(cudaFree(memory));
    }
  }
  return error;
}

void GhashStream::free() {
  if (state_ != nullptr) static_cast<void>(cudaFree(state_));
  if (flag_ != nullptr) static_cast<void>(cudaFreeHost(const_cast<std::uint32_t*>(flag_)));
  *this = {};
}

HashPlace GhashStream::place(const HashPowers& powers, void* sum, bool behind_counter) {
  return {powers, state_, grid_, sum, const_cast<std::uint32_t*>(flag_), ++ticket_, behind_counter};
}

cudaError_t GhashStream::hash(cudaStream_t stream, const std::uint8_t* h, const std::uint8_t* y,
                              const void* in, std::size_t blocks, void* sum, bool behind_counter) {
  const bool wgmma = takes_wgmma(in, blocks);
  Wiped<HashPowers> powers;
  make_hash_powers(h, wgmma ? kWgmmaOrder : kMmaOrder, grid_, &powers.value);
  const HashSpan span = {place(powers.value, sum, behind_counter), y, in, blocks};
  return wgmma ? hash_by_wgmma(stream, span) : hash_by_mma(stream, span);
}

cudaError_t GhashStream::gcm(cudaStream_t stream, CudaGcm kernel, const RoundKeys& keys,
                             const DeviceGcm& run) {
  Wiped<HashPowers> powers;
  make_hash_powers(run.h, kWgmmaOrder, grid_, &powers.value);
  return kernel(stream, keys,
                {run.counter,
                 run.encrypts,
                 run.out,
                 {place(powers.value, run.sum, false), run.y, run.in, run.blocks}});
}

// A lost device, or a kernel that fails, never writes the ticket.
cudaError_t GhashStream::wait(cudaEvent_t done) {
  constexpr unsigned kLooks = 1024;  // some 20 us
  for (unsigned i = 1; *flag_ != ticket_; ++i) {
    if (i % kLooks != 0) continue;
    const cudaError_t error = cudaEventQuery(done);
    if (error != cudaErrorNotReady) return error;
    static_cast<void>(cudaGetLastError());
  }
  std::atomic_thread_fence(std::memory_order_acquire);
  return cudaSuccess;
}

}  // namespace gpuctr::cuda
