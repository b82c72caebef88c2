# For kernels/cmake/Backends.cmake. GCC's reassociation makes trees of XORs and ANDs that VPTERNLOGD
# does not fit: 351 instructions for two rounds of a group with it, 326 without.
set(gcc_options -fno-tree-reassoc)
# With -O3 GCC unrolls what is bit-sliced: 0.94 of the speed on a Xeon, almost twice the code.
if(name STREQUAL "scalar" AND CMAKE_BUILD_TYPE MATCHES "^Rel")
  list(APPEND gcc_options -O2)
endif()
