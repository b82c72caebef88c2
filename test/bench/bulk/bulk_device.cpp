// Data that stays on a device, and the engine's own sizes: what needs the layer or the engine
// itself.
#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "kernels/bulk/engine.h"
#include "test/bench/bulk/bulk_evp.h"
#include "test/bench/bulk/bulk_sections.h"

namespace gpuctr::bench {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;
constexpr std::size_t kGiB = std::size_t{1} << 30;

// Seconds of the kernel alone, or 0.
double kernel_seconds(const DeviceLayer& layer, const CipherSpec& spec, void* memory,
                      std::size_t n) {
  DeviceStream* stream = nullptr;
  if (layer.stream_create(0, &stream) != DeviceStatus::kOk) return 0;
  RoundKeys keys;
  const std::uint8_t key[kMaxKeyBytes] = {1};
  const std::uint8_t counter[kMaxBlockBytes] = {};
  spec.expand(key, &keys);
  bool good = true;
  const double t = median_seconds(9, [&] {
    good = good && layer.ctr(stream, spec, keys, counter, memory, memory, n) == DeviceStatus::kOk &&
           layer.stream_wait(stream) == DeviceStatus::kOk;
  });
  layer.stream_destroy(stream);
  return good ? t : 0;
}

}  // namespace

void bench_device(const Settings& settings, Report* report) {
  report->section("device", "Data in device memory, in place");
  const DeviceLayer* const layer = cuda_layer();
  void* memory = nullptr;
  const std::size_t n = settings.scaled(kGiB);
  if (settings.cards == 0 || layer->device_alloc(0, n, &memory) != DeviceStatus::kOk) {
    report->row("every cipher", "device pointers", n, 0, "", "no card");
    return;
  }
  auto* const data = static_cast<std::uint8_t*>(memory);
  const Library library("gpu-pointers = yes\n");
  std::vector<const char*> ciphers(std::begin(kCiphers), std::end(kCiphers));
  ciphers.push_back("AES-128-CTR");
  for (const char* name : ciphers) {
    const std::string cipher_name(name);
    const CipherSpec* const spec =
        find_cipher(cipher_name.substr(0, cipher_name.size() - 4).c_str());
    const double kernel = spec == nullptr ? 0 : kernel_seconds(*layer, *spec, memory, n);
    report->row(name, "kernel alone", n, kernel, "cuda");
    Cipher cipher(library, name);
    cipher.update(data, data, n);
    for (const std::size_t size : {64 * kMiB, n}) {
      const double t = median_seconds(9, [&] { cipher.update(data, data, size); });
      char ratio[48];
      std::snprintf(ratio, sizeof ratio, "%.2f of the kernel's rate",
                    kernel / static_cast<double>(n) * static_cast<double>(size) / t);
      report->row(name, "EVP", size, t, cipher.backend(), ratio);
    }
  }
  for (const char* name :
       {"LEA-128-GCM", "AES-128-GCM", "AES-256-GCM", "ARIA-128-GCM", "CAMELLIA-128-GCM"}) {
    if (find_cipher(std::string(name, std::strlen(name) - 4).c_str()) == nullptr) continue;
    Aead aead(library, name);
    for (const std::size_t size : {64 * kMiB, n}) {
      // Some 10 to 30 ms: the device's clock is up, and its power is not yet what limits it.
      const int rounds = size < n ? 101 : 9;
      const double encrypts = median_seconds(rounds, [&] { aead.encrypt(data, size); });
      report->row(name, "EVP, encrypts", size, encrypts, "cuda");
      const double decrypts = median_seconds(
          rounds, [&] { aead.encrypt(data, size); }, [&] { aead.decrypt(data, size); });
      report->row(name, "EVP, decrypts", size, decrypts, "cuda");
    }
  }
  layer->device_free(0, memory);
}

void bench_cards_memory(const Settings& settings, Report* report) {
  report->section("cards-memory", "A thread and a context a card, each on its card's memory");
  const DeviceLayer* const layer = cuda_layer();
  const std::size_t n = settings.scaled(4 * kGiB);
  std::vector<std::uint8_t*> memory;
  std::string list;
  for (int card = 0; card < settings.cards; ++card) {
    void* data = nullptr;
    if (layer->device_alloc(card, n, &data) != DeviceStatus::kOk) break;
    memory.push_back(static_cast<std::uint8_t*>(data));
    list += (card == 0 ? "" : ",") + std::to_string(card);
  }
  if (memory.empty()) report->row("every cipher", "no cards", n, 0, "", "no card");
  const Library library("gpu-pointers = yes\n" + (list.empty() ? "" : "gpus = " + list + "\n"));
  for (const char* name : kCiphers) {
    std::vector<std::unique_ptr<Cipher>> ciphers;
    for (std::uint8_t* const data : memory) {
      ciphers.push_back(std::make_unique<Cipher>(library, name));
      ciphers.back()->update(data, data, n);
      const double t = median_seconds(5, [&] {
        std::vector<std::thread> threads;
        for (std::size_t i = 0; i < ciphers.size(); ++i)
          threads.emplace_back([&, i] { ciphers[i]->update(memory[i], memory[i], n); });
        for (std::thread& thread : threads) thread.join();
      });
      report->row(name, std::to_string(ciphers.size()) + " cards", n * ciphers.size(), t,
                  ciphers.back()->backend());
    }
  }
  for (std::size_t card = 0; card < memory.size(); ++card)
    layer->device_free(static_cast<int>(card), memory[card]);
}

namespace {

// One row; false: there is no device.
bool tune_one(const CipherSpec& spec, const EngineConfig& config, const std::string& setting,
              const Buffer& data, Report* report) {
  RoundKeys keys;
  const std::uint8_t key[kMaxKeyBytes] = {1};
  const std::uint8_t counter[kMaxBlockBytes] = {};
  spec.expand(key, &keys);
  Engine engine(config);
  if (!engine.warm_up(spec)) {
    report->row(spec.name, setting, data.size(), 0, "", "no card");
    return false;
  }
  const double t = median_seconds(
      3, [&] { engine.ctr(spec, keys, counter, data.data(), data.data(), data.size()); });
  const BulkStats stats = engine.stats();
  char share[48];
  std::snprintf(share, sizeof share, "card's share %.2f",
                static_cast<double>(stats.device_bytes) /
                    static_cast<double>(stats.device_bytes + stats.cpu_bytes));
  report->row(spec.name, setting, data.size(), t, "cuda", share);
  return true;
}

}  // namespace

void bench_tune(const Settings& settings, Report* report) {
  report->section("tune", "1 GiB in place on one card: slot and ring sizes by threads");
  const Buffer data(settings.scaled(kGiB));
  EngineConfig config;
  config.gpus = 1;
  config.gpu_threshold = 1;
  for (const char* name : {"LEA-128", "CHAM-128-128", "HIGHT"}) {
    if (!tune_one(*find_cipher(name), config, "as it is", data, report)) return;
  }
  for (const unsigned threads : {1u, 4u, 8u, 16u, 32u}) {
    if (threads > settings.threads) break;
    for (const std::size_t slot : {256u << 10, 512u << 10, 1u << 20, 2u << 20, 4u << 20}) {
      for (const std::size_t ring : {16 * kMiB, 64 * kMiB, 128 * kMiB, 256 * kMiB}) {
        if (ring / slot < 4 || ring / slot > 256) continue;
        config.threads = threads;
        config.slot_bytes = slot;
        config.ring_bytes = ring;
        tune_one(*find_cipher("LEA-128"), config,
                 "t=" + std::to_string(threads) + " slot=" + size_name(slot) +
                     " ring=" + size_name(ring),
                 data, report);
      }
    }
  }
}

}  // namespace gpuctr::bench
