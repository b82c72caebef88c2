// GCM in one pass (sm_90a): the same warps do word-wise counter mode, and the hash of the
// ciphertext on the tensor cores. Without a cipher, the kernel only hashes.
//
// A warp encrypts a unit, four tiles of 32 blocks. The tensor cores hash that unit while the warp
// encrypts the next, whose data is then on its way to shared memory.
#ifndef GPUCTR_KERNELS_GPU_CUDA_KERNEL_GHASH_GCM_CUH
#define GPUCTR_KERNELS_GPU_CUDA_KERNEL_GHASH_GCM_CUH

#include <cstdint>

#include "kernels/gpu/cuda/kernel/early.cuh"
#include "kernels/gpu/cuda/kernel/ghash/wgmma.cuh"
#include "kernels/gpu/cuda/kernel/wordwise/forms.cuh"

namespace gpuctr::cuda {

enum class GcmVerb { kHash, kEncrypt, kDecrypt };

constexpr unsigned kGcmThreads = 32 * kWgmmaOrder.warps;
constexpr unsigned kUnitTiles = kWgmmaOrder.steps_a_unit;

// The form for a hash without a cipher.
struct NoForm {
  struct Cipher {};
  static constexpr unsigned kChunks = kUnitTiles;
  static constexpr unsigned kKeyWords = 4;
};

template <class F>
struct GcmParameters {
  alignas(16) std::uint32_t keys[(KeysOf<F>::kWords + 3) / 4 * 4];
  CounterParts counter;  // of the first block
  uint4 before;          // the hash of the blocks before the run
  HashPowers powers;
  const uint4* in;
  uint4* out;
  std::uint32_t blocks;
  std::uint32_t zeros;
  unsigned units;
  unsigned first_step;    // above 0 if the run is shorter than a turn
  std::uint32_t nothing;  // 0, but the compiler does not know that
  HashState* state;
  HashEnd end;
};

struct GcmShared {
  HashMatrices<Wgmma> hash;
  uint4 data[kWgmmaOrder.warps][kUnitTiles][32];
};

#ifdef GPUCTR_HAS_WGMMA

// A lane's part of the blocks of a run: the lane's blocks are at `at`, at + 32, ...; blocks before
// the first are zeros. Block numbers are modulo 2^32, so numbers before the first are large.
template <class F, GcmVerb kVerb>
class GcmLane {
 public:
  __device__ __forceinline__ GcmLane(const GcmParameters<F>& job, GcmShared& shared)
      : job_(job),
        lane_(threadIdx.x % 32),
        data_(static_cast<std::uint32_t>(
            __cvta_generic_to_shared(&shared.data[threadIdx.x / 32][0][lane_]))),
        inner_(job.blocks > kUnit ? job.blocks - kUnit : 0) {
    const unsigned warp = threadIdx.x / 32 * gridDim.x + blockIdx.x;
    at_ = warp * kUnit + lane_ - job.zeros;
#pragma unroll
    for (uint4& b : block) b = {0, 0, 0, 0};
    fetch();
  }

  // Skips the first unit of a warp if the unit lies before the run. If half a unit for each warp is
  // missing, half of the warps of each thread block skip, so that the others have the
  // multiprocessor.
  __device__ __forceinline__ bool skip() {
    const std::uint32_t last = at_ - lane_ + kUnit - 1;
    if (last < job_.blocks) return false;
    asm volatile("cp.async.wait_group 0;" ::: "memory");
    go_on();
    return true;
  }

  // Encrypts the next unit; `block` receives the ciphertext to hash. `between` is called once the
  // unit's keystream is made.
  template <class Between>
  __device__ __forceinline__ void next(Between between) {
    uint4 keystream[kUnitTiles] = {};
    if constexpr (kVerb != GcmVerb::kHash) {
      F::template chunks<false>(job_.keys, job_.counter, at_, keystream);
    }
    asm volatile("cp.async.wait_group 0;" ::: "memory");
    uint4 other[kUnitTiles];  // the plaintext, in decryption; it is not hashed
    if constexpr (kVerb == GcmVerb::kDecrypt) {
      // The ciphertext does not depend on the keystream, so the compiler would wait for wgmma
      // before it makes the keystream. Loads whose address depends on the end of the keystream keep
      // the wait after it.
      const std::uint32_t from = data_ + (keystream[kUnitTiles - 1].w & job_.nothing);
      uint4 data[kUnitTiles];
#pragma unroll
      for (unsigned q = 0; q < kUnitTiles; ++q) data[q] = load(from + 512 * q);
      between();
#pragma unroll
      for (unsigned q = 0; q < kUnitTiles; ++q) {
        block[q] = load(data_ + 512 * q);  // loaded again: copies would cost the ALU pipe
        other[q] = xor4(data[q], keystream[q]);
      }
    } else {
      between();
#pragma unroll
      for (unsigned q = 0; q < kUnitTiles; ++q) {
        const uint4 data = load(data_ + 512 * q);
        if (kVerb == GcmVerb::kEncrypt) {
          replace(&block[q], data, keystream[q]);
        } else {
          block[q] = data;
        }
      }
    }
    const uint4(&out)[kUnitTiles] = kVerb == GcmVerb::kDecrypt ? other : block;
    if (is_inner()) {
      if constexpr (kVerb != GcmVerb::kHash) {
#pragma unroll
        for (unsigned q = 0; q < kUnitTiles; ++q) __stcs(job_.out + at_ + 32 * q, out[q]);
      }
    } else {
      store_ends(out);
    }
    go_on();
  }

  uint4 block[kUnitTiles];

 private:
  static constexpr std::uint32_t kUnit = kWgmmaOrder.unit_blocks();

  // Whether the whole unit of the warp belongs to the run and does not contain the run's first
  // block.
  __device__ __forceinline__ bool is_inner() const { return at_ - lane_ - 1 < inner_; }
  __device__ __forceinline__ bool is_in(unsigned q) const { return at_ + 32 * q < job_.blocks; }

  __device__ __forceinline__ void go_on() {
    at_ += gridDim.x * kWgmmaOrder.warps * kUnit;
    fetch();
  }

  __device__ __forceinline__ void fetch() const {
    if (is_inner()) {
      const uint4* const from = job_.in + at_;
#pragma unroll
      for (unsigned q = 0; q < kUnitTiles; ++q) {
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(data_ + 512 * q),
                     "l"(from + 32 * q)
                     : "memory");
      }
    } else {
#pragma unroll
      for (unsigned q = 0; q < kUnitTiles; ++q) {
        const std::uint32_t i = is_in(q) ? at_ + 32 * q : 0;
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(data_ + 512 * q),
                     "l"(job_.in + i), "r"(is_in(q) ? 16 : 0)
                     : "memory");
      }
    }
    asm volatile("cp.async.commit_group;" ::: "memory");
  }

  __device__ __forceinline__ static uint4 load(std::uint32_t address) {
    uint4 data;
    asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(data.x), "=r"(data.y), "=r"(data.z), "=r"(data.w)
                 : "r"(address)
                 : "memory");
    return data;
  }

  // A unit at an end of the run. Blocks outside the run are not stored, and are hashed as zeros.
  // The hash of the blocks before the run is XORed into the run's first block.
  __device__ __forceinline__ void store_ends(const uint4 (&out)[kUnitTiles]) {
#pragma unroll
    for (unsigned q = 0; q < kUnitTiles; ++q) {
      const std::uint32_t i = at_ + 32 * q;
      if (kVerb != GcmVerb::kHash && is_in(q)) __stcs(job_.out + i, out[q]);
      const std::uint32_t mask = is_in(q) ? 0xffffffff : 0;
      uint4 before = {0, 0, 0, 0};
      if (i == 0) before = job_.before;
      block[q] = {(block[q].x & mask) ^ before.x, (block[q].y & mask) ^ before.y,
                  (block[q].z & mask) ^ before.z, (block[q].w & mask) ^ before.w};
    }
  }

  const GcmParameters<F>& job_;
  const unsigned lane_;
  const std::uint32_t data_;   // this lane's, in shared memory
  const std::uint32_t inner_;  // units that begin at a block from 1 to this are whole
  std::uint32_t at_;
};

#endif  // GPUCTR_HAS_WGMMA

template <class F, GcmVerb kVerb>
__global__ void __launch_bounds__(kGcmThreads, 1)
    gcm_kernel(const __grid_constant__ GcmParameters<F> job) {
#ifdef GPUCTR_HAS_WGMMA
  extern __shared__ __align__(128) std::uint8_t dynamic[];
  auto& shared = *reinterpret_cast<GcmShared*>(dynamic);
  constexpr unsigned kUnits = kWgmmaOrder.units;
  // The first turn may be partial.
  unsigned unit = (kUnits - job.units % kUnits) % kUnits;
  make_matrices(job.powers, job.first_step, &shared.hash);
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  begin_behind_other_kernel();
  GcmLane<F, kVerb> lane(job, shared);
  if (!lane.skip()) lane.next([] {});
  const auto matrices = static_cast<std::uint32_t>(__cvta_generic_to_shared(shared.hash.step));
  HashSums sums;
  sums.clear();
  const auto add = [&] {
    sums.begin();
#pragma unroll
    for (unsigned q = 0; q < kUnitTiles; ++q) {
      sums.add(lane.block[q], matrices + (unit * kUnitTiles + q) * kMatrixBytes);
    }
    sums.commit();
  };
  RowWords<Wgmma> words;
#pragma unroll 1
  for (unsigned left = job.units - 1; left != 0; --left) {
    add();
    lane.next([&] { sums.end(); });
    if (++unit != kUnits) continue;
    unit = 0;
    sums.take(&words);
    sums.turn(words, matrices + kWgmmaOrder.steps() * kMatrixBytes);
  }
  add();
  sums.end();
  sums.take(&words);

  asm volatile("cp.async.wait_group 0;" ::: "memory");
  __syncthreads();
  finish(job.powers, shared.hash, job.state, job.end, &shared.data[0][0][0], words);
  // Shared memory keeps its content after the kernel: the matrices depend on the key, and the data
  // is the text.
  const auto all = static_cast<std::uint32_t>(__cvta_generic_to_shared(dynamic));
  for (unsigned i = 16 * threadIdx.x; i < sizeof(GcmShared); i += 16 * kGcmThreads) {
    asm volatile("st.shared.v4.u32 [%0], {%1, %1, %1, %1};" ::"r"(all + i), "r"(0) : "memory");
  }
#endif
}

// Queues the kernel for a span. The caller fills in the keys and the counter.
template <class F, GcmVerb kVerb>
cudaError_t launch_gcm(cudaStream_t stream, const HashSpan& span, void* out,
                       GcmParameters<F>* job) {
  static_assert(is_scrubbed(sizeof(GcmParameters<F>), 0), "cuda_scrub overwrites no more");
  const auto run = HashRun<Wgmma>::make(span.place, span.blocks);
  std::memcpy(&job->before, span.before, 16);
  job->powers = span.place.powers;
  job->in = static_cast<const uint4*>(span.in);
  job->out = static_cast<uint4*>(out);
  job->blocks = static_cast<std::uint32_t>(run.blocks);
  job->zeros = static_cast<std::uint32_t>(run.zeros);
  job->units = run.units;
  job->first_step =
      run.units < kWgmmaOrder.units ? (kWgmmaOrder.units - run.units) * kUnitTiles : 0;
  job->nothing = 0;
  job->state = run.state;
  job->end = run.end;
  return launch_early(gcm_kernel<F, kVerb>, span.place.grid, kGcmThreads, sizeof(GcmShared), stream,
                      span.place.behind_counter, *job);
}

// For CudaOps.
template <class F>
cudaError_t gcm(cudaStream_t stream, const RoundKeys& keys, const GcmSpan& span) {
  static_assert(F::kChunks == kUnitTiles && BlockBytes<typename F::Cipher>::kValue == 16);
  using Rounds = RoundsOf<F>;
  Wiped<GcmParameters<Rounds>> job;
  KeysOf<F>::lay_out(keys, job.value.keys);
  job.value.counter = split_counter(span.counter, 16);
  return span.encrypts
             ? launch_gcm<Rounds, GcmVerb::kEncrypt>(stream, span.hash, span.out, &job.value)
             : launch_gcm<Rounds, GcmVerb::kDecrypt>(stream, span.hash, span.out, &job.value);
}

}  // namespace gpuctr::cuda

#endif
