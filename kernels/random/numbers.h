// Random numbers of a distribution, made from random bytes. The same bytes give the same numbers on
// every CPU.
#ifndef GPUCTR_KERNELS_RANDOM_NUMBERS_H
#define GPUCTR_KERNELS_RANDOM_NUMBERS_H

#include <cstddef>
#include <cstdint>

namespace gpuctr {

enum class Output : unsigned char { kBytes, kUniform, kNormal, kIntegers, kBernoulli };
enum class NumberType : unsigned char {
  kFloat32,
  kFloat64,
  kFloat16,
  kBfloat16,
  kInt32,
  kInt64,
  kUint8
};

// Which numbers to make.
struct Distribution {
  Output output = Output::kBytes;
  NumberType type = NumberType::kFloat32;
  double mean = 0, stddev = 1;       // kNormal
  double low = 0, high = 1;          // kUniform: low <= x < high
  std::int64_t first = 0, last = 0;  // kIntegers: first <= x <= last
  double p = 0.5;                    // kBernoulli: the probability of 1

  bool is_float() const { return type <= NumberType::kBfloat16; }
  // Size of a number, bytes; 1 for kBytes.
  std::size_t number_bytes() const;
  // The random bytes that one number takes; 1 for kBytes. Normal numbers come in pairs.
  std::size_t word_bytes() const;
};

// For uniform numbers: the least and the greatest number of the type in [low, high).
struct Limits {
  double least = 0, greatest = 0;
};
Limits limits_of(const Distribution& what);

// For kBernoulli: a random word gives 1 if it is below `bound`, or `always`. `one`: the bits of 1.
struct Bernoulli {
  explicit Bernoulli(const Distribution& what);
  std::uint64_t one;
  std::uint64_t bound;
  bool always;
};

// nullptr, or what is wrong: the type does not fit the output, or a bound does not fit the type.
const char* fault_of(const Distribution& what);

// Makes `count` numbers at `out` (no alignment is needed) from random bytes: count * word_bytes(),
// and for kNormal one word more if `count` is odd. Leaves no number and no random byte on the
// stack. Not for kBytes. Any thread.
void make_numbers(const Distribution& what, const std::uint8_t* random, std::uint8_t* out,
                  std::size_t count);

namespace random {

// kUniform and kNormal, compiled for one instruction set (floats.h). make_numbers() takes the best
// that the CPU has: `cpu` of openssl.cnf has no part in it.
using MakeFloats = void (*)(const Distribution& what, const Limits& limits,
                            const std::uint8_t* random, std::uint8_t* out, std::size_t count);
struct FloatsForm {
  const char* name;
  bool (*available)();
  const MakeFloats* make;
};
struct FloatsFormList {
  const FloatsForm* first;
  std::size_t count;
};
FloatsFormList floats_forms();

}  // namespace random
}  // namespace gpuctr

#endif
