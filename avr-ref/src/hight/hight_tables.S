; F0(x) = x <<< 1 ^ x <<< 2 ^ x <<< 7, F1(x) = x <<< 3 ^ x <<< 4 ^ x <<< 6, in SRAM, a page each,
; F1 right behind F0.

  .section .data.gpuctr_hight_tables, "aw", @progbits
  .balign 256
  .global gpuctr_hight_f0
  .global gpuctr_hight_f1
  .global __do_copy_data ; has the start-up code fill .data

.macro rotated_sum a, b, c
  .set x, 0
  .rept 256
  .set y, x * 0x101 ; x twice, so that a shift is a rotation
  .byte ((y >> (8 - \a)) ^ (y >> (8 - \b)) ^ (y >> (8 - \c))) & 0xff
  .set x, x + 1
  .endr
.endm

gpuctr_hight_f0:
  rotated_sum 1, 2, 7
gpuctr_hight_f1:
  rotated_sum 3, 4, 6

; F1^-1 for the key schedule, in flash, where nothing is in a hurry. F1^-1(x) is the sum of the
; rotations by 2, 3, 4, 5 and 7.
  .section .progmem.data.gpuctr_hight_f1_inverse, "a", @progbits
  .balign 256
  .global gpuctr_hight_f1_inverse
gpuctr_hight_f1_inverse:
  .set x, 0
  .rept 256
  .set y, x * 0x101
  .byte ((y >> 6) ^ (y >> 5) ^ (y >> 4) ^ (y >> 3) ^ (y >> 1)) & 0xff
  .set x, x + 1
  .endr
