// What the bulk tests share: an engine over the fake device, and the scalar backend's answer to
// compare with.
#ifndef GPUCTR_TEST_BULK_SUPPORT_H
#define GPUCTR_TEST_BULK_SUPPORT_H

#include <chrono>
#include <cstring>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include "kernels/base/counter.h"
#include "kernels/bulk/engine.h"
#include "kernels/bulk/job/shared.h"
#include "test/fake_gpu/fake_gpu.h"

namespace gpuctr::test {

using Bytes = std::vector<std::uint8_t>;

constexpr std::size_t kKiB = 1024;
constexpr std::size_t kMiB = 1024 * kKiB;
constexpr std::size_t kThreshold = 256 * kKiB;  // of config() below

// The scalar backend, 2 ms late for each piece of a job: the fake devices get their share of every
// job however fast this CPU is, and a test that waits for their nth call sees it.
template <std::size_t Index>
void slow_ctr(const RoundKeys& keys, const std::uint8_t* counter, const std::uint8_t* in,
              std::uint8_t* out, std::size_t n) {
  if (n >= 16 * kKiB) std::this_thread::sleep_for(std::chrono::milliseconds(2));
  find_backend("scalar")->ops[Index].ctr(keys, counter, in, out, n);
}

template <std::size_t Index, bool Encrypt>
void slow_blocks(const RoundKeys& keys, const std::uint8_t* in, std::uint8_t* out,
                 std::size_t blocks) {
  if (blocks * cipher_spec(Index).block_bytes >= 4 * kKiB) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  const CipherOps& ops = find_backend("scalar")->ops[Index];
  (Encrypt ? ops.encrypt : ops.decrypt)(keys, in, out, blocks);
}

template <std::size_t... I>
Backend make_slow_cpu(std::index_sequence<I...>) {
  Backend backend = *find_backend("scalar");
  ((backend.ops[I].ctr = slow_ctr<I>), ...);
  ((backend.ops[I].encrypt = slow_blocks<I, true>), ...);
  ((backend.ops[I].decrypt = slow_blocks<I, false>), ...);
  return backend;
}

inline const Backend* slow_cpu() {
  static const Backend backend = make_slow_cpu(std::make_index_sequence<kCipherCount>{});
  return &backend;
}

// What the engines with this configuration share.
inline bulk::Shared* shared_by(const EngineConfig& c) {
  return bulk::Shared::get({c.layer, c.cpu, c.gpus, c.slot_bytes, c.gpu_threshold, c.threads});
}

// Small enough for a two-core machine: 16 slots of 64 KiB, four threads, devices from 256 KiB on.
inline EngineConfig config(const DeviceLayer* layer) {
  EngineConfig c;
  c.layer = layer;
  c.cpu = slow_cpu();
  c.gpu_threshold = kThreshold;
  c.threads = 4;
  c.ring_bytes = kMiB;
  c.slot_bytes = 64 * kKiB;
  c.read_ahead = 128 * kKiB;
  return c;
}

inline Bytes random_bytes(std::size_t n, std::uint32_t seed = 1) {
  std::mt19937 random(seed);
  Bytes b(n);
  for (auto& byte : b) byte = static_cast<std::uint8_t>(random());
  return b;
}

// A cipher, its key and a counter whose low 32 bits soon overflow.
struct Key {
  explicit Key(const CipherSpec& c, std::uint32_t seed = 7) : cipher(c) {
    const Bytes key = random_bytes(kMaxKeyBytes, seed);
    cipher.expand(key.data(), &keys);
    std::memset(counter, 0x5c, sizeof counter);
    std::memset(counter + cipher.block_bytes - 4, 0xff, 4);
    counter[cipher.block_bytes - 1] = 0x80;
  }
  // The counter block `bytes` on.
  Bytes at(std::size_t bytes) const {
    Bytes c(counter, counter + cipher.block_bytes);
    counter_add(c.data(), cipher.block_bytes, bytes / cipher.block_bytes);
    return c;
  }
  // What any backend has to make of `in`.
  Bytes expect(const Bytes& in) const {
    Bytes out(in.size());
    find_backend("scalar")->ops[cipher.index].ctr(keys, counter, in.data(), out.data(), in.size());
    return out;
  }

  const CipherSpec& cipher;
  RoundKeys keys;
  std::uint8_t counter[kMaxBlockBytes];
};

// One job, out of place, whatever the engine says of it.
inline Bytes run(Engine* engine, const Key& key, const Bytes& in) {
  Bytes out(in.size());
  engine->ctr(key.cipher, key.keys, key.counter, in.data(), out.data(), in.size());
  return out;
}

inline const CipherSpec& lea() { return *find_cipher("LEA-128"); }

inline std::size_t first_difference(const Bytes& a, const Bytes& b) {
  std::size_t i = 0;
  while (i < a.size() && i < b.size() && a[i] == b[i]) ++i;
  return i;
}

}  // namespace gpuctr::test

// Prints the first place that differs instead of megabytes.
#define EXPECT_SAME(a, b)                                                                      \
  do {                                                                                         \
    const ::gpuctr::test::Bytes &same_a = (a), &same_b = (b);                                  \
    EXPECT_EQ(same_a.size(), same_b.size());                                                   \
    EXPECT_EQ(::gpuctr::test::first_difference(same_a, same_b), same_a.size()) << "first bad"; \
  } while (false)

// The same, and the test ends there; more may be said with <<.
#define ASSERT_SAME(a, b) \
  ASSERT_EQ(::gpuctr::test::first_difference((a), (b)), (b).size()) << "first bad: "

#endif
