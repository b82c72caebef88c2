; Revised CHAM-64/128 in counter mode, fast: three blocks at once, then two or one.
;
; Three blocks: a key word is loaded once for three, 12 cycles, so 29 cycles a round for three.
; Two blocks: four of the sixteen key words are in registers, 19.75 cycles a round for two.
; One block: nine are, 10.31 cycles a round.
;
; The address of ctr->cache is on the top of the stack; between blocks Z has it.

#include "cham64_triple.inc"

; clobbers Y
.macro point_to_cache
  in YL, SPL
  in YH, SPH
  ldd ZL, Y+1
  ldd ZH, Y+2
.endm
.macro point_to_keys scratch
  ldd \scratch, Z+CACHE_KEYS
  ldd ZH, Z+CACHE_KEYS+1
  mov ZL, \scratch
.endm

function gpuctr_cham64_run ; r25:r24 out, r23:r22 in, r21:r20 ctr, r18 blocks
  set
  rjmp enter

  .global gpuctr_cham64_run_single
gpuctr_cham64_run_single:
  clt
enter:
  push_saved
  movw r28, r20
  movw r30, r20
  adiw r30, CTR_CACHE
  ldd r16, Y+CTR_ROUND_KEYS
  ldd r17, Y+CTR_ROUND_KEYS+1
  ldd r19, Y+CTR_COUNTER+7
  std Z+CACHE_KEYS, r16
  std Z+CACHE_KEYS+1, r17
  std Z+CACHE_IN, r22
  std Z+CACHE_IN+1, r23
  std Z+CACHE_OUT, r24
  std Z+CACHE_OUT+1, r25
  std Z+CACHE_BLOCKS, r18
  std Z+CACHE_LOW, r19
  push r31
  push r30
  brts triples
  rjmp singles

; ---- three blocks ----

.macro triple_round i
  ldd r24, Z+2*((\i)&15)
  ldd r25, Z+2*((\i)&15)+1
  triple_finish \i
.endm
.macro triple_cached_pair at, register
  ldd \register, Z+\at
  ldd (\register+1), Z+\at+1
  movw (\register+8), \register
  movw (\register+16), \register
.endm

; Rounds 2 to 7 of two or three blocks, the first in `first` and so on; then the keys at Z.
.macro cached_word at, word
  ldd (first+2*\word), Z+\at
  ldd (first+2*\word+1), Z+\at+1
  .set block, first + 8
  .rept (16 - first) / 8
  movw (block+2*\word), (first+2*\word)
  .set block, block + 8
  .endr
.endm
.macro first_rounds finish
  ldd r24, Z+CACHE_LOW
  cached_word CACHE_SUM2, 2
  cached_word CACHE_SUM3, 3
  ldd r25, Z+CACHE_KEY2
  ldi r27, 0
  ldi ones, 0xff
  .set block, first
  .rept (24 - first) / 8
  mov r26, r24
  eor r26, r25
  lsl r26
  adc (block+4), r27
  adc (block+5), r26
  add (block+7), r24
  turn_left_low (block+6), (block+7)
  inc r24
  .set block, block + 8
  .endr
  std Z+CACHE_LOW, r24
  cached_word CACHE_X1, 1
  ldi count, 4
  ldd r24, Z+CACHE_KEY5
  ldd r25, Z+CACHE_KEY5+1
  \finish 5
  ldd r24, Z+CACHE_KEY5+2
  ldd r25, Z+CACHE_KEY5+3
  \finish 6
  ldd r24, Z+CACHE_ADD7
  ldd r25, Z+CACHE_ADD7+1
  .set block, first
  .rept (24 - first) / 8
  eor (block+6), count
  add (block+6), r24
  adc (block+7), r25
  turn_left_low (block+6), (block+7)
  .set block, block + 8
  .endr
  cached_word CACHE_X0, 0
  subi count, -2
  point_to_keys r24
.endm
; From registers `first` to 23 onto the data.
.macro xor_data
  ldi r24, 1
  .set n, first + 2
  .rept (24 - first) / 4
  eor n, r24
  .set n, n + 4
  .endr
  point_to_cache
  movw YL, ZL
  ldd XL, Y+CACHE_IN
  ldd XH, Y+CACHE_IN+1
  ldd ZL, Y+CACHE_OUT
  ldd ZH, Y+CACHE_OUT+1
  .set n, first
  .rept 24 - first
  ld r24, X+
  eor r24, n
  st Z+, r24
  .set n, n + 1
  .endr
  std Y+CACHE_IN, XL
  std Y+CACHE_IN+1, XH
  std Y+CACHE_OUT, ZL
  std Y+CACHE_OUT+1, ZH
  movw ZL, YL
.endm

triples:
  ldd r18, Z+CACHE_BLOCKS
  subi r18, 3
  brcc 1f
  rjmp pairs
1:
  std Z+CACHE_BLOCKS, r18
  .set first, 0
  first_rounds triple_finish
2:
  .set i, 8
  .rept 16
  triple_round i
  .set i, i + 1
  .endr
  cpi count, 88
  breq 3f
  rjmp 2b
3:
  xor_data
  rjmp triples

; ---- two blocks: r8..r15 and r16..r23, keys 0 to 3 in r0..r7 ----

.set held, 0
.macro pair_finish_odd i
  pair_finish \i
  .if (\i) & 1
  subi count, -2
  .endif
.endm
.macro pair_round i
  .if ((\i) & 15) < 4
  pair_finish_held \i
  .else
  ldd r24, Z+2*((\i)&15)
  ldd r25, Z+2*((\i)&15)+1
  pair_finish \i
  .endif
  .if (\i) & 1
  subi count, -2
  .endif
.endm

pairs:
  cpi r18, -1 ; two are left
  breq 1f
  rjmp singles
1:
  ldi r18, 0
  std Z+CACHE_BLOCKS, r18
  ldd YL, Z+CACHE_KEYS
  ldd YH, Z+CACHE_KEYS+1
  .irp n, 0, 1, 2, 3, 4, 5, 6, 7
  ld \n, Y+
  .endr
  .set first, 8
  first_rounds pair_finish_odd
2:
  .set i, 8
  .rept 16
  pair_round i
  .set i, i + 1
  .endr
  cpi count, 88
  breq 3f
  rjmp 2b
3:
  xor_data

; ---- one block: keys 0 to 8 in r0..r17, the state in r18..r25 ----

.set held, 0
.set state, 18
.set other, 28
.set count, 26
.set blocks, 27
#define HELD_WORDS 9

.macro round i
  .if ((\i) & 15) < HELD_WORDS
  hold_other \i
  .else
  load_other \i
  .endif
  finish \i
.endm

singles:
  ldd blocks, Z+CACHE_BLOCKS
  brtc 1f ; run_single takes no short cut
  cpi blocks, 0
  brne 1f
  rjmp done
1:
  ldd YL, Z+CACHE_KEYS
  ldd YH, Z+CACHE_KEYS+1
  .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17
  ld \n, Y+
  .endr
2:
  subi blocks, 1
  brcc 3f
  rjmp done
3:
  ldd r26, Z+CACHE_LOW
  ldd BYTE(2, 0, 2), Z+CACHE_SUM2
  ldd BYTE(2, 1, 2), Z+CACHE_SUM2+1
  ldd BYTE(3, 0, 3), Z+CACHE_SUM3
  ldd BYTE(3, 1, 3), Z+CACHE_SUM3+1
  mov r28, r26
  eor r28, (held+5)
  ldi r29, 0
  lsl r28
  adc BYTE(2, 0, 2), r29
  adc BYTE(2, 1, 2), r28
  add BYTE(3, 1, 3), r26
  turn_left BYTE(3, 0, 3), BYTE(3, 1, 3)
  inc r26
  std Z+CACHE_LOW, r26
  ldd BYTE(1, 0, 5), Z+CACHE_X1
  ldd BYTE(1, 1, 5), Z+CACHE_X1+1
  ldi count, 4
  round 5
  round 6
  ldd r28, Z+CACHE_ADD7
  ldd r29, Z+CACHE_ADD7+1
  eor BYTE(3, 0, 7), count
  add BYTE(3, 0, 7), r28
  adc BYTE(3, 1, 7), r29
  turn_left BYTE(3, 0, 7), BYTE(3, 1, 7)
  ldd BYTE(0, 0, 8), Z+CACHE_X0
  ldd BYTE(0, 1, 8), Z+CACHE_X0+1
  subi count, -2
  point_to_keys r28
  .set i, 8
  .rept 80
  round i
  .set i, i + 1
  .endr
  turn_over r26
  point_to_cache
  ldd YL, Z+CACHE_IN
  ldd YH, Z+CACHE_IN+1
  .irp n, 0, 1, 2, 3, 4, 5, 6, 7
  ld r26, Y+
  eor (state+\n), r26
  .endr
  std Z+CACHE_IN, YL
  std Z+CACHE_IN+1, YH
  ldd YL, Z+CACHE_OUT
  ldd YH, Z+CACHE_OUT+1
  .irp n, 0, 1, 2, 3, 4, 5, 6, 7
  st Y+, (state+\n)
  .endr
  std Z+CACHE_OUT, YL
  std Z+CACHE_OUT+1, YH
  rjmp 2b

done:
  pop r0
  pop r0
  clr r1
  pop_saved
  ret
