// bench_gpu [PART...] [older] [CIPHER...]: every cipher's kernels on the first device, or those
// named, beside the device's memory; the methods of the documents; cuRAND's generators; hashes.
// What the words select is in gpu_selection.h. Run from the root of the tree; prints tables, writes
// build/bench/gpu.json, or the file that GPUCTR_BENCH_JSON names.
#include <cuda_runtime.h>

#include <cstring>
#include <fstream>

#include "kernels/cipher/folders.h"
#include "kernels/cpu/backend.h"
#include "test/bench/gpu/gpu_generators.cuh"
#include "test/bench/gpu/gpu_hash.cuh"
#include "test/bench/gpu/gpu_paper.cuh"
#include "test/bench/gpu/gpu_papers.cuh"
#include "test/bench/gpu/gpu_report.h"
#include "test/bench/gpu/gpu_selection.h"

namespace gpuctr::bench {
namespace {

constexpr std::size_t kBytes = std::size_t{8} << 30;      // on the device
constexpr std::size_t kHostBytes = std::size_t{1} << 30;  // where copies take part
constexpr unsigned kRepeats = 11;

double rate(std::size_t bytes, const std::function<void()>& work) {
  return bench::rate(bytes, kRepeats, work);
}

__global__ void write_kernel(uint4* out, std::size_t count, std::uint32_t value) {
  const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step)
    out[i] = {value, value, value, value};
}
__global__ void xor_kernel(const uint4* in, uint4* out, std::size_t count, std::uint32_t value) {
  const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step) {
    const uint4 x = in[i];
    out[i] = {x.x ^ value, x.y ^ value, x.z ^ value, x.w ^ value};
  }
}

Ceilings measure_ceilings(const Buffers& b) {
  const auto* const in = reinterpret_cast<const uint4*>(b.in);
  auto* const out = reinterpret_cast<uint4*>(b.out);
  constexpr std::size_t kCount = kBytes / 16;
  constexpr unsigned kGrid = 132 * 16;
  Ceilings c = {};
  c.write = rate(kBytes, [&] {
    write_kernel<<<kGrid, 256>>>(out, kCount, 1);
    check(cudaDeviceSynchronize());
  });
  c.copy_xor = rate(kBytes, [&] {
    xor_kernel<<<kGrid, 256>>>(in, out, kCount, 1);
    check(cudaDeviceSynchronize());
  });
  c.to_host = rate(kHostBytes, [&] {
    check(cudaMemcpyAsync(b.host_out, b.out, kHostBytes, cudaMemcpyDeviceToHost));
    check(cudaDeviceSynchronize());
  });
  return c;
}

// A method that computes something else would be no comparison.
template <class C>
void check_paper(const Buffers& b, const RoundKeys& keys, const std::function<void()>& run) {
  constexpr std::size_t kSample = 65536;
  std::vector<std::uint8_t> in(kSample);
  std::vector<std::uint8_t> out(kSample);
  std::vector<std::uint8_t> want(kSample);
  run();
  check(cudaMemcpy(in.data(), b.in, kSample, cudaMemcpyDeviceToHost));
  check(cudaMemcpy(out.data(), b.out, kSample, cudaMemcpyDeviceToHost));
  const CipherSpec& cipher = *find_cipher(C::kName);
  find_backend("scalar")->ops[cipher.index].encrypt(keys, in.data(), want.data(),
                                                    kSample / cipher.block_bytes);
  if (out == want) return;
  std::fprintf(stderr, "bench_gpu: the paper's method is wrong for %s\n", cipher.name);
  std::exit(1);
}

// Whether the paper has this cipher.
template <class C, class = void>
struct InPaper : std::false_type {};
template <class C>
struct InPaper<C, std::void_t<typename paper::Rounds<C>::Text>> : std::true_type {};

template <class C>
void measure_paper(const Buffers& b, const RoundKeys& keys, CipherRow* row) {
  using Text = typename paper::Rounds<C>::Text;
  std::uint32_t spread[C::kRoundKeyWords];
  for (unsigned i = 0; i < C::kRoundKeyWords; ++i) spread[i] = keys.words<typename C::Word>()[i];
  std::uint32_t* card = nullptr;
  check(cudaMalloc(&card, sizeof spread));
  check(cudaMemcpy(card, spread, sizeof spread, cudaMemcpyHostToDevice));
  const auto run = [&](bool ecb, std::size_t at, std::size_t bytes, cudaStream_t stream) {
    const auto blocks = static_cast<unsigned>(bytes / sizeof(Text));
    paper::kernel<C><<<blocks / paper::kThreads, paper::kThreads, 0, stream>>>(
        card, static_cast<std::uint32_t>(at / sizeof(Text)),
        ecb ? reinterpret_cast<const Text*>(b.in + at) : nullptr,
        reinterpret_cast<Text*>(b.out + at));
    check(cudaGetLastError());
  };
  check_paper<C>(b, keys, [&] { run(true, 0, kHostBytes, nullptr); });
  const auto on_device = [&](bool ecb) {
    return rate(kBytes, [&] {
      run(ecb, 0, kBytes, nullptr);
      check(cudaDeviceSynchronize());
    });
  };
  row->paper_ecb = on_device(true);
  row->paper_ctr = on_device(false);
  const auto with_copies = [&](bool ecb) {
    return rate(kHostBytes, [&] {
      if (ecb) check(cudaMemcpy(b.in, b.host_in, kHostBytes, cudaMemcpyHostToDevice));
      run(ecb, 0, kHostBytes, nullptr);
      check(cudaMemcpy(b.host_out, b.out, kHostBytes, cudaMemcpyDeviceToHost));
    });
  };
  row->paper_ecb_copies = with_copies(true);
  row->paper_ctr_copies = with_copies(false);
  constexpr unsigned kStreams = 4;
  cudaStream_t streams[kStreams];
  for (cudaStream_t& s : streams) check(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
  row->paper_ctr_streams = rate(kHostBytes, [&] {
    constexpr std::size_t kPart = kHostBytes / kStreams;
    for (unsigned i = 0; i < kStreams; ++i) {
      run(false, i * kPart, kPart, streams[i]);
      check(cudaMemcpyAsync(b.host_out + i * kPart, b.out + i * kPart, kPart,
                            cudaMemcpyDeviceToHost, streams[i]));
    }
    check(cudaDeviceSynchronize());
  });
  for (cudaStream_t s : streams) check(cudaStreamDestroy(s));
  check(cudaFree(card));
}

// 1024 segments of CTR_DRBG's longest request, a key each, again and again, as the engine sends
// them.
double measure_batch(const DeviceLayer& layer, DeviceStream* stream, const CipherSpec& cipher,
                     const Buffers& b) {
  constexpr std::size_t kCount = 1024;
  const std::size_t each = cipher.block_bytes == 16 ? 65536 : 1024;
  static std::uint8_t keys[kCount][kMaxKeyBytes];
  static DeviceSegment segments[kCount];
  for (std::size_t i = 0; i < kCount; ++i) {
    keys[i][0] = static_cast<std::uint8_t>(i);
    segments[i] = {nullptr, {static_cast<std::uint8_t>(i)}, i * each, each, keys[i]};
  }
  constexpr std::size_t kBatches = 64;
  return rate(kBatches * kCount * each, [&] {
    for (std::size_t i = 0; i < kBatches; ++i)
      check(layer.ctr_batch(stream, cipher, segments, kCount, nullptr, b.out + i * kCount * each));
    check(layer.stream_wait(stream));
  });
}

// What one byte of each cipher takes, in the formulation that runs here, of what a processor of the
// device does in one place only: ALU operations, 64 a clock, or words from bank-private tables, 32
// a clock. IDEA's are of the FMA pipe, which is as wide and has more of them. kernels/gpu/README.md
// says how they were counted.
struct Work {
  const char* name;
  double alu_per_byte;
  double loads_per_byte;
};
constexpr double lea_per_byte(double rounds) {
  return (4 * (9 * rounds - 13) - 2 * rounds) / 64;  // four blocks, a rotation of two on FP64
}
constexpr double loads(double of_a_block, double saved) { return (of_a_block - saved) / 16; }
constexpr Work kWork[] = {
    {"HIGHT", (465 + 4 * 739) / 248.0, 0},
    {"LEA-128", lea_per_byte(24), 0},
    {"LEA-192", lea_per_byte(28), 0},
    {"LEA-256", lea_per_byte(32), 0},
    {"CHAM-64-128", (406 + 5.5 * 509) / 248, 0},
    {"CHAM-128-128", (725 + 14 * 519) / 496.0, 0},
    {"CHAM-128-256", (724 + 15 * 510) / 496.0, 0},
    {"AES-128", 0, loads(10 * 16, 32)},
    {"AES-192", 0, loads(12 * 16, 32)},
    {"AES-256", 0, loads(14 * 16, 32)},
    {"ARIA-128", 0, loads(12 * 16, 25)},
    {"ARIA-192", 0, loads(14 * 16, 25)},
    {"ARIA-256", 0, loads(16 * 16, 25)},
    {"SEED", 0, loads(16 * 12, 4)},
    {"CAMELLIA-128", 0, loads(18 * 8, 18)},
    {"CAMELLIA-192", 0, loads(24 * 8, 18)},
    {"CAMELLIA-256", 0, loads(24 * 8, 18)},
    {"IDEA", (4 * (34 * 3 + 8 * 4 + 2) - 4 * 4) / 32.0, 0},
    {"THREEFISH-256", 739 / 32.0, 0},
    {"THREEFISH-512", 1461 / 64.0, 0},
    {"THREEFISH-1024", (10 * 354 + 32) / 128.0, 0},
    {"DES", 14.9, 0},
    {"DES-EDE3", 41.9, 0},
    {"CAST5", 0, 16 * 4 / 8.0},
    {"BF", 0, (16 * 4 - 7.5) / 8},
};

double floor_of(const CipherSpec& cipher, const CardFacts& card) {
  for (const Work& work : kWork) {
    if (std::strcmp(work.name, cipher.name) != 0) continue;
    const double clocks = work.alu_per_byte / 64 + work.loads_per_byte / 32;
    return card.processors * card.clock_ghz / clocks;
  }
  return 0;
}

template <class C>
CipherRow measure(const DeviceLayer& layer, DeviceStream* stream, std::size_t index,
                  const Buffers& b, const CardFacts& card) {
  const CipherSpec& cipher = cipher_spec(index);
  RoundKeys keys;
  const std::uint8_t key[kMaxKeyBytes] = {1, 2, 3};
  cipher.expand(key, &keys);
  const std::uint8_t counter[kMaxBlockBytes] = {9, 8, 7};
  const auto ctr = [&](const void* in) {
    return rate(kBytes, [&] {
      check(layer.ctr(stream, cipher, keys, counter, in, b.out, kBytes));
      check(layer.stream_wait(stream));
    });
  };
  CipherRow row = {};
  row.name = cipher.name;
  row.fill = ctr(nullptr);
  row.fill_xor = ctr(b.in);
  const auto blocks = [&](DeviceOperation operation) -> double {
    const auto run = [&] {
      return layer.blocks(stream, cipher, keys, operation, counter, b.in, b.out,
                          kBytes / cipher.block_bytes);
    };
    if (run() == DeviceStatus::kUnsupported) return 0;
    return rate(kBytes, [&] {
      check(run());
      check(layer.stream_wait(stream));
    });
  };
  row.encrypt = blocks(DeviceOperation::kEncrypt);
  row.decrypt = blocks(DeviceOperation::kDecrypt);
  row.chain = blocks(DeviceOperation::kChain);
  if (cipher.generator_answer != nullptr) row.batch = measure_batch(layer, stream, cipher, b);
  row.floor = floor_of(cipher, card);
  if constexpr (InPaper<C>::value) measure_paper<C>(b, keys, &row);
  return row;
}

template <class C>
struct Named {
  using Type = C;
};

template <class... C>
std::vector<CipherRow> measure_all(CipherList<C...>, const Selection& selection,
                                   const DeviceLayer& layer, DeviceStream* stream, const Buffers& b,
                                   const CardFacts& card) {
  std::size_t index = 0;
  std::vector<CipherRow> rows;
  const auto one = [&](auto cipher) {
    using Cipher = typename decltype(cipher)::Type;
    const std::size_t at = index++;
    if (!selection.wants(Cipher::kName)) return;
    if (layer.takes(cipher_spec(at))) {
      rows.push_back(measure<Cipher>(layer, stream, at, b, card));
    } else {
      std::fprintf(stderr, "bench_gpu: no kernels for %s: no row of it\n", Cipher::kName);
    }
  };
  (one(Named<C>{}), ...);
  return rows;
}

std::string version(int v) {
  return std::to_string(v / 1000) + "." + std::to_string(v % 1000 / 10);
}

// The kernel module's, which no CUDA call tells: the first word with a dot in its line.
std::string driver_version() {
  std::ifstream file("/proc/driver/nvidia/version");
  for (std::string word; file >> word;) {
    if (word.find('.') != std::string::npos) return word;
  }
  return "unknown";
}

CardFacts card_facts() {
  cudaDeviceProp p;
  check(cudaGetDeviceProperties(&p, 0));
  int khz = 0;
  check(cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, 0));
  int runtime = 0;
  check(cudaRuntimeGetVersion(&runtime));
  return {p.name, driver_version(), version(runtime), p.multiProcessorCount, khz * 1e-6};
}

// Not a constant: equal words cost the tables of the paper's HIGHT no bank conflicts.
void fill_with_random_data(const DeviceLayer& layer, DeviceStream* stream, const Buffers& b) {
  const CipherSpec& cipher = *find_cipher("LEA-256");
  RoundKeys keys;
  const std::uint8_t zeros[kMaxKeyBytes] = {};
  cipher.expand(zeros, &keys);
  check(layer.ctr(stream, cipher, keys, zeros, nullptr, b.in, kBytes));
  check(layer.copy(stream, b.host_in, b.in, kHostBytes));
  check(layer.stream_wait(stream));
}

// What is there already, after each part: a method that is wrong ends the program.
bool save(const Report& report) {
  std::fflush(stdout);
  const char* path = std::getenv("GPUCTR_BENCH_JSON");
  if (path == nullptr) path = "build/bench/gpu.json";
  if (write_json(path, report)) return true;
  std::fprintf(stderr, "bench_gpu: %s could not be written\n", path);
  return false;
}

bool measure_parts(const Selection& selection, const DeviceLayer& layer, DeviceStream* stream,
                   const Buffers& b) {
  Report report = {};
  report.card = card_facts();
  report.ceilings = measure_ceilings(b);
  print_card(report.card, report.ceilings);
  bool written = save(report);
  if (selection.has("ciphers")) {
    report.ciphers = measure_all(AllCiphers{}, selection, layer, stream, b, report.card);
    print_ciphers(report.ciphers);
    written = save(report);
  }
  if (selection.has("documents")) {
    report.papers = measure_papers(layer, stream, b,
                                   [&](const char* cipher) { return selection.wants(cipher); });
    print_papers(report.papers);
    written = save(report);
  }
  if (selection.has("generators")) {
    report.generators = measure_generators(layer, stream, b, kBytes);
    print_generators(report.generators);
    written = save(report);
  }
  if (selection.has("hashes")) {
    report.hashes = measure_hashes(layer, stream, b);
    print_hashes(report.hashes);
    written = save(report);
  }
  if (selection.has("messages")) {
    report.messages = measure_messages(layer, stream, b.in, b.out, kBytes,
                                       [&](const char* cipher) { return selection.wants(cipher); });
    print_messages(report.messages);
    written = save(report);
  }
  return written;
}

int run(const Selection& selection) {
  const DeviceLayer* const layer = cuda_layer();
  int count = 0;
  const DeviceStatus status = layer->device_count(&count);
  if (status != DeviceStatus::kOk) {
    std::fprintf(stderr, "bench_gpu: no card (%s)\n", device_status_text(status));
    return 1;
  }
  Buffers b = {};
  check(cudaMalloc(&b.in, kBytes));
  check(cudaMalloc(&b.out, kBytes));
  check(cudaMallocHost(&b.host_in, kHostBytes));
  check(cudaMallocHost(&b.host_out, kHostBytes));
  DeviceStream* stream = nullptr;
  check(layer->stream_create(0, &stream));
  fill_with_random_data(*layer, stream, b);
  const bool written = measure_parts(selection, *layer, stream, b);
  layer->stream_destroy(stream);
  return written ? 0 : 1;
}

}  // namespace
}  // namespace gpuctr::bench

int main(int argc, char** argv) {
  gpuctr::bench::Selection selection;
  return gpuctr::bench::select(argc, argv, &selection) ? gpuctr::bench::run(selection) : 2;
}
