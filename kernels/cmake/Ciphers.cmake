# Finds the ciphers: the folders of kernels/cipher, or those of GPUCTR_CIPHERS. Writes the headers that
# name them, into GPUCTR_GENERATED, and sets GPUCTR_CIPHER_FOLDERS, and GPUCTR_CUDA_FOLDERS: those of
# them with kernels for a card. GPUCTR_TABLE_FOLDERS: those of them with forms that look up in tables.
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
foreach(folder IN LISTS GPUCTR_CIPHER_FOLDERS)
  foreach(file ${folder}.h known_answers.h vectors.txt)
    if(NOT EXISTS ${PROJECT_SOURCE_DIR}/kernels/cipher/${folder}/${file})
      message(FATAL_ERROR "gpuctr: kernels/cipher/${folder} has no ${file}; a cipher's folder needs ${folder}.h, "
                          "known_answers.h and vectors.txt")
    endif()
  endforeach()
endforeach()

set(GPUCTR_GENERATED ${PROJECT_BINARY_DIR}/generated)
set(definitions "")
set(answers "")
set(lists "")
set(cuda_lists "CipherList<>")
set(GPUCTR_CUDA_FOLDERS "")
set(GPUCTR_CIPHER_KINDS "")
set(GPUCTR_TABLE_FOLDERS "")
foreach(folder IN LISTS GPUCTR_CIPHER_FOLDERS)
  string(APPEND definitions "#include \"kernels/cipher/${folder}/${folder}.h\"\n")
  string(APPEND answers "#include \"kernels/cipher/${folder}/known_answers.h\"\n")
  list(APPEND lists "folder::${folder}")
  file(STRINGS kernels/cipher/${folder}/known_answers.h generator REGEX "GeneratorAnswer kGenerator")
  if(generator)
    list(APPEND GPUCTR_CIPHER_KINDS "a generator") # the registry asserts that a cipher has it with this answer only
  endif()
  file(STRINGS kernels/cipher/${folder}/${folder}.h legacy REGEX "f.legacy = true")
  if(NOT legacy)
    list(APPEND GPUCTR_CIPHER_KINDS "a usual cipher")
  endif()
  if(EXISTS ${PROJECT_SOURCE_DIR}/kernels/cipher/${folder}/cuda.cu)
    list(APPEND GPUCTR_CUDA_FOLDERS ${folder})
    list(APPEND cuda_lists "folder::${folder}")
    file(STRINGS kernels/cipher/${folder}/${folder}.h boxes REGEX "f.boxes = true")
    if(boxes) # its kernels look up in tables, and test/gpu/tables_test.cpp compares them with the definition
      set(named "")
      if(EXISTS ${PROJECT_SOURCE_DIR}/kernels/cipher/${folder}/tables.h)
        file(STRINGS kernels/cipher/${folder}/tables.h named REGEX "using ${folder}_tables =")
      endif()
      if(NOT named)
        message(FATAL_ERROR "gpuctr: kernels/cipher/${folder} has S-boxes and a cuda.cu, and no tables.h that names "
                            "the forms of its kernels in folder::${folder}_tables (kernels/cipher/table_words.h)")
      endif()
      list(APPEND GPUCTR_TABLE_FOLDERS ${folder})
      list(APPEND GPUCTR_CIPHER_KINDS "a form with tables")
    endif()
  endif()
endforeach()
list(JOIN lists ", " lists)
list(JOIN cuda_lists ", " cuda_lists)
file(CONFIGURE OUTPUT ${GPUCTR_GENERATED}/kernels/cipher/folders.h @ONLY CONTENT
"// Made by kernels/cmake/Ciphers.cmake.
#pragma once
#include \"kernels/cipher/facts.h\"
@definitions@
namespace gpuctr {
using AllCiphers = Joined<@lists@>::Type;
}
")
file(CONFIGURE OUTPUT ${GPUCTR_GENERATED}/kernels/cipher/folders_cuda.h @ONLY CONTENT
"// Made by kernels/cmake/Ciphers.cmake.
#pragma once
#include \"kernels/cipher/folders.h\"

namespace gpuctr {
using CiphersWithCuda = Joined<@cuda_lists@>::Type;  // a cuda.cu in their folder
}
")
file(CONFIGURE OUTPUT ${GPUCTR_GENERATED}/kernels/cipher/folders_known_answers.h @ONLY CONTENT
"// Made by kernels/cmake/Ciphers.cmake.
#pragma once
@answers@")

# gpuctr_left_out(<result> <name> <needs>): whether the test or benchmark <name> needs ciphers that are not in this
# build. If so, one line names it and what it needs. A need is a folder, "a|b|c" for one of these folders, or
# "a generator", "a usual cipher" or "a form with tables", which any folder may have: a cipher with a generator, one
# that is not a legacy cipher, and one with S-boxes and kernels for a card.
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
