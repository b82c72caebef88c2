# trust.constant_time_msan: kernels, drbg and constant_time.cpp compiled once more, by clang with
# MemorySanitizer. Whatever compiles the rest is left alone; without a clang that has a
# MemorySanitizer that works there is no such test.
find_program(GPUCTR_MSAN_CXX clang++)
set(probe ${CMAKE_CURRENT_BINARY_DIR}/msan_probe)
if(GPUCTR_MSAN_CXX AND NOT GPUCTR_MSAN_WORKS)
  file(WRITE ${probe}.cpp "int main(int count, char**) { return count > 1; }\n")
  set(works OFF)
  execute_process(
    COMMAND ${GPUCTR_MSAN_CXX} -fsanitize=memory -mavx512vbmi2 -mgfni ${probe}.cpp -o ${probe}
    RESULT_VARIABLE compiled OUTPUT_QUIET ERROR_QUIET)
  if(compiled EQUAL 0)
    execute_process(COMMAND ${probe} RESULT_VARIABLE ran OUTPUT_QUIET ERROR_QUIET)
    if(ran EQUAL 0)
      set(works ON)
    endif()
  endif()
  set(GPUCTR_MSAN_WORKS ${works} CACHE INTERNAL "clang++ has a MemorySanitizer that works")
endif()
if(NOT GPUCTR_MSAN_WORKS)
  message(STATUS "gpuctr: no clang with MemorySanitizer: AVX-512 and GFNI go without trust.constant_time_msan")
  return()
endif()

# A secret may be passed on: since clang 16 an undefined argument would count as used.
set(flags -std=c++17 -g1 -fsanitize=memory -fno-sanitize-memory-param-retval -fno-omit-frame-pointer
    -DGPUCTR_X86 -I${PROJECT_SOURCE_DIR} -I${GPUCTR_GENERATED})
# Not optimised, so that every branch of the source is one. In a SIMD backend's file, which would
# take clang minutes, a little: but an `if` is not made a conditional move. Their assembly writes
# below the stack pointer.
set(plain -O0)
set(simd -O1 -mno-red-zone -DGPUCTR_BOXES_APART -include ${CMAKE_CURRENT_SOURCE_DIR}/msan_moves.h
    -mllvm -two-entry-phi-node-folding-threshold=0 -mllvm -phi-node-folding-threshold=0
    -mllvm -speculate-one-expensive-inst=0)

set(objects "")
function(gpuctr_msan_object source)
  file(RELATIVE_PATH name ${PROJECT_SOURCE_DIR} ${source})
  string(REPLACE "/" "-" name ${name})  # device/xts.cpp and device_xts.cpp are two
  set(object ${CMAKE_CURRENT_BINARY_DIR}/msan/${name}.o)
  add_custom_command(
    OUTPUT ${object} DEPFILE ${object}.d
    COMMAND ${CMAKE_CXX_COMPILER_LAUNCHER} ${GPUCTR_MSAN_CXX} ${flags} ${ARGN} -MD -MF ${object}.d
            -c ${source} -o ${object}
    DEPENDS ${source} COMMENT "MemorySanitizer: ${name}" VERBATIM)
  set(objects ${objects} ${object} PARENT_SCOPE)
endfunction()

file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/msan)
foreach(part kernels drbg)
  get_target_property(sources gpuctr_${part} SOURCES)
  # Of CUDA nothing: its libraries are not instrumented, and the kernels' host side refers to them.
  list(FILTER sources EXCLUDE REGEX "^gpu/cuda/|/gpu/cuda/ciphers_")
  list(TRANSFORM sources PREPEND ${PROJECT_SOURCE_DIR}/${part}/ REGEX "^[^/]")
  foreach(source ${sources})
    # A SIMD backend's own options: its instruction set.
    get_source_file_property(options ${source}
                             TARGET_DIRECTORY gpuctr_${part} COMPILE_OPTIONS)
    list(FILTER options INCLUDE REGEX "^-m")
    if(options)
      list(APPEND options ${simd})
    else()
      set(options ${plain})
    endif()
    gpuctr_msan_object(${source} ${options})
  endforeach()
endforeach()
foreach(source ${CMAKE_CURRENT_SOURCE_DIR}/constant_time.cpp ${CMAKE_CURRENT_SOURCE_DIR}/watcher_msan.cpp ${messages})
  gpuctr_msan_object(${source} ${plain})
endforeach()

set(program ${CMAKE_CURRENT_BINARY_DIR}/trust_constant_time_msan)
add_custom_command(
  OUTPUT ${program}
  COMMAND ${GPUCTR_MSAN_CXX} -fsanitize=memory -pthread ${objects} -o ${program}
  DEPENDS ${objects} COMMENT "MemorySanitizer: trust_constant_time_msan" VERBATIM)
add_custom_target(trust_msan ALL DEPENDS ${program})
# What MemorySanitizer reports, planted leaks included, goes where valgrind's reports go: a log here.
add_test(NAME trust.constant_time_msan
         COMMAND bash -c "exec \"$0\" 2> constant_time_msan.log" ${program})
add_test(NAME trust.constant_time_msan_catches_a_leak
         COMMAND bash -c "\"$0\" --planted 2> constant_time_msan_leak.log; [ $? = 1 ]" ${program})
set_tests_properties(trust.constant_time_msan PROPERTIES LABELS trust SKIP_RETURN_CODE 77)
set_tests_properties(trust.constant_time_msan_catches_a_leak PROPERTIES LABELS trust)
