// Whole blocks on the device against the scalar backend: every cipher that has kernels.
#include <algorithm>

#include "test/gpu/support.h"

namespace gpuctr {
namespace {

using namespace test;
using Where = TestMemory::Where;

constexpr std::size_t kGuard = 128;  // the block before the first may be read there
constexpr DeviceOperation kVerbs[] = {DeviceOperation::kEncrypt, DeviceOperation::kDecrypt,
                                      DeviceOperation::kChain, DeviceOperation::kFeedback};

class BlocksOnTheDevice : public testing::TestWithParam<std::size_t> {
 protected:
  const CipherSpec& cipher() const { return key_.cipher; }

  // What the blocks at `in` have to become; `before` stands before them.
  Bytes expect(DeviceOperation operation, const Bytes& before, const Bytes& in) const {
    const CipherOps& ops = find_backend("scalar")->ops[cipher().index];
    Bytes out(in.size());
    if (operation == DeviceOperation::kFeedback) {
      Bytes shifted = before;
      shifted.insert(shifted.end(), in.begin(), in.end());
      ops.encrypt(key_.keys, shifted.data(), out.data(), in.size() / cipher().block_bytes);
      for (std::size_t i = 0; i < out.size(); ++i) out[i] ^= in[i];
      return out;
    }
    (operation == DeviceOperation::kEncrypt ? ops.encrypt : ops.decrypt)(
        key_.keys, in.data(), out.data(), in.size() / cipher().block_bytes);
    if (operation != DeviceOperation::kChain) return out;
    for (std::size_t i = 0; i < out.size(); ++i) {
      out[i] ^= i < before.size() ? before[i] : in[i - before.size()];
    }
    return out;
  }

  // Apart, at the given distances from 16-byte alignment; the bytes around the output must stay,
  // and the input must. `sent`: the block before the first comes from the host.
  void apart(DeviceOperation operation, std::size_t count, std::size_t in_skew,
             std::size_t out_skew, bool sent, Where where) {
    const DeviceLayer* const layer = cuda_with_a_device();
    const std::size_t block = cipher().block_bytes;
    const std::size_t n = count * block;
    TestStream stream;
    const TestMemory from(where, n + 2 * kGuard);
    const TestMemory to(where, n + 2 * kGuard);
    ASSERT_NE(from.get(), nullptr);
    ASSERT_NE(to.get(), nullptr);
    const Bytes source = random_bytes(n + 2 * kGuard);
    Bytes all = random_bytes(n + 2 * kGuard);
    stream.put(from.get(), source);
    stream.put(to.get(), all);
    const std::size_t at = kGuard + in_skew;
    const auto begin = source.begin() + static_cast<std::ptrdiff_t>(at);
    const Bytes in(begin, begin + static_cast<std::ptrdiff_t>(n));
    const Bytes before =
        sent ? random_bytes(block) : Bytes(begin - static_cast<std::ptrdiff_t>(block), begin);
    ASSERT_OK(layer->blocks(stream, cipher(), key_.keys, operation, sent ? before.data() : nullptr,
                            from.get() + at, to.get() + kGuard + out_skew, count));
    ASSERT_OK(layer->stream_wait(stream));
    const Bytes want = expect(operation, before, in);
    std::copy(want.begin(), want.end(),
              all.begin() + static_cast<std::ptrdiff_t>(kGuard + out_skew));
    ASSERT_EQ(first_difference(stream.get(to.get(), all.size()), all), all.size())
        << count << " blocks, operation " << static_cast<int>(operation) << ", in " << in_skew
        << ", out " << out_skew << (sent ? ", sent" : "");
    ASSERT_EQ(first_difference(stream.get(from.get(), source.size()), source), source.size());
  }

  void in_place(DeviceOperation operation, std::size_t count, std::size_t skew) {
    const std::size_t n = count * cipher().block_bytes;
    TestStream stream;
    const TestMemory memory(Where::kDevice, n + 2 * kGuard);
    ASSERT_NE(memory.get(), nullptr);
    Bytes all = random_bytes(n + 2 * kGuard);
    stream.put(memory.get(), all);
    std::uint8_t* const at = memory.get() + kGuard + skew;
    ASSERT_OK(cuda_with_a_device()->blocks(stream, cipher(), key_.keys, operation, nullptr, at, at,
                                           count));
    ASSERT_OK(cuda_with_a_device()->stream_wait(stream));
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(kGuard + skew);
    const Bytes want = expect(operation, {}, Bytes(begin, begin + static_cast<std::ptrdiff_t>(n)));
    std::copy(want.begin(), want.end(), begin);
    ASSERT_EQ(first_difference(stream.get(memory.get(), all.size()), all), all.size())
        << count << " blocks in place, operation " << static_cast<int>(operation) << ", skew "
        << skew;
  }

  static bool may_be_in_place(DeviceOperation operation) {
    return operation == DeviceOperation::kEncrypt || operation == DeviceOperation::kDecrypt;
  }

  const Key key_{cipher_spec(GetParam())};
};

TEST_P(BlocksOnTheDevice, AnyCount) {
  GPUCTR_NEEDS_A_DEVICE();
  for (const DeviceOperation operation : kVerbs) {
    for (std::size_t count = 1; count <= 300; ++count) {
      apart(operation, count, 0, 0, count % 2 == 0,
            count % 3 == 0 ? Where::kPinned : Where::kDevice);
      if (HasFatalFailure()) return;
    }
  }
}

TEST_P(BlocksOnTheDevice, AnyAlignment) {
  GPUCTR_NEEDS_A_DEVICE();
  for (const DeviceOperation operation : kVerbs) {
    for (std::size_t skew = 0; skew < 16; ++skew) {
      for (const std::size_t other : {std::size_t{0}, skew, (skew + 4) % 16, (skew + 9) % 16}) {
        const std::size_t count = 1 + random_below(700);
        apart(operation, count, skew, other, false, Where::kDevice);
        apart(operation, count, other, skew, true, Where::kDevice);
        if (HasFatalFailure()) return;
      }
      if (may_be_in_place(operation)) in_place(operation, 1 + random_below(700), skew);
      if (HasFatalFailure()) return;
    }
  }
}

TEST_P(BlocksOnTheDevice, Large) {
  GPUCTR_NEEDS_A_DEVICE();
  for (const DeviceOperation operation : kVerbs) {
    for (const std::size_t bytes : {std::size_t{1} << 20, std::size_t{40} << 20}) {
      const std::size_t count = bytes / cipher().block_bytes + random_below(100);
      apart(operation, count, 0, 0, true, Where::kDevice);
      apart(operation, count, 0, 0, false, Where::kDevice);
      apart(operation, count, 8, 3, false, Where::kDevice);
      if (may_be_in_place(operation)) in_place(operation, count, 0);
      if (HasFatalFailure()) return;
    }
  }
}

TEST_P(BlocksOnTheDevice, InPlace) {
  GPUCTR_NEEDS_A_DEVICE();
  for (const DeviceOperation operation : {DeviceOperation::kEncrypt, DeviceOperation::kDecrypt}) {
    for (std::size_t count = 1; count <= 300; count += 1 + random_below(10)) {
      in_place(operation, count, 0);
      if (HasFatalFailure()) return;
    }
  }
}

TEST_P(BlocksOnTheDevice, NoBlocksAreNoWork) {
  GPUCTR_NEEDS_A_DEVICE();
  TestStream stream;
  const TestMemory memory(Where::kDevice, 64);
  EXPECT_OK(cuda_with_a_device()->blocks(stream, cipher(), key_.keys, DeviceOperation::kEncrypt,
                                         nullptr, memory.get(), memory.get(), 0));
  EXPECT_EQ(stream.get(memory.get(), 64), Bytes(64));
}

INSTANTIATE_TEST_SUITE_P(All, BlocksOnTheDevice, testing::ValuesIn(ciphers_with_kernels()),
                         cipher_test_name);

}  // namespace
}  // namespace gpuctr
