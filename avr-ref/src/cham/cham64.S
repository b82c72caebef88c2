; Revised CHAM-64/128, fast: one block, and what the blocks of counter mode share. The key schedule
; is in cham_key.S.

#include "cham64.inc"

.set state, 18
.set other, 26
.set count, 17

.macro round i
  load_other \i
  finish \i
.endm

; All keys from memory: 11.5 and 12.5 cycles a round, 12 on average. The loop of 16 rounds, the
; period of the keys, is entered in the middle, as there are 5.5 times 16 rounds.
function gpuctr_cham64_encrypt ; r25:r24 round keys, r23:r22 out, r21:r20 in
  push 17
  push 22
  push 23
  movw r30, r24
  movw r26, r20
  .irp n, 18, 19, 20, 21, 22, 23, 24, 25
  ld \n, X+
  .endr
  turn_over count
  ldi count, 0
  rjmp 2f
1:
  .set i, 8
  .rept 8
  round i
  .set i, i + 1
  .endr
2:
  .rept 8
  round i
  .set i, i + 1
  .endr
  cpi count, 88
  breq 3f
  rjmp 1b
3:
  turn_over count
  pop 27
  pop 26
  .irp n, 18, 19, 20, 21, 22, 23, 24, 25
  st X+, \n
  .endr
  pop 17
  ret

function gpuctr_cham64_prepare ; r25:r24 ctr
  push 17
  push 28
  push 29
  movw r28, r24
  ldd r30, Y+CTR_ROUND_KEYS
  ldd r31, Y+CTR_ROUND_KEYS+1
  .irp n, 0, 1, 2, 3, 4, 5, 6
  ldd (state+\n), Y+CTR_COUNTER+\n
  .endr
  adiw r28, CTR_CACHE
  turn_over count
  ldi count, 0
  round 0
  round 1

  ; Round 2 with 0 for the high byte of x3 ^ key.
  ldd r26, Z+4
  eor r26, BYTE(3, 0, 2)
  clr r27
  lsl r26
  rol r27
  eor BYTE(2, 0, 2), count
  add BYTE(2, 0, 2), r26
  adc BYTE(2, 1, 2), r27
  std Y+CACHE_SUM2, BYTE(2, 0, 2)
  std Y+CACHE_SUM2+1, BYTE(2, 1, 2)
  ldd r27, Z+5
  std Y+CACHE_KEY2, r27

  ; Round 3 with 0 for the high byte of x3.
  load_other 3
  eor BYTE(3, 0, 3), count
  add BYTE(3, 0, 3), OTHER(1, 3)
  adc OTHER(0, 3), r1
  std Y+CACHE_SUM3, BYTE(3, 0, 3)
  std Y+CACHE_SUM3+1, OTHER(0, 3)

  subi count, -2
  round 4
  .irp j, 0, 1
  std Y+CACHE_X1+\j, BYTE(1, \j, 5)
  std Y+CACHE_X0+\j, BYTE(0, \j, 8)
  .endr
  load_other 7
  std Y+CACHE_ADD7, OTHER(1, 7)
  std Y+CACHE_ADD7+1, OTHER(0, 7)
  .irp n, 0, 1, 2, 3
  ldd r0, Z+10+\n
  std Y+CACHE_KEY5+\n, r0
  .endr
  pop 29
  pop 28
  pop 17
  ret
