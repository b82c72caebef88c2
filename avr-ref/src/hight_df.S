; HIGHT under the derivation function's constant key 00 01 02 .. 0f (SP 800-90A 10.3.2): a block for
; all three chains.

.irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
.set MK_\n, \n
.endr

#include "hight_fixed.inc"

.set input, 8 ; r8..r15: the block
.set count, 17
.set chains, 6 ; r7:r6

function gpuctr_hight_chain_df ; r25:r24 chains, r23:r22 block
  push_range 6, 17
  push 28
  push 29
  movw chains, r24
  movw r30, r22
  .irp n, 0, 1, 2, 3, 4, 5, 6, 7
  ldd (input+\n), Z+\n
  .endr
  ldi count, 3
  set_fixed_pages
1:
  movw r30, chains
  .irp n, 0, 1, 2, 3, 4, 5, 6, 7
  ldd BYTE(\n), Z+\n
  eor BYTE(\n), (input+\n)
  .endr
  ldi ZH, hi8(gpuctr_hight_f1)
  whiten_first
  .set round, 0
  .rept 32
  fixed_round
  .endr
  whiten_last
  movw r30, chains
  .irp n, 1, 2, 3, 4, 5, 6, 7, 0
  st Z+, BYTE(\n)
  .endr
  movw chains, r30
  dec count
  breq 2f
  rjmp 1b
2:
  pop 29
  pop 28
  pop_range 6, 17
  ret
