// Random numbers of the bulk engine: with threads, in device memory, and with devices that fail,
// they are those of one thread.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "kernels/bulk/engine.h"
#include "kernels/random/numbers.h"
#include "test/fake_gpu/fake_gpu.h"
#include "test/support/generators.h"
#include "test/support/vectors.h"

namespace gpuctr {
namespace {

using test::Bytes;
using test::Call;

const CipherSpec& cipher() {
  for (const char* name : test::generator_ciphers()) {
    const CipherSpec& spec = *find_cipher(name);
    if (spec.block_bytes == 16) return spec;
  }
  return *find_cipher(test::generator_ciphers().front());
}

std::vector<Distribution> distributions() {
  std::vector<Distribution> list;
  const auto add = [&](Output output, NumberType type) {
    Distribution what;
    what.output = output;
    what.type = type;
    what.mean = 1, what.stddev = 2, what.low = -1, what.high = 3, what.last = 1000;
    what.p = 0.3;
    list.push_back(what);
  };
  for (const NumberType type : {NumberType::kFloat32, NumberType::kFloat64, NumberType::kFloat16}) {
    add(Output::kNormal, type);
    add(Output::kUniform, type);
  }
  add(Output::kIntegers, NumberType::kInt32);
  add(Output::kIntegers, NumberType::kInt64);
  add(Output::kBernoulli, NumberType::kUint8);
  add(Output::kBernoulli, NumberType::kBfloat16);
  return list;
}

struct Keys {
  Keys() {
    const Bytes key(cipher().key_bytes, 0x42);
    cipher().expand(key.data(), &keys);
  }
  RoundKeys keys = {};
  // The counter passes 2^64.
  const Bytes counter = {0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xf0};
};

Bytes by_one_thread(const Keys& keys, const Distribution& what, std::size_t count) {
  const Backend& backend = best_backend();
  Bytes random((count + 1) / 2 * 2 * what.word_bytes());
  backend.ops[cipher().index].ctr(keys.keys, keys.counter.data(), nullptr, random.data(),
                                  random.size());
  Bytes out(count * what.number_bytes());
  make_numbers(what, random.data(), out.data(), count);
  return out;
}

EngineConfig config(unsigned threads, const DeviceLayer* layer) {
  EngineConfig made;
  made.gpu = layer == nullptr ? GpuUse::kOff : GpuUse::kAuto;
  made.layer = layer;
  made.threads = threads;
  made.gpu_pointers = GpuPointers::kYes;
  return made;
}

constexpr std::size_t kCounts[] = {1, 2, 7, 4097, 300'001};

TEST(NumbersEngine, WithThreads) {
  const Keys keys;
  for (const unsigned threads : {1u, 3u}) {
    Engine engine(config(threads, nullptr));
    for (const Distribution& what : distributions()) {
      for (const std::size_t count : kCounts) {
        Bytes out(count * what.number_bytes() + 1, 0xa5);
        ASSERT_EQ(engine.numbers(cipher(), keys.keys, keys.counter.data(), what, out.data(), count),
                  BulkStatus::kOk);
        EXPECT_EQ(out.back(), 0xa5);
        out.pop_back();
        ASSERT_TRUE(out == by_one_thread(keys, what, count)) << threads << " " << count;
      }
    }
  }
}

class OnDevice : public testing::Test {
 protected:
  void check(Engine* engine, const DeviceLayer* layer, const Distribution& what,
             std::size_t count) {
    void* memory = nullptr;
    ASSERT_EQ(layer->device_alloc(0, count * what.number_bytes(), &memory), DeviceStatus::kOk);
    ASSERT_EQ(engine->numbers(cipher(), keys.keys, keys.counter.data(), what,
                              static_cast<std::uint8_t*>(memory), count),
              BulkStatus::kOk);
    const std::uint8_t* const shadow = test::fake_shadow(memory);
    ASSERT_TRUE(std::equal(shadow, shadow + count * what.number_bytes(),
                           by_one_thread(keys, what, count).begin()))
        << count;
    layer->device_free(0, memory);
  }
  const Keys keys;
};

TEST_F(OnDevice, TheCpusNumbers) {
  const DeviceLayer* const layer = test::fake_gpu();
  Engine engine(config(1, layer));
  ASSERT_TRUE(engine.warm_up(cipher()));
  for (const Distribution& what : distributions()) {
    for (const std::size_t count : kCounts) check(&engine, layer, what, count);
  }
  // Several chunks of scratch memory.
  check(&engine, layer, distributions()[6], 2'100'003);
  EXPECT_GT(test::fake_calls(Call::kNumbers), 0u);
}

TEST_F(OnDevice, InOnePass) {
  test::FakeOptions options;
  options.one_pass = true;
  const DeviceLayer* const layer = test::fake_gpu(options);
  Engine engine(config(1, layer));
  ASSERT_TRUE(engine.warm_up(cipher()));
  for (const Distribution& what : distributions()) {
    for (const std::size_t count : kCounts) check(&engine, layer, what, count);
  }
  EXPECT_GT(test::fake_calls(Call::kCtrNumbers), 0u);
  // A launch that fails: two passes.
  const unsigned before = test::fake_calls(Call::kNumbers);
  test::fake_fail(Call::kCtrNumbers, 1, DeviceStatus::kLaunch);
  check(&engine, layer, distributions()[0], 1000);
  EXPECT_EQ(test::fake_calls(Call::kNumbers), before + 1);
}

// No random byte stays on the device or in pinned memory.
TEST_F(OnDevice, ScratchIsWiped) {
  const DeviceLayer* const layer = test::fake_gpu();
  Engine engine(config(1, layer));
  ASSERT_TRUE(engine.warm_up(cipher()));
  const Distribution what = distributions()[0];
  Bytes random(5002 * 4);
  best_backend().ops[cipher().index].ctr(keys.keys, keys.counter.data(), nullptr, random.data(),
                                         random.size());
  const auto expect_clean = [&] {
    for (const Bytes& memory : {test::fake_device(), test::fake_pinned()}) {
      EXPECT_EQ(std::search(memory.begin(), memory.end(), random.begin(), random.begin() + 16),
                memory.end());
    }
  };
  check(&engine, layer, what, 5001);
  expect_clean();
  test::fake_fail(Call::kNumbers, 1, DeviceStatus::kLaunch);
  check(&engine, layer, what, 5001);
  expect_clean();
}

// A launch that fails leaves its numbers to the CPU.
TEST_F(OnDevice, LaunchesThatFail) {
  for (const Call call : {Call::kCtr, Call::kNumbers, Call::kDeviceAlloc}) {
    const DeviceLayer* const layer = test::fake_gpu();
    Engine engine(config(1, layer));
    ASSERT_TRUE(engine.warm_up(cipher()));
    const Distribution what = distributions()[6];
    void* memory = nullptr;
    const std::size_t count = 2'100'003;
    ASSERT_EQ(layer->device_alloc(0, count * what.number_bytes(), &memory), DeviceStatus::kOk);
    test::fake_fail(call, call == Call::kDeviceAlloc ? 1 : 2, DeviceStatus::kOutOfMemory);
    ASSERT_EQ(engine.numbers(cipher(), keys.keys, keys.counter.data(), what,
                             static_cast<std::uint8_t*>(memory), count),
              BulkStatus::kOk);
    EXPECT_EQ(test::fake_struck(), 1u);
    const std::uint8_t* const shadow = test::fake_shadow(memory);
    EXPECT_TRUE(std::equal(shadow, shadow + count * what.number_bytes(),
                           by_one_thread(keys, what, count).begin()));
    layer->device_free(0, memory);
  }
}

TEST_F(OnDevice, ALostDeviceIsAnError) {
  const DeviceLayer* const layer = test::fake_gpu();
  Engine engine(config(1, layer));
  ASSERT_TRUE(engine.warm_up(cipher()));
  void* memory = nullptr;
  ASSERT_EQ(layer->device_alloc(0, 4000, &memory), DeviceStatus::kOk);
  test::fake_fail(Call::kNumbers, 1, DeviceStatus::kDeviceLost);
  EXPECT_EQ(engine.numbers(cipher(), keys.keys, keys.counter.data(), distributions()[0],
                           static_cast<std::uint8_t*>(memory), 1000),
            BulkStatus::kGpuRequired);
}

}  // namespace
}  // namespace gpuctr
