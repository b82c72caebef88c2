# Counters in provider, drbg and kernels/bulk, which are built without optimization: each line stays a line. All else is
# built as for users, so that the tests are as fast as usual.
set(counted --coverage -fprofile-update=atomic -O0)
target_compile_options(gpuctr_drbg PRIVATE ${counted})
if(TARGET gpuctr_provider)
  target_compile_options(gpuctr_provider PRIVATE ${counted})
endif()
get_target_property(bulk gpuctr_kernels SOURCES)
list(FILTER bulk INCLUDE REGEX "^bulk/")
list(TRANSFORM bulk PREPEND ${PROJECT_SOURCE_DIR}/kernels/)
set_property(SOURCE ${bulk} TARGET_DIRECTORY gpuctr_kernels APPEND PROPERTY COMPILE_OPTIONS ${counted})
target_link_options(gpuctr_kernels INTERFACE --coverage)
