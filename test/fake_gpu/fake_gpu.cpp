#include "test/fake_gpu/fake_gpu.h"

#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <thread>

#include "kernels/base/wipe.h"
#include "kernels/cpu/backend.h"
#include "kernels/cpu/ghash.h"
#include "test/fake_gpu/fake_gpu_messages.h"
#include "test/fake_gpu/fake_gpu_queue.h"
#include "test/fake_gpu/fake_gpu_state.h"

namespace gpuctr {

namespace test {
namespace {

// What the fake may touch for a pointer it was given, and whose it is; nullptr: not its memory.
std::uint8_t* shadow(const void* pointer, int* device) {
  Fake& f = fake();
  const std::lock_guard<std::mutex> lock(f.mutex);
  const auto* p = static_cast<const std::uint8_t*>(pointer);
  auto it = f.memory.upper_bound(p);
  if (it == f.memory.begin()) return nullptr;
  --it;
  if (p >= it->first + it->second.bytes) return nullptr;
  if (device != nullptr) *device = it->second.device;
  return it->second.shadow + (p - it->first);
}

void* map(std::size_t bytes, int protection) {
  void* const p = mmap(nullptr, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return p == MAP_FAILED ? nullptr : p;
}

// As a driver does: addresses of a device's memory come in whole regions of 2 MiB, in which no
// ordinary memory ever lies. What is reserved around it stays so.
void* map_region(std::size_t bytes) {
  constexpr std::size_t kRegion = std::size_t{2} << 20;
  const std::size_t whole = (bytes + kRegion - 1) / kRegion * kRegion;
  auto* const p = static_cast<std::uint8_t*>(map(whole + kRegion, PROT_NONE));
  if (p == nullptr) return nullptr;
  return p + (kRegion - reinterpret_cast<std::uintptr_t>(p) % kRegion) % kRegion;
}

void remember(void* memory, Memory m) {
  const std::lock_guard<std::mutex> lock(fake().mutex);
  fake().memory[static_cast<std::uint8_t*>(memory)] = m;
}

void forget(void* memory, int device) {
  Fake& f = fake();
  const std::lock_guard<std::mutex> lock(f.mutex);
  const auto it = f.memory.find(static_cast<std::uint8_t*>(memory));
  if (it == f.memory.end()) {
    if (device >= 0 && f.contexts[device] != 0) std::abort();  // the program's by now
    return;
  }
  if (it->second.device != device) std::abort();  // another device's, or the host's
  // Of a device's memory the addresses stay reserved.
  munmap(it->second.device >= 0 ? it->second.shadow : memory, it->second.bytes);
  f.memory.erase(it);
}

void leave() {
  Fake& f = fake();
  if (f.process != getpid()) return;
  f.gone = true;
  wait_for_queues();
  const std::lock_guard<std::mutex> lock(f.mutex);
  for (const auto& [start, m] : f.memory) mprotect(m.shadow, m.bytes, PROT_NONE);
}

DeviceStatus device_count(int* count) {
  const DeviceStatus status = enter(Call::kDeviceCount);
  if (!fake().started.exchange(true)) {
    std::this_thread::sleep_for(std::chrono::microseconds(fake().options.start_us));
    std::atexit(leave);
  }
  *count = status == DeviceStatus::kOk ? fake().options.devices : 0;
  return *count == 0 && status == DeviceStatus::kOk ? DeviceStatus::kNoDevice : status;
}

DeviceStatus device_info(int device, DeviceInfo* info) {
  *info = {"fake", 4, std::size_t{1} << 30, false};
  return enter(Call::kDeviceInfo, device);
}

DeviceStatus stream_create(int device, DeviceStream** stream) {
  const DeviceStatus status = enter(Call::kStreamCreate, device);
  if (status != DeviceStatus::kOk) return status;
  *stream = new DeviceStream(device, fake().contexts[device]);
  const std::lock_guard<std::mutex> lock(fake().mutex);
  fake().streams.insert(*stream);
  return status;
}
void stream_destroy(DeviceStream* stream) {
  {
    const std::lock_guard<std::mutex> lock(fake().mutex);
    fake().streams.erase(stream);
  }
  delete stream;
}

DeviceStatus stream_wait(DeviceStream* stream) {
  const DeviceStatus status = enter_on(Call::kStreamWait, *stream);
  if (status != DeviceStatus::kOk) return status;
  std::unique_lock<std::mutex> lock(stream->mutex);
  while (!stream->tasks.empty()) stream->changed.wait(lock);
  return stream->status;
}

bool stream_lives(const DeviceStream* stream) {
  return stream->context == fake().contexts[stream->device];
}

DeviceStatus event_create(int device, DeviceEvent** event) {
  const DeviceStatus status = enter(Call::kEventCreate, device);
  if (status != DeviceStatus::kOk) return status;
  *event = new DeviceEvent{device, fake().contexts[device], std::make_shared<EventState>()};
  return status;
}
void event_destroy(DeviceEvent* event) { delete event; }

DeviceStatus event_record(DeviceStream* stream, DeviceEvent* handle) {
  const DeviceStatus status = enter_on(Call::kEventRecord, *stream);
  if (status != DeviceStatus::kOk) return status;
  const std::shared_ptr<EventState> event = handle->state;
  {
    const std::lock_guard<std::mutex> lock(event->mutex);
    event->pending = true;
  }
  stream->post([event](DeviceStream* s) {
    DeviceStatus now;
    {
      const std::lock_guard<std::mutex> lock(s->mutex);
      now = s->status;
    }
    const std::lock_guard<std::mutex> lock(event->mutex);
    event->pending = false;
    event->status = now;
    event->changed.notify_all();
  });
  return status;
}

DeviceStatus event_query(DeviceEvent* handle) {
  const DeviceStatus status = enter_on(Call::kEventQuery, *handle);
  if (status != DeviceStatus::kOk) return status;
  EventState* const event = handle->state.get();
  const std::lock_guard<std::mutex> lock(event->mutex);
  return event->pending ? DeviceStatus::kNotReady : event->status;
}

DeviceStatus event_wait(DeviceEvent* handle) {
  const DeviceStatus status = enter_on(Call::kEventWait, *handle);
  if (status != DeviceStatus::kOk) return status;
  EventState* const event = handle->state.get();
  std::unique_lock<std::mutex> lock(event->mutex);
  while (event->pending) event->changed.wait(lock);
  return event->status;
}

DeviceStatus pinned_alloc(int device, std::size_t bytes, void** memory) {
  const DeviceStatus status = enter(Call::kPinnedAlloc, device);
  if (status != DeviceStatus::kOk) return status;
  if (fake_pinned_bytes() + bytes > fake().options.pinned_limit) return DeviceStatus::kOutOfMemory;
  *memory = map(bytes, PROT_READ | PROT_WRITE);
  if (*memory == nullptr) return DeviceStatus::kOutOfMemory;
  remember(*memory, {bytes, -1, static_cast<std::uint8_t*>(*memory)});
  return status;
}
void pinned_free(void* memory) { forget(memory, -1); }

DeviceStatus device_alloc(int device, std::size_t bytes, void** memory) {
  const DeviceStatus status = enter(Call::kDeviceAlloc, device);
  if (status != DeviceStatus::kOk) return status;
  *memory = map_region(bytes);
  remember(*memory,
           {bytes, device, static_cast<std::uint8_t*>(map(bytes, PROT_READ | PROT_WRITE))});
  return status;
}
// The driver of a lost device takes no memory from what the device still does.
void device_free(int device, void* memory) {
  if (fake().lost[device]) wait_for_queues();
  forget(memory, device);
}

// Queues work that fails, leaves rubbish or is late when told so.
DeviceStatus queue(DeviceStream* stream, std::uint8_t* out, std::size_t n,
                   std::function<void()> work) {
  fake().queued.fetch_add(1);
  stream->post([out, n, work, &f = fake()](DeviceStream* s) {
    std::this_thread::sleep_for(std::chrono::microseconds(f.options.kernel_us));
    const DeviceStatus status = enter_on(Call::kKernel, *s);
    if (status == DeviceStatus::kOk) {
      work();
      f.kernels[s->device].fetch_add(1);
      f.queued.fetch_sub(1);
      return;
    }
    const bool writes = status != DeviceStatus::kDeviceLost && status != DeviceStatus::kContextGone;
    if (writes || n < 64) std::memset(out, 0xa5, n / 2);
    f.queued.fetch_sub(1);
    const std::lock_guard<std::mutex> lock(s->mutex);
    if (s->status == DeviceStatus::kOk) s->status = status;
  });
  return DeviceStatus::kOk;
}

DeviceStatus copy(DeviceStream* stream, void* to, const void* from, std::size_t bytes) {
  const DeviceStatus status = enter_on(Call::kCopy, *stream);
  if (status != DeviceStatus::kOk) return status;
  std::uint8_t* out = shadow(to, nullptr);
  const std::uint8_t* in = shadow(from, nullptr);
  if (out == nullptr) out = static_cast<std::uint8_t*>(to);
  if (in == nullptr) in = static_cast<const std::uint8_t*>(from);
  return queue(stream, out, bytes, [=] { std::memcpy(out, in, bytes); });
}

DeviceStatus zero(DeviceStream* stream, void* memory, std::size_t bytes) {
  const DeviceStatus status = enter_on(Call::kZero, *stream);
  if (status != DeviceStatus::kOk) return status;
  std::uint8_t* const out = shadow(memory, nullptr);
  return queue(stream, out, bytes, [=] { std::memset(out, 0, bytes); });
}

// A kernel on one device can't reach ordinary memory, nor another device's.
bool reaches(int device, const void* pointer, std::uint8_t** at) {
  int owner = 0;
  *at = shadow(pointer, &owner);
  return *at != nullptr && (owner == -1 || owner == device);
}

bool takes(const CipherSpec& cipher) { return &cipher != fake().options.without; }

DeviceStatus ctr(DeviceStream* stream, const CipherSpec& cipher, const RoundKeys& keys,
                 const std::uint8_t* counter, const void* in, void* out, std::size_t bytes) {
  if (!takes(cipher)) return DeviceStatus::kUnsupported;
  const DeviceStatus status = enter_on(Call::kCtr, *stream);
  if (status != DeviceStatus::kOk) return status;
  std::uint8_t* to = nullptr;
  std::uint8_t* from = nullptr;
  if (!reaches(stream->device, out, &to)) return DeviceStatus::kOther;
  if (in != nullptr && !reaches(stream->device, in, &from)) return DeviceStatus::kOther;
  std::vector<std::uint8_t> block(counter, counter + cipher.block_bytes);
  const auto* const ops = &best_backend().ops[cipher.index];
  const auto kept = std::make_shared<LaunchKeys>(1);
  kept->keep(0, cipher, keys);
  return queue(stream, to, bytes, [=] { ops->ctr((*kept)[0], block.data(), from, to, bytes); });
}

DeviceStatus ctr_batch(DeviceStream* stream, const CipherSpec& cipher,
                       const DeviceSegment* segments, std::size_t count, const void* in,
                       void* out) {
  if (!takes(cipher)) return DeviceStatus::kUnsupported;
  const DeviceStatus status = enter_on(Call::kBatch, *stream);
  if (status != DeviceStatus::kOk) return status;
  std::uint8_t* to = nullptr;
  std::uint8_t* from = nullptr;
  if (!reaches(stream->device, out, &to)) return DeviceStatus::kOther;
  if (in != nullptr && !reaches(stream->device, in, &from)) return DeviceStatus::kOther;
  const std::vector<DeviceSegment> list(segments, segments + count);
  const auto kept = std::make_shared<LaunchKeys>(count);
  for (std::size_t i = 0; i < count; ++i) {
    kept->keep(i, cipher, *SegmentKeys(cipher, list[i].keys, list[i].key));
  }
  const auto* const ops = &best_backend().ops[cipher.index];
  return queue(stream, to, list[0].bytes, [=] {
    for (std::size_t i = 0; i < list.size(); ++i) {
      const std::size_t at = list[i].offset;
      ops->ctr((*kept)[i], list[i].counter, from == nullptr ? nullptr : from + at, to + at,
               list[i].bytes);
    }
  });
}

// What a kernel reads before its first block lies there, or was sent along. A chain in place would
// read what it has overwritten.
DeviceStatus blocks(DeviceStream* stream, const CipherSpec& cipher, const RoundKeys& keys,
                    DeviceOperation operation, const std::uint8_t* before, const void* in,
                    void* out, std::size_t count) {
  if (!takes(cipher)) return DeviceStatus::kUnsupported;
  const DeviceStatus status = enter_on(Call::kBlocks, *stream);
  if (status != DeviceStatus::kOk) return status;
  const std::size_t block = cipher.block_bytes;
  const std::size_t bytes = count * block;
  std::uint8_t* to = nullptr;
  std::uint8_t* from = nullptr;
  if (!reaches(stream->device, out, &to)) return DeviceStatus::kOther;
  if (!reaches(stream->device, in, &from)) return DeviceStatus::kOther;
  const bool feedback = operation == DeviceOperation::kFeedback;
  const bool chained = operation == DeviceOperation::kChain;
  if ((chained || feedback) && from < to + bytes && to < from + bytes) return DeviceStatus::kOther;
  const auto last = std::make_shared<std::vector<std::uint8_t>>(block);
  if (before != nullptr) std::memcpy(last->data(), before, block);
  const bool reads_before = before == nullptr;
  const auto* const ops = &best_backend().ops[cipher.index];
  const auto kept = std::make_shared<LaunchKeys>(1);
  kept->keep(0, cipher, keys);
  return queue(stream, to, bytes, [=] {
    if (feedback) {
      std::vector<std::uint8_t> shifted(block + bytes);
      std::memcpy(shifted.data(), reads_before ? from - block : last->data(), block);
      std::memcpy(shifted.data() + block, from, bytes);
      ops->encrypt((*kept)[0], shifted.data(), to, count);
      for (std::size_t i = 0; i < bytes; ++i) to[i] ^= from[i];
      return;
    }
    (operation == DeviceOperation::kEncrypt ? ops->encrypt : ops->decrypt)((*kept)[0], from, to,
                                                                           count);
    if (!chained) return;
    if (reads_before) std::memcpy(last->data(), from - block, block);
    for (std::size_t i = 0; i < bytes; ++i) to[i] ^= i < block ? (*last)[i] : from[i - block];
  });
}

DeviceStatus numbers(DeviceStream* stream, const Distribution& what, const void* random, void* out,
                     std::size_t count) {
  const DeviceStatus status = enter_on(Call::kNumbers, *stream);
  if (status != DeviceStatus::kOk) return status;
  std::uint8_t* to = nullptr;
  std::uint8_t* from = nullptr;
  if (!reaches(stream->device, out, &to)) return DeviceStatus::kOther;
  if (!reaches(stream->device, random, &from)) return DeviceStatus::kOther;
  return queue(stream, to, count * what.number_bytes(),
               [=] { make_numbers(what, from, to, count); });
}

// All but the last 100 numbers.
DeviceStatus ctr_numbers(DeviceStream* stream, const CipherSpec& cipher, const RoundKeys& keys,
                         const std::uint8_t* counter, const Distribution& what, void* out,
                         std::size_t* count) {
  const bool takes = fake().options.one_pass && what.word_bytes() == 4 && *count > 100;
  if (!takes) *count = 0;
  if (!takes) return DeviceStatus::kOk;
  const DeviceStatus status = enter_on(Call::kCtrNumbers, *stream);
  if (status != DeviceStatus::kOk) return status;
  std::uint8_t* to = nullptr;
  if (!reaches(stream->device, out, &to)) return DeviceStatus::kOther;
  const std::size_t made = *count = (*count - 100) / 4 * 4;
  const auto kept = std::make_shared<LaunchKeys>(1);
  kept->keep(0, cipher, keys);
  const std::vector<std::uint8_t> first(counter, counter + cipher.block_bytes);
  const auto* const ops = &best_backend().ops[cipher.index];
  return queue(stream, to, made * what.number_bytes(), [=] {
    std::vector<std::uint8_t> random(made * 4);
    ops->ctr((*kept)[0], first.data(), nullptr, random.data(), random.size());
    make_numbers(what, random.data(), to, made);
  });
}

DeviceStatus ghash(DeviceStream* stream, const std::uint8_t* h, const std::uint8_t* y,
                   const void* in, std::size_t blocks, void* sum) {
  if (fake().options.no_ghash) return DeviceStatus::kUnsupported;
  const DeviceStatus status = enter_on(Call::kGhash, *stream);
  if (status != DeviceStatus::kOk) return status;
  std::uint8_t* to = nullptr;
  std::uint8_t* from = nullptr;
  if (!reaches(stream->device, sum, &to)) return DeviceStatus::kOther;
  if (!reaches(stream->device, in, &from)) return DeviceStatus::kOther;
  const auto* const ops = best_ghash(64).ops;
  const auto kept = std::make_shared<Wiped<GhashKey>>();
  ops->expand(h, &kept->value);
  const std::vector<std::uint8_t> before(y, y + 16);
  return queue(stream, to, 16, [=] {
    std::memcpy(to, before.data(), 16);
    ops->update(kept->value, to, from, blocks);
  });
}

DeviceStatus gcm(DeviceStream* stream, const CipherSpec& cipher, const RoundKeys& keys,
                 const DeviceGcm& run) {
  if (!fake().options.one_pass || !takes(cipher)) return DeviceStatus::kUnsupported;
  const DeviceStatus status = enter_on(Call::kGcm, *stream);
  if (status != DeviceStatus::kOk) return status;
  std::uint8_t* to = nullptr;
  std::uint8_t* from = nullptr;
  std::uint8_t* sum = nullptr;
  if (!reaches(stream->device, run.out, &to)) return DeviceStatus::kOther;
  if (!reaches(stream->device, run.in, &from)) return DeviceStatus::kOther;
  if (!reaches(stream->device, run.sum, &sum)) return DeviceStatus::kOther;
  const std::vector<std::uint8_t> counter(run.counter, run.counter + 16);
  const std::vector<std::uint8_t> before(run.y, run.y + 16);
  const auto* const hash = best_ghash(64).ops;
  const auto* const ops = &best_backend().ops[cipher.index];
  const auto kept = std::make_shared<LaunchKeys>(1);
  kept->keep(0, cipher, keys);
  const auto powers = std::make_shared<Wiped<GhashKey>>();
  hash->expand(run.h, &powers->value);
  return queue(stream, to, 16 * run.blocks, [=] {
    std::memcpy(sum, before.data(), 16);
    if (!run.encrypts) hash->update(powers->value, sum, from, run.blocks);
    ops->ctr((*kept)[0], counter.data(), from, to, 16 * run.blocks);
    if (run.encrypts) hash->update(powers->value, sum, to, run.blocks);
  });
}

DeviceStatus xts(DeviceStream* stream, const CipherSpec& cipher, const RoundKeys& keys,
                 const DeviceXts& work) {
  if (!takes(cipher) || cipher.block_bytes != 16) return DeviceStatus::kUnsupported;
  if (work.tweak_keys != nullptr && work.unit % 512 != 0) return DeviceStatus::kUnsupported;
  std::uint8_t *to = nullptr, *from = nullptr, *ivs = nullptr;
  if (const auto status = enter_on(Call::kXts, *stream); status != DeviceStatus::kOk) return status;
  if (!reaches(stream->device, work.out, &to) || !reaches(stream->device, work.in, &from))
    return DeviceStatus::kOther;
  const bool many = work.tweak_keys != nullptr;
  if (many && !reaches(stream->device, work.ivs, &ivs)) return DeviceStatus::kOther;
  const auto kept = std::make_shared<LaunchKeys>(2);
  kept->keep(0, cipher, keys);
  kept->keep(1, cipher, many ? *work.tweak_keys : keys);
  std::vector<std::uint8_t> mask(16);
  if (!many) mask.assign(work.mask, work.mask + 16);
  return queue(stream, to, work.bytes, [=, &cipher] {
    fake_xts(cipher, (*kept)[0], (*kept)[1], work, mask.data(), many ? ivs : nullptr, from, to);
  });
}

DeviceStatus messages(DeviceStream* stream, const CipherSpec& cipher, const DeviceMessages& b) {
  if (!takes(cipher) || cipher.tweak_bytes != 0) return DeviceStatus::kUnsupported;
  const DeviceStatus status = enter_on(Call::kMessages, *stream);
  if (status != DeviceStatus::kOk) return status;
  std::uint8_t* at = nullptr;
  const auto work = std::make_shared<FakeMessages>(
      cipher, b, [&](const void* p) { return reaches(stream->device, p, &at) ? at : nullptr; });
  if (!work->reaches()) return DeviceStatus::kOther;
  return queue(stream, work->out(), work->bytes(), [work] { work->run(); });
}

PointerKind pointer_kind(const void* pointer, int* device) {
  static_cast<void>(enter(Call::kPointerKind));
  if (shadow(pointer, device) == nullptr) return PointerKind::kHost;
  return *device < 0 ? PointerKind::kPinned : PointerKind::kDevice;
}

}  // namespace

const DeviceLayer* fake_gpu(const FakeOptions& options) {
  // Neither is freed: threads of an earlier test may still hold them.
  auto* const fresh = new Fake;
  fresh->options = options;
  // So that leak checkers know; itself never freed, because they look when static objects are gone.
  static auto* const fakes = new std::vector<const Fake*>;
  fakes->push_back(fresh);
  g_fake.store(fresh);
  static auto* const layers = new std::vector<const DeviceLayer*>;
  layers->push_back(new DeviceLayer{
      "fake",       device_count, device_info,   stream_create, stream_destroy, stream_wait,
      stream_lives, event_create, event_destroy, event_record,  event_query,    event_wait,
      pinned_alloc, pinned_free,  device_alloc,  device_free,   copy,           zero,
      takes,        ctr,          ctr_batch,     blocks,        ghash,          gcm,
      numbers,      ctr_numbers,  xts,           messages,      pointer_kind});
  return layers->back();
}

void fake_retire() {
  Fake& f = fake();
  std::set<DeviceStream*> streams;
  {
    const std::lock_guard<std::mutex> lock(f.mutex);
    streams.swap(f.streams);
  }
  for (DeviceStream* stream : streams) delete stream;
  const std::lock_guard<std::mutex> lock(f.mutex);
  for (const auto& [start, m] : f.memory) {
    if (m.device >= 0) munmap(m.shadow, m.bytes);
    munmap(const_cast<std::uint8_t*>(start), m.bytes);
  }
  f.memory.clear();
}

std::uint8_t* fake_shadow(void* device_memory) { return shadow(device_memory, nullptr); }

}  // namespace test
}  // namespace gpuctr
