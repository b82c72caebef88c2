# For kernels/cmake/Backends.cmake. The planes of a batch are 4 KB, and a pass keeps others: kFrame of
# simd/planes.h.
list(TRANSFORM options REPLACE "(-Wframe-larger-than)=.*" "\\1=4608")
