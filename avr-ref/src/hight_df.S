; HIGHT under the derivation function's constant key 00 01 02 .. 0f (SP 800-90A 10.3.2).

.irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
.set MK_\n, \n
.endr

#include "hight_fixed.inc"

fixed_encrypt gpuctr_hight_encrypt_df
