// Batches of messages by way of the fake device: every kind of memory, and every failure.
#include "test/gpu/messages.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include "kernels/bulk/batch/table.h"
#include "test/bulk/device.h"

namespace gpuctr {
namespace {

using namespace test;
using Shape = Messages::Shape;
using bulk::BatchFault;

constexpr DeviceMode kModes[] = {DeviceMode::kCtr, DeviceMode::kGcm, DeviceMode::kCcm,
                                 DeviceMode::kCbc};

class MessagesOnTheFake : public testing::Test {
 protected:
  void start(GpuUse use = GpuUse::kAuto, const FakeOptions& device = {}) {
    layer_ = fake_gpu(device);
    EngineConfig c = config(layer_);
    c.cpu = nullptr;
    c.gpu = use;
    c.gpu_threshold = 1;
    engine_ = std::make_unique<Engine>(c);
    ASSERT_TRUE(engine_->warm_up(lea()));
  }
  // Without a threshold: measurements say what the device does.
  void start_measuring() {
    layer_ = fake_gpu();
    config_ = config(layer_);
    config_.cpu = &best_backend();  // what the engine takes for nullptr: one Shared for both
    config_.gpu_threshold = 0;
    engine_ = std::make_unique<Engine>(config_);
    ASSERT_TRUE(engine_->warm_up(lea()));
  }
  // That of all engines with this configuration.
  bulk::BatchCrossover& figure(DeviceMode mode) {
    return const_cast<bulk::BatchCrossover&>(
        shared_by(config_)->batch_figures(lea(), static_cast<bulk::BatchMode>(mode)));
  }
  static Shape shape_of(DeviceMode mode, bool encrypts, unsigned number) {
    Shape shape;
    shape.mode = mode;
    shape.encrypts = encrypts;
    shape.keys = static_cast<KeySource>(number % 3);
    shape.count = 20 + number % 17;
    shape.length = 1600;
    shape.mixed = number % 2 == 0;
    shape.scattered = number % 4 < 2;
    shape.in_place = number / 2 % 2 == 0;
    shape.aad = 20;
    shape.wrong_tags = true;
    return shape;
  }

  // An array of the batch where bit `bit` of `places` says: on the device, or in ordinary memory.
  class Arrays {
   public:
    Arrays(const DeviceLayer* layer, unsigned places) : layer_(layer), places_(places) {}
    template <class T>
    T* put(const std::vector<T>& data, unsigned bit) {
      if (data.empty()) return nullptr;
      const auto* const p = reinterpret_cast<const std::uint8_t*>(data.data());
      kept_.push_back({std::make_unique<Bytes>(p, p + data.size() * sizeof(T)), nullptr});
      One& one = kept_.back();
      if ((places_ >> bit & 1) == 0) return reinterpret_cast<T*>(one.host->data());
      one.device = std::make_unique<Device>(layer_, one.host->size());
      one.device->fill(*one.host);
      return reinterpret_cast<T*>(one.device->data());
    }
    Bytes read(const void* at) const {
      for (const One& one : kept_) {
        if (one.device != nullptr && one.device->data() == at)
          return one.device->read(one.host->size());
        if (one.host->data() == at) return *one.host;
      }
      return {};
    }

   private:
    struct One {
      std::unique_ptr<Bytes> host;
      std::unique_ptr<Device> device;
    };
    const DeviceLayer* layer_;
    unsigned places_;
    std::vector<One> kept_;
  };

  // The batch through the engine. Bits of `places`: the texts, tags and results, keys, IVs and
  // associated data, numbers.
  bulk::BatchOutcome run(const Messages& m, unsigned places, Bytes* out, Bytes* tags,
                         Bytes* results) {
    Arrays arrays(layer_, places);
    bulk::Batch b;
    b.cipher = &m.cipher;
    b.mode = static_cast<bulk::BatchMode>(m.shape.mode);
    b.encrypts = m.shape.encrypts;
    b.messages = m.shape.count;
    b.key_bytes = m.cipher.key_bytes;
    b.counter_bits = static_cast<unsigned>(8 * m.cipher.block_bytes);
    bulk::SharedTable table;
    if (m.shape.keys == KeySource::kOwn) {
      b.own_key = &m.own;
    } else if (m.shape.keys == KeySource::kEach) {
      b.keys = arrays.put(m.keys, 2);
    } else {
      BatchFault fault = BatchFault::kNone;
      table = bulk::SharedTable(engine_->key_table(
          m.cipher, arrays.put(m.keys, 2), m.cipher.key_bytes, m.keys.size() / m.cipher.key_bytes,
          nullptr, m.shape.mode == DeviceMode::kGcm, &fault));
      EXPECT_EQ(fault, BatchFault::kNone);
      b.table = table.get();
      b.key_index = arrays.put(m.index, 4);
    }
    b.ivs = arrays.put(m.ivs, 3);
    b.iv_bytes = m.shape.iv_bytes;
    if (m.shape.mixed) b.lengths = arrays.put(m.lengths, 4);
    b.length = m.shape.length;
    b.offsets = arrays.put(m.offsets, 4);
    b.out = arrays.put(m.out, 0);
    b.in = m.shape.in_place ? b.out : arrays.put(m.in, 0);
    b.bytes = m.out.size();
    if (m.authenticates()) {
      b.aad = arrays.put(m.aad, 3);
      b.aad_bytes = m.aad.size();
      if (m.shape.mixed) b.aad_lengths = arrays.put(m.aad_lengths, 4);
      b.aad_length = m.shape.aad;
      b.tags = arrays.put(m.tags, 1);
      b.tag_bytes = m.shape.tag_bytes;
    }
    b.results = arrays.put(Bytes(m.shape.count, 7), 1);
    const bulk::BatchOutcome outcome = engine_->batch(b);
    *out = arrays.read(b.out);
    *tags = arrays.read(b.tags);
    *results = arrays.read(b.results);
    return outcome;
  }

  void expect_right(const Messages& m, unsigned places, bool by_device) {
    Bytes out, tags, results;
    const bulk::BatchOutcome outcome = run(m, places, &out, &tags, &results);
    ASSERT_EQ(outcome.fault, BatchFault::kNone) << "message " << outcome.message;
    EXPECT_EQ(outcome.by_device, by_device);
    EXPECT_SAME(out, m.want);
    EXPECT_EQ(results, m.want_results);
    EXPECT_EQ(outcome.wrong, m.wrong);
    if (m.wrong != 0) {
      EXPECT_EQ(outcome.message, m.first_wrong);
    }
    if (m.authenticates()) {
      EXPECT_EQ(tags, m.want_tags);
    }
  }

  const DeviceLayer* layer_ = nullptr;
  EngineConfig config_;
  std::unique_ptr<Engine> engine_;
};

TEST_F(MessagesOnTheFake, EveryMixOfMemory) {
  start();
  unsigned number = 0;
  for (unsigned places = 0; places < 32; ++places) {
    for (const DeviceMode mode : kModes) {
      ++number;
      const Messages m(lea(), shape_of(mode, number % 2 == 0, number / 2));
      expect_right(m, places, true);
      if (HasFailure()) FAIL() << "places " << places << ", number " << number;
    }
  }
  EXPECT_EQ(engine_->stats().fallbacks, 0u);
  EXPECT_EQ(fake_device(), Bytes(fake_device().size())) << "what the batches left on the device";
}

TEST_F(MessagesOnTheFake, WithoutKernelsTheCpuWorksOnCopies) {
  FakeOptions options;
  options.without = &lea();
  layer_ = fake_gpu(options);
  EngineConfig c = config(layer_);
  c.cpu = nullptr;
  engine_ = std::make_unique<Engine>(c);
  ASSERT_TRUE(engine_->warm_up(*find_cipher("HIGHT")));
  for (unsigned number = 0; number < 16; ++number) {
    const Messages m(lea(), shape_of(kModes[number % 4], number / 4 % 2 == 0, number));
    expect_right(m, number % 2 == 0 ? 31 : 1, false);
    if (HasFailure()) FAIL() << number;
  }
}

// A launch that fails leaves everything as it was: the CPU does the batch.
TEST_F(MessagesOnTheFake, ALaunchThatFails) {
  for (const unsigned places : {31u, 0u}) {
    for (unsigned number = 0; number < 8; ++number) {
      start();
      const Messages m(lea(), shape_of(kModes[number % 4], number / 4 == 0, number));
      fake_fail(Call::kMessages, 1, DeviceStatus::kLaunch);
      expect_right(m, places, false);
      EXPECT_EQ(fake_struck(), 1u);
      if (HasFailure()) FAIL() << number;
    }
  }
}

// In ordinary memory every failure, at any call and at any time, ends in the right bytes by the
// CPU.
TEST_F(MessagesOnTheFake, EveryFailureInOrdinaryMemory) {
  for (const Call call : {Call::kStreamCreate, Call::kDeviceAlloc, Call::kCopy, Call::kMessages,
                          Call::kStreamWait, Call::kZero, Call::kKernel}) {
    for (const DeviceStatus status : {DeviceStatus::kOther, DeviceStatus::kDeviceLost}) {
      for (unsigned nth = 1; nth < 30; ++nth) {
        start();
        const Messages m(lea(), shape_of(kModes[nth % 4], nth / 4 % 2 == 0, nth));
        fake_fail(call, nth, status);
        Bytes out, tags, results;
        const bulk::BatchOutcome outcome = run(m, 0, &out, &tags, &results);
        ASSERT_EQ(outcome.fault, BatchFault::kNone);
        EXPECT_SAME(out, m.want);
        EXPECT_EQ(results, m.want_results);
        EXPECT_EQ(outcome.wrong, m.wrong);
        if (m.authenticates()) {
          EXPECT_EQ(tags, m.want_tags);
        }
        if (HasFailure()) FAIL() << static_cast<int>(call) << ", " << nth;
        const bool struck = fake_struck() != 0;
        engine_.reset();
        fake_retire();
        if (!struck) break;
      }
    }
  }
}

// A batch that is given up before its memory is zero: the memory stays until the device is done.
TEST_F(MessagesOnTheFake, GivenUpWhileTheDeviceWorks) {
  FakeOptions late;
  late.kernel_us = 2000;
  unsigned struck = 0;
  for (unsigned nth = 1; nth < 6; ++nth) {
    start(GpuUse::kAuto, late);
    const Messages m(lea(), shape_of(DeviceMode::kGcm, true, 1));
    fake_fail(Call::kStreamWait, nth, DeviceStatus::kOther);
    Bytes out, tags, results;
    EXPECT_EQ(run(m, 0, &out, &tags, &results).fault, BatchFault::kNone);
    EXPECT_SAME(out, m.want);
    struck += fake_struck();
    engine_.reset();
    fake_retire();
  }
  EXPECT_GE(struck, 3u);
}

// A device that dies at any time takes its memory with it: one error.
TEST_F(MessagesOnTheFake, ADeviceThatDies) {
  for (unsigned nth = 1;; ++nth) {
    start();
    Shape shape = shape_of(kModes[nth % 4], nth / 4 % 2 == 0, nth);
    shape.keys = KeySource::kEach;
    const Messages m(lea(), shape);
    fake_fail(Call::kKernel, nth, DeviceStatus::kDeviceLost);
    Bytes out, tags, results;
    const BatchFault fault = run(m, 31, &out, &tags, &results).fault;
    if (fake_struck() == 0) {
      EXPECT_GT(nth, 2u);
      break;
    }
    EXPECT_EQ(fault, BatchFault::kRequired) << nth;
    EXPECT_STREQ(engine_->stats().last_where, "device memory");
  }
}

// The CPU can do what was not launched, but its bytes reach the device's memory no more.
TEST_F(MessagesOnTheFake, NeitherLaunchedNorPutBack) {
  start();
  const Messages m(lea(), shape_of(DeviceMode::kCtr, true, 1));
  fake_fail(Call::kMessages, 1, DeviceStatus::kLaunch);
  Bytes out, tags, results;
  const unsigned before = fake_calls(Call::kCopy);
  ASSERT_EQ(run(m, 31, &out, &tags, &results).fault, BatchFault::kNone);
  const unsigned copies = fake_calls(Call::kCopy) - before;
  start();
  fake_fail(Call::kMessages, 1, DeviceStatus::kLaunch);
  fake_fail(Call::kCopy, copies, DeviceStatus::kOther);
  EXPECT_EQ(run(m, 31, &out, &tags, &results).fault, BatchFault::kRequired);
  EXPECT_STREQ(engine_->stats().last_where, "device memory");
}

TEST_F(MessagesOnTheFake, RequiredButFailed) {
  for (unsigned number = 0; number < 8; ++number) {
    start(GpuUse::kRequire);
    const Messages m(lea(), shape_of(kModes[number % 4], number / 4 == 0, number));
    fake_fail(Call::kKernel, 1, DeviceStatus::kOther);
    Bytes out, tags, results;
    EXPECT_EQ(run(m, 0, &out, &tags, &results).fault, BatchFault::kRequired);
    EXPECT_SAME(out, m.out);
    EXPECT_EQ(results, Bytes(m.shape.count, 7));
  }
}

// Without a request the threads do a small batch in ordinary memory.
TEST_F(MessagesOnTheFake, OrdinaryMemoryIsTheCpus) {
  start_measuring();
  expect_right(Messages(lea(), shape_of(DeviceMode::kGcm, false, 4)), 0, false);
  EXPECT_EQ(fake_calls(Call::kMessages), 0u);
}

// A large one is the device's from the measured weight on.
TEST_F(MessagesOnTheFake, OrdinaryMemoryWhereTheDeviceIsFaster) {
  for (const DeviceMode mode : kModes) {
    start_measuring();
    Shape shape = shape_of(mode, true, 1);
    shape.count = 400;
    shape.in_place = false;
    const Messages m(lea(), shape);
    const std::size_t weight = shape.count * (256 + shape.length);
    figure(mode).state = bulk::Crossover::kKnown;
    figure(mode).weight = weight + 1;
    expect_right(m, 0, false);
    EXPECT_EQ(fake_calls(Call::kMessages), 0u);
    figure(mode).weight = weight;
    expect_right(m, 0, true);
    EXPECT_EQ(fake_calls(Call::kMessages), 1u);
    // The CPU does what the device fails to do.
    fake_fail(Call::kKernel, 1, DeviceStatus::kOther);
    expect_right(m, 0, false);
    EXPECT_EQ(fake_struck(), 1u);
    engine_.reset();
    fake_retire();
  }
}

// In place in pinned memory the kernels write themselves: after a failure the CPU had no input.
TEST_F(MessagesOnTheFake, InPlaceInPinnedMemoryIsTheCpus) {
  start_measuring();
  figure(DeviceMode::kCtr).state = bulk::Crossover::kKnown;
  figure(DeviceMode::kCtr).weight = 0;
  Shape shape = shape_of(DeviceMode::kCtr, true, 1);
  shape.keys = KeySource::kOwn;
  shape.count = 400;
  const Messages m(lea(), shape);
  void* pinned = nullptr;
  ASSERT_EQ(layer_->pinned_alloc(0, m.out.size(), &pinned), DeviceStatus::kOk);
  Bytes out(m.out.size());
  bulk::Batch b;
  b.cipher = &m.cipher;
  b.own_key = &m.own;
  b.messages = shape.count;
  b.key_bytes = m.cipher.key_bytes;
  b.counter_bits = 128;
  b.ivs = m.ivs.data();
  b.iv_bytes = m.shape.iv_bytes;
  b.length = shape.length;
  b.offsets = m.offsets.empty() ? nullptr : m.offsets.data();
  b.bytes = m.out.size();
  b.in = static_cast<std::uint8_t*>(pinned);
  b.out = out.data();
  EXPECT_TRUE(engine_->batch(b).by_device);
  b.out = static_cast<std::uint8_t*>(pinned);
  EXPECT_FALSE(engine_->batch(b).by_device);
  layer_->pinned_free(pinned);
}

// The weight is measured once, in the background, at the first batch that is large enough.
TEST_F(MessagesOnTheFake, TheWeightIsMeasured) {
  start_measuring();
  Shape shape = shape_of(DeviceMode::kCtr, true, 1);
  shape.count = 100;
  expect_right(Messages(lea(), shape), 0, false);
  EXPECT_EQ(figure(DeviceMode::kCtr).state, bulk::Crossover::kUnknown);
  shape.count = 400;
  expect_right(Messages(lea(), shape), 0, false);
  for (int i = 0; i < 60000 && figure(DeviceMode::kCtr).state != bulk::Crossover::kKnown; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  ASSERT_EQ(figure(DeviceMode::kCtr).state, bulk::Crossover::kKnown);
  EXPECT_GE(fake_calls(Call::kMessages), 6u);  // two sizes, three times each
  EXPECT_GE(figure(DeviceMode::kCtr).weight, 1024u * (1024 + 256));
  EXPECT_EQ(figure(DeviceMode::kGcm).state, bulk::Crossover::kUnknown);
}

// The copy of a table stays on the device from batch to batch. It is zeroed with the table, and
// made again after a reset of the device.
TEST_F(MessagesOnTheFake, ATableOfKeys) {
  start();
  Shape shape = shape_of(DeviceMode::kCtr, true, 2);
  shape.in_place = true;
  const Messages m(lea(), shape);
  bulk::Batch b;
  b.cipher = &m.cipher;
  b.messages = shape.count;
  b.key_bytes = m.cipher.key_bytes;
  b.counter_bits = 128;
  b.key_index = m.index.data();
  b.ivs = m.ivs.data();
  b.iv_bytes = m.shape.iv_bytes;
  b.lengths = m.lengths.data();
  b.offsets = m.offsets.data();
  b.bytes = m.out.size();
  const auto found = [&] {
    const Bytes all = fake_device();
    return std::search(all.begin(), all.end(), m.keys.begin(), m.keys.end()) != all.end();
  };
  const auto run = [&] {
    Bytes text = m.out;
    b.in = b.out = text.data();
    EXPECT_TRUE(engine_->batch(b).by_device);
    EXPECT_SAME(text, m.want);
  };
  BatchFault fault = BatchFault::kNone;
  bulk::SharedTable table(engine_->key_table(m.cipher, m.keys.data(), m.cipher.key_bytes,
                                             m.keys.size() / m.cipher.key_bytes, nullptr, false,
                                             &fault));
  b.table = table.get();
  run();
  EXPECT_TRUE(found());
  const unsigned copies = fake_calls(Call::kCopy);
  run();
  const unsigned copies_again = fake_calls(Call::kCopy) - copies;
  EXPECT_EQ(copies, copies_again + 1);
  fake_reset_device(0);
  run();
  EXPECT_TRUE(found());
  table = bulk::SharedTable();
  EXPECT_FALSE(found());
}

}  // namespace
}  // namespace gpuctr
