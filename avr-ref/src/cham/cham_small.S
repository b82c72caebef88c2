; Revised CHAM in little flash: two rounds in a loop. Round keys are those of cham_key.S, whose
; head explains the form of the rounds.

#include "layout.inc"

  .section .text.gpuctr_cham64_small, "ax", @progbits
  .global gpuctr_cham64_small_encrypt
; r19:r18, r21:r20, r23:r22, r25:r24: x0..x3; r0: round; Z: round keys.
gpuctr_cham64_small_encrypt: ; r25:r24 round keys, r23:r22 out, r21:r20 in
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
  clr r0
  ldi r26, 1
  eor r20, r26
  eor r24, r26
1:
  ld r26, Z+ ; even: x0 = rotl8((x0 ^ i) + rotl1(x1 ^ key))
  ld r27, Z+
  eor r26, r20
  eor r27, r21
  lsl r26
  rol r27
  eor r18, r0
  adc r18, r26 ; rotl1's carry is the addition's
  adc r19, r27
  ld r26, Z+ ; odd: x1 = rotl1((x1 ^ i) + rotl8(x2 ^ key))
  ld r27, Z+
  eor r26, r22
  eor r27, r23
  eor r20, r0
  add r20, r27
  adc r21, r26
  lsl r20
  rol r21
  sbci r20, 0xff
  movw r26, r18 ; two words on; x0's bytes change places
  movw r18, r22
  mov r22, r27
  mov r23, r26
  movw r26, r20
  movw r20, r24
  movw r24, r26
  inc r0
  inc r0
  mov r26, r0
  andi r26, 15
  brne 2f
  sbiw r30, 32
2:
  mov r26, r0
  cpi r26, 88
  brne 1b
  ldi r26, 1
  eor r20, r26
  eor r24, r26
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

  .section .text.gpuctr_cham128_small, "ax", @progbits
  .global gpuctr_cham128_128_small_encrypt
  .global gpuctr_cham128_256_small_encrypt
; r19..r16, r23..r20, r11..r8, r15..r12: x0..x3; r27..r24: the other operand; r0: round; r28:
; rounds; r29: round keys less one; Z: round keys.
gpuctr_cham128_128_small_encrypt: ; r25:r24 round keys, r23:r22 out, r21:r20 in
  ldi r18, 112
  ldi r19, 7
  rjmp 1f
gpuctr_cham128_256_small_encrypt:
  ldi r18, 120
  ldi r19, 15
1:
  .irp r, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 28, 29
  push \r
  .endr
  push r22
  push r23
  movw r30, r24
  movw r28, r18
  movw r26, r20
  .irp r, 16, 17, 18, 19, 20, 21, 22, 23, 8, 9, 10, 11, 12, 13, 14, 15
  ld \r, X+
  .endr
  clr r0
  ldi r24, 1
  eor r20, r24
  eor r12, r24
2:
  ld r24, Z+ ; even: x0 = rotl8((x0 ^ i) + rotl1(x1 ^ key))
  ld r25, Z+
  ld r26, Z+
  ld r27, Z+
  eor r24, r20
  eor r25, r21
  eor r26, r22
  eor r27, r23
  lsl r24
  rol r25
  rol r26
  rol r27
  eor r16, r0
  adc r16, r24
  adc r17, r25
  adc r18, r26
  adc r19, r27
  ld r24, Z+ ; odd: x1 = rotl1((x1 ^ i) + rotl8(x2 ^ key))
  ld r25, Z+
  ld r26, Z+
  ld r27, Z+
  eor r24, r8
  eor r25, r9
  eor r26, r10
  eor r27, r11
  eor r20, r0
  add r20, r27
  adc r21, r24
  adc r22, r25
  adc r23, r26
  lsl r20
  rol r21
  rol r22
  rol r23
  sbci r20, 0xff
  movw r24, r16 ; two words on; x0's bytes turn by one place
  movw r26, r18
  movw r16, r8
  movw r18, r10
  mov r8, r27
  mov r9, r24
  mov r10, r25
  mov r11, r26
  movw r24, r20
  movw r26, r22
  movw r20, r12
  movw r22, r14
  movw r12, r24
  movw r14, r26
  inc r0
  inc r0
  mov r24, r0
  and r24, r29
  brne 3f
  mov r24, r29 ; back to the first key
  inc r24
  lsl r24
  lsl r24
  sub r30, r24
  sbc r31, r1
3:
  cp r0, r28
  breq 4f
  rjmp 2b
4:
  ldi r24, 1
  eor r20, r24
  eor r12, r24
  pop r27
  pop r26
  .irp r, 16, 17, 18, 19, 20, 21, 22, 23, 8, 9, 10, 11, 12, 13, 14, 15
  st X+, \r
  .endr
  .irp r, 29, 28, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8
  pop \r
  .endr
  ret
