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
install(FILES ${CMAKE_CURRENT_SOURCE_DIR}/check/gpuctr-check.1
        DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT gpuctr)
install(FILES ${CMAKE_CURRENT_SOURCE_DIR}/openssl.cnf
        DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/gpuctr COMPONENT gpuctr)
install(FILES ${CMAKE_BINARY_DIR}/gpuctr.7
        DESTINATION ${CMAKE_INSTALL_MANDIR}/man7 COMPONENT gpuctr)
install(FILES ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/SECURITY.md
              ${PROJECT_SOURCE_DIR}/CHANGELOG.md
        DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/gpuctr COMPONENT gpuctr)
install(DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}/examples
        DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/gpuctr COMPONENT gpuctr PATTERN __pycache__ EXCLUDE)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE RENAME copyright
        DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/gpuctr COMPONENT gpuctr)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME gpuctr)
set(CPACK_PACKAGE_CONTACT "the gpuctr maintainers")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "OpenSSL provider: HIGHT, LEA and CHAM in counter mode, CTR_DRBG")
set(CPACK_PACKAGE_DESCRIPTION
"A provider for OpenSSL 3 and later with the Korean lightweight block ciphers
HIGHT, LEA and (revised) CHAM in counter mode, and random generators made with
the CTR_DRBG construction of SP 800-90A on them. Bulk work runs on CUDA GPUs
where the build has them, and on AVX-512, AVX2 or SSE where it has not.
.
Nothing is activated by installing: see gpuctr(7) and the example openssl.cnf.")
# Only our own component is packed, so nothing that a dependency installs slips in.
set(CPACK_INSTALL_CMAKE_PROJECTS "${CMAKE_BINARY_DIR};gpuctr;gpuctr;/")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION libs)
# libssl3t64 is the same library under the name that Debian 13 gave it.
set(CPACK_DEBIAN_PACKAGE_DEPENDS "libssl3 | libssl3t64")
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS openssl)
include(CPack)
