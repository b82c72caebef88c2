// GHASH by wgmma without a cipher; kernel/ghash/wgmma.cuh and kernel/ghash/gcm.cuh describe the
// method.
#include "kernels/gpu/cuda/kernel/ghash/gcm.cuh"

namespace gpuctr::cuda {

cudaError_t hash_by_wgmma(cudaStream_t stream, const HashSpan& span) {
  Wiped<GcmParameters<NoForm>> job;
  return launch_gcm<NoForm, GcmVerb::kHash>(stream, span, nullptr, &job.value);
}

}  // namespace gpuctr::cuda
