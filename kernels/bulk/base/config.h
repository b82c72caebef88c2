// The settings of an engine, and the result of its calls.
#ifndef GPUCTR_KERNELS_BULK_BASE_CONFIG_H
#define GPUCTR_KERNELS_BULK_BASE_CONFIG_H

#include <cstddef>
#include <cstdint>

#include "kernels/cpu/backend.h"
#include "kernels/gpu/layer.h"

namespace gpuctr {

enum class GpuUse {
  kAuto,    // where it is faster
  kOff,     // never; nothing of CUDA is called
  kRequire  // work at or above the threshold is done with a device, or fails with a reason
};
enum class GpuPointers {
  kAuto,  // asked once this process has started the device for bulk work
  kYes,   // asked always; starts the driver at the first call
  kNo     // never: all memory is host memory
};

struct EngineConfig {
  const Backend* cpu = nullptr;  // nullptr: the best this CPU has
  GpuUse gpu = GpuUse::kAuto;
  // Bytes from which a device is used; the first update or stream of that size starts it. 0:
  // measured for each cipher once kStartBytes have started the device. Before that no CUDA call, no
  // thread, no file.
  std::size_t gpu_threshold = 0;
  // The most keystream one context holds ahead, bytes; 0 turns read-ahead off.
  std::size_t read_ahead = 2u << 20;
  // Threads of one large job, the caller included. 0: 16 a device, at most 64 and at most the
  // cores; without a device 1, so that a machine without one starts no thread unasked.
  unsigned threads = 0;
  std::uint64_t gpus = 0;  // bit i: device i may be used; 0: all
  GpuPointers gpu_pointers = GpuPointers::kAuto;
  // Pinned host memory of the process, all contexts together: the largest of the
  // engines made before a device starts.
  std::size_t ring_bytes = 128u << 20;
  std::size_t slot_bytes = 0;          // one piece of the ring; 0: chosen from ring_bytes
  const DeviceLayer* layer = nullptr;  // nullptr: cuda_layer()
  // Called at most once an engine, from any thread, at the first fallback. The text is valid for
  // the call only.
  void (*note)(void* argument, const char* text) = nullptr;
  void* note_argument = nullptr;
};

// kOk, or why nothing was written. kGpuRequired: `gpu = require` and no device could do the work,
// or device memory was given and its device failed; Engine::stats() has the reason.
enum class BulkStatus { kOk, kGpuRequired };

}  // namespace gpuctr

#endif
