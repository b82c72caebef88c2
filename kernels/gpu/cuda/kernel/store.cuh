// Stores a warp's keystream: XOR with the data, any length, any address.
#ifndef GPUCTR_KERNELS_GPU_CUDA_KERNEL_STORE_CUH
#define GPUCTR_KERNELS_GPU_CUDA_KERNEL_STORE_CUH

#include <cstdint>

namespace gpuctr {

__device__ __forceinline__ uint4 xor4(uint4 a, uint4 b) {
  return {a.x ^ b.x, a.y ^ b.y, a.z ^ b.z, a.w ^ b.w};
}

// The last bytes of a job: out[0, n) for n < 16, from the chunk's first n keystream bytes.
__device__ __forceinline__ void store_part(uint4 chunk, const std::uint8_t* in, std::uint8_t* out,
                                           unsigned n) {
#pragma unroll 1
  for (unsigned i = 0; i < n; ++i) {
    const std::uint32_t word = i < 4 ? chunk.x : i < 8 ? chunk.y : i < 12 ? chunk.z : chunk.w;
    const std::uint32_t data = in == nullptr ? 0 : in[i];
    out[i] = static_cast<std::uint8_t>(word >> (8 * (i % 4)) ^ data);
  }
}

// A unit of kChunks * 32 chunks; its first `left` bytes belong to the job. in and out point to this
// unit, 16-byte aligned; in may be nullptr.
template <unsigned kChunks>
__device__ __forceinline__ void store_aligned(const uint4 (&chunk)[kChunks], const std::uint8_t* in,
                                              std::uint8_t* out, std::uint64_t left,
                                              unsigned lane) {
  const bool whole = left >= kChunks * 512;
#pragma unroll
  for (unsigned q = 0; q < kChunks; ++q) {
    const unsigned at = 16 * (lane + 32 * q);
    if (whole || at + 16 <= left) {
      uint4 value = chunk[q];
      if (in != nullptr) value = xor4(value, *reinterpret_cast<const uint4*>(in + at));
      *reinterpret_cast<uint4*>(out + at) = value;
    } else if (at < left) {
      store_part(chunk[q], in == nullptr ? nullptr : in + at, out + at,
                 static_cast<unsigned>(left) - at);
    }
  }
}

// Loads 16 bytes from any address; touches only the 4-byte words that contain them.
__device__ __forceinline__ uint4 load_any(const std::uint8_t* p) {
  const unsigned skew = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(p)) & 15;
  if (skew == 0) return *reinterpret_cast<const uint4*>(p);
  const auto* const words = reinterpret_cast<const std::uint32_t*>(p - (skew & 3));
  const unsigned shift = 8 * (skew & 3);
  const std::uint32_t a = words[0];
  const std::uint32_t b = words[1];
  const std::uint32_t c = words[2];
  const std::uint32_t d = words[3];
  const std::uint32_t e = shift == 0 ? 0 : words[4];
  return {__funnelshift_r(a, b, shift), __funnelshift_r(b, c, shift), __funnelshift_r(c, d, shift),
          __funnelshift_r(d, e, shift)};
}

// Stores a unit to any address. The keystream goes through `tile`, kChunks * 512 + 16 bytes of this
// warp's shared memory. It is read back at the alignment of the output: every store except the two
// ends is 16 bytes wide and aligned.
template <unsigned kChunks>
__device__ __forceinline__ void store_any(const uint4 (&chunk)[kChunks], std::uint8_t* tile,
                                          const std::uint8_t* in, std::uint8_t* out,
                                          std::uint64_t left, unsigned lane) {
  const unsigned n = left < kChunks * 512 ? static_cast<unsigned>(left) : kChunks * 512;
  const unsigned to_aligned = static_cast<unsigned>(-reinterpret_cast<std::uintptr_t>(out)) & 15;
  const unsigned head = to_aligned < n ? to_aligned : n;
  const unsigned inner = (n - head) / 16;
  const unsigned tail = head + 16 * inner;
  __syncwarp();
#pragma unroll
  for (unsigned q = 0; q < kChunks; ++q) reinterpret_cast<uint4*>(tile)[lane + 32 * q] = chunk[q];
  __syncwarp();
  if (lane < head) out[lane] = tile[lane] ^ (in == nullptr ? 0 : in[lane]);
  for (unsigned j = lane; j < inner; j += 32) {
    const unsigned at = head + 16 * j;
    uint4 value = load_any(tile + at);
    if (in != nullptr) value = xor4(value, load_any(in + at));
    *reinterpret_cast<uint4*>(out + at) = value;
  }
  if (tail + lane < n) {
    out[tail + lane] = tile[tail + lane] ^ (in == nullptr ? 0 : in[tail + lane]);
  }
}

}  // namespace gpuctr

#endif
