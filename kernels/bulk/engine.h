// The bulk engine. Given cipher, round keys and counter block, it makes n bytes of keystream or
// XORs n bytes of keystream with data. Given cipher and round keys, it encrypts or decrypts whole
// blocks.
//
// Its callers are the EVP ciphers and CTR_DRBG. The engine picks the backend, splits the work,
// reads ahead and falls back to the CPU. It owns no data and no key: it uses pointers only during
// the call. A call returns BulkStatus (base/config.h), and Engine::stats() has the reason of a
// failure. The path of a job and the rules at fork and exit: kernels/bulk/README.md.
#ifndef GPUCTR_KERNELS_BULK_ENGINE_H
#define GPUCTR_KERNELS_BULK_ENGINE_H

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>

#include "kernels/bulk/base/config.h"
#include "kernels/bulk/base/process_state.h"
#include "kernels/bulk/base/stats.h"
#include "kernels/bulk/base/work.h"
#include "kernels/bulk/batch/work.h"
#include "kernels/bulk/job/policy.h"
#include "kernels/cipher/registry.h"
#include "kernels/cpu/backend.h"
#include "kernels/gpu/layer.h"

namespace gpuctr {

struct Distribution;  // kernels/random/numbers.h

namespace bulk {
class BatchCopies;
class Shared;
class ReadAhead;
struct XtsWork;
}  // namespace bulk

// Each provider instance has one engine. All functions may be called from any thread. The
// constructor starts nothing. Devices and pinned memory are shared by all engines and live until
// the process ends. The helper threads end with the last engine.
class Engine {
 public:
  explicit Engine(const EngineConfig& config);
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  // CTR like CipherOps::ctr, on the fastest backend for n bytes. Pointers may be to device memory
  // if is_device() returns true for them.
  BulkStatus ctr(const CipherSpec& cipher, const RoundKeys& keys, const std::uint8_t* counter,
                 const std::uint8_t* in, std::uint8_t* out, std::size_t n);

  // CTR for many segments at once, as one job. The segments must not overlap. Either all segments
  // are written or none. If the first segment's memory is on a device, all segments must lie in the
  // same allocation.
  BulkStatus ctr_batch(const CipherSpec& cipher, const BulkSegment* segments, std::size_t count);

  // CTR of n bytes that begin `skip` bytes (less than a block) into the block `counter`. For
  // callers that may not touch the memory themselves. Pointers may be to ordinary or device memory.
  BulkStatus ctr_at(const CipherSpec& cipher, const RoundKeys& keys, const std::uint8_t* counter,
                    std::size_t skip, const std::uint8_t* in, std::uint8_t* out, std::size_t n);

  // `count` random numbers (kernels/random/numbers.h) from the counter mode of a cipher with blocks
  // of 16 bytes: count * word_bytes() bytes of keystream from `counter` on, and for a normal number
  // without its pair's other number a word more. Not for Output::kBytes. `out` may be device memory
  // if is_device() returns true for it. kGpuRequired: the output in device memory is undefined.
  BulkStatus numbers(const CipherSpec& cipher, const RoundKeys& keys, const std::uint8_t* counter,
                     const Distribution& what, std::uint8_t* out, std::size_t count);

  // Whole blocks (ECB). in == out is allowed; no other overlap. Pointers may be to device memory if
  // is_device() returns true for them.
  //
  // CBC decryption: the operation is kDecrypt and `before` is not nullptr. Then out[i] = D(in[i]) ^
  // in[i - 1], and in[-1] is `before` (block_bytes, host memory). CFB decryption: the same with
  // kEncrypt, out[i] = in[i] ^ E(in[i - 1]), in ordinary memory, without a device. The caller saves
  // the next `before` before the call.
  //
  // kGpuRequired: nothing was written (in place, the input is restored); in device memory the
  // output is undefined. *by_device: whether a device did a part of the work.
  BulkStatus blocks(const CipherSpec& cipher, const RoundKeys& keys, BlockOperation operation,
                    const std::uint8_t* before, const std::uint8_t* in, std::uint8_t* out,
                    std::size_t count, bool* by_device);

  // One data unit of XTS in ordinary memory (base/xts.h); `mask` is the first block's. Threads
  // share a large unit; devices take no part.
  void xts(const CipherSpec& cipher, const bulk::XtsWork& work, const std::uint8_t* mask);

  // The same where the input or the output is device memory. kGpuRequired: the device failed; the
  // output is undefined.
  BulkStatus xts_on_device(const CipherSpec& cipher, const bulk::XtsWork& work,
                           const std::uint8_t* mask, bool* by_device);

  // A run of GCM (base/work.h); the input, the output or both are device memory. kGpuRequired: the
  // device failed; output and hash are undefined.
  BulkStatus gcm_on_device(const bulk::GcmWork& work);

  // Encrypts or decrypts many messages at once (batch/work.h). The outcome's fault says why nothing
  // was written. A wrong tag spoils only its own message.
  bulk::BatchOutcome batch(const bulk::Batch& batch);
  // A table of `count` keys for batches, which the caller deletes. `gcm`: for that mode. nullptr:
  // *fault says why.
  bulk::KeyTable* key_table(const CipherSpec& cipher, const std::uint8_t* keys,
                            std::size_t key_bytes, std::size_t count, const std::uint8_t* tweak,
                            bool gcm, bulk::BatchFault* fault);

  // Copies n bytes, at most a mebibyte, of device memory to ordinary memory. kGpuRequired: the
  // device failed.
  BulkStatus read(const void* from, void* to, std::size_t n);

  // Whether more than the calling thread may work on a job of n bytes to `out`: `out` is device
  // memory, or n is so large that other threads or a device may take part. Starts nothing beyond
  // what is_device() starts.
  bool shares(const void* out, std::size_t n);
  // The number of threads that this engine uses now, the calling thread included: the configured
  // number, else 1 until a device is in use.
  unsigned threads() const;

  // Whether the CPU must not touch this memory. If the engine does not look for device pointers
  // (EngineConfig::gpu_pointers), the call costs one comparison. nullptr is not device memory.
  bool is_device(const void* pointer);
  // The same for a text.
  bool is_device(const void* out, const void* in) {
    return may_have_device_memory() && (is_device(out) || (in != out && is_device(in)));
  }

  // The CPU backend, for work that only the CPU does (key derivation, single blocks).
  const CipherOps& cpu(const CipherSpec& cipher) const { return cpu_->ops[cipher.index]; }
  // Counts n bytes of output that the caller made with cpu().
  void count_cpu(std::size_t n) { report_.counters.cpu(n); }
  const Backend& cpu_backend() const { return *cpu_; }
  const EngineConfig& config() const { return config_; }

  // The counters; they are consistent only while no job runs. A BulkStream adds its small updates
  // once they reach kCountedLate bytes, and when it ends.
  BulkStats stats() const;

  // Starts the device and measures `cipher` now instead of in the background. Returns whether a
  // device is ready. For benchmarks, tests and `gpu = require`; blocks for about 0.3 s.
  bool warm_up(const CipherSpec& cipher);
  // A device does this cipher's work from this many bytes on. 0: not known yet; SIZE_MAX: never.
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
  // False: is_device() is false for every pointer.
  bool may_have_device_memory() const {
    return may_have_device_memory_.load(std::memory_order_relaxed) &&
           (config_.gpu_pointers == GpuPointers::kYes || bulk::process_may_have_devices());
  }
  // The part shared by all engines with this configuration, made at the first bulk use; nullptr: no
  // memory.
  bulk::Shared* shared();
  bulk::Shared* ready_shared() const;
  // Whether the process has no device, which is known once the devices were started.
  bool has_no_device() const;
  BulkStatus plan(const CipherSpec& cipher, std::size_t total, bulk::JobDevices* devices);
  BulkStatus run(const CipherSpec& cipher, const BulkSegment* segments, std::size_t count,
                 std::size_t total, bool* by_device);
  bool has_device_memory(const bulk::Batch& batch);
  void batch_on_cpu(const bulk::Batch& batch, bulk::BatchOutcome* outcome);
  void batch_on_copies(bulk::BatchCopies* copies, bulk::Batch batch, DeviceStatus why,
                       bulk::BatchOutcome* outcome);
  void batch_on_device(bulk::BatchCopies* copies, const bulk::Batch& batch,
                       bulk::BatchOutcome* outcome);
  bool device_pays(const bulk::Batch& batch, std::size_t weight);
  void batch_on_host(const bulk::Batch& batch, bulk::BatchOutcome* outcome);
  BulkStatus blocks_on_host(const bulk::BlockWork& work, bool* by_device);
  BulkStatus blocks_on_device(const bulk::BlockWork& work, bool* by_device);
  BulkStatus share_blocks(const bulk::BlockWork& work, bool* by_device);
  BulkStatus device_result(DeviceStatus status, std::size_t n);
  void run_on_cpu(const CipherSpec& cipher, const BulkSegment* segments, std::size_t count);
  BulkStatus run_on_device(const CipherSpec& cipher, const BulkSegment& segment, std::size_t skip);
  BulkStatus missing_device(DeviceStatus why, const char* where);
  bool has_kernels(const CipherSpec& cipher) const { return has_kernels_[cipher.index]; }
  BulkStatus without_kernels(bool must);

  EngineConfig config_;
  const Backend* cpu_;
  const DeviceLayer* layer_;                    // nullptr: off, or a CPU-only build
  bool has_kernels_[kCipherCount] = {};         // ciphers that the layer has kernels for
  std::atomic<bulk::Shared*> shared_{nullptr};  // never freed; not of this process after a fork
  std::atomic<bool> may_have_device_memory_;
  bulk::Policy policy_;
  bulk::Report report_;
};

// The keystream of one EVP context: a sequence of updates under one key. Owns the position and the
// keystream that was read ahead. One thread at a time. reset() and the destructor wipe the
// keystream. A copy starts without keystream.
class BulkStream {
 public:
  explicit BulkStream(Engine* engine);
  BulkStream(const BulkStream& other);
  BulkStream& operator=(const BulkStream&) = delete;
  ~BulkStream();

  // Encrypts n bytes from the counter block on. n is a whole number of blocks, except in the last
  // call before the caller changes key or counter. The caller keeps the counter and passes it with
  // each call. A counter that does not continue the last call drops the keystream that was read
  // ahead. A counter that skips exactly one block does not: the caller makes partial blocks itself.
  BulkStatus ctr(const CipherSpec& cipher, const RoundKeys& keys, const std::uint8_t* counter,
                 const std::uint8_t* in, std::uint8_t* out, std::size_t n) {
    return ctr_in(is_device(out, in), cipher, keys, counter, in, out, n);
  }
  // Like ctr(), for callers that know whether `in` or `out` is device memory.
  BulkStatus ctr_in(bool device, const CipherSpec& cipher, const RoundKeys& keys,
                    const std::uint8_t* counter, const std::uint8_t* in, std::uint8_t* out,
                    std::size_t n);

  // Like ctr_in(), from `skip` bytes into the block, as Engine::ctr_at. The sequence continues with
  // the block after the last block used.
  BulkStatus ctr_at(const CipherSpec& cipher, const RoundKeys& keys, const std::uint8_t* counter,
                    std::size_t skip, const std::uint8_t* in, std::uint8_t* out, std::size_t n) {
    return skip == 0 ? ctr(cipher, keys, counter, in, out, n)
                     : ctr_within(cipher, keys, counter, skip, in, out, n);
  }

  // A run of GCM in ordinary memory. kGpuRequired: no output was written, and the hash is
  // undefined.
  BulkStatus gcm(const bulk::GcmWork& work);

  // Engine::gcm_on_device, as a part of the sequence.
  BulkStatus gcm_on_device(const bulk::GcmWork& work) {
    return served(engine_->gcm_on_device(work), true);
  }

  // Like Engine::blocks, with is_device() of this class: small updates need not call the driver
  // each time if the process has devices. The call is not part of the sequence.
  BulkStatus blocks(const CipherSpec& cipher, const RoundKeys& keys, BlockOperation operation,
                    const std::uint8_t* before, const std::uint8_t* in, std::uint8_t* out,
                    std::size_t count) {
    const bool device = count != 0 && is_device(out, in);
    return blocks_in(device, cipher, keys, operation, before, in, out, count);
  }
  // Like blocks(), for callers that know whether `in` or `out` is device memory.
  BulkStatus blocks_in(bool device, const CipherSpec& cipher, const RoundKeys& keys,
                       BlockOperation operation, const std::uint8_t* before, const std::uint8_t* in,
                       std::uint8_t* out, std::size_t count);

  // Whether only the calling thread works on n bytes of whole blocks in ordinary memory. Then the
  // caller may use Engine::cpu() itself and call made_small(): small updates are measurably faster
  // that way than through blocks().
  bool is_small(std::size_t n) const { return engine_->policy_.cpu_only(n); }
  void made_small(std::size_t n) {
    count_cpu(n);
    served_by_ = engine_->cpu_->name;
  }

  // As made_small(), for the next n bytes of the sequence.
  void made_next(std::size_t n) {
    made_small(n);
    run_ += n;
    cipher_ = nullptr;
  }
  // Whether a device may have a part in the next n bytes: then they go through ctr() or gcm().
  bool may_read_ahead(std::size_t n) const {
    return ahead_ != nullptr ||
           (run_ + n >= look_from_ && engine_->layer_ != nullptr && !engine_->has_no_device());
  }

  // False: is_device() is false for every pointer.
  bool may_have_device_memory() const { return engine_->may_have_device_memory(); }
  // Like Engine::is_device, with a cache. A context's buffers rarely change from call to call, so
  // the answer "ordinary memory" is kept for the 2 MiB around a pointer: device memory comes in
  // whole regions of that size.
  bool is_device(const void* pointer) {
    if (pointer == nullptr || !may_have_device_memory()) return false;
    const std::uintptr_t region = reinterpret_cast<std::uintptr_t>(pointer) >> 21 << 1 | 1;
    if (host_[0] == region || host_[1] == region) return false;
    return is_device_in(region, pointer);
  }
  // The same for a text.
  bool is_device(const void* out, const void* in) {
    return may_have_device_memory() && (is_device(out) || (in != out && is_device(in)));
  }

  // Like Engine::xts. The call is not part of the sequence.
  void xts(const CipherSpec& cipher, const bulk::XtsWork& work, const std::uint8_t* mask) {
    engine_->xts(cipher, work, mask);
    served_by_ = engine_->cpu_->name;
  }

  BulkStatus xts_on_device(const CipherSpec& cipher, const bulk::XtsWork& work,
                           const std::uint8_t* mask, bool* by_device) {
    const BulkStatus status = engine_->xts_on_device(cipher, work, mask, by_device);
    return served(status, *by_device);
  }

  static constexpr std::uint64_t kCountedLate = 4096;  // bytes (Engine::stats)

  // Wipes and drops what was read ahead. Called for a new key, a new IV, a copy, free and a set
  // `num`.
  void reset() {
    if (ahead_ != nullptr) drop_ahead();
    cipher_ = nullptr;
    run_ = 0;
    look_from_ = kSequence;
    host_[0] = host_[1] = 0;
  }

  // The backend that served the last call that was not refused, for example "avx512" or "cuda".
  // nullptr before the first such call.
  const char* served_by() const { return served_by_; }

 private:
  // A stream gets its first window after this many bytes in sequence, and no new window sooner
  // after one was lost.
  static constexpr std::uint64_t kSequence = 1u << 20;

  void drop_ahead();
  void go_on(const CipherSpec& cipher, const RoundKeys& keys, const std::uint8_t* counter,
             std::size_t n);
  bool is_device_in(std::uintptr_t region, const void* pointer);
  // Small updates are counted in batches: an atomic addition for each update costs 7 cycles on a
  // Zen 4, and later instructions wait for it.
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
  BulkStatus served(BulkStatus status, bool by_device);
  BulkStatus look(const CipherSpec& cipher, const RoundKeys& keys, const std::uint8_t* next,
                  bool in_window);
  BulkStatus begin_ahead(const CipherSpec& cipher, const RoundKeys& keys, const std::uint8_t* next,
                         std::uint64_t passed, bool must);

  Engine* engine_;
  const char* served_by_ = nullptr;
  const CipherSpec* cipher_ = nullptr;  // nullptr: next_ is not known
  // Only the end of the next counter block is kept here. ReadAhead has the whole block.
  static constexpr std::size_t kNextBytes = 16;
  std::uint8_t next_[kNextBytes] = {};
  std::uint64_t run_ = 0;        // bytes in sequence so far
  std::uint64_t uncounted_ = 0;  // bytes made but not yet counted
  std::uint64_t look_from_ = 0;  // no check for a window before run_ is this large
  std::uintptr_t host_[2] = {};  // regions known to be ordinary memory
  std::unique_ptr<bulk::ReadAhead> ahead_;
};

}  // namespace gpuctr

#endif
