# The CPU backends: for each and each folder of ciphers a file of its own, which this writes, so that
# they compile side by side and a new cipher compiles nothing else. Each is compiled for its own
# instruction set, and run only where the CPU has it.
include(${CMAKE_CURRENT_LIST_DIR}/Many.cmake)
set(tables "")

# The facts of gpuctr_cpu_backend() that one of the folder's ciphers has.
function(gpuctr_folder_facts result folder)
  set(facts "")
  foreach(line IN LISTS GPUCTR_CIPHERS_${folder})
    foreach(fact boxes tables rotation_sums bit_sliced)
      if(line MATCHES " ${fact}=1 ")
        list(APPEND facts ${fact})
      endif()
    endforeach()
    if(line MATCHES " boxes=0 ")
      list(APPEND facts plain)
    endif()
    if(line MATCHES " word=2 .* rotations=1 ")
      list(APPEND facts rotations16)
    elseif(line MATCHES " word=2 ")
      list(APPEND facts products)
    endif()
    if(line MATCHES " block=(32|64|128) ")
      list(APPEND facts long_blocks)
    endif()
  endforeach()
  set(${result} ${facts} PARENT_SCOPE)
endfunction()

# gpuctr_engine(<headers> <ops> <name> <header> <vectors> <facts> <options>): for ciphers with these facts on the
# backend <name>, the #include lines of a unit, and the expression that is the table of functions of cipher C.
function(gpuctr_engine headers ops name header vectors facts options)
  set(boxes ${header})
  string(REPLACE ".h" "_boxes.h" own_boxes ${header})
  set(box_vectors ${vectors})
  if(EXISTS ${PROJECT_SOURCE_DIR}/kernels/cpu/${own_boxes})
    set(boxes ${own_boxes})
    set(box_vectors ${vectors}Boxes)
  endif()
  set(arguments "<${vectors}<C>, ${vectors}Narrow<C>, C>()")
  set(box_arguments "<${box_vectors}<C>, ${box_vectors}Narrow<C>, C>()")
  if("${name}" STREQUAL "scalar")
    set(kinds plain boxes tables bit_sliced)
    set(engines wordwise boxes tables bitsliced)
    set(makers wordwise box table bitsliced)
    foreach(kind engine maker IN ZIP_LISTS kinds engines makers)
      if(kind IN_LIST facts)
        set(includes scalar/${engine}.h)
        set(made "${maker}_ops<C>()")
      endif()
    endforeach()
  elseif("tables" IN_LIST facts)
    set(includes x86/vbmi_tables.h ${header})
    set(made "vbmi_table_ops<${vectors}<C>, C>()")
  elseif("bit_sliced" IN_LIST facts)
    set(few simd/des_words.h DesWords)
    if("${name}" STREQUAL "avx512_gfni")
      set(few x86/des_vbmi.h DesVbmi)
    elseif(name MATCHES "^avx")
      set(few x86/des_shifts.h DesShifts)
    endif()
    list(POP_FRONT few few_header few_blocks)
    set(includes ${few_header} ${header})
    set(made "des_ops<${vectors}<C>, C, ${few_blocks}<C>>()")
  elseif("aes" IN_LIST facts AND "-maes" IN_LIST options)
    set(includes simd/aes_modes.h x86/aes.h ${boxes})
    set(made "simd::aes_ops${box_arguments}")
  elseif("boxes" IN_LIST facts)
    set(includes simd/boxes.h ${boxes})
    set(made "simd::box_ops${box_arguments}")
  else()
    set(includes simd/wordwise.h ${header})
    if("${name}" STREQUAL "avx512_gfni")
      list(PREPEND includes simd/drbg_batch.h)
    endif()
    if("products" IN_LIST facts)
      list(PREPEND includes simd/products.h)
    endif()
    if("rotation_sums" IN_LIST facts)
      list(PREPEND includes simd/rotation_sums.h)
    endif()
    if("long_blocks" IN_LIST facts)
      list(PREPEND includes simd/long_blocks.h)
    endif()
    set(made "simd::wordwise_ops${arguments}")
  endif()
  list(TRANSFORM includes PREPEND "#include \"kernels/cpu/")
  list(TRANSFORM includes APPEND "\"\n")
  list(JOIN includes "" includes)
  set(${headers} "${includes}" PARENT_SCOPE)
  set(${ops} "${made}" PARENT_SCOPE)
endfunction()

# gpuctr_cpu_backend(<name> <header> <vectors> <of this CPU> [BESIDE <backend> OWN <fact>[,<fact>...]] <options>):
# <name> as a C identifier, <header> in kernels/cpu. The header names the templates <vectors> and <vectors>Narrow, the
# backend's vectors for a cipher; <header>_boxes.h, where it exists, those for ciphers with S-boxes. With BESIDE only
# ciphers with one of the facts OWN have functions of this backend; the others use those of <backend>, which is above.
# Facts: boxes (S-boxes that are affine maps and an inversion), plain (none), tables (S-boxes in memory),
# rotation_sums (HIGHT's linear maps), rotations16 (words of 16 bits that are rotated), bit_sliced (DES). The files of
# other CPUs' backends are only written, for kernels_neon to compile.
function(gpuctr_cpu_backend name header vectors built)
  set(own "")
  set(beside "")
  set(given ${ARGN})
  if(ARGV4 STREQUAL BESIDE)
    list(POP_FRONT given word beside word own)
    string(REPLACE "," ";" own "${own}")
  endif()
  if(built)
    list(JOIN given "," options) # for tests, which compile other ciphers
    set(toys Toys)
    if(beside AND NOT own MATCHES "plain|rotations16") # else words and rotations are this backend's own
      set(toys BoxToys)
    endif()
    set_property(GLOBAL APPEND PROPERTY GPUCTR_BUILT_BACKENDS ${name} ${header} ${vectors} ${toys} ${options})
  endif()
  list(JOIN own "|" own_pattern)
  set(arrays "")
  set(copies "")
  set(many_copies "")
  foreach(folder IN LISTS GPUCTR_CIPHER_FOLDERS)
    gpuctr_folder_facts(facts ${folder})
    list(LENGTH GPUCTR_CIPHERS_${folder} count)
    gpuctr_many_copy()
    # In integer registers everywhere, but where VPERMI2B looks up.
    if("tables" IN_LIST facts AND NOT name MATCHES "^(scalar|avx512_gfni)$")
      string(APPEND copies "  fill(scalar_${folder}, ${count}, &ops);\n")
      continue()
    endif()
    list(GET GPUCTR_CIPHERS_${folder} 0 line)
    gpuctr_word(aes "${line}" aes_rounds)
    if(aes)
      list(APPEND facts aes)
    endif()
    set(tuning "")
    foreach(form block_vector x86_boxes)
      if(EXISTS ${PROJECT_SOURCE_DIR}/kernels/cipher/${folder}/${form}.h AND
         NOT name STREQUAL "scalar" AND (header MATCHES "^x86/" OR form STREQUAL "block_vector"))
        string(APPEND tuning "#include \"kernels/cipher/${folder}/${form}.h\"\n")
      endif()
    endforeach()
    gpuctr_engine(headers ops ${name} ${header} ${vectors} "${facts}" "${given}")
    list(FILTER facts INCLUDE REGEX "^(${own_pattern})$")
    if(beside AND NOT facts)
      string(APPEND copies "  fill(${beside}_${folder}, ${count}, &ops);\n")
      continue()
    endif()
    set(file ${GPUCTR_GENERATED}/kernels/cpu/${name}_${folder}.cpp)
    file(CONFIGURE OUTPUT ${file} @ONLY CONTENT
"// Made by kernels/cmake/Backends.cmake.
#include \"kernels/cipher/@folder@/@folder@.h\"
@tuning@@headers@
namespace gpuctr {
namespace {

template <class C>
constexpr CipherOps kOps = @ops@;
template <class List>
struct Ops;
template <class... C>
struct Ops<CipherList<C...>> {
  static constexpr CipherOps kAll[] = {kOps<C>...};
};

}  // namespace

namespace cpu {
extern const CipherOps* const @name@_@folder@;
const CipherOps* const @name@_@folder@ = Ops<folder::@folder@>::kAll;
}  // namespace cpu
}  // namespace gpuctr
")
    if(built)
      target_sources(gpuctr_kernels PRIVATE ${file})
      set(options ${given})
      set(gcc_options "")
      include(${PROJECT_SOURCE_DIR}/kernels/cipher/${folder}/tuning.cmake OPTIONAL)
      if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
        list(APPEND options ${gcc_options})
      endif()
      if(NOT name STREQUAL "scalar")
        set(frame frame)
        if("-mavx512bw" IN_LIST options)
          set(frame frame_64)
          if("-mgfni" IN_LIST options)
            set(frame frame_64_gfni)
          endif()
        elseif("-maes" IN_LIST options)
          set(frame frame_aes)
        endif()
        gpuctr_limit_frames(options ${folder} ${frame})
      endif()
      set_source_files_properties(${file} PROPERTIES COMPILE_OPTIONS "${options}")
    endif()
    string(APPEND arrays "extern const CipherOps* const ${name}_${folder};\n")
    string(APPEND copies "  fill(${name}_${folder}, ${count}, &ops);\n")
  endforeach()
  set(tables "${tables}${arrays}inline void fill_${name}(CipherOps* ops) {\n${copies}}
inline void fill_many_${name}([[maybe_unused]] const ManyOps** many) {\n${many_copies}}\n" PARENT_SCOPE)
endfunction()

# Compiles a file into the kernels, with these options beside the library's.
function(gpuctr_unit file)
  target_sources(gpuctr_kernels PRIVATE ${file})
  set_source_files_properties(${file} PROPERTIES COMPILE_OPTIONS "${ARGN}")
endfunction()

# gpuctr_unit_of_every_cipher(<file> <frame> <options>): as gpuctr_unit, with a warning of frames beyond the probe's
# `frame`, which is the same in every cipher's folder.
function(gpuctr_unit_of_every_cipher file frame)
  set(options ${ARGN})
  list(GET GPUCTR_CIPHER_FOLDERS 0 folder)
  gpuctr_limit_frames(options ${folder} ${frame})
  gpuctr_unit(${file} ${options})
endfunction()

# gpuctr_cpu_ghash(<name> <header> <of this CPU> <options>): a form of GHASH, as above.
function(gpuctr_cpu_ghash name header built)
  set(file ${GPUCTR_GENERATED}/kernels/cpu/${name}_ghash.cpp)
  file(CONFIGURE OUTPUT ${file} @ONLY CONTENT
"// Made by kernels/cmake/Backends.cmake.
#include \"kernels/cpu/@header@\"

namespace gpuctr::cpu {
extern const GhashOps @name@_ghash;
const GhashOps @name@_ghash = {kPowers, expand,   begin,       grow,         update,
                               polyval, multiply, expand_rows, multiply_rows};
}  // namespace gpuctr::cpu
")
  if(built)
    set(frame ghash_frame)
    if("-mavx512bw" IN_LIST ARGN)
      set(frame ghash_frame_64)
    endif()
    gpuctr_unit_of_every_cipher(${file} ${frame} ${ARGN})
  endif()
  set(tables "${tables}extern const GhashOps ${name}_ghash;\n" PARENT_SCOPE)
endfunction()

# gpuctr_cpu_aes(<name> <header> <vectors> <of this CPU> <options>): the modes of AES that are units of their own on a
# backend with AES instructions, whose header has the vectors.
set(aes_siv_unit simd/aes_siv.h AesSivCtr SivCtr siv_frame)
set(aes_gcm_unit x86/aes_gcm.h AesGcm GcmUnit gcm_frame)
set(aes_xts_unit x86/aes_xts.h AesXts XtsOperation aes_xts_frame)
function(gpuctr_cpu_aes name header vectors built)
  foreach(mode siv gcm xts)
    list(GET aes_${mode}_unit 0 mode_header)
    list(GET aes_${mode}_unit 1 struct)
    list(GET aes_${mode}_unit 2 type)
    list(GET aes_${mode}_unit 3 frame)
    set(file ${GPUCTR_GENERATED}/kernels/cpu/${name}_${mode}.cpp)
    file(CONFIGURE OUTPUT ${file} @ONLY CONTENT
"// Made by kernels/cmake/Backends.cmake.
#include \"kernels/cipher/aes/aes.h\"
#include \"kernels/cpu/x86/aes.h\"
#include \"kernels/cpu/@mode_header@\"
#include \"kernels/cpu/@header@\"

namespace gpuctr::cpu {
extern @type@ const @name@_@mode@;
@type@ const @name@_@mode@ = simd::@struct@<@vectors@<Aes<128>>, AesRounds>::kUnit;
}  // namespace gpuctr::cpu
")
    if(built)
      gpuctr_unit_of_every_cipher(${file} ${frame} ${ARGN})
    endif()
    string(APPEND tables "extern ${type} const ${name}_${mode};\n")
  endforeach()
  set(tables "${tables}" PARENT_SCOPE)
endfunction()

# gpuctr_cpu_xts(<name> <header> <class> <of this CPU> <options>): the masks of XTS in the vectors of a backend, by the
# class of the header.
function(gpuctr_cpu_xts name header class built)
  set(file ${GPUCTR_GENERATED}/kernels/cpu/${name}_xts.cpp)
  if("${name}" STREQUAL "scalar")
    set(includes "#include \"kernels/cpu/${header}\"\n")
  else()
    set(includes "#include \"kernels/cpu/simd/xts_masks.h\"\n#include \"kernels/cpu/${header}\"\n")
  endif()
  file(CONFIGURE OUTPUT ${file} @ONLY CONTENT
"// Made by kernels/cmake/Backends.cmake.
@includes@
namespace gpuctr::cpu {
extern const XtsMasks @name@_xts_masks;
const XtsMasks @name@_xts_masks = @class@::run;
}  // namespace gpuctr::cpu
")
  if(built)
    gpuctr_unit_of_every_cipher(${file} xts_frame ${ARGN})
  endif()
  set(tables "${tables}extern const XtsMasks ${name}_xts_masks;\n" PARENT_SCOPE)
endfunction()

# The bytes of stack that code wipes are bounds of GCC 12 and Clang 14 with the flags of a release build. Later
# compilers pass kernels_wipe_test with twice as much: GCC 13 has a frame of 640 bytes where GCC 12 has less
# than 512. GCC 16 passes with four times as much, which compilers that were never tried get as well
# (GPUCTR_WIPE_FACTOR of base/wipe.h).
string(REGEX MATCH "^[0-9]+" compiler "${CMAKE_CXX_COMPILER_VERSION}")
set(compiler "${CMAKE_CXX_COMPILER_ID} ${compiler}")
set(GPUCTR_WIPE_FACTOR 4)
if(CMAKE_BUILD_TYPE MATCHES "^(Release|RelWithDebInfo)$")
  if(compiler MATCHES "^(GNU 12|Clang 14)$")
    set(GPUCTR_WIPE_FACTOR 1)
  elseif(compiler MATCHES "^(GNU 13|GNU 14|Clang 19|Clang 21)$")
    set(GPUCTR_WIPE_FACTOR 2)
  endif()
endif()
if(GPUCTR_WIPE_FACTOR GREATER 1)
  message(STATUS "gpuctr: ${compiler}, ${CMAKE_BUILD_TYPE}: wipes ${GPUCTR_WIPE_FACTOR} times the stack")
endif()
target_compile_definitions(gpuctr_kernels PUBLIC GPUCTR_WIPE_FACTOR=${GPUCTR_WIPE_FACTOR})

# Adds to the list of options that `list_name` names a warning of frames beyond the folder's `frame` in the probe.
function(gpuctr_limit_frames list_name folder frame)
  if("-O3" IN_LIST ${list_name}) # not with sanitizers, nor for debugging
    set(most 0)
    foreach(line IN LISTS GPUCTR_CIPHERS_${folder})
      gpuctr_word(bytes "${line}" ${frame})
      if(bytes GREATER most)
        set(most ${bytes})
      endif()
    endforeach()
    math(EXPR most "${most} * ${GPUCTR_WIPE_FACTOR}")
    set(${list_name} ${${list_name}} -Wframe-larger-than=${most} PARENT_SCOPE)
  endif()
endfunction()

# The options of a SIMD backend into `result`.
function(gpuctr_simd_options result)
  set(options ${ARGN})
  if(NOT GPUCTR_SANITIZE AND NOT CMAKE_BUILD_TYPE STREQUAL Debug)
    # With -O2, as distributions build, GCC spills more than what is wiped (base/frames.h).
    list(APPEND options -O3)
  endif()
  if(GPUCTR_FUZZ)
    # Instrumented in full these files take clang minutes each. The fuzzer keeps AddressSanitizer here,
    # through calls; its branches are in the rest, and `./run test asan` has everything.
    list(APPEND options -O1 -g0 -Wno-pass-failed -fno-sanitize=undefined,fuzzer-no-link
         -mllvm -asan-instrumentation-with-call-threshold=0)
  elseif(GPUCTR_SANITIZE MATCHES thread)
    # At -O2 GCC 12 makes wrong code of Threefish-512's decryption on AVX-512, at -O1 and -O3 right code, as Clang
    # does; without ThreadSanitizer it is right at each.
    list(APPEND options -O1)
  elseif(GPUCTR_SANITIZE MATCHES address)
    # A batch is thousands of temporaries, all inlined. With the stack's checks GCC takes minutes for
    # a file; accesses to memory are still checked.
    list(APPEND options -fno-sanitize-address-use-after-scope)
    if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
      list(APPEND options --param=asan-stack=0)
    endif()
  endif()
  set(${result} ${options} PARENT_SCOPE)
endfunction()

string(REGEX MATCH "^(x86_64|AMD64)$" x86 "${CMAKE_SYSTEM_PROCESSOR}")
string(REGEX MATCH "^(aarch64|arm64)$" arm "${CMAKE_SYSTEM_PROCESSOR}")
set(x86_avx512 -mavx512f -mavx512bw -mavx512dq -mavx512vl)
gpuctr_simd_options(sse -mssse3)
gpuctr_simd_options(sse_aesni -msse4.2 -maes)
gpuctr_simd_options(avx2 -mavx2)
gpuctr_simd_options(avx2_aesni -mavx2 -maes)
gpuctr_simd_options(avx2_vaes -mavx2 -maes -mvaes)
gpuctr_simd_options(avx2_gfni -mavx2 -mgfni -maes -mvaes)
gpuctr_simd_options(avx512 ${x86_avx512} -maes)
gpuctr_simd_options(avx512_gfni ${x86_avx512} -mgfni -mavx512vbmi -mavx512vbmi2
                    -maes -mvaes)
gpuctr_simd_options(neon)
# GCC's vectoriser slows bit-slicing in integers by a half. Its search for equal loads takes half of the time
# of CAST5's file: the limit is a tenth of GCC's own.
set(scalar -fno-tree-vectorize -fno-tree-slp-vectorize)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  list(APPEND scalar --param=sccvn-max-alias-queries-per-access=100)
endif()
gpuctr_cpu_backend(scalar scalar/wordwise.h Scalar ON ${scalar})
gpuctr_cpu_backend(sse x86/sse.h Sse "${x86}" ${sse})
gpuctr_cpu_backend(sse_aesni x86/sse_aesni.h SseAesNi "${x86}" BESIDE sse OWN boxes ${sse_aesni})
# Every CPU with AVX2 has AES-NI, so `avx2` is chosen by itself only where a virtual machine hides AES-NI.
gpuctr_cpu_backend(avx2 x86/avx2.h Avx2 "${x86}" BESIDE sse OWN plain ${avx2})
gpuctr_cpu_backend(avx2_aesni x86/avx2_aes.h Avx2AesNi "${x86}" BESIDE avx2 OWN boxes ${avx2_aesni})
gpuctr_cpu_backend(avx2_vaes x86/avx2_aes.h Avx2Vaes "${x86}" BESIDE avx2 OWN boxes ${avx2_vaes})
# Without S-boxes GFNI serves the rotations of HIGHT only, and VBMI those of 16-bit words and the look-ups
# of DES. For the other ciphers the compiler would make the same code a second time.
gpuctr_cpu_backend(avx2_gfni x86/avx2_gfni.h Avx2Gfni "${x86}" BESIDE avx2 OWN boxes,rotation_sums ${avx2_gfni})
# AVX-512 without GFNI could look S-boxes up in vectors of 64 bytes by shuffles. AES-NI in vectors of 32 bytes was
# as fast (SEED) to twice as fast (ARIA) on a Zen 4. On a Skylake both take about 0.19 cycles a byte, by count.
# Shuffles win on a Zen 5 only, which has GFNI. No CPU has AVX-512 and lacks AES-NI.
gpuctr_cpu_backend(avx512 x86/avx512.h Avx512 "${x86}" BESIDE avx2_aesni OWN plain ${avx512})
gpuctr_cpu_backend(avx512_gfni x86/avx512_gfni.h Avx512Gfni "${x86}" BESIDE avx512
                   OWN boxes,tables,rotation_sums,rotations16,bit_sliced ${avx512_gfni})
gpuctr_cpu_backend(neon arm/neon.h Neon "${arm}" ${neon})
gpuctr_many_modes(sse x86/sse.h Sse "${x86}" ${sse})
gpuctr_many_modes(avx2 x86/avx2.h Avx2 "${x86}" ${avx2})
gpuctr_many_modes(avx512 x86/avx512.h Avx512 "${x86}" ${avx512})
gpuctr_many_modes(neon arm/neon.h Neon "${arm}" ${neon})
gpuctr_cpu_ghash(sse x86/ghash.h "${x86}" ${sse} -mpclmul)
gpuctr_cpu_ghash(avx2 x86/ghash.h "${x86}" ${avx2} -mpclmul)
gpuctr_cpu_ghash(avx2_vpclmul x86/ghash.h "${x86}" ${avx2} -mpclmul -mvpclmulqdq)
gpuctr_cpu_ghash(avx512_vpclmul x86/ghash.h "${x86}" ${avx512} -mpclmul -mvpclmulqdq)
gpuctr_cpu_ghash(scalar scalar/ghash.h ON -fno-tree-vectorize -fno-tree-slp-vectorize)
gpuctr_cpu_aes(sse_aesni x86/sse_aesni.h SseAesNi "${x86}" ${sse_aesni} -mpclmul)
gpuctr_cpu_aes(avx2_aesni x86/avx2_aes.h Avx2AesNi "${x86}" ${avx2_aesni} -mpclmul)
gpuctr_cpu_aes(avx2_vaes x86/avx2_aes.h Avx2Vaes "${x86}" ${avx2_vaes} -mpclmul -mvpclmulqdq)
gpuctr_cpu_aes(avx512_gfni x86/avx512_gfni_boxes.h Avx512GfniBoxes "${x86}" ${avx512_gfni} -mpclmul -mvpclmulqdq)
gpuctr_cpu_xts(sse x86/wipe.h "XtsMaskVectors<simd::X86<16>>" "${x86}" ${sse})
gpuctr_cpu_xts(avx2 x86/wipe.h "XtsMaskVectors<simd::X86<32>>" "${x86}" ${avx2})
gpuctr_cpu_xts(avx512 x86/wipe.h "XtsMaskVectors<simd::X86<64>>" "${x86}" ${avx512})
gpuctr_cpu_xts(neon arm/neon.h "XtsMaskVectors<NeonVectors>" "${arm}" ${neon})
gpuctr_cpu_xts(scalar scalar/xts_masks.h ScalarXtsMasks ON -fno-tree-vectorize -fno-tree-slp-vectorize)
if(x86)
  target_compile_definitions(gpuctr_kernels PRIVATE GPUCTR_X86)
elseif(arm)
  target_compile_definitions(gpuctr_kernels PRIVATE GPUCTR_NEON)
endif()

file(CONFIGURE OUTPUT ${GPUCTR_GENERATED}/kernels/cpu/backend_tables.h @ONLY CONTENT
"// Made by kernels/cmake/Backends.cmake: the functions of each backend in the order of AllCiphers, and
// the forms of GHASH.
#pragma once
#include <algorithm>

#include \"kernels/cpu/backend.h\"
#include \"kernels/cpu/base/gcm_text.h\"

namespace gpuctr::cpu {

// Copies the functions of a folder's ciphers and steps over them.
inline void fill(const CipherOps* from, std::size_t count, CipherOps** ops) {
  *ops = std::copy_n(from, count, *ops);
}
inline void fill(const ManyOps* from, std::size_t count, const ManyOps*** many) {
  for (; count != 0; --count) *(*many)++ = from++;
}

@tables@
}  // namespace gpuctr::cpu
")
