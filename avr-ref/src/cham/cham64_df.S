; Revised CHAM-64/128 under the derivation function's constant key: the three chains at once.
; 27 cycles a round for three.

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

; Z points to the data; the chains' address and, on top, the count of blocks are on the stack.
function gpuctr_cham64_chain_df ; r25:r24 chains, r23:r22 data, r20 blocks
  push_saved
  push 24
  push 25
  push 20
  movw XL, r24
  movw ZL, r22
  .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23
  ld \n, X+
  .endr
  turn_all_over
  ldi ones, 0xff
1:
  .irp n, 0, 1, 2, 3, 4, 5, 6, 7
  ld r24, Z+
  eor \n, r24
  eor (8+\n), r24
  eor (16+\n), r24
  .endr
  ldi count, 0
  rjmp 3f
2:
  .set i, 8
  .rept 8
  df_round i
  .set i, i + 1
  .endr
3:
  .rept 8
  df_round i
  .set i, i + 1
  .endr
  cpi count, 88
  breq 4f
  rjmp 2b
4:
  pop r24
  dec r24
  push r24
  breq 5f
  rjmp 1b
5:
  turn_all_over
  pop ZL
  pop ZH
  pop ZL
  .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23
  std Z+\n, \n
  .endr
  clr r1
  pop_saved
  ret
