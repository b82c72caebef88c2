#include "kernels/gpu/cuda/ghash_powers.h"

#include <cstring>

#include "kernels/base/wipe.h"
#include "kernels/cpu/ghash.h"

namespace gpuctr::cuda {
namespace {

// The powers, followed by the elements that they are computed from: blocks with a single bit, the
// first and number 32, H, and intermediate products that the device does not use.
struct Elements {
  HashPowers powers;
  std::uint8_t one[16];
  std::uint8_t x32[16];
  std::uint8_t h[16];
  std::uint8_t others[64][16];
};
static_assert(sizeof(Elements) % 16 == 0, "a list of blocks");

// A list of products to compute. Elements are named by their place in Elements.
class Plan {
 public:
  using Place = std::uint16_t;

  explicit Plan(Elements* elements) : elements_(elements), next_(place(elements->others)) {}

  Place place(const void* element) const {
    const auto at = static_cast<const std::uint8_t*>(element) -
                    reinterpret_cast<const std::uint8_t*>(elements_);
    return static_cast<Place>(at / 16);
  }
  Place one() const { return place(elements_->one); }

  Place put(Place to, Place a, Place b) {
    products_[count_++] = {to, a, b};
    return to;
  }
  Place product(Place a, Place b) { return put(next_++, a, b); }
  // x^n for n a power of two.
  Place doubled(Place x, unsigned n) {
    for (; n != 1; n /= 2) x = product(x, x);
    return x;
  }
  Place power(Place x, unsigned exponent) {
    Place result = one();
    for (;; x = product(x, x)) {
      if (exponent % 2 != 0) result = product(result, x);
      if ((exponent /= 2) == 0) return result;
    }
  }
  // to[i] = first factor^i for i < count; returns first factor^count.
  Place put_powers(void* to, unsigned count, Place first, Place factor) {
    const Place at = place(to);
    put(at, first, one());
    for (unsigned i = 1; i < count; ++i) {
      put(static_cast<Place>(at + i), static_cast<Place>(at + i - 1), factor);
    }
    return product(static_cast<Place>(at + count - 1), factor);
  }

  void run() const {
    best_ghash(64).ops->multiply(reinterpret_cast<std::uint8_t(*)[16]>(elements_), products_,
                                 count_);
  }

 private:
  Elements* elements_;
  Place next_;
  GhashProduct products_[256];
  std::size_t count_ = 0;
};
using Place = Plan::Place;

// The units of a turn and the steps of a unit, last first. A unit or step has the power for its
// distance in blocks from the end, within the warp's own blocks.
void put_steps(Plan* plan, Place h, Place of_a_step, Place of_all_units, const HashOrder& order,
               HashPowers* p) {
  Place e = plan->one();
  for (unsigned u = order.units; u-- != 0;) {
    plan->put(plan->place(p->unit[u]), e, plan->one());
    e = plan->product(e, of_all_units);
  }
  plan->put(plan->place(p->turn), e, plan->one());
  Place behind = plan->one();
  for (unsigned s = order.steps_a_unit; s-- != 0; behind = plan->product(behind, of_a_step)) {
    // Lane 4 g + q is 3 - q blocks before lane 4 g + 3.
    e = behind;
    for (unsigned q = 4; q-- != 0; e = plan->place(p->step[4 * s + q])) {
      plan->put(plan->place(p->step[4 * s + q]), e, q == 3 ? plan->one() : h);
    }
  }
}

// Row 16 m + 8 i + g sums lanes 4 g to 4 g + 3 of tile m. For i = 0 it sums words 0 and 2 of their
// blocks. For i = 1 it sums words 1 and 3, which were multiplied by the matrices of words 0 and 2.
void put_rows(Plan* plan, Place of_four, Place x32, const HashOrder& order, HashPowers* p) {
  Place e = plan->one();
  for (unsigned m = order.tiles; m-- != 0;) {
    for (unsigned g = 8; g-- != 0; e = plan->product(e, of_four)) {
      plan->put(plan->place(p->row[16 * m + g]), e, plan->one());
      plan->put(plan->place(p->row[16 * m + 8 + g]), e, x32);
    }
  }
}

}  // namespace

void make_hash_powers(const std::uint8_t* h, const HashOrder& order, unsigned blocks,
                      HashPowers* powers) {
  Wiped<Elements> made;
  Elements& all = made.value;
  std::memset(&all, 0, sizeof all);
  all.one[0] = 0x80;
  all.x32[4] = 0x80;
  std::memcpy(all.h, h, sizeof all.h);
  Plan plan(&all);
  HashPowers* const p = &all.powers;
  const Place one_block = plan.place(all.h);
  const Place of_four = plan.doubled(one_block, 4);
  const Place of_a_step = plan.doubled(of_four, 8 * order.tiles);
  const Place of_a_unit = plan.doubled(of_a_step, order.steps_a_unit);
  const Place of_a_warp = plan.power(of_a_unit, blocks);
  const Place of_all_units = plan.put_powers(p->warp, order.warps, plan.one(), of_a_warp);
  const Place of_a_side = plan.put_powers(p->fine, kHashSide, plan.one(), of_a_unit);
  // The last block is also multiplied by H.
  plan.put_powers(p->coarse, (blocks + kHashSide - 1) / kHashSide, one_block, of_a_side);
  put_steps(&plan, one_block, of_a_step, of_all_units, order, p);
  put_rows(&plan, of_four, plan.place(all.x32), order, p);
  plan.run();
  *powers = all.powers;
}

}  // namespace gpuctr::cuda
