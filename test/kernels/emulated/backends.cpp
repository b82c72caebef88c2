// The list of backends once more, with the table of what is emulated: every backend runs on this
// CPU.
#include <cpuid.h>

#define __builtin_cpu_supports(feature) true
#undef __get_cpuid_count
#define __get_cpuid_count(leaf, part, eax, ebx, ecx, edx) \
  (*(eax) = *(ebx) = *(ecx) = *(edx) = ~0u, 1)

#include "kernels/cpu/backends.cpp"
// Both have an unnamed namespace with the same names.
#define kCount kFormCount
#include "kernels/cpu/ghash.cpp"
