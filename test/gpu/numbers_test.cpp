// Random numbers made on the device: the CPU's bits.
#include "kernels/random/numbers.h"

#include "test/gpu/support.h"

namespace gpuctr {
namespace {

using namespace test;
using Where = TestMemory::Where;

std::vector<Distribution> distributions() {
  std::vector<Distribution> list;
  const auto add = [&](Output output, NumberType type) {
    Distribution what;
    what.output = output;
    what.type = type;
    what.mean = 0.25, what.stddev = 3, what.low = -1.5, what.high = 2, what.p = 0.3;
    what.first = -77, what.last = 1'000'000;
    if (type == NumberType::kUint8) what.first = 3, what.last = 250;
    if (type == NumberType::kInt64) what.first = INT64_MIN, what.last = INT64_MAX - 5;
    list.push_back(what);
  };
  for (const NumberType type :
       {NumberType::kFloat32, NumberType::kFloat64, NumberType::kFloat16, NumberType::kBfloat16}) {
    add(Output::kNormal, type);
    add(Output::kUniform, type);
    add(Output::kBernoulli, type);
  }
  for (const NumberType type : {NumberType::kInt32, NumberType::kInt64, NumberType::kUint8}) {
    add(Output::kIntegers, type);
    add(Output::kBernoulli, type);
  }
  // Some are subnormal or 0, or infinite as float16.
  for (const NumberType type : {NumberType::kFloat16, NumberType::kBfloat16}) {
    for (const bool tiny : {true, false}) {
      add(Output::kNormal, type);
      const bool brain = type == NumberType::kBfloat16;
      list.back().mean = 0;
      list.back().stddev = tiny ? (brain ? 1e-38 : 1e-5) : (brain ? 2e37 : 6e4);
    }
  }
  return list;
}

std::string name_of(const Distribution& what) {
  return std::to_string(static_cast<int>(what.output)) + " " +
         std::to_string(static_cast<int>(what.type));
}

Bytes by_cpu(const Distribution& what, const Bytes& random, std::size_t count) {
  Bytes out(count * what.number_bytes());
  make_numbers(what, random.data(), out.data(), count);
  return out;
}

class NumbersOnTheDevice : public testing::Test {
 protected:
  void SetUp() override { GPUCTR_NEEDS_A_DEVICE(); }
};

TEST_F(NumbersOnTheDevice, EveryDistribution) {
  const DeviceLayer* const layer = cuda_with_a_device();
  TestStream stream;
  for (const Distribution& what : distributions()) {
    for (const std::size_t count : {1, 2, 3, 1023, 1024, 100'003}) {
      for (const unsigned skew : {0u, 1u, 8u}) {
        Bytes random = random_bytes((count * what.word_bytes() + 31) / 16 * 16);
        // The extremes of every formula.
        if (count > 1000) {
          std::memset(random.data(), 0xff, 256);
          std::memset(random.data() + 256, 0, 256);
        }
        const std::size_t size = count * what.number_bytes();
        const TestMemory from(Where::kDevice, random.size()), to(Where::kDevice, size + 32);
        stream.put(from.get(), random);
        stream.put(to.get(), Bytes(size + 32, 0xa5));
        ASSERT_OK(layer->numbers(stream, what, from.get(), to.get() + skew, count));
        const Bytes made = stream.get(to.get(), size + 32);
        ASSERT_TRUE(Bytes(made.begin() + skew, made.begin() + skew + static_cast<long>(size)) ==
                    by_cpu(what, random, count))
            << name_of(what) << " " << count << " at " << skew;
        for (std::size_t i = 0; i < size + 32; ++i) {
          if (i < skew || i >= skew + size) {
            ASSERT_EQ(made[i], 0xa5);
          }
        }
      }
    }
  }
}

// Words from the whole range, as either word of a pair.
TEST_F(NumbersOnTheDevice, MillionsOfNormalPairs) {
  const DeviceLayer* const layer = cuda_with_a_device();
  TestStream stream;
  Distribution what;
  what.output = Output::kNormal;
  constexpr std::size_t kWords = 1u << 22;
  const TestMemory memory(Where::kDevice, 4 * kWords);
  std::vector<std::uint32_t> words(kWords);
  for (std::uint64_t from = 0; from < 1ull << 32; from += kWords * 61) {
    for (std::size_t i = 0; i < kWords; i += 2) {
      words[i] = static_cast<std::uint32_t>(from + i * 30);
      words[i + 1] = static_cast<std::uint32_t>(from + i * 31 + 7);
    }
    Bytes random(4 * kWords);
    std::memcpy(random.data(), words.data(), random.size());
    stream.put(memory.get(), random);
    ASSERT_OK(layer->numbers(stream, what, memory.get(), memory.get(), kWords));
    ASSERT_TRUE(stream.get(memory.get(), random.size()) == by_cpu(what, random, kWords)) << from;
  }
}

TEST_F(NumbersOnTheDevice, InOnePass) {
  const DeviceLayer* const layer = cuda_with_a_device();
  TestStream stream;
  unsigned in_one_pass = 0;
  for (const std::size_t index : ciphers_with_kernels()) {
    const CipherSpec& cipher = cipher_spec(index);
    const Key key(cipher);
    // The counter's low words pass zero within the numbers.
    Bytes counter(cipher.block_bytes, 0xff);
    counter[0] = 7;
    counter[cipher.block_bytes - 2] = 0x80;
    counter[cipher.block_bytes - 1] = 0;
    for (const Distribution& what : distributions()) {
      for (const std::size_t count : {1, 5, 1024, 300'001, 2'000'003}) {
        const TestMemory to(Where::kDevice, count * what.number_bytes());
        std::size_t made = count;
        ASSERT_OK(
            layer->ctr_numbers(stream, cipher, key.keys, counter.data(), what, to.get(), &made));
        ASSERT_LE(made, count);
        in_one_pass += made != 0;
        Bytes random((made + 1) / 2 * 2 * what.word_bytes());
        key.expect(counter, &random);
        ASSERT_TRUE(stream.get(to.get(), made * what.number_bytes()) == by_cpu(what, random, made))
            << cipher.name << " " << name_of(what) << " " << count;
      }
    }
  }
  EXPECT_NE(in_one_pass, 0u);
}

}  // namespace
}  // namespace gpuctr
