; Revised CHAM-128 in counter mode: what the blocks share. The same for both key sizes, as rounds 0
; to 7 are.

#include "cham128.inc"

.macro round i
  load_other \i, Z+4*(\i)
  finish \i
.endm

function gpuctr_cham128_prepare ; r25:r24 ctr
  push_saved
  push 24
  push 25
  movw r28, r24
  ldd r30, Y+CTR_ROUND_KEYS
  ldd r31, Y+CTR_ROUND_KEYS+1
  .irp w, 0, 1, 2, 3
  .irp j, 0, 1, 2, 3
  ldd (WORD(\w)+\j), Y+CTR_COUNTER+4*\w+\j
  .endr
  .endr
  clr (WORD(3)+3)
  turn_over
  ldi count, 0
  round 0
  round 1

  ; Round 2 with 0 for the high byte of x3 ^ key, round 3 with 0 for that of x3 and without rotl1.
  ; x2 and x3 are not needed any more but for the cache.
  load_other 2, Z+4*2
  ldi OTHER(3), 0
  finish_even 2
  load_other 3, Z+4*3
  eor WORD(3), count
  add WORD(3), OTHER(3)
  adc (WORD(3)+1), OTHER(0)
  adc (WORD(3)+2), OTHER(1)
  adc (WORD(3)+3), OTHER(2)

  subi count, -2
  round 4
  load_other 7, Z+4*7
  ldd r25, Z+4*2+3
  .irp n, 0, 1, 2, 3, 4, 5, 6, 7
  ldd \n, Z+4*5+\n
  .endr
  pop 31
  pop 30
  adiw r30, CTR_CACHE
  .irp j, 0, 1, 2, 3
  std Z+CACHE_SUM2+\j, BYTE(2, \j, 2)
  std Z+CACHE_SUM3+\j, BYTE(3, \j, 3)
  std Z+CACHE_X1+\j, BYTE(1, \j, 5)
  std Z+CACHE_ADD7+\j, OTHER(\j-1)
  std Z+CACHE_X0+\j, BYTE(0, \j, 8)
  .endr
  .irp n, 0, 1, 2, 3, 4, 5, 6, 7
  std Z+CACHE_KEY5+\n, \n
  .endr
  std Z+CACHE_KEY2, r25
  clr r1
  pop_saved
  ret
