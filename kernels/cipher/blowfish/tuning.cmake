# For kernels/cmake/Backends.cmake. The tables of bytes are 4 KB: kFrame of x86/vbmi_tables.h.
set(frame 6144)
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  set(frame 10240)
endif()
list(TRANSFORM options REPLACE "(-Wframe-larger-than)=.*" "\\1=${frame}")
