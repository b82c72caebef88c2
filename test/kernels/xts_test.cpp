// XTS on every backend against a model: one block at a time, its mask doubled byte by byte,
// as IEEE 1619 5.2 has it.
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "kernels/bulk/base/xts.h"
#include "kernels/bulk/engine.h"
#include "kernels/cpu/xex.h"
#include "test/kernels/cases.h"

namespace gpuctr {
namespace {

using Bytes = std::vector<std::uint8_t>;
using test::Case;

Bytes doubled(const Bytes& mask) {
  Bytes out(16);
  unsigned carry = 0;
  for (std::size_t i = 0; i < 16; ++i) {
    out[i] = static_cast<std::uint8_t>(2u * mask[i] | carry);
    carry = mask[i] >> 7;
  }
  if (carry != 0) out[0] ^= 0x87;
  return out;
}

class Model {
 public:
  Model(const CipherSpec& spec, const RoundKeys& keys, bool encrypts)
      : ops_(find_backend("scalar")->ops[spec.index]), keys_(keys), encrypts_(encrypts) {}

  // IEEE 1619 5.3.1, 5.4.1.
  Bytes block(Bytes text, const Bytes& mask) const {
    for (std::size_t i = 0; i < 16; ++i) text[i] ^= mask[i];
    (encrypts_ ? ops_.encrypt : ops_.decrypt)(keys_, text.data(), text.data(), 1);
    for (std::size_t i = 0; i < 16; ++i) text[i] ^= mask[i];
    return text;
  }
  // IEEE 1619 5.3.2, 5.4.2.
  Bytes unit(const Bytes& in, Bytes mask) const {
    Bytes out;
    const std::size_t rest = in.size() % 16, whole = in.size() - rest;
    const auto piece = [&](std::size_t at, std::size_t n) {
      return Bytes(in.begin() + static_cast<std::ptrdiff_t>(at),
                   in.begin() + static_cast<std::ptrdiff_t>(at + n));
    };
    for (std::size_t at = 0; at < (rest == 0 ? whole : whole - 16); at += 16) {
      const Bytes made = block(piece(at, 16), mask);
      out.insert(out.end(), made.begin(), made.end());
      mask = doubled(mask);
    }
    if (rest == 0) return out;
    const Bytes next = doubled(mask);
    const Bytes first = block(piece(whole - 16, 16), encrypts_ ? mask : next);
    Bytes second = piece(whole, rest);
    second.insert(second.end(), first.begin() + static_cast<std::ptrdiff_t>(rest), first.end());
    second = block(second, encrypts_ ? next : mask);
    out.insert(out.end(), second.begin(), second.end());
    out.insert(out.end(), first.begin(), first.begin() + static_cast<std::ptrdiff_t>(rest));
    return out;
  }

 private:
  const CipherOps& ops_;
  const RoundKeys& keys_;
  bool encrypts_;
};

class Xts : public testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    if (!GetParam().backend->available()) GTEST_SKIP() << "this CPU has no such backend";
    Bytes key = bytes(kMaxKeyBytes);
    spec_.expand(key.data(), &keys_);
    key = bytes(kMaxKeyBytes);
    spec_.expand(key.data(), &tweak_keys_);
  }
  Bytes bytes(std::size_t n) {
    Bytes b(n);
    for (auto& byte : b) byte = static_cast<std::uint8_t>(random_());
    return b;
  }
  bulk::XtsWork work(bool encrypts, const Bytes& in, Bytes* out) const {
    return {backend_.ops[spec_.index],
            backend_.xts_masks,
            keys_,
            encrypts,
            in.data(),
            out->data(),
            in.size()};
  }
  void compare_unit(std::size_t n);
  void compare_iv(std::size_t blocks);

  const Backend& backend_ = *GetParam().backend;
  const CipherSpec& spec_ = *GetParam().cipher;
  std::mt19937 random_{31};
  RoundKeys keys_{}, tweak_keys_{};
};

// In place, and to another place.
void Xts::compare_unit(std::size_t n) {
  Bytes mask = bytes(16);
  mask[15] = static_cast<std::uint8_t>(mask[15] | (n % 2 == 0 ? 0x80 : 0));
  for (const bool encrypts : {true, false}) {
    const Bytes in = bytes(n);
    const Bytes want = Model(spec_, keys_, encrypts).unit(in, mask);
    Bytes out(n), text = in;
    bulk::xts_unit(work(encrypts, in, &out), mask.data());
    ASSERT_TRUE(out == want) << n << " bytes, encrypts " << encrypts;
    bulk::xts_unit(work(encrypts, text, &text), mask.data());
    ASSERT_TRUE(text == want) << n << " bytes in place, encrypts " << encrypts;
  }
}

// The backend encrypts the IV too.
void Xts::compare_iv(std::size_t blocks) {
  const auto xts = backend_.ops[spec_.index].xts;
  const Bytes iv = bytes(16);
  Bytes mask(16);
  find_backend("scalar")->ops[spec_.index].encrypt(tweak_keys_, iv.data(), mask.data(), 1);
  for (const bool encrypts : {true, false}) {
    const Bytes in = bytes(16 * blocks);
    const Bytes want = Model(spec_, keys_, encrypts).unit(in, mask);
    Bytes given = iv, out(in.size()), text = in;
    xts(keys_, &tweak_keys_, encrypts, given.data(), in.data(), out.data(), blocks);
    ASSERT_TRUE(out == want) << blocks << " blocks, encrypts " << encrypts;
    xts(keys_, &tweak_keys_, encrypts, given.data(), text.data(), text.data(), blocks);
    ASSERT_TRUE(text == want) << blocks << " blocks in place, encrypts " << encrypts;
    ASSERT_TRUE(given == iv);
  }
}

TEST_P(Xts, UnitsWithTheirIvs) {
  if (backend_.ops[spec_.index].xts == nullptr) GTEST_SKIP() << "not in one call";
  for (std::size_t blocks = 1; blocks <= 140 && !HasFatalFailure(); ++blocks) compare_iv(blocks);
}

TEST_P(Xts, EveryShortUnit) {
  for (std::size_t n = 16; n <= 200 && !HasFatalFailure(); ++n) compare_unit(n);
}

// Around a batch of each width, a group of masks, eight of them, and a piece.
TEST_P(Xts, LongUnits) {
  for (const std::size_t n : {256u, 496u, 513u, 1008u, 1040u, 1153u, 2064u, 4111u, 8208u, 16400u}) {
    if (!HasFatalFailure()) compare_unit(n);
  }
}

// Any masks, into another buffer and in place.
TEST_P(Xts, AnyMasks) {
  const CipherOps& ops = backend_.ops[spec_.index];
  for (std::size_t blocks = 0; blocks < 300; blocks += 1 + blocks / 40) {
    const Bytes masks = bytes(16 * blocks), in = bytes(16 * blocks);
    for (const bool encrypts : {true, false}) {
      const Model model(spec_, keys_, encrypts);
      Bytes want, out(in.size() + 1, 0xa5), text = in;
      for (std::size_t at = 0; at < in.size(); at += 16) {
        const auto part = [at](const Bytes& of) { return Bytes(&of[at], &of[at] + 16); };
        const Bytes made = model.block(part(in), part(masks));
        want.insert(want.end(), made.begin(), made.end());
      }
      crypt_masked(ops, keys_, encrypts, masks.data(), in.data(), out.data(), blocks);
      EXPECT_EQ(out.back(), 0xa5);
      out.pop_back();
      ASSERT_TRUE(out == want) << blocks << " blocks, encrypts " << encrypts;
      crypt_masked(ops, keys_, encrypts, masks.data(), text.data(), text.data(), blocks);
      ASSERT_TRUE(text == want) << blocks << " blocks in place, encrypts " << encrypts;
    }
  }
}

// Each unit as if it were alone.
TEST_P(Xts, ManyUnits) {
  for (const std::size_t unit : {16u, 17u, 64u, 80u, 512u, 520u, 4096u, 5000u}) {
    for (const std::size_t count :
         {std::size_t{1}, std::size_t{3}, static_cast<std::size_t>(unit < 100 ? 65 : 5)}) {
      const std::size_t all = unit * count + (unit > 20 && count == 3 ? 19 : 0);
      const std::size_t units = (all + unit - 1) / unit;
      const Bytes in = bytes(all), ivs = bytes(16 * units);
      Bytes out(all), made(all);
      for (std::size_t i = 0; i < units; ++i) {
        Bytes mask(16);
        backend_.ops[spec_.index].encrypt(tweak_keys_, ivs.data() + 16 * i, mask.data(), 1);
        const std::size_t at = i * unit;
        bulk::xts_unit(work(true, in, &made).part(at, std::min(unit, all - at)), mask.data());
      }
      bulk::xts_units(work(true, in, &out), {unit, ivs.data(), tweak_keys_});
      ASSERT_TRUE(out == made) << count << " units of " << unit << " bytes";
      bulk::xts_units(work(false, out, &out), {unit, ivs.data(), tweak_keys_});
      ASSERT_TRUE(out == in) << count << " units of " << unit << " bytes";
    }
  }
}

std::vector<Case> all_cases() {
  std::vector<Case> all;
  for (const Case& one : test::cases()) {
    if (one.cipher->block_bytes == 16 && one.cipher->tweak_bytes == 0) all.push_back(one);
  }
  return all;
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Xts);
INSTANTIATE_TEST_SUITE_P(Backends, Xts, testing::ValuesIn(all_cases()), test::case_name);

TEST(XtsMask, Skips) {
  std::mt19937 random(32);
  Bytes mask(16);
  for (auto& byte : mask) byte = static_cast<std::uint8_t>(random());
  Bytes stepped = mask;
  for (std::uint64_t blocks = 0; blocks < 600; ++blocks) {
    Bytes skipped = mask;
    bulk::xts_skip(skipped.data(), blocks);
    ASSERT_EQ(skipped, stepped) << blocks;
    stepped = doubled(stepped);
  }
  Bytes around = mask;
  bulk::xts_skip(around.data(), std::uint64_t{1} << 17);
  for (unsigned i = 0; i < 1u << 17; ++i) mask = doubled(mask);
  EXPECT_EQ(around, mask);
}

// Threads share a unit of a mebibyte and more: the same bytes, with and without stealing.
TEST(XtsThreads, ShareALongUnit) {
  const CipherSpec* spec = nullptr;
  for (std::size_t i = 0; i < kCipherCount && spec == nullptr; ++i) {
    if (cipher_spec(i).block_bytes == 16) spec = &cipher_spec(i);
  }
  if (spec == nullptr) GTEST_SKIP() << "no cipher with blocks of 16 bytes";
  EngineConfig config;
  config.gpu = GpuUse::kOff;
  config.threads = 3;
  Engine engine(config);
  RoundKeys keys{};
  const std::uint8_t key[kMaxKeyBytes] = {1, 2, 3}, mask[16] = {4, 5, 6};
  spec->expand(key, &keys);
  for (const std::size_t n : {std::size_t{1} << 20, (std::size_t{3} << 20) + 5}) {
    for (const bool encrypts : {true, false}) {
      Bytes text(n), want(n);
      for (std::size_t i = 0; i < n; ++i) text[i] = static_cast<std::uint8_t>(i * i >> 7);
      const CipherOps& ops = engine.cpu(*spec);
      const XtsMasks masks = engine.cpu_backend().xts_masks;
      bulk::xts_unit({ops, masks, keys, encrypts, text.data(), want.data(), n}, mask);
      engine.xts(*spec, {ops, masks, keys, encrypts, text.data(), text.data(), n}, mask);
      EXPECT_TRUE(text == want) << n << " bytes, encrypts " << encrypts;
    }
  }
}

}  // namespace
}  // namespace gpuctr
