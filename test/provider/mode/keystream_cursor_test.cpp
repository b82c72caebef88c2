// The position in a sequence of counter blocks: however a text is cut into updates, and whatever
// fails in between, each of its bytes gets its own byte of the sequence's keystream, once.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "kernels/cipher/registry.h"
#include "provider/mode/keystream/keystream_cursor.h"

namespace gpuctr {
namespace {

using Bytes = std::vector<std::uint8_t>;

// The nth call from now on fails; 0: none does.
int g_fail = 0;
bool fails() { return g_fail != 0 && --g_fail == 0; }

// KeystreamCursor's Text over the scalar backend. Its MAC is the list of the bytes that it saw.
template <bool WholeBlocks>
struct Text {
  static constexpr bool kWholeBlocks = WholeBlocks;
  static constexpr bool kWholeText = false;
  const CipherOps& ops;
  const RoundKeys& keys;
  std::size_t block;
  Bytes* seen;

  bool keystream(const std::uint8_t* at, std::uint8_t* out, std::size_t n) {
    EXPECT_EQ(n % block, 0u);
    if (fails()) return false;
    ops.ctr(keys, at, nullptr, out, n);
    return true;
  }
  bool run(const std::uint8_t* at, const std::uint8_t* in, std::uint8_t* out, std::size_t n) {
    EXPECT_EQ(n % block, 0u);
    EXPECT_LE(n, most());
    if (fails()) return false;
    seen->insert(seen->end(), in, in + n);
    ops.ctr(keys, at, in, out, n);
    return true;
  }
  bool run_on_device(const std::uint8_t* at, std::size_t skip, const std::uint8_t* in,
                     std::uint8_t* out, std::size_t n) {
    if (WholeBlocks) {
      EXPECT_TRUE((skip == 0 && n % block == 0) || skip + n <= block);
    }
    if (fails()) return false;
    seen->insert(seen->end(), in, in + n);
    Bytes whole(skip + n);
    std::copy(in, in + n, whole.begin() + static_cast<std::ptrdiff_t>(skip));
    ops.ctr(keys, at, whole.data(), whole.data(), whole.size());
    std::copy(whole.begin() + static_cast<std::ptrdiff_t>(skip), whole.end(), out);
    return true;
  }
  std::size_t most() const { return 20 * block; }
  void before(const std::uint8_t* in, std::size_t n) { seen->insert(seen->end(), in, in + n); }
  void after(const std::uint8_t*, std::size_t) {}
};

class Cursor : public testing::TestWithParam<unsigned> {  // the field's bits; 0: a whole block
 protected:
  Cursor() {
    g_fail = 0;
    for (std::size_t i = 0; i < sizeof key_; ++i) key_[i] = static_cast<std::uint8_t>(7 * i);
    spec_.expand(key_, &keys_);
    for (std::uint8_t& byte : counter_) byte = 0xff;
    counter_[block_ - 1] = 0xfd;  // wraps in the third block
    text_.resize(3000);
    for (std::size_t i = 0; i < text_.size(); ++i) text_[i] = static_cast<std::uint8_t>(i * i);
    want_ = sealed(counter_, 0);
    start(&cursor_);
  }
  CounterField field() const {
    return {block_, GetParam() == 0 ? static_cast<unsigned>(8 * block_) : GetParam()};
  }
  void start(KeystreamCursor* cursor) { cursor->start(counter_, block_); }
  // text_ from a byte on, encrypted one block after the other from this counter on.
  Bytes sealed(const std::uint8_t* counter, std::size_t from) const {
    std::uint8_t at[kMaxBlockBytes];
    copy_block(at, counter, block_);
    Bytes out(text_.size() - from);
    for (std::size_t done = 0; done < out.size(); done += block_) {
      const std::size_t n = std::min(block_, out.size() - done);
      ops_.ctr(keys_, at, text_.data() + from + done, out.data() + done, n);
      field().add(at, 1);
    }
    return out;
  }
  template <bool WholeBlocks = false>
  Text<WholeBlocks> text() {
    return {ops_, keys_, block_, &seen_};
  }
  // n bytes of text_ from `at` on are right.
  bool crypt(KeystreamCursor* cursor, std::size_t at, std::size_t n, int how) {
    auto any = text<>();
    auto whole = text<true>();
    Bytes out(n, 0xa5);
    const std::uint8_t* const in = text_.data() + at;
    const bool made = how == 0   ? cursor->crypt(any, out.data(), in, n)
                      : how == 1 ? cursor->crypt_on_device(any, out.data(), in, n)
                                 : cursor->crypt_on_device(whole, out.data(), in, n);
    EXPECT_TRUE(std::equal(out.begin(), out.end(), want_.begin() + static_cast<std::ptrdiff_t>(at)))
        << at << ", " << n << ", " << how;
    return made;
  }

  const CipherSpec& spec_ = cipher_spec(0);
  const CipherOps& ops_ = find_backend("scalar")->ops[spec_.index];
  const std::size_t block_ = spec_.block_bytes;
  std::uint8_t key_[kMaxKeyBytes];
  RoundKeys keys_;
  std::uint8_t counter_[kMaxBlockBytes];
  Bytes text_, want_, seen_;
  std::uint8_t memory_[KeystreamCursor::replaceable_bytes(kMaxBlockBytes)];
  KeystreamCursor cursor_{ops_, keys_, field(), memory_};
};

TEST_P(Cursor, AnyCutGivesTheSameBytes) {
  std::mt19937 random(1);
  for (unsigned round = 0; round < 60; ++round) {
    start(&cursor_);
    seen_.clear();
    for (std::size_t at = 0; at != text_.size();) {
      const std::size_t most = random() % 3 == 0 ? 900 : 40;
      const std::size_t n = std::min<std::size_t>(text_.size() - at, 1 + random() % most);
      ASSERT_TRUE(crypt(&cursor_, at, n, static_cast<int>(random() % 3)));
      at += n;
      ASSERT_EQ(cursor_.num(), at % block_);
      ASSERT_EQ(cursor_.blocks_used(), (at + block_ - 1) / block_);
    }
    EXPECT_EQ(seen_, text_);
  }
}

TEST_P(Cursor, TheFirstTextComesWithTheBlockBeforeIt) {
  for (const std::size_t n : {0u, 1u, 15u, 16u, 250u, 900u}) {
    start(&cursor_);
    seen_.clear();
    Bytes first(block_), out(n), zeros(block_, 0);
    auto text = this->text();
    cursor_.crypt_first(text, first.data(), out.data(), text_.data() + block_, n);
    for (std::size_t i = 0; i < block_; ++i) ASSERT_EQ(first[i] ^ text_[i], want_[i]);
    EXPECT_TRUE(
        std::equal(out.begin(), out.end(), want_.begin() + static_cast<std::ptrdiff_t>(block_)));
    EXPECT_TRUE(crypt(&cursor_, block_ + n, 100, 0));
  }
}

// Whichever call fails, zeros or the input stay, and the same text comes out afterwards.
TEST_P(Cursor, AFailureMovesNothing) {
  unsigned failures = 0;
  const auto check = [&](std::size_t before, std::size_t piece, std::size_t n, int nth,
                         bool in_place) {
    start(&cursor_);
    for (std::size_t at = 0; at < before; at += piece) {
      ASSERT_TRUE(crypt(&cursor_, at, std::min(before - at, piece), 0));
    }
    const auto from = text_.begin() + static_cast<std::ptrdiff_t>(before);
    Bytes out = in_place ? Bytes(from, from + static_cast<std::ptrdiff_t>(n)) : Bytes(n, 0xa5);
    const Bytes input(out);
    g_fail = nth;
    auto text = this->text();
    const bool made =
        cursor_.crypt(text, out.data(), in_place ? out.data() : text_.data() + before, n);
    g_fail = 0;
    if (made) return;
    ++failures;
    for (std::size_t i = 0; i < n; ++i) {
      ASSERT_TRUE(out[i] == input[i] || (!in_place && out[i] == 0)) << i;
    }
    ASSERT_EQ(cursor_.num(), before % block_);
    ASSERT_EQ(cursor_.blocks_used(), (before + block_ - 1) / block_);
    ASSERT_TRUE(crypt(&cursor_, before, n, 0)) << before << ", " << n << ", " << nth;
  };
  for (const std::size_t before : {0u, 1u, 16u, 37u, 300u}) {
    for (const std::size_t n : {1u, 16u, 255u, 256u, 257u, 2000u}) {
      for (int nth = 1; nth < 40; ++nth) {
        for (const bool in_place : {false, true}) {
          check(before, before, n, nth, in_place);
          check(before, 15, n, nth, in_place);  // keystream is made ahead
          if (HasFatalFailure()) return;
        }
      }
    }
  }
  EXPECT_GT(failures, 100u);
}

TEST_P(Cursor, ACopyGoesOnFromAnyByte) {
  for (std::size_t at = 1; at < 400; at += 7) {
    start(&cursor_);
    ASSERT_TRUE(crypt(&cursor_, 0, at, 0));
    ASSERT_TRUE(crypt(&cursor_, at, 3, 0));
    std::uint8_t memory[sizeof memory_];
    KeystreamCursor other(ops_, keys_, field(), memory);
    other.copy(cursor_);
    EXPECT_LT(other.ready(), block_) << "keystream that is made ahead is in two places";
    ASSERT_TRUE(crypt(&other, at + 3, 200, 0));
    ASSERT_TRUE(crypt(&cursor_, at + 3, 200, 0));
  }
}

// After the rest of the block in use the sequence goes on from the counter that was written, all of
// it or its end.
TEST_P(Cursor, AReplacedCounterHoldsFromTheNextBlockOn) {
  const Bytes written(block_, 9);
  for (const std::size_t bytes : {block_, block_ / 2}) {
    for (const int how : {0, 1, 2}) {
      for (const std::size_t at : {0u, 1u, 16u, 21u, 100u}) {
        for (const std::size_t n : {1u, 5u, 40u, 300u}) {
          start(&cursor_);
          for (std::size_t done = 0; done < at; done += 15) {  // keystream is made ahead
            ASSERT_TRUE(crypt(&cursor_, done, std::min<std::size_t>(at - done, 15), 0));
          }
          cursor_.replace_counter(written.data(), bytes);
          const std::size_t end = (at + block_ - 1) / block_ * block_;
          std::uint8_t counter[kMaxBlockBytes];
          copy_block(counter, counter_, block_);
          field().add(counter, end / block_);
          std::copy_n(written.data(), bytes, counter + block_ - bytes);
          Bytes want(want_.begin() + static_cast<std::ptrdiff_t>(at),
                     want_.begin() + static_cast<std::ptrdiff_t>(end));
          const Bytes rest = sealed(counter, end);
          want.insert(want.end(), rest.begin(), rest.end());
          want_.swap(want);
          const auto from = text_;
          text_.erase(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(at));
          EXPECT_TRUE(crypt(&cursor_, 0, n, how));
          EXPECT_TRUE(crypt(&cursor_, n, 50, 0));
          want_.swap(want);
          text_ = from;
        }
      }
    }
  }
}

// `num` goes to any byte of the block in use, or of the next one.
TEST_P(Cursor, TheNumberOfUsedBytesCanBeSet) {
  for (const std::size_t at : {0u, 5u, 16u, 40u}) {
    for (unsigned used = 1; used < block_; used += 3) {
      start(&cursor_);
      if (at != 0) {
        ASSERT_TRUE(crypt(&cursor_, 0, at, 0));
      }
      cursor_.set_num(used);
      ASSERT_TRUE(crypt(&cursor_, at / block_ * block_ + used, 100, 0));
    }
    start(&cursor_);
    if (at != 0) {
      ASSERT_TRUE(crypt(&cursor_, 0, at, 0));
    }
    cursor_.next_block();
    ASSERT_TRUE(crypt(&cursor_, (at + block_ - 1) / block_ * block_, 100, 0));
  }
}

INSTANTIATE_TEST_SUITE_P(Fields, Cursor, testing::Values(0u, 16u, 32u, 60u));

}  // namespace
}  // namespace gpuctr
