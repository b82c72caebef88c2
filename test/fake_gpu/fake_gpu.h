// A device for machines without one: a DeviceLayer whose kernels run on the CPU, in a thread for
// each stream, late if so told, and fail on demand. Its device memory faults when the CPU touches
// it.
#ifndef GPUCTR_TEST_BULK_FAKE_GPU_H
#define GPUCTR_TEST_BULK_FAKE_GPU_H

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/gpu/layer.h"

namespace gpuctr::test {

enum class Call {
  kDeviceCount,
  kDeviceInfo,
  kStreamCreate,
  kStreamWait,
  kEventCreate,
  kEventRecord,
  kEventQuery,
  kEventWait,
  kPinnedAlloc,
  kDeviceAlloc,
  kCopy,
  kZero,
  kCtr,
  kBatch,
  kBlocks,
  kGhash,
  kGcm,
  kNumbers,
  kCtrNumbers,
  kXts,
  kMessages,
  kPointerKind,
  kKernel,  // not a call: a kernel or copy when it runs, later. Failing, it leaves rubbish
  kCount
};

struct FakeOptions {
  int devices = 1;
  unsigned start_us = 0;   // what the first device_count takes
  unsigned kernel_us = 0;  // what each kernel takes besides its work
  std::size_t pinned_limit = SIZE_MAX;
  const CipherSpec* without = nullptr;  // a cipher that it has no kernels for
  bool no_ghash = false;                // the devices lack the instruction
  bool one_pass = false;                // they make GCM, and numbers, in one pass
};

// Makes a new fake device: no call is counted, and none is set to fail. It replaces the last fake,
// and an engine on it has to start its devices again. No child may call the layer of its parent: a
// call from a process other than the first caller's ends that process with status kChildCalled.
const DeviceLayer* fake_gpu(const FakeOptions& options = {});
constexpr int kChildCalled = 99;
// At exit the fake ends as a driver does, in a handler that it registered when it started. After
// that pinned memory is gone, and a call ends the process with status kCalledAfterExit.
constexpr int kCalledAfterExit = 98;

// Ends the current fake's threads and frees its memory, for programs that make thousands of fakes.
// Nothing may use the layer after that: neither an engine nor a stream on it may be at work.
void fake_retire();

// The nth such call from now on (1: the next) and the `times - 1` after it return `status`.
// kDeviceLost takes the device with it, where the call belongs to one.
void fake_fail(Call call, unsigned nth, DeviceStatus status, unsigned times = 1);
// As cudaDeviceReset() by the program: the device's streams and events answer kContextGone from now
// on, and its memory is gone.
void fake_reset_device(int device);
// How often a fault set by fake_fail() has struck: a test of a fault has to see it happen.
unsigned fake_struck();

unsigned fake_calls(Call call);
unsigned fake_calls();                    // all kinds
unsigned fake_kernels_on(int device);     // ended well
std::vector<std::uint8_t> fake_pinned();  // a copy of all pinned memory, once all queues are empty
std::vector<std::uint8_t> fake_device();  // the same of the devices' memory
std::size_t fake_pinned_bytes();

// The bytes behind a pointer into device memory, for tests to fill and to compare.
std::uint8_t* fake_shadow(void* device_memory);

}  // namespace gpuctr::test

#endif
