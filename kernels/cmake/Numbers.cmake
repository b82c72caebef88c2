# The loops that make floating-point numbers (kernels/random/floats.h), compiled once for each instruction set.
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
  set_source_files_properties(${file} PROPERTIES COMPILE_OPTIONS "-O3;-fno-math-errno;-fno-trapping-math;${ARGN}")
endfunction()

gpuctr_floats(plain)
if(x86)
  gpuctr_floats(avx2 -mavx2 -mfma)
  gpuctr_floats(avx512 ${x86_avx512} -mfma)
endif()
