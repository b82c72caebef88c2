// Floating-point numbers from random words, in loops that the compiler makes SIMD code of. Each
// file that includes this is compiled for one instruction set (kernels/cmake/Numbers.cmake).
#ifndef GPUCTR_KERNELS_RANDOM_FLOATS_H
#define GPUCTR_KERNELS_RANDOM_FLOATS_H

#include "kernels/base/wipe.h"
#include "kernels/random/numbers.h"
#include "kernels/random/real.h"

namespace gpuctr::random {

namespace {

constexpr std::size_t kBlock = 256;  // numbers that are made at once

template <class F>
struct Block {
  typename Real<F>::Bits words[kBlock];
  F numbers[kBlock];
  std::uint16_t halves[kBlock];
};

template <class F>
GPUCTR_INLINE void make_normal(const FloatParameters<F>& p, Block<F>* block) {
  for (std::size_t i = 0; i < kBlock; i += 2) {
    normal_pair<F>(block->words[i], block->words[i + 1], p.mean, p.stddev, &block->numbers[i],
                   &block->numbers[i + 1]);
  }
}

template <class F>
GPUCTR_INLINE void make_uniform(const FloatParameters<F>& p, Block<F>* block) {
  for (std::size_t i = 0; i < kBlock; ++i) block->numbers[i] = p.uniform(block->words[i]);
}

template <class F>
GPUCTR_INLINE void store_numbers(NumberType type, std::uint8_t* out, std::size_t n,
                                 Block<F>* block) {
  if (type == NumberType::kFloat16) {
    for (std::size_t i = 0; i < kBlock; ++i) {
      block->halves[i] = float16_of(static_cast<float>(block->numbers[i]));
    }
  } else if (type == NumberType::kBfloat16) {
    for (std::size_t i = 0; i < kBlock; ++i) {
      block->halves[i] = bfloat16_of(static_cast<float>(block->numbers[i]));
    }
  } else {
    std::memcpy(out, block->numbers, n * sizeof(F));
    return;
  }
  std::memcpy(out, block->halves, n * sizeof block->halves[0]);
}

template <class F>
GPUCTR_INLINE void make_floats_of(const Distribution& what, const Limits& limits,
                                  const std::uint8_t* random, std::uint8_t* out,
                                  std::size_t count) {
  Wiped<Block<F>> block;
  std::memset(block.value.words, 0, sizeof block.value.words);
  const FloatParameters<F> p(what, limits);
  const std::size_t size = what.type <= NumberType::kFloat64 ? sizeof(F) : 2;
  while (count != 0) {
    const std::size_t n = count < kBlock ? count : kBlock;
    std::memcpy(block.value.words, random,
                (p.normal ? n + n % 2 : n) * sizeof block.value.words[0]);
    if (p.normal) {
      make_normal(p, &block.value);
    } else {
      make_uniform(p, &block.value);
    }
    store_numbers(what.type, out, n, &block.value);
    random += n * sizeof block.value.words[0];
    out += n * size;
    count -= n;
  }
}

void make_floats(const Distribution& what, const Limits& limits, const std::uint8_t* random,
                 std::uint8_t* out, std::size_t count) {
  if (what.type == NumberType::kFloat64) {
    make_floats_of<double>(what, limits, random, out, count);
  } else {
    make_floats_of<float>(what, limits, random, out, count);
  }
}

}  // namespace
}  // namespace gpuctr::random

#endif
