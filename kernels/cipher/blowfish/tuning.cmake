# For kernels/cmake/Backends.cmake. The planes of the tables are 4 KB: kFrame of x86/vbmi_tables.h.
list(TRANSFORM options REPLACE "(-Wframe-larger-than)=.*" "\\1=6144")
