// Fork and exit: whether this process may still call the device's layer.
//
// CUDA does not survive a fork, whether through the C library or the bare system call. At exit CUDA
// is torn down before the destructors of our static objects run. No function here takes a lock, so
// a child may call all of them, whenever it was forked. Any thread. Rules and tests:
// kernels/bulk/README.md.
#ifndef GPUCTR_KERNELS_BULK_BASE_PROCESS_STATE_H
#define GPUCTR_KERNELS_BULK_BASE_PROCESS_STATE_H

#include <atomic>
#include <cstdint>

namespace gpuctr::bulk {

// Marks this process as one that has threads of the engine, or devices (and threads), and registers
// the exit handler. Called before the first thread and before the first layer call. Repeated calls
// are cheap and harmless.
void process_has_threads();
void process_has_devices();

// fork_generation() of the first process that started devices: this process or an ancestor. 0: no
// process did. Only process_state.cpp writes it.
extern std::atomic<std::uint64_t> first_generation_with_devices;

// False: no process_has_devices() yet, here or in an ancestor. One load.
inline bool process_may_have_devices() {
  return first_generation_with_devices.load(std::memory_order_relaxed) != 0;
}

// Registers the exit handler again after the driver has registered its own: handlers run last in,
// first out, and ours must run first.
void process_started_devices();

// The generation differs between a process that has threads or devices and its child, however the
// child was forked. State made under another generation belongs to an ancestor: it may not be used,
// locked or freed.
std::uint64_t process_generation();

// False once exit has begun. Always false in a child, or a later descendant, of a process that had
// started devices.
bool process_may_use_devices();

// True once exit has begun: memory that the driver owns may be gone, so the caller must not touch
// it.
bool process_is_exiting();

// Delays exit while a layer call runs or memory of the layer is in use. Required before every call
// into the layer and before every access to pinned memory: at exit the driver frees that memory.
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
