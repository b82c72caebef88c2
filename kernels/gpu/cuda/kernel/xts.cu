// Launches the kernel of xts.cuh.
#include "kernels/gpu/cuda/kernel/xts.cuh"

namespace gpuctr::cuda {

cudaError_t xts_rows(cudaStream_t stream, const XtsRows& job) {
  constexpr unsigned kThreads = 128;
  const std::uint64_t groups = (job.unit_rows + kXtsGroupRows - 1) / kXtsGroupRows;
  const std::uint64_t units = (job.rows + job.unit_rows - 1) / job.unit_rows;
  const std::uint64_t blocks = (units * groups + kThreads - 1) / kThreads;
  rows_kernel<<<static_cast<unsigned>(blocks), kThreads, 0, stream>>>(job, groups, kGroupPowers);
  return cudaGetLastError();
}

}  // namespace gpuctr::cuda
