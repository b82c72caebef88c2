// The state of one job of DeviceMemory. Private to DeviceMemory.
#ifndef GPUCTR_KERNELS_BULK_DEVICE_TRANSFER_H
#define GPUCTR_KERNELS_BULK_DEVICE_TRANSFER_H

#include <cstring>

#include "kernels/base/counter.h"
#include "kernels/bulk/device/memory.h"

namespace gpuctr::bulk {

// Where the data is, which device works, and what each half of staging memory holds.
struct DeviceMemory::Transfer {
  Place from;
  Place to;
  int device;
  std::size_t begun[2] = {};  // of each half: offset of its piece in the job
  std::size_t size[2] = {};   // bytes; 0: free

  Transfer(Place source, Place target)
      : from(source),
        to(target),
        device(target.kind == PointerKind::kDevice ? target.device : source.device) {}
  // Whether the device itself can read and write there.
  bool reaches(Place place) const {
    return place.kind == PointerKind::kPinned ||
           (place.kind == PointerKind::kDevice && place.device == device);
  }
};

// Counter mode.
struct DeviceMemory::Stream : Transfer {
  const CipherSpec& cipher;
  const CipherOps& cpu;
  const RoundKeys& keys;
  std::uint8_t counter[kMaxBlockBytes] = {};
  const std::uint8_t* in;  // nullptr: keystream only
  std::uint8_t* out;
  std::size_t bytes;

  Stream(const CipherSpec& spec, const CipherOps& ops, const RoundKeys& round_keys,
         const std::uint8_t* first, const std::uint8_t* source, std::uint8_t* target, std::size_t n,
         Place from_place, Place to_place)
      : Transfer(from_place, to_place),
        cipher(spec),
        cpu(ops),
        keys(round_keys),
        in(source),
        out(target),
        bytes(n) {
    std::memcpy(counter, first, spec.block_bytes);
  }
  // The counter block for the byte at offset `at`, a multiple of the block size.
  void counter_at(std::size_t at, std::uint8_t* block) const {
    std::memcpy(block, counter, kMaxBlockBytes);
    counter_add(block, cipher.block_bytes, at / cipher.block_bytes);
  }
};

// Whole blocks. Bytes from `begin` to `end` are still to be done.
struct DeviceMemory::Blocks : Transfer {
  const BlockWork& work;
  std::size_t begin = 0;
  std::size_t end;

  Blocks(const BlockWork& block_work, Place from_place, Place to_place)
      : Transfer(from_place, to_place), work(block_work), end(block_work.bytes) {}
  std::size_t count(std::size_t bytes) const { return bytes / work.cipher.block_bytes; }
};

}  // namespace gpuctr::bulk

#endif
