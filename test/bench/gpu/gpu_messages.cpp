#include "test/bench/gpu/gpu_messages.h"

#include <time.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace gpuctr::bench {
namespace {

constexpr unsigned kRepeats = 7;
constexpr std::size_t kMostMessages = std::size_t{1} << 24;
constexpr std::size_t kAad = 16;

void check(DeviceStatus status) {
  if (status == DeviceStatus::kOk) return;
  std::fprintf(stderr, "bench_gpu: %s\n", device_status_text(status));
  std::exit(1);
}

double seconds_now() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

class Bench {
 public:
  Bench(const DeviceLayer& layer, DeviceStream* stream, const void* in, void* out,
        std::size_t bytes)
      : layer_(layer), stream_(stream), in_(in), out_(out), bytes_(bytes) {
    for (void** memory : {&keys_, &ivs_, &aad_, &tags_, &results_}) {
      const std::size_t each = memory == &keys_ ? 32 : 16;
      check(layer_.device_alloc(0, each * kMostMessages, memory));
      check(layer_.zero(stream_, *memory, each * kMostMessages));
    }
    // Random keys and IVs: the keystream of some cipher.
    const CipherSpec& cipher = *find_cipher("LEA-128");
    const std::uint8_t zeros[kMaxKeyBytes] = {};
    RoundKeys random;
    cipher.expand(zeros, &random);
    check(layer_.ctr(stream_, cipher, random, zeros, nullptr, keys_, 32 * kMostMessages));
    check(layer_.ctr(stream_, cipher, random, zeros, keys_, ivs_, 16 * kMostMessages));
    check(layer_.stream_wait(stream_));
  }
  ~Bench() {
    for (void* memory : {keys_, ivs_, aad_, tags_, results_}) layer_.device_free(0, memory);
  }
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;

  void messages(const char* cipher_name, DeviceMode mode, bool own, std::size_t length) {
    constexpr const char* kNames[] = {"CTR", "GCM", "CCM", "CBC"};
    const CipherSpec& cipher = *find_cipher(cipher_name);
    RoundKeys one;
    const std::uint8_t zeros[kMaxKeyBytes] = {};
    cipher.expand(zeros, &one);
    DeviceMessages m = {};
    m.mode = mode;
    m.encrypts = true;
    m.count = std::min(kMostMessages, std::min(bytes_, std::size_t{2} << 30) / length);
    m.own = own ? nullptr : &one;
    m.keys = own ? keys_ : nullptr;
    m.ivs = ivs_;
    const bool tagged = mode == DeviceMode::kGcm || mode == DeviceMode::kCcm;
    m.iv_bytes = tagged ? 12 : cipher.block_bytes;
    m.length = length;
    m.in = in_;
    m.out = out_;
    m.aad = aad_;
    m.aad_length = tagged ? kAad : 0;
    m.tags = tags_;
    m.tag_bytes = 16;
    const double seconds = median([&] {
      check(layer_.messages(stream_, cipher, m));
      check(layer_.stream_wait(stream_));
    });
    add(cipher_name, kNames[static_cast<int>(mode)], own ? "own" : "one", length, m.count, seconds);
  }

  // Sectors of `unit` bytes under one key pair; counter mode and CFB decryption of the same bytes.
  void sectors(const char* cipher_name, std::size_t unit) {
    const CipherSpec& cipher = *find_cipher(cipher_name);
    RoundKeys keys;
    const std::uint8_t zeros[kMaxBlockBytes + kMaxKeyBytes] = {};
    cipher.expand(zeros, &keys);
    const std::size_t bytes = std::min({bytes_, std::size_t{2} << 30, kMostMessages * unit});
    for (const bool encrypts : {true, false}) {
      const DeviceXts work = {encrypts, nullptr, &keys, ivs_, unit, in_, out_, bytes};
      const double seconds = median([&] {
        check(layer_.xts(stream_, cipher, keys, work));
        check(layer_.stream_wait(stream_));
      });
      add(cipher_name, encrypts ? "XTS" : "XTS decryption", "one", unit, bytes / unit, seconds);
    }
  }
  void long_texts(const char* cipher_name) {
    const CipherSpec& cipher = *find_cipher(cipher_name);
    RoundKeys keys;
    const std::uint8_t zeros[kMaxBlockBytes + kMaxKeyBytes] = {};
    cipher.expand(zeros, &keys);
    const std::size_t bytes = std::min(bytes_, std::size_t{2} << 30);
    add(cipher_name, "CTR, one text", "one", bytes, 1, median([&] {
          check(layer_.ctr(stream_, cipher, keys, zeros, in_, out_, bytes));
          check(layer_.stream_wait(stream_));
        }));
    for (const auto& [operation, name] :
         {std::pair{DeviceOperation::kEncrypt, "ECB"},
          std::pair{DeviceOperation::kChain, "CBC decryption"},
          std::pair{DeviceOperation::kFeedback, "CFB decryption"}}) {
      add(cipher_name, name, "one", bytes, 1, median([&] {
            check(layer_.blocks(stream_, cipher, keys, operation, zeros, in_, out_,
                                bytes / cipher.block_bytes));
            check(layer_.stream_wait(stream_));
          }));
    }
  }

  std::vector<MessageRow> rows;

 private:
  static double median(const std::function<void()>& work) {
    std::vector<double> times;
    for (unsigned i = 0; i <= kRepeats; ++i) {
      const double start = seconds_now();
      work();
      if (i != 0) times.push_back(seconds_now() - start);
    }
    std::sort(times.begin(), times.end());
    return times[kRepeats / 2];
  }
  void add(const char* cipher, const char* mode, const char* keys, std::size_t length,
           std::size_t count, double seconds) {
    const auto messages = static_cast<double>(count);
    rows.push_back({std::string(cipher) + "-" + mode, keys, length, 1e-9 * messages / seconds,
                    1e-9 * messages * static_cast<double>(length) / seconds});
  }

  const DeviceLayer& layer_;
  DeviceStream* const stream_;
  const void* const in_;
  void* const out_;
  const std::size_t bytes_;
  void *keys_ = nullptr, *ivs_ = nullptr, *aad_ = nullptr, *tags_ = nullptr, *results_ = nullptr;
};

}  // namespace

std::vector<MessageRow> measure_messages(const DeviceLayer& layer, DeviceStream* stream,
                                         const void* in, void* out, std::size_t bytes,
                                         const std::function<bool(const char*)>& wanted) {
  Bench bench(layer, stream, in, out, bytes);
  for (const char* cipher : {"LEA-128", "LEA-256", "AES-128", "AES-256", "ARIA-128", "HIGHT",
                             "CHAM-64-128", "CHAM-128-128", "Camellia-128", "SEED"}) {
    const CipherSpec* const spec = find_cipher(cipher);
    if (spec == nullptr || !wanted(cipher)) continue;
    for (const std::size_t n : {64u, 256u, 512u, 1024u, 4096u, 65536u})
      bench.messages(cipher, DeviceMode::kCtr, true, n);
    bench.messages(cipher, DeviceMode::kCtr, false, 64);
    bench.messages(cipher, DeviceMode::kCtr, false, 4096);
    bench.messages(cipher, DeviceMode::kCbc, true, 1024);
    bench.long_texts(cipher);
    if (spec->block_bytes != 16) continue;
    for (const std::size_t n : {64u, 4096u, 65536u}) {
      bench.messages(cipher, DeviceMode::kGcm, false, n);
      bench.messages(cipher, DeviceMode::kGcm, true, n);
    }
    for (const std::size_t n : {64u, 1024u}) bench.messages(cipher, DeviceMode::kCcm, true, n);
    for (const std::size_t n : {512u, 4096u}) bench.sectors(cipher, n);
  }
  return bench.rows;
}

void print_messages(const std::vector<MessageRow>& rows) {
  std::printf("\nMany messages in one call, device memory (own: a key each; one: one key)\n");
  std::printf("%-30s %5s %11s %12s %8s\n", "", "keys", "bytes", "10^9 mess./s", "GB/s");
  for (const MessageRow& r : rows) {
    std::printf("%-30s %5s %11zu %12.3f %8.0f\n", r.name.c_str(), r.keys.c_str(), r.bytes,
                r.giga_messages, r.rate);
  }
}

void write_messages(std::FILE* file, const std::vector<MessageRow>& rows) {
  std::fprintf(file, "[");
  for (const MessageRow& r : rows) {
    std::fprintf(file,
                 "%s\n    {\"name\": \"%s\", \"keys\": \"%s\", \"bytes\": %zu, "
                 "\"giga_messages\": %.4f, \"rate\": %.1f}",
                 &r == &rows.front() ? "" : ",", r.name.c_str(), r.keys.c_str(), r.bytes,
                 r.giga_messages, r.rate);
  }
  std::fprintf(file, "]");
}

}  // namespace gpuctr::bench
