// A SIMD machine as the rest of the project sees it.
#ifndef GPUCTR_KERNELS_BACKEND_SIMD_MACHINE_H
#define GPUCTR_KERNELS_BACKEND_SIMD_MACHINE_H

#include "kernels/backend/simd_drbg.h"

namespace gpuctr::simd {

// Narrow is the same machine with vectors of 16 bytes.
template <class M, class Narrow, class... C>
constexpr Machine make_machine(const char* name, bool (*available)(), CipherList<C...>) {
  return {name,
          available,
          {{Short<M, Narrow, C>::ctr, Engine<M, C>::encrypt, Engine<M, C>::decrypt,
            Step<M, Narrow, C>::run, Chain<M, Narrow, C>::run, Requests<M, Narrow, C>::kRun}...}};
}

}  // namespace gpuctr::simd

#endif
