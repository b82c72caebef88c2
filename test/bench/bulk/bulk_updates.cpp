// Large updates on ordinary memory: the ceiling, one device or none, several devices, by size.
#include <algorithm>
#include <thread>

#include "kernels/bulk/base/xor.h"
#include "kernels/bulk/engine.h"
#include "kernels/cpu/backend.h"
#include "test/bench/bulk/bulk_evp.h"
#include "test/bench/bulk/bulk_sections.h"

namespace gpuctr::bench {

const char* const kCiphers[3] = {"LEA-128-CTR", "CHAM-128-128-CTR", "HIGHT-CTR"};

namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;
constexpr std::size_t kGiB = std::size_t{1} << 30;
constexpr const char* kAlways = "gpu-threshold = 1\n";  // every update goes to the card

// Until the device serves this cipher and its crossover has been measured beside that, or it is
// clear that none will.
bool wait_for_card(Cipher* cipher, const Buffer& data) {
  const std::size_t n =
      std::min<std::size_t>(data.size(), 256 * kMiB);  // fewer may be the threads'
  for (int i = 0; i < 400; ++i) {
    cipher->update(data.data(), data.data(), n);
    const bool served = cipher->backend() != best_backend().name;
    std::this_thread::sleep_for(std::chrono::milliseconds(served ? 300 : 10));
    if (served) return true;
  }
  return false;
}

// Whole rounds until enough has been seen of a small size, few of a large one.
double time_updates(Cipher* cipher, const Buffer& data, std::size_t n) {
  const std::size_t calls = std::max<std::size_t>(1, 32 * kMiB / n);
  return median_seconds(n >= kGiB ? 3 : 7,
                        [&] {
                          for (std::size_t i = 0; i < calls; ++i)
                            cipher->update(data.data(), data.data(), n);
                        }) /
         static_cast<double>(calls);
}

void xor_all(unsigned threads, const Buffer& keystream, const Buffer& data) {
  std::vector<std::thread> workers;
  const std::size_t share = data.size() / threads / 64 * 64;
  const std::size_t ready = std::min(keystream.size() / threads / 64 * 64, share);
  for (unsigned t = 0; t < threads; ++t) {
    workers.emplace_back([&, t] {
      std::uint8_t* const mine = data.data() + t * share;
      const std::uint8_t* const k = keystream.data() + t * ready;
      for (std::size_t at = 0; at < share; at += ready) {
        bulk::xor_keystream(k, mine + at, mine + at, std::min(ready, share - at), false);
      }
    });
  }
  for (auto& worker : workers) worker.join();
}

}  // namespace

void bench_ceiling(const Settings& settings, Report* report) {
  report->section("ceiling", "Ceiling: data XOR keystream that lies ready in a ring of 128 MiB");
  const Buffer keystream(128 * kMiB);
  const Buffer data(settings.scaled(kGiB));
  std::vector<unsigned> counts = {1};
  if (settings.threads > 1) counts.push_back(settings.threads);
  if (settings.threads > 16) counts.push_back(16);
  for (const unsigned threads : counts) {
    report->row("XOR alone", "threads=" + std::to_string(threads), data.size(),
                median_seconds(5, [&] { xor_all(threads, keystream, data); }), "memory");
  }
}

void bench_updates(const Settings& settings, Report* report) {
  report->section("updates", "EVP_EncryptUpdate in place on ordinary memory");
  std::vector<std::size_t> sizes = {kMiB, 16 * kMiB, 256 * kMiB, settings.scaled(kGiB)};
  if (!settings.quick && settings.memory > 6 * kGiB) sizes.push_back(4 * kGiB);
  const Buffer data(*std::max_element(sizes.begin(), sizes.end()));
  const std::string all = std::to_string(std::min(settings.threads, 16u));
  struct Mode {
    const char* setting;
    std::string keys;
    bool card;
  };
  const Mode modes[] = {{"CPU, threads=1", "gpu = off\nthreads = 1\n", false},
                        {"CPU, all threads", "gpu = off\nthreads = " + all + "\n", false},
                        {"card, threads=1", "threads = 1\n", true},
                        {"card, threads=auto", "threads = auto\n", true}};
  for (const Mode& mode : modes) {
    if (mode.card && settings.cards == 0) {
      report->row("every cipher", mode.setting, kGiB, 0, "", "no card");
      continue;
    }
    const Library library(mode.keys);
    for (const char* name : kCiphers) {
      Cipher cipher(library, name);
      const char* note = mode.card && !wait_for_card(&cipher, data) ? "the card never came" : "";
      for (const std::size_t n : sizes) {
        const double t = time_updates(&cipher, data, n);
        report->row(name, mode.setting, n, t, cipher.backend(), note);
      }
    }
  }
  const Library library("gpu = off\n");
  Cipher aes(library, "AES-128-CTR", "provider=default");
  for (const std::size_t n : sizes) {
    report->row("AES-128-CTR", "OpenSSL", n, time_updates(&aes, data, n), "openssl");
  }
  for (const auto& [name, gbps] : {std::pair<const char*, double>{"LEA-128", 27 / 8.0},
                                   {"CHAM-128/128", 34 / 8.0},
                                   {"HIGHT", 27 / 8.0}}) {
    report->row(name, "published, end to end", kGiB, 1.073741824 / gbps, "RTX 2070",
                "Gbps from the 2020 paper, PCIe 3");
  }
}

void bench_boxes(const Settings& settings, Report* report) {
  report->section("boxes", "Ciphers with S-boxes beside LEA-128, in place on ordinary memory");
  const std::size_t n = settings.scaled(kGiB);
  const Buffer data(n);
  const std::string all = std::to_string(std::min(settings.threads, 16u));
  struct Mode {
    const char* setting;
    std::string keys;
    bool card;
  };
  const Mode modes[] = {{"CPU, all threads", "gpu = off\nthreads = " + all + "\n", false},
                        {"card, threads=auto", "gpu = require\nthreads = auto\n", true}};
  for (const Mode& mode : modes) {
    if (mode.card && settings.cards == 0) {
      report->row("every cipher", mode.setting, n, 0, "", "no card");
      continue;
    }
    const Library library(mode.keys);
    for (const char* name : {"LEA-128", "AES-128", "ARIA-128", "CAMELLIA-128", "SEED"}) {
      if (find_cipher(name) == nullptr) continue;
      Cipher counter(library, std::string(name) + "-CTR");
      counter.update(data.data(), data.data(), n);
      report->row(std::string(name) + "-CTR", mode.setting, n, time_updates(&counter, data, n),
                  counter.backend());
      Cipher chain(library, std::string(name) + "-CBC", "provider=gpuctr",
                   Cipher::Direction::kDecrypt);
      chain.update(data.data(), data.data(), n);
      report->row(std::string(name) + "-CBC decryption", mode.setting, n,
                  time_updates(&chain, data, n), chain.backend());
    }
  }
}

void bench_cards(const Settings& settings, Report* report) {
  report->section("cards", "One update over several cards, in place on ordinary memory");
  const std::size_t n = settings.scaled(settings.memory > 6 * kGiB ? 4 * kGiB : kGiB);
  for (const int count : {1, 2, 4, 8}) {
    if (count > std::max(settings.cards, 1)) break;
    if (settings.cards == 0) {
      report->row("LEA-128-CTR", "gpus=0", n, 0, "", "no card");
      break;
    }
    std::string list = "0";
    for (int i = 1; i < count; ++i) list += "," + std::to_string(i);
    const Library library("gpus = " + list + "\npinned-memory = 512M\n" + kAlways);
    const Buffer data(n);
    for (const char* name : kCiphers) {
      Cipher cipher(library, name);
      wait_for_card(&cipher, data);
      report->row(name, "gpus=" + list, n,
                  median_seconds(3, [&] { cipher.update(data.data(), data.data(), n); }),
                  cipher.backend());
    }
  }
}

void bench_crossover(const Settings& settings, Report* report) {
  report->section("crossover",
                  "Crossover: one update by one core, and by the card with all threads");
  const Buffer data(64 * kMiB);
  const Library cpu("gpu = off\nthreads = 1\n");
  for (const char* name : kCiphers) {
    Cipher cipher(cpu, name);
    for (std::size_t n = 16 * 1024; n <= data.size(); n *= 2) {
      report->row(name, "one core", n, time_updates(&cipher, data, n), cipher.backend());
    }
  }
  if (settings.cards == 0) {
    report->row("every cipher", "card", data.size(), 0, "", "no card");
    return;
  }
  const Library card(std::string("threads = auto\n") + kAlways);
  for (const char* name : kCiphers) {
    Cipher cipher(card, name);
    wait_for_card(&cipher, data);
    for (std::size_t n = 16 * 1024; n <= data.size(); n *= 2) {
      report->row(name, "card", n, time_updates(&cipher, data, n), cipher.backend());
    }
  }
  // What the engine itself finds when nobody sets a threshold.
  Engine engine({});
  for (const char* name : {"LEA-128", "CHAM-128-128", "HIGHT"}) {
    const CipherSpec* const spec = find_cipher(name);
    if (spec == nullptr || !engine.warm_up(*spec)) continue;
    const std::size_t bytes = engine.crossover(*spec);
    report->fact("crossover of " + std::string(name),
                 bytes == SIZE_MAX ? "never" : std::to_string(bytes / 1024) + " KiB");
  }
}

}  // namespace gpuctr::bench
