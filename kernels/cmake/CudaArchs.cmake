# The CUDA architectures of a build. Functions only, so that a test can call them without a compiler.

# gpuctr_cuda_archs_known(<nvcc> <result>): those for which the module has code, as far as this nvcc knows
# them: machine code for each, and PTX of the newest for devices that came later. 8.9 runs the code of 8.6.
# With 90a, which is 9.0 and its own instructions, devices of 9.0 make GCM in one pass. Its PTX would run on
# 9.0 only, so the PTX is of plain 90. If nvcc does not say what it knows, the result is all.
function(gpuctr_cuda_archs_known nvcc result)
  execute_process(COMMAND ${nvcc} --list-gpu-code OUTPUT_VARIABLE known ERROR_QUIET)
  set(archs "")
  foreach(arch 75 80 86 90a 100 120)
    string(REPLACE "a" "" number ${arch})
    if(NOT known MATCHES "sm_" OR "${known}\n" MATCHES "sm_${number}[ \n]")
      list(APPEND archs ${arch}-real)
      set(newest ${number})
    endif()
  endforeach()
  if(newest EQUAL 90)
    list(APPEND archs 90-virtual)
  else()
    list(TRANSFORM archs REPLACE "^${newest}-real$" ${newest})
  endif()
  set(${result} ${archs} PARENT_SCOPE)
endfunction()

# gpuctr_cuda_archs_here(<nvcc> <result>): those of this machine's devices; empty where nvidia-smi does not name
# them or nvcc does not know one of them.
function(gpuctr_cuda_archs_here nvcc result)
  set(archs "")
  execute_process(COMMAND nvidia-smi --query-gpu=compute_cap --format=csv,noheader
                  OUTPUT_VARIABLE said ERROR_QUIET RESULT_VARIABLE failed)
  execute_process(COMMAND ${nvcc} --list-gpu-code OUTPUT_VARIABLE known ERROR_QUIET)
  string(REGEX MATCHALL "[0-9]+\\.[0-9]+" capabilities "${said}")
  foreach(capability IN LISTS capabilities)
    string(REPLACE "." "" arch ${capability})
    if(NOT "${known}\n" MATCHES "sm_${arch}[ \n]")
      set(archs "")
      break()
    endif()
    if(arch EQUAL 90)
      set(arch 90a)
    endif()
    list(APPEND archs ${arch}-real)
  endforeach()
  list(REMOVE_DUPLICATES archs)
  set(${result} ${archs} PARENT_SCOPE)
endfunction()

# gpuctr_cuda_archs(<nvcc> <GPUCTR_CUDA> <GPUCTR_CUDA_ARCHS> <result>): the architectures to build. With
# GPUCTR_CUDA=here those of this machine's devices. Else, or where they cannot be told, the user's list as
# it is; without a list, those that nvcc knows.
function(gpuctr_cuda_archs nvcc cuda list result)
  set(archs "")
  if(cuda STREQUAL "here")
    gpuctr_cuda_archs_here(${nvcc} archs)
  endif()
  if(NOT archs)
    set(archs ${list})
  endif()
  if(NOT archs)
    gpuctr_cuda_archs_known(${nvcc} archs)
  endif()
  set(${result} ${archs} PARENT_SCOPE)
endfunction()
