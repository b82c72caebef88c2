#include "test/bench/gpu/gpu_generators.cuh"

#if __has_include(<curand_kernel.h>)
#define GPUCTR_CURAND 1
#pragma nv_diag_suppress 177
#include <curand_kernel.h>
#endif

namespace gpuctr::bench {
namespace {

constexpr unsigned kRepeats = 11;

#ifdef GPUCTR_CURAND
constexpr unsigned kThreads = 256;

__device__ uint4 four_words(curandStatePhilox4_32_10_t* state) { return curand4(state); }
template <class State>
__device__ uint4 four_words(State* state) {
  return {curand(state), curand(state), curand(state), curand(state)};
}

// A sequence of its own for each thread, as cuRAND's manual has it.
template <class State>
__global__ void seed_kernel(State* states) {
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  curand_init(1234, i, 0, states + i);
}
template <class State>
__global__ void draw_kernel(State* states, uint4* out, std::size_t count) {
  const std::size_t first = std::size_t{blockIdx.x} * kThreads + threadIdx.x;
  State state = states[first];
  for (std::size_t i = first; i < count; i += std::size_t{gridDim.x} * kThreads)
    out[i] = four_words(&state);
  states[first] = state;
}

// The states are made before the clock starts, and go on from call to call.
template <class State>
GeneratorRow curand(const char* name, const Buffers& b, std::size_t bytes) {
  int processors = 0;
  int blocks = 0;
  check(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0));
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, draw_kernel<State>, kThreads, 0));
  const auto grid = static_cast<unsigned>(processors * blocks);
  State* states = nullptr;
  check(cudaMalloc(&states, std::size_t{grid} * kThreads * sizeof(State)));
  seed_kernel<<<grid, kThreads>>>(states);
  check(cudaGetLastError());
  check(cudaDeviceSynchronize());
  const double fill = rate(bytes, kRepeats, [&] {
    draw_kernel<<<grid, kThreads>>>(states, reinterpret_cast<uint4*>(b.out), bytes / 16);
    check(cudaGetLastError());
    check(cudaDeviceSynchronize());
  });
  check(cudaFree(states));
  return {name, "cuRAND", fill};
}
#endif

}  // namespace

std::vector<GeneratorRow> measure_generators(const GpuLayer& layer, GpuStream* stream,
                                             const Buffers& b, std::size_t bytes) {
  std::vector<GeneratorRow> rows;
#ifdef GPUCTR_CURAND
  rows.push_back(curand<curandStateXORWOW_t>("XORWOW", b, bytes));
  rows.push_back(curand<curandStatePhilox4_32_10_t>("Philox4x32-10", b, bytes));
  rows.push_back(curand<curandStateMRG32k3a_t>("MRG32k3a", b, bytes));
#else
  std::fprintf(stderr, "bench_gpu: built without cuRAND's curand_kernel.h: no rows of it\n");
#endif
  for (const char* name : {"IDEA", "BF", "AES-128", "LEA-128"}) {
    const CipherSpec* const cipher = find_cipher(name);
    if (cipher == nullptr || !layer.takes(*cipher)) {
      std::fprintf(stderr, "bench_gpu: no kernels for %s: no row of it\n", name);
      continue;
    }
    RoundKeys keys;
    const std::uint8_t key[kMaxKeyBytes] = {1, 2, 3};
    const std::uint8_t counter[kMaxBlockBytes] = {};
    cipher->expand(key, &keys);
    const double fill = rate(bytes, kRepeats, [&] {
      check(layer.ctr(stream, *cipher, keys, counter, nullptr, b.out, bytes));
      check(layer.stream_wait(stream));
    });
    rows.push_back({name, "gpuctr, counter mode", fill});
  }
  return rows;
}

void print_generators(const std::vector<GeneratorRow>& rows) {
  std::printf("\nRandom numbers in device memory, GB/s\n");
  for (const GeneratorRow& r : rows)
    std::printf("%-16s%-24s%8.0f\n", r.name.c_str(), r.source.c_str(), r.fill);
}

void write_generators(std::FILE* file, const std::vector<GeneratorRow>& rows) {
  const char* separator = "[";
  for (const GeneratorRow& r : rows) {
    std::fprintf(file, "%s\n  {\"name\": \"%s\", \"source\": \"%s\", \"fill\": %.1f}", separator,
                 r.name.c_str(), r.source.c_str(), r.fill);
    separator = ",";
  }
  std::fprintf(file, "%s]", rows.empty() ? "[" : "\n ");
}

}  // namespace gpuctr::bench
