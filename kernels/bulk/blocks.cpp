// Engine::blocks: the verbs encrypt and decrypt.
#include "kernels/bulk/block_work.h"
#include "kernels/bulk/engine.h"

namespace gpuctr {

BulkStatus Engine::blocks(const CipherSpec& cipher, const RoundKeys& keys, BlockVerb verb,
                          const std::uint8_t* before, const std::uint8_t* in, std::uint8_t* out,
                          std::size_t count, bool* by_card) {
  *by_card = false;
  const std::size_t n = count * cipher.block_bytes;
  bulk::run_blocks({cipher, cpu(cipher), keys, verb, before, in, out, n});
  report_.counters.cpu(n);
  return BulkStatus::kOk;
}

}  // namespace gpuctr
