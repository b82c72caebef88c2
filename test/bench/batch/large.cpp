#include "test/bench/batch/large.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "kernels/bulk/engine.h"
#include "kernels/gpu/layer.h"
#include "test/bench/batch/evp.h"
#include "test/bench/must.h"

namespace gpuctr::bench {
namespace {

constexpr const char* kCiphers[] = {"AES-128", "LEA-128", "ARIA-128", "HIGHT", "CHAM-64-128"};
constexpr std::size_t kSizes[] = {64, 256, 1024, 4096};
constexpr std::size_t kMostMessages = std::size_t{1} << 20, kMostText = std::size_t{256} << 20;
constexpr unsigned kRounds = 5;

// All arrays lie in one piece of memory.
constexpr std::size_t kEach = 32 + 16 + kAadBytes + kTagBytes;
constexpr std::size_t kBytes = kMostMessages * kEach + kMostText;

BatchArrays arrays_in(std::uint8_t* memory, std::size_t size) {
  const std::size_t n = std::min(kMostMessages, kMostText / size);
  std::uint8_t* const ivs = memory + 32 * kMostMessages;
  std::uint8_t* const aad = ivs + 16 * kMostMessages;
  std::uint8_t* const tags = aad + kAadBytes * kMostMessages;
  return {n, size, memory, ivs, aad, tags, memory + kEach * kMostMessages, nullptr};
}

// Memory of the first device, with the bytes of `from`; nullptr: no device.
std::uint8_t* device_copy(const DeviceLayer* layer, const std::vector<std::uint8_t>& from) {
  int count = 0;
  void* memory = nullptr;
  DeviceStream* stream = nullptr;
  if (layer == nullptr || layer->device_count(&count) != DeviceStatus::kOk || count == 0 ||
      layer->device_alloc(0, from.size(), &memory) != DeviceStatus::kOk) {
    return nullptr;
  }
  must(layer->stream_create(0, &stream) == DeviceStatus::kOk &&
           layer->copy(stream, memory, from.data(), from.size()) == DeviceStatus::kOk &&
           layer->stream_wait(stream) == DeviceStatus::kOk,
       "a copy to the device");
  layer->stream_destroy(stream);
  return static_cast<std::uint8_t*>(memory);
}

// Messages a second, the median.
double rate(const BatchLibrary& library, const CipherSpec& spec, ManyMode mode,
            const BatchArrays& arrays) {
  ThroughEvp batch(library, spec, mode, arrays);
  std::vector<double> seconds;
  for (unsigned i = 0; i <= kRounds; ++i) {
    const auto start = std::chrono::steady_clock::now();
    batch();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    if (i != 0) seconds.push_back(took.count());
  }
  std::sort(seconds.begin(), seconds.end());
  return static_cast<double>(arrays.messages) / seconds[kRounds / 2];
}

struct Column {
  const char* name;
  BatchLibrary library;
  std::uint8_t* memory;
};

}  // namespace

void measure_large(std::FILE* json) {
  std::vector<std::uint8_t> host(kBytes);
  std::mt19937_64 random(1);
  for (std::size_t i = 0; i < host.size(); i += 8) {
    const std::uint64_t word = random();
    std::memcpy(&host[i], &word, sizeof word);
  }
  const DeviceLayer* const layer = cuda_layer();
  std::uint8_t* const device = device_copy(layer, host);
  std::vector<std::unique_ptr<Column>> columns;
  const std::string cores = std::to_string(std::thread::hardware_concurrency());
  const auto add = [&](const char* name, const std::string& settings, std::uint8_t* memory) {
    columns.emplace_back(new Column{name, BatchLibrary(settings), memory});
  };
  add("one core", "gpu = off\nthreads = 1\n", host.data());
  add("all cores", "gpu = off\nthreads = " + cores + "\n", host.data());
  if (device != nullptr) {
    add("device", "gpu = require\n", host.data());
    add("its memory", "gpu = require\ngpu-pointers = yes\n", device);
  }
  std::printf(
      "\nLarge batches with a key each, 10^6 messages a second; \"its memory\": the "
      "device's\n%-26s %9s",
      "", "messages");
  for (const auto& column : columns) std::printf(" %11s", column->name);
  std::printf("\n");
  const char* separator = "";
  for (const char* const name : kCiphers) {
    const CipherSpec* const spec = find_cipher(name);
    if (spec == nullptr) continue;
    for (const ManyMode mode : {ManyMode::kCtr, ManyMode::kGcm}) {
      if (BatchData::authenticates(mode) && spec->block_bytes != 16) continue;
      for (const std::size_t size : kSizes) {
        const std::string row = std::string(name) + "-" + kModes[static_cast<int>(mode)] + " " +
                                std::to_string(size) + " B";
        std::printf("%-26s %9zu", row.c_str(), arrays_in(host.data(), size).messages);
        std::fprintf(json, "%s\n  {\"row\": \"%s\"", separator, row.c_str());
        for (const auto& column : columns) {
          const double each = rate(column->library, *spec, mode, arrays_in(column->memory, size));
          std::printf(" %11.1f", 1e-6 * each);
          std::fprintf(json, ", \"%s\": %.2f", column->name, 1e-6 * each);
        }
        std::printf("\n");
        std::fprintf(json, "}");
        separator = ",";
      }
    }
  }
  if (device != nullptr) layer->device_free(0, device);
}

}  // namespace gpuctr::bench
