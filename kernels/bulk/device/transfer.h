// A job in counter mode where at least one side is a card's memory.
#ifndef GPUCTR_KERNELS_BULK_DEVICE_JOB_H
#define GPUCTR_KERNELS_BULK_DEVICE_JOB_H

#include <cstring>

#include "kernels/base/counter.h"
#include "kernels/bulk/device/memory.h"

namespace gpuctr::bulk {

struct DeviceMemory::Job {
  const CipherSpec& cipher;
  const CipherOps& cpu;
  const RoundKeys& keys;
  std::uint8_t counter[kMaxBlockBytes];
  const std::uint8_t* in;
  std::uint8_t* out;
  std::size_t n;
  Place from;
  Place to;
  int device;

  // Whether the card can read or write there itself.
  bool reaches(Place place) const {
    return place.kind == GpuPointerKind::kPinned ||
           (place.kind == GpuPointerKind::kDevice && place.device == device);
  }
  // The counter block `at` bytes on, a whole number of blocks.
  void counter_at(std::size_t at, std::uint8_t* block) const {
    std::memcpy(block, counter, kMaxBlockBytes);
    counter_add(block, cipher.block_bytes, at / cipher.block_bytes);
  }
};

}  // namespace gpuctr::bulk

#endif
