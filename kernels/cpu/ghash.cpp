#include "kernels/cpu/ghash.h"

#include "kernels/cpu/backend_tables.h"

namespace gpuctr {
namespace {

// Best first. The table is here because the implementations' own files are compiled for other CPUs.
constexpr GhashImplementation kImplementations[] = {
#ifdef GPUCTR_X86
    {"avx512-vpclmul",
     [] {
       return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
              __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
              __builtin_cpu_supports("vpclmulqdq");
     },
     64, &cpu::avx512_vpclmul_ghash},
    {"avx2-vpclmul",
     [] { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("vpclmulqdq"); }, 32,
     &cpu::avx2_vpclmul_ghash},
    {"avx2-pclmul",
     [] { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("pclmul"); }, 32,
     &cpu::avx2_ghash},
    {"sse-pclmul",
     [] { return __builtin_cpu_supports("ssse3") && __builtin_cpu_supports("pclmul"); }, 16,
     &cpu::sse_ghash},
#endif
    {"portable", [] { return true; }, 0, &cpu::scalar_ghash},
};
constexpr std::size_t kCount = sizeof kImplementations / sizeof kImplementations[0];

}  // namespace

GhashList ghash_implementations() { return {kImplementations, kCount}; }

const GhashImplementation& best_ghash(std::size_t vector_bytes) {
  for (const GhashImplementation& form : kImplementations) {
    if (form.vector_bytes <= vector_bytes && form.available()) return form;
  }
  return kImplementations[kCount - 1];
}

}  // namespace gpuctr
