// What bench_gpu found: a table on standard output and build/bench/gpu.json.
#ifndef GPUCTR_TEST_BENCH_GPU_REPORT_H
#define GPUCTR_TEST_BENCH_GPU_REPORT_H

#include <string>
#include <vector>

#include "test/bench/gpu/gpu_generators.h"
#include "test/bench/gpu/gpu_hash.h"
#include "test/bench/gpu/gpu_messages.h"
#include "test/bench/gpu/papers.h"

namespace gpuctr::bench {

struct CardFacts {
  std::string name;
  std::string driver;
  std::string cuda;
  int processors;
  double clock_ghz;  // the highest
};

// All in GB/s (10^9 bytes), medians; 0 where not measured.
struct CipherRow {
  std::string name;
  double fill, fill_xor;        // ours, on the device
  double encrypt, decrypt;      // ours, each block for itself
  double chain;                 // ours, CBC decryption
  double batch;                 // ours, CTR_DRBG's segments with a key each
  double floor;                 // ours: operations over what the device can issue
  double paper_ecb, paper_ctr;  // the paper's kernels on the device
  double paper_ecb_copies;      // with the plaintext's and the result's copies
  double paper_ctr_copies;      // with the result's copy
  double paper_ctr_streams;     // the same, copies and kernels in four streams
};

struct Ceilings {
  double write, copy_xor, to_host;
};

// Lists are empty where a part was not run.
struct Report {
  CardFacts card;
  Ceilings ceilings;
  std::vector<CipherRow> ciphers;
  std::vector<PaperRow> papers;
  std::vector<GeneratorRow> generators;
  std::vector<HashRow> hashes;
  std::vector<MessageRow> messages;
};

void print_card(const CardFacts& card, const Ceilings& ceilings);
void print_ciphers(const std::vector<CipherRow>& rows);
// False if the file could not be written.
bool write_json(const char* path, const Report& report);

}  // namespace gpuctr::bench

#endif
