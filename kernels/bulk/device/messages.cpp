// Batches of messages on a device. Arrays that the device reaches stay where they are; the others
// go through memory of the channel on the device.
#include <algorithm>
#include <cstring>
#include <memory>
#include <new>

#include "kernels/base/wipe.h"
#include "kernels/bulk/base/process_state.h"
#include "kernels/bulk/base/threads.h"
#include "kernels/bulk/batch/table.h"
#include "kernels/bulk/device/transfer.h"

namespace gpuctr::bulk {

// The arrays of a batch as the device sees them. `here`: the device reaches the array itself.
struct DeviceMemory::Arrays {
  enum Name { kKeys, kIvs, kIn, kOut, kAad, kTags, kResults, kCount };
  struct Array {
    std::uint8_t* caller = nullptr;  // nullptr: none, or on the device only
    std::size_t bytes = 0;
    std::size_t at = 0;  // in the channel's memory
    bool here = false;
    bool uploads = false;
  };
  Array of[kCount];
  std::size_t bytes = 0;  // of the channel's memory
  std::uint8_t* base = nullptr;

  void add(Name name, const void* data, std::size_t n, Place place, int device, bool uploads) {
    Array& a = of[name];
    a.caller = static_cast<std::uint8_t*>(const_cast<void*>(data));
    a.bytes = n;
    a.here = place.kind == PointerKind::kPinned ||
             (place.kind == PointerKind::kDevice && place.device == device);
    a.uploads = uploads;
    if (!a.here) keep(&a);
  }
  void keep(Array* a) {
    constexpr std::size_t kAlign = 256;
    a->at = bytes;
    bytes += (a->bytes + kAlign) / kAlign * kAlign;  // kernels read the whole words at the end
  }
  void* on_device(Name name) const {
    const Array& a = of[name];
    if (a.bytes == 0) return nullptr;
    return a.here ? a.caller : base + a.at;
  }
  // Whether the kernels themselves write to the caller's memory.
  bool writes_there() const {
    return of[kOut].here || of[kTags].here || (of[kResults].here && of[kResults].caller != nullptr);
  }
};

DeviceStatus DeviceMemory::reserve(Channel* channel, std::size_t bytes) {
  if (bytes <= channel->arena_bytes) return DeviceStatus::kOk;
  drop_arena(channel);
  constexpr std::size_t kLeast = std::size_t{1} << 20;
  const std::size_t n = std::max(bytes, kLeast);
  const DeviceStatus status = layer_->device_alloc(channel->device, n, &channel->arena);
  if (status != DeviceStatus::kOk) {
    channel->arena = nullptr;
    return status;
  }
  channel->arena_bytes = n;
  return status;
}

// The memory is zeroed after each batch.
void DeviceMemory::drop_arena(Channel* channel) {
  if (channel->arena != nullptr && layer_->stream_lives(channel->stream)) {
    layer_->device_free(channel->device, channel->arena);
  }
  channel->arena = nullptr;
  channel->arena_bytes = 0;
}

DeviceMemory::MessagesResult DeviceMemory::messages(const Batch& b, int device,
                                                    BatchOutcome* outcome) {
  const CancelDisabled guard;
  DeviceSection section;
  if (!section) return {DeviceStatus::kOther, false};
  if (device < 0) device = device_of(b);
  Channel* const channel = acquire(device);
  if (channel == nullptr) return {DeviceStatus::kNoDevice, false};
  MessagesResult result{prepare(channel, device, true), false};
  const bool takes =
      layer_->takes(*b.cipher) && b.key_bytes == b.cipher->key_bytes && b.mode != BatchMode::kXts;
  if (result.status == DeviceStatus::kOk && !takes) result.status = DeviceStatus::kUnsupported;
  Arrays arrays;
  if (result.status == DeviceStatus::kOk) {
    find_arrays(b, device, &arrays);
    result.status = reserve(channel, arrays.bytes);
    arrays.base = static_cast<std::uint8_t*>(channel->arena);
  }
  bool wiped = true;
  if (result.status == DeviceStatus::kOk) result = run(channel, b, arrays, outcome, &wiped);
  const bool healthy = result.status == DeviceStatus::kOk ||
                       result.status == DeviceStatus::kUnsupported ||
                       result.status == DeviceStatus::kOutOfMemory;
  release(channel, healthy && wiped);
  return result;
}

// The device that holds a part of the batch.
int DeviceMemory::device_of(const Batch& b) const {
  const void* const arrays[] = {b.out, b.in, b.keys, b.ivs, b.aad, b.tags, b.results};
  for (const void* array : arrays) {
    const Place p = place(array);
    if (p.kind == PointerKind::kDevice) return p.device;
  }
  return 0;
}

void DeviceMemory::find_arrays(const Batch& b, int device, Arrays* arrays) const {
  const auto add = [&](Arrays::Name name, const void* data, std::size_t bytes, bool uploads) {
    if (data != nullptr && bytes != 0) arrays->add(name, data, bytes, place(data), device, uploads);
  };
  const bool in_place = b.in == b.out;
  if (b.table == nullptr) add(Arrays::kKeys, b.keys, b.messages * b.key_bytes, true);
  add(Arrays::kIvs, b.ivs, b.messages * b.iv_bytes, true);
  // Bytes between messages stay as they are.
  add(Arrays::kOut, b.out, b.bytes, in_place || b.offsets != nullptr);
  if (!in_place) add(Arrays::kIn, b.in, b.bytes, true);
  if (b.authenticates()) {
    add(Arrays::kAad, b.aad, b.aad_bytes, true);
    add(Arrays::kTags, b.tags, b.messages * b.tag_bytes, !b.encrypts);
  }
  add(Arrays::kResults, b.results, b.messages, false);
  Arrays::Array& results = arrays->of[Arrays::kResults];
  if (b.results == nullptr && b.authenticates()) {
    results.bytes = b.messages;
    arrays->keep(&results);
  }
}

DeviceStatus DeviceMemory::describe(Channel* channel, const Batch& b, const Arrays& arrays,
                                    DeviceMessages* m) {
  constexpr DeviceMode kModes[] = {DeviceMode::kCtr, DeviceMode::kGcm, DeviceMode::kCcm,
                                   DeviceMode::kCbc};
  *m = {};
  m->mode = kModes[static_cast<int>(b.mode)];
  m->encrypts = b.encrypts;
  m->count = b.messages;
  m->own = b.own_key;
  m->ivs = arrays.on_device(Arrays::kIvs);
  m->iv_bytes = b.iv_bytes;
  m->counter_bits = b.mode == BatchMode::kCtr ? b.counter_bits : 0;
  m->lengths = b.lengths;
  m->length = b.length;
  m->offsets = b.offsets;
  m->out = arrays.on_device(Arrays::kOut);
  m->in = b.in == b.out ? m->out : arrays.on_device(Arrays::kIn);
  m->aad = arrays.on_device(Arrays::kAad);
  m->aad_lengths = b.aad_lengths;
  m->aad_length = b.aad_length;
  m->tags = arrays.on_device(Arrays::kTags);
  m->tag_bytes = b.tag_bytes;
  m->results = arrays.on_device(Arrays::kResults);
  m->outcome = reinterpret_cast<std::uint32_t*>(channel->stage);
  m->outcome[0] = 0;
  m->outcome[1] = UINT32_MAX;
  if (b.table == nullptr) {
    m->keys = arrays.on_device(Arrays::kKeys);
    return DeviceStatus::kOk;
  }
  m->own = nullptr;
  m->index = b.key_index;
  return b.table->on_device().get(*layer_, channel->device, b.table->raw(),
                                  b.table->count() * b.key_bytes, &m->keys);
}

// Nothing of the caller's ordinary memory is written before all kernels have ended well. *wiped:
// nothing of the batch is left in the channel's memory.
DeviceMemory::MessagesResult DeviceMemory::run(Channel* channel, const Batch& b,
                                               const Arrays& arrays, BatchOutcome* outcome,
                                               bool* wiped) {
  DeviceMessages m;
  DeviceStream* const stream = channel->stream;
  DeviceStatus status = describe(channel, b, arrays, &m);
  for (const Arrays::Array& a : arrays.of) {
    if (status == DeviceStatus::kOk && a.bytes != 0 && !a.here && a.uploads)
      status = layer_->copy(stream, arrays.base + a.at, a.caller, a.bytes);
  }
  if (status == DeviceStatus::kOk) status = layer_->stream_wait(stream);
  if (status == DeviceStatus::kOk) status = layer_->messages(stream, *b.cipher, m);
  const bool queued = status == DeviceStatus::kOk;
  if (queued) status = layer_->stream_wait(stream);
  if (status == DeviceStatus::kOk) {
    outcome->wrong = m.outcome[0];
    if (outcome->wrong != 0) outcome->message = m.outcome[1];
    status = download(channel, b, arrays);
  }
  if (arrays.bytes != 0 && status != DeviceStatus::kDeviceLost) {
    *wiped = layer_->zero(stream, channel->arena, arrays.bytes) == DeviceStatus::kOk &&
             layer_->stream_wait(stream) == DeviceStatus::kOk;
  }
  return {status, queued && arrays.writes_there()};
}

// A text that was encrypted in place comes through other memory: if the copy fails, the CPU needs
// the input.
DeviceStatus DeviceMemory::download(Channel* channel, const Batch& b, const Arrays& arrays) {
  DeviceStatus status = DeviceStatus::kOk;
  std::unique_ptr<std::uint8_t[]> text;
  const auto get = [&](Arrays::Name name, bool is_written) {
    const Arrays::Array& a = arrays.of[name];
    if (status != DeviceStatus::kOk || a.bytes == 0 || a.here || !is_written) return;
    if (a.caller == nullptr) return;
    std::uint8_t* to = a.caller;
    if (name == Arrays::kOut && b.in == b.out) {
      text.reset(new (std::nothrow) std::uint8_t[a.bytes]);
      to = text.get();
    }
    status = to == nullptr ? DeviceStatus::kOutOfMemory
                           : layer_->copy(channel->stream, to, arrays.base + a.at, a.bytes);
  };
  get(Arrays::kOut, true);
  if (status == DeviceStatus::kOk && text != nullptr) status = layer_->stream_wait(channel->stream);
  get(Arrays::kTags, b.encrypts);
  get(Arrays::kResults, true);
  const DeviceStatus done = layer_->stream_wait(channel->stream);
  if (status == DeviceStatus::kOk) status = done;
  if (text != nullptr) {
    const std::size_t n = arrays.of[Arrays::kOut].bytes;
    if (status == DeviceStatus::kOk) std::memcpy(b.out, text.get(), n);
    wipe(text.get(), n);
  }
  return status;
}

DeviceStatus DeviceMemory::write(void* to, const void* from, std::size_t n) {
  const CancelDisabled guard;
  const Place there = place(to);
  DeviceSection section;
  if (!section) return DeviceStatus::kOther;
  Channel* const channel = acquire(there.device);
  if (channel == nullptr) return DeviceStatus::kNoDevice;
  DeviceStatus status = prepare(channel, there.device, false);
  if (status == DeviceStatus::kOk) status = move(channel, to, from, there, n);
  release(channel, status == DeviceStatus::kOk);
  return status;
}

}  // namespace gpuctr::bulk
