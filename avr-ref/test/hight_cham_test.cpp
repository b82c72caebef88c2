// HIGHT and CHAM in AVR assembly against the model, the published vectors and their own promises.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <map>
#include <ostream>
#include <random>
#include <string>

#include "machine.h"
#include "model.h"

namespace gpuctr::avr {
namespace {

struct Case {
  std::string name;   // of the descriptor, without gpuctr_
  std::string group;  // of the vectors
  std::string set_key, encrypt, encrypt_df;
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
    {"hight", "HIGHT", "hight_set_key", "hight_encrypt", "hight_encrypt_df", 8, 16, false,
     model_hight},
    {"hight_fixed", "HIGHT", "", "hight_fixed_encrypt", "", 8, 16, true, model_hight},
    {"hight_small", "HIGHT", "hight_small_set_key", "hight_small_encrypt", "", 8, 16, false,
     model_hight},
    {"cham64_128", "CHAM-64-128", "cham64_set_key", "cham64_encrypt", "", 8, 16, false, cham64},
    {"cham64_128_small", "CHAM-64-128", "cham64_set_key", "cham64_small_encrypt", "", 8, 16, false,
     cham64},
    {"cham128_128", "CHAM-128-128", "cham128_128_set_key", "cham128_128_encrypt", "", 16, 16, false,
     cham128},
    {"cham128_256", "CHAM-128-256", "cham128_256_set_key", "cham128_256_encrypt", "", 16, 32, false,
     cham128},
    {"cham128_128_small", "CHAM-128-128", "cham128_128_set_key", "cham128_128_small_encrypt", "",
     16, 16, false, cham128},
    {"cham128_256_small", "CHAM-128-256", "cham128_256_set_key", "cham128_256_small_encrypt", "",
     16, 32, false, cham128},
};

Bytes from_hex(const std::string& hex) {
  Bytes bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
    bytes.push_back(static_cast<std::uint8_t>(std::stoul(hex.substr(i, 2), nullptr, 16)));
  return bytes;
}

// The key that the build put into the code.
Bytes fixed_key() {
  std::ifstream in(GPUCTR_AVR_FIXED_KEY_FILE);
  std::string hex;
  in >> hex;
  return from_hex(hex);
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
    const CallResult result = machine_.call("gpuctr_" + function, arguments);
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
      const Bytes block = GetParam().model(key_, counter);
      stream.insert(stream.end(), block.begin(), block.end());
      increment(counter);
    }
    for (std::size_t i = 0; i < data.size(); ++i) data[i] ^= stream[i];
    return data;
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

// The evp_test files: "Name = value" lines, "Cipher" begins a test.
std::vector<std::map<std::string, std::string>> read_vectors(const std::string& file) {
  std::ifstream in(std::string(GPUCTR_VECTORS) + "/" + file);
  std::vector<std::map<std::string, std::string>> tests;
  for (std::string line; std::getline(in, line);) {
    const std::size_t equals = line.find(" = ");
    if (line.empty() || line[0] == '#' || equals == std::string::npos) continue;
    const std::string name = line.substr(0, equals);
    if (name == "Cipher") tests.emplace_back();
    if (!tests.empty()) tests.back()[name] = line.substr(equals + 3);
  }
  return tests;
}

TEST_P(HightCham, PublishedVectors) {
  if (GetParam().fixed) GTEST_SKIP() << "one key only";
  int run = 0;
  for (const char* file : {"hight.txt", "cham.txt"}) {
    for (auto& test : read_vectors(file)) {
      const bool ecb = test["Cipher"] == GetParam().group + "-ECB";
      if (!ecb && test["Cipher"] != GetParam().group + "-CTR") continue;
      const Bytes plain = from_hex(test["Plaintext"]), cipher = from_hex(test["Ciphertext"]);
      if (plain.size() > kMaxData) continue;
      set_key(from_hex(test["Key"]));
      if (ecb) {
        for (std::size_t i = 0; i < plain.size(); i += GetParam().block) {
          const auto block = [&](const Bytes& b) {
            const auto from = b.begin() + static_cast<std::ptrdiff_t>(i);
            return Bytes(from, from + static_cast<std::ptrdiff_t>(GetParam().block));
          };
          ASSERT_EQ(encrypt(GetParam().encrypt, block(plain)), block(cipher));
        }
      } else {
        init(from_hex(test["IV"]));
        ASSERT_EQ(crypt(plain), cipher);
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
      const auto from = data.begin() + static_cast<std::ptrdiff_t>(done);
      const Bytes part = crypt(Bytes(from, from + static_cast<std::ptrdiff_t>(size)));
      result.insert(result.end(), part.begin(), part.end());
      done += size;
    }
    ASSERT_EQ(result, expected_ctr(iv, data));
  }
}

// Keys, data and nonces change, the counter's place does not: not one cycle may differ.
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
      const CallResult r =
          call("ctr_stream", {at(kContextAt), at(kInAt), static_cast<std::uint16_t>(data.size())});
      ASSERT_EQ(machine_.read(at(kInAt), data.size()), expected_ctr(iv, data));
      if (n == 0) first = r;
      ASSERT_EQ(r.cycles, first.cycles) << blocks << " blocks";
    }
  }
}

TEST_P(HightCham, DerivationFunctionConstants) {
  if (GetParam().encrypt_df.empty()) GTEST_SKIP() << "none in this build";
  Bytes key(GetParam().key);
  for (std::size_t i = 0; i < key.size(); ++i) key[i] = static_cast<std::uint8_t>(i);
  CallResult first, result;
  for (int n = 0; n < 50; ++n) {
    const Bytes block = random(GetParam().block);
    ASSERT_EQ(encrypt(GetParam().encrypt_df, block, &result), GetParam().model(key, block));
    if (n == 0) first = result;
    ASSERT_EQ(result.cycles, first.cycles);
  }

  constexpr std::uint32_t kConstantsField = 33;  // of struct gpuctr_cipher
  const std::uint32_t cipher = machine_.code("gpuctr_" + GetParam().name);
  const Bytes pointer = machine_.read_flash(cipher + kConstantsField, 2);
  const std::size_t seed_blocks = (GetParam().key + GetParam().block) / GetParam().block;
  Bytes expected, counter(GetParam().block);
  for (std::size_t i = 0; i < seed_blocks; ++i) {
    Bytes block(GetParam().block);
    block[3] = static_cast<std::uint8_t>(i);
    const Bytes out = GetParam().model(key, block);
    expected.insert(expected.end(), out.begin(), out.end());
  }
  for (std::size_t i = 0; i < seed_blocks; ++i) {
    increment(counter);
    const Bytes out = GetParam().model(Bytes(GetParam().key), counter);
    expected.insert(expected.end(), out.begin(), out.end());
  }
  EXPECT_EQ(machine_.read_flash(pointer[0] | pointer[1] << 8u, expected.size()), expected);
}

INSTANTIATE_TEST_SUITE_P(Avr, HightCham, testing::ValuesIn(kCases),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace gpuctr::avr
