#include "kernels/cpu/backend.h"

#include <cstring>

#include "kernels/cpu/tables.h"

namespace gpuctr {
namespace {

struct Row {
  const char* name;
  bool (*available)();
  void (*fill)(CipherOps* ops);
  std::size_t vector_bytes;  // 0: GHASH in integers
};

// Best first. Here and not in the backends' own files, which are compiled for other CPUs.
constexpr Row kRows[] = {
#ifdef GPUCTR_X86
    {"avx512-gfni",
     [] {
       return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
              __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
              __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512vbmi2") &&
              __builtin_cpu_supports("gfni");
     },
     cpu::fill_avx512_gfni, 64},
    {"avx512",
     [] {
       return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
              __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
     },
     cpu::fill_avx512, 64},
    {"avx2-gfni", [] { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("gfni"); },
     cpu::fill_avx2_gfni, 32},
    {"avx2", [] { return __builtin_cpu_supports("avx2") != 0; }, cpu::fill_avx2, 32},
    {"sse", [] { return __builtin_cpu_supports("ssse3") != 0; }, cpu::fill_sse, 16},
#endif
#ifdef GPUCTR_NEON
    {"neon", [] { return true; }, cpu::fill_neon, 16},
#endif
    {"scalar", [] { return true; }, cpu::fill_scalar, 0},
};
constexpr std::size_t kCount = sizeof kRows / sizeof kRows[0];

struct Backends {
  Backend backends[kCount];
  const Backend* list[kCount];

  Backends() {
    for (std::size_t i = 0; i < kCount; ++i) {
      backends[i].name = kRows[i].name;
      backends[i].available = kRows[i].available;
      kRows[i].fill(backends[i].ops);
      backends[i].ghash = best_ghash(kRows[i].vector_bytes).ops;
      list[i] = &backends[i];
    }
  }
};

const Backends& all() {
  static const Backends backends;
  return backends;
}

}  // namespace

BackendList cpu_backends() { return {all().list, kCount}; }

const Backend* find_backend(const char* name) {
  for (const Backend* backend : all().list) {
    if (std::strcmp(backend->name, name) == 0) return backend;
  }
  return nullptr;
}

const Backend& best_backend() {
  for (const Backend* backend : all().list) {
    if (backend->available()) return *backend;
  }
  return *all().list[kCount - 1];
}

}  // namespace gpuctr
