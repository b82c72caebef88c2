// Whole blocks shared by all threads, without a device.
#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <new>
#include <set>

#include "test/bulk/blocks/support.h"

namespace {
std::atomic<bool> g_no_memory{false};  // for arrays that are asked for without an exception
}

void* operator new[](std::size_t n, const std::nothrow_t&) noexcept {
  return g_no_memory ? nullptr : std::malloc(n);
}
void* operator new[](std::size_t n) {
  void* const p = std::malloc(n);
  if (p == nullptr) throw std::bad_alloc();
  return p;
}
void operator delete[](void* p) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t) noexcept { std::free(p); }

namespace gpuctr {
namespace {

using namespace test;

// The scalar backend, which notes the threads that it runs on. Pieces take so different times that
// they end in any order. Where threads share a call, the first waits for a second: a busy machine
// may not run another before the work is done.
std::mutex g_mutex;
std::condition_variable g_arrived;
std::set<std::thread::id> g_threads;
bool g_shared = false;

void note_thread(std::size_t bytes) {
  static std::atomic<unsigned> calls{0};
  std::unique_lock<std::mutex> lock(g_mutex);
  g_threads.insert(std::this_thread::get_id());
  g_arrived.notify_all();
  if (g_shared) {
    g_shared =
        g_arrived.wait_for(lock, std::chrono::seconds(60), [] { return g_threads.size() > 1; });
  }
  if (bytes >= 4 * kKiB && calls++ % 16 == 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}
template <std::size_t Index, bool Encrypt>
void noted(const RoundKeys& keys, const std::uint8_t* in, std::uint8_t* out, std::size_t blocks) {
  note_thread(blocks * cipher_spec(Index).block_bytes);
  const CipherOps& ops = find_backend("scalar")->ops[Index];
  (Encrypt ? ops.encrypt : ops.decrypt)(keys, in, out, blocks);
}
template <std::size_t... I>
Backend make_noting_cpu(std::index_sequence<I...>) {
  Backend backend = *find_backend("scalar");
  ((backend.ops[I].encrypt = noted<I, true>), ...);
  ((backend.ops[I].decrypt = noted<I, false>), ...);
  return backend;
}
const Backend* noting_cpu() {
  static const Backend backend = make_noting_cpu(std::make_index_sequence<kCipherCount>{});
  return &backend;
}

EngineConfig four_threads() {
  EngineConfig c;
  c.cpu = noting_cpu();
  c.gpu = GpuUse::kOff;
  c.threads = 4;
  return c;
}

class ThreadedBlocks : public testing::TestWithParam<std::size_t> {
 protected:
  void SetUp() override { g_threads.clear(); }
  void TearDown() override { g_shared = false; }

  // How many threads worked, the output right apart and in place.
  std::size_t threads(Engine* engine, Blocks what, std::size_t n) {
    const Bytes in = random_bytes(n);
    const Bytes want = key_.expect(what, in);
    Bytes out(n);
    g_threads.clear();
    EXPECT_EQ(key_.run(engine, what, in.data(), out.data(), n), BulkStatus::kOk);
    EXPECT_SAME(out, want);
    out = in;
    EXPECT_EQ(key_.run(engine, what, out.data(), out.data(), n), BulkStatus::kOk);
    EXPECT_SAME(out, want);
    return g_threads.size();
  }

  const BlockKey key_{cipher_spec(GetParam())};
};

TEST_P(ThreadedBlocks, ShareALargeCall) {
  Engine engine(four_threads());
  g_shared = true;
  const std::size_t block = key_.cipher.block_bytes;
  std::uint64_t bytes = 0;
  for (const Blocks what : kAllBlocks) {
    std::vector<std::size_t> sizes = {kLeastPooled};
    if (BlockKey::chains(what)) {  // around multiples of 32 KiB, where a chain is cut
      sizes.insert(sizes.end(), {kLeastPooled + block, kLeastPooled + 32 * kKiB,
                                 kLeastPooled + 32 * kKiB - block});
    }
    for (const std::size_t n : sizes) {
      EXPECT_GT(threads(&engine, what, n), 1u);
      bytes += 2 * n;
    }
  }
  EXPECT_EQ(engine.stats().cpu_bytes, bytes);
  EXPECT_EQ(engine.stats().fallbacks, 0u);
}

TEST_P(ThreadedBlocks, ASmallerCallIsTheCallers) {
  Engine engine(four_threads());
  for (const Blocks what : kAllBlocks) {
    EXPECT_EQ(threads(&engine, what, kLeastPooled - key_.cipher.block_bytes), 1u);
  }
}

TEST_P(ThreadedBlocks, OneThreadIsEnough) {
  EngineConfig c = four_threads();
  c.threads = 0;
  Engine engine(c);
  for (const Blocks what : kAllBlocks) EXPECT_EQ(threads(&engine, what, kLeastPooled), 1u);
}

// What CBC decryption in place keeps of its input.
TEST_P(ThreadedBlocks, WithoutMemoryTheCallerDoesIt) {
  Engine engine(four_threads());
  const std::size_t n = kLeastPooled;
  const Bytes in = random_bytes(n);
  const Bytes want = key_.expect(Blocks::kChain, in);
  g_shared = true;
  ASSERT_GT(threads(&engine, Blocks::kEncrypt, n), 1u);  // all else is there
  g_shared = false;
  g_threads.clear();
  Bytes data = in;
  g_no_memory = true;
  const BulkStatus status = key_.run(&engine, Blocks::kChain, data.data(), data.data(), n);
  g_no_memory = false;
  EXPECT_EQ(status, BulkStatus::kOk);
  EXPECT_SAME(data, want);
  EXPECT_EQ(g_threads.size(), 1u);
  EXPECT_EQ(engine.stats().cpu_bytes, 3 * n);
}

// But not where a device must have a part in it.
TEST_P(ThreadedBlocks, WithoutMemoryARequiredDeviceIsMissing) {
  EngineConfig c = config(fake_gpu());
  c.gpu = GpuUse::kRequire;
  Engine engine(c);
  ASSERT_TRUE(engine.warm_up(key_.cipher));
  const Bytes in = random_bytes(kLeastPooled);
  Bytes data = in;
  g_no_memory = true;
  const BulkStatus status = key_.run(&engine, Blocks::kChain, data.data(), data.data(), in.size());
  g_no_memory = false;
  EXPECT_EQ(status, BulkStatus::kGpuRequired);
  EXPECT_SAME(data, in);
  EXPECT_EQ(engine.stats().last_status, DeviceStatus::kOutOfMemory);
  EXPECT_STREQ(engine.stats().last_where, "memory");
}

INSTANTIATE_TEST_SUITE_P(All, ThreadedBlocks, testing::Range(std::size_t{0}, kCipherCount),
                         cipher_name);

}  // namespace
}  // namespace gpuctr
