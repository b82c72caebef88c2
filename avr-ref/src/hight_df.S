; HIGHT under the derivation function's constant key 00 01 02 .. 0f (SP 800-90A 10.3.2): a block for
; all three chains.

.irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
.set MK_\n, \n
.endr

#include "hight_fixed.inc"

.set input, 8 ; r8..r15: the block
.set chains, 17

function gpuctr_hight_chain_df ; r25:r24 chains, r23:r22 block
  push_range 8, 17
  push 28
  push 29
  movw r28, r24
  movw r30, r22
  .irp n, 0, 1, 2, 3, 4, 5, 6, 7
  ldd (input+\n), Z+\n
  .endr
  set_pages
  ldi chains, 3
1:
  .irp n, 0, 1, 2, 3, 4, 5, 6, 7
  ldd BYTE(\n), Y+\n
  eor BYTE(\n), (input+\n)
  .endr
  whiten_first
  .set round, 0
  .rept 32
  fixed_round
  .endr
  whiten_last
  .irp n, 1, 2, 3, 4, 5, 6, 7, 0
  st Y+, BYTE(\n)
  .endr
  dec chains
  breq 2f
  rjmp 1b
2:
  pop 29
  pop 28
  pop_range 8, 17
  ret
