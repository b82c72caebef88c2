# The loops that make floating-point numbers (kernels/random/floats.h), compiled once for each instruction set.
# Without contraction of a * b + c the numbers are the same everywhere.
set(GPUCTR_EXACT -O3 -ffp-contract=off -fno-math-errno -fno-trapping-math)
function(gpuctr_floats name)
  set(file ${GPUCTR_GENERATED}/kernels/random/floats_${name}.cpp)
  file(CONFIGURE OUTPUT ${file} @ONLY CONTENT
"// Made by kernels/cmake/Numbers.cmake.
#include \"kernels/random/floats.h\"

namespace gpuctr::random {
extern const MakeFloats floats_@name@;
const MakeFloats floats_@name@ = make_floats;
}  // namespace gpuctr::random
")
  target_sources(gpuctr_kernels PRIVATE ${file})
  set_source_files_properties(${file} PROPERTIES COMPILE_OPTIONS "${GPUCTR_EXACT};${ARGN}")
endfunction()

gpuctr_floats(plain)
if(x86)
  gpuctr_floats(avx2 -mavx2)
  gpuctr_floats(avx512 ${x86_avx512})
endif()
