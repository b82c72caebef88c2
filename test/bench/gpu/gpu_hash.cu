#include "test/bench/gpu/gpu_hash.cuh"

#include <cstring>

#include "kernels/cpu/ghash.h"

namespace gpuctr::bench {
namespace {

constexpr std::size_t kBlock = 16;
constexpr std::size_t kSizes[] = {std::size_t{64} << 20, std::size_t{1} << 30};
constexpr unsigned kRepeats = 9;
constexpr unsigned kGrid = 132;

__device__ __forceinline__ std::uint32_t big_endian(std::uint32_t x) {
  return __byte_perm(x, 0, 0x0123);
}

// Z x^32 of big-endian words: what falls out comes back by the polynomial of SP 800-38D 6.3.
__device__ __forceinline__ uint4 times_x32(uint4 z) {
  const std::uint32_t r = z.w;
  return {r ^ r >> 1 ^ r >> 2 ^ r >> 7, z.x ^ r << 31 ^ r << 30 ^ r << 25, z.y, z.z};
}
__device__ __forceinline__ uint4 add(uint4 a, uint4 b) {
  return {a.x ^ b.x, a.y ^ b.y, a.z ^ b.z, a.w ^ b.w};
}

// Both forms: thread t of n makes Horner's rule over blocks t, t + n, ... with H^n, whose products
// with all values of a byte's place come from a table. The host joins the sums.

// Four tables of 256 entries, for the bytes of a word; eight copies of each entry, so that the
// quarter-warp that is served at a time meets no bank twice.
constexpr unsigned kByteThreads = 512;
constexpr unsigned kByteTables = 4 * 256 * 8;
struct ByBytes {
  static constexpr const char* kText = "tables of 8 bits, a copy for each lane of a quarter-warp";
  static constexpr unsigned kThreads = kByteThreads;
  static constexpr unsigned kShared = kByteTables * 16;
  static constexpr unsigned kEntries = 4 * 256;
  __device__ static void load(const uint4* table, uint4* shared) {
    for (unsigned i = threadIdx.x; i < kByteTables; i += kThreads) shared[i] = table[i / 8];
  }
  __device__ static uint4 product(const uint4* shared, uint4 y) {
    const uint4* const mine = shared + threadIdx.x % 8;
    const std::uint32_t words[4] = {y.x, y.y, y.z, y.w};
    uint4 z = {0, 0, 0, 0};
#pragma unroll
    for (unsigned w = 4; w-- != 0;) {
      if (w != 3) z = times_x32(z);
#pragma unroll
      for (unsigned j = 0; j < 4; ++j) {
        z = add(z, mine[8 * (256 * j + (words[w] >> (24 - 8 * j) & 0xff))]);
      }
    }
    return z;
  }
};

// Eight tables of 16 entries, for the halves of a word's bytes, one copy a thread block.
struct ByNibbles {
  static constexpr const char* kText = "tables of 4 bits";
  static constexpr unsigned kThreads = 256;
  static constexpr unsigned kEntries = 8 * 16;
  static constexpr unsigned kShared = kEntries * 16;
  __device__ static void load(const uint4* table, uint4* shared) {
    for (unsigned i = threadIdx.x; i < kEntries; i += kThreads) shared[i] = table[i];
  }
  __device__ static uint4 product(const uint4* shared, uint4 y) {
    const std::uint32_t words[4] = {y.x, y.y, y.z, y.w};
    uint4 z = {0, 0, 0, 0};
#pragma unroll
    for (unsigned w = 4; w-- != 0;) {
      if (w != 3) z = times_x32(z);
#pragma unroll
      for (unsigned j = 0; j < 8; ++j) {
        z = add(z, shared[16 * j + (words[w] >> (28 - 4 * j) & 0xf)]);
      }
    }
    return z;
  }
};

template <class Form>
__global__ void __launch_bounds__(Form::kThreads)
    hash_kernel(const uint4* table, const uint4* in, std::size_t turns, uint4* sums) {
  extern __shared__ uint4 shared[];
  Form::load(table, shared);
  __syncthreads();
  const std::size_t n = std::size_t{gridDim.x} * Form::kThreads;
  const std::size_t t = std::size_t{blockIdx.x} * Form::kThreads + threadIdx.x;
  uint4 y = {0, 0, 0, 0};
#pragma unroll 2
  for (std::size_t i = 0; i < turns; ++i) {
    const uint4 x = in[t + i * n];
    if (i != 0) y = Form::product(shared, y);
    y = add(y, {big_endian(x.x), big_endian(x.y), big_endian(x.z), big_endian(x.w)});
  }
  sums[t] = {big_endian(y.x), big_endian(y.y), big_endian(y.z), big_endian(y.w)};
}

class Bench {
 public:
  Bench(const GpuLayer& layer, GpuStream* stream, const Buffers& b)
      : layer_(layer), stream_(stream), b_(b), ops_(*best_ghash(64).ops) {
    ops_.expand(kH, &key_);
    void* memory = nullptr;
    check(layer_.pinned_alloc(0, kBlock, &memory));
    sum_ = static_cast<std::uint8_t*>(memory);
  }
  ~Bench() { layer_.pinned_free(sum_); }
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;

  HashRow ours() {
    const auto run = [&](std::size_t bytes) {
      check(layer_.ghash(stream_, kH, kZeros, b_.in, bytes / kBlock, sum_));
      check(layer_.stream_wait(stream_));
    };
    constexpr std::size_t kSample = 1 << 20;
    run(kSample);
    require(std::memcmp(sum_, by_cpu(kSample).data(), kBlock) == 0, "tensor cores");
    return rates("GHASH: tensor cores (ours)", run);
  }

  template <class Form>
  HashRow tables() {
    const std::size_t threads = std::size_t{blocks_of<Form>()} * Form::kThreads;
    const Element power = power_of_h(threads);
    std::vector<std::uint32_t> entries(Form::kEntries * 4);
    fill_table<Form>(power, entries.data());
    uint4* table = nullptr;
    uint4* sums = nullptr;
    check(cudaMalloc(&table, Form::kEntries * sizeof(uint4)));
    check(cudaMalloc(&sums, threads * sizeof(uint4)));
    check(
        cudaMemcpy(table, entries.data(), Form::kEntries * sizeof(uint4), cudaMemcpyHostToDevice));
    check(cudaFuncSetAttribute(hash_kernel<Form>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               Form::kShared));
    const auto run = [&](std::size_t bytes) {
      hash_kernel<Form><<<blocks_of<Form>(), Form::kThreads, Form::kShared>>>(
          table, reinterpret_cast<const uint4*>(b_.in), bytes / kBlock / threads, sums);
      check(cudaGetLastError());
      check(cudaDeviceSynchronize());
    };
    const std::size_t sample = 8 * threads * kBlock;
    run(sample);
    std::vector<std::uint8_t> parts(threads * kBlock);
    check(cudaMemcpy(parts.data(), sums, parts.size(), cudaMemcpyDeviceToHost));
    // The sums are the coefficients of what is left.
    std::uint8_t y[kBlock] = {};
    ops_.update(key_, y, parts.data(), threads);
    require(std::memcmp(y, by_cpu(sample).data(), kBlock) == 0, Form::kText);
    const HashRow row = rates(std::string("GHASH: ") + Form::kText, run);
    check(cudaFree(table));
    check(cudaFree(sums));
    return row;
  }

  HashRow gcm(const char* name) {
    const CipherSpec& cipher = *find_cipher(name);
    RoundKeys keys;
    const std::uint8_t key[kMaxKeyBytes] = {1, 2, 3};
    cipher.expand(key, &keys);
    return rates(std::string(name) + "-GCM", [&](std::size_t bytes) {
      const GpuStatus one_pass = layer_.gcm(
          stream_, cipher, keys, {kZeros, kH, kZeros, b_.in, b_.out, bytes / kBlock, true, sum_});
      if (one_pass != GpuStatus::kUnsupported) {
        check(one_pass);
        check(layer_.stream_wait(stream_));
        return;
      }
      check(layer_.ctr(stream_, cipher, keys, kZeros, b_.in, b_.out, bytes));
      check(layer_.ghash(stream_, kH, kZeros, b_.out, bytes / kBlock, sum_));
      check(layer_.stream_wait(stream_));
    });
  }

 private:
  // A block as numbers; the first bit of a block is the highest of `high`.
  struct Element {
    std::uint64_t high, low;
  };
  static constexpr std::uint8_t kH[kBlock] = {0x66, 0xe9, 0x4b, 0xd4, 0xef, 0x8a, 0x2c, 0x3b,
                                              0x88, 0x4c, 0xfa, 0x59, 0xca, 0x34, 0x2b, 0x2e};
  static constexpr std::uint8_t kZeros[kBlock] = {};

  template <class Form>
  static unsigned blocks_of() {
    return Form::kShared > 65536 ? kGrid : 8 * kGrid;
  }
  static void require(bool good, const char* what) {
    if (good) return;
    std::fprintf(stderr, "bench_gpu: GHASH by %s is wrong\n", what);
    std::exit(1);
  }
  static Element times_x(Element e) {
    return {e.high >> 1 ^ ((e.low & 1) != 0 ? 0xe100000000000000u : 0), e.low >> 1 | e.high << 63};
  }
  // H^n, as the hash of one block of H and n - 1 of zeros.
  Element power_of_h(std::size_t n) const {
    std::vector<std::uint8_t> data(n * kBlock);
    data[0] = 0x80;
    std::uint8_t y[kBlock] = {};
    ops_.update(key_, y, data.data(), n);
    Element e = {0, 0};
    for (unsigned i = 0; i < 8; ++i) {
      e.high = e.high << 8 | y[i];
      e.low = e.low << 8 | y[8 + i];
    }
    return e;
  }
  // Entry v of table j: the product of `power` with what v is in place j of a word's first bits.
  template <class Form>
  static void fill_table(Element power, std::uint32_t* out) {
    constexpr unsigned kTables = Form::kEntries % 256 == 0 ? 4 : 8;
    constexpr unsigned kBits = 32 / kTables;
    for (unsigned j = 0; j < kTables; ++j) {
      Element of_bit[kBits];
      for (unsigned i = 0; i < kBits; ++i, power = times_x(power)) of_bit[i] = power;
      for (unsigned v = 0; v < 1u << kBits; ++v) {
        Element e = {0, 0};
        for (unsigned i = 0; i < kBits; ++i) {
          if ((v >> (kBits - 1 - i) & 1) != 0) e = {e.high ^ of_bit[i].high, e.low ^ of_bit[i].low};
        }
        std::uint32_t* const to = out + 4 * ((j << kBits) + v);
        to[0] = static_cast<std::uint32_t>(e.high >> 32),
        to[1] = static_cast<std::uint32_t>(e.high);
        to[2] = static_cast<std::uint32_t>(e.low >> 32), to[3] = static_cast<std::uint32_t>(e.low);
      }
    }
  }
  std::vector<std::uint8_t> by_cpu(std::size_t bytes) const {
    std::vector<std::uint8_t> data(bytes);
    std::vector<std::uint8_t> y(kBlock);
    check(cudaMemcpy(data.data(), b_.in, bytes, cudaMemcpyDeviceToHost));
    ops_.update(key_, y.data(), data.data(), bytes / kBlock);
    return y;
  }
  static HashRow rates(const std::string& name, const std::function<void(std::size_t)>& run) {
    return {name, rate(kSizes[0], kRepeats, [&] { run(kSizes[0]); }),
            rate(kSizes[1], kRepeats, [&] { run(kSizes[1]); })};
  }

  const GpuLayer& layer_;
  GpuStream* stream_;
  const Buffers& b_;
  const GhashOps& ops_;
  GhashKey key_ = {};
  std::uint8_t* sum_ = nullptr;
};

}  // namespace

std::vector<HashRow> measure_hashes(const GpuLayer& layer, GpuStream* stream, const Buffers& b) {
  Bench bench(layer, stream, b);
  std::vector<HashRow> rows = {bench.ours(), bench.tables<ByBytes>(), bench.tables<ByNibbles>()};
  for (const char* name : {"LEA-128", "LEA-256", "AES-128", "AES-256", "ARIA-128", "CAMELLIA-128",
                           "CHAM-128-128", "SEED"}) {
    if (find_cipher(name) != nullptr) rows.push_back(bench.gcm(name));
  }
  return rows;
}

void print_hashes(const std::vector<HashRow>& rows) {
  std::printf("\n%-66s%10s%10s\n", "Hash and GCM, GB/s", "64 MiB", "1 GiB");
  for (const HashRow& r : rows) {
    std::printf("%-66s%10.0f%10.0f\n", r.name.c_str(), r.small, r.large);
  }
}

void write_hashes(std::FILE* file, const std::vector<HashRow>& rows) {
  const char* separator = "[";
  for (const HashRow& r : rows) {
    std::fprintf(file, "%s\n  {\"name\": \"%s\", \"64 MiB\": %.1f, \"1 GiB\": %.1f}", separator,
                 r.name.c_str(), r.small, r.large);
    separator = ",";
  }
  std::fprintf(file, "%s]", rows.empty() ? "[" : "\n ");
}

}  // namespace gpuctr::bench
