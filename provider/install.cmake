# cmake --install and the Debian package. Every path is relative to the prefix, which is OpenSSL's
# own unless the user names one: so the module lands in OpenSSL's MODULESDIR, and --prefix, DESTDIR
# and packaging all work.
include(GNUInstallDirs)
find_package(PkgConfig QUIET)
if(PkgConfig_FOUND)
  pkg_get_variable(openssl_prefix libcrypto prefix)
  pkg_get_variable(openssl_modules libcrypto modulesdir)
endif()
if(openssl_prefix AND openssl_modules)
  file(RELATIVE_PATH modules_dir ${openssl_prefix} ${openssl_modules})
  if(CMAKE_INSTALL_PREFIX_INITIALIZED_TO_DEFAULT)
    set_property(CACHE CMAKE_INSTALL_PREFIX PROPERTY VALUE ${openssl_prefix})
  endif()
endif()
if(NOT modules_dir OR modules_dir MATCHES "^\\.\\.")
  set(modules_dir ${CMAKE_INSTALL_LIBDIR}/ossl-modules)
endif()
set(GPUCTR_MODULES_DIR ${modules_dir} CACHE STRING "Where the module goes, under the prefix")

install(TARGETS gpuctr LIBRARY DESTINATION ${GPUCTR_MODULES_DIR} COMPONENT gpuctr)
install(TARGETS gpuctr-check RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT gpuctr)
install(FILES ${CMAKE_CURRENT_SOURCE_DIR}/core/gpuctr.h
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT gpuctr)
install(FILES ${CMAKE_CURRENT_SOURCE_DIR}/check/gpuctr-check.1
        DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT gpuctr)
install(FILES ${CMAKE_CURRENT_SOURCE_DIR}/openssl.cnf
        DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/gpuctr COMPONENT gpuctr)
install(FILES ${CMAKE_BINARY_DIR}/gpuctr.7
        DESTINATION ${CMAKE_INSTALL_MANDIR}/man7 COMPONENT gpuctr)
include(${CMAKE_CURRENT_LIST_DIR}/without_links.cmake)
foreach(document README.md SECURITY.md CHANGELOG.md)
  without_links(${PROJECT_SOURCE_DIR}/${document} ${CMAKE_BINARY_DIR}/installed/${document})
  install(FILES ${CMAKE_BINARY_DIR}/installed/${document}
          DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/gpuctr COMPONENT gpuctr)
endforeach()
install(DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}/examples
        DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/gpuctr COMPONENT gpuctr
        PATTERN __pycache__ EXCLUDE PATTERN .clang-format EXCLUDE PATTERN README.md EXCLUDE)
without_links(${CMAKE_CURRENT_SOURCE_DIR}/examples/README.md ${CMAKE_BINARY_DIR}/installed/examples/README.md)
install(FILES ${CMAKE_BINARY_DIR}/installed/examples/README.md
        DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/gpuctr/examples COMPONENT gpuctr)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE RENAME copyright
        DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/gpuctr COMPONENT gpuctr)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME gpuctr)
set(CPACK_PACKAGE_CONTACT "the gpuctr maintainers <maintainers@users.noreply.a-seed-ebd66783.example>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGE_DESCRIPTION
"A provider for OpenSSL 3 and later. It has the block ciphers LEA, HIGHT, CHAM,
ARIA, SEED, Camellia and AES in CTR, CBC, CFB, OFB and ECB, those with a block of
128 bits also in GCM, CCM, XTS and key wrapping, and CTR_DRBG (SP 800-90A)
generators on them. DES, IDEA, CAST5, BF, RC2 and Threefish are offered on
request, for old data. The code runs on
AVX-512, AVX2, SSE or NEON, and large work on CUDA GPUs if it is built for them.
.
Installing the package activates nothing: see gpuctr(7) and the example
openssl.cnf in /usr/share/doc/gpuctr.")
# Only our own component is packed, so nothing that a dependency installs slips in.
set(CPACK_INSTALL_CMAKE_PROJECTS "${CMAKE_BINARY_DIR};gpuctr;gpuctr;/")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_SECTION libs)
# libssl3t64 is the same library under the name that Debian 13 gave it.
set(CPACK_DEBIAN_PACKAGE_DEPENDS "libssl3 | libssl3t64")
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS openssl)
include(CPack)
