// Random numbers of a distribution. On the CPU the keystream of a piece is made in a buffer that
// stays in the cache, and the numbers are made from it. Threads share large requests.
#include <algorithm>
#include <atomic>
#include <cstring>

#include "kernels/base/counter.h"
#include "kernels/base/wipe.h"
#include "kernels/bulk/base/process_state.h"
#include "kernels/bulk/base/threads.h"
#include "kernels/bulk/engine.h"
#include "kernels/bulk/job/pool.h"
#include "kernels/bulk/job/shared.h"
#include "kernels/random/numbers.h"

namespace gpuctr {
namespace {

constexpr std::size_t kKeystream = 16u << 10;  // bytes, for numbers made at once
constexpr std::size_t kPiece = 16;             // these are one thread's piece

class NumbersJob final : public bulk::PoolWork {
 public:
  NumbersJob(const Backend& backend, const CipherSpec& cipher, const RoundKeys& keys,
             const std::uint8_t* counter, const Distribution& what, std::uint8_t* out,
             std::size_t count)
      : ops_(backend.ops[cipher.index]),
        keys_(keys),
        counter_(counter),
        what_(what),
        out_(out),
        count_(count) {}

  std::size_t pieces() const { return (count_ - 1) / (kPiece * at_once()) + 1; }

  void work() override {
    for (;;) {
      const std::size_t piece = next_.fetch_add(1, std::memory_order_relaxed);
      if (piece >= pieces()) return;
      const std::size_t first = piece * kPiece * at_once();
      const std::size_t end = std::min(count_, first + kPiece * at_once());
      for (std::size_t at = first; at < end; at += at_once())
        make(at, std::min(at_once(), end - at));
    }
  }

 private:
  std::size_t at_once() const { return kKeystream / what_.word_bytes(); }

  void make(std::size_t first, std::size_t count) const {
    Wiped<std::uint8_t[kKeystream]> random;
    std::uint8_t counter[16];
    std::memcpy(counter, counter_, sizeof counter);
    const std::size_t word = what_.word_bytes();
    counter_add(counter, sizeof counter, first * word / sizeof counter);
    const std::size_t pairs = (count + 1) / 2;
    ops_.ctr(keys_, counter, nullptr, random.value, 2 * pairs * word);
    make_numbers(what_, random.value, out_ + first * what_.number_bytes(), count);
  }

  const CipherOps& ops_;
  const RoundKeys& keys_;
  const std::uint8_t* const counter_;
  const Distribution& what_;
  std::uint8_t* const out_;
  const std::size_t count_;
  std::atomic<std::size_t> next_{0};
};

}  // namespace

BulkStatus Engine::numbers(const CipherSpec& cipher, const RoundKeys& keys,
                           const std::uint8_t* counter, const Distribution& what, std::uint8_t* out,
                           std::size_t count) {
  if (count == 0) return BulkStatus::kOk;
  const std::size_t bytes = count * what.word_bytes();
  if (is_device(out)) {
    bulk::Shared* const shared = ready_shared();
    const DeviceStatus status =
        shared == nullptr
            ? DeviceStatus::kNoDevice
            : shared->device_memory.numbers({cipher, cpu(cipher), keys, counter, what, out, count});
    return device_result(status, bytes);
  }
  NumbersJob job(cpu_backend(), cipher, keys, counter, what, out, count);
  bulk::Shared* const s = bulk::Policy::pooled(threads(), bytes) ? shared() : nullptr;
  const auto helpers = static_cast<unsigned>(std::min<std::size_t>(threads(), job.pieces()) - 1);
  if (s == nullptr || helpers == 0) {
    job.work();
  } else {
    const bulk::CancelDisabled whole_job;
    bulk::process_has_threads();
    s->pool.start(helpers);
    s->pool.post(&job, helpers);
    job.work();
    s->pool.finish(&job);
  }
  count_cpu(bytes);
  return BulkStatus::kOk;
}

}  // namespace gpuctr
