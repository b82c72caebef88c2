// The bit-sliced kernels on a card: checked against the scalar ciphers, then timed.
//
// usage: bitslice_probe [check|time|all] [megabytes]
// Prints a line a cipher; the exit status is 0 where every check passed, 77 where there is no card.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <vector>

#include "kernels/backend/cuda_kernels.h"
#include "kernels/backend/machine.h"

namespace {

using gpuctr::CudaTiles;

#define MUST(call)                                                               \
  do {                                                                           \
    const cudaError_t error = (call);                                            \
    if (error != cudaSuccess) {                                                  \
      std::printf("%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error)); \
      std::exit(2);                                                              \
    }                                                                            \
  } while (0)

std::mt19937_64 rng(20240607);

void random_bytes(std::uint8_t* p, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) p[i] = static_cast<std::uint8_t>(rng());
}

struct Case {
  const char* what;
  std::size_t blocks;
  std::uint64_t low;  // counter's low 64 bits where `set`
  bool set;
  bool ones;  // all counter bits from 64 up are ones
};

// Lengths around a tile and a block of warps, and counters that carry at every interesting width.
const Case kCases[] = {
    {"random", 5000, 0, false, false},
    {"two blocks", 2, 0, false, false},
    {"whole tiles", 16384, 0x12345678000, true, false},
    {"tile minus 2", 1022, 0x3ff, true, false},
    {"tile plus 2", 1026, 0x400, true, false},
    {"carry at 32 bits", 9000, 0xfffff800, true, false},
    {"carry at 32, odd", 9002, 0x77fffffffd, true, false},
    {"carry at 64 bits", 9000, 0xfffffffffffff123, true, false},
    {"carry through all", 9000, 0xfffffffffffff801, true, true},
};

bool check_case(std::size_t cipher, const Case& c, bool with_data, bool in_place) {
  const gpuctr::CipherSpec& spec = gpuctr::cipher_spec(cipher);
  const CudaTiles& tiles = *gpuctr::cuda_tiles(cipher);
  const std::size_t bytes = c.blocks * spec.block_bytes;
  constexpr std::size_t kGuard = 4096;
  std::uint8_t key[gpuctr::kMaxKeyBytes], counter[gpuctr::kMaxBlockBytes];
  random_bytes(key, sizeof key);
  random_bytes(counter, sizeof counter);
  if (c.set) {
    for (unsigned i = 0; i < 8; ++i) {
      counter[spec.block_bytes - 1 - i] = static_cast<std::uint8_t>(c.low >> (8 * i));
    }
  }
  if (c.ones) std::memset(counter, 0xff, spec.block_bytes - 8);
  gpuctr::RoundKeys keys;
  spec.expand(key, &keys);

  std::vector<std::uint8_t> data(bytes), want(bytes), got(bytes + 2 * kGuard);
  random_bytes(data.data(), bytes);
  gpuctr::find_machine("scalar")->ops[cipher].ctr(keys, counter, with_data ? data.data() : nullptr,
                                                  want.data(), bytes);

  std::uint8_t *in = nullptr, *out = nullptr;
  MUST(cudaMalloc(&in, bytes));
  MUST(cudaMalloc(&out, bytes + 2 * kGuard));
  MUST(cudaMemset(out, 0xa5, bytes + 2 * kGuard));
  MUST(cudaMemcpy(in, data.data(), bytes, cudaMemcpyHostToDevice));
  if (in_place) MUST(cudaMemcpy(out + kGuard, data.data(), bytes, cudaMemcpyHostToDevice));
  MUST(tiles.ctr(nullptr, keys, counter,
                 !with_data ? nullptr
                 : in_place ? out + kGuard
                            : in,
                 out + kGuard, bytes));
  MUST(cudaMemcpy(got.data(), out, bytes + 2 * kGuard, cudaMemcpyDeviceToHost));
  MUST(cudaFree(in));
  MUST(cudaFree(out));

  bool good = std::memcmp(got.data() + kGuard, want.data(), bytes) == 0;
  for (std::size_t i = 0; i < kGuard; ++i) {
    good = good && got[i] == 0xa5 && got[kGuard + bytes + i] == 0xa5;
  }
  if (!good) {
    std::size_t at = 0;
    while (at < bytes && got[kGuard + at] == want[at]) ++at;
    std::printf("%s: %s (data %d, in place %d): wrong from byte %zu of %zu\n", spec.name, c.what,
                with_data, in_place, at, bytes);
  }
  return good;
}

bool check(std::size_t cipher) {
  bool good = true;
  for (const Case& c : kCases) {
    good &= check_case(cipher, c, false, false);
    good &= check_case(cipher, c, true, false);
    good &= check_case(cipher, c, true, true);
  }
  return good;
}

// Median of 15 runs, in GB/s (10^9 bytes) of keystream.
double rate(std::size_t cipher, const void* in, void* out, std::size_t bytes) {
  const gpuctr::CipherSpec& spec = gpuctr::cipher_spec(cipher);
  std::uint8_t key[gpuctr::kMaxKeyBytes], counter[gpuctr::kMaxBlockBytes];
  random_bytes(key, sizeof key);
  random_bytes(counter, sizeof counter);
  gpuctr::RoundKeys keys;
  spec.expand(key, &keys);
  cudaEvent_t begin, end;
  MUST(cudaEventCreate(&begin));
  MUST(cudaEventCreate(&end));
  std::vector<float> ms;
  for (unsigned i = 0; i < 18; ++i) {
    MUST(cudaEventRecord(begin));
    MUST(gpuctr::cuda_tiles(cipher)->ctr(nullptr, keys, counter, in, out, bytes));
    MUST(cudaEventRecord(end));
    MUST(cudaEventSynchronize(end));
    float t = 0;
    MUST(cudaEventElapsedTime(&t, begin, end));
    if (i >= 3) ms.push_back(t);
  }
  MUST(cudaEventDestroy(begin));
  MUST(cudaEventDestroy(end));
  std::nth_element(ms.begin(), ms.begin() + 7, ms.end());
  return static_cast<double>(bytes) / 1e6 / static_cast<double>(ms[7]);
}

}  // namespace

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "all";
  const std::size_t bytes = (argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 2048) << 20;
  int cards = 0;
  if (cudaGetDeviceCount(&cards) != cudaSuccess || cards == 0) {
    std::printf("skipped: no CUDA device\n");
    return 77;
  }
  bool good = true;
  void *in = nullptr, *out = nullptr;
  if (std::strcmp(what, "check") != 0) {
    MUST(cudaMalloc(&in, bytes));
    MUST(cudaMalloc(&out, bytes));
    MUST(cudaMemset(in, 0x5a, bytes));
  }
  for (std::size_t cipher = 0; cipher < gpuctr::kCipherCount; ++cipher) {
    if (gpuctr::cuda_tiles(cipher) == nullptr) continue;
    std::printf("%-13s", gpuctr::cipher_spec(cipher).name);
    if (std::strcmp(what, "time") != 0) {
      const bool right = check(cipher);
      good &= right;
      std::printf("  %s", right ? "right" : "WRONG");
    }
    if (std::strcmp(what, "check") != 0) {
      std::printf("  keystream %6.0f GB/s", rate(cipher, nullptr, out, bytes));
      std::printf("  data XOR %6.0f GB/s", rate(cipher, in, out, bytes));
    }
    std::printf("\n");
  }
  MUST(cudaDeviceSynchronize());
  return good ? 0 : 1;
}
