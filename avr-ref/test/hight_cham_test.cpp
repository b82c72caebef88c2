// HIGHT and CHAM in AVR assembly against the model, the published vectors and their own promises.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <ostream>
#include <random>
#include <string>

#include "machine.h"
#include "model.h"
#include "test/support/vectors.h"

namespace gpuctr::avr {
namespace {

struct Case {
  std::string name;   // of the descriptor, without gpuctr_
  std::string group;  // of the vectors
  std::string set_key, encrypt, chain_df;
  std::size_t block, key;
  bool fixed;  // the key is in the code
  std::function<Bytes(const Bytes& key, const Bytes& block)> model;
};

void PrintTo(const Case& test, std::ostream* out) { *out << test.name; }

Bytes cham64(const Bytes& k, const Bytes& x) { return model_cham(k, x, 16, 88); }
Bytes cham128(const Bytes& k, const Bytes& x) {
  return model_cham(k, x, 32, k.size() == 16 ? 112 : 120);
}

const Case kCases[] = {
    {"hight", "HIGHT", "hight_set_key", "hight_encrypt", "hight_chain_df", 8, 16, false,
     model_hight},
    {"hight_fixed", "HIGHT", "", "hight_fixed_encrypt", "", 8, 16, true, model_hight},
    {"hight_small", "HIGHT", "hight_small_set_key", "hight_small_encrypt", "", 8, 16, false,
     model_hight},
    {"cham64_128", "CHAM-64-128", "cham64_set_key", "cham64_encrypt", "cham64_chain_df", 8, 16,
     false, cham64},
    {"cham64_128_small", "CHAM-64-128", "cham64_set_key", "cham64_small_encrypt", "", 8, 16, false,
     cham64},
    {"cham128_128", "CHAM-128-128", "cham128_128_set_key", "cham128_128_encrypt",
     "cham128_128_chain_df", 16, 16, false, cham128},
    {"cham128_256", "CHAM-128-256", "cham128_256_set_key", "cham128_256_encrypt",
     "cham128_256_chain_df", 16, 32, false, cham128},
    {"cham128_128_small", "CHAM-128-128", "cham128_128_set_key", "cham128_128_small_encrypt", "",
     16, 16, false, cham128},
    {"cham128_256_small", "CHAM-128-256", "cham128_256_set_key", "cham128_256_small_encrypt", "",
     16, 32, false, cham128},
};

// The key that the build put into the code.
Bytes fixed_key() {
  std::ifstream in(GPUCTR_AVR_FIXED_KEY_FILE);
  std::string hex;
  in >> hex;
  return test::from_hex(hex);
}

// The firmware's one array, divided by hand.
constexpr std::uint16_t kKeyAt = 0, kRoundKeysAt = 32, kContextAt = 192, kInAt = 288, kOutAt = 1088,
                        kArena = 1888;
constexpr std::size_t kMaxData = 800;

class HightCham : public testing::TestWithParam<Case> {
 protected:
  HightCham() : machine_(GPUCTR_AVR_FIRMWARE), arena_(machine_.data("test_arena")) {
    if (GetParam().fixed) key_ = fixed_key();
  }

  std::uint16_t at(std::uint16_t offset) const {
    return static_cast<std::uint16_t>(arena_ + offset);
  }
  std::uint16_t round_keys() const { return GetParam().fixed ? 0 : at(kRoundKeysAt); }
  Bytes random(std::size_t size) {
    Bytes bytes(size);
    for (auto& b : bytes) b = static_cast<std::uint8_t>(random_());
    return bytes;
  }

  CallResult call(const std::string& function, const std::vector<std::uint16_t>& arguments) {
    CallResult result = machine_.call("gpuctr_" + function, arguments);
    EXPECT_EQ(result.fault, "") << function;
    return result;
  }

  CallResult set_key(const Bytes& key) {
    key_ = key;
    if (GetParam().set_key.empty()) return {};
    machine_.write(at(kKeyAt), key);
    return call(GetParam().set_key, {at(kRoundKeysAt), at(kKeyAt)});
  }
  void new_key() {
    if (!GetParam().fixed) set_key(random(GetParam().key));
  }

  Bytes encrypt(const std::string& function, const Bytes& block, CallResult* result = nullptr) {
    machine_.write(at(kInAt), block);
    const CallResult r = call(function, {round_keys(), at(kOutAt), at(kInAt)});
    if (result != nullptr) *result = r;
    return machine_.read(at(kOutAt), block.size());
  }

  void init(const Bytes& iv) {
    machine_.write(at(kInAt), iv);
    call("ctr_init",
         {at(kContextAt), static_cast<std::uint16_t>(machine_.code("gpuctr_" + GetParam().name)),
          round_keys(), at(kInAt)});
  }
  Bytes crypt(const Bytes& data, CallResult* result = nullptr, bool in_place = false) {
    machine_.write(at(kInAt), data);
    machine_.write(at(kOutAt), Bytes(data.size() + 1, 0xee));
    const std::uint16_t out = at(in_place ? kInAt : kOutAt);
    const CallResult r = call(
        "ctr_crypt", {at(kContextAt), out, at(kInAt), static_cast<std::uint16_t>(data.size())});
    EXPECT_EQ(r.value & 0xff, 0);
    if (result != nullptr) *result = r;
    if (!in_place) {
      EXPECT_EQ(machine_.read(static_cast<std::uint16_t>(out + data.size()), 1), Bytes{0xee});
      EXPECT_EQ(machine_.read(at(kInAt), data.size()), data);
    }
    return machine_.read(out, data.size());
  }

  static void increment(Bytes& counter) {
    for (std::size_t i = counter.size(); i-- != 0;)
      if (++counter[i] != 0) return;
  }
  Bytes expected_ctr(Bytes counter, Bytes data) const {
    Bytes stream;
    while (stream.size() < data.size()) {
      append(stream, GetParam().model(key_, counter));
      increment(counter);
    }
    for (std::size_t i = 0; i < data.size(); ++i) data[i] ^= stream[i];
    return data;
  }
  static void append(Bytes& to, const Bytes& bytes) {
    to.insert(to.end(), bytes.begin(), bytes.end());
  }
  static Bytes slice(const Bytes& bytes, std::size_t from, std::size_t size) {
    const auto p = bytes.begin() + static_cast<std::ptrdiff_t>(from);
    return Bytes(p, p + static_cast<std::ptrdiff_t>(size));
  }
  static std::size_t seed_blocks() {
    return (GetParam().key + GetParam().block) / GetParam().block;
  }
  static Bytes df_key() {
    Bytes key(GetParam().key);
    for (std::size_t i = 0; i < key.size(); ++i) key[i] = static_cast<std::uint8_t>(i);
    return key;
  }
  // An IV whose last `carry` bytes are ff, less `back`.
  Bytes iv_before_carry(std::size_t carry, std::uint8_t back) {
    Bytes iv = random(GetParam().block);
    std::fill(iv.end() - static_cast<std::ptrdiff_t>(carry), iv.end(), 0xff);
    iv.back() = static_cast<std::uint8_t>(iv.back() - back);
    return iv;
  }

  std::mt19937 random_{20240611};
  Machine machine_;
  std::uint16_t arena_;
  Bytes key_;
};

TEST_P(HightCham, RandomBlocks) {
  for (int n = 0; n < 100; ++n) {
    new_key();
    const Bytes block = random(GetParam().block);
    ASSERT_EQ(encrypt(GetParam().encrypt, block), GetParam().model(key_, block));
  }
}

TEST_P(HightCham, EncryptsInPlace) {
  new_key();
  const Bytes block = random(GetParam().block);
  machine_.write(at(kInAt), block);
  call(GetParam().encrypt, {round_keys(), at(kInAt), at(kInAt)});
  EXPECT_EQ(machine_.read(at(kInAt), block.size()), GetParam().model(key_, block));
}

TEST_P(HightCham, PublishedVectors) {
  if (GetParam().fixed) GTEST_SKIP() << "one key only";
  int run = 0;
  for (const char* file : {"kernels/cipher/hight/vectors.txt", "kernels/cipher/cham/vectors.txt"}) {
    for (const test::Stanza& vector : test::read_vectors(file)) {
      const bool ecb = vector.text("Cipher") == GetParam().group + "-ECB";
      if (!ecb && vector.text("Cipher") != GetParam().group + "-CTR") continue;
      const Bytes plain = vector.bytes("Plaintext"), cipher = vector.bytes("Ciphertext");
      if (plain.size() > kMaxData) continue;
      set_key(vector.bytes("Key"));
      if (ecb) {
        for (std::size_t i = 0; i < plain.size(); i += GetParam().block) {
          const auto block = [&](const Bytes& b) { return slice(b, i, GetParam().block); };
          ASSERT_EQ(encrypt(GetParam().encrypt, block(plain)), block(cipher)) << vector.place();
        }
      } else {
        init(vector.bytes("IV"));
        ASSERT_EQ(crypt(plain), cipher) << vector.place();
      }
      ++run;
    }
  }
  EXPECT_GT(run, 0);
}

TEST_P(HightCham, CounterModeCarries) {
  for (std::size_t carry = 0; carry <= GetParam().block; ++carry) {
    for (const unsigned back : {0u, 1u, 2u, 3u, 4u, 7u}) {
      new_key();
      const Bytes iv = carry == 0 ? random(GetParam().block)
                                  : iv_before_carry(carry, static_cast<std::uint8_t>(back));
      const Bytes data = random(GetParam().block * 9 + 3);
      init(iv);
      ASSERT_EQ(crypt(data), expected_ctr(iv, data)) << carry << " bytes, " << back;
    }
  }
}

TEST_P(HightCham, EveryLength) {
  new_key();
  for (std::size_t size = 0; size <= 6 * GetParam().block; ++size) {
    const Bytes iv = random(GetParam().block), data = random(size);
    init(iv);
    ASSERT_EQ(crypt(data, nullptr, size % 2 != 0), expected_ctr(iv, data)) << size;
  }
}

TEST_P(HightCham, SplitsAndLongMessages) {
  for (int n = 0; n < 8; ++n) {
    new_key();
    const Bytes iv = n % 2 ? random(GetParam().block) : iv_before_carry(4, 20);
    const Bytes data = random(4000);
    Bytes result;
    init(iv);
    for (std::size_t done = 0; done < data.size();) {
      const std::size_t most = n < 4 ? 40 : kMaxData;
      const std::size_t size = std::min<std::size_t>(random_() % most, data.size() - done);
      append(result, crypt(slice(data, done, size)));
      done += size;
    }
    ASSERT_EQ(result, expected_ctr(iv, data));
  }
}

// Keys, data and nonces change, but not the low byte of the counter, so the number of clock cycles
// must stay the same.
TEST_P(HightCham, ConstantTime) {
  CallResult first_key, first_block, first_ctr;
  for (int n = 0; n < 60; ++n) {
    CallResult key, block, ctr;
    if (!GetParam().fixed)
      key = set_key(n < 2 ? Bytes(GetParam().key, n ? 0xff : 0) : random(GetParam().key));
    encrypt(GetParam().encrypt, random(GetParam().block), &block);
    Bytes iv = random(GetParam().block);
    iv.back() = 0xf9;
    init(iv);
    crypt(random(17 * GetParam().block + 5), &ctr);
    if (n == 0) first_key = key, first_block = block, first_ctr = ctr;
    ASSERT_EQ(key.cycles, first_key.cycles);
    ASSERT_EQ(block.cycles, first_block.cycles);
    ASSERT_EQ(ctr.cycles, first_ctr.cycles);
  }
}

// Round 2 of CHAM-128 adds the low byte of the counter, and its carry, to a cached sum. Nonces
// that make the carry run through all of the sum's bytes are too rare to meet by chance.
TEST_P(HightCham, CarryThroughTheCachedSum) {
  if (GetParam().group.rfind("CHAM-128", 0) != 0) GTEST_SKIP() << "for CHAM-128";
  int met = 0;
  for (int n = 0; n < 40; ++n) {
    new_key();
    Bytes iv = random(16);
    const auto word = [](const Bytes& from, std::size_t i) {
      return static_cast<std::uint32_t>(from[4 * i] | from[4 * i + 1] << 8 |
                                        from[4 * i + 2] << 16) |
             static_cast<std::uint32_t>(from[4 * i + 3]) << 24;
    };
    const std::uint32_t k = word(key_, 2);
    const std::uint32_t other = rotl(word(iv, 3), 1, 32) ^ k ^ rotl(k, 1, 32) ^ rotl(k, 8, 32);
    if (other % 2 == 0) continue;  // no carry
    ++met;
    const std::uint32_t x2 = (0x5affffffu - (other - 1)) ^ 2u;
    for (std::size_t j = 0; j < 4; ++j) iv[8 + j] = static_cast<std::uint8_t>(x2 >> (8 * j));
    const Bytes data = random(16);
    init(iv);
    ASSERT_EQ(crypt(data), expected_ctr(iv, data));
  }
  EXPECT_GT(met, 0);
}

// The generator's counter is secret: no carry in it may show.
TEST_P(HightCham, GeneratorStream) {
  for (const std::size_t blocks :
       {std::size_t{1}, std::size_t{3}, std::size_t{6}, kMaxData / GetParam().block}) {
    CallResult first;
    for (int n = 0; n < 24; ++n) {
      new_key();
      const std::size_t carry = static_cast<std::size_t>(n) % (GetParam().block + 1);
      const Bytes iv = carry == 0 ? random(GetParam().block)
                                  : iv_before_carry(carry, static_cast<std::uint8_t>(n % 7));
      init(iv);
      const Bytes data = random(blocks * GetParam().block);
      machine_.write(at(kInAt), data);
      const std::size_t second = std::min<std::size_t>(blocks / 2, 3) * GetParam().block;
      const std::size_t size = data.size() - second;
      const auto behind = static_cast<std::uint16_t>(at(kInAt) + size);
      const CallResult r =
          call("ctr_stream_two", {at(kContextAt), at(kInAt), static_cast<std::uint16_t>(size),
                                  behind, static_cast<std::uint16_t>(second)});
      ASSERT_EQ(machine_.read(at(kInAt), data.size()), expected_ctr(iv, data));
      if (n == 0) first = r;
      ASSERT_EQ(r.cycles, first.cycles) << blocks << " blocks";
    }
  }
}

TEST_P(HightCham, DerivationFunctionChains) {
  if (GetParam().chain_df.empty()) GTEST_SKIP() << "none in this build";
  const std::size_t size = GetParam().block;
  for (const std::size_t blocks : {std::size_t{1}, std::size_t{2}, std::size_t{5}}) {
    CallResult first;
    for (int n = 0; n < 30; ++n) {
      const Bytes data = random(blocks * size);
      Bytes chains = random(seed_blocks() * size);
      machine_.write(at(kInAt), data);
      machine_.write(at(kOutAt), chains);
      const CallResult r =
          call(GetParam().chain_df, {at(kOutAt), at(kInAt), static_cast<std::uint16_t>(blocks)});
      Bytes expected;
      for (std::size_t c = 0; c < chains.size(); c += size) {
        Bytes chain = slice(chains, c, size);
        for (std::size_t b = 0; b < data.size(); b += size) {
          for (std::size_t i = 0; i < size; ++i) chain[i] ^= data[b + i];
          chain = GetParam().model(df_key(), chain);
        }
        append(expected, chain);
      }
      ASSERT_EQ(machine_.read(at(kOutAt), chains.size()), expected);
      ASSERT_EQ(machine_.read(at(kInAt), data.size()), data);
      if (n == 0) first = r;
      ASSERT_EQ(r.cycles, first.cycles);
    }
  }
}

TEST_P(HightCham, GeneratorConstants) {
  if (GetParam().chain_df.empty()) GTEST_SKIP() << "none in this build";
  constexpr std::uint32_t kConstantsField = 33;  // of struct gpuctr_cipher
  const std::uint32_t cipher = machine_.code("gpuctr_" + GetParam().name);
  const Bytes pointer = machine_.read_flash(cipher + kConstantsField, 2);
  Bytes expected, counter(GetParam().block);
  for (std::size_t i = 0; i < seed_blocks(); ++i) {
    Bytes block(GetParam().block);
    block[3] = static_cast<std::uint8_t>(i);
    append(expected, GetParam().model(df_key(), block));
  }
  for (std::size_t i = 0; i < seed_blocks(); ++i) {
    increment(counter);
    append(expected, GetParam().model(Bytes(GetParam().key), counter));
  }
  EXPECT_EQ(machine_.read_flash(pointer[0] | pointer[1] << 8u, expected.size()), expected);
}

// The small build's generator has no constants and no function of its own for the derivation
// function: both must give the same bytes.
TEST_P(HightCham, GeneratorAgreesWithTheSmallBuild) {
  if (GetParam().chain_df.empty()) GTEST_SKIP() << "none in this build";
  for (const std::size_t size : {std::size_t{32}, std::size_t{37}, std::size_t{64}}) {
    const Bytes input = random(size);
    machine_.write(at(kInAt), input);
    const std::uint16_t address = at(kInAt);
    machine_.write(at(kKeyAt),
                   {static_cast<std::uint8_t>(address), static_cast<std::uint8_t>(address >> 8),
                    static_cast<std::uint8_t>(size), 0});
    Bytes outputs[2];
    for (int small = 0; small < 2; ++small) {
      const std::string cipher = "gpuctr_" + GetParam().name + (small ? "_small" : "");
      const std::uint16_t none = 0;
      CallResult r = call("drbg_instantiate",
                          {at(kContextAt), static_cast<std::uint16_t>(machine_.code(cipher)),
                           at(kRoundKeysAt), at(kKeyAt), at(kKeyAt), none, none});
      EXPECT_EQ(r.value & 0xff, 0);
      for (const std::uint16_t bytes : {std::uint16_t{100}, std::uint16_t{33}}) {
        r = call("drbg_generate", {at(kContextAt), at(kOutAt), bytes, none, none});
        EXPECT_EQ(r.value & 0xff, 0);
        append(outputs[small], machine_.read(at(kOutAt), bytes));
      }
    }
    ASSERT_EQ(outputs[0], outputs[1]);
  }
}

INSTANTIATE_TEST_SUITE_P(Avr, HightCham, testing::ValuesIn(kCases),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace gpuctr::avr
