// The device layer: every call from the bulk engine to a device, as one struct of functions.
//
// The real layer is kernels/gpu/cuda/layer.cpp. Tests use a fake layer, whose "device" computes on
// the CPU and fails on demand. This file includes no CUDA header.
#ifndef GPUCTR_KERNELS_GPU_LAYER_H
#define GPUCTR_KERNELS_GPU_LAYER_H

#include <cstddef>
#include <cstdint>

#include "kernels/base/wipe.h"
#include "kernels/cipher/registry.h"
#include "kernels/cpu/backend.h"
#include "kernels/random/numbers.h"

namespace gpuctr {

enum class DeviceStatus {
  kOk,
  kNotReady,     // only from event_query: the work has not finished
  kNoDriver,     // no driver, or the driver is too old
  kNoDevice,     // the driver has no device that it can use
  kOutOfMemory,  // device or pinned memory
  kLaunch,       // a kernel could not be started
  kDeviceLost,   // the device or its context is gone; nothing on it can be used again
  kUnsupported,  // this build has no code for the device, or no kernels for the cipher
  kCapture,      // the program is capturing a graph, and the call is not allowed during a capture
  kContextGone,  // the program has reset the device: objects made in its context are gone
  kOther
};

// Whether the failure is transient: a later call may succeed on the same device.
constexpr bool device_status_passes(DeviceStatus status) {
  return status == DeviceStatus::kOutOfMemory || status == DeviceStatus::kCapture ||
         status == DeviceStatus::kContextGone;
}

// A short text for messages: "out of memory".
const char* device_status_text(DeviceStatus status);

// Opaque; made and freed by the layer.
struct DeviceStream;  // an in-order queue of work on one device
struct DeviceEvent;   // a mark in a stream

struct DeviceInfo {
  char name[64];
  int processors;            // streaming multiprocessors
  std::size_t memory_bytes;  // total
  bool full_rate_fp64;       // a data-centre part
};

// The operations on whole blocks. kChain is CBC decryption, kFeedback CFB decryption.
enum class DeviceOperation { kEncrypt, kDecrypt, kChain, kFeedback };

enum class PointerKind { kHost, kPinned, kDevice };

// A piece of keystream for a batch: its own key and its own counter block.
struct DeviceSegment {
  const RoundKeys* keys;                 // host memory, copied before the call returns; nullptr:
                                         // expanded from `key`, key_bytes, likewise
  std::uint8_t counter[kMaxBlockBytes];  // block_bytes used
  std::size_t offset;                    // where in `out` (and `in`) it starts, bytes
  std::size_t bytes;                     // any number
  const std::uint8_t* key = nullptr;
};

// The round keys of a segment: the segment's own, or round keys expanded here from its key, by the
// functions of a backend if `ops` is not nullptr, and wiped.
class SegmentKeys {
 public:
  SegmentKeys(const CipherSpec& cipher, const RoundKeys* keys, const std::uint8_t* key,
              const CipherOps* ops = nullptr)
      : keys_(keys != nullptr ? keys : &expanded_),
        bytes_(keys != nullptr ? 0 : cipher.round_key_bytes) {
    if (keys != nullptr) return;
    if (ops != nullptr) {
      expand_on(cipher, *ops, key, cipher.key_bytes, &expanded_);
    } else {
      cipher.expand(key, &expanded_);
    }
  }
  ~SegmentKeys() {
    if (bytes_ != 0) wipe(&expanded_, bytes_);
  }
  SegmentKeys(const SegmentKeys&) = delete;
  SegmentKeys& operator=(const SegmentKeys&) = delete;
  const RoundKeys& operator*() const { return *keys_; }

 private:
  RoundKeys expanded_;
  const RoundKeys* keys_;
  std::size_t bytes_;
};

// A run of GCM (SP 800-38D): counter mode from `counter`, 16 bytes, and the hash of the ciphertext.
// The last 32 bits of `counter` count and do not wrap in the run. The ciphertext is `out` for
// encryption, `in` for decryption. h and y: 16 bytes each, as for ghash.
struct DeviceGcm {
  const std::uint8_t* counter;
  const std::uint8_t* h;
  const std::uint8_t* y;
  const void* in;
  void* out;
  std::size_t blocks;  // of 16 bytes, 1 or more
  bool encrypts;
  void* sum;
};

// XTS (IEEE 1619) of whole blocks of 16 bytes; in == out is allowed. Either one data unit, whose
// first mask is `mask` (16 bytes, host memory), or many data units of `unit` bytes each.
struct DeviceXts {
  bool encrypts;
  const std::uint8_t* mask;
  const RoundKeys* tweak_keys;  // many units, host memory; nullptr: one unit
  const void* ivs;              // many units: 16 bytes each, device or pinned memory
  std::size_t unit;             // at most 2^24
  const void* in;
  void* out;
  std::size_t bytes;  // of one unit, at most 2^24; or a multiple of `unit`
};

// Many messages of one cipher and mode. Memory is device or pinned memory at any alignment, unless
// stated; "host": host memory, copied before the call returns. Message i has its IV at ivs + i *
// iv_bytes and its tag at tags + i * tag_bytes. The caller has checked all numbers.
enum class DeviceMode { kCtr, kGcm, kCcm, kCbc };
struct DeviceMessages {
  DeviceMode mode;
  bool encrypts;
  std::size_t count;  // 1 or more

  // One of: round keys for all messages (host); keys of cipher.key_bytes, of message i the key
  // number i; the same, the key number index[i] (index: host).
  const RoundKeys* own;
  const void* keys;
  const std::uint32_t* index;

  const void* ivs;
  std::size_t iv_bytes;   // CTR and CBC: 1 to a block; GCM: 1 or more; CCM: 7 to 13
  unsigned counter_bits;  // CTR: the last bits of the block count and wrap; 0: all bits

  const std::uint32_t* lengths;  // host; nullptr: all have `length` bytes
  std::size_t length;
  const std::uint64_t* offsets;  // of texts, host; nullptr: one after the other
  const void* in;
  void* out;  // in, or no overlap

  // GCM and CCM. The associated data of all messages, one after the other.
  const void* aad;
  const std::uint32_t* aad_lengths;  // host; nullptr: all have aad_length bytes
  std::size_t aad_length;
  void* tags;             // written by encryption, compared by decryption
  std::size_t tag_bytes;  // 4 to 16
  // A byte a message: 1 good, 0 wrong tag, whose text is zeros. nullptr: not written (not for
  // decryption of GCM and CCM).
  void* results;
  // Pinned, aligned, or nullptr. Decryption adds the number of wrong tags to outcome[0] and sets
  // outcome[1] to the number of the first such message, if that is less.
  std::uint32_t* outcome;
};

// The functions of one layer. All may be called from any thread; a stream by one thread at a time.
// Work in a stream is asynchronous and in order: its failure shows in a later call on that stream,
// event_query, event_wait or stream_wait. No function throws, prints or exits. After kDeviceLost
// only the *_free and *_destroy functions may be called for that device, and they do nothing.
//
// The device is shared with the program. Each function leaves the calling thread's current context
// and capture mode unchanged, and works while any thread of the program captures a graph. If the
// program resets the device (cudaDeviceReset), streams, events and device memory made earlier are
// gone. Calls with them return kContextGone, and the *_destroy functions free the rest of them.
// Pinned memory stays. New streams, events and memory can be made.
struct DeviceLayer {
  const char* name;  // "cuda", "fake"

  // The first call starts the driver (about 0.3 s). Devices are numbered 0 .. count - 1.
  DeviceStatus (*device_count)(int* count);
  DeviceStatus (*device_info)(int device, DeviceInfo* info);

  DeviceStatus (*stream_create)(int device, DeviceStream** stream);
  void (*stream_destroy)(DeviceStream* stream);
  DeviceStatus (*stream_wait)(DeviceStream* stream);  // waits for all its work
  // False: the context of the stream is gone (kContextGone), and so are its events and device
  // memory.
  bool (*stream_lives)(const DeviceStream* stream);

  DeviceStatus (*event_create)(int device, DeviceEvent** event);
  void (*event_destroy)(DeviceEvent* event);
  DeviceStatus (*event_record)(DeviceStream* stream, DeviceEvent* event);
  DeviceStatus (*event_query)(DeviceEvent* event);  // kOk when the work before it is done
  DeviceStatus (*event_wait)(DeviceEvent* event);

  // Pinned host memory, usable by every device; `device` is any device already in use. Neither
  // function zeroes the memory: the owner wipes it. Children of a fork do not inherit it.
  DeviceStatus (*pinned_alloc)(int device, std::size_t bytes, void** memory);
  void (*pinned_free)(void* memory);
  DeviceStatus (*device_alloc)(int device, std::size_t bytes, void** memory);
  void (*device_free)(int device, void* memory);
  DeviceStatus (*copy)(DeviceStream* stream, void* to, const void* from, std::size_t bytes);
  DeviceStatus (*zero)(DeviceStream* stream, void* memory, std::size_t bytes);  // device memory

  // Whether this build has kernels for the cipher. If not, ctr, ctr_batch and blocks return
  // kUnsupported. Makes no call to a device or its driver.
  bool (*takes)(const CipherSpec& cipher);

  // CTR keystream of `bytes` bytes (any number) from `counter` (block_bytes, big-endian, wraps
  // modulo 2^(8 block_bytes)). The keystream is written to `out`, XORed with `in` if in is not
  // nullptr. `in` and `out` are device or pinned memory, any alignment; in == out is allowed.
  // `keys` and `counter` are host memory and copied before the call returns. No copy of the round
  // keys stays on the device when the work is done.
  DeviceStatus (*ctr)(DeviceStream* stream, const CipherSpec& cipher, const RoundKeys& keys,
                      const std::uint8_t* counter, const void* in, void* out, std::size_t bytes);
  // CTR of many segments in one launch. Segments must not overlap.
  DeviceStatus (*ctr_batch)(DeviceStream* stream, const CipherSpec& cipher,
                            const DeviceSegment* segments, std::size_t count, const void* in,
                            void* out);

  // `count` whole blocks from `in` to `out`, device or pinned memory, any alignment. kEncrypt and
  // kDecrypt are ECB; in == out is allowed, no other overlap. kChain: out[i] = D(in[i]) ^ in[i -
  // 1]. kFeedback: out[i] = E(in[i - 1]) ^ in[i]. For these two in and out must not overlap, and
  // in[-1] is `before` (block_bytes, host memory, copied before the call returns). If `before` is
  // nullptr, in[-1] is read in front of `in`. Keys as for ctr.
  DeviceStatus (*blocks)(DeviceStream* stream, const CipherSpec& cipher, const RoundKeys& keys,
                         DeviceOperation operation, const std::uint8_t* before, const void* in,
                         void* out, std::size_t count);

  // GHASH (SP 800-38D 6.4) of `blocks` blocks of 16 bytes, 1 or more, in device or pinned memory,
  // any alignment. The result, (...((y ^ in[0]) H ^ in[1]) H ...) H, is in `sum`, 16 bytes of
  // pinned memory, when the work is done. `h` and `y`, 16 bytes each, are host memory, copied
  // before the call returns. No copy of them stays on the device when the work is done.
  // kUnsupported: the device lacks the instruction.
  DeviceStatus (*ghash)(DeviceStream* stream, const std::uint8_t* h, const std::uint8_t* y,
                        const void* in, std::size_t blocks, void* sum);

  // ctr and ghash in one pass over the data, with the same rules for memory; in == out is allowed.
  // kUnsupported: nothing was queued, and the caller must call ctr and ghash in turn. The reason:
  // the cipher or the device has no such kernel, or the data is not aligned to 16 bytes.
  DeviceStatus (*gcm)(DeviceStream* stream, const CipherSpec& cipher, const RoundKeys& keys,
                      const DeviceGcm& run);

  // make_numbers() (kernels/random/numbers.h), with the same bits, from device memory to device
  // memory: `random` is aligned to 16 bytes, and out == random is allowed where a number has the
  // size of its random bytes. Reads whole 16 bytes of `random`.
  DeviceStatus (*numbers)(DeviceStream* stream, const Distribution& what, const void* random,
                          void* out, std::size_t count);

  // ctr() and numbers() in one pass: the first of *count numbers. *count becomes the number of
  // those that were queued, perhaps 0; the caller makes the others by ctr and numbers in turn. Keys
  // as for ctr.
  DeviceStatus (*ctr_numbers)(DeviceStream* stream, const CipherSpec& cipher, const RoundKeys& keys,
                              const std::uint8_t* counter, const Distribution& what, void* out,
                              std::size_t* count);

  // XTS. Nothing of keys and masks stays on the device when the work is done. kUnsupported: nothing
  // was queued; the cipher has no such kernel, or `unit` is no multiple of 512.
  DeviceStatus (*xts)(DeviceStream* stream, const CipherSpec& cipher, const RoundKeys& keys,
                      const DeviceXts& work);

  // Many messages. A wrong tag is no failure: see `results`. The device expands the keys; nothing
  // of them stays there when the work is done, except `keys` itself. kUnsupported: nothing was
  // queued; the cipher, the device or counter_bits has no kernel.
  DeviceStatus (*messages)(DeviceStream* stream, const CipherSpec& cipher,
                           const DeviceMessages& batch);

  // The kind of memory at a pointer; for kDevice also the device. Never fails: unknown memory is
  // kHost.
  PointerKind (*pointer_kind)(const void* pointer, int* device);
};

// The layer compiled into this build, or nullptr in a CPU-only build. Makes no CUDA call.
const DeviceLayer* cuda_layer();

}  // namespace gpuctr

#endif
