// Zeroes the vector registers of AArch64 at the end of a call that held secrets in them.
#ifndef GPUCTR_KERNELS_CPU_ARM_WIPE_H
#define GPUCTR_KERNELS_CPU_ARM_WIPE_H

#include "kernels/cpu/simd/vec.h"

namespace gpuctr::simd {

GPUCTR_INLINE void wipe_vector_registers() {
  __asm__ __volatile__(
      "movi v0.16b, #0\n\t"
      "movi v1.16b, #0\n\t"
      "movi v2.16b, #0\n\t"
      "movi v3.16b, #0\n\t"
      "movi v4.16b, #0\n\t"
      "movi v5.16b, #0\n\t"
      "movi v6.16b, #0\n\t"
      "movi v7.16b, #0\n\t"
      "movi v8.16b, #0\n\t"
      "movi v9.16b, #0\n\t"
      "movi v10.16b, #0\n\t"
      "movi v11.16b, #0\n\t"
      "movi v12.16b, #0\n\t"
      "movi v13.16b, #0\n\t"
      "movi v14.16b, #0\n\t"
      "movi v15.16b, #0\n\t"
      "movi v16.16b, #0\n\t"
      "movi v17.16b, #0\n\t"
      "movi v18.16b, #0\n\t"
      "movi v19.16b, #0\n\t"
      "movi v20.16b, #0\n\t"
      "movi v21.16b, #0\n\t"
      "movi v22.16b, #0\n\t"
      "movi v23.16b, #0\n\t"
      "movi v24.16b, #0\n\t"
      "movi v25.16b, #0\n\t"
      "movi v26.16b, #0\n\t"
      "movi v27.16b, #0\n\t"
      "movi v28.16b, #0\n\t"
      "movi v29.16b, #0\n\t"
      "movi v30.16b, #0\n\t"
      "movi v31.16b, #0\n\t"
      :
      :
      : "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12", "v13",
        "v14", "v15", "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23", "v24", "v25", "v26",
        "v27", "v28", "v29", "v30", "v31");
}

}  // namespace gpuctr::simd

#endif
