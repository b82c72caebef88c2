// Engine::blocks: the operations encrypt and decrypt.
#include "kernels/bulk/engine.h"
#include "kernels/bulk/job/block_job.h"
#include "kernels/bulk/job/shared.h"

namespace gpuctr {

BulkStatus Engine::blocks(const CipherSpec& cipher, const RoundKeys& keys, BlockOperation operation,
                          const std::uint8_t* before, const std::uint8_t* in, std::uint8_t* out,
                          std::size_t count, bool* by_device) {
  *by_device = false;
  const std::size_t n = count * cipher.block_bytes;
  const bulk::BlockWork work{cipher, cpu(cipher), keys, operation, before, in, out, n};
  const bool on_device = n != 0 && is_device(out, in);
  return on_device ? blocks_on_device(work, by_device) : blocks_on_host(work, by_device);
}

BulkStatus Engine::blocks_on_host(const bulk::BlockWork& work, bool* by_device) {
  if (!policy_.cpu_only(work.bytes)) return share_blocks(work, by_device);
  bulk::run_blocks(work);
  report_.counters.cpu(work.bytes);
  return BulkStatus::kOk;
}

BulkStatus Engine::share_blocks(const bulk::BlockWork& work, bool* by_device) {
  using bulk::JobDevices;
  JobDevices devices = JobDevices::kNone;
  if (policy_.blocks_for_devices(work.bytes)) {
    const BulkStatus status = plan(work.cipher, work.bytes, &devices);
    if (status != BulkStatus::kOk) return status;
  }
  const bool shares = devices != JobDevices::kNone || bulk::Policy::pooled(threads(), work.bytes);
  bulk::Shared* const s = shares ? shared() : nullptr;
  if (s != nullptr) {
    bulk::BlockJob job(s, work, devices, &report_);
    if (job.prepare()) {
      const bool done = job.run();
      *by_device = done && job.used_device();
      return done ? BulkStatus::kOk : BulkStatus::kGpuRequired;
    }
    if (devices == JobDevices::kMust) return missing_device(DeviceStatus::kOutOfMemory, "memory");
  }
  bulk::run_blocks(work);
  report_.counters.cpu(work.bytes);
  return BulkStatus::kOk;
}

BulkStatus Engine::blocks_on_device(const bulk::BlockWork& work, bool* by_device) {
  using Result = bulk::DeviceMemory::BlockResult;
  bulk::Shared* const s = ready_shared();
  const Result result = s != nullptr ? s->device_memory.blocks(work)
                                     : Result{DeviceStatus::kNoDevice, 0, DeviceStatus::kOk};
  if (result.status != DeviceStatus::kOk) {
    report_.fallback(result.status, "device memory");
    return BulkStatus::kGpuRequired;
  }
  report_.counters.gpu(result.by_device);
  report_.counters.cpu(work.bytes - result.by_device);
  if (result.refused != DeviceStatus::kOk) report_.fallback(result.refused, "launch");
  *by_device = result.by_device != 0;
  return BulkStatus::kOk;
}

BulkStatus Engine::read(const void* from, void* to, std::size_t n) {
  bulk::Shared* const s = ready_shared();
  const DeviceStatus status =
      s != nullptr ? s->device_memory.read(to, from, n) : DeviceStatus::kNoDevice;
  if (status == DeviceStatus::kOk) return BulkStatus::kOk;
  report_.fallback(status, "device memory");
  return BulkStatus::kGpuRequired;
}

BulkStatus BulkStream::blocks_in(bool device, const CipherSpec& cipher, const RoundKeys& keys,
                                 BlockOperation operation, const std::uint8_t* before,
                                 const std::uint8_t* in, std::uint8_t* out, std::size_t count) {
  const std::size_t n = count * cipher.block_bytes;
  const bool small = !device && is_small(n);
  const bulk::BlockWork work{cipher, engine_->cpu(cipher), keys, operation, before, in, out, n};
  if (small) {
    bulk::run_blocks(work);
    made_small(n);
    return BulkStatus::kOk;
  }
  bool by_device = false;
  const BulkStatus status = device ? engine_->blocks_on_device(work, &by_device)
                                   : engine_->blocks_on_host(work, &by_device);
  return served(status, by_device);
}

}  // namespace gpuctr
