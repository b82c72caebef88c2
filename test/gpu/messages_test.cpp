// Many messages on the device: every mode, key source and shape of a batch.
#include "test/gpu/messages.h"
#include "test/gpu/support.h"

namespace gpuctr {
namespace {

using namespace test;
using Where = TestMemory::Where;
using Shape = Messages::Shape;

// Runs the batch and compares everything that the device may have written.
void run(const Messages& m, Where where, const char* what) {
  const DeviceLayer* const layer = cuda_with_a_device();
  TestStream stream;
  const auto at = [&](const Bytes& b, std::size_t skew) {
    auto memory = std::make_unique<TestMemory>(where, b.size() + skew + 64);
    stream.put(memory->get() + skew, b);
    return memory;
  };
  const auto keys = at(m.keys, 0);
  const auto ivs = at(m.ivs, m.shape.skew);
  const auto aad = at(m.aad, m.shape.skew);
  const auto tags = at(m.tags, m.shape.skew);
  const auto in = at(m.in, m.shape.skew);
  const auto out = at(m.out, m.shape.skew);
  const auto results = at(Bytes(m.shape.count, 7), 0);
  const TestMemory outcome(Where::kPinned, 8);
  auto* const counts = reinterpret_cast<std::uint32_t*>(outcome.get());
  counts[0] = 0, counts[1] = UINT32_MAX;
  DeviceMessages d = m.device();
  if (d.own == nullptr) d.keys = keys->get();
  d.ivs = ivs->get() + m.shape.skew;
  d.aad = aad->get() + m.shape.skew;
  d.tags = tags->get() + m.shape.skew;
  d.out = out->get() + m.shape.skew;
  d.in = m.shape.in_place ? d.out : in->get() + m.shape.skew;
  d.results = results->get();
  d.outcome = counts;
  ASSERT_OK(layer->messages(stream, m.cipher, d)) << what;
  ASSERT_OK(layer->stream_wait(stream)) << what;
  EXPECT_EQ(first_difference(stream.get(d.out, m.want.size()), m.want), m.want.size())
      << m.cipher.name << ": " << what;
  EXPECT_EQ(stream.get(d.results, m.shape.count), m.want_results) << what;
  EXPECT_EQ(counts[0], m.wrong) << what;
  EXPECT_EQ(counts[1], m.first_wrong) << what;
  if (m.authenticates()) {
    EXPECT_EQ(stream.get(d.tags, m.tags.size()), m.want_tags) << what;
  }
}

std::vector<std::size_t> ciphers_with_messages() {
  std::vector<std::size_t> list;
  for (const std::size_t i : ciphers_with_kernels()) {
    if (!cipher_spec(i).legacy) list.push_back(i);
  }
  return list;
}

class ManyMessages : public testing::TestWithParam<std::size_t> {
 protected:
  const CipherSpec& cipher() const { return cipher_spec(GetParam()); }
  bool has_mode(DeviceMode mode) const {
    return cipher().block_bytes == 16 || mode == DeviceMode::kCtr || mode == DeviceMode::kCbc;
  }
};

constexpr DeviceMode kModes[] = {DeviceMode::kCtr, DeviceMode::kGcm, DeviceMode::kCcm,
                                 DeviceMode::kCbc};

TEST_P(ManyMessages, OfOneLength) {
  GPUCTR_NEEDS_A_DEVICE();
  for (const DeviceMode mode : kModes) {
    if (!has_mode(mode)) continue;
    for (const std::size_t n : {0u, 16u, 64u, 80u, 256u, 1040u, 4096u, 40000u}) {
      for (const bool encrypts : {true, false}) {
        Shape shape;
        shape.mode = mode, shape.encrypts = encrypts, shape.length = n;
        shape.keys = static_cast<KeySource>(random_below(3));
        shape.count = 1 + random_below(n < 2000 ? 300 : 40);
        shape.aad = random_below(40);
        shape.in_place = random_below(2) == 0;
        shape.wrong_tags = true;
        run({cipher(), shape}, Where::kDevice, "one length");
      }
    }
  }
}

TEST_P(ManyMessages, OfMixedLengths) {
  GPUCTR_NEEDS_A_DEVICE();
  for (unsigned round = 0; round < 24; ++round) {
    Shape shape;
    shape.mode = kModes[round % 4];
    if (!has_mode(shape.mode)) continue;
    shape.encrypts = round / 4 % 2 == 0;
    shape.keys = static_cast<KeySource>(round % 3);
    shape.mixed = true;
    shape.scattered = random_below(2) == 0;
    shape.count = 1 + random_below(400);
    shape.length = random_below(3) == 0 ? 70000 : 2000;
    shape.in_place = random_below(2) == 0;
    shape.aad = random_below(100);
    shape.tag_bytes =
        shape.mode == DeviceMode::kCcm ? 4 + 2 * random_below(7) : 4 + random_below(13);
    shape.iv_bytes = shape.mode == DeviceMode::kGcm   ? 1 + random_below(40)
                     : shape.mode == DeviceMode::kCcm ? 7 + random_below(5)
                                                      : 1 + random_below(cipher().block_bytes);
    shape.wrong_tags = round % 2 == 0;
    shape.skew = random_below(16);
    shape.counter_bits = random_below(2) == 0 ? 32 : 0;
    run({cipher(), shape}, round % 5 == 4 ? Where::kPinned : Where::kDevice, "mixed lengths");
  }
}

// Enough bytes for tensor cores to hash them.
TEST_P(ManyMessages, PagesUnderOneKey) {
  GPUCTR_NEEDS_A_DEVICE();
  if (!has_mode(DeviceMode::kGcm)) GTEST_SKIP() << "GCM has blocks of 16 bytes";
  for (const std::size_t n : {1024u, 4096u, 4100u, 8160u, 8176u, 8192u, 65536u, 70001u}) {
    for (const bool encrypts : {true, false}) {
      Shape shape;
      shape.mode = DeviceMode::kGcm, shape.encrypts = encrypts, shape.length = n;
      shape.keys = KeySource::kOwn;
      shape.count = (std::size_t{1} << 20) / n + 1 + random_below(300);
      shape.aad = 4 * random_below(10);
      shape.skew = random_below(3) == 0 ? 4 : 0;
      shape.wrong_tags = true;
      run({cipher(), shape}, Where::kDevice, "pages");
    }
  }
}

TEST_P(ManyMessages, OneOfManyPieces) {
  GPUCTR_NEEDS_A_DEVICE();
  Shape shape;
  shape.count = 1;
  shape.length = (std::size_t{20} << 20) + 5;
  run({cipher(), shape}, Where::kDevice, "one long message");
}

INSTANTIATE_TEST_SUITE_P(All, ManyMessages, testing::ValuesIn(ciphers_with_messages()),
                         cipher_test_name);

}  // namespace
}  // namespace gpuctr
