// Jobs whose data is on a card: run in place there, or through pinned staging where one side is
// ordinary memory. The CPU never touches device memory.
#ifndef GPUCTR_KERNELS_BULK_DEVICE_MEMORY_H
#define GPUCTR_KERNELS_BULK_DEVICE_MEMORY_H

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "kernels/bulk/engine.h"
#include "kernels/cpu/backend.h"
#include "kernels/gpu/layer.h"

namespace gpuctr::bulk {

struct BlockWork;

// A run of GCM over whole blocks of 16 bytes: counter mode, and GHASH of the ciphertext, which is
// `out` where it encrypts, else `in`.
struct GcmWork {
  const CipherSpec& cipher;
  const CipherOps& cpu;
  const RoundKeys& keys;
  const std::uint8_t* counter;  // its last 32 bits count, and do not wrap in this run
  const GhashOps& ghash;
  const GhashKey& key;
  const std::uint8_t* h;  // that key's block, 16 bytes
  std::uint8_t* y;        // the hash so far, and then with this run, 16 bytes
  bool encrypts;
  const std::uint8_t* in;
  std::uint8_t* out;
  std::size_t bytes;
};

// Whether the CPU makes GCM's text in one loop (CipherOps::gcm). Where the key has more powers, the
// hash by itself is in wider vectors than that loop's, which wins.
inline bool in_one_loop(const CipherOps& cpu, const GhashOps& ghash) {
  return cpu.gcm != nullptr && cpu.gcm_powers == ghash.powers;
}

// Where a pointer points.
struct Place {
  GpuPointerKind kind = GpuPointerKind::kHost;
  int device = 0;
};

// Queues and staging memory are kept from job to job: at most kChannels for each device, so threads
// beyond that wait for one another. The memory's device decides which card works, whatever `gpus`
// says: the data is there.
class DeviceMemory {
 public:
  // Before any other call. Makes nothing yet.
  void open(const GpuLayer& layer) { layer_ = &layer; }

  Place place(const void* pointer) const;

  // The keystream of n bytes from `skip` bytes (below a block) into `counter`, onto data of which
  // at least one side is device memory; in may be nullptr. Returns when the output is complete. On
  // failure the output is undefined, as device memory is after a failure of its card.
  GpuStatus ctr(const CipherSpec& cipher, const CipherOps& cpu, const RoundKeys& keys,
                const std::uint8_t* counter, std::size_t skip, const std::uint8_t* in,
                std::uint8_t* out, std::size_t n);

  // Whole blocks of which at least one side is device memory. Returns when the output is complete;
  // after a failure it is undefined.
  struct BlockResult {
    GpuStatus status;
    std::size_t by_card;  // bytes; the CPU did the rest
    GpuStatus refused;    // why a launch failed whose work the CPU did; kOk: none
  };
  BlockResult blocks(const BlockWork& work);

  // GCM where at least one side is device memory. Returns when output and hash are complete; after
  // a failure both are undefined.
  GpuStatus gcm(const GcmWork& work);

  // n bytes, at most a mebibyte, of device memory.
  GpuStatus read(void* to, const void* from, std::size_t n);

  // Keystream segments whose output is all in one allocation on a card; in of each is nullptr or
  // handled segment by segment.
  GpuStatus ctr_batch(const CipherSpec& cipher, const CipherOps& cpu, const BulkSegment* segments,
                      std::size_t count);

 private:
  static constexpr unsigned kChannels = 4;
  static constexpr unsigned kDevices = 16;
  static constexpr std::size_t kHalf = 1u << 20;
  static constexpr std::size_t kScratch = 16u << 20;

  struct Channel {
    bool busy = false;
    int device = 0;
    GpuStream* stream = nullptr;
    GpuEvent* event[2] = {};
    std::uint8_t* stage = nullptr;  // two halves, pinned
    void* scratch = nullptr;        // kScratch bytes on the card
  };
  struct Job;
  struct Blocks;

  Channel* acquire(int device);
  void release(Channel* channel, bool healthy);
  GpuStatus prepare(Channel* channel, int device, bool staging);
  void drop_scratch(Channel* channel);
  void drop_queue(Channel* channel);
  GpuStatus launch(Channel* channel, const Job& job);
  GpuStatus direct(Channel* channel, const Job& job);
  GpuStatus staged(Channel* channel, const Job& job);
  GpuStatus collect(Channel* channel, unsigned half, const Job& job, std::size_t at, std::size_t n);
  GpuStatus by_cpu(Channel* channel, const Job& job, std::size_t skip);
  GpuStatus fetch(Channel* channel, void* to, const void* from, Place place, std::size_t n);
  GpuStatus store(Channel* channel, void* to, Place place, const void* from, std::size_t n);
  GpuStatus blocks_direct(Channel* channel, Blocks* job);
  GpuStatus chain_in_place(Channel* channel, Blocks* job);
  GpuStatus blocks_staged(Channel* channel, Blocks* job);
  GpuStatus launch_blocks(Channel* channel, unsigned half, Blocks* job);
  GpuStatus collect_blocks(Channel* channel, unsigned half, Blocks* job);
  GpuStatus blocks_by_cpu(Channel* channel, const Blocks& job);
  GpuStatus gcm_direct(Channel* channel, const Job& job, const GcmWork& work);
  GpuStatus gcm_in_turn(Channel* channel, const Job& job, const GcmWork& work);
  GpuStatus take_hash(Channel* channel, const GcmWork& work);
  GpuStatus hash(Channel* channel, const Job& job, const GcmWork& work, const std::uint8_t* data,
                 Place place, bool* queued);
  static std::uint8_t* sum_of(Channel* channel);
  GpuStatus batch(Channel* channel, const CipherSpec& cipher, const BulkSegment* segments,
                  std::size_t count);

  const GpuLayer* layer_ = nullptr;
  std::mutex mutex_;
  std::condition_variable freed_;
  Channel channels_[kDevices][kChannels];  // busy: guarded by mutex_; the rest: by whoever is busy
};

}  // namespace gpuctr::bulk

#endif
