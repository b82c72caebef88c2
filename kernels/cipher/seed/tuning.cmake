# For kernels/cmake/Backends.cmake. GCC's reassociation makes trees of XORs and ANDs that VPTERNLOGD
# does not fit: 351 instructions for two rounds of a group with it, 326 without.
set(gcc_options -fno-tree-reassoc)
