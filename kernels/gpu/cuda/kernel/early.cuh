// Kernels that begin while the previous kernel of their stream ends (sm_90 and later). In that time
// they prepare key-dependent data in shared memory.
#ifndef GPUCTR_KERNELS_GPU_CUDA_KERNEL_EARLY_CUH
#define GPUCTR_KERNELS_GPU_CUDA_KERNEL_EARLY_CUH

#include <cuda_runtime_api.h>

#include <cstddef>

namespace gpuctr {

// Called before a kernel touches memory that another kernel may use. The next kernel may begin from
// this call on, and not before. So while a kernel runs, no kernel before its predecessor is still
// running.
__device__ __forceinline__ void begin_behind_other_kernel() {
#if defined(__CUDACC__) && defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900  // a test is for the CPU
  asm volatile("griddepcontrol.wait;\n\tgriddepcontrol.launch_dependents;" ::: "memory");
#endif
}

// Queues a kernel. With `early` the kernel may begin before the previously queued kernel has ended.
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
