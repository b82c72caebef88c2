# Finds the ciphers: the folders of kernels/cipher, or those of GPUCTR_CIPHERS. Asks their definitions for what the
# build has to know (kernels/cipher/probe.h), and writes what names the ciphers into GPUCTR_GENERATED. Sets
# GPUCTR_CIPHER_FOLDERS; GPUCTR_CIPHERS_<folder>, the folder's lines of the probe, one a cipher;
# GPUCTR_CUDA_FOLDERS, the folders with kernels for a device; and GPUCTR_TABLE_FOLDERS, those of them with forms
# that look up in tables.
set(GPUCTR_CIPHERS "" CACHE STRING "Folders of kernels/cipher to build, as lea;hight; empty: all")

file(GLOB folders RELATIVE ${PROJECT_SOURCE_DIR}/kernels/cipher CONFIGURE_DEPENDS
     ${PROJECT_SOURCE_DIR}/kernels/cipher/*/*)
list(TRANSFORM folders REPLACE "/.*" "")
list(REMOVE_DUPLICATES folders)
list(SORT folders)
set(GPUCTR_CIPHER_FOLDERS ${folders})
if(GPUCTR_CIPHERS)
  foreach(folder IN LISTS GPUCTR_CIPHERS)
    if(NOT folder IN_LIST folders)
      message(FATAL_ERROR "gpuctr: GPUCTR_CIPHERS names ${folder}; there are ${folders}")
    endif()
  endforeach()
  set(GPUCTR_CIPHER_FOLDERS ${GPUCTR_CIPHERS})
endif()
set(GPUCTR_GENERATED ${PROJECT_BINARY_DIR}/generated)
set(definitions "")
set(arrays "")
set(uses "")
foreach(folder IN LISTS GPUCTR_CIPHER_FOLDERS)
  foreach(file ${folder}.h vectors.txt)
    if(NOT EXISTS ${PROJECT_SOURCE_DIR}/kernels/cipher/${folder}/${file})
      message(FATAL_ERROR "gpuctr: kernels/cipher/${folder} has no ${file}; a cipher's folder needs ${folder}.h and "
                          "vectors.txt")
    endif()
  endforeach()
  string(APPEND definitions "#include \"kernels/cipher/${folder}/${folder}.h\"\n")
  set(type "const ProbeLines<folder::${folder}::kCount>")
  string(APPEND arrays "extern ${type} ${folder};\n"
                       "${type} ${folder} = probe_all(\"${folder}\", folder::${folder}{});\n")
  string(APPEND uses " + probed::${folder}.lines[0].text[count]")
endforeach()

# The probe: compiled, not run. Its answers hold as long as no header of the definitions changes.
file(CONFIGURE OUTPUT ${GPUCTR_GENERATED}/kernels/cipher/probe.cpp @ONLY CONTENT
"// Made by kernels/cmake/Ciphers.cmake.
#include \"kernels/cipher/probe.h\"
@definitions@
namespace gpuctr::probed {
@arrays@}  // namespace gpuctr::probed

int main(int count, char**) {
  using namespace gpuctr;
  return 0@uses@;
}
")
file(GLOB headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/kernels/base/*.h ${PROJECT_SOURCE_DIR}/kernels/cipher/*.h
     ${PROJECT_SOURCE_DIR}/kernels/cipher/*/*.h)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${headers})
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/probe)
set(state "${CMAKE_CXX_COMPILER} ${CMAKE_CXX_COMPILER_VERSION} ${CMAKE_CXX_FLAGS}")
foreach(header IN LISTS headers ITEMS ${GPUCTR_GENERATED}/kernels/cipher/probe.cpp)
  file(SHA256 ${header} hash)
  string(APPEND state " ${hash}")
endforeach()
string(SHA256 state "${state}")
if(NOT GPUCTR_PROBE_STATE STREQUAL state)
  try_compile(compiled ${PROJECT_BINARY_DIR}/probe SOURCES ${GPUCTR_GENERATED}/kernels/cipher/probe.cpp
              CMAKE_FLAGS -DINCLUDE_DIRECTORIES=${PROJECT_SOURCE_DIR} CXX_STANDARD 17 CXX_STANDARD_REQUIRED ON
              OUTPUT_VARIABLE log COPY_FILE ${PROJECT_BINARY_DIR}/probe/probe)
  if(NOT compiled)
    message(FATAL_ERROR "gpuctr: the definitions in kernels/cipher do not compile:\n${log}")
  endif()
  file(STRINGS ${PROJECT_BINARY_DIR}/probe/probe lines REGEX "^gpuctr-cipher folder=")
  set(GPUCTR_PROBE_LINES "${lines}" CACHE INTERNAL "What the probe of the ciphers said")
  set(GPUCTR_PROBE_STATE ${state} CACHE INTERNAL "Of which headers")
endif()

# gpuctr_word(<result> <line> <name>): the value of NAME=VALUE in a line of the probe.
function(gpuctr_word result line name)
  if(NOT line MATCHES " ${name}=([^ ]+)")
    message(FATAL_ERROR "gpuctr: the probe of the ciphers has no ${name}: ${line}")
  endif()
  set(${result} "${CMAKE_MATCH_1}" PARENT_SCOPE)
endfunction()

include(${CMAKE_CURRENT_LIST_DIR}/KnownAnswers.cmake)
set(GPUCTR_CUDA_FOLDERS "")
set(GPUCTR_CIPHER_KINDS "")
set(GPUCTR_TABLE_FOLDERS "")
set(GPUCTR_SPEC_SOURCES "")
set(lists "")
set(cuda_lists "CipherList<>")
set(arrays "")
set(pointers "")
set(count 0)
foreach(size block most_key schedule tweak)
  set(most_${size} 0)
endforeach()
foreach(folder IN LISTS GPUCTR_CIPHER_FOLDERS)
  set(lines ${GPUCTR_PROBE_LINES})
  list(FILTER lines INCLUDE REGEX "^gpuctr-cipher folder=${folder} ")
  set(GPUCTR_CIPHERS_${folder} ${lines})
  list(APPEND lists "folder::${folder}")
  gpuctr_known_answers(known_answers ${folder} ${lines})
  set(file ${GPUCTR_GENERATED}/kernels/cipher/${folder}_specs.cpp)
  list(APPEND GPUCTR_SPEC_SOURCES ${file})
  list(LENGTH lines here)
  set(specs "")
  math(EXPR last "${here} - 1")
  foreach(at RANGE ${last})
    string(APPEND specs "    spec_of<${at}>(folder::${folder}{}, ${count}, kAnswers),\n")
    string(APPEND pointers "    specs_${folder} + ${at},\n")
  endforeach()
  set(checks "")
  if(EXISTS ${PROJECT_SOURCE_DIR}/kernels/cipher/${folder}/checks.h)
    set(checks "#include \"kernels/cipher/${folder}/checks.h\"\n")
  endif()
  file(CONFIGURE OUTPUT ${file} @ONLY CONTENT
"// Made by kernels/cmake/Ciphers.cmake.
@checks@#include \"kernels/cipher/@folder@/@folder@.h\"
#include \"kernels/cipher/spec.h\"

namespace gpuctr {
namespace {

constexpr KnownAnswer kAnswers[] = {
@known_answers@};

}  // namespace

extern const CipherSpec specs_@folder@[@here@];
constexpr CipherSpec specs_@folder@[@here@] = {
@specs@};

}  // namespace gpuctr
")
  string(APPEND arrays "extern const CipherSpec specs_${folder}[${here}];\n")
  foreach(line IN LISTS lines)
    foreach(size block most_key schedule tweak)
      gpuctr_word(bytes "${line}" ${size})
      if(bytes GREATER most_${size})
        set(most_${size} ${bytes})
      endif()
      if(size STREQUAL "block" AND bytes LESS_EQUAL 16)
        list(APPEND GPUCTR_CIPHER_KINDS "a short block")
      endif()
    endforeach()
  endforeach()
  math(EXPR count "${count} + ${here}")
  if(lines MATCHES " generator=1 ")
    list(APPEND GPUCTR_CIPHER_KINDS "a generator")
  endif()
  if(lines MATCHES " legacy=0 ")
    list(APPEND GPUCTR_CIPHER_KINDS "a usual cipher")
  endif()
  if(EXISTS ${PROJECT_SOURCE_DIR}/kernels/cipher/${folder}/cuda.cu)
    list(APPEND GPUCTR_CUDA_FOLDERS ${folder})
    list(APPEND cuda_lists "folder::${folder}")
    # Its kernels look up in tables, and test/gpu/host/tables_test.cpp compares them with the definition.
    if(lines MATCHES " boxes=1 ")
      if(NOT EXISTS ${PROJECT_SOURCE_DIR}/kernels/cipher/${folder}/cuda_tables.h)
        message(FATAL_ERROR "gpuctr: kernels/cipher/${folder} has S-boxes and a cuda.cu, and no cuda_tables.h that "
                            "names the forms of its kernels in folder::${folder}_tables (kernels/cipher/cuda_words.h)")
      endif()
      list(APPEND GPUCTR_TABLE_FOLDERS ${folder})
      list(APPEND GPUCTR_CIPHER_KINDS "a form with tables")
    endif()
  endif()
endforeach()
list(JOIN lists ", " lists)
list(JOIN cuda_lists ", " cuda_lists)
file(CONFIGURE OUTPUT ${GPUCTR_GENERATED}/kernels/cipher/sizes.h @ONLY CONTENT
"// Made by kernels/cmake/Ciphers.cmake.
#pragma once
#include <cstddef>

namespace gpuctr {

constexpr std::size_t kCipherCount = @count@;

// Sizes in bytes that hold a block, a key, an expanded key, a tweak of any cipher of the build.
constexpr std::size_t kMaxBlockBytes = @most_block@;
constexpr std::size_t kMaxKeyBytes = @most_most_key@;
constexpr std::size_t kMaxScheduleBytes = @most_schedule@;
constexpr std::size_t kMaxTweakBytes = @most_tweak@;

}  // namespace gpuctr
")
file(CONFIGURE OUTPUT ${GPUCTR_GENERATED}/kernels/cipher/folders.h @ONLY CONTENT
"// Made by kernels/cmake/Ciphers.cmake.
#pragma once
#include \"kernels/cipher/registry.h\"
@definitions@
namespace gpuctr {
using AllCiphers = Joined<@lists@>::Type;
using CiphersWithCuda = Joined<@cuda_lists@>::Type;  // a cuda.cu in their folder
}
")
file(CONFIGURE OUTPUT ${GPUCTR_GENERATED}/kernels/cipher/folders_specs.h @ONLY CONTENT
"// Made by kernels/cmake/Ciphers.cmake.
#pragma once
#include \"kernels/cipher/registry.h\"

namespace gpuctr {
@arrays@const CipherSpec* const kSpecs[] = {
@pointers@};
}
")

# gpuctr_left_out(<result> <name> <needs>): whether the test or benchmark <name> needs ciphers that are not in this
# build. If so, one line names it and what it needs. A need is a folder, "a|b|c" for one of these folders, or
# "a generator", "a usual cipher", "a short block" or "a form with tables", which any folder may have: a cipher with a
# generator, one that is not a legacy cipher, one with a block of at most 16 bytes, and one with S-boxes and kernels for
# a device.
function(gpuctr_left_out result name)
  set(missing "")
  foreach(need IN LISTS ARGN)
    string(REPLACE "|" ";" one_of "${need}")
    list(REMOVE_ITEM one_of ${GPUCTR_CIPHER_FOLDERS} ${GPUCTR_CIPHER_KINDS})
    string(REPLACE ";" "|" none_of "${one_of}")
    if(none_of STREQUAL need)
      list(APPEND missing ${need})
    endif()
  endforeach()
  set(${result} OFF PARENT_SCOPE)
  if(missing)
    list(JOIN missing ", " missing)
    message(STATUS "gpuctr: left out: ${name} needs ${missing}")
    set(${result} ON PARENT_SCOPE)
  endif()
endfunction()
