// Kernels that begin while the one before them in their stream ends (sm_90 and later): what they
// need of the key is made in shared memory meanwhile.
#ifndef GPUCTR_KERNELS_GPU_CUDA_KERNEL_EARLY_CUH
#define GPUCTR_KERNELS_GPU_CUDA_KERNEL_EARLY_CUH

#include <cuda_runtime_api.h>

#include <cstddef>

namespace gpuctr {

// Before a kernel touches memory that another may have to do with. The kernel behind it may begin
// from here on, and not before: so whatever runs beside a kernel, nothing of what came before its
// predecessor does.
__device__ __forceinline__ void begin_behind_other_kernel() {
#if defined(__CUDACC__) && defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900  // a test is for the CPU
  asm volatile("griddepcontrol.wait;\n\tgriddepcontrol.launch_dependents;" ::: "memory");
#endif
}

// Queues a kernel. With `early` it may begin before the one that was queued last has ended.
template <class Kernel, class Argument>
cudaError_t launch_early(Kernel kernel, unsigned grid, unsigned threads, std::size_t shared,
                         cudaStream_t stream, bool early, const Argument& argument) {
  cudaError_t error = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                           static_cast<int>(shared));
  if (error != cudaSuccess) return error;
  cudaLaunchAttribute attribute = {};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = early ? 1 : 0;
  cudaLaunchConfig_t launch = {};
  launch.gridDim = grid;
  launch.blockDim = threads;
  launch.dynamicSmemBytes = shared;
  launch.stream = stream;
  launch.attrs = &attribute;
  launch.numAttrs = 1;
  error = cudaLaunchKernelEx(&launch, kernel, argument);
  return error == cudaSuccess ? cudaGetLastError() : error;
}

}  // namespace gpuctr

#endif
