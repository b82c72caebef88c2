# For kernels/cmake/Backends.cmake. With 16 registers GCC's reassociation and its order of instructions
# keep more of the state in memory: 1.07 to 1.15 times faster on Zen 4. With 32 nothing is won.
if(name MATCHES "^(sse|avx2)")
  set(gcc_options -fno-tree-reassoc -fschedule-insns -fsched-pressure)
endif()
