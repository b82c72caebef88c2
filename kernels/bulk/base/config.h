// The settings of an engine, and the status that its calls return.
#ifndef GPUCTR_KERNELS_BULK_BASE_CONFIG_H
#define GPUCTR_KERNELS_BULK_BASE_CONFIG_H

#include <cstddef>
#include <cstdint>

#include "kernels/cpu/backend.h"
#include "kernels/gpu/layer.h"

namespace gpuctr {

enum class GpuUse {
  kAuto,    // a device where it is faster than the CPU
  kOff,     // never; nothing of CUDA is called
  kRequire  // a device does all work at or above the threshold, or the call fails with a reason
};
enum class GpuPointers {
  kAuto,  // pointers are looked up once this process has started the device for bulk work
  kYes,   // every pointer is looked up; the first call starts the driver
  kNo     // no pointer is looked up: all memory is host memory
};

struct EngineConfig {
  const Backend* cpu = nullptr;  // nullptr: the best backend for this CPU
  GpuUse gpu = GpuUse::kAuto;
  // The engine uses a device from this many bytes on; the first update or stream of that size
  // starts the device. 0: the bound is measured for each cipher once kStartBytes have started the
  // device. Before that the engine makes no CUDA call, starts no thread and reads no file.
  std::size_t gpu_threshold = 0;
  // The most keystream that one context holds ahead, in bytes; 0 turns read-ahead off.
  std::size_t read_ahead = 2u << 20;
  // Threads of one large job, the calling thread included. 0: 16 for each device, at most 64 and at
  // most the number of cores. 0 without a device: 1, so that a machine without a device starts no
  // threads.
  unsigned threads = 0;
  std::uint64_t gpus = 0;  // bit i: device i may be used; 0: all
  GpuPointers gpu_pointers = GpuPointers::kAuto;
  // Pinned host memory of the process, for all contexts together. The largest value of all engines
  // made before a device starts counts.
  std::size_t ring_bytes = 128u << 20;
  std::size_t slot_bytes = 0;          // size of a slot of the ring; 0: chosen from ring_bytes
  const DeviceLayer* layer = nullptr;  // nullptr: cuda_layer()
  // Called at most once for each engine, from any thread, at the first fallback. The text is valid
  // only during the call.
  void (*note)(void* argument, const char* text) = nullptr;
  void* note_argument = nullptr;
};

// kOk: the output was written. kGpuRequired: nothing was written, because `gpu = require` is set
// and no device could do the work. kGpuRequired also if a device failed whose memory holds the
// data; then the output is undefined. Engine::stats() has the reason.
enum class BulkStatus { kOk, kGpuRequired };

}  // namespace gpuctr

#endif
