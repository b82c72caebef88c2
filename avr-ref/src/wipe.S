#include "layout.inc"

; void gpuctr_wipe(void *bytes, uint16_t size)
; Eight bytes at a time: it runs over the round keys after each call of the generator.
function gpuctr_wipe
  movw r26, r24
  movw r24, r22
  sbiw r24, 8
  brlo 2f
1:
  .rept 8
  st X+, r1
  .endr
  sbiw r24, 8
  brsh 1b
2:
  adiw r24, 8
  breq 4f
3:
  st X+, r1
  sbiw r24, 1
  brne 3b
4:
  ret
