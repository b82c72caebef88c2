// Engine::blocks: the verbs encrypt and decrypt.
#include "kernels/bulk/block_work.h"
#include "kernels/bulk/engine.h"
#include "kernels/bulk/shared.h"

namespace gpuctr {

BulkStatus Engine::blocks(const CipherSpec& cipher, const RoundKeys& keys, BlockVerb verb,
                          const std::uint8_t* before, const std::uint8_t* in, std::uint8_t* out,
                          std::size_t count, bool* by_card) {
  *by_card = false;
  const std::size_t n = count * cipher.block_bytes;
  const bulk::BlockWork work{cipher, cpu(cipher), keys, verb, before, in, out, n};
  if (n >= kLeastPooled && share_blocks(work)) return BulkStatus::kOk;
  bulk::run_blocks(work);
  report_.counters.cpu(n);
  return BulkStatus::kOk;
}

// False: it is the calling thread's.
bool Engine::share_blocks(const bulk::BlockWork& work) {
  if (!bulk::Policy::pooled(threads(), work.bytes)) return false;
  bulk::Shared* const s = shared();
  if (s == nullptr) return false;
  bulk::BlockJob job(s, work, bulk::JobCards::kNone, &report_);
  return job.prepare() && job.run();
}

}  // namespace gpuctr
