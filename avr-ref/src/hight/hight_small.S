; HIGHT in little flash: one round in a loop, no table, F0 and F1 computed.
;
; Round keys, 136 bytes in the order of use: WK[0..3], SK[0..127], WK[4..7].
; The state is r18..r25, byte j of the standard in r18 + j.

#include "layout.inc"

function gpuctr_hight_small_set_key ; r25:r24 round keys, r23:r22 key
  movw r26, r24
  movw r30, r22
  adiw r30, 12
  rcall 4f ; WK[0..3] = MK[12..15]
  ldi r18, 0x5a ; delta[0]
  clr r19 ; i
1:
  clr r20 ; j
2:
  mov r21, r20 ; SK[16 i + j] = MK[((j - i) & 7) + (j & 8)] + delta
  sub r21, r19
  andi r21, 7
  bst r20, 3
  bld r21, 3
  movw r30, r22
  add r30, r21
  adc r31, r1
  ld r0, Z
  add r0, r18
  st X+, r0
  mov r0, r18 ; delta: x^7 + x^3 + 1
  lsr r0
  lsr r0
  lsr r0
  eor r0, r18
  lsr r18
  bst r0, 0
  bld r18, 6
  inc r20
  cpi r20, 16
  brne 2b
  inc r19
  cpi r19, 8
  brne 1b
  movw r30, r22 ; WK[4..7] = MK[0..3]
4:
  ldi r25, 4
5:
  ld r0, Z+
  st X+, r0
  dec r25
  brne 5b
  ret

  .section .text.gpuctr_hight_small_encrypt, "ax", @progbits
; F1 = <<<3 ^ <<<4 ^ <<<6 and F0 = <<<1 ^ <<<2 ^ <<<7 of r26 into r0. With y = x <<< 4 for F1 and
; y = x for F0 both are y >>> 1 ^ y <<< 2 ^ (y, or y <<< 1). Both end with the next key in r26.
f1:
  swap r26
  mov r0, r26
  rjmp 1f
f0:
  mov r0, r26
  lsl r0
  adc r0, r1
1:
  bst r26, 0
  lsr r26
  bld r26, 7
  eor r0, r26
  lsl r26
  adc r26, r1
  lsl r26
  adc r26, r1
  lsl r26
  adc r26, r1
  eor r0, r26
  ld r26, Z+
  ret

.macro whiten
  ld r0, Z+
  add r18, r0
  ld r0, Z+
  eor r20, r0
  ld r0, Z+
  add r22, r0
  ld r0, Z+
  eor r24, r0
.endm

.macro half0 to, from
  mov r26, \from
  rcall f0
  add r0, r26
  eor \to, r0
.endm
.macro half1 to, from
  mov r26, \from
  rcall f1
  eor r0, r26
  add \to, r0
.endm

  .global gpuctr_hight_small_encrypt
gpuctr_hight_small_encrypt: ; r25:r24 round keys, r23:r22 out, r21:r20 in
  movw r30, r24
  push r22
  push r23
  movw r26, r20
  ld r18, X+
  ld r19, X+
  ld r20, X+
  ld r21, X+
  ld r22, X+
  ld r23, X+
  ld r24, X+
  ld r25, X+
  whiten
  ldi r27, 32
  rjmp 2f
1:
  mov r0, r25 ; byte j moves to j + 1, but not behind the last round
  mov r25, r24
  mov r24, r23
  mov r23, r22
  mov r22, r21
  mov r21, r20
  mov r20, r19
  mov r19, r18
  mov r18, r0
2:
  half1 r19, r18
  half0 r21, r20
  half1 r23, r22
  half0 r25, r24
  dec r27
  brne 1b
  whiten
  pop r27
  pop r26
  st X+, r18
  st X+, r19
  st X+, r20
  st X+, r21
  st X+, r22
  st X+, r23
  st X+, r24
  st X+, r25
  ret
