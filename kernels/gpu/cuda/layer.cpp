// The real layer behind kernels/gpu/layer.h: the CUDA runtime. The runtime is linked statically and
// finds the driver at run time. Before the first call through the layer no code here runs and no
// CUDA call is made.
#include <cuda_runtime_api.h>

#include <cstring>
#include <memory>
#include <new>

#include "kernels/base/counter.h"
#include "kernels/gpu/cuda/context.h"
#include "kernels/gpu/cuda/ghash_stream.h"
#include "kernels/gpu/cuda/kernels.h"
#include "kernels/gpu/cuda/many/stream.h"
#include "kernels/gpu/cuda/scratch.h"
#include "kernels/gpu/cuda/xts.h"
#include "kernels/gpu/layer.h"

namespace gpuctr {

namespace {
enum class Queued { kCounter, kHash, kOther };
}  // namespace

struct DeviceStream {
  int device;
  cuda::ContextNumber context;
  cudaStream_t stream;
  bool keyed;        // a launch has carried round keys since the last scrub
  bool long_keys;    // round keys of more than kShortKeyBytes
  bool hashed;       // a launch before the last one carried powers of a hash key
  Queued last;       // the last work queued
  cudaEvent_t done;  // recorded before the last scrub
  cuda::ScratchPool scratch;
  cuda::GhashStream ghash;
  cuda::ManyStream many = {};
  cuda::XtsStream xts = {};
};

struct DeviceEvent {
  int device;
  cuda::ContextNumber context;
  cudaEvent_t event;
};

namespace {

using cuda::DeviceScope;
using cuda::note;
using cuda::RelaxedCapture;

DeviceStatus device_count(int* count) {
  const RelaxedCapture relaxed;
  *count = 0;
  const DeviceStatus status = note(-1, cudaGetDeviceCount(count));
  if (status != DeviceStatus::kOk) *count = 0;
  return status == DeviceStatus::kOk && *count == 0 ? DeviceStatus::kNoDevice : status;
}

DeviceStatus device_info(int device, DeviceInfo* info) {
  const RelaxedCapture relaxed;
  cudaDeviceProp properties;
  const DeviceStatus status = note(device, cudaGetDeviceProperties(&properties, device));
  if (status != DeviceStatus::kOk) return status;
  *info = {};
  std::memcpy(info->name, properties.name, sizeof info->name - 1);
  info->processors = properties.multiProcessorCount;
  info->memory_bytes = properties.totalGlobalMem;
  info->full_rate_fp64 = properties.minor == 0 && properties.major >= 6 && properties.major < 12;
  return DeviceStatus::kOk;
}

DeviceStatus stream_create(int device, DeviceStream** stream) {
  const DeviceScope scope(device);
  if (scope.status() != DeviceStatus::kOk) return scope.status();
  std::unique_ptr<DeviceStream> fresh(new (std::nothrow) DeviceStream{
      device, scope.context(), nullptr, false, false, false, Queued::kOther, nullptr, {}, {}, {}});
  if (fresh == nullptr) return DeviceStatus::kOutOfMemory;
  DeviceStatus status =
      note(device, cudaStreamCreateWithFlags(&fresh->stream, cudaStreamNonBlocking));
  if (status != DeviceStatus::kOk) return status;
  status = note(device, cudaEventCreateWithFlags(&fresh->done, cudaEventDisableTiming));
  if (status == DeviceStatus::kOk) {
    *stream = fresh.release();
  } else {
    static_cast<void>(note(device, cudaStreamDestroy(fresh->stream)));
  }
  return status;
}

DeviceStatus scrub(DeviceStream* stream) {
  if (!stream->keyed) return DeviceStatus::kOk;
  const bool long_keys = stream->long_keys;
  const bool hashed = stream->hashed;
  stream->keyed = stream->long_keys = stream->hashed = false;
  cudaError_t error = cuda_scrub(stream->stream, long_keys);
  if (error == cudaSuccess && hashed) error = cuda_scrub(stream->stream);
  return note(stream->device, error);
}

// Called before a launch with round keys as parameters.
void note_keys(DeviceStream* stream, const CipherSpec& cipher, Queued what) {
  stream->last = what;
  stream->keyed = true;
  if (cipher.round_key_bytes > kShortKeyBytes) stream->long_keys = true;
}

void stream_destroy(DeviceStream* stream) {
  if (stream == nullptr) return;
  const std::unique_ptr<DeviceStream> owned(stream);
  const DeviceScope scope(stream->device, stream->context);
  if (scope.status() != DeviceStatus::kOk) return;
  static_cast<void>(scrub(stream));
  static_cast<void>(note(stream->device, cudaStreamSynchronize(stream->stream)));
  stream->scratch.free(stream->device);
  stream->ghash.free();
  stream->many.free();
  stream->xts.free();
  static_cast<void>(note(stream->device, cudaEventDestroy(stream->done)));
  static_cast<void>(note(stream->device, cudaStreamDestroy(stream->stream)));
}

DeviceStatus stream_wait(DeviceStream* stream) {
  const DeviceScope scope(stream->device, stream->context);
  if (scope.status() != DeviceStatus::kOk) return scope.status();
  // The scrub is queued while the device still works, and no thread waits for the scrub.
  const bool marked = stream->keyed && cudaEventRecord(stream->done, stream->stream) == cudaSuccess;
  const DeviceStatus scrubbed = scrub(stream);
  const cudaError_t error = !marked                         ? cudaStreamSynchronize(stream->stream)
                            : stream->last == Queued::kHash ? stream->ghash.wait(stream->done)
                                                            : cudaEventSynchronize(stream->done);
  const DeviceStatus status = note(stream->device, error);
  return status == DeviceStatus::kOk ? scrubbed : status;
}

bool stream_lives(const DeviceStream* stream) {
  const DeviceScope scope(stream->device, stream->context);
  return scope.status() != DeviceStatus::kContextGone;
}

DeviceStatus event_create(int device, DeviceEvent** event) {
  const DeviceScope scope(device);
  if (scope.status() != DeviceStatus::kOk) return scope.status();
  std::unique_ptr<DeviceEvent> fresh(new (std::nothrow)
                                         DeviceEvent{device, scope.context(), nullptr});
  if (fresh == nullptr) return DeviceStatus::kOutOfMemory;
  const DeviceStatus status =
      note(device, cudaEventCreateWithFlags(&fresh->event, cudaEventDisableTiming));
  if (status == DeviceStatus::kOk) *event = fresh.release();
  return status;
}

void event_destroy(DeviceEvent* event) {
  if (event == nullptr) return;
  const std::unique_ptr<DeviceEvent> owned(event);
  const DeviceScope scope(event->device, event->context);
  if (scope.status() != DeviceStatus::kOk) return;
  static_cast<void>(note(event->device, cudaEventDestroy(event->event)));
}

DeviceStatus event_record(DeviceStream* stream, DeviceEvent* event) {
  const DeviceScope scope(stream->device, stream->context);
  if (scope.status() != DeviceStatus::kOk) return scope.status();
  return note(stream->device, cudaEventRecord(event->event, stream->stream));
}

DeviceStatus event_query(DeviceEvent* event) {
  const DeviceScope scope(event->device, event->context);
  if (scope.status() != DeviceStatus::kOk) return scope.status();
  return note(event->device, cudaEventQuery(event->event));
}

DeviceStatus event_wait(DeviceEvent* event) {
  const DeviceScope scope(event->device, event->context);
  if (scope.status() != DeviceStatus::kOk) return scope.status();
  return note(event->device, cudaEventSynchronize(event->event));
}

DeviceStatus pinned_alloc(int device, std::size_t bytes, void** memory) {
  const DeviceScope scope(device);
  return scope.status() == DeviceStatus::kOk ? cuda::pin(device, bytes, memory) : scope.status();
}

void pinned_free(void* memory) { cuda::unpin(memory); }

DeviceStatus device_alloc(int device, std::size_t bytes, void** memory) {
  const DeviceScope scope(device);
  if (scope.status() != DeviceStatus::kOk) return scope.status();
  return note(device, cudaMalloc(memory, bytes));
}

void device_free(int device, void* memory) {
  const DeviceScope scope(device);
  if (scope.status() == DeviceStatus::kOk) static_cast<void>(note(device, cudaFree(memory)));
}

DeviceStatus copy(DeviceStream* stream, void* to, const void* from, std::size_t bytes) {
  const DeviceScope scope(stream->device, stream->context);
  if (scope.status() != DeviceStatus::kOk) return scope.status();
  stream->last = Queued::kOther;
  return note(stream->device, cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream->stream));
}

DeviceStatus zero(DeviceStream* stream, void* memory, std::size_t bytes) {
  const DeviceScope scope(stream->device, stream->context);
  if (scope.status() != DeviceStatus::kOk) return scope.status();
  stream->last = Queued::kOther;
  return note(stream->device, cudaMemsetAsync(memory, 0, bytes, stream->stream));
}

bool takes(const CipherSpec& cipher) { return cuda_ops(cipher.index) != nullptr; }

// The bytes of an aligned job that a tile kernel makes: whole tiles. 0: the word-wise kernel does
// the whole job. Tiles: CudaTiles or CudaBlockTiles.
template <class Tiles>
std::size_t tiled_bytes(const Tiles& tiles, const void* in, const void* out, std::size_t bytes) {
  if (tiles.tile_bytes == 0 || bytes < tiles.least_bytes) return 0;
  const auto bits = reinterpret_cast<std::uintptr_t>(in) | reinterpret_cast<std::uintptr_t>(out);
  return bits % 16 != 0 ? 0 : bytes - bytes % tiles.tile_bytes;
}

const CudaTiles& tiles_of(const CudaOps& ops) {
  static constexpr CudaTiles kNone = {};
  return ops.tiles == nullptr ? kNone : *ops.tiles();
}

DeviceStatus ctr(DeviceStream* stream, const CipherSpec& cipher, const RoundKeys& keys,
                 const std::uint8_t* counter, const void* in, void* out, std::size_t bytes) {
  if (bytes == 0) return DeviceStatus::kOk;
  const CudaOps* const ops = cuda_ops(cipher.index);
  if (ops == nullptr) return DeviceStatus::kUnsupported;
  const DeviceScope scope(stream->device, stream->context);
  if (scope.status() != DeviceStatus::kOk) return scope.status();
  note_keys(stream, cipher, Queued::kCounter);
  const CudaTiles& tiles = tiles_of(*ops);
  const std::size_t body = tiled_bytes(tiles, in, out, bytes);
  cudaError_t error = cudaSuccess;
  if (body != 0) error = tiles.ctr(stream->stream, keys, counter, in, out, body);
  if (error == cudaSuccess && body != bytes) {
    std::uint8_t block[kMaxBlockBytes];
    std::memcpy(block, counter, cipher.block_bytes);
    counter_add(block, cipher.block_bytes, body / cipher.block_bytes);
    error = ops->ctr(stream->stream, keys, block,
                     in == nullptr ? nullptr : static_cast<const std::uint8_t*>(in) + body,
                     static_cast<std::uint8_t*>(out) + body, bytes - body);
  }
  return note(stream->device, error);
}

// For a cipher whose kernels take one key at a time, because no generator uses the cipher. Its
// batches are the few pipes of an application.
DeviceStatus one_by_one(DeviceStream* stream, const CipherSpec& cipher,
                        const DeviceSegment* segments, std::size_t count, const void* in,
                        void* out) {
  DeviceStatus status = DeviceStatus::kOk;
  for (std::size_t i = 0; i < count && status == DeviceStatus::kOk; ++i) {
    const DeviceSegment& s = segments[i];
    if (s.bytes == 0) continue;
    const SegmentKeys keys(cipher, s.keys, s.key);
    status = ctr(stream, cipher, *keys, s.counter,
                 in == nullptr ? nullptr : static_cast<const std::uint8_t*>(in) + s.offset,
                 static_cast<std::uint8_t*>(out) + s.offset, s.bytes);
  }
  return status;
}

DeviceStatus ctr_batch(DeviceStream* stream, const CipherSpec& cipher,
                       const DeviceSegment* segments, std::size_t count, const void* in,
                       void* out) {
  if (!takes(cipher)) return DeviceStatus::kUnsupported;
  const CudaOps& ops = *cuda_ops(cipher.index);
  if (ops.batch == nullptr) return one_by_one(stream, cipher, segments, count, in, out);
  const DeviceScope scope(stream->device, stream->context);
  if (scope.status() != DeviceStatus::kOk) return scope.status();
  const BatchSize size = measure_batch(segments, count, cipher.block_bytes, ops.unit_bytes);
  if (size.units == 0) return DeviceStatus::kOk;
  if (!size.fits) return DeviceStatus::kOther;
  stream->last = Queued::kOther;
  bool raw = ops.raw_units != 0 && size.even >= ops.raw_units;
  for (std::size_t i = 0; i < count; ++i) raw = raw && segments[i].keys == nullptr;
  const std::size_t runs_bytes = (size.runs * sizeof(BatchRun) + 15) / 16 * 16;
  const std::size_t key_bytes = raw ? ops.raw_key_bytes : ops.key_bytes;
  const std::size_t bytes = runs_bytes + count * key_bytes;
  cuda::Scratch* scratch = nullptr;
  const DeviceStatus status = stream->scratch.take(stream->device, bytes, &scratch);
  if (status != DeviceStatus::kOk) return status;
  auto* const host = static_cast<std::uint8_t*>(scratch->host);
  auto* const device = static_cast<std::uint8_t*>(scratch->device);
  lay_out_batch(segments, count, cipher.block_bytes, ops.unit_bytes,
                reinterpret_cast<BatchRun*>(host));
  const CipherOps& backend = best_backend().ops[cipher.index];
  for (std::size_t i = 0; i < count; ++i) {
    std::uint8_t* const to = host + runs_bytes + i * key_bytes;
    if (raw) {
      std::memcpy(to, segments[i].key, cipher.key_bytes);
    } else {
      const SegmentKeys keys(cipher, segments[i].keys, segments[i].key, &backend);
      ops.lay_out_keys(*keys, to);
    }
  }
  const CudaBatch batch = {reinterpret_cast<BatchRun*>(device),
                           device + runs_bytes,
                           raw,
                           static_cast<std::uint32_t>(size.runs),
                           static_cast<std::uint32_t>(size.units),
                           static_cast<std::uint32_t>(size.even),
                           in,
                           out};
  return stream->scratch.use(scratch, stream->device, stream->stream, bytes,
                             [&] { return ops.batch(stream->stream, batch); });
}

cudaError_t run_blocks(cudaStream_t stream, const CudaOps& ops, const RoundKeys& keys,
                       bool encrypts, BlockSpan span) {
  const CudaBlockTiles& tiles = tiles_of(ops).blocks;
  const std::size_t body = tiled_bytes(tiles, span.in, span.out, span.bytes);
  if (body != 0) {
    BlockSpan whole = span;
    whole.bytes = body;
    const cudaError_t error = (encrypts ? tiles.encrypt : tiles.decrypt)(stream, keys, whole);
    span.in += body;
    span.out += body;
    span.bytes -= body;
    span.reads_before = true;
    if (error != cudaSuccess || span.bytes == 0) return error;
  }
  return (encrypts ? ops.encrypt : ops.decrypt)(stream, keys, span);
}

DeviceStatus blocks(DeviceStream* stream, const CipherSpec& cipher, const RoundKeys& keys,
                    DeviceOperation operation, const std::uint8_t* before, const void* in,
                    void* out, std::size_t count) {
  if (!takes(cipher)) return DeviceStatus::kUnsupported;
  if (count == 0) return DeviceStatus::kOk;
  const DeviceScope scope(stream->device, stream->context);
  if (scope.status() != DeviceStatus::kOk) return scope.status();
  note_keys(stream, cipher, Queued::kOther);
  BlockSpan span = {static_cast<const std::uint8_t*>(in),
                    static_cast<std::uint8_t*>(out),
                    std::uint64_t{count} * cipher.block_bytes,
                    operation == DeviceOperation::kChain,
                    before == nullptr,
                    {}};
  if (before != nullptr) std::memcpy(span.before, before, cipher.block_bytes);
  span.feedback = operation == DeviceOperation::kFeedback;
  const bool encrypts = operation == DeviceOperation::kEncrypt || span.feedback;
  return note(stream->device,
              run_blocks(stream->stream, *cuda_ops(cipher.index), keys, encrypts, span));
}

DeviceStatus ghash(DeviceStream* stream, const std::uint8_t* h, const std::uint8_t* y,
                   const void* in, std::size_t blocks, void* sum) {
  const DeviceScope scope(stream->device, stream->context);
  if (scope.status() != DeviceStatus::kOk) return scope.status();
  if (!stream->ghash.suits(stream->device)) return DeviceStatus::kUnsupported;
  const bool behind_counter = stream->last == Queued::kCounter;
  stream->hashed = stream->keyed;
  stream->keyed = true;
  stream->last = Queued::kHash;
  cudaError_t error = stream->ghash.prepare(stream->stream);
  if (error == cudaSuccess)
    error = stream->ghash.hash(stream->stream, h, y, in, blocks, sum, behind_counter);
  return note(stream->device, error);
}

DeviceStatus gcm(DeviceStream* stream, const CipherSpec& cipher, const RoundKeys& keys,
                 const DeviceGcm& run) {
  const CudaOps* const ops = cuda_ops(cipher.index);
  if (ops == nullptr || ops->gcm == nullptr) return DeviceStatus::kUnsupported;
  const DeviceScope scope(stream->device, stream->context);
  if (scope.status() != DeviceStatus::kOk) return scope.status();
  if (!stream->ghash.suits_gcm(stream->device, run)) return DeviceStatus::kUnsupported;
  stream->hashed = stream->keyed;
  note_keys(stream, cipher, Queued::kHash);
  cudaError_t error = stream->ghash.prepare(stream->stream);
  if (error == cudaSuccess) error = stream->ghash.gcm(stream->stream, ops->gcm, keys, run);
  return note(stream->device, error);
}

DeviceStatus numbers(DeviceStream* stream, const Distribution& what, const void* random, void* out,
                     std::size_t count) {
  if (count == 0) return DeviceStatus::kOk;
  const DeviceScope scope(stream->device, stream->context);
  if (scope.status() != DeviceStatus::kOk) return scope.status();
  stream->last = Queued::kOther;
  return note(stream->device, cuda_numbers(stream->stream, what, random, out, count));
}

DeviceStatus ctr_numbers(DeviceStream* stream, const CipherSpec& cipher, const RoundKeys& keys,
                         const std::uint8_t* counter, const Distribution& what, void* out,
                         std::size_t* count) {
  const CudaOps* const ops = cuda_ops(cipher.index);
  const bool aligned = reinterpret_cast<std::uintptr_t>(out) % 16 == 0;
  const bool in_double = what.type == NumberType::kFloat64 && what.output != Output::kBernoulli;
  if (ops == nullptr || ops->numbers == nullptr || in_double || !aligned) {
    *count = 0;
    return DeviceStatus::kOk;
  }
  const DeviceScope scope(stream->device, stream->context);
  if (scope.status() != DeviceStatus::kOk) return scope.status();
  note_keys(stream, cipher, Queued::kCounter);
  return note(stream->device, ops->numbers(stream->stream, keys, counter, what, out, count));
}

DeviceStatus xts(DeviceStream* stream, const CipherSpec& cipher, const RoundKeys& keys,
                 const DeviceXts& work) {
  if (!takes(cipher) || !cuda::XtsStream::takes(cipher, work)) return DeviceStatus::kUnsupported;
  if (work.bytes == 0) return DeviceStatus::kOk;
  const DeviceScope scope(stream->device, stream->context);
  if (scope.status() != DeviceStatus::kOk) return scope.status();
  note_keys(stream, cipher, Queued::kOther);
  stream->hashed = true;  // two keys
  return note(stream->device, stream->xts.run(stream->stream, *cuda_ops(cipher.index), keys, work));
}

DeviceStatus messages(DeviceStream* stream, const CipherSpec& cipher, const DeviceMessages& batch) {
  const CudaOps* const ops = cuda_ops(cipher.index);
  if (ops == nullptr || ops->many == nullptr) return DeviceStatus::kUnsupported;
  if (!cuda::ManyStream::takes(cipher, batch)) return DeviceStatus::kUnsupported;
  const DeviceScope scope(stream->device, stream->context);
  if (scope.status() != DeviceStatus::kOk) return scope.status();
  stream->last = Queued::kOther;
  return stream->many.run(stream->device, stream->stream, &stream->scratch, cipher, *ops->many,
                          batch);
}

PointerKind pointer_kind(const void* pointer, int* device) {
  const RelaxedCapture relaxed;
  cudaPointerAttributes attributes;
  if (note(-1, cudaPointerGetAttributes(&attributes, pointer)) != DeviceStatus::kOk) {
    return PointerKind::kHost;
  }
  switch (attributes.type) {
    case cudaMemoryTypeHost:
      return PointerKind::kPinned;
    case cudaMemoryTypeDevice:
    case cudaMemoryTypeManaged:
      *device = attributes.device;
      return PointerKind::kDevice;
    default:
      return PointerKind::kHost;
  }
}

constexpr DeviceLayer kCudaLayer = {
    "cuda",       device_count, device_info,   stream_create, stream_destroy, stream_wait,
    stream_lives, event_create, event_destroy, event_record,  event_query,    event_wait,
    pinned_alloc, pinned_free,  device_alloc,  device_free,   copy,           zero,
    takes,        ctr,          ctr_batch,     blocks,        ghash,          gcm,
    numbers,      ctr_numbers,  xts,           messages,      pointer_kind};

}  // namespace

const DeviceLayer* cuda_layer() { return &kCudaLayer; }

}  // namespace gpuctr
