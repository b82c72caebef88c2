#include "kernels/cpu/simd/word.h"

namespace gpuctr::simd {
namespace {

constexpr ConstantWords count_up() {
  ConstantWords table{};
  for (std::uint32_t c = 0; c < ConstantWords::kCount; ++c) {
    table.words[c] = c;
    table.halfwords[c] = c << 16 | c;
  }
  return table;
}

}  // namespace

const ConstantWords kConstantWords = count_up();

}  // namespace gpuctr::simd
