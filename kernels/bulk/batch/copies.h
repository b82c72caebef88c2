// Copies in ordinary memory of the arrays of a batch that lie on a device.
#ifndef GPUCTR_KERNELS_BULK_BATCH_COPIES_H
#define GPUCTR_KERNELS_BULK_BATCH_COPIES_H

#include <cstddef>
#include <cstdint>

#include "kernels/bulk/batch/work.h"
#include "kernels/gpu/layer.h"

namespace gpuctr::bulk {

class DeviceMemory;

// The destructor wipes and frees the copies.
class BatchCopies {
 public:
  explicit BatchCopies(DeviceMemory* memory) : memory_(memory) {}
  BatchCopies(const BatchCopies&) = delete;
  BatchCopies& operator=(const BatchCopies&) = delete;
  ~BatchCopies();

  // Copies arrays that are on a device, and changes the batch's pointers to the copies. Lengths,
  // offsets and indices, which the checks read:
  DeviceStatus numbers(Batch* batch);
  // All others, for the CPU to do the work:
  DeviceStatus data(Batch* batch);
  // Writes what the CPU has made to the device.
  DeviceStatus put_back();

 private:
  struct Copy {
    std::uint8_t* here;
    std::uint8_t* there;
    std::size_t bytes;
    bool is_output;
  };
  template <class T>
  DeviceStatus take(T** array, std::size_t bytes, bool is_output);

  static constexpr unsigned kMost = 12;
  DeviceMemory* memory_;
  Copy copies_[kMost];
  unsigned count_ = 0;
};

}  // namespace gpuctr::bulk

#endif
