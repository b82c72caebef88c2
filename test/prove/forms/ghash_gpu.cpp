// What the CUDA forms of GHASH take from the host, for every H:
//   the rows and columns of a matrix of bits: ghash.py shows that they are sums of single bits of
//   the element, so their values at single bits determine them the powers of H: products of
//   products, which are counted here in place of being made; so each power is the one that SP
//   800-38D needs, for every number of thread blocks
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

#include "kernels/cpu/ghash.h"
#include "kernels/gpu/cuda/ghash_columns.h"
#include "kernels/gpu/cuda/ghash_powers.h"

// The 128 columns of the rows p, p x, ..., p x^31.
extern "C" void hash_columns(const std::uint32_t (*p)[4], std::uint32_t* columns) {
  gpuctr::cuda::HashRows rows;
  rows.make(*p);
  for (unsigned n = 0; n < 128; ++n) {
    const auto& pair = rows.pair[gpuctr::cuda::HashRows::pair_of(n / 32, n % 32)];
    columns[n] = gpuctr::cuda::hash_column(pair[0], pair[1], n % 32);
  }
}

namespace gpuctr {
namespace {

// x^(32 a) H^h.
struct Power {
  std::uint64_t a, h;
};
constexpr std::uint8_t kH[16] = {1, 2, 3};
constexpr std::uint64_t kMade = 0x5a5a5a5a00000000;
bool g_unknown = false;

Power read(const void* element) {
  std::uint64_t words[2];
  std::memcpy(words, element, sizeof words);
  std::uint8_t one[16] = {0x80}, x32[16] = {0, 0, 0, 0, 0x80};
  if (std::memcmp(element, one, 16) == 0) return {0, 0};
  if (std::memcmp(element, x32, 16) == 0) return {1, 0};
  if (std::memcmp(element, kH, 16) == 0) return {0, 1};
  if (words[0] >> 32 != kMade >> 32) g_unknown = true;
  return {words[0] & 0xffffffff, words[1]};
}

void multiply(std::uint8_t (*elements)[16], const GhashProduct* products, std::size_t count) {
  for (; count != 0; --count, ++products) {
    const Power x = read(elements[products->a]), y = read(elements[products->b]);
    const std::uint64_t words[2] = {kMade | (x.a + y.a), x.h + y.h};
    std::memcpy(elements[products->to], words, sizeof words);
  }
}

constexpr GhashOps kOps = {0,       nullptr,  nullptr, nullptr, nullptr,
                           nullptr, multiply, nullptr, nullptr};
constexpr GhashImplementation kCounts = {"counts", [] { return true; }, 0, &kOps};

}  // namespace

const GhashImplementation& best_ghash(std::size_t) { return kCounts; }

namespace cuda {
namespace {

bool wrong(const char* what, unsigned long long at, unsigned long long got,
           unsigned long long want) {
  std::printf("%s, %llx: it makes %llx, and it should be %llx\n", what, at, got, want);
  return false;
}

bool check_columns() {
  static bool power[160][128];  // of x: coefficients of x^n
  for (unsigned i = 0; i < 160; ++i) {
    if (i < 128) {
      power[i][i] = true;
      continue;
    }
    for (unsigned n = 1; n < 128; ++n) power[i][n] = power[i - 1][n - 1];
    if (power[i - 1][127]) {
      for (const unsigned n : {0u, 1u, 2u, 7u}) power[i][n] = !power[i][n];
    }
  }
  for (unsigned of = 0; of <= 128; ++of) {
    std::uint32_t p[4] = {}, columns[128];
    if (of != 128) p[of / 32] = std::uint32_t{1} << of % 32;
    hash_columns(&p, columns);
    for (unsigned n = 0; n < 128; ++n) {
      std::uint32_t want = 0;
      for (unsigned bit = 0; of != 128 && bit < 32; ++bit) {
        want |= std::uint32_t{power[of + 8 * (bit / 8) + 7 - bit % 8][n]} << bit;
      }
      if (columns[n] != want) return wrong("column of x", of * 256 + n, columns[n], want);
    }
  }
  return true;
}

// Each block of a turn is multiplied by H to the number of blocks from it to the end of the turn.
bool check_powers(const HashOrder& order, unsigned grid) {
  HashPowers p = {};
  make_hash_powers(kH, order, grid, &p);
  const std::uint64_t at_once = order.blocks_at_once(grid), in_turn = at_once * order.units;
  if (read(p.turn).h != in_turn || read(p.turn).a != 0) {
    return wrong("power of a turn", grid, read(p.turn).h, in_turn);
  }
  for (unsigned m = 0; m < order.tiles; ++m) {
    for (unsigned g = 0; g < 8; ++g) {
      const Power x = read(p.row[16 * m + g]), y = read(p.row[16 * m + 8 + g]);
      if (x.a != 0 || y.a != 1 || x.h != y.h) return wrong("row", 16 * m + g, y.h, x.h);
    }
  }
  for (std::uint64_t block = 0; block < in_turn; ++block) {
    const std::uint64_t unit = block / at_once, within = block % at_once;
    const auto warp = static_cast<unsigned>(within / order.unit_blocks());
    const auto step = static_cast<unsigned>(within % order.unit_blocks() / (32 * order.tiles));
    const auto tile = static_cast<unsigned>(within % (32 * order.tiles) / 32);
    const auto lane = static_cast<unsigned>(within % 32);
    const unsigned behind = grid - 1 - warp % grid;
    Power sum = {0, 0};
    for (const auto* factor : {p.unit[unit], p.step[4 * step + lane % 4],
                               p.row[16 * tile + lane / 4], p.warp[order.warps - 1 - warp / grid],
                               p.fine[behind % kHashSide], p.coarse[behind / kHashSide]}) {
      const Power one = read(factor);
      sum = {sum.a + one.a, sum.h + one.h};
    }
    if (sum.a != 0 || sum.h != in_turn - block) {
      return wrong("power of a block", block, sum.h, in_turn - block);
    }
  }
  return !g_unknown || wrong("powers", grid, 0, 1);
}

}  // namespace
}  // namespace cuda
}  // namespace gpuctr

// usage: ghash_gpu [STEP]: only every STEP-th number of thread blocks.
int main(int argc, char** argv) {
  using namespace gpuctr::cuda;  // NOLINT
  const unsigned step = argc > 1 ? static_cast<unsigned>(std::strtoul(argv[1], nullptr, 10)) : 1;
  if (step == 0 || !check_columns()) return 1;
  for (unsigned grid = 1; grid <= kMostHashBlocks; grid += step) {
    if (!check_powers(kMmaOrder, grid) || !check_powers(kWgmmaOrder, grid)) return 1;
  }
  return 0;
}
