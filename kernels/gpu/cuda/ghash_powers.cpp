#include "kernels/gpu/cuda/ghash_powers.h"

#include <cstring>

#include "kernels/base/wipe.h"
#include "kernels/cpu/ghash_element.h"

namespace gpuctr::cuda {
namespace {

// Blocks that are one bit: the first, and the one with number 32.
constexpr Element kOne = {0, std::uint64_t{1} << 63};
constexpr Element kX32 = {0, std::uint64_t{1} << 31};

Element product(Element a, Element b) { return multiply(a, times_x(b)); }

Element power(Element x, std::uint64_t exponent) {
  Element result = kOne;
  for (; exponent != 0; exponent >>= 1) {
    if ((exponent & 1) != 0) result = product(result, x);
    x = product(x, x);
  }
  return result;
}

void put(std::uint32_t* to, Element e) {
  std::uint8_t block[16];
  store_element(block, e);
  std::memcpy(to, block, sizeof block);
}

// Not inlined, so that its frame lies where wipe_stack's comes to lie after it.
__attribute__((noinline)) void make(const std::uint8_t* h, unsigned warps, HashPowers* p) {
  const Element one = load_element(h);
  // Lane 4 g + q of a step is 3 - q blocks before lane 4 g + 3, and a step is 32 blocks a tile.
  const Element of_a_step = power(one, 32 * kHashTiles);
  Element behind = kOne;
  for (unsigned s = kHashSteps; s-- != 0; behind = product(behind, of_a_step)) {
    Element e = behind;
    for (unsigned q = 4; q-- != 0; e = product(e, one)) put(p->step[4 * s + q], e);
  }
  const Element of_a_warp = behind;
  put(p->turn, power(of_a_warp, warps));
  // Row 16 m + 8 i + g sums up lanes 4 g to 4 g + 3 of tile m: with i = 0 words 0 and 2 of their
  // blocks, with i = 1 words 1 and 3, which have met the matrices of 0 and 2.
  const Element of_four = power(one, 4);
  Element e = kOne;
  for (unsigned m = kHashTiles; m-- != 0;) {
    for (unsigned g = 8; g-- != 0; e = product(e, of_four)) {
      put(p->row[16 * m + g], e);
      put(p->row[16 * m + 8 + g], product(e, kX32));
    }
  }
  e = kOne;
  for (unsigned i = 0; i < 32; ++i, e = product(e, of_a_warp)) put(p->fine[i], e);
  const Element of_32_warps = e;
  e = one;  // the last block meets H
  for (unsigned i = 0; 32 * i < warps; ++i, e = product(e, of_32_warps)) put(p->coarse[i], e);
}

}  // namespace

void make_hash_powers(const std::uint8_t* h, unsigned warps, HashPowers* powers) {
  make(h, warps, powers);
  wipe_stack<1024>();
}

}  // namespace gpuctr::cuda
