// The powers of H that the hash's kernels get: a model that takes blocks in the kernels' order and
// multiplies each by its powers makes GHASH. Needs no device.
#include "kernels/gpu/cuda/ghash_powers.h"

#include "kernels/cpu/ghash.h"
#include "kernels/cpu/scalar/ghash_element.h"
#include "kernels/gpu/cuda/ghash_columns.h"
#include "test/gpu/support.h"

namespace gpuctr::cuda {
namespace {

using test::Bytes;
using test::random_below;
using test::random_bytes;

constexpr std::size_t kBlock = 16;
constexpr Element kOne = {0, std::uint64_t{1} << 63};
constexpr Element kX32 = {0, std::uint64_t{1} << 31};

Element product(Element a, Element b) { return multiply(a, times_x(b)); }
Element sum(Element a, Element b) { return {a.low ^ b.low, a.high ^ b.high}; }
bool operator==(Element a, Element b) { return a.low == b.low && a.high == b.high; }

Element power_at(const std::uint32_t (&words)[4]) {
  std::uint8_t block[kBlock];
  std::memcpy(block, words, kBlock);
  return load_element(block);
}

Bytes by_cpu(const Bytes& h, const Bytes& data) {
  const GhashOps& ops = *best_ghash(64).ops;
  GhashKey key;
  ops.expand(h.data(), &key);
  Bytes y(kBlock);
  ops.update(key, y.data(), data.data(), data.size() / kBlock);
  return y;
}

class Powers : public testing::TestWithParam<HashOrder> {
 protected:
  void make(unsigned grid) {
    grid_ = grid;
    make_hash_powers(h.data(), order, grid, &p);
  }

  // What the block with this number, of a lane, a step and a warp, is multiplied by before the
  // turns behind it.
  Element factor(std::uint64_t number) const {
    const std::uint64_t unit = number / order.blocks_at_once(grid_);
    number %= order.blocks_at_once(grid_);
    const auto warp = static_cast<unsigned>(number / order.unit_blocks());
    number %= order.unit_blocks();
    const auto step = static_cast<unsigned>(number / (32 * order.tiles));
    number %= 32 * order.tiles;
    const auto tile = static_cast<unsigned>(number / 32);
    const auto lane = static_cast<unsigned>(number % 32);
    const unsigned behind = grid_ - 1 - warp % grid_;
    Element e =
        product(power_at(p.unit[unit % order.units]), power_at(p.step[4 * step + lane % 4]));
    e = product(e, power_at(p.row[16 * tile + lane / 4]));
    e = product(e, power_at(p.warp[order.warps - 1 - warp / grid_]));
    e = product(e, power_at(p.fine[behind % kHashSide]));
    return product(e, power_at(p.coarse[behind / kHashSide]));
  }

  const HashOrder order = GetParam();
  const Bytes h = random_bytes(kBlock);
  HashPowers p = {};
  unsigned grid_ = 0;
};

TEST_P(Powers, MakeGhash) {
  make(2);
  // Two turns and a part of one, which comes first.
  const std::uint64_t units = 2 * order.units + order.units / 2;
  const std::uint64_t blocks = units * order.blocks_at_once(2);
  const Bytes data = random_bytes(blocks * kBlock);
  const std::uint64_t first = (order.units - units % order.units) % order.units;
  Element all = {0, 0};
  Element turn = {0, 0};
  for (std::uint64_t u = 0; u < units; ++u) {
    for (std::uint64_t i = 0; i < order.blocks_at_once(2); ++i) {
      const std::uint64_t at = u * order.blocks_at_once(2) + i;
      const Element f = factor((first + u) * order.blocks_at_once(2) + i);
      turn = sum(turn, product(load_element(data.data() + at * kBlock), f));
    }
    if ((first + u + 1) % order.units != 0) continue;
    all = sum(product(all, power_at(p.turn)), turn);
    turn = {0, 0};
  }
  Bytes y(kBlock);
  store_element(y.data(), all);
  EXPECT_EQ(y, by_cpu(h, data));
}

// As many thread blocks as there may be: neighbours differ by H to the blocks of a unit.
TEST_P(Powers, OfEveryThreadBlock) {
  make(kMostHashBlocks);
  Element of_a_unit = kOne;
  const Element one = load_element(h.data());
  for (unsigned i = 0; i < order.unit_blocks(); ++i) of_a_unit = product(of_a_unit, one);
  for (unsigned b = 0; b + 1 < kMostHashBlocks; ++b) {
    const auto of = [&](unsigned n) {
      return product(power_at(p.fine[n % kHashSide]), power_at(p.coarse[n / kHashSide]));
    };
    EXPECT_TRUE(of(b + 1) == product(of(b), of_a_unit)) << b;
  }
}

// Rows 8 to 15 of each 16 are for words 1 and 3 of a block. These words use the matrices of words 0
// and 2, so their powers have a factor of x^32 more.
TEST_P(Powers, OfTheOtherRows) {
  make(3);
  for (unsigned row = 0; row < order.rows(); ++row) {
    if (row % 16 >= 8) continue;
    EXPECT_TRUE(power_at(p.row[row + 8]) == product(power_at(p.row[row]), kX32)) << row;
  }
}

// Of the rows of an element, every bit of every column.
TEST(HashRows, AreProductsByPowersOfX) {
  constexpr Element kX = {0, std::uint64_t{1} << 62};
  const auto coefficient = [](Element e, unsigned of) {
    std::uint8_t block[kBlock];
    store_element(block, e);
    return block[of / 8] >> (7 - of % 8) & 1u;
  };
  for (unsigned i = 0; i < 20; ++i) {
    const Bytes bytes = random_bytes(kBlock);
    Element row[32] = {load_element(bytes.data())};
    for (unsigned k = 1; k < 32; ++k) row[k] = product(row[k - 1], kX);
    std::uint32_t p[4] = {};
    for (unsigned n = 0; n < 128; ++n) p[n / 32] |= coefficient(row[0], n) << n % 32;
    HashRows rows;
    rows.make(p);
    for (unsigned n = 0; n < 128; ++n) {
      const auto& pair = rows.pair[HashRows::pair_of(n / 32, n % 32)];
      const std::uint32_t column = hash_column(pair[0], pair[1], n % 32);
      for (unsigned bit = 0; bit < 32; ++bit) {
        ASSERT_EQ(column >> bit & 1, coefficient(row[8 * (bit / 8) + 7 - bit % 8], n))
            << "column " << n << ", bit " << bit;
      }
    }
  }
}

std::string order_name(const testing::TestParamInfo<HashOrder>& info) {
  return info.param.tiles == kMmaOrder.tiles ? "mma" : "wgmma";
}
INSTANTIATE_TEST_SUITE_P(Orders, Powers, testing::Values(kMmaOrder, kWgmmaOrder), order_name);

}  // namespace
}  // namespace gpuctr::cuda
