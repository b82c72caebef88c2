// Products of bit matrices by a warpgroup (wgmma, sm_90a): GHASH's sums of four warps, computed
// while the multiprocessor does other work. ghash.cu describes the arithmetic; the operands are the
// same. There are three differences. Operand B lies in shared memory and is named by a descriptor.
// One instruction takes all 128 columns for 16 rows of each of four warps. The instruction is
// asynchronous.
#ifndef GPUCTR_KERNELS_GPU_CUDA_KERNEL_GHASH_WGMMA_CUH
#define GPUCTR_KERNELS_GPU_CUDA_KERNEL_GHASH_WGMMA_CUH

#include <cstdint>

#include "kernels/gpu/cuda/ghash_powers.h"
#include "kernels/gpu/cuda/kernel/ghash/sum.cuh"

#ifdef __CUDA_ARCH_FEAT_SM90_ALL
#define GPUCTR_HAS_WGMMA 1
#endif

namespace gpuctr::cuda {

struct Wgmma {
  static constexpr HashOrder kOrder = kWgmmaOrder;
  static constexpr unsigned kTurnWords = 1024;
  // The layout of B for wgmma without a swizzle: core matrices of 8 columns by 128 bits, 128 bytes
  // each, the two halves of 256 bits side by side.
  __device__ __forceinline__ static void put_step(std::uint32_t* matrix, unsigned t, unsigned j,
                                                  unsigned half, uint4 of_blocks) {
    reinterpret_cast<uint4*>(matrix)[16 * t + 8 * half + j] = of_blocks;
  }
  // As put_step(), for the matrix that moves the sums on by one turn. Its second half is zeros.
  __device__ __forceinline__ static void put_turn(std::uint32_t* matrix, unsigned t, unsigned j,
                                                  unsigned half, uint4 of_words) {
    put_step(matrix, t, j, half, of_words);
  }
};
constexpr unsigned kMatrixBytes = 4096;

#ifdef GPUCTR_HAS_WGMMA

// The descriptor of a matrix for wgmma: its address, 128 bytes from one half to the other, 256 from
// one group of columns to the next, each in units of 16 bytes.
__device__ __forceinline__ std::uint64_t descriptor(std::uint32_t address) {
  return (address >> 4 & 0x3fff) | std::uint64_t{128 >> 4} << 16 | std::uint64_t{256 >> 4} << 32;
}

// The counts of a lane: two columns of each group of columns of its row, and the same of the row 8
// below. All lanes of a warpgroup call these functions together.
//
// Between begin() and end() the instructions run asynchronously. Their inputs must not be written,
// which the compiler knows, and the counts must not be touched.
class HashSums {
 public:
  __device__ __forceinline__ void clear() {
#pragma unroll
    for (int& count : counts_) count = 0;
  }
  __device__ __forceinline__ void begin() {
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
  }
  // Adds the product of one block a lane and the matrix at an address in shared memory.
  __device__ __forceinline__ void add(const uint4& block, std::uint32_t matrix) {
    run<1>(block.x, block.y, block.z, block.w, matrix);
  }
  __device__ __forceinline__ void commit() {
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
  }
  __device__ __forceinline__ void end() {
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
  }

  // Collects the lowest bit of each count, which is the sum over GF(2), in this lane's word of each
  // of its two rows. A step adds at most 256 to a count, and a turn 128.
  __device__ __forceinline__ void take(RowWords<Wgmma>* words) const {
    static_assert(256 * kWgmmaOrder.steps() + 128 < 65536, "two counts fit a register");
#pragma unroll
    for (unsigned i = 0; i < 2; ++i) {
      std::uint32_t word = 0;
#pragma unroll
      for (unsigned t = 0; t < kColumns; ++t) {
        // By multiplication, because ciphers are limited by the pipe of logical operations.
        const std::uint32_t two = static_cast<std::uint32_t>(counts_[4 * t + 2 * i]) +
                                  static_cast<std::uint32_t>(counts_[4 * t + 2 * i + 1]) * 65536;
        word += (two & 0x00010001) * (1u << t);
      }
      words->of[0][i] = word;
    }
  }
  // The sums of a turn become the initial counts of the next turn.
  __device__ __forceinline__ void turn(const RowWords<Wgmma>& words, std::uint32_t matrix) {
    begin();
    run<0>(words.of[0][0], words.of[0][1], 0, 0, matrix);
    commit();
    end();
  }

 private:
  template <int kAdd>
  __device__ __forceinline__ void run(std::uint32_t a, std::uint32_t b, std::uint32_t c,
                                      std::uint32_t d, std::uint32_t matrix) {
    asm volatile(
        "{ .reg .pred add;\n\t"
        "setp.ne.b32 add, %69, 0;\n\t"
        "wgmma.mma_async.sync.aligned.m64n128k256.s32.b1.b1.and.popc {"
        "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
        "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
        "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
        "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
        "}, {%64, %65, %66, %67}, %68, add; }"
        : "+r"(counts_[0]), "+r"(counts_[1]), "+r"(counts_[2]), "+r"(counts_[3]), "+r"(counts_[4]),
          "+r"(counts_[5]), "+r"(counts_[6]), "+r"(counts_[7]), "+r"(counts_[8]), "+r"(counts_[9]),
          "+r"(counts_[10]), "+r"(counts_[11]), "+r"(counts_[12]), "+r"(counts_[13]),
          "+r"(counts_[14]), "+r"(counts_[15]), "+r"(counts_[16]), "+r"(counts_[17]),
          "+r"(counts_[18]), "+r"(counts_[19]), "+r"(counts_[20]), "+r"(counts_[21]),
          "+r"(counts_[22]), "+r"(counts_[23]), "+r"(counts_[24]), "+r"(counts_[25]),
          "+r"(counts_[26]), "+r"(counts_[27]), "+r"(counts_[28]), "+r"(counts_[29]),
          "+r"(counts_[30]), "+r"(counts_[31]), "+r"(counts_[32]), "+r"(counts_[33]),
          "+r"(counts_[34]), "+r"(counts_[35]), "+r"(counts_[36]), "+r"(counts_[37]),
          "+r"(counts_[38]), "+r"(counts_[39]), "+r"(counts_[40]), "+r"(counts_[41]),
          "+r"(counts_[42]), "+r"(counts_[43]), "+r"(counts_[44]), "+r"(counts_[45]),
          "+r"(counts_[46]), "+r"(counts_[47]), "+r"(counts_[48]), "+r"(counts_[49]),
          "+r"(counts_[50]), "+r"(counts_[51]), "+r"(counts_[52]), "+r"(counts_[53]),
          "+r"(counts_[54]), "+r"(counts_[55]), "+r"(counts_[56]), "+r"(counts_[57]),
          "+r"(counts_[58]), "+r"(counts_[59]), "+r"(counts_[60]), "+r"(counts_[61]),
          "+r"(counts_[62]), "+r"(counts_[63])
        : "r"(a), "r"(b), "r"(c), "r"(d), "l"(descriptor(matrix)), "n"(kAdd));
  }

  int counts_[64];
};

// block = a ^ b. The instruction names `block` as an operand that it ignores. Otherwise the
// compiler makes the new value while wgmma still reads the old value, and then makes each wgmma
// wait for the previous one (ptxas C7513).
__device__ __forceinline__ void replace(uint4* block, const uint4& a, const uint4& b) {
  asm volatile(
      "lop3.b32 %0, %0, %4, %8, 0x66;\n\t"
      "lop3.b32 %1, %1, %5, %9, 0x66;\n\t"
      "lop3.b32 %2, %2, %6, %10, 0x66;\n\t"
      "lop3.b32 %3, %3, %7, %11, 0x66;"
      : "+r"(block->x), "+r"(block->y), "+r"(block->z), "+r"(block->w)
      : "r"(a.x), "r"(a.y), "r"(a.z), "r"(a.w), "r"(b.x), "r"(b.y), "r"(b.z), "r"(b.w)
      : "memory");
}

#endif  // GPUCTR_HAS_WGMMA

}  // namespace gpuctr::cuda

#endif
