// Keystream that is ready: each byte is given out once, and then it is gone from memory.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <new>

#include "provider/mode/ready_keystream.h"

namespace gpuctr {
namespace {

constexpr std::uint8_t kMark = 0x5a;

// One in memory that outlives it.
class Ready : public testing::Test {
 protected:
  Ready() : ready_(new (memory_) ReadyKeystream) { fill(ready_, 100); }
  ~Ready() override {
    if (ready_ != nullptr) ready_->~ReadyKeystream();
  }
  static void fill(ReadyKeystream* ready, std::size_t n) {
    std::fill_n(ready->room(), n, kMark);
    ready->add(n);
  }
  std::ptrdiff_t marks() const { return std::count(memory_, memory_ + sizeof memory_, kMark); }

  alignas(ReadyKeystream) std::uint8_t memory_[sizeof(ReadyKeystream)] = {};
  ReadyKeystream* ready_;
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
  fill(ready_, 200);
  EXPECT_EQ(ready_->size(), 242u);
  EXPECT_EQ(marks(), 242);
}

TEST_F(Ready, NothingIsLeftAtTheEnd) {
  ready_->~ReadyKeystream();
  ready_ = nullptr;
  EXPECT_EQ(marks(), 0);
}

TEST_F(Ready, ACopyHasAsMuchAsItIsGiven) {
  ReadyKeystream other;
  other.copy(*ready_, 21);
  EXPECT_EQ(other.size(), 21u);
  const std::uint8_t zeros[21] = {};
  std::uint8_t out[21];
  other.use(out, zeros, sizeof out);
  EXPECT_EQ(std::count(out, out + sizeof out, kMark), 21);
  EXPECT_EQ(marks(), 100);
}

}  // namespace
}  // namespace gpuctr
