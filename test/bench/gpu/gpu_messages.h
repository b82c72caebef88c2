// Many messages in one call on a device, and XTS: rows of bench_gpu.
#ifndef GPUCTR_TEST_BENCH_GPU_MESSAGES_H
#define GPUCTR_TEST_BENCH_GPU_MESSAGES_H

#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "kernels/gpu/layer.h"

namespace gpuctr::bench {

// Messages of one size in device memory.
struct MessageRow {
  std::string name;  // "LEA-128-CTR"
  std::string keys;  // "own": each message has its own; "one": all have the same
  std::size_t bytes;
  double giga_messages;  // a second
  double rate;           // GB/s of text
};

// `in` and `out`: device memory of `bytes` bytes.
std::vector<MessageRow> measure_messages(const DeviceLayer& layer, DeviceStream* stream,
                                         const void* in, void* out, std::size_t bytes,
                                         const std::function<bool(const char*)>& wanted);
void print_messages(const std::vector<MessageRow>& rows);
void write_messages(std::FILE* file, const std::vector<MessageRow>& rows);  // a JSON array

}  // namespace gpuctr::bench

#endif
