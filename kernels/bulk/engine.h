// The narrow waist: fill or XOR n bytes of keystream, given (cipher, round keys, counter block);
// encrypt or decrypt whole blocks, given (cipher, round keys).
//
// Above it are the EVP ciphers and CTR_DRBG, below it the backends. The engine picks the backend,
// splits the work, reads ahead and falls back; its callers only name the bytes they want. How a job
// flows, who owns what and the rules at fork and exit: kernels/bulk/README.md.
#ifndef GPUCTR_KERNELS_BULK_ENGINE_H
#define GPUCTR_KERNELS_BULK_ENGINE_H

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>

#include "kernels/bulk/base/config.h"
#include "kernels/bulk/base/stats.h"
#include "kernels/bulk/base/work.h"
#include "kernels/bulk/job/policy.h"
#include "kernels/cipher/registry.h"
#include "kernels/cpu/backend.h"
#include "kernels/gpu/layer.h"

namespace gpuctr {

namespace bulk {
class Shared;
class ReadAhead;
}  // namespace bulk

// One engine serves a provider instance. All functions may be called from any thread. Making one
// starts nothing. What all engines of the process share, cards and pinned memory, lives until it
// ends; the helper threads end with the last engine.
class Engine {
 public:
  explicit Engine(const EngineConfig& config);
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  // CTR as CipherOps::ctr, on whichever backend is fastest for n bytes. Pointers may be to device
  // memory where is_device() says so.
  BulkStatus ctr(const CipherSpec& cipher, const RoundKeys& keys, const std::uint8_t* counter,
                 const std::uint8_t* in, std::uint8_t* out, std::size_t n);

  // The same for many segments at once, which must not overlap. All or nothing, as one job. Where
  // the first segment's memory is on a card, all of it must be in that allocation.
  BulkStatus ctr_batch(const CipherSpec& cipher, const BulkSegment* segments, std::size_t count);

  // n bytes from `skip` bytes (less than a block) into the block `counter`: what a caller who may
  // not touch the memory needs for the odd bytes at both ends. Any pointers.
  BulkStatus ctr_at(const CipherSpec& cipher, const RoundKeys& keys, const std::uint8_t* counter,
                    std::size_t skip, const std::uint8_t* in, std::uint8_t* out, std::size_t n);

  // Whole blocks, each for itself (ECB). in == out is allowed; no other overlap. Pointers may be to
  // device memory where is_device() says so.
  // `before` not nullptr, with kDecrypt: CBC decryption: out[i] = D(in[i]) ^ in[i - 1], with
  // `before` (block_bytes, host memory) as in[-1]; the caller reads the next `before` itself
  // beforehand.
  // kGpuRequired: nothing was written (in place: the input is there again).
  // *by_card: whether a card did any of it.
  BulkStatus blocks(const CipherSpec& cipher, const RoundKeys& keys, BlockVerb verb,
                    const std::uint8_t* before, const std::uint8_t* in, std::uint8_t* out,
                    std::size_t count, bool* by_card);

  // A run of GCM (base/work.h) where at least one side is device memory. kGpuRequired: its card
  // failed, and the hash is undefined as the output is.
  BulkStatus gcm_on_device(const bulk::GcmWork& work);

  // Copies n bytes, at most a mebibyte, of device memory to ordinary memory. kGpuRequired: its card
  // failed.
  BulkStatus read(const void* from, void* to, std::size_t n);

  // Whether a job of n bytes to `out` is for more than the calling thread: a card's memory, or so
  // much that other threads or a card may take part. Starts nothing beyond what is_device() does.
  bool shares(const void* out, std::size_t n);
  // How many threads this engine works with by now, a caller's included: as configured, else 1
  // until a card is in use.
  unsigned threads() const;

  // Whether the CPU must not touch this memory. Costs one comparison unless device pointers are
  // asked for (EngineConfig::gpu_pointers). nullptr is not device memory.
  bool is_device(const void* pointer);

  // The CPU backend for work that never leaves the CPU (key derivation, single blocks).
  const CipherOps& cpu(const CipherSpec& cipher) const { return cpu_->ops[cipher.index]; }
  // Counts n bytes of output that the caller made with cpu().
  void count_cpu(std::size_t n) { report_.counters.cpu(n); }
  const Backend& cpu_backend() const { return *cpu_; }
  const EngineConfig& config() const { return config_; }

  // Counts so far; consistent only when no job runs. What a BulkStream's small updates made on the
  // CPU comes kCountedLate bytes late at most, and all of it when the stream ends.
  BulkStats stats() const;

  // Starts the card and measures `cipher` now instead of in the background. Whether a card is
  // ready. For benchmarks, tests and `gpu = require`; blocks for 0.3 s or so.
  bool warm_up(const CipherSpec& cipher);
  // Bytes from which a card gets this cipher's work; 0: not known yet; SIZE_MAX: never.
  std::size_t crossover(const CipherSpec& cipher);

 private:
  friend class BulkStream;

  static BulkSegment segment(const CipherSpec& cipher, const RoundKeys& keys,
                             const std::uint8_t* counter, const std::uint8_t* in, std::uint8_t* out,
                             std::size_t n) {
    BulkSegment s{&keys, {}, in, out, n};
    std::memcpy(s.counter, counter, cipher.block_bytes);
    return s;
  }
  // Where not, nothing is memory on a card as far as is_device() is to know.
  bool may_have_device_memory() const {
    if (layer_ == nullptr || config_.gpu_pointers == GpuPointers::kNo) return false;
    return config_.gpu_pointers == GpuPointers::kYes ||
           shared_.load(std::memory_order_acquire) != nullptr;
  }
  // The process-wide part for this configuration, made at the first bulk use; nullptr: no memory.
  bulk::Shared* shared();
  bulk::Shared* ready_shared() const;
  BulkStatus plan(const CipherSpec& cipher, std::size_t total, bulk::JobCards* cards);
  BulkStatus run(const CipherSpec& cipher, const BulkSegment* segments, std::size_t count,
                 std::size_t total, bool* by_card);
  BulkStatus blocks_on_host(const bulk::BlockWork& work, bool* by_card);
  BulkStatus blocks_on_device(const bulk::BlockWork& work, bool* by_card);
  BulkStatus share_blocks(const bulk::BlockWork& work, bool* by_card);
  BulkStatus device_result(GpuStatus status, std::size_t n);
  void run_on_cpu(const CipherSpec& cipher, const BulkSegment* segments, std::size_t count);
  BulkStatus run_on_device(const CipherSpec& cipher, const BulkSegment& segment, std::size_t skip);
  BulkStatus missing_card(GpuStatus why, const char* where);
  bool has_kernels(const CipherSpec& cipher) const { return has_kernels_[cipher.index]; }
  BulkStatus without_kernels(bool must);

  EngineConfig config_;
  const Backend* cpu_;
  const GpuLayer* layer_;                       // nullptr: off, or a CPU-only build
  bool has_kernels_[kCipherCount] = {};         // whom the layer takes
  std::atomic<bulk::Shared*> shared_{nullptr};  // never freed; not of this process after a fork
  bulk::Policy policy_;
  bulk::Report report_;
};

// The keystream of one EVP context: a sequence of updates under one key. It owns the counter's
// position and whatever is read ahead of it. One thread at a time. Wipes what it holds when reset
// or destroyed. A copy starts with nothing read ahead.
class BulkStream {
 public:
  explicit BulkStream(Engine* engine);
  BulkStream(const BulkStream& other);
  BulkStream& operator=(const BulkStream&) = delete;
  ~BulkStream();

  // Encrypts n bytes from the counter block on; n a whole number of blocks except in the last call
  // before the caller changes key or counter. The caller keeps the logical counter and passes it
  // each time; a counter that does not follow the last call's drops what was read ahead. (A step
  // over one single block is taken as following: the caller made the keystream of a partial block
  // itself.)
  BulkStatus ctr(const CipherSpec& cipher, const RoundKeys& keys, const std::uint8_t* counter,
                 const std::uint8_t* in, std::uint8_t* out, std::size_t n) {
    return ctr_in(is_device(out) || is_device(in), cipher, keys, counter, in, out, n);
  }
  // The same where the caller knows whether `in` or `out` is device memory.
  BulkStatus ctr_in(bool device, const CipherSpec& cipher, const RoundKeys& keys,
                    const std::uint8_t* counter, const std::uint8_t* in, std::uint8_t* out,
                    std::size_t n);

  // The same from `skip` bytes into the block, as Engine::ctr_at: for callers who may not touch the
  // memory themselves. The sequence goes on with the block after the last one touched.
  BulkStatus ctr_at(const CipherSpec& cipher, const RoundKeys& keys, const std::uint8_t* counter,
                    std::size_t skip, const std::uint8_t* in, std::uint8_t* out, std::size_t n) {
    return skip == 0 ? ctr(cipher, keys, counter, in, out, n)
                     : ctr_within(cipher, keys, counter, skip, in, out, n);
  }

  // The same of GCM's text, in ordinary memory, with its hash. kGpuRequired: no output, and the
  // hash is undefined.
  BulkStatus gcm(const bulk::GcmWork& work);

  // Engine::gcm_on_device; what follows in counter mode follows it.
  BulkStatus gcm_on_device(const bulk::GcmWork& work) {
    return served(engine_->gcm_on_device(work), true);
  }

  // Engine::blocks, with is_device() of this class: small updates of a context whose process has
  // cards need not ask a driver each time. Is no part of the sequence.
  BulkStatus blocks(const CipherSpec& cipher, const RoundKeys& keys, BlockVerb verb,
                    const std::uint8_t* before, const std::uint8_t* in, std::uint8_t* out,
                    std::size_t count) {
    const bool device = count != 0 && (is_device(out) || (in != out && is_device(in)));
    return blocks_in(device, cipher, keys, verb, before, in, out, count);
  }
  // The same where the caller knows whether `in` or `out` is device memory.
  BulkStatus blocks_in(bool device, const CipherSpec& cipher, const RoundKeys& keys, BlockVerb verb,
                       const std::uint8_t* before, const std::uint8_t* in, std::uint8_t* out,
                       std::size_t count);

  // Whether n bytes of whole blocks in ordinary memory are the calling thread's alone. Who makes
  // them by Engine::cpu() itself says so by made_small(): small updates notice the way through
  // blocks().
  bool is_small(std::size_t n) const { return engine_->policy_.cpu_only(n); }
  void made_small(std::size_t n) {
    count_cpu(n);
    served_by_ = engine_->cpu_->name;
  }

  // Engine::is_device, remembering which memory was asked about: a context's buffers are much the
  // same from call to call, so the answer is kept for the 2 MiB around them. A card's memory comes
  // in whole regions of that size.
  bool is_device(const void* pointer) {
    if (pointer == nullptr || !engine_->may_have_device_memory()) return false;
    const std::uintptr_t region = reinterpret_cast<std::uintptr_t>(pointer) >> 21 << 1 | 1;
    if (host_[0] == region || host_[1] == region) return false;
    return is_device_in(region, pointer);
  }

  static constexpr std::uint64_t kCountedLate = 4096;  // bytes (Engine::stats)

  // Forgets and wipes what was read ahead: new key, new IV, copy, free, a set `num`.
  void reset();

  // "avx512", "cuda": the backend that served the last call that was not refused, or nullptr before
  // the first.
  const char* served_by() const { return served_by_; }

 private:
  void go_on(const CipherSpec& cipher, const RoundKeys& keys, const std::uint8_t* counter,
             std::size_t n);
  bool is_device_in(std::uintptr_t region, const void* pointer);
  // Bytes of small updates, which would notice an atomic addition each: 7 cycles alone on a Zen 4,
  // and what comes after it waits for what went before.
  void count_cpu(std::size_t n) {
    uncounted_ += n;
    if (uncounted_ >= kCountedLate) count_now();
  }
  void count_now() {
    engine_->report_.counters.cpu(uncounted_);
    uncounted_ = 0;
  }
  BulkStatus ctr_within(const CipherSpec& cipher, const RoundKeys& keys,
                        const std::uint8_t* counter, std::size_t skip, const std::uint8_t* in,
                        std::uint8_t* out, std::size_t n);
  BulkStatus follow(bool device, const CipherSpec& cipher, const RoundKeys& keys,
                    const std::uint8_t* counter, const std::uint8_t* in, std::uint8_t* out,
                    std::size_t n);
  BulkStatus served(BulkStatus status, bool by_card);
  BulkStatus look(const CipherSpec& cipher, const RoundKeys& keys, const std::uint8_t* next,
                  bool in_window);
  BulkStatus begin_ahead(const CipherSpec& cipher, const RoundKeys& keys, const std::uint8_t* next,
                         std::uint64_t passed, bool must);

  Engine* engine_;
  const char* served_by_ = nullptr;
  const CipherSpec* cipher_ = nullptr;
  // The end of the counter block that would follow. What is read ahead has the whole block.
  static constexpr std::size_t kNextBytes = 16;
  std::uint8_t next_[kNextBytes] = {};
  std::uint64_t run_ = 0;        // bytes in sequence so far
  std::uint64_t uncounted_ = 0;  // bytes made that no counter has yet
  std::uint64_t look_from_ = 0;  // nobody looks for a window before this many
  std::uintptr_t host_[2] = {};  // regions known to be ordinary memory
  std::unique_ptr<bulk::ReadAhead> ahead_;
};

}  // namespace gpuctr

#endif
