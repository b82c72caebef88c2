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

// nullptr, or what is wrong: the type does not fit the output, or a bound does not fit the type.
const char* fault_of(const Distribution& what);

// More random words, for integers that are drawn again.
class MoreWords {
 public:
  // Word `attempt` (0, 1, ...) of the number `index` of the stream.
  virtual std::uint64_t word(std::uint64_t index, std::uint32_t attempt) const = 0;

 protected:
  ~MoreWords() = default;
};

// Makes `count` numbers at `out` (no alignment is needed) from random bytes: count * word_bytes(),
// and for kNormal one word more if `count` is odd. `index`, an even number, is the number of the
// first in its stream. The backend is one that this CPU has (Backend::name); it decides only the
// speed. Leaves no number and no random byte on the stack. Not for kBytes.
void make_numbers(const char* backend, const Distribution& what, const std::uint8_t* random,
                  const MoreWords& more, std::uint64_t index, std::uint8_t* out, std::size_t count);

}  // namespace gpuctr

#endif
