#include "kernels/cpu/ghash.h"

#include "kernels/cpu/backend_tables.h"

namespace gpuctr {
namespace {

// Best first. Here and not in the forms' own files, which are compiled for other CPUs.
constexpr GhashForm kForms[] = {
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
constexpr std::size_t kCount = sizeof kForms / sizeof kForms[0];

}  // namespace

GhashFormList ghash_forms() { return {kForms, kCount}; }

const GhashForm& best_ghash(std::size_t vector_bytes) {
  for (const GhashForm& form : kForms) {
    if (form.vector_bytes <= vector_bytes && form.available()) return form;
  }
  return kForms[kCount - 1];
}

}  // namespace gpuctr
