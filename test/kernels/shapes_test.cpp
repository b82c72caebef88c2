// Every shape of cipher on every backend that this CPU has, against a block at a time on plain
// words.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "kernels/base/counter.h"
#include "kernels/cpu/backend.h"
#include "test/kernels/shapes.h"
#include "test/kernels/shapes_tables.h"
#include "test/support/gtest_name.h"
#include "test/support/vectors.h"

namespace gpuctr {
namespace {

using test::Bytes;

struct Shape {
  std::size_t block_bytes;
  std::size_t word_bytes;
  bool big_endian;
  void (*encrypt)(const RoundKeys& keys, const std::uint8_t* in, std::uint8_t* out);
};

// A byte of one block, and boxes by their tables.
struct BoxByte {
  std::uint8_t v;
  friend BoxByte operator^(BoxByte a, BoxByte b) { return {static_cast<std::uint8_t>(a.v ^ b.v)}; }
  template <class Box>
  BoxByte sub() const {
    return {Box::at(v)};
  }
};
struct BoxKeys {
  const std::uint8_t* bytes;
  BoxByte operator()(unsigned i) const { return {bytes[i]}; }
};

template <class C>
void encrypt(const RoundKeys& keys, const std::uint8_t* in, std::uint8_t* out) {
  using Word = typename C::Word;
  static_assert(ScheduleBytes<C>::kValue <= kMaxScheduleBytes);
  const auto place = [](unsigned j, unsigned byte) {  // of byte `byte` of word j, lowest first
    return j * sizeof(Word) + (C::kFacts.big_endian ? sizeof(Word) - 1 - byte : byte);
  };
  std::conditional_t<C::kFacts.boxes, BoxByte, PlainWord<Word>> x[C::kWords] = {};
  for (unsigned j = 0; j < C::kWords; ++j) {
    for (unsigned b = sizeof(Word); b-- != 0;) {
      x[j].v = static_cast<Word>(static_cast<std::uint64_t>(x[j].v) << 8 | in[place(j, b)]);
    }
  }
  using Keys = std::conditional_t<C::kFacts.boxes, BoxKeys, PlainKeys<Word>>;
  C::encrypt(x, Keys{keys.words<Word>()});
  for (unsigned j = 0; j < C::kWords; ++j) {
    for (unsigned b = 0; b < sizeof(Word); ++b) {
      out[place(j, b)] = static_cast<std::uint8_t>(x[j].v >> (8 * b));
    }
  }
}

template <class... C>
std::vector<Shape> shapes_of(CipherList<C...>) {
  return {{BlockBytes<C>::kValue, sizeof(typename C::Word), C::kFacts.big_endian, encrypt<C>}...};
}

struct Case {
  const char* backend;
  const CipherOps* ops;
  Shape shape;
  std::size_t index;  // in Toys
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.backend; }

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const test::ShapesOnBackend& backend : test::kShapesOnBackends) {
    const std::vector<Shape> shapes =
        backend.boxes_only ? shapes_of(test::BoxToys{}) : shapes_of(test::Toys{});
    const std::size_t first = test::Toys::kCount - shapes.size();
    for (std::size_t i = 0; i < shapes.size(); ++i) {
      cases.push_back({backend.name, backend.ops + i, shapes[i], first + i});
    }
  }
  return cases;
}

class Shapes : public testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    if (!find_backend(GetParam().backend)->available()) GTEST_SKIP() << "not on this CPU";
    for (std::size_t i = 0; i < sizeof keys_.bytes; ++i) {
      keys_.bytes[i] = static_cast<std::uint8_t>(37 * i + 11 + i / 256);
    }
  }
  Bytes encrypted(const Bytes& in) const {
    Bytes out(in.size());
    for (std::size_t at = 0; at < in.size(); at += shape_.block_bytes) {
      shape_.encrypt(keys_, &in[at], &out[at]);
    }
    return out;
  }
  static Bytes some_bytes(std::size_t n) {
    Bytes bytes(n);
    for (std::size_t i = 0; i < n; ++i) bytes[i] = static_cast<std::uint8_t>(i * 7 + i / 251);
    return bytes;
  }

  const Shape shape_ = GetParam().shape;
  RoundKeys keys_;
};

TEST_P(Shapes, Blocks) {
  const CipherOps& ops = *GetParam().ops;
  for (const std::size_t count : {1U, 2U, 3U, 5U, 8U, 17U, 64U, 100U, 300U}) {
    const Bytes in = some_bytes(count * shape_.block_bytes);
    Bytes out(in.size());
    ops.encrypt(keys_, in.data(), out.data(), count);
    ASSERT_EQ(out, encrypted(in)) << count << " blocks";
    ops.decrypt(keys_, out.data(), out.data(), count);
    ASSERT_EQ(out, in) << count << " blocks";
  }
}

// Counters that start with all ones, that carry out of the last word, and others.
TEST_P(Shapes, Counters) {
  const std::size_t block = shape_.block_bytes;
  for (const std::size_t ones : {std::size_t{0}, shape_.word_bytes, block}) {
    Bytes counter = some_bytes(block);
    std::fill(counter.end() - static_cast<std::ptrdiff_t>(ones), counter.end(), 0xff);
    if (ones != 0) counter.back() = 0xf9;
    for (const std::size_t n : {std::size_t{1}, block - 1, block, 3 * block + 1, std::size_t{1000},
                                std::size_t{4099}, std::size_t{20000}}) {
      Bytes counters;
      Bytes next = counter;
      while (counters.size() < n) {
        counters.insert(counters.end(), next.begin(), next.end());
        for (std::size_t i = block; i-- != 0 && ++next[i] == 0;) {
        }
      }
      Bytes want = encrypted(counters);
      want.resize(n);
      const Bytes in = some_bytes(n);
      Bytes out(n);
      GetParam().ops->ctr(keys_, counter.data(), nullptr, out.data(), n);
      ASSERT_EQ(out, want) << n << " bytes, " << ones << " bytes of ones";
      for (std::size_t i = 0; i < n; ++i) want[i] ^= in[i];
      GetParam().ops->ctr(keys_, counter.data(), in.data(), out.data(), n);
      ASSERT_EQ(out, want) << n << " bytes, " << ones << " bytes of ones";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Shapes, testing::ValuesIn(all_cases()),
                         [](const testing::TestParamInfo<Case>& c) {
                           const Shape& shape = c.param.shape;
                           return test::gtest_name(
                               std::string(c.param.backend) + "_" +
                               std::to_string(shape.block_bytes / shape.word_bytes) + "x" +
                               std::to_string(8 * shape.word_bytes) +
                               (shape.big_endian ? "_big_" : "_") + std::to_string(c.param.index));
                         });

}  // namespace
}  // namespace gpuctr
