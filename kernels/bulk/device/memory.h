// Jobs with data in device memory: done in place, or through pinned staging memory if the input or
// the output is ordinary memory. The CPU never touches device memory.
#ifndef GPUCTR_KERNELS_BULK_DEVICE_MEMORY_H
#define GPUCTR_KERNELS_BULK_DEVICE_MEMORY_H

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "kernels/bulk/base/work.h"
#include "kernels/cpu/backend.h"
#include "kernels/gpu/layer.h"

namespace gpuctr::bulk {

// The kind of memory that a pointer points to.
struct Place {
  PointerKind kind = PointerKind::kHost;
  int device = 0;
};

// Owns queues and staging memory and keeps them from job to job. Each device has at most kChannels;
// further threads wait. The device that holds the memory does the work, whatever `gpus` is set to.
// Any thread. Calls return the layer's results, and kOther once the process exits.
class DeviceMemory {
 public:
  // Called before any other function. Allocates nothing.
  void open(const DeviceLayer& layer) { layer_ = &layer; }

  Place place(const void* pointer) const;

  // XORs n bytes of data with the keystream that starts `skip` bytes (less than a block) into the
  // block `counter`. `in`, `out` or both are device memory; `in` may be nullptr. Returns when the
  // output is complete. After a failure the output is undefined, like device memory after its
  // device fails.
  DeviceStatus ctr(const CipherSpec& cipher, const CipherOps& cpu, const RoundKeys& keys,
                   const std::uint8_t* counter, std::size_t skip, const std::uint8_t* in,
                   std::uint8_t* out, std::size_t n);

  // Whole blocks; the input, the output or both are device memory. Returns when the output is
  // complete; after a failure the output is undefined.
  struct BlockResult {
    DeviceStatus status;
    std::size_t by_device;  // bytes; the CPU did the rest
    DeviceStatus refused;   // the last failed launch whose work the CPU did; kOk: none
  };
  BlockResult blocks(const BlockWork& work);

  // GCM; the input, the output or both are device memory. Returns when output and hash are
  // complete; after a failure both are undefined.
  DeviceStatus gcm(const GcmWork& work);

  // Copies n bytes, at most a mebibyte, from device memory.
  DeviceStatus read(void* to, const void* from, std::size_t n);

  // Random numbers, as Engine::numbers; the output is device memory. Returns when it is complete;
  // after a failure it is undefined.
  struct Numbers {
    const CipherSpec& cipher;
    const CipherOps& cpu;
    const RoundKeys& keys;
    const std::uint8_t* counter;
    const Distribution& what;
    std::uint8_t* out;
    std::size_t count;
  };
  DeviceStatus numbers(const Numbers& job);

  // Segments whose outputs all lie in one allocation on a device. If every `in` is nullptr, one
  // launch does all segments; otherwise they are done one after the other.
  DeviceStatus ctr_batch(const CipherSpec& cipher, const CipherOps& cpu,
                         const BulkSegment* segments, std::size_t count);

 private:
  static constexpr unsigned kChannels = 4;
  static constexpr unsigned kDevices = 16;
  static constexpr std::size_t kHalf = 1u << 20;
  // Room in front of each half's data for the preceding block.
  static constexpr std::size_t kHead = std::max<std::size_t>(64, kMaxBlockBytes);
  static constexpr std::size_t kStage = 2 * (kHead + kHalf);
  static constexpr std::size_t kScratch = 16u << 20;

  // A queue on a device, with its staging memory.
  struct Channel {
    std::uint8_t* half(unsigned i) const { return stage + i * (kHead + kHalf) + kHead; }

    bool busy = false;
    int device = 0;
    DeviceStream* stream = nullptr;
    DeviceEvent* event[2] = {};
    std::uint8_t* stage = nullptr;  // kStage bytes, pinned
    void* scratch = nullptr;        // kScratch bytes on the device
  };
  struct Transfer;
  struct Stream;
  struct Blocks;

  Channel* acquire(int device);
  void release(Channel* channel, bool healthy);
  DeviceStatus prepare(Channel* channel, int device, bool staging);
  void drop_scratch(Channel* channel);
  void drop_queue(Channel* channel);
  DeviceStatus launch(Channel* channel, const Stream& stream);
  DeviceStatus direct(Channel* channel, const Stream& stream);
  DeviceStatus staged(Channel* channel, Stream* stream);
  DeviceStatus stage(Channel* channel, const Transfer& transfer, std::uint8_t* to,
                     const std::uint8_t* from, std::size_t n);
  DeviceStatus collect(Channel* channel, unsigned half, Transfer* transfer, std::uint8_t* out);
  DeviceStatus collect_both(Channel* channel, unsigned half, Transfer* transfer, std::uint8_t* out);
  DeviceStatus by_cpu(Channel* channel, const Stream& stream, std::size_t skip);
  // Copies between memory of the host and memory at the place `other`, and waits for the copy.
  DeviceStatus move(Channel* channel, void* to, const void* from, Place other, std::size_t n);
  DeviceStatus blocks_direct(Channel* channel, Blocks* job);
  DeviceStatus chain_in_place(Channel* channel, Blocks* job);
  DeviceStatus blocks_staged(Channel* channel, Blocks* job);
  DeviceStatus launch_blocks(Channel* channel, unsigned half, Blocks* job);
  DeviceStatus blocks_by_cpu(Channel* channel, const Blocks& job);
  DeviceStatus gcm_direct(Channel* channel, const Stream& stream, const GcmWork& work);
  DeviceStatus gcm_in_turn(Channel* channel, Stream* stream, const GcmWork& work);
  DeviceStatus take_hash(Channel* channel, const GcmWork& work);
  DeviceStatus hash(Channel* channel, const Transfer& transfer, const GcmWork& work,
                    const std::uint8_t* data, Place place, bool* queued);
  static std::uint8_t* sum_of(Channel* channel);
  DeviceStatus numbers_on(Channel* channel, const Numbers& job);
  DeviceStatus numbers_by_cpu(Channel* channel, const Numbers& job, std::size_t first,
                              std::size_t count);
  DeviceStatus batch(Channel* channel, const CipherSpec& cipher, const BulkSegment* segments,
                     std::size_t count);

  const DeviceLayer* layer_ = nullptr;
  std::mutex mutex_;
  std::condition_variable freed_;
  Channel channels_[kDevices][kChannels];  // busy: by mutex_; the rest: by the thread that set busy
};

}  // namespace gpuctr::bulk

#endif
