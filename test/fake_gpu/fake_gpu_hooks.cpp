// What tests ask of the fake device, and what they tell it to do.
#include <sys/mman.h>

#include "test/fake_gpu/fake_gpu.h"
#include "test/fake_gpu/fake_gpu_state.h"

namespace gpuctr::test {

void fake_fail(Call call, unsigned nth, DeviceStatus status, unsigned times) {
  const std::lock_guard<std::mutex> lock(fake().mutex);
  fake().faults[static_cast<int>(call)] = {fake_calls(call) + nth, times, status};
}

void fake_reset_device(int device) {
  Fake& f = fake();
  f.contexts[device].fetch_add(1);
  wait_for_queues();
  const std::lock_guard<std::mutex> lock(f.mutex);
  for (auto it = f.memory.begin(); it != f.memory.end();) {
    if (it->second.device == device) {
      munmap(it->second.shadow, it->second.bytes);
      it = f.memory.erase(it);
    } else {
      ++it;
    }
  }
}

unsigned fake_struck() { return fake().struck; }
unsigned fake_calls(Call call) { return fake().calls[static_cast<int>(call)]; }
unsigned fake_calls() {
  unsigned n = 0;
  for (const auto& calls : fake().calls) n += calls;
  return n;
}
unsigned fake_kernels_on(int device) { return fake().kernels[device]; }

namespace {
std::vector<std::uint8_t> contents(bool pinned) {
  std::vector<std::uint8_t> all;
  wait_for_queues();
  const std::lock_guard<std::mutex> lock(fake().mutex);
  for (const auto& [start, m] : fake().memory) {
    if ((m.device < 0) == pinned) all.insert(all.end(), m.shadow, m.shadow + m.bytes);
  }
  return all;
}
}  // namespace

std::vector<std::uint8_t> fake_pinned() { return contents(true); }
std::vector<std::uint8_t> fake_device() { return contents(false); }

std::size_t fake_pinned_bytes() {
  std::size_t n = 0;
  const std::lock_guard<std::mutex> lock(fake().mutex);
  for (const auto& [start, m] : fake().memory) n += m.device < 0 ? m.bytes : 0;
  return n;
}

}  // namespace gpuctr::test
