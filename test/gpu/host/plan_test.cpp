// Host-side arithmetic before a launch. Needs no device and no CUDA.
#include <algorithm>

#include "kernels/gpu/cuda/plan.h"

#include "test/gpu/support.h"

namespace gpuctr {
namespace {

using test::Bytes;
using test::random_below;
using test::random_bytes;

// A block that the plain form takes and this build has room for.
constexpr std::size_t kBlock = std::min(kMaxCudaBlockBytes, kMaxBlockBytes);

TEST(Plan, CounterPartsAreTheBlocksBytes) {
  const Bytes counter = {0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77,
                         0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff};
  const CounterParts wide = split_counter(counter.data(), 16);
  EXPECT_EQ(wide.high[0], 0x33221100u);
  EXPECT_EQ(wide.high[1], 0x77665544u);
  EXPECT_EQ(wide.high[2], 0xbbaa9988u);
  EXPECT_EQ(wide.low, 0xccddeeffu);
  const CounterParts narrow = split_counter(counter.data(), 8);
  EXPECT_EQ(narrow.high[0], 0x33221100u);
  EXPECT_EQ(narrow.low, 0x44556677u);
}

TEST(Plan, PiecesEndAtTheCarry) {
  for (std::size_t block = 8; block <= kBlock; block *= 2) {
    Bytes counter(block, 0xff);
    counter[block - 1] = 0xfd;  // three blocks to the carry, which runs through every byte
    CounterRuns pieces(counter.data(), block, 10 * block + 1);
    CounterRun piece;
    ASSERT_TRUE(pieces.next(&piece));
    EXPECT_EQ(piece.offset, 0u);
    EXPECT_EQ(piece.bytes, 3 * block);
    EXPECT_EQ(piece.counter.low, 0xfffffffdu);
    ASSERT_TRUE(pieces.next(&piece));
    EXPECT_EQ(piece.offset, 3 * block);
    EXPECT_EQ(piece.bytes, 7 * block + 1);
    EXPECT_EQ(piece.counter.low, 0u);
    EXPECT_EQ(piece.counter.high[0], 0u);
    EXPECT_FALSE(pieces.next(&piece));
  }
}

TEST(Plan, AShortPieceBeforeTheCarryIsWhole) {
  Bytes counter(kBlock, 0xff);
  CounterRuns pieces(counter.data(), kBlock, kBlock);
  CounterRun piece;
  ASSERT_TRUE(pieces.next(&piece));
  EXPECT_EQ(piece.bytes, kBlock);
  EXPECT_FALSE(pieces.next(&piece));
  CounterRuns none(counter.data(), kBlock, 0);
  EXPECT_FALSE(none.next(&piece));
}

TEST(Plan, LongJobsHaveAPieceForEvery32Bits) {
  const std::size_t bytes = (std::size_t{1} << 40) + 5;  // 2^37 blocks of 8 bytes
  const Bytes counter(8, 0);
  CounterRuns pieces(counter.data(), 8, bytes);
  std::size_t next = 0;
  std::uint32_t high = 0;
  for (CounterRun piece; pieces.next(&piece); ++high) {
    EXPECT_EQ(piece.offset, next);
    EXPECT_EQ(piece.counter.low, 0u);
    EXPECT_EQ(piece.counter.high[0], high << 24);  // big-endian bytes, read little-endian
    next += piece.bytes;
  }
  EXPECT_EQ(next, bytes);
  EXPECT_EQ(high, 33u);
}

TEST(Plan, NarrowRoundKeysFillTheirWord) {
  RoundKeys keys = {};
  keys.bytes[0] = 0x5a;
  keys.bytes[1] = 0xc3;
  std::uint32_t out[2];
  spread_keys<std::uint8_t>(keys, 2, out);
  EXPECT_EQ(out[0], 0x5a5a5a5au);
  EXPECT_EQ(out[1], 0xc3c3c3c3u);
  spread_keys<std::uint16_t>(keys, 1, out);
  EXPECT_EQ(out[0], 0xc35ac35au);
  spread_keys<std::uint32_t>(keys, 1, out);
  EXPECT_EQ(out[0], 0x0000c35au);
}

DeviceSegment segment(const Bytes& counter, std::size_t offset, std::size_t bytes) {
  DeviceSegment s = {nullptr, {}, offset, bytes};
  std::memcpy(s.counter, counter.data(), counter.size());
  return s;
}

TEST(Plan, EvenBatchesSayHowEven) {
  constexpr std::size_t kUnit = 2048;
  const Bytes counter(kBlock, 7);
  std::vector<DeviceSegment> segments;
  for (std::size_t i = 0; i < 5; ++i) segments.push_back(segment(counter, i * 65536, 65536 - i));
  const BatchSize size = measure_batch(segments.data(), segments.size(), kBlock, kUnit);
  EXPECT_EQ(size.runs, 5u);
  EXPECT_EQ(size.units, 5u * 32);
  EXPECT_TRUE(size.fits);
  EXPECT_EQ(size.even, 32u);
  segments[2].bytes = 100;
  EXPECT_EQ(measure_batch(segments.data(), segments.size(), kBlock, kUnit).even, 0u);
}

// Every byte of every segment in exactly one unit, with the counter that belongs to it.
TEST(Plan, RunsCoverEverySegment) {
  constexpr std::size_t kUnit = 1024;
  for (unsigned round = 0; round < 200; ++round) {
    std::vector<DeviceSegment> segments;
    std::size_t offset = 0;
    const std::size_t count = 1 + random_below(40);
    for (std::size_t i = 0; i < count; ++i) {
      Bytes counter = random_bytes(8);
      if (random_below(2) == 0) std::fill(counter.begin() + 3, counter.end(), 0xff);
      const std::size_t bytes = random_below(4) == 0 ? 0 : random_below(10000);
      offset += random_below(50);
      segments.push_back(segment(counter, offset, bytes));
      offset += bytes;
    }
    const BatchSize size = measure_batch(segments.data(), count, 8, kUnit);
    std::vector<BatchRun> runs(size.runs);
    lay_out_batch(segments.data(), count, 8, kUnit, runs.data());
    std::size_t r = 0;
    std::uint64_t units = 0;
    for (std::size_t i = 0; i < count; ++i) {
      Bytes counter(segments[i].counter, segments[i].counter + 8);
      std::size_t at = segments[i].offset;
      while (at != segments[i].offset + segments[i].bytes) {
        ASSERT_LT(r, runs.size());
        const BatchRun& run = runs[r++];
        EXPECT_EQ(run.key, i);
        EXPECT_EQ(run.offset, at);
        EXPECT_EQ(run.first_unit, units);
        const CounterParts parts = split_counter(counter.data(), 8);
        EXPECT_EQ(run.counter.low, parts.low);
        EXPECT_EQ(run.counter.high[0], parts.high[0]);
        EXPECT_LE((run.bytes + 7) / 8, blocks_to_carry(run.counter.low));
        units += (run.bytes + kUnit - 1) / kUnit;
        at += run.bytes;
        counter_add(counter.data(), 8, run.bytes / 8);
      }
    }
    EXPECT_EQ(r, runs.size());
    EXPECT_EQ(units, size.units);
  }
}

TEST(Plan, ABatchBeyond32BitsOfUnitsIsRefused) {
  const Bytes counter(kBlock, 0);
  const DeviceSegment s = segment(counter, 0, std::size_t{1} << 43);
  EXPECT_FALSE(measure_batch(&s, 1, kBlock, 1024).fits);
}

}  // namespace
}  // namespace gpuctr
