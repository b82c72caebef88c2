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

// to[i] = first factor^i for i < count; returns what comes next.
Element put_powers(std::uint32_t (*to)[4], unsigned count, Element first, Element factor) {
  for (unsigned i = 0; i < count; ++i, first = product(first, factor)) put(to[i], first);
  return first;
}

// x^n for n a power of two.
Element doubled(Element x, unsigned n) {
  for (; n != 1; n /= 2) x = product(x, x);
  return x;
}

// The units of a turn and the steps of a unit, last first: by how many blocks each is behind the
// end, counted along the warp's own place.
void put_steps(Element one, Element of_a_step, Element of_all_units, const HashOrder& order,
               HashPowers* p) {
  Element e = kOne;
  for (unsigned u = order.units; u-- != 0; e = product(e, of_all_units)) put(p->unit[u], e);
  put(p->turn, e);
  Element behind = kOne;
  for (unsigned s = order.steps_a_unit; s-- != 0; behind = product(behind, of_a_step)) {
    // Lane 4 g + q is 3 - q blocks before lane 4 g + 3.
    e = behind;
    for (unsigned q = 4; q-- != 0; e = product(e, one)) put(p->step[4 * s + q], e);
  }
}

// Row 16 m + 8 i + g sums up lanes 4 g to 4 g + 3 of tile m: with i = 0 words 0 and 2 of their
// blocks, with i = 1 words 1 and 3, which have met the matrices of 0 and 2.
void put_rows(Element of_four, const HashOrder& order, HashPowers* p) {
  Element e = kOne;
  for (unsigned m = order.tiles; m-- != 0;) {
    for (unsigned g = 8; g-- != 0; e = product(e, of_four)) {
      put(p->row[16 * m + g], e);
      put(p->row[16 * m + 8 + g], product(e, kX32));
    }
  }
}

// Not inlined, so that its frame lies where wipe_stack's comes to lie after it.
__attribute__((noinline)) void make(const std::uint8_t* h, const HashOrder& order, unsigned blocks,
                                    HashPowers* p) {
  const Element one = load_element(h);
  const Element of_four = doubled(one, 4);
  const Element of_a_step = doubled(of_four, 8 * order.tiles);
  const Element of_a_unit = doubled(of_a_step, order.steps_a_unit);
  const Element of_a_block = put_powers(p->warp, order.warps, kOne, of_a_unit);
  const Element of_a_side = put_powers(p->fine, kHashSide, kOne, of_a_block);
  // The last block of all meets H.
  static_cast<void>(put_powers(p->coarse, (blocks + kHashSide - 1) / kHashSide, one, of_a_side));
  put_steps(one, of_a_step, power(of_a_block, blocks), order, p);
  put_rows(of_four, order, p);
}

}  // namespace

void make_hash_powers(const std::uint8_t* h, const HashOrder& order, unsigned blocks,
                      HashPowers* powers) {
  make(h, order, blocks, powers);
  wipe_stack<2048>();
}

}  // namespace gpuctr::cuda
