; HIGHT under the derivation function's constant key 00 01 02 .. 0f (SP 800-90A 10.3.2): the three
; chains.

.irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
.set MK_\n, \n
.endr

#include "hight_fixed.inc"

.set tail, 0      ; r1:r0, the chain
.set start, 10    ; r11:r10, the first block
.set input, 12    ; r13:r12, the next one
.set all_blocks, 14
.set blocks, 15
.set chains, 17

; One chain after the other, each with all of the blocks.
function gpuctr_hight_chain_df ; r25:r24 chains, r23:r22 data, r20 blocks
  push_range 10, 17
  push 28
  push 29
  movw tail, r24
  movw start, r22
  mov all_blocks, r20
  ldi chains, 3
  set_fixed_pages
1:
  movw ZL, tail
  .irp n, 0, 1, 2, 3, 4, 5, 6, 7
  ldd BYTE(\n), Z+\n
  .endr
  movw input, start
  mov blocks, all_blocks
2:
  movw ZL, input
  .irp n, 0, 1, 2, 3, 4, 5, 6, 7
  ld tmp, Z+
  eor BYTE(\n), tmp
  .endr
  movw input, ZL
  ldi ZH, hi8(gpuctr_hight_f1)
  whiten_first
  .set round, 0
  .rept 32
  fixed_round
  .endr
  whiten_last
  mov tmp, BYTE(0) ; the last round does not move the bytes: back to their places
  .irp n, 0, 1, 2, 3, 4, 5, 6
  mov BYTE(\n), BYTE(\n+1)
  .endr
  mov BYTE(7), tmp
  dec blocks
  breq 3f
  rjmp 2b
3:
  movw ZL, tail
  .irp n, 0, 1, 2, 3, 4, 5, 6, 7
  st Z+, BYTE(\n)
  .endr
  movw tail, ZL
  dec chains
  breq 4f
  rjmp 1b
4:
  clr r1
  pop 29
  pop 28
  pop_range 10, 17
  ret
