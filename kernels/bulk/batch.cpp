// Engine::batch, and the tables of keys for it.
#include "kernels/bulk/engine.h"

#include <algorithm>
#include <iterator>

#include "kernels/bulk/base/process_state.h"
#include "kernels/bulk/base/threads.h"
#include "kernels/bulk/batch/check.h"
#include "kernels/bulk/batch/copies.h"
#include "kernels/bulk/batch/cpu_work.h"
#include "kernels/bulk/batch/crossover.h"
#include "kernels/bulk/batch/table.h"
#include "kernels/bulk/job/shared.h"

namespace gpuctr {
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
      bulk::Policy::pooled(threads, bulk::batch_weight(batch.messages, outcome->bytes));
  bulk::run_by_threads(pooled && work.useful_helpers() != 0 ? shared() : nullptr, &work, threads);
  outcome->wrong = work.wrong();
  if (outcome->wrong != 0) outcome->message = work.first_wrong();
  outcome->backend = cpu_->name;
  report_.counters.cpu(outcome->bytes);
}

bulk::KeyTable* Engine::key_table(const CipherSpec& cipher, const std::uint8_t* keys,
                                  std::size_t key_bytes, std::size_t count,
                                  const std::uint8_t* tweak, bool gcm, bulk::BatchFault* fault) {
  bulk::Batch only_keys;
  only_keys.messages = count;
  only_keys.key_bytes = key_bytes;
  only_keys.keys = keys;
  const bool on_device = is_device(keys) && ready_shared() != nullptr;
  bulk::BatchCopies copies(on_device ? &ready_shared()->device_memory : nullptr);
  if (on_device && copies.data(&only_keys) != DeviceStatus::kOk) {
    *fault = bulk::BatchFault::kDevice;
    return nullptr;
  }
  bulk::KeyTable* const table =
      bulk::KeyTable::make(cipher, *cpu_, only_keys.keys, key_bytes, count, tweak, gcm);
  if (table == nullptr) *fault = bulk::BatchFault::kMemory;
  return table;
}

// The work of the CPU on a batch that has device memory: on copies.
void Engine::batch_on_copies(bulk::BatchCopies* copies, bulk::Batch batch, DeviceStatus why,
                             bulk::BatchOutcome* outcome) {
  report_.fallback(why, "launch");
  DeviceStatus status = copies->data(&batch);
  if (status == DeviceStatus::kOk) {
    batch_on_cpu(batch, outcome);
    status = copies->put_back();
  }
  if (status == DeviceStatus::kOk) return;
  report_.fallback(status, "device memory");
  outcome->fault = bulk::BatchFault::kRequired;
}

// The batch in device memory, or in part. A launch that fails leaves all memory unchanged, and the
// CPU does the work; any other failure is an error.
void Engine::batch_on_device(bulk::BatchCopies* copies, const bulk::Batch& batch,
                             bulk::BatchOutcome* outcome) {
  bulk::Shared* const s = ready_shared();
  const bulk::DeviceMemory::MessagesResult result = s->device_memory.messages(batch, -1, outcome);
  if (result.status == DeviceStatus::kOk) {
    outcome->by_device = true;
    outcome->backend = layer_->name;
    report_.counters.gpu(outcome->bytes);
  } else if (result.written || result.status == DeviceStatus::kDeviceLost) {
    report_.fallback(result.status, "device memory");
    outcome->fault = bulk::BatchFault::kRequired;
  } else {
    batch_on_copies(copies, batch, result.status, outcome);
  }
}

// Whether a device was measured to be faster at a batch in ordinary memory than the threads. In
// place in pinned memory, which kernels write themselves, the CPU could not do it again.
bool Engine::device_pays(const bulk::Batch& batch, std::size_t weight) {
  using bulk::Shared;
  const CipherSpec& cipher = *batch.cipher;
  if (!policy_.measures() || policy_.cpu_only(weight) || !has_kernels(cipher)) return false;
  if (batch.mode == bulk::BatchMode::kXts || batch.key_bytes != cipher.key_bytes) return false;
  Shared* const s = shared();
  if (s == nullptr) return false;
  if (policy_.worth_starting(weight, weight)) s->start(false);
  if (s->state() != Shared::kReady || !bulk::process_may_use_devices()) return false;
  s->wake();
  if (weight < s->batch_crossover(cipher, batch.mode, bulk::measure_batches)) return false;
  return batch.in != batch.out || s->device_memory.place(batch.out).kind != PointerKind::kPinned;
}

// A batch in ordinary memory crosses the link twice: a device takes it on request, as it takes
// whole blocks, or where it was measured to be faster.
void Engine::batch_on_host(const bulk::Batch& batch, bulk::BatchOutcome* outcome) {
  using bulk::JobDevices;
  JobDevices devices = JobDevices::kNone;
  if (policy_.blocks_for_devices(outcome->bytes)) {
    if (plan(*batch.cipher, outcome->bytes, &devices) != BulkStatus::kOk) {
      outcome->fault = bulk::BatchFault::kRequired;
      return;
    }
  } else if (device_pays(batch, bulk::batch_weight(batch.messages, outcome->bytes))) {
    devices = JobDevices::kMay;
  }
  bulk::Shared* const s = devices != JobDevices::kNone ? ready_shared() : nullptr;
  if (s != nullptr && s->ready()) {
    const bulk::DeviceMemory::MessagesResult result =
        s->device_memory.messages(batch, s->any_ordinal(), outcome);
    if (result.status == DeviceStatus::kOk) {
      outcome->by_device = true;
      outcome->backend = layer_->name;
      report_.counters.gpu(outcome->bytes);
      return;
    }
    report_.fallback(result.status, "launch");
    // Only pinned memory can have been written.
    if (devices == JobDevices::kMust || (result.written && batch.in == batch.out)) {
      outcome->fault = bulk::BatchFault::kRequired;
      return;
    }
  }
  batch_on_cpu(batch, outcome);
}

bulk::BatchOutcome Engine::batch(const bulk::Batch& given) {
  bulk::BatchOutcome outcome;
  bulk::Batch batch = given;
  const bool on_device = has_device_memory(given) && ready_shared() != nullptr;
  bulk::BatchCopies copies(on_device ? &ready_shared()->device_memory : nullptr);
  if (on_device) {
    const DeviceStatus status = copies.numbers(&batch);
    if (status != DeviceStatus::kOk) {
      report_.fallback(status, "device memory");
      outcome.fault = bulk::BatchFault::kRequired;
      return outcome;
    }
  }
  outcome = bulk::check_batch(batch);
  if (outcome.fault != bulk::BatchFault::kNone) return outcome;
  if (on_device) {
    batch_on_device(&copies, batch, &outcome);
  } else {
    batch_on_host(batch, &outcome);
  }
  return outcome;
}

}  // namespace gpuctr
