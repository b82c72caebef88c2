// Every form of GHASH that this CPU has: published values, and SP 800-38D's multiplication bit by
// bit as the model.
#include "kernels/cpu/ghash.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "kernels/cpu/backend.h"
#include "test/kernels/cases.h"
#include "test/support/gtest_name.h"
#include "test/support/vectors.h"

namespace gpuctr {
namespace {

using test::Bytes;
using test::from_hex;
using Block = std::array<std::uint8_t, 16>;

// SP 800-38D 6.3, with bit 0 the leftmost of byte 0.
Block model_multiply(const Block& x, const Block& y) {
  Block z = {};
  Block v = y;
  for (unsigned i = 0; i < 128; ++i) {
    if ((x[i / 8] >> (7 - i % 8) & 1) != 0) {
      for (unsigned k = 0; k < 16; ++k) z[k] = static_cast<std::uint8_t>(z[k] ^ v[k]);
    }
    const bool reduced = (v[15] & 1) != 0;
    for (unsigned k = 15; k > 0; --k) {
      v[k] = static_cast<std::uint8_t>(v[k] >> 1 | (v[k - 1] & 1) << 7);
    }
    v[0] = static_cast<std::uint8_t>(v[0] >> 1 ^ (reduced ? 0xe1 : 0));
  }
  return z;
}

// y after each block of `in`.
std::vector<Block> model(const Block& h, const Block& first, const Bytes& in) {
  std::vector<Block> after{first};
  for (std::size_t at = 0; at < in.size(); at += 16) {
    Block x = after.back();
    for (unsigned k = 0; k < 16; ++k) x[k] = static_cast<std::uint8_t>(x[k] ^ in[at + k]);
    after.push_back(model_multiply(x, h));
  }
  return after;
}

Block block_of(const std::string& hex) {
  const Bytes bytes = from_hex(hex);
  Block block = {};
  EXPECT_EQ(bytes.size(), block.size());
  std::copy_n(bytes.begin(), std::min(bytes.size(), block.size()), block.begin());
  return block;
}

class Ghash : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!form_.available()) GTEST_SKIP() << "this CPU has no " << GetParam();
  }
  Bytes random_bytes(std::size_t n) {
    Bytes bytes(n);
    for (std::uint8_t& b : bytes) b = static_cast<std::uint8_t>(random_());
    return bytes;
  }
  Block random_block() {
    Block block;
    for (std::uint8_t& b : block) b = static_cast<std::uint8_t>(random_());
    return block;
  }
  GhashKey expand(const Block& h) {
    GhashKey key;
    ops_.expand(h.data(), &key);
    return key;
  }

  const GhashImplementation& form_ = test::find_ghash_form(GetParam());
  const GhashOps& ops_ = *form_.ops;
  std::mt19937 random_{20240717};
};

// McGrew and Viega, "The Galois/Counter Mode of Operation", appendix B: H, the padded associated
// data and ciphertext with the block of lengths, and GHASH. Then RFC 8452, appendix A.
TEST_P(Ghash, PublishedValues) {
  const struct {
    const char* name;
    const char* h;
    std::string in;
    const char* expected;
  } vectors[] = {
      {"test case 1", "66e94bd4ef8a2c3b884cfa59ca342b2e", "00000000000000000000000000000000",
       "00000000000000000000000000000000"},
      {"test case 2", "66e94bd4ef8a2c3b884cfa59ca342b2e",
       "0388dace60b6a392f328c2b971b2fe7800000000000000000000000000000080",
       "f38cbb1ad69223dcc3457ae5b6b0f885"},
      {"test case 3", "b83b533708bf535d0aa6e52980d53b78",
       "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e"
       "21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091473f5985"
       "00000000000000000000000000000200",
       "7f1b32b81b820d02614f8895ac1d4eac"},
      {"test case 4", "b83b533708bf535d0aa6e52980d53b78",
       "feedfacedeadbeeffeedfacedeadbeefabaddad2000000000000000000000000"
       "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e"
       "21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e09100000000"
       "00000000000000a000000000000001e0",
       "698e57f70e6ecc7fd9463b7260a9ae5f"},
      {"RFC 8452", "25629347589242761d31f826ba4b757b",
       "4f4f95668c83dfb6401762bb2d01a262d1a24ddd2721d006bbe45f20d3c9f362",
       "bd9b3997046731fb96251b91f9c99d7a"},
  };
  for (const auto& vector : vectors) {
    SCOPED_TRACE(vector.name);
    const Bytes in = from_hex(vector.in);
    const GhashKey key = expand(block_of(vector.h));
    Block y = {};
    ops_.update(key, y.data(), in.data(), in.size() / 16);
    EXPECT_EQ(y, block_of(vector.expected));
  }
}

// RFC 8452 appendix A: POLYVAL's blocks are GHASH's with their bytes in reverse order.
TEST_P(Ghash, PolyvalOfEveryNumberOfBlocks) {
  const Block h = random_block();
  Block first = random_block();
  Bytes in = random_bytes(130 * 16);
  const std::vector<Block> expected = model(h, first, in);
  const GhashKey key = expand(h);
  std::reverse(first.begin(), first.end());
  for (std::size_t at = 0; at < in.size(); at += 16) {
    const auto block = in.begin() + static_cast<std::ptrdiff_t>(at);
    std::reverse(block, block + 16);
  }
  for (std::size_t blocks = 0; blocks < expected.size(); ++blocks) {
    Block y = first;
    ops_.polyval(key, y.data(), in.data(), blocks);
    std::reverse(y.begin(), y.end());
    ASSERT_EQ(y, expected[blocks]) << blocks << " blocks";
  }
}

// A key that grows with the messages gives what a whole key gives, and is whole in the end.
TEST_P(Ghash, PowersInParts) {
  const Block h = random_block();
  const Bytes in = random_bytes(100 * 16);
  const std::vector<Block> expected = model(h, {}, in);
  const GhashKey whole = expand(h);
  for (unsigned step = 1; step <= 40; ++step) {
    GhashKey key = {};
    ops_.begin(h.data(), &key);
    unsigned have = 1;
    for (std::size_t blocks = step; blocks < expected.size(); blocks += step) {
      const unsigned before = have;
      have = ops_.grow(&key, have, blocks);
      ASSERT_GE(have, before);
      ASSERT_GE(have, std::min<std::size_t>(blocks, ops_.powers));
      Block y = {};
      ops_.update(key, y.data(), in.data(), blocks);
      ASSERT_EQ(y, expected[blocks]) << blocks << " blocks in steps of " << step;
    }
    if (have < ops_.powers) continue;
    const std::size_t bytes = 16 * ops_.powers;
    ASSERT_EQ(std::memcmp(key.bytes + 512 - bytes, whole.bytes + 512 - bytes, bytes), 0);
    ASSERT_EQ(std::memcmp(key.bytes + 1024 - bytes, whole.bytes + 1024 - bytes, bytes), 0);
  }
}

// A product is the hash of one block; a list of them may go on from its own results.
TEST_P(Ghash, Products) {
  std::uint8_t elements[8][16];
  Block expected[8];
  for (std::size_t i = 0; i < 8; ++i) {
    expected[i] = random_block();
    std::memcpy(elements[i], expected[i].data(), 16);
  }
  constexpr GhashProduct kProducts[] = {{0, 1, 2}, {3, 0, 0}, {0, 3, 4}, {5, 5, 5}, {6, 0, 5}};
  for (const GhashProduct& p : kProducts) {
    const Bytes in(expected[p.a].begin(), expected[p.a].end());
    expected[p.to] = model(expected[p.b], Block{}, in)[1];
  }
  ops_.multiply(elements, kProducts, std::size(kProducts));
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_EQ(std::memcmp(elements[i], expected[i].data(), 16), 0) << i;
  }
  std::memcpy(elements[0], expected[1].data(), 16);
  ops_.multiply(elements, kProducts, 0);
  EXPECT_EQ(std::memcmp(elements[0], expected[1].data(), 16), 0) << "no products";
}

TEST_P(Ghash, EveryNumberOfBlocks) {
  for (int i = 0; i < 4; ++i) {
    const Block h = random_block();
    const Block first = random_block();
    const Bytes in = random_bytes(300 * 16);
    const std::vector<Block> expected = model(h, first, in);
    const GhashKey key = expand(h);
    for (std::size_t blocks = 0; blocks < expected.size(); ++blocks) {
      Block y = first;
      ops_.update(key, y.data(), in.data(), blocks);
      ASSERT_EQ(y, expected[blocks]) << blocks << " blocks";
    }
  }
}

TEST_P(Ghash, SplitUpdatesJoin) {
  const Block h = random_block();
  const Bytes in = random_bytes(300 * 16);
  const std::vector<Block> expected = model(h, {}, in);
  const GhashKey key = expand(h);
  for (unsigned i = 0; i < 200; ++i) {
    Block y = {};
    for (std::size_t at = 0; at < 300;) {
      const std::size_t blocks = std::min<std::size_t>(300 - at, random_() % (i % 100 + 2));
      ops_.update(key, y.data(), in.data() + 16 * at, blocks);
      at += blocks;
      ASSERT_EQ(y, expected[at]) << blocks << " blocks before " << at;
    }
  }
}

// Each pointer at every misalignment; nothing beside y and the key is written.
TEST_P(Ghash, AnyAlignment) {
  const Block h = random_block();
  const Block first = random_block();
  const Bytes in = random_bytes(75 * 16);
  const Block expected = model(h, first, in).back();
  for (std::size_t offset = 0; offset < 64; ++offset) {
    Bytes bytes(3 * 80 + in.size(), 0xa5);
    std::uint8_t* const at_h = &bytes[offset];
    std::uint8_t* const at_y = &bytes[80 + (offset * 7 + 3) % 64];
    std::uint8_t* const at_in = &bytes[160 + (offset * 5 + 1) % 64];
    std::copy(h.begin(), h.end(), at_h);
    std::copy(first.begin(), first.end(), at_y);
    std::copy(in.begin(), in.end(), at_in);
    Bytes after = bytes;
    std::copy(expected.begin(), expected.end(), after.begin() + (at_y - bytes.data()));
    GhashKey key;
    ops_.expand(at_h, &key);
    ops_.update(key, at_y, at_in, 75);
    ASSERT_EQ(bytes, after) << offset;
  }
}

// What lies at an end of the data is not read: AddressSanitizer and memcheck look.
TEST_P(Ghash, ReadsNothingBesideItsInput) {
  const Block h = random_block();
  const GhashKey key = expand(h);
  for (std::size_t blocks = 1; blocks < 70; ++blocks) {
    const Bytes in = random_bytes(16 * blocks);
    Block y = {};
    ops_.update(key, y.data(), in.data(), blocks);
    ASSERT_EQ(y, model(h, {}, in).back()) << blocks;
  }
}

// Values at the ends, single bits everywhere: carries that only such operands have.
TEST_P(Ghash, SpecialValues) {
  std::vector<Block> values(3);
  values[1].fill(0xff);
  values[2] = {0x80};  // 1 in the field
  for (unsigned bit = 0; bit < 128; ++bit) {
    values.push_back({});
    values.back()[bit / 8] = static_cast<std::uint8_t>(1 << bit % 8);
  }
  for (unsigned i = 0; i < 8; ++i) {  // dense ones and lone holes
    values.push_back({});
    values.back().fill(static_cast<std::uint8_t>(~(1 << i)));
    values.push_back(random_block());
  }
  for (const Block& h : values) {
    const GhashKey key = expand(h);
    for (const Block& x : values) {
      Block y = {};
      ops_.update(key, y.data(), x.data(), 1);
      ASSERT_EQ(y, model_multiply(x, h));
    }
    for (const unsigned byte : {0x00u, 0xffu}) {
      const Bytes in(100 * 16, static_cast<std::uint8_t>(byte));
      Block y;
      y.fill(0xff);
      const Block expected = model(h, y, in).back();
      ops_.update(key, y.data(), in.data(), 100);
      ASSERT_EQ(y, expected);
    }
  }
}

std::string form_name(const testing::TestParamInfo<const char*>& tested) {
  return test::gtest_name(tested.param);
}

INSTANTIATE_TEST_SUITE_P(Forms, Ghash, testing::ValuesIn(test::ghash_form_names()), form_name);

// Each backend has a form that runs on this CPU, with vectors no wider than its own.
TEST(GhashForms, EveryBackendHasOne) {
  const GhashList forms = ghash_implementations();
  ASSERT_STREQ(forms.first[forms.count - 1].name, "portable");
  const BackendList backends = cpu_backends();
  for (std::size_t i = 0; i < backends.count; ++i) {
    const std::string name = backends.first[i]->name;
    const std::size_t bytes = name.rfind("avx512", 0) == 0 ? 64
                              : name.rfind("avx2", 0) == 0 ? 32
                              : name == "scalar"           ? 0
                                                           : 16;
    const GhashImplementation* best = nullptr;
    for (std::size_t f = 0; f < forms.count; ++f) {
      const GhashImplementation& form = forms.first[f];
      if (form.available() && form.vector_bytes <= bytes) {
        ASSERT_NE(form.ops, nullptr);
        EXPECT_EQ(backends.first[i]->ghash, form.ops) << name << ", " << form.name;
        best = &form;
        break;
      }
    }
    EXPECT_NE(best, nullptr) << name;
  }
}

}  // namespace
}  // namespace gpuctr
