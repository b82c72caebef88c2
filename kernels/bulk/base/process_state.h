// Fork and exit: whether this process may still call the device's layer.
//
// CUDA does not survive a fork, by the C library or by the bare system call, and at exit it is torn
// down before our handlers of static objects run. Nothing here takes a lock, so a child forked at
// any moment may call all of this. Any thread. Rules and tests: kernels/bulk/README.md.
#ifndef GPUCTR_KERNELS_BULK_BASE_PROCESS_STATE_H
#define GPUCTR_KERNELS_BULK_BASE_PROCESS_STATE_H

#include <atomic>
#include <cstdint>

namespace gpuctr::bulk {

// Marks this process as one that has threads of ours, or devices (and threads), and registers the
// handler at exit. Before the first thread and the first layer call; cheap and harmless when
// repeated.
void process_has_threads();
void process_has_devices();

// Once more at exit, after the driver has registered its own handlers: handlers run last in, first
// out, and ours has to come first.
void process_started_devices();

// Another number in a child of a process that has either, however it was forked. What was made
// under another generation belongs to an ancestor: it may not be used, locked or freed.
std::uint64_t process_generation();

// False for ever in a child of a process that had begun with devices, and in its children, and once
// exit has begun.
bool process_may_use_devices();

// True from the start of exit on: memory the driver owns may be gone, so it is not touched either.
bool process_is_exiting();

// Holds off exit while a layer call is made or memory of the layer is used. To be asked before
// every call into the layer, and before pinned memory is touched: the driver takes it away.
class DeviceSection {
 public:
  DeviceSection();
  ~DeviceSection();
  DeviceSection(const DeviceSection&) = delete;
  DeviceSection& operator=(const DeviceSection&) = delete;
  explicit operator bool() const { return entered_ != nullptr; }

 private:
  std::atomic<unsigned>* entered_ = nullptr;
};

}  // namespace gpuctr::bulk

#endif
