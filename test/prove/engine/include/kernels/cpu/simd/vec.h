// Takes the place of kernels/cpu/simd/vec.h in the proof of the SIMD engine: vectors of tokens
// (test/prove/engine/tokens.h). Data may be moved and XORed; everything else is refused. Counters
// are numbers, which may be added and compared.
#ifndef GPUCTR_KERNELS_CPU_SIMD_VEC_H
#define GPUCTR_KERNELS_CPU_SIMD_VEC_H

#include <cstring>
#include <utility>

#include "kernels/base/frames.h"
#include "kernels/base/inline.h"
#include "test/prove/engine/tokens.h"

#define GPUCTR_NOINLINE __attribute__((noinline))
#define __builtin_shufflevector(a, b, ...) ::gpuctr::simd::chosen<__VA_ARGS__>(a, b)

namespace gpuctr::simd {

using traced::Token;

template <class T, unsigned N>
class Traced {
 public:
  static constexpr unsigned kCount = N / sizeof(T);

  Traced() : list_(traced::list_of(std::vector<Token>(N, 0))) {}
  explicit Traced(std::vector<Token> tokens) : list_(traced::list_of(std::move(tokens))) {}
  template <class... Words, class = std::enable_if_t<sizeof...(Words) == kCount &&
                                                     (std::is_arithmetic_v<Words> && ...)>>
  Traced(Words... words) {
    std::vector<Token> tokens;
    for (const T word : {static_cast<T>(words)...}) append(&tokens, word);
    list_ = traced::list_of(tokens);
  }

  const std::vector<Token>& tokens() const { return traced::tokens_of(list_); }
  T operator[](unsigned i) const {
    const auto first = tokens().begin() + i * sizeof(T);
    if constexpr (sizeof(T) == 8) return traced::word_of({first, first + 8});
    return number(i);
  }
  // Element i, which is no data.
  T number(unsigned i) const {
    std::uint64_t word = 0;
    for (unsigned b = 0; b < sizeof(T); ++b) {
      const Token token = tokens()[i * sizeof(T) + b];
      if (token > 255) traced::refuse("arithmetic on data");
      word |= std::uint64_t{token} << (8 * b);
    }
    return static_cast<T>(word);
  }

  // Element i is the number f(i).
  template <class F>
  static Traced made(F f) {
    std::vector<Token> tokens;
    for (unsigned i = 0; i < kCount; ++i) append(&tokens, f(i));
    return Traced(tokens);
  }

  friend Traced operator+(Traced a, Traced b) {
    return each(a, b, [](T x, T y) { return x + y; });
  }
  friend Traced operator<(Traced a, Traced b) {
    return each(a, b, [](T x, T y) { return x < y ? ~T{0} : T{0}; });
  }
  friend Traced operator^(Traced a, Traced b) {
    std::vector<Token> made(N);
    const auto &x = a.tokens(), &y = b.tokens();
    for (unsigned i = 0; i < N; ++i) made[i] = traced::sum(x[i], y[i]);
    return Traced(made);
  }
  friend Traced operator&(Traced a, Traced b) {
    return each(a, b, [](T x, T y) { return x & y; });
  }
  Traced& operator^=(Traced other) { return *this = *this ^ other; }

 private:
  template <class F>
  static Traced each(Traced a, Traced b, F f) {
    return made([&](unsigned i) { return static_cast<T>(f(a.number(i), b.number(i))); });
  }
  static void append(std::vector<Token>* tokens, T word) {
    if constexpr (sizeof(T) == 8) {
      const std::vector<Token> more = traced::tokens_of_word(word);
      tokens->insert(tokens->end(), more.begin(), more.end());
    } else {
      for (unsigned b = 0; b < sizeof(T); ++b) tokens->push_back(word >> (8 * b) & 255);
    }
  }

  std::uint64_t list_;
  char rest_[N > 8 ? N - 8 : 1];  // the engine asks for the size
};

template <class T, unsigned N>
using Vec = Traced<T, N>;

template <unsigned... I, class T, unsigned N>
Traced<T, sizeof...(I) * sizeof(T)> chosen(Traced<T, N> a, Traced<T, N> b) {
  std::vector<Token> made;
  for (const unsigned i : {static_cast<unsigned>(I)...}) {
    const bool second = i >= a.kCount;
    const auto from = (second ? b : a).tokens().begin() + (second ? i - a.kCount : i) * sizeof(T);
    made.insert(made.end(), from, from + sizeof(T));
  }
  return Traced<T, sizeof...(I) * sizeof(T)>(made);
}

template <class To, class T, unsigned N>
To as(Traced<T, N> x) {
  return To(x.tokens());
}
template <class T, unsigned N>
Vec<T, N> splat(T x) {
  return Vec<T, N>::made([x](unsigned) { return x; });
}
template <class T, unsigned N, class Map>
Vec<T, N> table() {
  return Vec<T, N>::made([](unsigned i) { return static_cast<T>(Map::at(i)); });
}
template <class Map, class T, unsigned N>
Traced<T, N> shuffle_lanes(Traced<T, N> v) {
  std::vector<Token> made;
  for (unsigned i = 0; i < N; ++i) made.push_back(v.tokens()[(i & ~15u) + Map::at(i & 15)]);
  return Traced<T, N>(made);
}

template <class V>
V load(const std::uint8_t* p) {
  std::vector<Token> tokens;
  for (unsigned i = 0; i < sizeof(V); ++i) tokens.push_back(traced::read(p + i));
  if constexpr (std::is_arithmetic_v<V>) {
    static_assert(sizeof(V) == 8);
    return traced::word_of(tokens);
  } else {
    return V(tokens);
  }
}
template <class T, unsigned N>
void store(std::uint8_t* p, Traced<T, N> v) {
  for (unsigned i = 0; i < N; ++i) traced::write(p + i, v.tokens()[i]);
}
inline void store(std::uint8_t* p, std::uint64_t word) {
  const std::vector<Token> tokens = traced::tokens_of_word(word);
  for (unsigned i = 0; i < 8; ++i) traced::write(p + i, tokens[i]);
}
template <class M>
void wipe_vectors(void* p, std::size_t size) {
  auto* const bytes = static_cast<std::uint8_t*>(p);
  for (std::size_t i = 0; i < size; ++i) traced::write(bytes + i, 0);
}
inline void copy_bytes(std::uint8_t* out, const std::uint8_t* in, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) traced::write(out + i, traced::read(in + i));
}
template <class V>
void write_part(V words, const std::uint8_t* in, std::uint8_t* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    const Token token = words.tokens()[i];
    traced::write(out + i, in != nullptr ? traced::sum(token, traced::read(in + i)) : token);
  }
}

template <unsigned Bytes>
struct Portable {
  static constexpr unsigned kBytes = Bytes;
  static constexpr bool kStepWithBatch = false;
  static constexpr bool kAffine = false;
  static constexpr bool kAesBoxes = false;
  static constexpr bool kLayers = false;
  using Aes = void;
  using Carry = Vec<std::uint8_t, Bytes>;
};

}  // namespace gpuctr::simd

#endif
