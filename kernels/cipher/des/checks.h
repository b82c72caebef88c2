// Compares the circuits of DES's S-boxes with the standard's tables, at compile time.
#ifndef GPUCTR_KERNELS_CIPHER_DES_CHECKS_H
#define GPUCTR_KERNELS_CIPHER_DES_CHECKS_H

#include <iterator>

#include "kernels/cipher/des/boxes.h"

namespace gpuctr {

// FIPS 46-3, appendix 1: four rows for each box, one hexadecimal digit for each entry.
struct DesTable {
  const char* rows;
  constexpr unsigned at(unsigned six) const {
    const char digit = rows[16 * (six >> 4 & 2) + 16 * (six & 1) + (six >> 1 & 15)];
    return static_cast<unsigned>(digit <= '9' ? digit - '0' : digit - 'a' + 10);
  }
};
constexpr DesTable kDesTables[8] = {{"e4d12fb83a6c5907"
                                     "0f74e2d1a6cb9538"
                                     "41e8d62bfc973a50"
                                     "fc8249175b3ea06d"},
                                    {"f18e6b34972dc05a"
                                     "3d47f28ec01a69b5"
                                     "0e7ba4d158c6932f"
                                     "d8a13f42b67c05e9"},
                                    {"a09e63f51dc7b428"
                                     "d709346a285ecbf1"
                                     "d6498f30b12c5ae7"
                                     "1ad069874fe3b52c"},
                                    {"7de3069a1285bc4f"
                                     "d8b56f03472c1ae9"
                                     "a690cb7df13e5284"
                                     "3f06a1d8945bc72e"},
                                    {"2c417ab6853fd0e9"
                                     "eb2c47d150fa3986"
                                     "421bad78f9c5630e"
                                     "b8c71e2d6f09a453"},
                                    {"c1af92680d34e75b"
                                     "af427c9561de0b38"
                                     "9ef528c3704a1db6"
                                     "432c95fabe17608d"},
                                    {"4b2ef08d3c975a61"
                                     "d0b7491ae35c2f86"
                                     "14bdc37eaf680592"
                                     "6bd814a7950fe23c"},
                                    {"d2846fb1a93e50c7"
                                     "1fd8a374c56b0e92"
                                     "7b419ce206adf358"
                                     "21e74a8dfc90356b"}};

template <class Box>
constexpr bool des_box_is(const DesTable& table) {
  for (unsigned six = 0; six < 64; ++six) {
    unsigned wires[6 + std::size(Box::kGates)] = {};
    for (unsigned i = 0; i < 6; ++i) wires[i] = six >> (5 - i) & 1;
    unsigned at = 6;
    for (const DesGate& gate : Box::kGates) {
      wires[at++] = gate.map >> (4 * wires[gate.a] + 2 * wires[gate.b] + wires[gate.c]) & 1;
    }
    unsigned four = 0;
    for (const std::uint8_t out : Box::kOut) four = 2 * four + wires[out];
    if (four != table.at(six)) return false;
  }
  return true;
}
static_assert(des_box_is<DesBox1>(kDesTables[0]));
static_assert(des_box_is<DesBox2>(kDesTables[1]));
static_assert(des_box_is<DesBox3>(kDesTables[2]));
static_assert(des_box_is<DesBox4>(kDesTables[3]));
static_assert(des_box_is<DesBox5>(kDesTables[4]));
static_assert(des_box_is<DesBox6>(kDesTables[5]));
static_assert(des_box_is<DesBox7>(kDesTables[6]));
static_assert(des_box_is<DesBox8>(kDesTables[7]));

}  // namespace gpuctr

#endif
