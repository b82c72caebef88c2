// XTS with data in device memory.
#include <algorithm>
#include <cstring>
#include <memory>
#include <new>

#include "kernels/base/wipe.h"
#include "kernels/bulk/base/xts.h"
#include "kernels/bulk/engine.h"
#include "kernels/bulk/job/shared.h"

namespace gpuctr {
namespace {

// Bytes on the heap, wiped. get() is nullptr if there is no memory.
class Bytes {
 public:
  explicit Bytes(std::size_t n) : memory_(new (std::nothrow) std::uint8_t[n]), bytes_(n) {}
  ~Bytes() {
    if (memory_ != nullptr) wipe(memory_.get(), bytes_);
  }
  Bytes(const Bytes&) = delete;
  Bytes& operator=(const Bytes&) = delete;
  std::uint8_t* get() const { return memory_.get(); }

 private:
  std::unique_ptr<std::uint8_t[]> memory_;
  std::size_t bytes_;
};

// From any memory to ordinary memory.
DeviceStatus fetch(bulk::DeviceMemory* memory, std::uint8_t* to, const std::uint8_t* from,
                   std::size_t n) {
  constexpr std::size_t kAtOnce = std::size_t{1} << 20;
  if (memory->place(from).kind != PointerKind::kDevice) {
    std::memcpy(to, from, n);
    return DeviceStatus::kOk;
  }
  DeviceStatus status = DeviceStatus::kOk;
  for (std::size_t at = 0; at < n && status == DeviceStatus::kOk; at += kAtOnce)
    status = memory->read(to + at, from + at, std::min(kAtOnce, n - at));
  return status;
}

// A part of the unit, on copies: `mask` is its first block's.
DeviceStatus on_copies(bulk::DeviceMemory* memory, const bulk::XtsWork& work,
                       const std::uint8_t* mask, bool steals) {
  const Bytes copy(work.bytes);
  if (copy.get() == nullptr) return DeviceStatus::kOutOfMemory;
  const DeviceStatus status = fetch(memory, copy.get(), work.in, work.bytes);
  if (status != DeviceStatus::kOk) return status;
  const bulk::XtsWork here{work.cpu,   work.masks, work.keys, work.encrypts,
                           copy.get(), copy.get(), work.bytes};
  steals ? bulk::xts_steal(here, mask) : bulk::xts_unit(here, mask);
  return memory->write(work.out, copy.get(), work.bytes);
}

}  // namespace

// The device makes the whole blocks; the CPU steals ciphertext at the end. If the device has no
// kernel, or cannot reach one of the buffers, the CPU makes the unit.
BulkStatus Engine::xts_on_device(const CipherSpec& cipher, const bulk::XtsWork& work,
                                 const std::uint8_t* mask, bool* by_device) {
  *by_device = false;
  bulk::Shared* const s = ready_shared();
  if (s == nullptr) return BulkStatus::kGpuRequired;
  bulk::DeviceMemory* const memory = &s->device_memory;
  const std::size_t body = work.body();
  const bulk::DeviceMemory::MessagesResult made = memory->xts(cipher, work.part(0, body), mask);
  DeviceStatus status = made.status;
  if (status == DeviceStatus::kOk) {
    *by_device = true;
    report_.counters.gpu(body);
    if (body == work.bytes) return BulkStatus::kOk;
    Wiped<std::uint8_t[kXtsBlock]> last;
    std::memcpy(last.value, mask, kXtsBlock);
    bulk::xts_skip(last.value, body / kXtsBlock);
    status = on_copies(memory, work.part(body, work.bytes - body), last.value, true);
    report_.counters.cpu(work.bytes - body);
  } else if (!made.written && status != DeviceStatus::kDeviceLost) {
    if (status != DeviceStatus::kUnsupported) report_.fallback(status, "launch");
    status = on_copies(memory, work, mask, false);
    report_.counters.cpu(work.bytes);
  }
  if (status == DeviceStatus::kOk) return BulkStatus::kOk;
  report_.fallback(status, "device memory");
  return BulkStatus::kGpuRequired;
}

}  // namespace gpuctr
