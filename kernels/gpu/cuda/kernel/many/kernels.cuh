// Kernels for many messages under keys of their own. `L`, the lanes of a cipher, is WordLanes
// (wordwise.cuh), or TableLanes (tables.cuh) for ciphers that differ in their key sizes.
//
// A warp takes a tile of up to 32 pieces. First each lane expands the key of one piece into a row
// of shared memory. Then teams of 1 to 32 lanes make the pieces, as many lanes as a piece has work
// for: short messages a lane each, long ones all lanes together, with neighbouring chunks in
// neighbouring lanes. Lanes that read the same words of different rows never meet in a bank
// (odd_units), whatever key or data are.
#ifndef GPUCTR_KERNELS_GPU_CUDA_KERNEL_MANY_KERNELS_CUH
#define GPUCTR_KERNELS_GPU_CUDA_KERNEL_MANY_KERNELS_CUH

#include <cstdint>

#include "kernels/gpu/cuda/kernel/many/messages.cuh"

namespace gpuctr::many {

// The distance between two rows, in words. A lane reads a word, or four aligned words, at a time;
// an odd number of such units keeps the lanes of a warp in different banks.
constexpr unsigned odd_units(unsigned key_words) {
  return key_words % 4 == 0 ? (key_words / 4 | 1) * 4 : key_words | 1;
}

template <class L>
__device__ __forceinline__ void load_key(const ManyJob& job, std::uint32_t message,
                                         std::uint32_t (&words)[8]) {
  const unsigned key_bytes = L::key_bytes(job);
  const std::uint32_t number = job.index == nullptr ? message : job.index[message];
  const std::uint8_t* const key = job.keys + std::uint64_t{number} * key_bytes;
#pragma unroll
  for (unsigned at = 0; at < 32; at += 16) {
    uint4 v = {0, 0, 0, 0};
    if (at < key_bytes) v = load_chunk(key + at, key_bytes - at);
    words[at / 4] = v.x, words[at / 4 + 1] = v.y, words[at / 4 + 2] = v.z, words[at / 4 + 3] = v.w;
  }
}

// The rows of a warp, and the row of each piece.
template <class L>
class Rows {
 public:
  __device__ __forceinline__ Rows(const ManyJob& job, std::uint8_t* memory)
      : one_(job.row != nullptr), all_(reinterpret_cast<std::uint32_t*>(memory)), rows_(all_) {
    if (one_) {
      for (unsigned i = threadIdx.x; i < L::key_words(job); i += blockDim.x) all_[i] = job.row[i];
    } else {
      rows_ += threadIdx.x / 32 * job.tile * L::row_words(job);
    }
    __syncthreads();
  }
  // The lane's key into the lane's row. Called by the whole warp.
  __device__ __forceinline__ void expand(const typename L::Tables& tables, const ManyJob& job,
                                         const Piece& piece) {
    if (one_) return;
    __syncwarp();
    if (piece.is_there) {
      std::uint32_t key[8];
      load_key<L>(job, piece.message, key);
      L::expand(tables, job, key, rows_ + threadIdx.x % 32 * L::row_words(job));
    }
    __syncwarp();
  }
  __device__ __forceinline__ const std::uint32_t* of(const ManyJob& job, unsigned lane) const {
    return one_ ? all_ : rows_ + lane * L::row_words(job);
  }
  // Shared memory keeps its content after the kernel. Called by all threads at the end.
  __device__ __forceinline__ void wipe(const ManyJob& job) {
    __syncthreads();
    auto* const words = reinterpret_cast<volatile std::uint32_t*>(all_);
    const unsigned count =
        one_ ? L::key_words(job) : blockDim.x / 32 * job.tile * L::row_words(job);
    for (unsigned i = threadIdx.x; i < count; i += blockDim.x) words[i] = 0;
  }

 private:
  bool one_;
  std::uint32_t* all_;
  std::uint32_t* rows_;
};

// A chunk of keystream at offset `at` of a text that ends within it, or is not aligned, or has a
// wrong tag. Not inlined: the loops would stand between the instructions of whole chunks.
__device__ __noinline__ inline void add_part(uint4 keystream, const std::uint8_t* in,
                                             std::uint8_t* out, std::uint64_t at,
                                             std::uint32_t bytes, bool is_bad) {
  if (at >= bytes) return;
  const auto left = static_cast<std::uint32_t>(bytes - at);
  uint4 text = {0, 0, 0, 0};
  if (!is_bad) text = xor4(keystream, load_chunk(in + at, left));
  store_chunk(out + at, text, left);
}

// The piece that a team makes.
struct TeamPiece {
  unsigned lane;  // whose piece it is
  std::uint32_t bytes;
  std::uint64_t offset;
  bool is_bad;

  __device__ __forceinline__ TeamPiece(const Piece& piece, unsigned from)
      : lane(from),
        bytes(__shfl_sync(~0u, piece.bytes, from)),
        offset(of_lane(piece.offset, from)),
        is_bad(__shfl_sync(~0u, piece.is_bad ? 1u : 0u, from) != 0) {}
};

// The pieces of a tile in counter mode.
template <class L>
__device__ __forceinline__ void add_keystream(const typename L::Tables& tables, const ManyJob& job,
                                              const Rows<L>& rows, const Piece& piece) {
  constexpr unsigned kBlockBytes = L::kBlockBytes;
  const unsigned lane = threadIdx.x % 32;
  Counter counter = {};
  if (piece.is_there) {
    counter = Counter::load<kBlockBytes>(job.blocks + std::uint64_t{piece.message} * kBlockBytes);
    counter.add<kBlockBytes>(piece.start / kBlockBytes + job.first_block, job.wraps_at_32);
  }
  const unsigned team = team_lanes(max_of_warp(piece.bytes), L::kChunks);
#pragma unroll 1
  for (unsigned first = 0; first < job.tile; first += 32 / team) {
    const TeamPiece mine(piece, (first + lane / team) % 32);
    const Counter from = counter.of_lane(mine.lane);
    if (mine.lane >= job.tile) continue;
    const std::uint32_t* const row = rows.of(job, mine.lane);
    const std::uint8_t* const in = job.in + mine.offset;
    std::uint8_t* const out = job.out + mine.offset;
    const bool aligned = is_aligned(in, 16) && is_aligned(out, 16) && !mine.is_bad;
#pragma unroll 1
    for (std::uint32_t c = lane % team; 16 * std::uint64_t{c} < mine.bytes;
         c += team * L::kChunks) {
      uint4 chunk[L::kChunks];
      uint4 data[L::kChunks];
      const bool whole =
          aligned && 16 * (std::uint64_t{c} + team * (L::kChunks - 1)) + 16 <= mine.bytes;
#pragma unroll
      for (unsigned q = 0; q < L::kChunks; ++q) {
        if (whole) data[q] = reinterpret_cast<const uint4*>(in)[c + team * q];
        chunk[q] = from.chunk<kBlockBytes>(c + team * q, job.wraps_at_32);
      }
      L::encrypt(tables, row, chunk);
#pragma unroll
      for (unsigned q = 0; q < L::kChunks; ++q) {
        if (whole) {
          reinterpret_cast<uint4*>(out)[c + team * q] = xor4(chunk[q], data[q]);
        } else {
          add_part(chunk[q], in, out, 16 * std::uint64_t{c + team * q}, mine.bytes, mine.is_bad);
        }
      }
    }
  }
}

// Counter mode for messages of at most L::kChunks chunks, a lane each, with the key schedule on the
// fly: no round key leaves the registers.
template <class L>
__global__ void __launch_bounds__(L::kThreads) short_kernel(const __grid_constant__ ManyJob job) {
  constexpr unsigned kBlockBytes = L::kBlockBytes;
  const Piece piece(job, std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x, true);
  if (!piece.is_there) return;
  std::uint32_t key[8];
  load_key<L>(job, piece.message, key);
  Counter counter =
      Counter::load<kBlockBytes>(job.blocks + std::uint64_t{piece.message} * kBlockBytes);
  counter.add<kBlockBytes>(job.first_block, job.wraps_at_32);
  const std::uint8_t* const in = job.in + piece.offset;
  std::uint8_t* const out = job.out + piece.offset;
  uint4 chunk[L::kChunks];
#pragma unroll
  for (unsigned q = 0; q < L::kChunks; ++q)
    chunk[q] = counter.chunk<kBlockBytes>(q, job.wraps_at_32);
  L::encrypt_by_key(key, chunk);
  const bool aligned = is_aligned(in, 16) && is_aligned(out, 16) && !piece.is_bad;
#pragma unroll
  for (unsigned q = 0; q < L::kChunks; ++q) {
    if (aligned && 16 * q + 16 <= piece.bytes) {
      reinterpret_cast<uint4*>(out)[q] = xor4(chunk[q], reinterpret_cast<const uint4*>(in)[q]);
    } else {
      add_part(chunk[q], in, out, 16 * q, piece.bytes, piece.is_bad);
    }
  }
}

// The pieces of a tile in CBC decryption. A warp loads the chunks of a pass before it stores the
// first, and keeps the last ciphertext of the pass, so in == out is allowed.
template <class L>
__device__ __forceinline__ void decrypt_cbc(const typename L::Tables& tables, const ManyJob& job,
                                            const Rows<L>& rows, const Piece& piece) {
  constexpr unsigned kBlockBytes = L::kBlockBytes;
  const unsigned lane = threadIdx.x % 32;
  uint4 iv = {0, 0, 0, 0};  // the block before the piece; of 8 bytes: in z and w
  if (piece.is_there) {
    const std::uint8_t* const before = piece.start == 0
                                           ? job.blocks + std::uint64_t{piece.message} * kBlockBytes
                                           : job.in + piece.offset - kBlockBytes;
    iv = load_chunk(before, kBlockBytes);
    if (kBlockBytes == 8) iv = {0, 0, iv.x, iv.y};
  }
  const std::uint32_t longest = max_of_warp(piece.bytes);
  const unsigned team = team_lanes(longest, L::kChunks);
#pragma unroll 1
  for (unsigned first = 0; first < job.tile; first += 32 / team) {
    TeamPiece mine(piece, (first + lane / team) % 32);
    uint4 before = {__shfl_sync(~0u, iv.x, mine.lane), __shfl_sync(~0u, iv.y, mine.lane),
                    __shfl_sync(~0u, iv.z, mine.lane), __shfl_sync(~0u, iv.w, mine.lane)};
    if (mine.lane >= job.tile) mine.bytes = 0;
    const std::uint32_t* const row = rows.of(job, mine.lane % job.tile);
#pragma unroll 1
    for (std::uint64_t pass = 0; pass < longest; pass += 16 * team * L::kChunks) {
      uint4 chunk[L::kChunks];
      uint4 last[L::kChunks];
#pragma unroll
      for (unsigned q = 0; q < L::kChunks; ++q) {
        const std::uint64_t at = pass + 16 * (lane % team + team * q);
        last[q] = {0, 0, 0, 0};
        if (at < mine.bytes)
          last[q] =
              load_chunk(job.in + mine.offset + at, static_cast<std::uint32_t>(mine.bytes - at));
        chunk[q] = last[q];
      }
      L::decrypt(tables, row, chunk);
#pragma unroll
      for (unsigned q = 0; q < L::kChunks; ++q) {
        // The neighbour's chunk of this row; the first lane of a team has the last of the row
        // before.
        const unsigned end = lane / team * team + team - 1;
        uint4 left;
        left.x = __shfl_up_sync(~0u, last[q].x, 1), left.y = __shfl_up_sync(~0u, last[q].y, 1);
        left.z = __shfl_up_sync(~0u, last[q].z, 1), left.w = __shfl_up_sync(~0u, last[q].w, 1);
        if (lane % team == 0) left = before;
        before = {__shfl_sync(~0u, last[q].x, end), __shfl_sync(~0u, last[q].y, end),
                  __shfl_sync(~0u, last[q].z, end), __shfl_sync(~0u, last[q].w, end)};
        if (kBlockBytes == 8) left = {left.z, left.w, last[q].x, last[q].y};
        const std::uint64_t at = pass + 16 * (lane % team + team * q);
        if (at < mine.bytes)
          store_chunk(job.out + mine.offset + at, xor4(chunk[q], left),
                      static_cast<std::uint32_t>(mine.bytes - at));
      }
    }
  }
}

// The blocks of SP 800-38C, A.2, of one message: B0, associated data, text.
class CcmBlocks {
 public:
  __device__ __forceinline__ CcmBlocks(const ManyJob& job, std::uint32_t message,
                                       const std::uint8_t* text, std::uint32_t bytes)
      : text_(text), bytes_(bytes), tag_bytes_(job.tag_bytes) {
    aad_bytes_ = job.aad_lengths == nullptr ? job.aad_length : job.aad_lengths[message];
    aad_ = job.aad + (job.aad_offsets == nullptr ? std::uint64_t{message} * job.aad_length
                                                 : job.aad_offsets[message]);
    prefix_ = aad_bytes_ == 0 ? 0 : aad_bytes_ < 0xff00 ? 2 : 6;
    aad_blocks_ = static_cast<std::uint32_t>((std::uint64_t{aad_bytes_} + prefix_ + 15) / 16);
    count_ = 1 + aad_blocks_ + bytes / 16 + (bytes % 16 != 0 ? 1 : 0);
  }
  __device__ __forceinline__ std::uint32_t count() const { return count_; }
  __device__ __forceinline__ uint4 at(std::uint32_t i, uint4 a0) const {
    if (i == 0) {
      a0.x |= (aad_bytes_ != 0 ? 64u : 0u) | (tag_bytes_ - 2) / 2 << 3;
      a0.w |= __byte_perm(bytes_, 0, 0x0123);
      return a0;
    }
    if (i > aad_blocks_) {
      const std::uint32_t from = 16 * (i - 1 - aad_blocks_);
      return load_chunk(text_ + from, bytes_ - from);
    }
    std::uint32_t w[4] = {};
#pragma unroll 1
    for (unsigned j = 0; j < 16; ++j) {
      const std::uint64_t from = 16 * std::uint64_t{i - 1} + j;
      std::uint32_t byte = 0;
      if (from < prefix_) {
        const std::uint64_t prefix =
            prefix_ == 2 ? aad_bytes_ : std::uint64_t{0xfffe} << 32 | aad_bytes_;
        byte = static_cast<std::uint32_t>(prefix >> (8 * (prefix_ - 1 - from))) & 0xff;
      } else if (from - prefix_ < aad_bytes_) {
        byte = aad_[from - prefix_];
      }
#pragma unroll
      for (unsigned k = 0; k < 4; ++k) w[k] |= j / 4 == k ? byte << (8 * (j % 4)) : 0;
    }
    return {w[0], w[1], w[2], w[3]};
  }

 private:
  const std::uint8_t* aad_;
  const std::uint8_t* text_;
  std::uint32_t bytes_;
  std::uint32_t tag_bytes_;
  std::uint32_t aad_bytes_;
  std::uint32_t prefix_;
  std::uint32_t aad_blocks_;
  std::uint32_t count_;
};

// Chains of blocks, a message a lane: CBC encryption, the MAC of CCM, and the seeds of GCM. The
// pieces are whole messages. All steps share the code of the rounds.
template <class L>
__device__ __forceinline__ void make_chain(const typename L::Tables& tables, const ManyJob& job,
                                           ManyStep step, const std::uint32_t* row,
                                           const Piece& piece) {
  constexpr unsigned kBlockBytes = L::kBlockBytes;
  const std::uint64_t m = piece.message;
  const uint4 first = load_chunk(job.blocks + m * kBlockBytes, kBlockBytes);
  const std::uint8_t* const in = job.in + piece.offset;
  std::uint8_t* const out = job.out + piece.offset;
  const CcmBlocks ccm(job, piece.message, in, piece.bytes);
  const std::uint32_t count = step == ManyStep::kSeeds    ? 2
                              : step == ManyStep::kCcmMac ? ccm.count() + 1
                                                          : piece.bytes / kBlockBytes;
  uint4 x = step == ManyStep::kCbcEncrypt ? first : uint4{0, 0, 0, 0};
  uint4 mac = {0, 0, 0, 0};
#pragma unroll 1
  for (std::uint32_t i = 0; i < count; ++i) {
    if (step == ManyStep::kCbcEncrypt) {
      x = xor4(x, load_chunk(in + std::uint64_t{i} * kBlockBytes, kBlockBytes));
    } else if (i == count - 1) {
      mac = x;
      x = first;
    } else if (step == ManyStep::kCcmMac) {
      x = xor4(x, ccm.at(i, first));
    }
    L::encrypt_block(tables, row, x);
    if (step == ManyStep::kCbcEncrypt)
      store_chunk(out + std::uint64_t{i} * kBlockBytes, x, kBlockBytes);
  }
  if (step == ManyStep::kSeeds) {
    job.hash_keys[m] = mac;
    job.masks[m] = x;
  } else if (step == ManyStep::kCcmMac) {
    job.masks[m] = xor4(mac, x);
  }
}

// Which steps a kernel makes. A kernel for all has the key schedule once, and the most registers of
// its steps.
enum class ManySteps { kCtr, kCbcDecrypt, kChains, kAll };

template <class L, ManySteps kSteps>
__global__ void __launch_bounds__(L::kThreads, L::kBlocks)
    messages_kernel(const __grid_constant__ ManyJob job, const ManyStep step) {
  extern __shared__ __align__(128) std::uint8_t shared[];
  constexpr bool kAll = kSteps == ManySteps::kAll;
  const bool decrypts = kAll ? step == ManyStep::kCbcDecrypt : kSteps == ManySteps::kCbcDecrypt;
  const bool counts = kAll ? step == ManyStep::kCtr : kSteps == ManySteps::kCtr;
  const typename L::Tables tables = L::make_tables(job, decrypts, shared);
  Rows<L> rows(job, shared + L::kTableBytes);
  const unsigned lane = threadIdx.x % 32;
  const unsigned warps = blockDim.x / 32;
#pragma unroll 1
  for (std::uint64_t tile = blockIdx.x * warps + threadIdx.x / 32; tile * job.tile < job.pieces;
       tile += gridDim.x * warps) {
    const Piece piece(job, tile * job.tile + lane, lane < job.tile);
    rows.expand(tables, job, piece);
    if (counts) {
      add_keystream<L>(tables, job, rows, piece);
    } else if (decrypts) {
      decrypt_cbc<L>(tables, job, rows, piece);
    } else if (piece.is_there) {
      make_chain<L>(tables, job, step, rows.of(job, lane), piece);
    }
  }
  rows.wipe(job);
}

}  // namespace gpuctr::many

#endif
