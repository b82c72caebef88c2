// XTS on the device against the scalar backend.
#include "test/gpu/xts.h"

namespace gpuctr {
namespace {

using namespace test;
using Where = TestMemory::Where;

class XtsOnTheDevice : public testing::TestWithParam<std::size_t> {
 protected:
  const CipherSpec& cipher() const { return key_.cipher; }

  void run(bool encrypts, const DeviceXts& like, std::size_t n, std::size_t skew, bool in_place,
           const Bytes& mask, const Bytes& ivs) {
    TestStream stream;
    const TestMemory from(Where::kDevice, n + 64);
    const TestMemory to(Where::kDevice, n + 64);
    const TestMemory at(Where::kDevice, ivs.size() + 16);
    Bytes all = random_bytes(n + 64);
    const Bytes source = in_place ? all : random_bytes(n + 64);
    stream.put(from.get(), source);
    stream.put(to.get(), all);
    if (!ivs.empty()) stream.put(at.get(), ivs);
    DeviceXts work = like;
    work.encrypts = encrypts;
    work.mask = mask.data();
    work.ivs = at.get();
    work.in = (in_place ? to : from).get() + skew;
    work.out = to.get() + skew;
    work.bytes = n;
    ASSERT_OK(cuda_with_a_device()->xts(stream, cipher(), key_.keys, work));
    ASSERT_OK(cuda_with_a_device()->stream_wait(stream));
    const std::size_t unit = work.tweak_keys == nullptr ? n : work.unit;
    for (std::size_t done = 0; done < n; done += unit) {
      Bytes first = mask;
      if (work.tweak_keys != nullptr) {
        first.assign(16, 0);
        find_backend("scalar")->ops[cipher().index].encrypt(
            *work.tweak_keys, ivs.data() + done / unit * 16, first.data(), 1);
      }
      const auto begin = source.begin() + static_cast<std::ptrdiff_t>(skew + done);
      const Bytes want =
          xts_of(key_, encrypts, first, Bytes(begin, begin + static_cast<std::ptrdiff_t>(unit)));
      std::copy(want.begin(), want.end(), all.begin() + static_cast<std::ptrdiff_t>(skew + done));
    }
    ASSERT_EQ(first_difference(stream.get(to.get(), all.size()), all), all.size())
        << n << " bytes, unit " << unit << ", skew " << skew;
  }

  const Key key_{cipher_spec(GetParam())};
  const Key tweak_{cipher_spec(GetParam())};
};

TEST_P(XtsOnTheDevice, OneUnit) {
  GPUCTR_NEEDS_A_DEVICE();
  for (const std::size_t blocks : {1u, 31u, 32u, 33u, 127u, 1024u, 1025u, 5000u, 100000u}) {
    for (const bool encrypts : {true, false}) {
      run(encrypts, {}, 16 * blocks, 0, blocks % 2 == 0, random_bytes(16), {});
      run(encrypts, {}, 16 * blocks, random_below(16), blocks % 2 != 0, random_bytes(16), {});
      if (HasFatalFailure()) return;
    }
  }
}

TEST_P(XtsOnTheDevice, ManyUnits) {
  GPUCTR_NEEDS_A_DEVICE();
  for (const std::size_t unit : {512u, 4096u, 17920u, 65536u}) {
    DeviceXts many = {};
    many.tweak_keys = &tweak_.keys;
    many.unit = unit;
    for (const std::size_t units : {1u, 7u, 130u}) {
      run(units % 2 != 0, many, units * unit, 0, units == 7, random_bytes(16),
          random_bytes(16 * units));
      run(units % 2 == 0, many, units * unit, 5, false, random_bytes(16), random_bytes(16 * units));
      if (HasFatalFailure()) return;
    }
  }
}

TEST(Xts, OfOtherUnitsIsTheCpusWork) {
  GPUCTR_NEEDS_A_DEVICE();
  TestStream stream;
  const Key key(*find_cipher("LEA-128"));
  DeviceXts odd = {};
  odd.tweak_keys = &key.keys;
  odd.unit = 520;
  odd.bytes = 1040;
  EXPECT_EQ(cuda_with_a_device()->xts(stream, key.cipher, key.keys, odd),
            DeviceStatus::kUnsupported);
  const Key other(*find_cipher("CHAM-64-128"));
  EXPECT_EQ(cuda_with_a_device()->xts(stream, other.cipher, other.keys, {}),
            DeviceStatus::kUnsupported);
}

std::vector<std::size_t> ciphers_with_xts() {
  std::vector<std::size_t> list;
  for (const std::size_t i : ciphers_with_kernels()) {
    if (cipher_spec(i).block_bytes == 16) list.push_back(i);
  }
  return list;
}
INSTANTIATE_TEST_SUITE_P(All, XtsOnTheDevice, testing::ValuesIn(ciphers_with_xts()),
                         cipher_test_name);

}  // namespace
}  // namespace gpuctr
