// How many bytes the calling thread, all threads, a device or a read-ahead window processes. All
// bounds are here. These functions start nothing and report nothing.
#ifndef GPUCTR_KERNELS_BULK_JOB_POLICY_H
#define GPUCTR_KERNELS_BULK_JOB_POLICY_H

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace gpuctr {
struct CipherSpec;
struct EngineConfig;

// If no threshold is configured, `gpu = require` applies to updates of at least this many bytes.
constexpr std::size_t kLargeBytes = 8u << 20;
// The driver is started once this many bytes have passed in large updates and long streams. The
// start takes 0.3 s of a background thread, and exit waits for it; a core processes this many bytes
// in 0.1 s. So a short program does not pay for a device that it does not use.
constexpr std::size_t kStartBytes = 256u << 20;
// The calling thread does smaller updates itself, whatever was measured.
constexpr std::size_t kLeastShared = 256u << 10;
// Configured threads share a job of this size or more that no device takes.
constexpr std::size_t kLeastPooled = 1u << 20;

namespace bulk {

class Shared;

enum class JobDevices : int {
  kNone,   // CPU threads only
  kMay,    // once the devices are ready, while enough of the job is left
  kForce,  // wherever a slot is free, even below the crossover
  kMust    // like kForce, and the job fails when the last device fails
};

// Whether a stream uses windows.
enum class Ahead { kNow, kNotKnownYet, kNever };

// The policy of one engine. Any thread.
class Policy {
 public:
  Policy(const EngineConfig& config, bool has_layer);

  bool requires_device() const { return require_; }
  // Whether measurements say what a device does.
  bool measures() const { return has_layer_ && !off_ && !require_ && threshold_ == 0; }
  bool large(std::uint64_t n) const { return n >= large_bytes_; }
  // Whether a job, or a stream so far, of n bytes requires a device.
  bool must(std::uint64_t n) const { return require_ && large(n); }
  // Whether the calling thread does n bytes by itself in any case.
  bool cpu_only(std::size_t n) const { return n < kLeastShared && !large(n); }
  // Whether more than the calling thread may work on a job of n bytes in ordinary memory.
  bool shares(std::size_t n) const {
    if (pooled(threads_, n)) return true;
    if (off_) return false;
    return has_layer_ ? !cpu_only(n) : must(n);
  }
  // Whether a device takes part in n bytes of whole blocks in ordinary memory. The blocks cross the
  // link twice, and no measurement shows that the device is faster than the threads. So a device
  // takes part only on request.
  bool blocks_for_devices(std::size_t n) const { return (require_ || threshold_ != 0) && large(n); }
  // Whether this many threads share n bytes that no device takes.
  static bool pooled(unsigned threads, std::size_t n) { return threads > 1 && n >= kLeastPooled; }

  // Adds n to the bytes so far, and returns whether they justify starting the devices. `size` is
  // the size of the update, or of its stream so far.
  bool worth_starting(std::uint64_t size, std::uint64_t n) {
    const std::uint64_t work = work_.fetch_add(n, std::memory_order_relaxed) + n;
    if (threshold_ != 0 || require_) return large(size);
    return work >= kStartBytes;
  }

  // The devices' part in a job of `total` bytes, when the devices are ready.
  JobDevices job(Shared* shared, const CipherSpec& cipher, std::size_t total) const;
  // Whether a batch has segments so short that a device is no faster than a core.
  bool too_short(std::size_t total, std::size_t count) const;
  // Whether the threads that serve the devices of `shared` (nullptr: no device is ready) make n
  // bytes faster without the devices. The measurement used one segment; generators, which have many
  // segments, also keep a core busy.
  bool threads_alone(const Shared* shared, const CipherSpec& cipher, std::size_t n) const;
  // Whether the rest of a job is large enough for a device that becomes ready during the job.
  static bool joins(JobDevices devices, Shared* shared, const CipherSpec& cipher, std::size_t left);

  // A device does this cipher's work from this many bytes on; 0: not known yet.
  std::size_t crossover(const Shared* shared, const CipherSpec& cipher) const;
  // Whether an update is faster from a window than as a job of its own.
  bool in_window(const Shared* shared, const CipherSpec& cipher, std::size_t n) const;
  // Whether a stream uses windows, when the devices are ready. May have the devices measured.
  Ahead ahead(Shared* shared, const CipherSpec& cipher, bool must) const;

 private:
  const bool has_layer_;
  const bool off_;
  const bool require_;
  const unsigned threads_;
  const std::size_t threshold_;
  const std::size_t large_bytes_;
  const std::size_t read_ahead_;
  std::atomic<std::uint64_t> work_{0};  // bytes in large updates and long streams so far
};

}  // namespace bulk
}  // namespace gpuctr

#endif
