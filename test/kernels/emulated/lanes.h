// Vectors as arrays of integers, for the models of instructions. A model is a loop over the array's
// elements, and uses no vector operation of the compiler.
#ifndef GPUCTR_TEST_KERNELS_EMULATED_LANES_H
#define GPUCTR_TEST_KERNELS_EMULATED_LANES_H

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

// The types of immintrin.h. `long long` is as in the compiler's own header.
typedef long long __m128i __attribute__((vector_size(16), may_alias));
typedef long long __m256i __attribute__((vector_size(32), may_alias));
typedef long long __m512i __attribute__((vector_size(64), may_alias));
typedef float __m256 __attribute__((vector_size(32), may_alias));
typedef float __m512 __attribute__((vector_size(64), may_alias));
typedef std::uint8_t __mmask8;
typedef std::uint16_t __mmask16;
typedef std::uint64_t __mmask64;

// All functions of a model have internal linkage: a unit for real instructions may be in the same
// program.
#define GPUCTR_MODEL [[maybe_unused]] static inline

namespace gpuctr::emulated {
namespace {

template <class T, class V>
struct Lanes {
  static constexpr unsigned kCount = sizeof(V) / sizeof(T);
  T of[kCount];

  explicit Lanes(V v) { std::memcpy(of, &v, sizeof v); }
  Lanes() : of{} {}
  operator V() const {
    V v;
    std::memcpy(&v, of, sizeof v);
    return v;
  }
};

// f(a), f(a, b) or f(a, b, c) for each element.
template <class T, class V, class F>
V each(V a, F f) {
  Lanes<T, V> x(a);
  for (T& lane : x.of) lane = static_cast<T>(f(lane));
  return x;
}
template <class T, class V, class F>
V each(V a, V b, F f) {
  Lanes<T, V> x(a), y(b);
  for (unsigned i = 0; i < x.kCount; ++i) x.of[i] = static_cast<T>(f(x.of[i], y.of[i]));
  return x;
}
template <class V, class F>
V each_qword(V a, V b, V c, F f) {
  Lanes<std::uint64_t, V> x(a), y(b), z(c);
  for (unsigned i = 0; i < x.kCount; ++i) x.of[i] = f(x.of[i], y.of[i], z.of[i]);
  return x;
}

// Element i is f(i).
template <class T, class V, class F>
V made(F f) {
  Lanes<T, V> x;
  for (unsigned i = 0; i < x.kCount; ++i) x.of[i] = static_cast<T>(f(i));
  return x;
}

// Elements whose bit of the mask is 0 become those of `other`.
template <class T, class V>
V masked(std::uint64_t mask, V v, V other) {
  const Lanes<T, V> x(v), y(other);
  return made<T, V>([&](unsigned i) { return (mask >> i & 1) != 0 ? x.of[i] : y.of[i]; });
}
template <class T, class V>
V masked(std::uint64_t mask, V v) {
  return masked<T, V>(mask, v, V{});
}

template <class V>
V load(const void* p) {
  V v;
  std::memcpy(&v, p, sizeof v);
  return v;
}
template <class V>
void store(void* p, V v) {
  std::memcpy(p, &v, sizeof v);
}

// __builtin_shufflevector, which GCC would compile to code for each element.
template <class T, unsigned Count>
struct Shuffled {
  typedef T Type __attribute__((vector_size(Count * sizeof(T))));
};
template <unsigned... I, class V>
__attribute__((noinline)) auto shuffle(V a, V b) {
  using T = std::decay_t<decltype(a[0])>;
  constexpr unsigned kCount = sizeof...(I), kOld = sizeof(V) / sizeof(T);
  static constexpr std::uint8_t kAt[] = {static_cast<std::uint8_t>(I)...};
  T from[2 * kOld], to[kCount];
  std::memcpy(from, &a, sizeof a);
  std::memcpy(from + kOld, &b, sizeof b);
  for (unsigned i = 0; i < kCount; ++i) to[i] = from[kAt[i]];
  return load<typename Shuffled<T, kCount>::Type>(to);
}

}  // namespace
}  // namespace gpuctr::emulated

#endif
