# Finds the ciphers: the folders of kernels/cipher, or those of GPUCTR_CIPHERS. Writes the headers that
# name them, into GPUCTR_GENERATED, and sets GPUCTR_CIPHER_FOLDERS, and GPUCTR_CUDA_FOLDERS: those of
# them with kernels for a card.
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
foreach(folder IN LISTS GPUCTR_CIPHER_FOLDERS)
  string(APPEND definitions "#include \"kernels/cipher/${folder}/${folder}.h\"\n")
  string(APPEND answers "#include \"kernels/cipher/${folder}/known_answers.h\"\n")
  list(APPEND lists "folder::${folder}")
  if(EXISTS ${PROJECT_SOURCE_DIR}/kernels/cipher/${folder}/cuda.cu)
    list(APPEND GPUCTR_CUDA_FOLDERS ${folder})
    list(APPEND cuda_lists "folder::${folder}")
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

# gpuctr_left_out(<result> <name> <folders>): whether the test or benchmark <name> needs the ciphers of a folder
# that is not in this build. If so, one line names it and what it needs.
function(gpuctr_left_out result name)
  set(missing ${ARGN})
  list(REMOVE_ITEM missing ${GPUCTR_CIPHER_FOLDERS})
  set(${result} OFF PARENT_SCOPE)
  if(missing)
    list(JOIN missing ", " missing)
    message(STATUS "gpuctr: left out: ${name} needs ${missing}")
    set(${result} ON PARENT_SCOPE)
  endif()
endfunction()
