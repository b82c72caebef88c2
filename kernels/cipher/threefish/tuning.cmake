# For kernels/cmake/Backends.cmake. The words of Threefish-1024 do not fit 16 registers: kFrameBytes of
# simd/batch.h.
list(TRANSFORM options REPLACE "(-Wframe-larger-than)=1536" "\\1=2304")
list(TRANSFORM options REPLACE "(-Wframe-larger-than)=2048" "\\1=2816")
