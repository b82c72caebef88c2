// Table I of "A high speed implementation counter mode cryptography using hardware parallelism":
// DES in counter mode on few blocks, with its own figures beside. A message is what an application
// asks for: a key, an IV, and one update.
#include <cstring>

#include "kernels/gpu/layer.h"
#include "test/bench/bulk/bulk_evp.h"
#include "test/bench/bulk/bulk_sections.h"

namespace gpuctr::bench {
namespace {

constexpr int kMessages = 100;  // the document's own number
constexpr int kRounds = 15;
constexpr std::size_t kMostBlocks = 1024;

// Seconds: serial C++ on a Core i7-2670QM, and CUDA on a GeForce GT 540M. 0: it has none.
struct Published {
  std::size_t blocks;
  double serial, card;
};
constexpr Published kTable[] = {{2, 1.5e-3, 0.2e-3},       {4, 3.1e-3, 0.2e-3},
                                {8, 4.6e-3, 0.2e-3},       {16, 8.6e-3, 0.2e-3},
                                {32, 2.02e-2, 0.2e-3},     {64, 5.77e-2, 0.2e-3},
                                {128, 1.887e-1, 0.247e-3}, {256, 6.924e-1, 0.839e-3},
                                {512, 2.6629, 0.3226e-2},  {kMostBlocks, 0, 0.42488e-1}};

std::string microseconds(double t) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f us", 1e6 * t);
  return text;
}

// A row for each number of blocks, in place in `data`.
void measure(Cipher* cipher, const std::string& setting, std::uint8_t* data,
             double Published::*theirs, Report* report) {
  for (const Published& p : kTable) {
    const std::size_t bytes = 8 * p.blocks;
    const double t = median_seconds(kRounds,
                                    [&] {
                                      for (int i = 0; i < kMessages; ++i) {
                                        cipher->restart();
                                        cipher->update(data, data, bytes);
                                      }
                                    }) /
                     kMessages;
    std::string note = microseconds(t) + " a message";
    if (p.*theirs != 0) note += "; published " + microseconds(p.*theirs);
    report->row("des", setting, bytes, t, cipher->backend(), note);
  }
}

// OpenSSL has no counter mode of DES; its ECB does the same number of blocks.
void measure_openssl(std::uint8_t* data, Report* report) {
  const Library library("legacy = yes\n");
  OSSL_PROVIDER* const legacy = OSSL_PROVIDER_load(library.get(), "legacy");
  if (legacy == nullptr) {
    report->row("des", "OpenSSL's ECB", 0, 0, "", "no legacy provider");
    return;
  }
  {
    Cipher ecb(library, "DES-ECB", "provider=legacy");
    measure(&ecb, "OpenSSL's ECB, one core", data, &Published::serial, report);
  }
  OSSL_PROVIDER_unload(legacy);
}

void measure_card(std::uint8_t* data, Report* report) {
  const GpuLayer* const layer = gpu_cuda_layer();
  {
    const Library library("legacy = yes\ngpu = require\ngpu-threshold = 1\nread-ahead = off\n");
    Cipher cipher(library, "DES-CTR");
    cipher.update(data, data, 8);
    measure(&cipher, "card, ordinary memory", data, &Published::card, report);
  }
  void* memory = nullptr;
  if (layer->device_alloc(0, 8 * kMostBlocks, &memory) != GpuStatus::kOk) die("no device memory");
  {
    const Library library("legacy = yes\ngpu-pointers = yes\n");
    Cipher cipher(library, "DES-CTR");
    measure(&cipher, "card, its own memory", static_cast<std::uint8_t*>(memory), &Published::card,
            report);
  }
  layer->device_free(0, memory);
}

}  // namespace

void bench_few_blocks(const Settings& settings, Report* report) {
  report->section("few-blocks",
                  "DES-CTR of 2 to 1024 blocks in place: a key, an IV and one update a message");
  const CipherSpec* const des = find_cipher("DES");
  if (des == nullptr) {
    report->row("des", "every setting", 0, 0, "", "a build without DES");
    return;
  }
  alignas(64) static std::uint8_t data[8 * kMostBlocks];
  {
    const Library library("legacy = yes\ngpu = off\nthreads = 1\n");
    Cipher cipher(library, "DES-CTR");
    measure(&cipher, "one core", data, &Published::serial, report);
  }
  measure_openssl(data, report);
  if (settings.cards == 0) {
    report->row("des", "card", 0, 0, "", "no card");
  } else if (!gpu_cuda_layer()->takes(*des)) {
    report->row("des", "card", 0, 0, "", "no kernels for DES in this build");
  } else {
    measure_card(data, report);
  }
}

}  // namespace gpuctr::bench
