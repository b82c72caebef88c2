; Revised CHAM-64/128 under the derivation function's constant key: a block for all three chains at
; once. 27 cycles a round for three.

#include "cham_df.inc"
#include "cham64_triple.inc"

.macro df_round i
  df_key ((\i) & 15), 8, 16
  ldi r24, stored & 0xff
  ldi r25, stored >> 8
  triple_finish \i
.endm
.macro turn_all_over
  ldi r24, 1
  .irp n, 2, 6, 10, 14, 18, 22
  eor \n, r24
  .endr
.endm

function gpuctr_cham64_chain_df ; r25:r24 chains, r23:r22 block
  push_saved
  movw r30, r24
  movw r26, r22
  .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23
  ldd \n, Z+\n
  .endr
  .irp n, 0, 1, 2, 3, 4, 5, 6, 7
  ld r24, X+
  eor \n, r24
  eor (8+\n), r24
  eor (16+\n), r24
  .endr
  turn_all_over
  ldi ones, 0xff
  ldi count, 0
  rjmp 2f
1:
  .set i, 8
  .rept 8
  df_round i
  .set i, i + 1
  .endr
2:
  .rept 8
  df_round i
  .set i, i + 1
  .endr
  cpi count, 88
  breq 3f
  rjmp 1b
3:
  turn_all_over
  .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23
  std Z+\n, \n
  .endr
  clr r1
  pop_saved
  ret
