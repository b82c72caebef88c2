// The AVR port and the provider, side by side on random cases.
#include "cases.h"
#include "peer.h"

namespace gpuctr::avr {
namespace {

class Lockstep : public testing::TestWithParam<Variant> {
 protected:
  const Variant& variant() const { return GetParam(); }
  const char* name() const { return GetParam().name; }
  Device device_;
  Draw draw_{static_cast<unsigned>(GetParam().symbol[0] * 131 + GetParam().symbol[4])};
};

TEST_P(Lockstep, SameCipher) {
  const Spec spec = read_spec(device_, variant());
  EXPECT_EQ(spec.name, name());
  EXPECT_EQ(spec.block, peer_block_size(name()));
  EXPECT_EQ(spec.key, peer_key_size(name()));
}

TEST_P(Lockstep, Blocks) {
  for (int i = 0; i < 200; ++i) {
    device_.free_all();
    const Spec spec = read_spec(device_, variant());
    const Bytes key = draw_key(draw_, variant(), spec.key), block = draw_.bytes(spec.block);
    ASSERT_EQ(DeviceKey(device_, variant(), key).encrypt(block), peer_ecb(name(), key, block));
  }
}

// One message of any length in any pieces, in place or not.
TEST_P(Lockstep, Messages) {
  const int cases = variant().small ? 1000 : 3000;
  for (int i = 0; i < cases; ++i) {
    device_.free_all();
    const Spec spec = read_spec(device_, variant());
    const Bytes key_bytes = draw_key(draw_, variant(), spec.key), iv = draw_.iv(spec.block);
    const DeviceKey key(device_, variant(), key_bytes);
    DeviceCtr ctr(device_, key, iv);
    const std::size_t size = draw_.below(draw_.below(8) == 0 ? 200 : 70);
    const Bytes data = draw_.bytes(size), expected = peer_ctr(name(), key_bytes, iv, data);
    Bytes out;
    while (out.size() < size) {
      const std::size_t left = size - out.size();
      const std::size_t piece = draw_.below(3) == 0 ? left : draw_.below(left + 1);
      const auto at = data.begin() + static_cast<long>(out.size());
      const auto result = ctr.crypt(Bytes(at, at + static_cast<long>(piece)), draw_.below(2) == 0);
      ASSERT_TRUE(result);
      out.insert(out.end(), result->begin(), result->end());
    }
    ASSERT_EQ(out, expected) << "case " << i << ", " << size << " bytes";
  }
}

// Every carry, in the middle of a run of blocks: FF, FFFF, ... all FF, and the wrap to zero.
TEST_P(Lockstep, EveryCarry) {
  const Spec spec = read_spec(device_, variant());
  for (std::size_t ones = 0; ones <= spec.block; ++ones) {
    for (const int below : {0, 1, 2, 3, 7}) {
      device_.free_all();
      Bytes iv = draw_.bytes(spec.block);
      for (std::size_t i = spec.block - ones; i < spec.block; ++i) iv[i] = 0xff;
      iv.back() = static_cast<std::uint8_t>(iv.back() - below);
      const Bytes key_bytes = draw_key(draw_, variant(), spec.key);
      const Bytes data = draw_.bytes(10 * spec.block + 3);
      const DeviceKey key(device_, variant(), key_bytes);
      DeviceCtr ctr(device_, key, iv);
      ASSERT_EQ(ctr.crypt(data), peer_ctr(name(), key_bytes, iv, data)) << ones << " " << below;
    }
  }
}

// As much as the memory holds: more than 256 blocks where blocks are short.
TEST_P(Lockstep, AllOfTheMemory) {
  const Spec spec = read_spec(device_, variant());
  for (const int low : {0x00, 0x01, 0x80, 0xff}) {
    device_.free_all();
    const Bytes key_bytes = draw_key(draw_, variant(), spec.key);
    Bytes iv = draw_.bytes(spec.block);
    iv.back() = static_cast<std::uint8_t>(low);
    const DeviceKey key(device_, variant(), key_bytes);
    DeviceCtr ctr(device_, key, iv);
    const Bytes data = draw_.bytes(device_.room());
    ASSERT_GT(data.size(), 1800u);
    ASSERT_EQ(ctr.crypt(data, true), peer_ctr(name(), key_bytes, iv, data));
  }
}

TEST_P(Lockstep, NothingAndOneByte) {
  const Spec spec = read_spec(device_, variant());
  const Bytes key_bytes = draw_key(draw_, variant(), spec.key), iv = draw_.iv(spec.block);
  const DeviceKey key(device_, variant(), key_bytes);
  DeviceCtr ctr(device_, key, iv);
  const Bytes data = draw_.bytes(3 * spec.block), expected = peer_ctr(name(), key_bytes, iv, data);
  for (std::size_t i = 0; i < data.size(); ++i) {
    ASSERT_EQ(ctr.crypt({}), Bytes());
    ASSERT_EQ(ctr.crypt({data[i]}), Bytes{expected[i]}) << i;
  }
}

class LockstepGenerator : public Lockstep {};

// Sequences of generator calls, the same entropy on both sides.
TEST_P(LockstepGenerator, Sequences) {
  const int sequences = variant().small ? 30 : 80;
  const auto maybe = [&](std::size_t most) {
    return draw_.below(2) == 0 ? Bytes() : draw_.bytes(draw_.below(most) + 1);
  };
  for (int i = 0; i < sequences; ++i) {
    device_.free_all();
    DeviceDrbg ours(device_, variant());
    const std::size_t key = ours.spec().key, seed = key + ours.spec().block;
    const bool use_df = i % 4 != 3;
    const auto entropy = [&] { return draw_.bytes(use_df ? key + draw_.below(40) : seed); };
    const std::size_t most = use_df ? 70 : seed;
    PeerDrbg theirs(name(), use_df);
    const Bytes e = entropy(), n = use_df ? draw_.bytes(key / 2 + draw_.below(9)) : Bytes(),
                p = maybe(most);
    theirs.instantiate(e, n, p);
    ASSERT_TRUE(ours.instantiate(e, n, p, use_df)) << ours.status();
    for (int call = 0; call < 6; ++call) {
      const Bytes fresh = entropy(), additional = maybe(most);
      // libcrypto does not pass a request for no bytes on.
      const std::size_t size = 1 + draw_.below(draw_.below(4) == 0 ? 400 : 50);
      switch (draw_.below(4)) {
        case 0:
          theirs.reseed(fresh, additional);
          ASSERT_TRUE(ours.reseed(fresh, additional));
          break;
        case 1:
          ASSERT_EQ(ours.generate(size, fresh, additional),
                    theirs.generate_fresh(size, fresh, additional));
          break;
        default:
          ASSERT_EQ(ours.generate(size, std::nullopt, additional),
                    theirs.generate(size, additional))
              << "sequence " << i << ", call " << call;
      }
    }
  }
}

// Every total length of input near the one that has constants of its own.
TEST_P(LockstepGenerator, LengthsOfInput) {
  for (std::size_t length = 56; length <= 72; ++length) {
    device_.free_all();
    DeviceDrbg ours(device_, variant());
    PeerDrbg theirs(name(), true);
    const std::size_t key = ours.spec().key, nonce = 16;
    const Bytes e = draw_.bytes(key), n = draw_.bytes(nonce), p = draw_.bytes(length - key - nonce);
    theirs.instantiate(e, n, p);
    ASSERT_TRUE(ours.instantiate(e, n, p));
    const Bytes fresh = draw_.bytes(key), additional = draw_.bytes(length - key);
    theirs.reseed(fresh, additional);
    ASSERT_TRUE(ours.reseed(fresh, additional));
    ASSERT_EQ(ours.generate(20, std::nullopt, std::nullopt), theirs.generate(20, {})) << length;
  }
}

INSTANTIATE_TEST_SUITE_P(Avr, Lockstep, testing::ValuesIn(kVariants), variant_name);
INSTANTIATE_TEST_SUITE_P(Avr, LockstepGenerator, testing::ValuesIn(with_any_key()), variant_name);

}  // namespace
}  // namespace gpuctr::avr
