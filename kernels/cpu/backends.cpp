#include "kernels/cpu/backend.h"

#include <cstring>

#include "kernels/cpu/tables.h"

namespace gpuctr {
namespace {

struct Backend {
  const char* name;
  bool (*available)();
  void (*fill)(CipherOps* ops);
};

// Best first. Here and not in the backends' own files, which are compiled for other CPUs.
constexpr Backend kBackends[] = {
#ifdef GPUCTR_X86
    {"avx512-gfni",
     [] {
       return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
              __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
              __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512vbmi2") &&
              __builtin_cpu_supports("gfni");
     },
     cpu::fill_avx512_gfni},
    {"avx512",
     [] {
       return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
              __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
     },
     cpu::fill_avx512},
    {"avx2-gfni", [] { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("gfni"); },
     cpu::fill_avx2_gfni},
    {"avx2", [] { return __builtin_cpu_supports("avx2") != 0; }, cpu::fill_avx2},
    {"sse", [] { return __builtin_cpu_supports("ssse3") != 0; }, cpu::fill_sse},
#endif
#ifdef GPUCTR_NEON
    {"neon", [] { return true; }, cpu::fill_neon},
#endif
    {"scalar", [] { return true; }, cpu::fill_scalar},
};
constexpr std::size_t kCount = sizeof kBackends / sizeof kBackends[0];

struct Machines {
  Machine machines[kCount];
  const Machine* list[kCount];

  Machines() {
    for (std::size_t i = 0; i < kCount; ++i) {
      machines[i].name = kBackends[i].name;
      machines[i].available = kBackends[i].available;
      kBackends[i].fill(machines[i].ops);
      list[i] = &machines[i];
    }
  }
};

const Machines& all() {
  static const Machines machines;
  return machines;
}

}  // namespace

MachineList cpu_machines() { return {all().list, kCount}; }

const Machine* find_machine(const char* name) {
  for (const Machine* machine : all().list) {
    if (std::strcmp(machine->name, name) == 0) return machine;
  }
  return nullptr;
}

const Machine& best_machine() {
  for (const Machine* machine : all().list) {
    if (machine->available()) return *machine;
  }
  return *all().list[kCount - 1];
}

}  // namespace gpuctr
