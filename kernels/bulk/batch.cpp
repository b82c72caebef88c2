// Engine::batch, and the tables of keys for it.
#include "kernels/bulk/engine.h"

#include <algorithm>
#include <iterator>

#include "kernels/bulk/base/process_state.h"
#include "kernels/bulk/base/threads.h"
#include "kernels/bulk/batch/check.h"
#include "kernels/bulk/batch/cpu_work.h"
#include "kernels/bulk/batch/table.h"
#include "kernels/bulk/job/shared.h"

namespace gpuctr {
namespace {

// A message costs a thread about as much as this many bytes of text: its key and its first block.
constexpr std::size_t kMessageBytes = 256;

}  // namespace

// The keys of a table are not read again.
bool Engine::has_device_memory(const bulk::Batch& b) {
  const void* const arrays[] = {b.table == nullptr ? b.keys : nullptr,
                                b.key_index,
                                b.ivs,
                                b.lengths,
                                b.offsets,
                                b.in,
                                b.out,
                                b.aad,
                                b.aad_lengths,
                                b.tags,
                                b.results};
  if (!may_have_device_memory()) return false;
  return std::any_of(std::begin(arrays), std::end(arrays),
                     [this](const void* array) { return is_device(array); });
}

void Engine::batch_on_cpu(const bulk::Batch& batch, bulk::BatchOutcome* outcome) {
  const unsigned threads = this->threads();
  bulk::BatchWork work(batch, *cpu_, threads);
  const bool pooled =
      bulk::Policy::pooled(threads, outcome->bytes + batch.messages * kMessageBytes);
  bulk::Shared* const s = pooled && work.useful_helpers() != 0 ? shared() : nullptr;
  if (s == nullptr) {
    work.work();
  } else {
    const bulk::CancelDisabled whole_batch;
    bulk::process_has_threads();
    s->pool.start(threads - 1);
    s->pool.post(&work, std::min(threads - 1, work.useful_helpers()));
    work.work();
    s->pool.finish(&work);
  }
  outcome->wrong = work.wrong();
  if (outcome->wrong != 0) outcome->message = work.first_wrong();
  outcome->backend = cpu_->name;
  report_.counters.cpu(outcome->bytes);
}

bulk::KeyTable* Engine::key_table(const CipherSpec& cipher, const std::uint8_t* keys,
                                  std::size_t key_bytes, std::size_t count,
                                  const std::uint8_t* tweak, bool gcm, bulk::BatchFault* fault) {
  if (is_device(keys)) {
    *fault = bulk::BatchFault::kDevice;
    return nullptr;
  }
  bulk::KeyTable* const table =
      bulk::KeyTable::make(cipher, *cpu_, keys, key_bytes, count, tweak, gcm);
  if (table == nullptr) *fault = bulk::BatchFault::kMemory;
  return table;
}

bulk::BatchOutcome Engine::batch(const bulk::Batch& batch) {
  bulk::BatchOutcome outcome;
  if (has_device_memory(batch)) {
    outcome.fault = bulk::BatchFault::kDevice;
    return outcome;
  }
  outcome = bulk::check_batch(batch);
  if (outcome.fault != bulk::BatchFault::kNone) return outcome;
  if (policy_.must(outcome.bytes)) {
    report_.fallback(DeviceStatus::kUnsupported, "batch on a card");
    outcome.fault = bulk::BatchFault::kRequired;
    return outcome;
  }
  batch_on_cpu(batch, &outcome);
  return outcome;
}

}  // namespace gpuctr
