#include "kernels/gpu/cuda/xts.h"

#include <algorithm>

namespace gpuctr::cuda {
namespace {

// Data between two launches of the block kernel: its masks take 3 % of it.
constexpr std::size_t kPieceBytes = std::size_t{1} << 30;

}  // namespace

bool XtsStream::takes(const CipherSpec& cipher, const DeviceXts& w) {
  return cipher.block_bytes == 16 && (w.tweak_keys == nullptr || w.unit % kXtsRowBytes == 0);
}

cudaError_t XtsStream::grow(std::size_t blocks) {
  if (blocks <= blocks_) return cudaSuccess;
  free();
  void* memory = nullptr;
  const cudaError_t error = cudaMalloc(&memory, blocks * sizeof(uint4));
  if (error != cudaSuccess) return error;
  memory_ = static_cast<uint4*>(memory);
  blocks_ = blocks;
  return error;
}

void XtsStream::free() {
  if (memory_ != nullptr) static_cast<void>(cudaFree(memory_));
  memory_ = nullptr;
  blocks_ = 0;
}

// One unit has all its masks made at once, so that no piece needs a mask of the piece before it.
cudaError_t XtsStream::run(cudaStream_t stream, const CudaOps& ops, const RoundKeys& keys,
                           const DeviceXts& w) {
  const bool is_one = w.tweak_keys == nullptr;
  const std::size_t unit = is_one ? w.bytes : w.unit;
  const std::size_t piece = is_one ? w.bytes : std::max(unit, kPieceBytes / unit * unit);
  const std::size_t first = std::min(piece, w.bytes);
  const std::size_t most_units = is_one ? 1 : first / unit;
  const std::size_t most_rows = (first + kXtsRowBytes - 1) / kXtsRowBytes;
  cudaError_t error = grow(most_units + most_rows);
  if (error == cudaSuccess && is_one)
    error = cudaMemcpyAsync(memory_, w.mask, 16, cudaMemcpyHostToDevice, stream);
  const CudaBlocks blocks = w.encrypts ? ops.encrypt : ops.decrypt;
  for (std::size_t at = 0; at < w.bytes && error == cudaSuccess; at += piece) {
    const std::size_t n = std::min(piece, w.bytes - at);
    if (!is_one) {
      const std::size_t units = n / unit;
      BlockSpan tweaks = {static_cast<const std::uint8_t*>(w.ivs) + at / unit * 16,
                          reinterpret_cast<std::uint8_t*>(memory_),
                          units * 16,
                          false,
                          false,
                          {}};
      error = ops.encrypt(stream, *w.tweak_keys, tweaks);
    }
    uint4* const masks = memory_ + most_units;
    if (error == cudaSuccess) {
      error = xts_rows(stream, {memory_, masks, (n + kXtsRowBytes - 1) / kXtsRowBytes,
                                (unit + kXtsRowBytes - 1) / kXtsRowBytes});
    }
    BlockSpan span = {static_cast<const std::uint8_t*>(w.in) + at,
                      static_cast<std::uint8_t*>(w.out) + at,
                      n,
                      false,
                      false,
                      {}};
    span.masks = masks;
    if (error == cudaSuccess) error = blocks(stream, keys, span);
  }
  if (memory_ == nullptr) return error;
  const cudaError_t wiped = cuda_wipe(stream, memory_, (most_units + most_rows) * sizeof(uint4));
  return error == cudaSuccess ? wiped : error;
}

}  // namespace gpuctr::cuda
