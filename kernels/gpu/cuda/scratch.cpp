#include "kernels/gpu/cuda/scratch.h"

#include <initializer_list>

#include "kernels/base/wipe.h"

namespace gpuctr::cuda {

void ScratchPool::release(Scratch* scratch) {
  if (scratch->host != nullptr) {
    wipe(scratch->host, scratch->bytes);  // needed if the stream failed before its own wiping
    static_cast<void>(cudaFreeHost(scratch->host));
  }
  if (scratch->device != nullptr) static_cast<void>(cudaFree(scratch->device));
  for (cudaEvent_t event : {scratch->copied, scratch->cleared, scratch->done}) {
    if (event != nullptr) static_cast<void>(cudaEventDestroy(event));
  }
  *scratch = {};
}

cudaError_t ScratchPool::grow(Scratch* scratch, std::size_t bytes) {
  release(scratch);
  constexpr std::size_t kStep = std::size_t{256} << 10;
  bytes = (bytes + kStep - 1) / kStep * kStep;
  cudaError_t error = cudaHostAlloc(&scratch->host, bytes, cudaHostAllocDefault);
  if (error != cudaSuccess) scratch->host = nullptr;
  scratch->bytes = bytes;
  if (error == cudaSuccess) error = cudaMalloc(&scratch->device, bytes);
  for (cudaEvent_t* event : {&scratch->copied, &scratch->cleared, &scratch->done}) {
    if (error == cudaSuccess) error = cudaEventCreateWithFlags(event, cudaEventDisableTiming);
  }
  if (error != cudaSuccess) release(scratch);
  return error;
}

DeviceStatus ScratchPool::take(int device, std::size_t bytes, Scratch** scratch) {
  cudaError_t error = cudaSuccess;
  if (upload_ == nullptr) error = cudaStreamCreateWithFlags(&upload_, cudaStreamNonBlocking);
  Scratch* const s = &all_[next_];
  next_ = (next_ + 1) % kCount;
  if (error == cudaSuccess && s->done != nullptr) error = cudaEventSynchronize(s->cleared);
  if (error == cudaSuccess && s->done != nullptr) error = cudaEventSynchronize(s->done);
  if (error == cudaSuccess && s->bytes < bytes) error = grow(s, bytes);
  *scratch = s;
  return note(device, error);
}

// The copy has its own stream. While one batch is computed, the next batch's keys are copied, and
// the host side is wiped over the slow link.
cudaError_t ScratchPool::upload(Scratch* scratch, cudaStream_t stream, std::size_t bytes) {
  cudaError_t error =
      cudaMemcpyAsync(scratch->device, scratch->host, bytes, cudaMemcpyHostToDevice, upload_);
  if (error == cudaSuccess) error = cudaEventRecord(scratch->copied, upload_);
  const cudaError_t wiped = cuda_wipe(upload_, scratch->host, bytes);
  if (error == cudaSuccess) error = wiped;
  if (error == cudaSuccess) error = cudaEventRecord(scratch->cleared, upload_);
  return error == cudaSuccess ? cudaStreamWaitEvent(stream, scratch->copied) : error;
}

// After any failure the device's side is wiped as far as the stream still works.
cudaError_t ScratchPool::finish(Scratch* scratch, cudaStream_t stream, std::size_t bytes,
                                cudaError_t error) {
  const cudaError_t wiped = cuda_wipe(stream, scratch->device, bytes);
  const cudaError_t mark = cudaEventRecord(scratch->done, stream);
  if (error == cudaSuccess) error = wiped;
  return error == cudaSuccess ? mark : error;
}

void ScratchPool::free(int device) {
  if (upload_ != nullptr) {
    static_cast<void>(cudaStreamSynchronize(upload_));
    static_cast<void>(note(device, cudaStreamDestroy(upload_)));
    upload_ = nullptr;
  }
  for (Scratch& scratch : all_) release(&scratch);
}

}  // namespace gpuctr::cuda
