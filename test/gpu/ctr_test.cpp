// Every cipher's kernels on the device against the scalar backend.
#include <algorithm>

#include "test/gpu/support.h"

namespace gpuctr {
namespace {

using namespace test;
using Where = TestMemory::Where;

constexpr std::size_t kGuard = 64;

class OnTheDevice : public testing::TestWithParam<std::size_t> {
 protected:
  const CipherSpec& cipher() const { return cipher_spec(GetParam()); }

  // One job with `n` bytes at the given distances from 16-byte alignment; in < 0: fill, in == out:
  // in place. The bytes around the output must stay.
  void job(const Key& key, const Bytes& counter, std::size_t n, int in_skew, unsigned out_skew,
           Where where) {
    const DeviceLayer* const layer = cuda_with_a_device();
    TestStream stream;
    const TestMemory out(where, n + 2 * kGuard);
    const TestMemory in(where, n + 2 * kGuard);
    ASSERT_NE(out.get(), nullptr);
    ASSERT_NE(in.get(), nullptr);
    const Bytes before = random_bytes(n + 2 * kGuard);
    stream.put(out.get(), before);
    const std::size_t at = kGuard + out_skew;
    Bytes want(n);
    const std::uint8_t* from = nullptr;
    if (in_skew >= 0) {
      want = random_bytes(n);
      std::uint8_t* const to = in.get() + kGuard + in_skew;
      stream.put(to, want);
      from = to;
    }
    ASSERT_OK(layer->ctr(stream, key.cipher, key.keys, counter.data(), from, out.get() + at, n));
    ASSERT_OK(layer->stream_wait(stream));
    key.expect(counter, &want);
    Bytes all = before;
    std::copy(want.begin(), want.end(), all.begin() + static_cast<std::ptrdiff_t>(at));
    const Bytes got = stream.get(out.get(), all.size());
    ASSERT_EQ(first_difference(got, all), all.size())
        << n << " bytes, in " << in_skew << ", out " << out_skew;
  }
};

TEST_P(OnTheDevice, AnyLength) {
  GPUCTR_NEEDS_A_DEVICE();
  const Key key(cipher());
  std::vector<std::size_t> lengths = {1, 2, 7, 8, 9, 15, 16, 17, 31, 33, 511, 512, 513, 1000};
  for (const std::size_t n : {1024u, 2048u, 4096u, 16384u, 131072u, 262144u, 1048576u})
    lengths.insert(lengths.end(), {n - 1, n, n + 1, n + random_below(n)});
  for (const std::size_t n : lengths) {
    const Bytes counter = random_bytes(cipher().block_bytes);
    job(key, counter, n, -1, 0, Where::kDevice);
    job(key, counter, n, 0, 0, Where::kDevice);
    if (n < 300000) job(key, counter, n, n % 2 == 0 ? -1 : 0, 0, Where::kPinned);
    if (HasFatalFailure()) return;
  }
}

// Long jobs of some ciphers have a kernel of their own.
TEST_P(OnTheDevice, Long) {
  GPUCTR_NEEDS_A_DEVICE();
  const Key key(cipher());
  for (const std::size_t n : {(std::size_t{32} << 20) - 1, (std::size_t{32} << 20) + 8,
                              (std::size_t{70} << 20) + random_below(100000)}) {
    Bytes counter = random_bytes(cipher().block_bytes);
    job(key, counter, n, -1, 0, Where::kDevice);
    std::fill(counter.end() - 4, counter.end() - 2, 0xff);  // the low word wraps
    job(key, counter, n, -1, static_cast<unsigned>(random_below(64)), Where::kDevice);
    if (HasFatalFailure()) return;
  }
}

// Multiplication takes 0 for something else, and a key of zeros has it in every place.
TEST_P(OnTheDevice, OfZeros) {
  GPUCTR_NEEDS_A_DEVICE();
  Key key(cipher());
  std::fill(key.raw.begin(), key.raw.end(), 0);
  cipher().expand(key.raw.data(), &key.keys);
  job(key, Bytes(cipher().block_bytes), 100000, -1, 0, Where::kDevice);
}

TEST_P(OnTheDevice, AnyAlignment) {
  GPUCTR_NEEDS_A_DEVICE();
  const Key key(cipher());
  for (unsigned out_skew = 0; out_skew < 16; ++out_skew) {
    for (const int in_skew :
         {-1, 0, static_cast<int>(out_skew), 4, 8, static_cast<int>(random_below(16))}) {
      for (const std::size_t n :
           {std::size_t{5}, 100 + random_below(100), 5000 + random_below(50000)}) {
        job(key, random_bytes(cipher().block_bytes), n, in_skew, out_skew,
            random_below(4) == 0 ? Where::kPinned : Where::kDevice);
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST_P(OnTheDevice, EveryCarry) {
  GPUCTR_NEEDS_A_DEVICE();
  const Key key(cipher());
  for (std::size_t ones = 0; ones <= cipher().block_bytes; ++ones) {
    Bytes counter = random_bytes(cipher().block_bytes);
    if (ones < counter.size()) counter[counter.size() - ones - 1] &= 0x7f;
    std::fill(counter.end() - static_cast<std::ptrdiff_t>(ones), counter.end(), 0xff);
    job(key, counter, 70000, static_cast<int>(ones % 2) - 1, 0, Where::kDevice);
    // the carry in the middle, at the end of a tile and in a tail
    for (const std::uint64_t back : {1u, 31u, 1000u, 4096u, 8192u}) {
      Bytes earlier = counter;
      std::uint64_t borrow = back;
      for (std::size_t i = earlier.size(); i-- != 0 && borrow != 0;) {
        const std::uint64_t digit = borrow & 0xff;
        borrow = (borrow >> 8) + (earlier[i] < digit ? 1 : 0);
        earlier[i] = static_cast<std::uint8_t>(earlier[i] - digit);
      }
      job(key, earlier, 140000 + ones, -1, static_cast<unsigned>(ones % 3), Where::kDevice);
    }
    if (HasFatalFailure()) return;
  }
}

TEST_P(OnTheDevice, InPlace) {
  GPUCTR_NEEDS_A_DEVICE();
  const DeviceLayer* const layer = cuda_with_a_device();
  const Key key(cipher());
  for (const std::size_t skew : {0u, 3u}) {
    const std::size_t n = 333333;
    const TestMemory memory(Where::kDevice, n + skew);
    TestStream stream;
    Bytes data = random_bytes(n);
    const Bytes counter = random_bytes(cipher().block_bytes);
    std::uint8_t* const at = memory.get() + skew;
    stream.put(at, data);
    ASSERT_OK(layer->ctr(stream, key.cipher, key.keys, counter.data(), at, at, n));
    key.expect(counter, &data);
    EXPECT_EQ(first_difference(stream.get(at, n), data), n);
  }
}

TEST_P(OnTheDevice, RandomJobs) {
  GPUCTR_NEEDS_A_DEVICE();
  for (unsigned i = 0; i < 60; ++i) {
    const std::size_t sizes = cipher().most_key_bytes - cipher().least_key_bytes + 1;
    const Key key(cipher(), cipher().least_key_bytes + random_below(sizes));
    const std::size_t n = 1 + (random_source()() >> (44 + random_below(19)));
    job(key, random_bytes(cipher().block_bytes), n, static_cast<int>(random_below(17)) - 1,
        static_cast<unsigned>(random_below(3) == 0 ? random_below(16) : 0), Where::kDevice);
    if (HasFatalFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(All, OnTheDevice, testing::ValuesIn(ciphers_with_kernels()),
                         cipher_test_name);

}  // namespace
}  // namespace gpuctr
