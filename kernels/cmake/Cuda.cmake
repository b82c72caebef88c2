# Finds or fetches the CUDA compiler. Included at the top so that every folder has the language.
#
#   GPUCTR_CUDA=AUTO    nvcc on PATH or in CUDACXX; without it, NVIDIA's wheels where this machine has
#                       a device; else CPU-only
#   GPUCTR_CUDA=here    as AUTO, for this machine only: CPU-only where it has no device, else the
#                       architecture of its devices
#   GPUCTR_CUDA=wheels  nvcc on PATH, else NVIDIA's wheels from PyPI, into the build folder
#   GPUCTR_CUDA=OFF     CPU-only
#   GPUCTR_CUDA_ONE_TABLE=ON  ciphers with S-boxes take the tables of devices with little shared memory
#                       everywhere, so that gpu_device_test tests that form on a device with much
# Sets GPUCTR_CUDA_FOUND in the cache.
set(GPUCTR_CUDA AUTO CACHE STRING "CUDA: AUTO, here, wheels or OFF")
set_property(CACHE GPUCTR_CUDA PROPERTY STRINGS AUTO here wheels OFF)

include(${CMAKE_CURRENT_LIST_DIR}/CudaArchs.cmake)
set(GPUCTR_CUDA_ARCHS "" CACHE STRING
    "CUDA architectures, as CMake writes them; fewer build faster; empty: see kernels/cmake/CudaArchs.cmake")

function(gpuctr_cuda_wheels result)
  set(folder ${CMAKE_BINARY_DIR}/cuda-wheels)
  set(root ${folder}/nvidia/cu13)
  if(NOT EXISTS ${folder}/complete)
    find_package(Python3 COMPONENTS Interpreter QUIET)
    execute_process(
      COMMAND ${Python3_EXECUTABLE} -m pip install --quiet --disable-pip-version-check --no-deps
              --target ${folder} --upgrade -r ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/cuda-wheels.txt
      RESULT_VARIABLE failed OUTPUT_VARIABLE log ERROR_VARIABLE log)
    if(failed)
      message(WARNING "pip could not fetch the CUDA compiler:\n${log}")
      set(${result} "" PARENT_SCOPE)
      return()
    endif()
    # nvcc.profile looks into lib64; the wheels have lib.
    file(CREATE_LINK lib ${root}/lib64 SYMBOLIC)
    file(WRITE ${folder}/complete "")
  endif()
  set(${result} ${root}/bin/nvcc PARENT_SCOPE)
endfunction()

set(found OFF)
set(archs "")
if(GPUCTR_CUDA STREQUAL "here" AND NOT EXISTS /dev/nvidia0)
  message(STATUS "gpuctr: no NVIDIA GPU here: CPU-only build")
elseif(GPUCTR_CUDA)
  find_program(GPUCTR_NVCC nvcc HINTS ENV CUDACXX PATHS /usr/local/cuda/bin)
  mark_as_advanced(GPUCTR_NVCC)
  set(nvcc ${GPUCTR_NVCC})
  if(NOT nvcc AND (GPUCTR_CUDA STREQUAL "wheels" OR EXISTS /dev/nvidia0))
    gpuctr_cuda_wheels(nvcc)
  endif()
  if(nvcc)
    set(CMAKE_CUDA_COMPILER ${nvcc})
    gpuctr_cuda_archs(${nvcc} "${GPUCTR_CUDA}" "${GPUCTR_CUDA_ARCHS}" archs)
    set(CMAKE_CUDA_ARCHITECTURES ${archs})
    enable_language(CUDA)
    # The C++ compiler links. If nvcc's host compiler is an older GCC, its libstdc++ must not come first.
    list(FILTER CMAKE_CUDA_IMPLICIT_LINK_DIRECTORIES EXCLUDE REGEX "/gcc/")
    set(found ON)
    message(STATUS "gpuctr: CUDA ${CMAKE_CUDA_COMPILER_VERSION}, ${archs}")
  else()
    message(STATUS "gpuctr: no CUDA compiler: CPU-only build")
  endif()
endif()
set(GPUCTR_CUDA_FOUND ${found} CACHE INTERNAL "Whether this build has CUDA")
set(GPUCTR_CUDA_BUILT_ARCHS "${archs}" CACHE INTERNAL "The architectures of this build")

option(GPUCTR_CUDA_ONE_TABLE "One table on every device, for tests" OFF)
mark_as_advanced(GPUCTR_CUDA_ONE_TABLE)

if(GPUCTR_CUDA_FOUND)
  set(CMAKE_CUDA_STANDARD 17)
  set(CMAKE_CUDA_STANDARD_REQUIRED ON)
  set(CMAKE_CUDA_EXTENSIONS OFF)
  set(CMAKE_CUDA_VISIBILITY_PRESET hidden)
  set(CMAKE_CUDA_RUNTIME_LIBRARY Static)
  # 1675: GCC pragmas in headers that the host compiler reads as well.
  add_library(gpuctr_cuda_flags INTERFACE)
  target_compile_options(gpuctr_cuda_flags INTERFACE
    "$<$<COMPILE_LANGUAGE:CUDA>:SHELL:-diag-suppress=1675 -Xcompiler=-Wall,-Wextra,-Wno-unknown-pragmas>")
  if(GPUCTR_WERROR)
    target_compile_options(gpuctr_cuda_flags INTERFACE
      "$<$<COMPILE_LANGUAGE:CUDA>:SHELL:-Werror all-warnings -Xcompiler=-Werror>")
  endif()
  set(GPUCTR_SM90A OFF)
  if("90a-real" IN_LIST archs OR "90a" IN_LIST archs)
    set(GPUCTR_SM90A ON)
    target_compile_definitions(gpuctr_cuda_flags INTERFACE GPUCTR_SM90A)
  endif()
  # Device code is stored compressed, and unpacked when a kernel is first used. --compress-mode came with nvcc 12.8.
  if(CMAKE_CUDA_COMPILER_VERSION VERSION_GREATER_EQUAL 12.8)
    set(compressed --compress-mode=size)
  else()
    set(compressed -Xfatbin=-compress-all)
  endif()
  target_compile_options(gpuctr_cuda_flags INTERFACE "$<$<COMPILE_LANGUAGE:CUDA>:SHELL:${compressed}>")
  if(GPUCTR_CUDA_ONE_TABLE)
    target_compile_definitions(gpuctr_cuda_flags INTERFACE GPUCTR_ONE_TABLE)
  endif()
endif()
