#include "kernels/gpu/cuda/many/stream.h"

#include <algorithm>
#include <cstring>

#include "kernels/base/wipe.h"
#include "kernels/cpu/backend.h"
#include "kernels/gpu/cuda/kernels.h"

namespace gpuctr::cuda {
namespace {

// The parts of the memory that goes to the device with a batch.
class Layout {
 public:
  template <class T>
  std::size_t add(std::size_t count) {
    const std::size_t at = bytes_;
    bytes_ += (count * sizeof(T) + 15) / 16 * 16;
    return at;
  }
  std::size_t bytes() const { return bytes_; }

 private:
  std::size_t bytes_ = 0;
};

// Offsets of parts that lie one after the other.
void add_up(const std::uint32_t* lengths, std::size_t count, std::uint64_t* offsets) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    offsets[i] = sum;
    sum += lengths[i];
  }
}

template <class T>
const T* at(const void* base, std::size_t offset) {
  return reinterpret_cast<const T*>(static_cast<const std::uint8_t*>(base) + offset);
}

}  // namespace

struct ManyStream::Batch {
  const CipherSpec& cipher;
  const CudaMany& kernels;
  const DeviceMessages& messages;
  const ManyPlan& plan;
  std::uint32_t count;
};

bool ManyStream::takes(const CipherSpec& cipher, const DeviceMessages& b) {
  if (b.count > UINT32_MAX / 2 || b.length > ManyPlan::kWhole) return false;
  if (b.counter_bits != 0 && b.counter_bits != 32 && b.counter_bits != 8 * cipher.block_bytes)
    return false;
  return cipher.tweak_bytes == 0;
}

cudaError_t ManyStream::prepare(std::size_t messages) {
  if (warps_ == 0) {
    int device = 0;
    int processors = 0;
    int major = 0;
    cudaError_t error = cudaGetDevice(&device);
    if (error == cudaSuccess)
      error = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    if (error == cudaSuccess)
      error = cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
    if (error != cudaSuccess) return error;
    has_matrices_ = major == 8 || major == 9;
    processors_ = static_cast<unsigned>(processors);
    warps_ = 16 * processors_;
  }
  if (messages <= messages_) return cudaSuccess;
  free();
  const std::size_t count = std::max<std::size_t>(messages, 4096);
  void* memory = nullptr;
  const cudaError_t error = cudaMalloc(&memory, (3 * count + 1) * sizeof(uint4));
  if (error != cudaSuccess) return error;
  work_ = static_cast<uint4*>(memory);
  messages_ = count;
  return cudaSuccess;
}

void ManyStream::free() {
  if (work_ != nullptr) static_cast<void>(cudaFree(work_));
  work_ = nullptr;
  messages_ = 0;
}

DeviceStatus ManyStream::run(int device, cudaStream_t stream, ScratchPool* pool,
                             const CipherSpec& cipher, const CudaMany& kernels,
                             const DeviceMessages& b) {
  cudaError_t error = prepare(b.count);
  if (error != cudaSuccess) return note(device, error);
  const auto count = static_cast<std::uint32_t>(b.count);
  // CBC decryption in place would read what another warp has overwritten.
  const bool whole = b.mode == DeviceMode::kCbc && (b.encrypts || b.in == b.out);
  const ManyPlan plan(b.lengths, static_cast<std::uint32_t>(b.length), b.count, whole, warps_);
  if (!plan.fits) return DeviceStatus::kUnsupported;
  const bool mixed = plan.has_list;
  const bool with_aad = b.mode == DeviceMode::kGcm || b.mode == DeviceMode::kCcm;
  const bool mixed_aad = with_aad && b.aad_lengths != nullptr;

  Layout layout;
  const std::size_t row = layout.add<std::uint8_t>(b.own != nullptr ? kernels.row_bytes : 0);
  const std::size_t list = layout.add<ManyPiece>(mixed ? plan.pieces : 0);
  const std::size_t lengths = layout.add<std::uint32_t>(mixed ? count : 0);
  const std::size_t offsets = layout.add<std::uint64_t>(mixed || b.offsets != nullptr ? count : 0);
  const std::size_t index = layout.add<std::uint32_t>(b.index != nullptr ? count : 0);
  const std::size_t aad_lengths = layout.add<std::uint32_t>(mixed_aad ? count : 0);
  const std::size_t aad_offsets = layout.add<std::uint64_t>(mixed_aad ? count : 0);
  Scratch* scratch = nullptr;
  const std::size_t bytes = std::max<std::size_t>(layout.bytes(), 16);
  const DeviceStatus status = pool->take(device, bytes, &scratch);
  if (status != DeviceStatus::kOk) return status;
  auto* const host = static_cast<std::uint8_t*>(scratch->host);
  const auto put = [&](std::size_t to, const void* from, std::size_t each) {
    std::memcpy(host + to, from, each * count);
  };
  ManyJob job = {};
  if (b.own != nullptr) {
    const bool inverse = b.mode == DeviceMode::kCbc && !b.encrypts;
    kernels.lay_out(*b.own, inverse ? ManyStep::kCbcDecrypt : ManyStep::kCtr,
                    reinterpret_cast<std::uint32_t*>(host + row));
    job.row = at<std::uint32_t>(scratch->device, row);
  }
  job.keys = static_cast<const std::uint8_t*>(b.keys);
  job.key_bytes = static_cast<std::uint32_t>(cipher.key_bytes);
  if (b.index != nullptr) {
    put(index, b.index, sizeof(std::uint32_t));
    job.index = at<std::uint32_t>(scratch->device, index);
  }
  if (mixed) {
    plan.write(b.lengths, b.count, reinterpret_cast<ManyPiece*>(host + list));
    put(lengths, b.lengths, sizeof(std::uint32_t));
    job.list = at<ManyPiece>(scratch->device, list);
    job.lengths = at<std::uint32_t>(scratch->device, lengths);
  }
  if (b.offsets != nullptr) put(offsets, b.offsets, sizeof(std::uint64_t));
  if (mixed && b.offsets == nullptr)
    add_up(b.lengths, b.count, reinterpret_cast<std::uint64_t*>(host + offsets));
  if (mixed || b.offsets != nullptr) job.offsets = at<std::uint64_t>(scratch->device, offsets);
  if (mixed_aad) {
    put(aad_lengths, b.aad_lengths, sizeof(std::uint32_t));
    add_up(b.aad_lengths, b.count, reinterpret_cast<std::uint64_t*>(host + aad_offsets));
    job.aad_lengths = at<std::uint32_t>(scratch->device, aad_lengths);
    job.aad_offsets = at<std::uint64_t>(scratch->device, aad_offsets);
  }
  // Of mixed lengths the mean decides how many lanes hash a message.
  job.length = static_cast<std::uint32_t>(mixed ? plan.bytes / count : b.length);
  job.in = static_cast<const std::uint8_t*>(b.in);
  job.out = static_cast<std::uint8_t*>(b.out);
  job.parts = plan.parts;
  job.piece_bytes = plan.piece_bytes;
  job.longest = std::min(plan.longest, plan.piece_bytes);
  job.aad = static_cast<const std::uint8_t*>(b.aad);
  job.aad_length = static_cast<std::uint32_t>(b.aad_length);
  job.tag_bytes = static_cast<std::uint32_t>(b.tag_bytes);
  job.tags = static_cast<std::uint8_t*>(b.tags);
  job.encrypts = b.encrypts;
  const bool counts = with_aad && !b.encrypts && b.outcome != nullptr;
  if (counts) job.outcome = reinterpret_cast<std::uint32_t*>(work_ + 3 * messages_);
  job.hash_keys = work_ + count;
  job.masks = work_ + 2 * std::size_t{count};
  return pool->use(scratch, device, stream, bytes, [&] {
    cudaError_t queued = counts ? many_begin_outcome(stream, job.outcome) : cudaSuccess;
    if (queued == cudaSuccess) queued = run_steps(stream, {cipher, kernels, b, plan, count}, job);
    if (queued == cudaSuccess && counts) queued = many_end_outcome(stream, job.outcome, b.outcome);
    return queued;
  });
}

cudaError_t ManyStream::run_steps(cudaStream_t stream, const Batch& b, ManyJob job) {
  const DeviceMessages& m = b.messages;
  const auto iv_bytes = static_cast<std::uint32_t>(m.iv_bytes);
  const auto block_bytes = static_cast<std::uint32_t>(b.cipher.block_bytes);
  const auto* const ivs = static_cast<const std::uint8_t*>(m.ivs);
  auto* const blocks = reinterpret_cast<std::uint8_t*>(work_);
  job.blocks = blocks;
  if (m.mode == DeviceMode::kGcm) return gcm(stream, b, job);
  if (m.mode == DeviceMode::kCcm) return ccm(stream, b, job);
  cudaError_t error = cudaSuccess;
  if (iv_bytes == block_bytes) {
    job.blocks = ivs;
  } else {
    error = many_blocks(stream, ManyBlocks::kPadded, ivs, iv_bytes, block_bytes, blocks, b.count);
  }
  if (error == cudaSuccess && m.results != nullptr)
    error = cudaMemsetAsync(m.results, 1, m.count, stream);
  if (error != cudaSuccess) return error;
  if (m.mode == DeviceMode::kCtr) {
    job.wraps_at_32 = m.counter_bits == 32;
    return text(stream, b, job, ManyStep::kCtr);
  }
  return m.encrypts ? text(stream, b, job, ManyStep::kCbcEncrypt)
                    : text(stream, b, job, ManyStep::kCbcDecrypt);
}

// The steps that make text, a launch for each class of pieces. Chains take a message a lane.
cudaError_t ManyStream::text(cudaStream_t stream, const Batch& b, ManyJob job, ManyStep step) {
  cudaError_t error = cudaSuccess;
  for (unsigned i = 0; i < b.plan.classes && error == cudaSuccess; ++i) {
    const ManyClass& of = b.plan.of[i];
    ManyJob part = job;
    if (part.list != nullptr) part.list += of.first;
    part.pieces = of.pieces;
    part.tile = step == ManyStep::kCbcEncrypt ? ManyPlan::kTile : of.tile;
    error = b.kernels.run(stream, step, part);
  }
  return error;
}

// A message a lane, in the order of the batch.
static void take_whole(ManyJob* job, std::uint32_t count) {
  job->list = nullptr;
  job->parts = 1;
  job->piece_bytes = ManyPlan::kWhole;
  job->pieces = count;
  job->tile = ManyPlan::kTile;
}

cudaError_t ManyStream::gcm(cudaStream_t stream, const Batch& b, ManyJob job) {
  const DeviceMessages& m = b.messages;
  const auto iv_bytes = static_cast<std::uint32_t>(m.iv_bytes);
  const auto* const ivs = static_cast<const std::uint8_t*>(m.ivs);
  ManyJob whole = job;
  take_whole(&whole, b.count);
  whole.results = static_cast<std::uint8_t*>(m.results);
  cudaError_t error = cudaSuccess;
  if (iv_bytes != 12) {
    // The first counter blocks need the hash keys.
    error = cudaMemsetAsync(work_, 0, sizeof(uint4) * b.count, stream);
    if (error == cudaSuccess) error = b.kernels.run(stream, ManyStep::kSeeds, whole);
    if (error == cudaSuccess)
      error = many_hashed_blocks(stream, ivs, iv_bytes, job.hash_keys, work_, b.count);
  } else {
    error = many_blocks(stream, ManyBlocks::kGcm, ivs, iv_bytes, 16,
                        reinterpret_cast<std::uint8_t*>(work_), b.count);
  }
  if (error == cudaSuccess) error = b.kernels.run(stream, ManyStep::kSeeds, whole);
  job.first_block = 1;
  job.wraps_at_32 = true;
  if (error == cudaSuccess && !m.encrypts) {
    error = hash(stream, b, whole, job.in);
    job.results = whole.results;
  }
  if (error == cudaSuccess) error = text(stream, b, job, ManyStep::kCtr);
  if (error == cudaSuccess && m.encrypts) error = hash(stream, b, whole, job.out);
  const cudaError_t wiped = cuda_wipe(stream, job.hash_keys, 2 * sizeof(uint4) * b.count);
  return error == cudaSuccess ? wiped : error;
}

// The matrices of a key cost 2 us, and a short message fills a small part of a turn.
cudaError_t ManyStream::hash(cudaStream_t stream, const Batch& b, const ManyJob& whole,
                             const std::uint8_t* text) {
  constexpr std::uint32_t kLeastMean = 1024;
  constexpr std::uint64_t kLeastBytes = std::uint64_t{1} << 20;
  if (!has_matrices_ || b.messages.own == nullptr || whole.length < kLeastMean ||
      b.plan.bytes < kLeastBytes) {
    return many_hash(stream, whole, text);
  }
  constexpr std::uint8_t kZeros[16] = {};
  Wiped<std::uint8_t[16]> h;
  best_backend().ops[b.cipher.index].encrypt(*b.messages.own, kZeros, h.value, 1);
  const cudaError_t error = many_hash_pages(stream, whole, text, h.value, processors_);
  const cudaError_t scrubbed = cuda_scrub(stream);
  return error == cudaSuccess ? scrubbed : error;
}

cudaError_t ManyStream::ccm(cudaStream_t stream, const Batch& b, ManyJob job) {
  const DeviceMessages& m = b.messages;
  ManyJob whole = job;
  take_whole(&whole, b.count);
  whole.results = static_cast<std::uint8_t*>(m.results);
  if (!m.encrypts) whole.in = job.out;
  job.first_block = 1;
  cudaError_t error = many_blocks(stream, ManyBlocks::kCcm, static_cast<const std::uint8_t*>(m.ivs),
                                  static_cast<std::uint32_t>(m.iv_bytes), 16,
                                  reinterpret_cast<std::uint8_t*>(work_), b.count);
  if (error == cudaSuccess && !m.encrypts) error = text(stream, b, job, ManyStep::kCtr);
  if (error == cudaSuccess) error = b.kernels.run(stream, ManyStep::kCcmMac, whole);
  if (error == cudaSuccess) error = many_tags(stream, whole);
  if (error == cudaSuccess) {
    error = m.encrypts ? text(stream, b, job, ManyStep::kCtr) : many_zero(stream, whole);
  }
  const cudaError_t wiped = cuda_wipe(stream, job.masks, sizeof(uint4) * b.count);
  return error == cudaSuccess ? wiped : error;
}

}  // namespace gpuctr::cuda
