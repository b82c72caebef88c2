// Keystream that is ready: each byte is given out once, and then it is gone from memory.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "provider/mode/keystream/ready_keystream.h"

namespace gpuctr {
namespace {

constexpr std::uint8_t kMark = 0x5a;

// One whose memory outlives it.
class Ready : public testing::Test {
 protected:
  Ready() : ready_(new ReadyKeystream(own_, sizeof own_)) { fill(ready_.get(), 100); }
  static void fill(ReadyKeystream* ready, std::size_t n) {
    std::fill_n(ready->room(n), n, kMark);
    ready->add(n);
  }
  std::ptrdiff_t marks() const { return std::count(own_, own_ + sizeof own_, kMark); }

  std::uint8_t own_[128] = {};
  std::unique_ptr<ReadyKeystream> ready_;
};

TEST_F(Ready, WhatIsUsedIsGone) {
  const std::uint8_t zeros[64] = {};
  std::uint8_t out[64];
  std::size_t left = 100;
  for (const std::size_t n : {1u, 7u, 8u, 15u, 16u, 33u}) {
    std::fill_n(out, sizeof out, std::uint8_t{0});
    ready_->use(out, zeros, n);
    EXPECT_EQ(std::count(out, out + sizeof out, kMark), static_cast<std::ptrdiff_t>(n));
    left -= n;
    EXPECT_EQ(ready_->size(), left);
    EXPECT_EQ(marks(), static_cast<std::ptrdiff_t>(left)) << n;
  }
}

TEST_F(Ready, WhatIsUsedByteByByteIsGone) {
  const std::uint8_t in[15] = {1, 2, 3, 5, 8, 13, 21, 34};
  std::uint8_t out[15];
  std::size_t seen = 0;
  ready_->use_each(out, in, sizeof in, [&](std::size_t i, std::uint8_t given, std::uint8_t made) {
    EXPECT_EQ(i, seen++);
    EXPECT_EQ(given, in[i]);
    EXPECT_EQ(made, in[i] ^ kMark);
    EXPECT_EQ(out[i], made);
  });
  EXPECT_EQ(seen, sizeof in);
  EXPECT_EQ(ready_->size(), 85u);
  EXPECT_EQ(marks(), 85);
}

TEST_F(Ready, WhatIsSkippedIsGone) {
  ready_->skip(37);
  EXPECT_EQ(ready_->size(), 63u);
  EXPECT_EQ(marks(), 63);
}

TEST_F(Ready, WhatIsNotKeptIsGone) {
  ready_->skip(10);
  ready_->keep(5);
  EXPECT_EQ(ready_->size(), 5u);
  EXPECT_EQ(marks(), 5);
  ready_->clear();
  EXPECT_EQ(ready_->size(), 0u);
  EXPECT_EQ(marks(), 0);
}

TEST_F(Ready, MoreLeavesNoSecondCopy) {
  ready_->skip(58);
  fill(ready_.get(), 80);
  EXPECT_EQ(ready_->size(), 122u);
  EXPECT_EQ(marks(), 122);
}

TEST_F(Ready, MoreThanItsOwnMemoryLeavesNothingThere) {
  ready_->skip(58);
  std::size_t size = 42;
  for (const std::size_t more : {200u, 1000u}) {  // in two allocations
    fill(ready_.get(), more);
    size += more;
    ASSERT_EQ(ready_->size(), size);
    EXPECT_EQ(marks(), 0);
    const std::uint8_t* const end = ready_->room(0);
    EXPECT_EQ(std::count(end - size, end, kMark), static_cast<std::ptrdiff_t>(size));
  }
}

TEST_F(Ready, NothingIsLeftAtTheEnd) {
  ready_.reset();
  EXPECT_EQ(marks(), 0);
}

TEST_F(Ready, ACopyHasAsMuchAsItIsGiven) {
  std::uint8_t own[21] = {};
  ReadyKeystream other(own, sizeof own);
  other.copy(*ready_, sizeof own);
  EXPECT_EQ(other.size(), sizeof own);
  const std::uint8_t zeros[sizeof own] = {};
  std::uint8_t out[sizeof own];
  other.use(out, zeros, sizeof out);
  EXPECT_EQ(std::count(out, out + sizeof out, kMark), 21);
  EXPECT_EQ(std::count(own, own + sizeof own, kMark), 0);
  EXPECT_EQ(marks(), 100);
}

}  // namespace
}  // namespace gpuctr
