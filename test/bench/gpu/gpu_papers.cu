#include "test/bench/gpu/gpu_papers.cuh"

#include <algorithm>
#include <cstring>

#include "kernels/cpu/backend.h"
#include "test/bench/gpu/papers_aria.cuh"
#include "test/bench/gpu/papers_des.h"
#include "test/bench/gpu/papers_shuffle.cuh"

namespace gpuctr::bench {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;
constexpr unsigned kRepeats = 5;

enum class Mode { kEncrypt, kDecrypt, kChain, kCtr };
constexpr const char* kModeText[] = {"ECB enc.", "ECB dec.", "CBC dec.", "CTR"};
constexpr GpuVerb kVerbs[] = {GpuVerb::kEncrypt, GpuVerb::kDecrypt, GpuVerb::kChain};

// A method as it is launched: so many bytes of b.in to b.out, with thread blocks of so many
// threads.
struct Method {
  const char* cipher;
  Mode mode;
  std::function<void(unsigned threads, std::size_t bytes)> launch;
};

class Bench {
 public:
  Bench(const GpuLayer& layer, GpuStream* stream, const Buffers& b)
      : layer_(layer), stream_(stream), b_(b) {}

  void measure(const Method& method, PaperRow* row) const {
    row->cipher = method.cipher;
    row->mode = kModeText[static_cast<unsigned>(method.mode)];
    check_bytes(method);
    choose_threads(method, row);
    const bool reads = method.mode != Mode::kCtr;
    for (unsigned i = 0; i < kPaperSizeCount; ++i) {
      const std::size_t bytes = kPaperSizes[i] * kMiB;
      row->theirs[i] = rates(bytes, reads, [&] { method.launch(row->threads, bytes); });
      if (we_have(method)) row->ours[i] = rates(bytes, reads, [&] { ours(method, bytes); });
    }
  }

 private:
  // As the first document copies: one after the other, by the null stream.
  PaperRates rates(std::size_t bytes, bool reads, const std::function<void()>& work) const {
    PaperRates r = {};
    r.kernel = rate(bytes, kRepeats, [&] {
      work();
      check(cudaDeviceSynchronize());
    });
    r.copies = rate(bytes, kRepeats, [&] {
      if (reads) check(cudaMemcpy(b_.in, b_.host_in, bytes, cudaMemcpyHostToDevice));
      work();
      check(cudaDeviceSynchronize());
      check(cudaMemcpy(b_.host_out, b_.out, bytes, cudaMemcpyDeviceToHost));
    });
    return r;
  }

  // Whether this build has kernels of ours beside the document's; says so where it has none.
  bool we_have(const Method& method) const {
    if (layer_.takes(*find_cipher(method.cipher))) return true;
    std::fprintf(stderr, "bench_gpu: no kernels of ours for %s: its columns stay empty\n",
                 method.cipher);
    return false;
  }

  void ours(const Method& method, std::size_t bytes) const {
    const CipherSpec& cipher = *find_cipher(method.cipher);
    static const std::uint8_t zeros[kMaxBlockBytes] = {};
    const RoundKeys keys = expanded(cipher);
    if (method.mode == Mode::kCtr) {
      check(layer_.ctr(stream_, cipher, keys, zeros, nullptr, b_.out, bytes));
    } else {
      check(layer_.blocks(stream_, cipher, keys, kVerbs[static_cast<unsigned>(method.mode)], zeros,
                          b_.in, b_.out, bytes / cipher.block_bytes));
    }
    check(layer_.stream_wait(stream_));
  }

  static void choose_threads(const Method& method, PaperRow* row) {
    double best = 0;
    for (const unsigned threads : {256u, 512u}) {
      const double found = rate(64 * kMiB, kRepeats, [&] {
        method.launch(threads, 64 * kMiB);
        check(cudaDeviceSynchronize());
      });
      if (found > best) best = found, row->threads = threads;
    }
  }

  // A method that computes something else would be no comparison.
  void check_bytes(const Method& method) const {
    constexpr std::size_t kSample = 65536;
    std::vector<std::uint8_t> in(kSample);
    std::vector<std::uint8_t> out(kSample);
    std::vector<std::uint8_t> want(kSample);
    check(cudaMemset(b_.out, 0, kSample));
    method.launch(256, kSample);
    check(cudaDeviceSynchronize());
    check(cudaMemcpy(in.data(), b_.in, kSample, cudaMemcpyDeviceToHost));
    check(cudaMemcpy(out.data(), b_.out, kSample, cudaMemcpyDeviceToHost));
    const CipherSpec& cipher = *find_cipher(method.cipher);
    const CipherOps& ops = find_backend("scalar")->ops[cipher.index];
    const RoundKeys keys = expanded(cipher);
    const std::size_t block = cipher.block_bytes;
    if (method.mode == Mode::kCtr) {
      std::fill(in.begin(), in.end(), 0);
      for (std::size_t n = 0; n < kSample / block; ++n) {
        in[block * n + block - 2] = static_cast<std::uint8_t>(n >> 8);
        in[block * n + block - 1] = static_cast<std::uint8_t>(n);
      }
    }
    const bool encrypts = method.mode == Mode::kEncrypt || method.mode == Mode::kCtr;
    (encrypts ? ops.encrypt : ops.decrypt)(keys, in.data(), want.data(), kSample / block);
    if (method.mode == Mode::kChain) {
      for (std::size_t i = block; i < kSample; ++i) want[i] ^= in[i - block];
    }
    if (out == want) return;
    std::fprintf(stderr, "bench_gpu: a document's method is wrong for %s, %s\n", cipher.name,
                 kModeText[static_cast<unsigned>(method.mode)]);
    std::exit(1);
  }

 public:
  static RoundKeys expanded(const CipherSpec& cipher) {
    RoundKeys keys;
    const std::uint8_t key[kMaxKeyBytes] = {1, 2, 3};
    cipher.expand(key, &keys);
    return keys;
  }

 private:
  const GpuLayer& layer_;
  GpuStream* stream_;
  const Buffers& b_;
};

// What the charts of the document show for its largest text, in ms, on a GTX 860M with the copies,
// read to 1 %: the faster of 256 and 512 threads. The charts for 256 bits call that text 256 MB.
struct AriaChart {
  double one_shared, one_constant, four_shared, four_constant, chain;
  double mib;
};
constexpr AriaChart kCharts[] = {{294.7, 965.4, 663.1, 1196.6, 392, 512},
                                 {298.8, 745.9, 832.3, 1307.9, 396, 256}};

template <unsigned kKeyBits>
class AriaMethods {
 public:
  AriaMethods(const Bench& bench, const Buffers& b, std::vector<PaperRow>* rows)
      : bench_(bench), b_(b), rows_(rows) {
    const RoundKeys keys = Bench::expanded(*find_cipher(Aria<kKeyBits>::kName));
    std::uint8_t turned[papers::kAriaKeyBytes] = {};
    papers::turn_keys(keys.bytes, kRounds, turned);
    check(cudaMalloc(&keys_, 2 * papers::kAriaKeyBytes));
    check(cudaMemcpy(keys_, keys.bytes, papers::kAriaKeyBytes, cudaMemcpyHostToDevice));
    check(cudaMemcpy(keys_ + papers::kAriaKeyBytes, turned, papers::kAriaKeyBytes,
                     cudaMemcpyHostToDevice));
  }
  ~AriaMethods() { check(cudaFree(keys_)); }
  AriaMethods(const AriaMethods&) = delete;
  AriaMethods& operator=(const AriaMethods&) = delete;

  void measure() {
    constexpr const AriaChart& chart = kCharts[kKeyBits == 256];
    both<papers::InShared>(chart.one_shared, chart.four_shared, chart.mib);
    both<papers::InConstant>(chart.one_constant, chart.four_constant, chart.mib);
    one<papers::InShared>(Mode::kChain, chart.chain, 512);
  }

 private:
  static constexpr unsigned kRounds = Aria<kKeyBits>::kRounds;

  template <class Place>
  void both(double one_ms, double four_ms, double mib) {
    for (const Mode mode : {Mode::kEncrypt, Mode::kDecrypt}) {
      one<Place>(mode, mode == Mode::kEncrypt ? one_ms : 0, mib);
      four<Place>(mode, mode == Mode::kEncrypt ? four_ms : 0, mib);
    }
  }
  template <class Place>
  void one(Mode mode, double ms, double mib) {
    const auto launch = [this, mode](unsigned threads, std::size_t bytes) {
      const auto grid = static_cast<unsigned>(bytes / 16 / threads);
      const auto kernel = mode == Mode::kChain ? papers::one_thread<Place, kRounds, true>
                                               : papers::one_thread<Place, kRounds, false>;
      kernel<<<grid, threads>>>(keys_of(mode), reinterpret_cast<const uint4*>(b_.in),
                                reinterpret_cast<uint4*>(b_.out));
      check(cudaGetLastError());
    };
    add(mode, launch, std::string("one thread, ") + Place::kText + " boxes", ms, mib);
  }
  template <class Place>
  void four(Mode mode, double ms, double mib) {
    const auto launch = [this, mode](unsigned threads, std::size_t bytes) {
      const auto grid = static_cast<unsigned>(bytes / 4 / threads);
      papers::four_threads<Place, kRounds>
          <<<grid, threads>>>(keys_of(mode), reinterpret_cast<const std::uint32_t*>(b_.in),
                              reinterpret_cast<std::uint32_t*>(b_.out));
      check(cudaGetLastError());
    };
    add(mode, launch, std::string("four threads, ") + Place::kText + " boxes", ms, mib);
  }
  const std::uint8_t* keys_of(Mode mode) const {
    return mode == Mode::kEncrypt ? keys_ : keys_ + papers::kAriaKeyBytes;
  }
  void add(Mode mode, std::function<void(unsigned, std::size_t)> launch, std::string text,
           double ms, double mib) {
    PaperRow row = {};
    row.document = "ARIA on GPU";
    row.method = std::move(text);
    if (ms != 0) row.published = mib * kMiB / ms * 1e-6;
    row.published_on = "GTX 860M";
    bench_.measure({Aria<kKeyBits>::kName, mode, std::move(launch)}, &row);
    rows_->push_back(std::move(row));
  }

  const Bench& bench_;
  const Buffers& b_;
  std::vector<PaperRow>* rows_;
  std::uint8_t* keys_ = nullptr;
};

// A document's counter mode, one block a thread.
struct CounterDocument {
  const char* document;
  const char* method;
  const char* published_on;
};
// Whether copies take part in its figures is not said in public.
constexpr CounterDocument kShuffles = {"Maxwell ciphers", "keys by warp shuffle, T-boxes",
                                       "GTX 980"};
constexpr CounterDocument kShufflesAlone = {"Maxwell ciphers", "keys by warp shuffle", "GTX 980"};
constexpr CounterDocument kInMemory = {"Counter mode by parallelism",
                                       "tables and keys in device memory", "GT 540M"};

class CounterMethods {
 public:
  CounterMethods(const Bench& bench, const Buffers& b, const Wanted& wanted,
                 std::vector<PaperRow>* rows)
      : bench_(bench), b_(b), wanted_(wanted), rows_(rows) {}

  // `published`: GB/s.
  template <class Method>
  void measure(const CounterDocument& document, papers::CounterKernel kernel, double published) {
    const char* const cipher = Method::Cipher::kName;
    if (!wanted_(cipher)) return;
    std::vector<std::uint32_t> words(Method::kKeyWords + Method::kTableWords);
    Method::lay_out(Bench::expanded(*find_cipher(cipher)), words.data(),
                    words.data() + Method::kKeyWords);
    std::uint32_t* card = nullptr;
    check(cudaMalloc(&card, 4 * words.size()));
    check(cudaMemcpy(card, words.data(), 4 * words.size(), cudaMemcpyHostToDevice));
    PaperRow row = {};
    row.document = document.document;
    row.method = document.method;
    row.published = published;
    row.published_on = document.published_on;
    const auto launch = [&](unsigned threads, std::size_t bytes) {
      const auto grid = static_cast<unsigned>(bytes / (4 * Method::kTextWords) / threads);
      kernel<<<grid, threads>>>(card, card + Method::kKeyWords, nullptr,
                                reinterpret_cast<std::uint32_t*>(b_.out));
      check(cudaGetLastError());
    };
    bench_.measure({cipher, Mode::kCtr, launch}, &row);
    rows_->push_back(std::move(row));
    check(cudaFree(card));
  }
  // `gigabits`: as its abstract has it, a second.
  template <class Method>
  void shuffles(double gigabits) {
    measure<Method>(Method::kTableWords == 0 ? kShufflesAlone : kShuffles,
                    papers::shuffle_kernel<Method>, gigabits / 8);
  }

 private:
  const Bench& bench_;
  const Buffers& b_;
  const Wanted& wanted_;
  std::vector<PaperRow>* rows_;
};

}  // namespace

std::vector<PaperRow> measure_papers(const GpuLayer& layer, GpuStream* stream, const Buffers& b,
                                     const Wanted& wanted) {
  std::vector<PaperRow> rows;
  const Bench bench(layer, stream, b);
  CounterMethods counter(bench, b, wanted, &rows);
  counter.shuffles<papers::AesByShuffle>(149);
  counter.shuffles<papers::CamelliaByShuffle>(124);
  counter.shuffles<papers::SeedByShuffle>(112);
  counter.shuffles<papers::CastByShuffle>(143);
  counter.shuffles<papers::IdeaByShuffle>(149);
  counter.shuffles<papers::BlowfishByShuffle>(111);
  counter.shuffles<papers::ThreefishByShuffle>(197);
  // The highest rate in its table I: 128 blocks of 8 bytes in 0.247 ms.
  counter.measure<papers::DesByThread>(kInMemory, papers::memory_kernel<papers::DesByThread>,
                                       128 * 8 / 0.247e-3 * 1e-9);
  if (wanted(Aria<128>::kName)) AriaMethods<128>(bench, b, &rows).measure();
  if (wanted(Aria<256>::kName)) AriaMethods<256>(bench, b, &rows).measure();
  return rows;
}

}  // namespace gpuctr::bench
