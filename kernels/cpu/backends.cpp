#include "kernels/cpu/backend.h"

#ifdef GPUCTR_X86
#include <cpuid.h>
#endif

#include <cstring>

#include "kernels/cpu/backend_tables.h"

namespace gpuctr {
namespace {

struct Entry {
  const char* name;
  bool (*available)();
  void (*fill)(CipherOps* ops);
  void (*fill_many)(const ManyOps** many);
  const ManyModes* many_modes[2];  // for blocks of 8 and of 16 bytes
  std::size_t vector_bytes;        // 0: GHASH and XTS's masks in integers
};

#ifdef GPUCTR_X86
// Whether the CPU has VAES: CPUID.7.0:ECX, bit 9, because __builtin_cpu_supports of clang 14 does
// not know VAES. The check for AVX2 covers whether the system saves the registers.
bool has_vaes() {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  return __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) != 0 && (ecx >> 9 & 1) != 0;
}

bool has_avx512() {
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("aes");
}

bool has_gfni() {
  return __builtin_cpu_supports("gfni") && __builtin_cpu_supports("aes") && has_vaes();
}
#endif

// Best first. The table is here because the backends' own files are compiled for other CPUs.
constexpr Entry kEntries[] = {
#ifdef GPUCTR_X86
    {"avx512-gfni",
     [] {
       return has_avx512() && __builtin_cpu_supports("avx512vbmi") &&
              __builtin_cpu_supports("avx512vbmi2") && has_gfni();
     },
     cpu::fill_avx512_gfni,
     cpu::fill_many_avx512_gfni,
     {&cpu::many_avx512_8, &cpu::many_avx512_16},
     64},
    {"avx512",
     has_avx512,
     cpu::fill_avx512,
     cpu::fill_many_avx512,
     {&cpu::many_avx512_8, &cpu::many_avx512_16},
     64},
    {"avx2-gfni",
     [] { return __builtin_cpu_supports("avx2") && has_gfni(); },
     cpu::fill_avx2_gfni,
     cpu::fill_many_avx2_gfni,
     {&cpu::many_avx2_8, &cpu::many_avx2_16},
     32},
    {"avx2-vaes",
     [] { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("aes") && has_vaes(); },
     cpu::fill_avx2_vaes,
     cpu::fill_many_avx2_vaes,
     {&cpu::many_avx2_8, &cpu::many_avx2_16},
     32},
    {"avx2-aesni",
     [] { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("aes"); },
     cpu::fill_avx2_aesni,
     cpu::fill_many_avx2_aesni,
     {&cpu::many_avx2_8, &cpu::many_avx2_16},
     32},
    {"avx2",
     [] { return __builtin_cpu_supports("avx2") != 0; },
     cpu::fill_avx2,
     cpu::fill_many_avx2,
     {&cpu::many_avx2_8, &cpu::many_avx2_16},
     32},
    {"sse-aesni",
     [] { return __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("aes"); },
     cpu::fill_sse_aesni,
     cpu::fill_many_sse_aesni,
     {&cpu::many_sse_8, &cpu::many_sse_16},
     16},
    {"sse",
     [] { return __builtin_cpu_supports("ssse3") != 0; },
     cpu::fill_sse,
     cpu::fill_many_sse,
     {&cpu::many_sse_8, &cpu::many_sse_16},
     16},
#endif
#ifdef GPUCTR_NEON
    {"neon",
     [] { return true; },
     cpu::fill_neon,
     cpu::fill_many_neon,
     {&cpu::many_neon_8, &cpu::many_neon_16},
     16},
#endif
    {"scalar", [] { return true; }, cpu::fill_scalar, cpu::fill_many_scalar, {}, 0},
};
constexpr std::size_t kCount = sizeof kEntries / sizeof kEntries[0];

// Every backend with vectors of a width can run the masks of that width.
XtsMasks xts_masks_for(std::size_t vector_bytes) {
#ifdef GPUCTR_X86
  if (vector_bytes == 64) return cpu::avx512_xts_masks;
  if (vector_bytes == 32) return cpu::avx2_xts_masks;
  if (vector_bytes == 16) return cpu::sse_xts_masks;
#endif
#ifdef GPUCTR_NEON
  if (vector_bytes == 16) return cpu::neon_xts_masks;
#endif
  static_cast<void>(vector_bytes);
  return cpu::scalar_xts_masks;
}

// What is in units of its own for AES by its instructions.
struct AesUnits {
  SivCtr siv_ctr;
  const GcmUnit* gcm;
  XtsOperation xts;
};

// avx512 has the AES of avx2-aesni, and avx2-gfni that of avx2-vaes.
AesUnits aes_for(const char* name) {
#ifdef GPUCTR_X86
  const auto is = [name](const char* other) { return std::strcmp(name, other) == 0; };
  if (is("avx512-gfni")) {
    return {cpu::avx512_gfni_siv, &cpu::avx512_gfni_gcm, cpu::avx512_gfni_xts};
  }
  if (is("avx2-gfni") || is("avx2-vaes")) {
    return {cpu::avx2_vaes_siv, &cpu::avx2_vaes_gcm, cpu::avx2_vaes_xts};
  }
  if (is("avx512") || is("avx2-aesni")) {
    return {cpu::avx2_aesni_siv, &cpu::avx2_aesni_gcm, cpu::avx2_aesni_xts};
  }
  if (is("sse-aesni")) return {cpu::sse_aesni_siv, &cpu::sse_aesni_gcm, cpu::sse_aesni_xts};
#endif
  static_cast<void>(name);
  return {};
}

struct Backends {
  Backend backends[kCount];
  const Backend* list[kCount];

  Backends() {
    for (std::size_t i = 0; i < kCount; ++i) {
      backends[i].name = kEntries[i].name;
      backends[i].available = kEntries[i].available;
      kEntries[i].fill(backends[i].ops);
      kEntries[i].fill_many(backends[i].many);
      backends[i].many_modes[0] = kEntries[i].many_modes[0];
      backends[i].many_modes[1] = kEntries[i].many_modes[1];
      backends[i].ghash = best_ghash(kEntries[i].vector_bytes).ops;
      backends[i].xts_masks = xts_masks_for(kEntries[i].vector_bytes);
      const AesUnits aes = aes_for(kEntries[i].name);
      backends[i].siv_ctr = aes.siv_ctr;
      for (CipherOps& ops : backends[i].ops) {
        if (!ops.by_aes_instructions) continue;
        ops.gcm = aes.gcm;
        ops.xts = aes.xts;
      }
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

const char* constant_time_backend(const CipherSpec& spec) {
  for (const Backend* backend : all().list) {
    if (backend->ops[spec.index].constant_time) return backend->name;
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
