# For kernels/cmake/Backends.cmake. A bit-sliced batch has 4 KB, and a pass keeps more: kFrame of
# simd/bitsliced.h.
list(TRANSFORM options REPLACE "(-Wframe-larger-than)=.*" "\\1=4608")
