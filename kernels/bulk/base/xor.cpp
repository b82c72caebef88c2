#include "kernels/bulk/base/xor.h"

#include <cstring>

#include "kernels/cipher/word.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace gpuctr::bulk {
namespace {

void tail(const std::uint8_t* keystream, const std::uint8_t* in, std::uint8_t* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    out[i] = static_cast<std::uint8_t>(keystream[i] ^ (in != nullptr ? in[i] : 0));
  }
}

// Any CPU: four 64-bit words a step, which compilers turn into the vectors of the target.
void portable(const std::uint8_t* keystream, const std::uint8_t* in, std::uint8_t* out,
              std::size_t n, bool = false) {
  struct Words {
    std::uint64_t w[4];
  };
  std::size_t i = 0;
  for (; i + sizeof(Words) <= n; i += sizeof(Words)) {
    Words k, d{};
    std::memcpy(&k, keystream + i, sizeof k);
    if (in != nullptr) std::memcpy(&d, in + i, sizeof d);
    for (int j = 0; j < 4; ++j) d.w[j] ^= k.w[j];
    std::memcpy(out + i, &d, sizeof d);
  }
  tail(keystream + i, in == nullptr ? nullptr : in + i, out + i, n - i);
}

#if defined(__x86_64__)

// The inner loops below are unrolled explicitly: with -O2 GCC keeps the loops, and leaves v[],
// which holds keystream, on the stack.

bool has_avx512() { return __builtin_cpu_supports("avx512f") != 0; }
bool has_avx2() { return __builtin_cpu_supports("avx2") != 0; }

// Bytes up to the next multiple of `align`, which non-temporal stores need.
std::size_t to_boundary(const std::uint8_t* out, std::size_t align, std::size_t n) {
  const std::size_t odd = reinterpret_cast<std::uintptr_t>(out) % align;
  const std::size_t head = odd == 0 ? 0 : align - odd;
  return head < n ? head : n;
}

__attribute__((target("avx512f"))) void avx512(const std::uint8_t* keystream,
                                               const std::uint8_t* in, std::uint8_t* out,
                                               std::size_t n, bool bypass) {
  std::size_t i = to_boundary(out, 64, n);
  tail(keystream, in, out, i);
  for (; i + 256 <= n; i += 256) {
    __m512i v[4];
    GPUCTR_UNROLL
    for (std::size_t j = 0; j < 4; ++j) v[j] = _mm512_loadu_si512(keystream + i + 64 * j);
    if (in != nullptr) {
      GPUCTR_UNROLL
      for (std::size_t j = 0; j < 4; ++j) {
        v[j] = _mm512_xor_si512(v[j], _mm512_loadu_si512(in + i + 64 * j));
      }
    }
    GPUCTR_UNROLL
    for (std::size_t j = 0; j < 4; ++j) {
      __m512i* const to = reinterpret_cast<__m512i*>(out + i + 64 * j);
      if (bypass) {
        _mm512_stream_si512(to, v[j]);
      } else {
        _mm512_store_si512(to, v[j]);
      }
    }
  }
  if (bypass) _mm_sfence();
  portable(keystream + i, in == nullptr ? nullptr : in + i, out + i, n - i);
}

__attribute__((target("avx2"))) void avx2(const std::uint8_t* keystream, const std::uint8_t* in,
                                          std::uint8_t* out, std::size_t n, bool bypass) {
  std::size_t i = to_boundary(out, 32, n);
  tail(keystream, in, out, i);
  for (; i + 128 <= n; i += 128) {
    __m256i v[4];
    GPUCTR_UNROLL
    for (std::size_t j = 0; j < 4; ++j) {
      v[j] = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(keystream + i + 32 * j));
    }
    if (in != nullptr) {
      GPUCTR_UNROLL
      for (std::size_t j = 0; j < 4; ++j) {
        v[j] = _mm256_xor_si256(
            v[j], _mm256_loadu_si256(reinterpret_cast<const __m256i*>(in + i + 32 * j)));
      }
    }
    GPUCTR_UNROLL
    for (std::size_t j = 0; j < 4; ++j) {
      __m256i* const to = reinterpret_cast<__m256i*>(out + i + 32 * j);
      if (bypass) {
        _mm256_stream_si256(to, v[j]);
      } else {
        _mm256_store_si256(to, v[j]);
      }
    }
  }
  if (bypass) _mm_sfence();
  portable(keystream + i, in == nullptr ? nullptr : in + i, out + i, n - i);
}

#endif

constexpr XorForm kForms[] = {
#if defined(__x86_64__)
    {"avx512", has_avx512, avx512},
    {"avx2", has_avx2, avx2},
#endif
    {"portable", [] { return true; }, portable},
};

}  // namespace

XorForms xor_forms() { return {kForms, sizeof kForms / sizeof kForms[0]}; }

void xor_keystream(const std::uint8_t* keystream, const std::uint8_t* in, std::uint8_t* out,
                   std::size_t n, bool bypass) {
#if defined(__x86_64__)
  // One load and one test for each check, for at least a few hundred bytes: a function pointer
  // would need set-up.
  if (has_avx512()) return avx512(keystream, in, out, n, bypass);
  if (has_avx2()) return avx2(keystream, in, out, n, bypass);
#endif
  portable(keystream, in, out, n, bypass);
}

void fetch_ahead(const std::uint8_t* keystream, std::size_t n) {
  constexpr std::size_t kLine = 64;
  constexpr std::size_t kMost = 4096;
  for (std::size_t i = 0; i < n && i < kMost; i += kLine) __builtin_prefetch(keystream + i, 0, 2);
}

}  // namespace gpuctr::bulk
