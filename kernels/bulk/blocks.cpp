// Engine::blocks: the verbs encrypt and decrypt.
#include "kernels/bulk/engine.h"
#include "kernels/bulk/job/block_job.h"
#include "kernels/bulk/job/shared.h"

namespace gpuctr {

BulkStatus Engine::blocks(const CipherSpec& cipher, const RoundKeys& keys, BlockVerb verb,
                          const std::uint8_t* before, const std::uint8_t* in, std::uint8_t* out,
                          std::size_t count, bool* by_card) {
  *by_card = false;
  const std::size_t n = count * cipher.block_bytes;
  const bulk::BlockWork work{cipher, cpu(cipher), keys, verb, before, in, out, n};
  const bool on_device = may_have_device_memory() && n != 0 && (is_device(out) || is_device(in));
  return on_device ? blocks_on_device(work, by_card) : blocks_on_host(work, by_card);
}

BulkStatus Engine::blocks_on_host(const bulk::BlockWork& work, bool* by_card) {
  if (!policy_.cpu_only(work.bytes)) return share_blocks(work, by_card);
  bulk::run_blocks(work);
  report_.counters.cpu(work.bytes);
  return BulkStatus::kOk;
}

BulkStatus Engine::share_blocks(const bulk::BlockWork& work, bool* by_card) {
  using bulk::JobCards;
  JobCards cards = JobCards::kNone;
  if (policy_.blocks_for_cards(work.bytes)) {
    const BulkStatus status = plan(work.cipher, work.bytes, &cards);
    if (status != BulkStatus::kOk) return status;
  }
  const bool shares = cards != JobCards::kNone || bulk::Policy::pooled(threads(), work.bytes);
  bulk::Shared* const s = shares ? shared() : nullptr;
  if (s != nullptr) {
    bulk::BlockJob job(s, work, cards, &report_);
    if (job.prepare()) {
      const bool done = job.run();
      *by_card = done && job.used_card();
      return done ? BulkStatus::kOk : BulkStatus::kGpuRequired;
    }
    if (cards == JobCards::kMust) return missing_card(GpuStatus::kOutOfMemory, "memory");
  }
  bulk::run_blocks(work);
  report_.counters.cpu(work.bytes);
  return BulkStatus::kOk;
}

BulkStatus Engine::blocks_on_device(const bulk::BlockWork& work, bool* by_card) {
  using Result = bulk::DeviceMemory::BlockResult;
  bulk::Shared* const s = ready_shared();
  const Result result = s != nullptr ? s->device_memory.blocks(work)
                                     : Result{GpuStatus::kNoDevice, 0, GpuStatus::kOk};
  if (result.status != GpuStatus::kOk) {
    report_.fallback(result.status, "device memory");
    return BulkStatus::kGpuRequired;
  }
  report_.counters.gpu(result.by_card);
  report_.counters.cpu(work.bytes - result.by_card);
  if (result.refused != GpuStatus::kOk) report_.fallback(result.refused, "launch");
  *by_card = result.by_card != 0;
  return BulkStatus::kOk;
}

BulkStatus Engine::read(const void* from, void* to, std::size_t n) {
  bulk::Shared* const s = ready_shared();
  const GpuStatus status = s != nullptr ? s->device_memory.read(to, from, n) : GpuStatus::kNoDevice;
  if (status == GpuStatus::kOk) return BulkStatus::kOk;
  report_.fallback(status, "device memory");
  return BulkStatus::kGpuRequired;
}

BulkStatus BulkStream::blocks_in(bool device, const CipherSpec& cipher, const RoundKeys& keys,
                                 BlockVerb verb, const std::uint8_t* before, const std::uint8_t* in,
                                 std::uint8_t* out, std::size_t count) {
  const std::size_t n = count * cipher.block_bytes;
  const bool small = !device && is_small(n);
  const bulk::BlockWork work{cipher, engine_->cpu(cipher), keys, verb, before, in, out, n};
  if (small) {
    bulk::run_blocks(work);
    made_small(n);
    return BulkStatus::kOk;
  }
  bool by_card = false;
  const BulkStatus status =
      device ? engine_->blocks_on_device(work, &by_card) : engine_->blocks_on_host(work, &by_card);
  return served(status, by_card);
}

}  // namespace gpuctr
