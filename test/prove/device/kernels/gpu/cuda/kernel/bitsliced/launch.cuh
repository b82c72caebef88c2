// In place of kernels/gpu/cuda/kernel/bitsliced/launch.cuh, which needs CUDA: what a cipher's
// bitslice.cu takes from there, for its rounds.
#ifndef GPUCTR_TEST_PROVE_DEVICE_LAUNCH_CUH
#define GPUCTR_TEST_PROVE_DEVICE_LAUNCH_CUH

#include <cstdint>

#define __device__
#define __forceinline__ inline
std::uint32_t __umulhi(std::uint32_t, std::uint32_t);
std::uint32_t __byte_perm(std::uint32_t, std::uint32_t, std::uint32_t);

#include "kernels/gpu/cuda/kernel/bitsliced/word.cuh"

namespace gpuctr {

constexpr bool kSpareRegisters = false;  // as for sm_90
template <class C>
struct BitslicedRounds;
struct CudaTiles {};
template <class C>
const CudaTiles* cuda_tiles_of();
template <class C>
inline constexpr CudaTiles kBitslicedTiles = {};

}  // namespace gpuctr

#endif
