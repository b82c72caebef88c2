// DES on CUDA, bit-sliced, for any length and alignment: counter mode, batches and whole blocks. A
// warp's unit is 16 rows of 512 bytes, 1024 blocks. One kernel of each kind serves both ciphers,
// which differ in their number of passes. It also serves both directions, which differ in the order
// of the keys.
#include <algorithm>

#include "kernels/base/wipe.h"
#include "kernels/cipher/des/cuda_bit_sliced.h"
#include "kernels/gpu/cuda/kernel/batch.cuh"
#include "kernels/gpu/cuda/kernel/bitsliced/bits.cuh"
#include "kernels/gpu/cuda/kernels.h"

namespace gpuctr {
inline namespace des_cuda {

constexpr unsigned kWarps = 12;
constexpr unsigned kThreads = 32 * kWarps;
constexpr unsigned kTileBytes = kRowBytes + 16;  // bytes of a warp, for store_any

// The masks of a key, in the layout of DesBitSliced.
struct DesMasks {
  static constexpr unsigned kWords = (DesBitSliced::kRoundKeyWords + 15) / 16 * 4;
  alignas(16) std::uint32_t words[kWords];

  __device__ __forceinline__ unsigned passes() const {
    return words[DesBitSliced::kPasses / 4] & 0xff;
  }
};
static_assert(DesBitSliced::kPasses % 4 == 0);

template <class C>
void lay_out(const RoundKeys& keys, bool encrypt, DesMasks* out) {
  static_assert(sizeof out->words >= DesBitSliced::kRoundKeyWords);
  out->words[DesMasks::kWords - 1] = 0;
  DesBitSliced::lay_out<C>(keys.words<std::uint8_t>(), encrypt,
                           reinterpret_cast<std::uint8_t*>(out->words));
}

// A job's masks in shared memory.
struct SharedMasks {
  static constexpr unsigned kMasks = DesBitSliced::kMaskBits;
  alignas(16) std::uint32_t signs[kMasks];
  alignas(16) std::uint32_t masks[kMasks];

  __device__ __forceinline__ SharedBitKeys fill(const DesMasks& from) {
    for (unsigned i = threadIdx.x; i < kMasks; i += kThreads) {
      masks[i] = spread(from.words[i / 32], i % 32);
      signs[i] = masks[i] | 1u;
    }
    __syncthreads();
    return {static_cast<std::uint32_t>(__cvta_generic_to_shared(signs)), sizeof signs};
  }
  // Shared memory keeps its content after the kernel, so the kernel wipes the key.
  __device__ __forceinline__ void wipe() {
    __syncthreads();
    for (unsigned i = threadIdx.x; i < kMasks; i += kThreads) {
      *static_cast<volatile std::uint32_t*>(signs + i) = 0;
      *static_cast<volatile std::uint32_t*>(masks + i) = 0;
    }
  }
};

// This warp's first unit, and the distance to its next unit: short jobs are spread over many
// multiprocessors.
__device__ __forceinline__ std::uint64_t first_unit() {
  return std::uint64_t{threadIdx.x / 32} * gridDim.x + blockIdx.x;
}
__device__ __forceinline__ std::uint64_t next_unit(std::uint64_t unit) {
  return unit + std::uint64_t{gridDim.x} * kWarps;
}

struct CtrParameters {
  DesMasks masks;
  CounterParts counter;
  const std::uint8_t* in;
  std::uint8_t* out;
  std::uint64_t bytes;
};

__global__ void __launch_bounds__(kThreads, 1)
    ctr_kernel(const __grid_constant__ CtrParameters job) {
  __shared__ SharedMasks shared;
  __shared__ alignas(16) std::uint8_t tiles[kWarps][kTileBytes];
  const SharedBitKeys keys = shared.fill(job.masks);
#pragma unroll 1
  for (std::uint64_t unit = first_unit(); unit * kBitslicedUnitBytes < job.bytes;
       unit = next_unit(unit)) {
    const std::uint64_t at = unit * kBitslicedUnitBytes;
    ctr_unit<DesBitSliced>(keys, job.masks.passes(), job.counter,
                           static_cast<std::uint32_t>(at / 8),
                           job.in == nullptr ? nullptr : job.in + at, job.out + at, job.bytes - at,
                           threadIdx.x % 32, tiles[threadIdx.x / 32]);
  }
  shared.wipe();
}

// Each warp may have its own key, whose bits it spreads on use.
__global__ void __launch_bounds__(kThreads, 1) batch_kernel(const CudaBatch batch) {
  __shared__ alignas(16) std::uint8_t tiles[kWarps][kTileBytes];
#pragma unroll 1
  for (std::uint64_t unit = first_unit(); unit < batch.units; unit = next_unit(unit)) {
    const BatchRun& run = batch.runs[find_run(batch, static_cast<std::uint32_t>(unit))];
    const DesMasks& masks = static_cast<const DesMasks*>(batch.keys)[run.key];
    const std::uint64_t start = (unit - run.first_unit) * kBitslicedUnitBytes;
    const std::uint64_t at = run.offset + start;
    ctr_unit<DesBitSliced>(
        PackedBitKeys{masks.words}, masks.passes(), run.counter,
        static_cast<std::uint32_t>(start / 8),
        batch.in == nullptr ? nullptr : static_cast<const std::uint8_t*>(batch.in) + at,
        static_cast<std::uint8_t*>(batch.out) + at, run.bytes - start, threadIdx.x % 32,
        tiles[threadIdx.x / 32]);
  }
}

struct BlockParameters {
  DesMasks masks;
  BlockSpan span;
};

__global__ void __launch_bounds__(kThreads, 1)
    block_kernel(const __grid_constant__ BlockParameters job) {
  __shared__ SharedMasks shared;
  __shared__ alignas(16) std::uint8_t tiles[kWarps][kRowBytes];
  const SharedBitKeys keys = shared.fill(job.masks);
#pragma unroll 1
  for (std::uint64_t unit = first_unit(); unit * kBitslicedUnitBytes < job.span.bytes;
       unit = next_unit(unit)) {
    block_unit<DesBitSliced>(keys, job.masks.passes(), job.span, unit * kBitslicedUnitBytes,
                             threadIdx.x % 32, tiles[threadIdx.x / 32]);
  }
  shared.wipe();
}

// The number of thread blocks for a job: at most one a multiprocessor and one a unit.
cudaError_t grid_of(std::uint64_t units, unsigned* grid) {
  int device = 0;
  int processors = 0;
  cudaError_t error = cudaGetDevice(&device);
  if (error == cudaSuccess) {
    error = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
  }
  *grid = static_cast<unsigned>(std::min<std::uint64_t>(units, static_cast<unsigned>(processors)));
  return error;
}
std::uint64_t units_of(std::uint64_t bytes) {
  return (bytes + kBitslicedUnitBytes - 1) / kBitslicedUnitBytes;
}

template <class C>
cudaError_t ctr(cudaStream_t stream, const RoundKeys& keys, const std::uint8_t* counter,
                const void* in, void* out, std::size_t bytes) {
  Wiped<CtrParameters> job;
  lay_out<C>(keys, true, &job.value.masks);
  CounterRuns pieces(counter, 8, bytes);
  for (CounterRun piece; pieces.next(&piece);) {
    job.value.counter = piece.counter;
    job.value.in = in == nullptr ? nullptr : static_cast<const std::uint8_t*>(in) + piece.offset;
    job.value.out = static_cast<std::uint8_t*>(out) + piece.offset;
    job.value.bytes = piece.bytes;
    unsigned grid = 0;
    if (const cudaError_t error = grid_of(units_of(piece.bytes), &grid)) return error;
    ctr_kernel<<<grid, kThreads, 0, stream>>>(job.value);
    if (const cudaError_t error = cudaGetLastError()) return error;
  }
  return cudaSuccess;
}

template <class C>
void lay_out_keys(const RoundKeys& keys, void* out) {
  lay_out<C>(keys, true, static_cast<DesMasks*>(out));
}

cudaError_t batch(cudaStream_t stream, const CudaBatch& b) {
  if (b.units == 0) return cudaSuccess;
  unsigned grid = 0;
  if (const cudaError_t error = grid_of(b.units, &grid)) return error;
  batch_kernel<<<grid, kThreads, 0, stream>>>(b);
  return cudaGetLastError();
}

template <class C, bool kEncrypt>
cudaError_t blocks(cudaStream_t stream, const RoundKeys& keys, const BlockSpan& span) {
  static_assert(sizeof(CtrParameters) <= 4032 && sizeof(BlockParameters) <= 4032,
                "cuda_scrub overwrites no more");
  Wiped<BlockParameters> job;
  lay_out<C>(keys, kEncrypt, &job.value.masks);
  job.value.span = span;
  unsigned grid = 0;
  if (const cudaError_t error = grid_of(units_of(span.bytes), &grid)) return error;
  block_kernel<<<grid, kThreads, 0, stream>>>(job.value);
  return cudaGetLastError();
}

// raw_units is 0: the device expands no keys.
template <class C>
constexpr CudaOps kDesOps = {
    ctr<C>, batch, kBitslicedUnitBytes, sizeof(DesMasks), lay_out_keys<C>,
    0,      16,    blocks<C, true>,     blocks<C, false>, cuda_tiles_of<C>};

}  // namespace des_cuda

template <>
const CudaOps& cuda_ops_of<Des>() {
  return kDesOps<Des>;
}
template <>
const CudaOps& cuda_ops_of<DesEde3>() {
  return kDesOps<DesEde3>;
}
// The same schedule and rounds.
template <>
const CudaOps& cuda_ops_of<DesEde>() {
  return kDesOps<DesEde3>;
}

}  // namespace gpuctr
