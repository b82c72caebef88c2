// What makes gpuctr_fake.so of the provider: the fake device in place of CUDA. The linker's --wrap
// sends every call of cuda_layer() here.
//   GPUCTR_FAKE_CARDS, GPUCTR_FAKE_START_US, GPUCTR_FAKE_KERNEL_US: FakeOptions
//   GPUCTR_FAKE_LOST=n: the nth kernel takes its device with it
//   GPUCTR_FAKE_MEMORY=n: n bytes of device memory are made, and GPUCTR_FAKE_AT becomes the two
//   addresses of them, the device's and the one tests may look at
#include <cstdio>
#include <cstdlib>

#include "test/fake_gpu/fake_gpu.h"

namespace gpuctr::test {
namespace {

unsigned number(const char* name, unsigned otherwise) {
  const char* const text = std::getenv(name);
  return text == nullptr ? otherwise : static_cast<unsigned>(std::strtoul(text, nullptr, 10));
}

const DeviceLayer* make_layer() {
  FakeOptions options;
  options.devices = static_cast<int>(number("GPUCTR_FAKE_CARDS", 1));
  options.start_us = number("GPUCTR_FAKE_START_US", 0);
  options.kernel_us = number("GPUCTR_FAKE_KERNEL_US", 0);
  const DeviceLayer* const layer = fake_gpu(options);
  const unsigned lost = number("GPUCTR_FAKE_LOST", 0);
  if (lost != 0) fake_fail(Call::kKernel, lost, DeviceStatus::kDeviceLost);
  void* memory = nullptr;
  const unsigned bytes = number("GPUCTR_FAKE_MEMORY", 0);
  if (bytes != 0 && layer->device_alloc(0, bytes, &memory) == DeviceStatus::kOk) {
    char text[64];
    std::snprintf(text, sizeof text, "%p %p", memory, static_cast<void*>(fake_shadow(memory)));
    setenv("GPUCTR_FAKE_AT", text, 1);
  }
  return layer;
}

}  // namespace

const DeviceLayer* module_layer() __asm__("__wrap__ZN6gpuctr10cuda_layerEv");
const DeviceLayer* module_layer() {
  static const DeviceLayer* const layer = make_layer();
  return layer;
}

}  // namespace gpuctr::test
