// Compares the look-up that reads all of PITABLE with the table, at compile time.
#ifndef GPUCTR_KERNELS_CIPHER_RC2_CHECKS_H
#define GPUCTR_KERNELS_CIPHER_RC2_CHECKS_H

#include "kernels/cipher/rc2/rc2.h"

namespace gpuctr {

constexpr bool rc2_looks_up() {
  for (unsigned i = 0; i < 256; ++i) {
    if (Rc2Rounds::WholeTable::at(i) != kRc2Pi[i]) return false;
  }
  return true;
}
static_assert(rc2_looks_up());

}  // namespace gpuctr

#endif
