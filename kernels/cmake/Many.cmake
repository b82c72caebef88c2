# The units of ManyOps (kernels/cpu/base/many.h), for Backends.cmake.

# gpuctr_many(<name> <header> <vectors> <folder> <of this CPU> <facts> <options>): a unit with the folder's ManyOps on
# the backend <name>.
function(gpuctr_many name header vectors folder built facts options)
  set(kind words)
  if("aes" IN_LIST facts AND "-maes" IN_LIST options)
    set(kind aes)
  endif()
  string(REPLACE ".h" "_boxes.h" boxes ${header})
  if("boxes" IN_LIST facts AND EXISTS ${PROJECT_SOURCE_DIR}/kernels/cpu/${boxes})
    set(header ${boxes})
    string(APPEND vectors Boxes)
  endif()
  set(own "")
  if("${kind}" STREQUAL "aes")
    set(own "#include \"kernels/cpu/x86/aes.h\"\n")
  elseif("rotation_sums" IN_LIST facts)
    set(own "#include \"kernels/cpu/simd/rotation_sums.h\"\n")
  elseif("boxes" IN_LIST facts)
    set(own "#include \"kernels/cpu/simd/box.h\"\n")
  endif()
  set(file ${GPUCTR_GENERATED}/kernels/cpu/many/${name}_${folder}.cpp)
  file(CONFIGURE OUTPUT ${file} @ONLY CONTENT
"// Made by kernels/cmake/Backends.cmake.
#include \"kernels/cipher/@folder@/@folder@.h\"
#include \"kernels/cpu/simd/many/@kind@.h\"
@own@#include \"kernels/cpu/@header@\"

namespace gpuctr {
namespace {

template <class List>
struct Many;
template <class... C>
struct Many<CipherList<C...>> {
  static constexpr ManyOps kAll[] = {simd::many_@kind@_ops<@vectors@<C>, C>()...};
};

}  // namespace

namespace cpu {
extern const ManyOps* const many_@name@_@folder@;
const ManyOps* const many_@name@_@folder@ = Many<folder::@folder@>::kAll;
}  // namespace cpu
}  // namespace gpuctr
")
  if(built)
    gpuctr_unit(${file} ${options})
  endif()
endfunction()

# gpuctr_many_unit(<unit> <name> <beside> <own> <folder> <facts>): the backend whose unit of the folder's
# ManyOps the backend <name> uses, or nothing; <own>: it has functions of its own for the folder.
function(gpuctr_many_unit unit name beside own folder facts)
  list(GET GPUCTR_CIPHERS_${folder} 0 line)
  set(${unit} "" PARENT_SCOPE)
  if("${name}" STREQUAL "scalar" OR line MATCHES " legacy=1 " OR NOT line MATCHES " block=(8|16) ")
    return()
  endif()
  if("tables" IN_LIST facts OR "bit_sliced" IN_LIST facts OR "products" IN_LIST facts)
    return()
  endif()
  if(NOT ${own})
    set(${unit} "${GPUCTR_MANY_${beside}_${folder}}" PARENT_SCOPE)
    return()
  endif()
  if("aes" IN_LIST facts AND "${name}" STREQUAL "avx2_gfni")
    set(name "avx2_vaes")
  endif()
  set(${unit} ${name} PARENT_SCOPE)
endfunction()

# Part of gpuctr_cpu_backend(), for a folder.
macro(gpuctr_many_copy)
  set(many_facts ${facts})
  list(GET GPUCTR_CIPHERS_${folder} 0 line)
  gpuctr_word(aes "${line}" aes_rounds)
  if(aes)
    list(APPEND many_facts aes)
  endif()
  set(has_own ON)
  set(own_facts ${facts})
  list(FILTER own_facts INCLUDE REGEX "^(${own_pattern})$")
  if(beside AND NOT own_facts)
    set(has_own OFF)
  endif()
  gpuctr_many_unit(unit ${name} "${beside}" ${has_own} ${folder} "${many_facts}")
  set(GPUCTR_MANY_${name}_${folder} "${unit}" PARENT_SCOPE)
  if(unit)
    string(APPEND many_copies "  fill(many_${unit}_${folder}, ${count}, &many);\n")
    if("${unit}" STREQUAL "${name}")
      gpuctr_many(${name} ${header} ${vectors} ${folder} "${built}" "${many_facts}" "${given}")
      string(APPEND arrays "extern const ManyOps* const many_${name}_${folder};\n")
    endif()
  else()
    string(APPEND many_copies "  many += ${count};\n")
  endif()
endmacro()

# gpuctr_many_modes(<name> <header> <vectors> <of this CPU> <options>): the modes of ManyOps in these vectors.
function(gpuctr_many_modes name header vectors built)
  set(file ${GPUCTR_GENERATED}/kernels/cpu/many/${name}_modes.cpp)
  file(CONFIGURE OUTPUT ${file} @ONLY CONTENT
"// Made by kernels/cmake/Backends.cmake.
#include \"kernels/cpu/simd/many/modes.h\"
#include \"kernels/cpu/@header@\"

namespace gpuctr::cpu {
extern const ManyModes many_@name@_8, many_@name@_16;
const ManyModes many_@name@_8 = simd::ManyRows<@vectors@Vectors, 8>::kModes;
const ManyModes many_@name@_16 = simd::ManyRows<@vectors@Vectors, 16>::kModes;
}  // namespace gpuctr::cpu
")
  if(built)
    gpuctr_unit(${file} ${ARGN})
  endif()
  set(tables "${tables}extern const ManyModes many_${name}_8, many_${name}_16;\n" PARENT_SCOPE)
endfunction()
