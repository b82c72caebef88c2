// How many bytes go to the calling thread, to all threads, to a device, to a read-ahead window. All
// bounds are here. Nothing here starts anything or reports anything.
#ifndef GPUCTR_KERNELS_BULK_JOB_POLICY_H
#define GPUCTR_KERNELS_BULK_JOB_POLICY_H

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace gpuctr {
struct CipherSpec;
struct EngineConfig;

// Where no threshold is configured, `gpu = require` applies to updates of this many bytes and more.
constexpr std::size_t kLargeBytes = 8u << 20;
// The driver is started once this much has passed in large updates and long streams. Start-up takes
// 0.3 s of a background thread, which an exit has to wait for; a core does this much in 0.1 s. So a
// short program does not pay for a device that it does not use.
constexpr std::size_t kStartBytes = 256u << 20;
// Smaller updates are the calling thread's work, whatever was measured.
constexpr std::size_t kLeastShared = 256u << 10;
// Configured threads share a job of this size or more that no device takes.
constexpr std::size_t kLeastPooled = 1u << 20;

namespace bulk {

class Shared;

enum class JobDevices : int {
  kNone,   // CPU threads only
  kMay,    // from the moment the devices are ready, while enough of the job is left
  kForce,  // wherever a slot is free, whatever the crossover says
  kMust    // the same, and the job fails when the last device does
};

// Whether a stream gets windows.
enum class Ahead { kNow, kNotKnownYet, kNever };

// One engine's. Any thread.
class Policy {
 public:
  Policy(const EngineConfig& config, bool has_layer);

  bool requires_device() const { return require_; }
  bool large(std::uint64_t n) const { return n >= large_bytes_; }
  // Whether a job, or a stream so far, of n bytes is to be done with a device or not at all.
  bool must(std::uint64_t n) const { return require_ && large(n); }
  // Whether n bytes are left to the calling thread, whatever there is.
  bool cpu_only(std::size_t n) const { return n < kLeastShared && !large(n); }
  // Whether a job of n bytes in ordinary memory is for more than the calling thread, or may be.
  bool shares(std::size_t n) const {
    if (pooled(threads_, n)) return true;
    if (off_) return false;
    return has_layer_ ? !cpu_only(n) : must(n);
  }
  // Whether a device takes part in n bytes of whole blocks in ordinary memory. They cross its link
  // twice, and nobody has measured yet that this beats the threads: only where it is asked for.
  bool blocks_for_devices(std::size_t n) const { return (require_ || threshold_ != 0) && large(n); }
  // Whether so many threads share n bytes that no device takes.
  static bool pooled(unsigned threads, std::size_t n) { return threads > 1 && n >= kLeastPooled; }

  // Whether n bytes more make the devices' start worth while; `size` is the update's, or that of
  // its stream so far. Counts them.
  bool worth_starting(std::uint64_t size, std::uint64_t n) {
    const std::uint64_t work = work_.fetch_add(n, std::memory_order_relaxed) + n;
    if (threshold_ != 0 || require_) return large(size);
    return work >= kStartBytes;
  }

  // The devices' part in a job of so many bytes, now that they are ready.
  JobDevices job(Shared* shared, const CipherSpec& cipher, std::size_t total) const;
  // Whether a batch has segments that no device makes faster than a core.
  bool too_short(std::size_t total, std::size_t count) const;
  // Whether the threads that serve the devices of `shared` (nullptr: none is ready) make n bytes
  // faster without them. They have been measured on one segment; generators, which have many, keep
  // a core busy besides.
  bool threads_alone(const Shared* shared, const CipherSpec& cipher, std::size_t n) const;
  // Whether what is left of a job is still worth a device that has become ready in the middle.
  static bool joins(JobDevices devices, Shared* shared, const CipherSpec& cipher, std::size_t left);

  // From how many bytes on a device gets this cipher's work; 0: not known yet.
  std::size_t crossover(const Shared* shared, const CipherSpec& cipher) const;
  // Whether an update is better served out of a window than as a job of its own.
  bool in_window(const Shared* shared, const CipherSpec& cipher, std::size_t n) const;
  // Whether a stream gets windows, now that the devices are ready. May have them measured.
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
