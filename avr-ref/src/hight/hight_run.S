; HIGHT in counter mode, fast: three blocks at once, then one by one.
;
; Three blocks: the state is r2..r25, a key byte is loaded once for three; 17 cycles for three F0
; steps, 16 for three F1 steps and one to change a page: 67 cycles a round for three. One block:
; MK[0..15] is r0..r15, so that an F0 step adds its key and then delta instead of loading their
; sum; 24 cycles a round.
;
; Between blocks Y points to ctr->cache, whose address is on the top of the stack.

#include "hight_ctr.inc"

.set SECOND_HALF, 32 ; the stored address is that of subkey 32, round 8's first

.macro point_to_cache
  in ZL, SPL
  in ZH, SPH
  ldd YL, Z+1
  ldd YH, Z+2
.endm
.macro point_to_keys
  ldd ZL, Y+CACHE_KEYS
  ldd YH, Y+CACHE_KEYS+1
  mov YL, ZL
.endm
.macro point_to_data
  ldd XL, Y+CACHE_IN
  ldd XH, Y+CACHE_IN+1
  ldd ZL, Y+CACHE_OUT
  ldd ZH, Y+CACHE_OUT+1
.endm
.macro done_with_data
  std Y+CACHE_IN, XL
  std Y+CACHE_IN+1, XH
  std Y+CACHE_OUT, ZL
  std Y+CACHE_OUT+1, ZH
  set_pages
.endm
.macro xor_byte value
  ld tmp, X+
  eor tmp, \value
  st Z+, tmp
.endm

; ---- three blocks ----


.macro triple_f1 to, from
  .irp block, 0, 8, 16
  mov ZL, r1
  add_f1 (\to + \block), (\from + \block)
  .endr
.endm
.macro triple_f0 to, from
  .irp block, 0, 8, 16
  xor_f0 (\to + \block), (\from + \block), r1
  .endr
.endm
.macro triple_first1 to, from, subkey, place
  ldd r1, Y+CACHE_KEY+\place
  triple_f1 BYTE(\to), BYTE(\from)
.endm
.macro triple_first0 to, from, subkey, place
  ldd r1, Y+CACHE_KEY+\place
  triple_f0 BYTE(\to), BYTE(\from)
.endm
.macro triple_byte7 operation, place
  ldd r1, Y+\place
  \operation BYTE(7), r1
  \operation (BYTE(7)+8), r1
  \operation (BYTE(7)+16), r1
.endm
; F1 where X points into F1 too: the key stays in XL, and the third block takes it there.
.macro triple_f1_both to, from, key:vararg
  ldd XL, \key
  .irp block, 0, 8
  mov ZL, XL
  add_f1 (\to + \block), (\from + \block)
  .endr
  eor XL, (\from + 16)
  ld tmp, X
  add (\to + 16), tmp
.endm
.macro triple_round_f1
  triple_f1_both STATE(1), STATE(0), Y+4*round-window
  triple_f1_both STATE(5), STATE(4), Y+4*round-window+2
.endm
.macro triple_round_f0
  ldd r1, Y+4*round-window+1
  triple_f0 STATE(3), STATE(2)
  ldd r1, Y+4*round-window+3
  triple_f0 STATE(7), STATE(6)
.endm
; Two rounds. The steps of a round may come in any order, so X changes its page once a round.
.macro triple_rounds
  triple_round_f0
  inc XH
  triple_round_f1
  .set round, round + 1
  triple_round_f1
  dec XH
  triple_round_f0
  .set round, round + 1
.endm
.macro triple_whiten operation, byte, key
  ldd r1, Y+KEY_BYTES-window+\key
  \operation BYTE(\byte), r1
  \operation (BYTE(\byte)+8), r1
  \operation (BYTE(\byte)+16), r1
.endm

function gpuctr_hight_run ; r25:r24 out, r23:r22 in, r21:r20 ctr, r18 blocks
  set
  rjmp enter

  .global gpuctr_hight_run_single
gpuctr_hight_run_single:
  clt
enter:
  push_saved
  movw r30, r20
  movw r28, r20
  adiw r28, CTR_CACHE
  ldd r16, Z+CTR_ROUND_KEYS
  ldd r17, Z+CTR_ROUND_KEYS+1
  ldd r19, Z+CTR_COUNTER+7
  subi r16, lo8(-SECOND_HALF)
  sbci r17, hi8(-SECOND_HALF)
  std Y+CACHE_KEYS, r16
  std Y+CACHE_KEYS+1, r17
  std Y+CACHE_IN, r22
  std Y+CACHE_IN+1, r23
  std Y+CACHE_OUT, r24
  std Y+CACHE_OUT+1, r25
  std Y+CACHE_BLOCKS, r18
  std Y+CACHE_LOW, r19
  push r29
  push r28
  set_pages
  brts triples
  rjmp singles

.set state, 2
.set tmp, 0
triples:
  ldd r18, Y+CACHE_BLOCKS
  subi r18, 3
  brcc 1f
  rjmp singles
1:
  std Y+CACHE_BLOCKS, r18
  ldd BYTE(0), Y+CACHE_BYTE+0
  ldd BYTE(1), Y+CACHE_BYTE+1
  ldd BYTE(2), Y+CACHE_BYTE+2
  ldd BYTE(3), Y+CACHE_BYTE+3
  ldd BYTE(4), Y+CACHE_BYTE+4
  ldd BYTE(5), Y+CACHE_BYTE+5
  ldd BYTE(6), Y+CACHE_BYTE+6
  ldd BYTE(7), Y+CACHE_LOW
  .irp n, 0, 2, 4, 6
  movw (BYTE(\n)+8), BYTE(\n)
  movw (BYTE(\n)+16), BYTE(\n)
  .endr
  mov r0, BYTE(7)
  inc r0
  mov (BYTE(7)+8), r0
  inc r0
  mov (BYTE(7)+16), r0
  inc r0
  std Y+CACHE_LOW, r0
  changing_steps triple_first1, triple_first0, triple_byte7
  point_to_keys
  .set round, 8
  .set window, SECOND_HALF
  .rept 7
  triple_rounds
  .endr
  adiw YL, 56
  .set window, SECOND_HALF + 56
  .rept 5
  triple_rounds
  .endr
  ; The last round does not move the bytes: byte n of the block is BYTE(n + 1).
  triple_whiten add, 1, 0
  triple_whiten eor, 3, 1
  triple_whiten add, 5, 2
  triple_whiten eor, 7, 3
  point_to_cache
  point_to_data
  .irp block, 0, 8, 16
  .irp n, 1, 2, 3, 4, 5, 6, 7, 0
  xor_byte (BYTE(\n)+\block)
  .endr
  .endr
  done_with_data
  rjmp triples

; ---- one block ----

.macro single_f0 to, from, subkey
  mov XL, \from
  ld tmp, X
  add tmp, KEY_INDEX(\subkey)
  delta_of \subkey
  subi tmp, -delta
  eor \to, tmp
.endm
.macro single_first1 to, from, subkey, place
  ldd ZL, Y+CACHE_KEY+\place
  add_f1 BYTE(\to), BYTE(\from)
.endm
.macro single_first0 to, from, subkey, place
  single_f0 BYTE(\to), BYTE(\from), \subkey
.endm
.macro single_byte7 operation, place
  ldd tmp, Y+\place
  \operation BYTE(7), tmp
.endm
.macro single_round
  ldd ZL, Y+4*round-window
  add_f1 STATE(1), STATE(0)
  single_f0 STATE(3), STATE(2), (4*round+1)
  ldd ZL, Y+4*round-window+2
  add_f1 STATE(5), STATE(4)
  single_f0 STATE(7), STATE(6), (4*round+3)
  .set round, round + 1
.endm

singles:
  ldd r25, Y+CACHE_BLOCKS
  brtc 1f ; run_single takes no short cut
  cpi r25, 0
  brne 1f
  rjmp done
1:
  ldd ZL, Y+CACHE_KEYS
  ldd ZH, Y+CACHE_KEYS+1
  subi ZL, lo8(SECOND_HALF - KEY_BYTES)
  sbci ZH, hi8(SECOND_HALF - KEY_BYTES)
  .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
  ld \n, Z+
  .endr
  set_pages
.set state, 16
.set tmp, 24
2:
  subi r25, 1
  brcc 3f
  rjmp done
3:
  ldd BYTE(0), Y+CACHE_BYTE+0
  ldd BYTE(1), Y+CACHE_BYTE+1
  ldd BYTE(2), Y+CACHE_BYTE+2
  ldd BYTE(3), Y+CACHE_BYTE+3
  ldd BYTE(4), Y+CACHE_BYTE+4
  ldd BYTE(5), Y+CACHE_BYTE+5
  ldd BYTE(6), Y+CACHE_BYTE+6
  ldd BYTE(7), Y+CACHE_LOW
  mov tmp, BYTE(7)
  inc tmp
  std Y+CACHE_LOW, tmp
  changing_steps single_first1, single_first0, single_byte7
  point_to_keys
  .set round, 8
  .set window, SECOND_HALF
  .rept 15
  single_round
  .endr
  adiw YL, 60
  .set window, SECOND_HALF + 60
  .rept 9
  single_round
  .endr
  add BYTE(1), r0
  eor BYTE(3), r1
  add BYTE(5), r2
  eor BYTE(7), r3
  point_to_cache
  point_to_data
  .irp n, 1, 2, 3, 4, 5, 6, 7, 0
  xor_byte BYTE(\n)
  .endr
  done_with_data
  rjmp 2b

done:
  pop r0
  pop r0
  clr r1
  pop_saved
  ret
