; Key schedules of revised CHAM, for the fast and the small build.
;
; Round keys are stored so that a round needs no rotation of its own for the key (pre-rotated):
; round i even: rotl1(x1) ^ rk[i] = rotl1(x1 ^ rotr1(rk[i]))
; round i odd:  rotl8(x2) ^ rk[i] = rotl8(x2 ^ rotr8(rk[i]))
; The words that odd rounds make are kept with bit 0 turned over. Then rounds i and i + 1 XOR the
; same number, i, to their first word, and one register holds it for both. Turning the bit over
; costs nothing: the last step of rotl1 adds the carry to a byte whose bit 0 is 0, and subtracting
; 0xff with borrow instead gives the opposite bit. The even round's key takes the 1 back.

#include "layout.inc"

; v[0..3] in order of weight; even words' keys are rotr1(v) ^ 1, odd ones' rotr8(v).
.macro store_even ptr, at, v0, v1, v2, v3
  bst \v0, 0
  lsr \v3
  ror \v2
  ror \v1
  ror \v0
  bld \v3, 7
  eor \v0, r20
  store \ptr, \at, \v0, \v1, \v2, \v3
.endm
.macro store ptr, at, v0, v1, v2, v3
  std \ptr+\at, \v0
  std \ptr+\at+1, \v1
  std \ptr+\at+2, \v2
  std \ptr+\at+3, \v3
.endm
.macro rotl1_32
  lsl r8
  rol r9
  rol r10
  rol r11
  adc r8, r1
.endm

; One key word k: a = k ^ rotl1(k) ^ rotl8(k), b = k ^ rotl1(k) ^ rotl11(k).
; r7..r4 becomes a, byte j + 1 in r4 + j; r11..r8 becomes b likewise.
.macro mix_32
  ld r4, X+
  ld r5, X+
  ld r6, X+
  ld r7, X+
  movw r8, r4
  movw r10, r6
  rotl1_32
  movw r12, r4
  movw r14, r6
  eor r12, r8
  eor r13, r9
  eor r14, r10
  eor r15, r11
  eor r4, r13
  eor r5, r14
  eor r6, r15
  eor r7, r12
  rotl1_32
  rotl1_32
  eor r8, r13
  eor r9, r14
  eor r10, r15
  eor r11, r12
.endm

  .section .text.gpuctr_cham128_set_key, "ax", @progbits
  .global gpuctr_cham128_256_set_key
  .global gpuctr_cham128_128_set_key
gpuctr_cham128_256_set_key: ; r25:r24 round keys, r23:r22 key
  ldi r21, 4 ; pairs of key words
  ldi r20, 32
  rjmp 1f
gpuctr_cham128_128_set_key:
  ldi r21, 2
  ldi r20, 16
1:
  push r28
  push r29
  .irp r, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
  push \r
  .endr
  movw r30, r24
  movw r28, r24
  add r28, r20 ; Y: the second half
  adc r29, r1
  movw r26, r22
  ldi r20, 1
2:
  mix_32 ; word i, even: a is key i, b is key i + count + 1
  store_even Z, 0, r7, r4, r5, r6
  store Y, 4, r8, r9, r10, r11
  mix_32 ; word i + 1: a is key i + 1, b is key i + count
  store Z, 4, r4, r5, r6, r7
  store_even Y, 0, r11, r8, r9, r10
  adiw r30, 8
  adiw r28, 8
  dec r21
  breq 3f
  rjmp 2b
3:
  .irp r, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4
  pop \r
  .endr
  pop r29
  pop r28
  ret

.macro rotl1_16
  lsl r20
  rol r21
  adc r20, r1
.endm
.macro mix_16 ; a: byte 0 in r23, byte 1 in r22; b: byte 0 in r21, byte 1 in r20
  ld r22, X+
  ld r23, X+
  movw r20, r22
  rotl1_16
  movw r18, r22
  eor r18, r20
  eor r19, r21
  eor r22, r19
  eor r23, r18
  rotl1_16
  rotl1_16
  eor r20, r19
  eor r21, r18
.endm
.macro store_even_16 at, v0, v1
  bst \v0, 0
  lsr \v1
  ror \v0
  bld \v1, 7
  eor \v0, r24
  std Z+\at, \v0
  std Z+\at+1, \v1
.endm

function gpuctr_cham64_set_key ; r25:r24 round keys, r23:r22 key
  movw r30, r24
  movw r26, r22
  ldi r24, 1
  ldi r25, 4
1:
  mix_16
  store_even_16 0, r23, r22
  std Z+18, r20
  std Z+19, r21
  mix_16
  std Z+2, r22
  std Z+3, r23
  store_even_16 16, r21, r20
  adiw r30, 4
  dec r25
  brne 1b
  ret
