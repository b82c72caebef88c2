// Batches on the device: many keys, counters and lengths in one launch.
#include <algorithm>

#include "test/gpu/support.h"

namespace gpuctr {
namespace {

using namespace test;
using Where = TestMemory::Where;

struct Batch {
  std::vector<Key> keys;
  std::vector<DeviceSegment> segments;
  std::vector<Bytes> counters;
  std::size_t bytes = 0;

  void add(const CipherSpec& cipher, Bytes counter, std::size_t gap, std::size_t n) {
    keys.emplace_back(cipher);
    bytes += gap;
    DeviceSegment s = {nullptr, {}, bytes, n};
    std::memcpy(s.counter, counter.data(), counter.size());
    segments.push_back(s);
    counters.push_back(std::move(counter));
    bytes += n;
  }

  // raw: the layer is to expand the keys, all or every second one.
  enum class Raw { kNone, kSome, kAll };
  void run(bool with_data, Where where, Raw raw) {
    const DeviceLayer* const layer = cuda_with_a_device();
    for (std::size_t i = 0; i < segments.size(); ++i) {
      const bool expanded = raw == Raw::kNone || (raw == Raw::kSome && i % 2 == 0);
      segments[i].keys = expanded ? &keys[i].keys : nullptr;
      segments[i].key = expanded ? nullptr : keys[i].raw.data();
    }
    TestStream stream;
    const TestMemory out(where, bytes + 64);
    const TestMemory in(where, bytes + 64);
    const Bytes before = random_bytes(bytes + 64);
    const Bytes data = random_bytes(bytes + 64);
    stream.put(out.get(), before);
    stream.put(in.get(), data);
    ASSERT_OK(layer->ctr_batch(stream, keys[0].cipher, segments.data(), segments.size(),
                               with_data ? in.get() : nullptr, out.get()));
    ASSERT_OK(layer->stream_wait(stream));
    Bytes want = before;
    for (std::size_t i = 0; i < segments.size(); ++i) {
      const auto at = static_cast<std::ptrdiff_t>(segments[i].offset);
      const auto n = static_cast<std::ptrdiff_t>(segments[i].bytes);
      Bytes piece(segments[i].bytes);
      if (with_data) piece.assign(data.begin() + at, data.begin() + at + n);
      keys[i].expect(counters[i], &piece);
      std::copy(piece.begin(), piece.end(), want.begin() + at);
    }
    EXPECT_EQ(first_difference(stream.get(out.get(), want.size()), want), want.size());
  }
};

class Batches : public testing::TestWithParam<std::size_t> {
 protected:
  const CipherSpec& cipher() const { return cipher_spec(GetParam()); }
};

// What CTR_DRBG sends: requests of one size, a key each.
TEST_P(Batches, OfEqualSegments) {
  GPUCTR_NEEDS_A_DEVICE();
  for (const std::size_t n : {1024u, 65536u, 65000u}) {
    for (const Batch::Raw raw : {Batch::Raw::kNone, Batch::Raw::kSome, Batch::Raw::kAll}) {
      for (const bool with_data : {false, true}) {
        Batch batch;
        for (unsigned i = 0; i < 37; ++i) {
          batch.add(cipher(), random_bytes(cipher().block_bytes), i % 2 * (n % 1000), n);
        }
        batch.run(with_data, Where::kDevice, raw);
      }
    }
  }
}

TEST_P(Batches, OfMixedSegments) {
  GPUCTR_NEEDS_A_DEVICE();
  for (unsigned round = 0; round < 8; ++round) {
    Batch batch;
    const std::size_t count = 1 + random_below(100);
    for (std::size_t i = 0; i < count; ++i) {
      Bytes counter = random_bytes(cipher().block_bytes);
      if (random_below(3) == 0) std::fill(counter.begin() + 2, counter.end(), 0xff);
      const std::size_t n = random_below(5) == 0 ? 0 : random_source()() >> (46 + random_below(17));
      batch.add(cipher(), counter, random_below(2) == 0 ? 0 : random_below(40), n);
    }
    batch.run(round % 2 == 0, round % 4 == 3 ? Where::kPinned : Where::kDevice,
              static_cast<Batch::Raw>(round % 3));
  }
}

// More batches in flight than the stream keeps scratch memory for, of growing size.
TEST_P(Batches, OneAfterAnother) {
  GPUCTR_NEEDS_A_DEVICE();
  const DeviceLayer* const layer = cuda_with_a_device();
  TestStream stream;
  constexpr std::size_t kEach = 1000;
  constexpr std::size_t kMost = 600;
  const TestMemory out(Where::kDevice, kEach * kMost * 8);
  ASSERT_OK(layer->zero(stream, out.get(), kEach * kMost * 8));  // the gaps are read back as well
  std::vector<Bytes> want;
  std::vector<Key> keys;
  keys.reserve(8 * kMost);
  for (std::size_t b = 0; b < 8; ++b) {
    std::vector<DeviceSegment> segments;
    const std::size_t count = b < 7 ? 1 + 50 * b : kMost;
    for (std::size_t i = 0; i < count; ++i) {
      keys.emplace_back(cipher());
      const Bytes counter = random_bytes(cipher().block_bytes);
      DeviceSegment s = {&keys.back().keys, {}, i * kEach, kEach};
      std::memcpy(s.counter, counter.data(), counter.size());
      segments.push_back(s);
      Bytes piece(kEach);
      keys.back().expect(counter, &piece);
      want.push_back(std::move(piece));
    }
    ASSERT_OK(layer->ctr_batch(stream, cipher(), segments.data(), count, nullptr,
                               out.get() + b * kEach * kMost));
  }
  ASSERT_OK(layer->stream_wait(stream));
  const Bytes got = stream.get(out.get(), kEach * kMost * 8);
  auto next = want.begin();
  for (std::size_t b = 0; b < 8; ++b) {
    for (std::size_t i = 0; i < (b < 7 ? 1 + 50 * b : kMost); ++i, ++next) {
      ASSERT_EQ(std::memcmp(got.data() + (b * kMost + i) * kEach, next->data(), kEach), 0)
          << "batch " << b << ", segment " << i;
    }
  }
}

TEST(Batch, OfNothing) {
  GPUCTR_NEEDS_A_DEVICE();
  TestStream stream;
  const CipherSpec& cipher = *find_cipher("LEA-128");
  const Key key(cipher);
  const DeviceSegment none = {&key.keys, {}, 0, 0};
  EXPECT_OK(cuda_with_a_device()->ctr_batch(stream, cipher, &none, 1, nullptr, nullptr));
  EXPECT_OK(cuda_with_a_device()->ctr_batch(stream, cipher, nullptr, 0, nullptr, nullptr));
}

INSTANTIATE_TEST_SUITE_P(All, Batches, testing::ValuesIn(ciphers_with_kernels()), cipher_test_name);

}  // namespace
}  // namespace gpuctr
