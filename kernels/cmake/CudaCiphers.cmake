# The ciphers' CUDA kernels: for each folder a file that lists them, so that a change of a definition compiles nothing
# else. A folder without a cuda.cu takes the plain form, unless its ciphers are the CPU's work.
set(arrays "")
set(pointers "")
foreach(folder IN LISTS GPUCTR_CIPHER_FOLDERS)
  list(LENGTH GPUCTR_CIPHERS_${folder} count)
  math(EXPR last "${count} - 1")
  set(ending cpp)
  set(form "")
  set(ops "")
  if(folder IN_LIST GPUCTR_CUDA_FOLDERS)
    file(GLOB units CONFIGURE_DEPENDS cipher/${folder}/*.cu)
    target_sources(gpuctr_kernels PRIVATE ${units})
  elseif(GPUCTR_CIPHERS_${folder} MATCHES " legacy=0 ")
    set(ending cu)
    set(form "#include \"kernels/gpu/cuda/kernel/many/launch.cuh\"
#include \"kernels/gpu/cuda/kernel/wordwise/plain.cuh\"
#include \"kernels/gpu/cuda/kernel/wordwise/wordwise.cuh\"

namespace gpuctr {
template <class C>
const CudaOps& cuda_ops_of() {
  using Form = PlainForm<C>;
  static constexpr CudaOps kOps = [] {
    CudaOps ops = wordwise::kOps<Form, Form, Form>;
    if constexpr (wordwise::kExpands<Form>) ops.many = &many::kWordMany<Form>;
    return ops;
  }();
  return kOps;
}
}  // namespace gpuctr
")
  else()
    string(REPEAT "    nullptr,\n" ${count} nothing)
    string(APPEND pointers "${nothing}")
    continue()
  endif()
  foreach(at RANGE ${last})
    string(APPEND ops "    ops_or_none<${at}>(folder::${folder}{}),\n")
    string(APPEND pointers "    cuda_ops_${folder} + ${at},\n")
  endforeach()
  set(has_kernels "HasPlainForm<C>::value")
  if(ending STREQUAL "cpp")
    set(has_kernels true)
  endif()
  set(file ${GPUCTR_GENERATED}/kernels/gpu/cuda/ciphers_${folder}.${ending})
  file(CONFIGURE OUTPUT ${file} @ONLY CONTENT
"// Made by kernels/cmake/CudaCiphers.cmake.
#include <tuple>

#include \"kernels/cipher/@folder@/@folder@.h\"
#include \"kernels/gpu/cuda/kernels.h\"
@form@
namespace gpuctr {
namespace {

template <std::size_t kAt, class... All>
constexpr CudaOpsFunction ops_or_none(CipherList<All...>) {
  using C = std::tuple_element_t<kAt, std::tuple<All...>>;
  if constexpr (@has_kernels@) return cuda_ops_of<C>;
  return nullptr;
}

}  // namespace

extern const CudaOpsFunction cuda_ops_@folder@[@count@];
constexpr CudaOpsFunction cuda_ops_@folder@[@count@] = {
@ops@};

}  // namespace gpuctr
")
  target_sources(gpuctr_kernels PRIVATE ${file})
  string(APPEND arrays "extern const CudaOpsFunction cuda_ops_${folder}[${count}];\n")
endforeach()
file(CONFIGURE OUTPUT ${GPUCTR_GENERATED}/kernels/gpu/cuda/ciphers.h @ONLY CONTENT
"// Made by kernels/cmake/CudaCiphers.cmake.
#pragma once
#include \"kernels/gpu/cuda/kernels.h\"

namespace gpuctr {
@arrays@// In the order of the registry; nullptr: none in the folder.
constexpr const CudaOpsFunction* kCudaOps[] = {
@pointers@};
}
")
