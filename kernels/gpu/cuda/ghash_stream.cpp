#include "kernels/gpu/cuda/ghash_stream.h"

#include <algorithm>

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
    form_ = major == 9 && kBuiltForWgmma ? Form::kWgmma
            : major == 8 || major == 9   ? Form::kMma
                                         : Form::kNone;
    grid_ = std::min(static_cast<unsigned>(count), kMostHashBlocks);
  }
  return form_ != Form::kNone;
}

bool GhashStream::takes_wgmma(const void* in, std::size_t blocks) const {
  return form_ == Form::kWgmma && is_aligned(in) && blocks <= kMostWgmmaBlocks;
}

bool GhashStream::suits_gcm(int device, const GpuGcm& run) {
  return suits(device) && takes_wgmma(run.in, run.blocks) && is_aligned(run.out);
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
    error = cudaMalloc(&memory, std::max(mma_table_bytes(), wgmma_table_bytes()));
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

cudaError_t GhashStream::make_tables(cudaStream_t stream, bool wgmma, const std::uint8_t* h,
                                     const std::uint8_t* y, std::size_t blocks) {
  Wiped<HashPowers> powers;
  make_hash_powers(h, wgmma ? kWgmmaOrder : kMmaOrder, grid_, &powers.value);
  return wgmma ? make_wgmma_tables(stream, powers.value, y, grid_, blocks, memory_)
               : make_mma_tables(stream, powers.value, y, grid_, memory_);
}

// Behind the last use of the tables, which may be under way: its kernel wipes them.
cudaError_t GhashStream::make_tables_beside(bool wgmma, const std::uint8_t* h,
                                            const std::uint8_t* y, std::size_t blocks) {
  cudaError_t error = cudaStreamWaitEvent(beside_, used_, 0);
  if (error == cudaSuccess) error = make_tables(beside_, wgmma, h, y, blocks);
  // The powers were the launch's parameters.
  if (error == cudaSuccess) error = cuda_scrub(beside_);
  return error == cudaSuccess ? cudaEventRecord(made_, beside_) : error;
}

// After a failure nobody wipes the tables, which may be under way.
void GhashStream::drop_tables(cudaStream_t main) {
  static_cast<void>(cudaStreamSynchronize(beside_));
  static_cast<void>(cuda_wipe(main, memory_, std::max(mma_table_bytes(), wgmma_table_bytes())));
}

cudaError_t GhashStream::hash(cudaStream_t main, const std::uint8_t* h, const std::uint8_t* y,
                              const void* in, std::size_t blocks, void* sum, bool alone) {
  const bool wgmma = takes_wgmma(in, blocks);
  alone = alone && wgmma;
  cudaError_t error =
      alone ? make_tables(main, wgmma, h, y, blocks) : make_tables_beside(wgmma, h, y, blocks);
  if (error == cudaSuccess && !alone) error = cudaStreamWaitEvent(main, made_, 0);
  if (error == cudaSuccess) {
    error = wgmma ? hash_by_wgmma(main, memory_, grid_, in, blocks, sum, alone)
                  : hash_by_mma(main, memory_, grid_, in, blocks, sum);
  }
  if (error != cudaSuccess) {
    drop_tables(main);
    return error;
  }
  return cudaEventRecord(used_, main);
}

// Nothing runs beside the tables' kernel, so they share the queue.
cudaError_t GhashStream::gcm(cudaStream_t main, CudaGcm kernel, const RoundKeys& keys,
                             const GpuGcm& run) {
  cudaError_t error = make_tables(main, true, run.h, run.y, run.blocks);
  if (error == cudaSuccess) {
    error = kernel(main, keys,
                   {run.counter, run.y, run.in, run.out, run.blocks, run.encrypts, memory_, grid_,
                    run.sum, true});
  }
  if (error != cudaSuccess) {
    drop_tables(main);
    return error;
  }
  return cudaEventRecord(used_, main);
}

}  // namespace gpuctr::cuda
