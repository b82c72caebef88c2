#include "layout.inc"

; void gpuctr_wipe(void *bytes, uint16_t size)
; Sixteen bytes at a time: it runs over the round keys after each call of the generator.
function gpuctr_wipe
  movw r26, r24
  movw r24, r22
  sbiw r24, 16
  brlo 2f
1:
  .rept 16
  st X+, r1
  .endr
  sbiw r24, 16
  brsh 1b
2:
  adiw r24, 16
  sbrs r24, 3
  rjmp 3f
  .rept 8
  st X+, r1
  .endr
3:
  andi r24, 7
  breq 5f
4:
  st X+, r1
  dec r24
  brne 4b
5:
  ret

; void gpuctr_copy(uint8_t *to, const uint8_t *from, uint8_t size)
; size: a positive multiple of 8.
function gpuctr_copy
  movw r26, r24
  movw r30, r22
1:
  .rept 8
  ld r0, Z+
  st X+, r0
  .endr
  subi r20, 8
  brne 1b
  ret

; void gpuctr_copy_flash(uint8_t *to, const uint8_t *from, uint8_t size)
; size: a positive multiple of 8.
function gpuctr_copy_flash
  movw r26, r24
  movw r30, r22
1:
  .rept 8
  lpm r0, Z+
  st X+, r0
  .endr
  subi r20, 8
  brne 1b
  ret

; void gpuctr_xor(uint8_t *to, const uint8_t *from, uint8_t size)
; size: a positive multiple of 8.
function gpuctr_xor
  movw r26, r22
  movw r30, r24
1:
  .rept 8
  ld r21, X+
  ld r0, Z
  eor r0, r21
  st Z+, r0
  .endr
  subi r20, 8
  brne 1b
  ret

; void gpuctr_xor_flash(uint8_t *to, const uint8_t *a, const uint8_t *flash, uint8_t size)
; size: a positive multiple of 8.
function gpuctr_xor_flash
  push 28
  push 29
  movw r26, r24
  movw r28, r22
  movw r30, r20
1:
  .rept 8
  lpm r0, Z+
  ld r19, Y+
  eor r0, r19
  st X+, r0
  .endr
  subi r18, 8
  brne 1b
  pop 29
  pop 28
  ret
