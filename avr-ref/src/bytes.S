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

; void gpuctr_double(uint8_t *block, uint8_t size)
; size: 8 or 16, which is public. The bit that is shifted out becomes a mask, not a branch.
function gpuctr_double
  movw r30, r24
  add r30, r22
  adc r31, r1
  movw r26, r30
  mov r23, r22
  clc
1:
  ld r0, -Z
  rol r0
  st Z, r0
  dec r23
  brne 1b
  sbc r0, r0
  ldi r24, 0x87
  sbrs r22, 4
  ldi r24, 0x1b
  and r0, r24
  ld r24, -X
  eor r24, r0
  st X, r24
  ret

; uint8_t gpuctr_equal(const void *a, const void *b, uint16_t size)
function gpuctr_equal
  movw r26, r24
  movw r30, r22
  clr r24
  rjmp 2f
1:
  ld r25, X+
  ld r0, Z+
  eor r25, r0
  or r24, r25
2:
  subi r20, 1
  sbci r21, 0
  brcc 1b
  subi r24, 1 ; borrows where no bit differed
  sbc r24, r24
  neg r24
  clr r25
  ret
