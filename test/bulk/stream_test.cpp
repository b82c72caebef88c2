// Small updates in a long stream: read-ahead gives the same bytes whatever the caller does.
#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "test/bulk/support.h"

namespace gpuctr {
namespace {

using namespace test;

// Encrypts as `openssl enc` does, 4 KiB at a time, from `from` to `to`.
void enc(BulkStream* stream, const Key& key, const Bytes& in, Bytes* out, std::size_t from,
         std::size_t to, std::size_t step = 4096) {
  for (std::size_t at = from; at < to; at += step) {
    const std::size_t n = std::min(step, to - at);
    ASSERT_EQ(
        stream->ctr(key.cipher, key.keys, key.at(at).data(), in.data() + at, out->data() + at, n),
        BulkStatus::kOk);
  }
}

// A key of LEA, and an engine whose device is ready for it.
class OneStream : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(engine.warm_up(key.cipher)); }

  const Key key{lea()};
  Engine engine{config(fake_gpu())};
};

class StreamCipher : public testing::TestWithParam<std::size_t> {};

TEST_P(StreamCipher, ReadsAhead) {
  const Key key(cipher_spec(GetParam()));
  Engine engine(config(fake_gpu()));
  ASSERT_TRUE(engine.warm_up(key.cipher));
  BulkStream stream(&engine);
  EXPECT_EQ(stream.served_by(), nullptr);
  const Bytes in = random_bytes(4 * kMiB);
  Bytes out(in.size());
  enc(&stream, key, in, &out, 0, in.size());
  EXPECT_SAME(out, key.expect(in));
  const BulkStats stats = engine.stats();
  EXPECT_GT(stats.device_bytes, 0u);
  EXPECT_GT(stats.device_windows, 10u);
  EXPECT_EQ(stats.cpu_bytes + stats.device_bytes, in.size());
  EXPECT_EQ(stats.fallbacks, 0u);
}

INSTANTIATE_TEST_SUITE_P(All, StreamCipher, testing::Range(std::size_t{0}, kCipherCount));

TEST_F(OneStream, NothingAheadBeforeAMebibyte) {
  BulkStream stream(&engine);
  const Bytes in = random_bytes(2 * kMiB);
  Bytes out(in.size());
  enc(&stream, key, in, &out, 0, kMiB - 4096);
  EXPECT_EQ(engine.stats().device_windows, 0u);
  EXPECT_STREQ(stream.served_by(), engine.cpu_backend().name);
  enc(&stream, key, in, &out, kMiB - 4096, 2 * kMiB);
  EXPECT_GT(engine.stats().device_windows, 0u);
}

// As GCM's short texts are made.
TEST_F(OneStream, BytesThatTheCallerMadeCount) {
  BulkStream stream(&engine);
  const Bytes in = random_bytes(2 * kMiB);
  Bytes out(in.size());
  enc(&stream, key, in, &out, 0, 8192);
  EXPECT_FALSE(stream.may_read_ahead(4096));
  stream.made_next(kMiB - 12288);
  EXPECT_FALSE(stream.may_read_ahead(4095));
  EXPECT_TRUE(stream.may_read_ahead(4096));
  enc(&stream, key, in, &out, kMiB - 4096, 2 * kMiB);
  EXPECT_GT(engine.stats().device_windows, 0u);
  EXPECT_TRUE(stream.may_read_ahead(1));
  Bytes expected = key.expect(in);
  std::fill(expected.begin() + 8192, expected.begin() + (kMiB - 4096), 0);
  EXPECT_SAME(out, expected);
  stream.reset();
  EXPECT_FALSE(stream.may_read_ahead(4096));
}

TEST(Stream, OffReadsNothingAhead) {
  const Key key(lea());
  EngineConfig c = config(fake_gpu());
  c.read_ahead = 0;
  Engine engine(c);
  ASSERT_TRUE(engine.warm_up(key.cipher));
  BulkStream stream(&engine);
  const Bytes in = random_bytes(2 * kMiB);
  Bytes out(in.size());
  enc(&stream, key, in, &out, 0, in.size());
  EXPECT_SAME(out, key.expect(in));
  EXPECT_EQ(engine.stats().device_windows, 0u);
}

TEST_F(OneStream, EveryUpdateSize) {
  const Bytes in = random_bytes(3 * kMiB);
  const Bytes want = key.expect(in);
  for (const std::size_t step :
       {std::size_t{1008}, std::size_t{4096}, 60 * kKiB, 100 * kKiB, 200 * kKiB, 300 * kKiB}) {
    BulkStream stream(&engine);
    Bytes out(in.size());
    enc(&stream, key, in, &out, 0, in.size(), step);
    EXPECT_SAME(out, want);
  }
}

// Odd bytes: the caller makes the partial block's keystream itself and steps over it, or asks for
// one whole block of keystream. Neither costs the windows.
TEST(Stream, PartialBlocks) {
  const Key key(lea());
  const std::size_t block = key.cipher.block_bytes;
  for (const bool own : {true, false}) {
    Engine engine(config(fake_gpu()));
    ASSERT_TRUE(engine.warm_up(key.cipher));
    BulkStream stream(&engine);
    const Bytes in = random_bytes(4 * kMiB);
    Bytes out(in.size());
    std::size_t at = 0;
    while (at + 5000 < in.size()) {
      const std::size_t whole = 4096;
      stream.ctr(key.cipher, key.keys, key.at(at).data(), in.data() + at, out.data() + at, whole);
      at += whole;
      Bytes keystream(block);
      if (own) {
        engine.cpu(key.cipher).ctr(key.keys, key.at(at).data(), nullptr, keystream.data(), block);
      } else {
        stream.ctr(key.cipher, key.keys, key.at(at).data(), nullptr, keystream.data(), block);
      }
      for (std::size_t i = 0; i < block; ++i) {
        out[at + i] = static_cast<std::uint8_t>(in[at + i] ^ keystream[i]);
      }
      at += block;
    }
    Bytes want = key.expect(in);
    out.resize(at);
    want.resize(at);
    EXPECT_SAME(out, want);
    // 3 MiB are 48 windows of 64 KiB. Dropping windows makes fewer; beginning anew makes hundreds.
    EXPECT_GT(engine.stats().device_windows, 40u);
    EXPECT_LT(engine.stats().device_windows, 60u);
  }
}

TEST_F(OneStream, LengthsThatEndWithinABlock) {
  const Bytes in = random_bytes(2 * kMiB);
  for (const std::size_t extra : {1u, 7u, 15u}) {
    BulkStream stream(&engine);
    Bytes out(in.size());
    enc(&stream, key, in, &out, 0, in.size() - 8192);
    const std::size_t at = in.size() - 8192;
    stream.ctr(key.cipher, key.keys, key.at(at).data(), in.data() + at, out.data() + at,
               4096 + extra);
    Bytes want = key.expect(in);
    want.resize(at + 4096 + extra);
    out.resize(want.size());
    EXPECT_SAME(out, want);
  }
}

// An update may end within a block: the next one begins with the next block, in the windows too.
TEST(Stream, GoesOnWithTheNextBlockAfterAPartialOne) {
  for (const char* name : {"LEA-128", "HIGHT"}) {
    const Key key(*find_cipher(name));
    const std::size_t block = key.cipher.block_bytes;
    Engine engine(config(fake_gpu()));
    ASSERT_TRUE(engine.warm_up(key.cipher));
    BulkStream stream(&engine);
    const Bytes in = random_bytes(4 * kMiB);
    const Bytes want = key.expect(in);
    std::size_t wrong = 0;
    for (std::size_t at = 0, i = 0; at + 8192 < in.size(); ++i) {
      const std::size_t n = 4096 + i % block;
      Bytes out(n);
      ASSERT_EQ(stream.ctr(key.cipher, key.keys, key.at(at).data(), in.data() + at, out.data(), n),
                BulkStatus::kOk);
      wrong += std::memcmp(out.data(), want.data() + at, n) != 0 ? 1 : 0;
      at += (n + block - 1) / block * block;
    }
    EXPECT_EQ(wrong, 0u);
    // Had they been dropped, the next would have come a MiB later.
    EXPECT_GT(engine.stats().device_windows, 40u);
  }
}

// The counter's low 64 bits overflow in the middle: in a block of 8 bytes that is its end.
class StreamCarry : public testing::TestWithParam<const char*> {
 protected:
  // A counter whose low half is `blocks` short of 2^64.
  static Key before_carry(std::size_t blocks) {
    Key key(*find_cipher(GetParam()));
    std::uint64_t low = 0 - std::uint64_t{blocks};
    for (std::size_t i = key.cipher.block_bytes, n = 0; n < 8; ++n, low >>= 8) {
      key.counter[--i] = static_cast<std::uint8_t>(low);
    }
    return key;
  }
};

TEST_P(StreamCarry, WithinWindows) {
  const std::size_t block = find_cipher(GetParam())->block_bytes;
  // In the update that starts the windows, in a window, between two updates.
  for (const std::size_t at : {kMiB - 2048, 2 * kMiB + 1024, 2 * kMiB + 4096}) {
    const Key key = before_carry(at / block);
    Engine engine(config(fake_gpu()));
    ASSERT_TRUE(engine.warm_up(key.cipher));
    BulkStream stream(&engine);
    const Bytes in = random_bytes(3 * kMiB);
    Bytes out(in.size());
    enc(&stream, key, in, &out, 0, in.size());
    EXPECT_SAME(out, key.expect(in));
    // Two MiB in windows of 64 KiB, all of them used.
    EXPECT_GT(engine.stats().device_windows, 30u);
    EXPECT_EQ(engine.stats().cpu_bytes + engine.stats().device_bytes, in.size());
  }
}

TEST_P(StreamCarry, AfterAPartialBlock) {
  const Key key = before_carry(1);
  const std::size_t skip = key.cipher.block_bytes - 3;
  Engine engine(config(fake_gpu()));
  const Bytes in = random_bytes(100);
  Bytes longer(skip);
  longer.insert(longer.end(), in.begin(), in.end());
  longer = key.expect(longer);
  const Bytes want(longer.begin() + static_cast<std::ptrdiff_t>(skip), longer.end());
  BulkStream stream(&engine);
  Bytes out(in.size());
  ASSERT_EQ(
      stream.ctr_at(key.cipher, key.keys, key.counter, skip, in.data(), out.data(), in.size()),
      BulkStatus::kOk);
  EXPECT_SAME(out, want);
}

INSTANTIATE_TEST_SUITE_P(Blocks, StreamCarry, testing::Values("LEA-128", "HIGHT"));

// Which memory is whose is asked again after a reset: addresses may be a device's by then.
TEST_F(OneStream, ResetForgetsWhichMemoryIsOrdinary) {
  BulkStream stream(&engine);
  // Two regions are remembered.
  const Bytes first(64), second(4 * kMiB);
  const std::uint8_t* const there[] = {first.data(), second.data() + 2 * kMiB};
  for (const std::uint8_t* p : there) EXPECT_FALSE(stream.is_device(p));
  const unsigned asked = fake_calls(Call::kPointerKind);
  for (const std::uint8_t* p : there) EXPECT_FALSE(stream.is_device(p));
  EXPECT_EQ(fake_calls(Call::kPointerKind), asked) << "remembered";
  stream.reset();
  for (const std::uint8_t* p : there) EXPECT_FALSE(stream.is_device(p));
  EXPECT_EQ(fake_calls(Call::kPointerKind), asked + 2);
}

// Going back, jumping ahead, another key, another cipher: nothing of the old window may show.
TEST(Stream, AnythingThatDoesNotFollowDropsTheWindow) {
  const Key key(lea(), 1);
  const Key other(lea(), 2);
  const Key hight(*find_cipher("HIGHT"));
  Engine engine(config(fake_gpu()));
  ASSERT_TRUE(engine.warm_up(key.cipher));
  const Bytes in = random_bytes(4 * kMiB);
  const Bytes want = key.expect(in);
  BulkStream stream(&engine);
  Bytes out(in.size());
  enc(&stream, key, in, &out, 0, 2 * kMiB);
  enc(&stream, key, in, &out, 0, 2 * kMiB);              // back to the start
  enc(&stream, key, in, &out, 3 * kMiB, 4 * kMiB);       // ahead, past the windows
  enc(&stream, key, in, &out, 2 * kMiB, 3 * kMiB);       // back
  enc(&stream, key, in, &out, 2 * kMiB + 32, 3 * kMiB);  // a step of two blocks
  EXPECT_SAME(out, want);
  enc(&stream, hight, in, &out, 0, 2 * kMiB);
  stream.reset();
  Bytes with_other(in.size());
  enc(&stream, other, in, &with_other, 0, in.size());
  EXPECT_SAME(with_other, other.expect(in));
}

TEST_F(OneStream, ResetWipesAndReturnsTheWindows) {
  const Bytes in = random_bytes(2 * kMiB);
  Bytes out(in.size());
  {
    BulkStream stream(&engine);
    enc(&stream, key, in, &out, 0, in.size());
    EXPECT_NE(first_difference(fake_pinned(), Bytes(kMiB)), kMiB) << "keystream is in the ring";
    stream.reset();
    EXPECT_SAME(fake_pinned(), Bytes(kMiB));
    enc(&stream, key, in, &out, 0, in.size());
    EXPECT_NE(first_difference(fake_pinned(), Bytes(kMiB)), kMiB);
  }
  EXPECT_SAME(fake_pinned(), Bytes(kMiB));
}

TEST_F(OneStream, CopiesShareNothing) {
  const Bytes in = random_bytes(4 * kMiB);
  Bytes out(in.size());
  Bytes copied(in.size());
  auto first = std::make_unique<BulkStream>(&engine);
  enc(first.get(), key, in, &out, 0, 2 * kMiB);
  BulkStream second(*first);
  copied = out;
  enc(first.get(), key, in, &out, 2 * kMiB, 3 * kMiB);
  first.reset();
  enc(&second, key, in, &copied, 2 * kMiB, 4 * kMiB);
  EXPECT_SAME(copied, key.expect(in));
}

// Ten thousand contexts that have had their turn and wait cost the ring nothing.
TEST_F(OneStream, IdleContextsHoldNoMemory) {
  const std::size_t pinned = fake_pinned_bytes();
  std::vector<std::unique_ptr<BulkStream>> idle;
  for (int i = 0; i < 10000; ++i) {
    idle.push_back(std::make_unique<BulkStream>(&engine));
    Bytes data(64);
    idle.back()->ctr(key.cipher, key.keys, key.counter, data.data(), data.data(), data.size());
  }
  const Bytes in = random_bytes(2 * kMiB);
  Bytes out(in.size());
  // Enough of them with windows to exhaust the ring, left open.
  for (std::size_t i = 0; i < 12; ++i) enc(idle[i].get(), key, in, &out, 0, in.size());
  EXPECT_EQ(fake_pinned_bytes(), pinned);
  // Once they have been idle for a while, a newcomer gets their slots.
  std::this_thread::sleep_for(std::chrono::milliseconds(250));
  const std::uint64_t before = engine.stats().device_bytes;
  Bytes data = in;
  ASSERT_EQ(engine.ctr(key.cipher, key.keys, key.counter, data.data(), data.data(), data.size()),
            BulkStatus::kOk);
  EXPECT_SAME(data, key.expect(in));
  EXPECT_GT(engine.stats().device_bytes, before);
  // And those who lost theirs go on with the right bytes.
  for (std::size_t i = 0; i < 12; ++i) {
    Bytes more(in.size());
    Bytes want = key.expect(in);
    enc(idle[i].get(), key, in, &more, 0, kMiB);
    enc(idle[i].get(), key, in, &more, kMiB, in.size());
    EXPECT_SAME(more, want);
  }
}

// A window that a device refuses ends the reading ahead; it begins again after as long a sequence
// as at first.
TEST_F(OneStream, ReadsAheadAgainAfterARefusal) {
  BulkStream stream(&engine);
  const Bytes in = random_bytes(6 * kMiB);
  Bytes out(in.size());
  enc(&stream, key, in, &out, 0, 2 * kMiB);
  fake_fail(Call::kCtr, 1, DeviceStatus::kOutOfMemory);
  std::size_t at = 2 * kMiB;
  for (; fake_struck() == 0 && at < 4 * kMiB; at += 4096) {
    enc(&stream, key, in, &out, at, at + 4096);
  }
  ASSERT_EQ(fake_struck(), 1u);
  const std::uint64_t windows = engine.stats().device_windows;
  enc(&stream, key, in, &out, at, at + kMiB - 8192);
  EXPECT_EQ(engine.stats().device_windows, windows);
  enc(&stream, key, in, &out, at + kMiB - 8192, in.size());
  EXPECT_GT(engine.stats().device_windows, windows);
  EXPECT_SAME(out, key.expect(in));
}

TEST_F(OneStream, AWindowTakenOverInTheMiddle) {
  const Bytes in = random_bytes(4 * kMiB);
  const Bytes want = key.expect(in);
  std::vector<std::unique_ptr<BulkStream>> streams;
  std::vector<Bytes> outs(8, Bytes(in.size()));
  for (std::size_t i = 0; i < outs.size(); ++i) {
    streams.push_back(std::make_unique<BulkStream>(&engine));
    enc(streams[i].get(), key, in, &outs[i], 0, 2 * kMiB);
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(250));
  Bytes job = in;
  engine.ctr(key.cipher, key.keys, key.counter, job.data(), job.data(), job.size());
  EXPECT_SAME(job, want);
  for (std::size_t i = 0; i < outs.size(); ++i) {
    enc(streams[i].get(), key, in, &outs[i], 2 * kMiB, 4 * kMiB);
    EXPECT_SAME(outs[i], want);
  }
}

// 64 contexts in 16 threads on a ring of 16 slots: no deadlock, right bytes, and the device serves
// more of them than fit at once.
TEST_F(OneStream, ManyContextsShareTheRing) {
  const Bytes in = random_bytes(2 * kMiB);
  const Bytes want = key.expect(in);
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 16; ++t) {
    threads.emplace_back([&, t] {
      for (int c = 0; c < 4; ++c) {
        BulkStream stream(&engine);
        Bytes out(in.size());
        for (std::size_t at = 0; at < in.size(); at += 4096) {
          stream.ctr(key.cipher, key.keys, key.at(at).data(), in.data() + at, out.data() + at,
                     4096);
        }
        if (out != want) wrong.fetch_add(1);
        if (t % 4 == 0) {
          Bytes job = in;
          engine.ctr(key.cipher, key.keys, key.counter, job.data(), job.data(), job.size());
          if (job != want) wrong.fetch_add(1);
        }
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  // Each slot of the ring served several of them, one after the other.
  EXPECT_GT(engine.stats().device_windows, 4u * 16);
}

// A holder of 64 MiB lets others have a turn when they were refused.
TEST(Stream, LongHoldersTakeTurns) {
  const Key key(lea());
  EngineConfig c = config(fake_gpu());
  c.ring_bytes = 4 * 64 * kKiB;  // a quarter is spare, so there are windows for one context
  c.threads = 1;
  Engine engine(c);
  ASSERT_TRUE(engine.warm_up(key.cipher));
  BulkStream first(&engine);
  BulkStream second(&engine);
  Bytes data(64 * kKiB);
  bool second_served = false;
  for (std::size_t at = 0; at < 200 * kMiB && !second_served; at += data.size()) {
    const Bytes counter = key.at(at);
    first.ctr(key.cipher, key.keys, counter.data(), nullptr, data.data(), data.size());
    second.ctr(key.cipher, key.keys, counter.data(), nullptr, data.data(), 4096);
    second.ctr(key.cipher, key.keys, key.at(at + 4096).data(), nullptr, data.data(),
               data.size() - 4096);
    second_served = std::strcmp(second.served_by(), "fake") == 0;
    if (at == 4 * kMiB) {
      EXPECT_FALSE(second_served) << "there is room for both: no test";
    }
  }
  EXPECT_TRUE(second_served);
}

// Whoever was refused before a holder came does not shorten its turn.
TEST(Stream, EarlierRefusalsCostALongHolderNothing) {
  const Key key(lea());
  EngineConfig c = config(fake_gpu());
  c.ring_bytes = 4 * 64 * kKiB;
  c.threads = 1;
  Engine engine(c);
  ASSERT_TRUE(engine.warm_up(key.cipher));
  Bytes data(64 * kKiB);
  const auto run = [&](BulkStream* stream, std::size_t from, std::size_t to) {
    for (std::size_t at = from; at < to; at += data.size()) {
      stream->ctr(key.cipher, key.keys, key.at(at).data(), nullptr, data.data(), data.size() / 2);
      stream->ctr(key.cipher, key.keys, key.at(at + data.size() / 2).data(), nullptr, data.data(),
                  data.size() / 2);
    }
  };
  {
    BulkStream first(&engine), refused(&engine);
    run(&first, 0, 2 * kMiB);
    run(&refused, 0, 2 * kMiB);
  }
  const std::uint64_t before = engine.stats().device_windows;
  BulkStream holder(&engine);
  run(&holder, 0, 80 * kMiB);
  // One for each 64 KiB behind the first MiB. A holder that gave up would miss a whole MiB.
  EXPECT_GE(engine.stats().device_windows - before, 79u * 16);
}

class StreamFault : public OneStream,
                    public testing::WithParamInterface<std::tuple<int, int, unsigned>> {};

TEST_P(StreamFault, SameBytes) {
  const auto [call, status, nth] = GetParam();
  fake_fail(static_cast<Call>(call), nth, static_cast<DeviceStatus>(status), 2);
  BulkStream stream(&engine);
  const Bytes in = random_bytes(5 * kMiB);
  Bytes out(in.size());
  enc(&stream, key, in, &out, 0, in.size());
  EXPECT_SAME(out, key.expect(in));
  if (static_cast<Call>(call) == Call::kEventWait) return;  // only where a window is not seen ready
  EXPECT_GT(fake_struck(), 0u);
  EXPECT_GT(engine.stats().fallbacks, 0u);
}

INSTANTIATE_TEST_SUITE_P(
    Each, StreamFault,
    testing::Combine(testing::Values(static_cast<int>(Call::kStreamCreate),
                                     static_cast<int>(Call::kEventCreate),
                                     static_cast<int>(Call::kEventRecord),
                                     static_cast<int>(Call::kEventQuery),
                                     static_cast<int>(Call::kEventWait),
                                     static_cast<int>(Call::kCtr), static_cast<int>(Call::kKernel)),
                     testing::Values(static_cast<int>(DeviceStatus::kDeviceLost),
                                     static_cast<int>(DeviceStatus::kOutOfMemory),
                                     static_cast<int>(DeviceStatus::kLaunch)),
                     testing::Values(1u, 2u)));

}  // namespace
}  // namespace gpuctr
