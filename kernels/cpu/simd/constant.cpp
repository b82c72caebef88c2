#include "kernels/cpu/simd/word.h"

namespace gpuctr::simd {
namespace {

constexpr ConstantWords count_up() {
  ConstantWords table{};
  for (std::uint32_t c = 0; c < ConstantWords::kCount; ++c) {
    for (unsigned i = 0; i < 4; ++i) {
      table.words[c][i] = c;
      table.halfwords[c][i] = c << 16 | c;
    }
  }
  return table;
}

}  // namespace

const ConstantWords kConstantWords = count_up();

}  // namespace gpuctr::simd
