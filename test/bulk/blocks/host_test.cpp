// Whole blocks on the calling thread.
#include <algorithm>

#include "test/bulk/blocks/support.h"

namespace gpuctr {
namespace {

using namespace test;

class EveryCipherBlocks : public testing::TestWithParam<std::size_t> {
 protected:
  // Apart and in place, with the bytes around the output left alone.
  void expect_same(Engine* engine, Blocks what, std::size_t count, std::size_t in_skew,
                   std::size_t out_skew) {
    const std::size_t n = count * key_.cipher.block_bytes;
    const Bytes in = random_bytes(n, static_cast<std::uint32_t>(count));
    const Bytes want = key_.expect(what, in);
    Bytes from(in_skew);
    from.insert(from.end(), in.begin(), in.end());
    Bytes around(n + 64, 0x77);
    Bytes expected = around;
    std::copy(want.begin(), want.end(), expected.begin() + static_cast<std::ptrdiff_t>(out_skew));
    ASSERT_EQ(key_.run(engine, what, from.data() + in_skew, around.data() + out_skew, n),
              BulkStatus::kOk);
    ASSERT_SAME(around, expected) << count << " blocks apart";
    std::uint8_t* const same = from.data() + in_skew;
    ASSERT_EQ(key_.run(engine, what, same, same, n), BulkStatus::kOk);
    ASSERT_SAME(Bytes(same, same + n), want) << count << " blocks in place";
  }

  const BlockKey key_{cipher_spec(GetParam())};
};

TEST_P(EveryCipherBlocks, AnyCount) {
  Engine engine{EngineConfig{}};
  const std::size_t page = 4096 / key_.cipher.block_bytes;
  std::vector<std::size_t> counts(40);
  for (std::size_t i = 0; i < counts.size(); ++i) counts[i] = i;
  counts.insert(counts.end(), {100, 257, page - 1, page, page + 1, 2 * page - 1, 2 * page,
                               2 * page + 1, 5 * page, 5 * page + 1});
  for (const Blocks what : kAllBlocks) {
    for (const std::size_t count : counts) {
      expect_same(&engine, what, count, count % 5, count % 17);
      if (HasFatalFailure()) return;
    }
  }
}

TEST_P(EveryCipherBlocks, EveryByteIsCounted) {
  Engine engine{EngineConfig{}};
  const Bytes in(64 * kMaxBlockBytes);
  Bytes out(in.size());
  bool by_device = true;
  for (const Blocks what : kAllBlocks) {
    ASSERT_EQ(key_.run(&engine, what, in.data(), out.data(), in.size(), &by_device),
              BulkStatus::kOk);
    EXPECT_FALSE(by_device);
  }
  EXPECT_EQ(engine.stats().cpu_bytes, 4 * in.size());
}

// Small updates of a stream, late, and all of them at its end.
TEST_P(EveryCipherBlocks, EveryByteOfAStreamIsCounted) {
  Engine engine{EngineConfig{}};
  const std::size_t block = key_.cipher.block_bytes;
  const RoundKeys& keys = key_.keys;
  const std::uint8_t before[kMaxBlockBytes] = {};
  Bytes data(3 * block);
  std::uint64_t made = 0;
  {
    BulkStream stream(&engine);
    const auto one = [&](BlockOperation operation, const std::uint8_t* chained) {
      ASSERT_EQ(stream.blocks(key_.cipher, keys, operation, chained, data.data(), data.data(), 3),
                BulkStatus::kOk);
      ASSERT_EQ(stream.ctr(key_.cipher, keys, before, nullptr, data.data(), data.size()),
                BulkStatus::kOk);
      made += 2 * data.size();
    };
    while (made < 5 * BulkStream::kCountedLate) {
      one(BlockOperation::kEncrypt, nullptr);
      one(BlockOperation::kDecrypt, nullptr);
      one(BlockOperation::kDecrypt, before);
      one(BlockOperation::kEncrypt, before);
      if (HasFatalFailure()) return;
      const std::uint64_t counted = engine.stats().cpu_bytes;
      ASSERT_LE(counted, made);
      ASSERT_LT(made - counted, BulkStream::kCountedLate);
    }
  }
  EXPECT_EQ(engine.stats().cpu_bytes, made);
}

INSTANTIATE_TEST_SUITE_P(All, EveryCipherBlocks, testing::Range(std::size_t{0}, kCipherCount),
                         cipher_name);

}  // namespace
}  // namespace gpuctr
