#include <cuda_runtime.h>

#include <cstring>
#include <memory>
#include <stdexcept>

#include "kernels/gpu/cuda/kernels.h"
#include "test/bench/leaks/leaks.h"

namespace gpuctr::bench {
namespace leaks_card {

constexpr std::size_t kBytes = std::size_t{1} << 20;
constexpr unsigned kTexts = 8;

void must(cudaError_t error, const char* what) {
  if (error != cudaSuccess)
    throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(error));
}

// Texts in device memory: one of equal blocks again and again, or random ones.
struct Card {
  Card() {
    must(cudaStreamCreate(&stream), "stream");
    must(cudaEventCreate(&before), "event");
    must(cudaEventCreate(&after), "event");
    must(cudaMalloc(&out, kBytes), "memory");
    for (unsigned i = 0; i < 2 * kTexts; ++i) {
      must(cudaMalloc(&texts[i / kTexts][i % kTexts], kBytes), "memory");
      Inputs inputs(i < kTexts ? 16 : 4096, 8 + i % kTexts * (i >= kTexts));
      Bytes text;
      while (text.size() < kBytes) {
        const std::uint8_t* const next = inputs.next(i >= kTexts);
        text.insert(text.end(), next, next + inputs.bytes());
      }
      must(cudaMemcpy(texts[i / kTexts][i % kTexts], text.data(), kBytes, cudaMemcpyHostToDevice),
           "copy");
    }
  }
  // Microseconds of the work that `queue` queues.
  template <class Queue>
  double time(const Queue& queue) {
    must(cudaEventRecord(before, stream), "event");
    must(queue(), "launch");
    must(cudaEventRecord(after, stream), "event");
    must(cudaEventSynchronize(after), "kernel");
    float ms = 0;
    must(cudaEventElapsedTime(&ms, before, after), "event");
    return 1e3 * static_cast<double>(ms);
  }
  cudaStream_t stream = nullptr;
  cudaEvent_t before = nullptr, after = nullptr;
  std::uint8_t* texts[2][kTexts] = {};
  std::uint8_t* out = nullptr;
  std::uint8_t* in = nullptr;
  unsigned next = 0;
  void text(bool random) { in = texts[random][next = (next + 1) % kTexts]; }
};

struct CardCipher {
  CardCipher(std::shared_ptr<Card> c, const CipherSpec& s)
      : card(std::move(c)), spec(s), ops(*cuda_ops(s.index)), keys(s.key_bytes, 9) {
    prepare(false);
    card->text(true);
  }
  void prepare(bool random) { spec.expand(keys.next(random), &schedule); }
  double run(bool encrypts) {
    BlockSpan span = {card->in, card->out, kBytes, false, false, {}};
    return card->time(
        [&] { return (encrypts ? ops.encrypt : ops.decrypt)(card->stream, schedule, span); });
  }
  std::shared_ptr<Card> card;
  const CipherSpec& spec;
  const CudaOps& ops;
  Inputs keys;
  RoundKeys schedule = {};
};

void add_cipher(const std::shared_ptr<Card>& card, const CipherSpec& spec,
                std::vector<Trial>* trials) {
  const auto work = std::make_shared<CardCipher>(card, spec);
  for (const bool encrypts : {true, false}) {
    const std::string what = std::string(spec.name) + (encrypts ? " encryption" : " decryption");
    const auto run = [work, encrypts] { return work->run(encrypts); };
    trials->push_back(
        {"card", what + ", texts", false, [work](bool r) { work->card->text(r); }, nullptr, run});
    trials->push_back(
        {"card", what + ", keys", false, [work](bool r) { work->prepare(r); }, nullptr, run});
  }
}

// A leak: one table in shared memory for all lanes. Lanes that look up other words of a bank wait
// for each other.
__global__ void look_up(const std::uint8_t* in, std::uint8_t* out) {
  __shared__ std::uint32_t table[1024];
  for (unsigned i = threadIdx.x; i < 1024; i += blockDim.x) table[i] = i * 2654435761u;
  __syncthreads();
  const std::size_t at = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  std::uint32_t x = in[at];
  for (unsigned i = 0; i < 64; ++i) x = table[(x + in[at] * 4) % 1024] >> 7;
  out[at] = static_cast<std::uint8_t>(x);
}

}  // namespace leaks_card

void add_card(std::vector<Trial>* trials) {
  using namespace leaks_card;
  int cards = 0;
  if (cudaGetDeviceCount(&cards) != cudaSuccess || cards == 0) return;
  const auto card = std::make_shared<Card>();
  trials->push_back({"card", "look-up with bank conflicts", true, [card](bool r) { card->text(r); },
                     nullptr,
                     [card] {
                       return card->time([&] {
                         look_up<<<kBytes / 256, 256, 0, card->stream>>>(card->in, card->out);
                         return cudaGetLastError();
                       });
                     }});
  for (const char* name : {"AES-128", "ARIA-128", "CAMELLIA-128", "SEED", "LEA-128", "HIGHT",
                           "CHAM-64-128", "CHAM-128-128"}) {
    const CipherSpec* const spec = find_cipher(name);
    if (spec != nullptr && cuda_ops(spec->index) != nullptr) add_cipher(card, *spec, trials);
  }
}

}  // namespace gpuctr::bench
