; LEA-128 under the key of CTR_DRBG's derivation function, 00 01 02 ... 0f.
#include "lea128_fixed.inc"

.set key0, 0x03020100
.set key1, 0x07060504
.set key2, 0x0b0a0908
.set key3, 0x0f0e0d0c

fixed_encrypt gpuctr_lea128_df
fixed_encrypt_output
