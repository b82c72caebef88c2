// What bench_bulk measures, one function a table.
#ifndef GPUCTR_TEST_BENCH_BULK_SECTIONS_H
#define GPUCTR_TEST_BENCH_BULK_SECTIONS_H

#include <cstddef>
#include <string>
#include <vector>

#include "test/bench/bulk/bulk_report.h"

namespace gpuctr::bench {

struct Settings {
  bool quick = false;      // an eighth of the bytes: to see that it runs
  int cards = 0;           // 0: rows for a device say "no device"
  unsigned threads = 1;    // cores
  std::size_t memory = 0;  // bytes of memory free at the start
  std::size_t scaled(std::size_t bytes) const { return quick ? bytes / 8 : bytes; }
};

extern const char* const kCiphers[3];

// XOR of ready keystream onto data: 1 thread and all, nothing of OpenSSL. The bound of what any
// engine that brings keystream from elsewhere can reach on this memory.
void bench_ceiling(const Settings& settings, Report* report);
// EVP updates of 1 MiB to 4 GiB on ordinary memory, in place, by CPU and device, beside
// AES-128-CTR.
void bench_updates(const Settings& settings, Report* report);
// The command line, 4 KiB (8 in OpenSSL 4) an update, to /dev/null.
void bench_enc(const Settings& settings, Report* report);
// Ciphers with S-boxes beside LEA: large updates in counter mode and in CBC decryption.
void bench_boxes(const Settings& settings, Report* report);
// Data that never leaves the device, through EVP and straight from the kernels.
void bench_device(const Settings& settings, Report* report);
void bench_cards_memory(const Settings& settings, Report* report);
// One large update over 1, 2 and 4 devices.
void bench_cards(const Settings& settings, Report* report);
// DES in counter mode on 2 to 1024 blocks, as a document's table has it: a core and a device.
void bench_few_blocks(const Settings& settings, Report* report);
// Time by size on one core and on a device.
void bench_crossover(const Settings& settings, Report* report);
// Piece and ring sizes by threads, to choose the engine's constants by.
void bench_tune(const Settings& settings, Report* report);

}  // namespace gpuctr::bench

#endif
