; LEA-128, fast: unrolled, 99 cycles a round.
;
; A round's key is 16 bytes, in the order of use: T1, T3 ^ T1, T2 ^ T1, T0. Between rounds x1, x2 and
; x3 hold their XOR with the coming round's T1, so that it is loaded once and used three times; the
; other key words are stored XORed with T1. Of the result words one takes its T1 by MOVW (18 cycles
; a rotation and XOR), the other is made in the registers that T1 was loaded to (16).
#include "lea.inc"
#include "lea_cache.inc"

.set ROUNDS, 24
.set ROW, 16

; Six groups: four words, T1 and one free.
.set group0, 2
.set by8, 26
.set by32, 27
.set zero, 28
.set low, 29       ; the counter's low byte

.macro constants
  ldi by8, 8
  ldi by32, 32
.endm

.macro start_names
  word x0, group0+0, 0
  word x1, group0+4, 0
  word x2, group0+8, 0
  word x3, group0+12, 0
  word tk, group0+16, 0
  word free, group0+20, 0
.endm
.macro save_names suffix
  rename x0\suffix, x0
  rename x1\suffix, x1
  rename x2\suffix, x2
  rename x3\suffix, x3
  rename tk\suffix, tk
  rename free\suffix, free
.endm
.macro restore_names suffix
  rename x0, x0\suffix
  rename x1, x1\suffix
  rename x2, x2\suffix
  rename x3, x3\suffix
  rename tk, tk\suffix
  rename free, free\suffix
.endm

; A round, from x0, x1 ^ T1, x2 ^ T1, x3 ^ T1, with Z behind its T1.
.macro round
  sums
  load tk, Z+
  copy_word free, tk
  xor_word x0, tk
  turn
.endm

.macro sums
  add_keyed x3, x2, tk0
  add_keyed x2, x1, tk0
  add_keyed x1, x0, tk0
.endm

; Rotates onto the next T1, which is in tk and free.
.macro turn zero_register=zero
  xor_ror free, x3, by32
  xor_ror tk, x2, by8
  .if \zero_register == 1
  clr r1
  .endif
  rol9 x1, \zero_register
  rename new1, tk
  rename new2, free
  word tk, x2g, 0
  word free, x3g, 0
  next_names new1, new2
.endm

; void gpuctr_lea128_encrypt(const void *round_keys, uint8_t *out, const uint8_t *in)
function gpuctr_lea128_encrypt
  push_saved
  push r23
  push r22
  movw r26, r20
  movw r30, r24
  start_names
  load x0, X+
  load x1, X+
  load x2, X+
  load x3, X+
  constants
  clr zero
  load tk, Z+
  xor_word x1, tk
  xor_word x2, tk
  xor_word x3, tk
  set              ; T: leave through encrypt_output
  round
  round
  save_names _at2
  round
from_round3:
  .rept ROUNDS-4
  round
  .endr
  sums
  save_names _last
  brts encrypt_output
  rjmp run_output

encrypt_output:
  rotate_to free, x3, by32
  rename new2, free
  word free, x3g, 0
  rotate_to free, x2, by8
  rol9 x1, zero
  clr r1
  pop r30
  pop r31
  store Z+, x1
  store Z+, free
  store Z+, new2
  store Z+, x0
  pop_saved
  ret

; On the stack in run
.set FRAME_CACHE, 5
.set FRAME_END, 7

; void gpuctr_lea128_run(uint8_t *out, const uint8_t *in, gpuctr_ctr *ctr, uint8_t blocks)
function_here gpuctr_lea128_run
  push_saved
  movw r30, r20
  ldd low, Z+CTR_COUNTER+15
  add r18, low
  push r18
  adiw r30, CTR_CACHE
  push r31
  push r30
  push r23
  push r22
  push r25
  push r24
  constants
  clr zero
  clt
next_block:
  restore_names _at2
  in r30, SPL
  in r31, SPH
  ldd tk0, Z+FRAME_END
  cp low, tk0
  brne 1f
  rjmp run_done
1:
  ldd tk0, Z+FRAME_CACHE
  ldd tk1, Z+FRAME_CACHE+1
  movw r30, tk0
  cached_byte low, tk1, tk0
  movw free0, r0
  cached_half CACHE_U, tk0, tk1, free0, free1, x30
  cached_half CACHE_V, tk2, tk3, free0, free1, x30
  cached_words tk0, tk1, tk2, tk3
  load_at x3, Z, CACHE_X3
  load_at x0, Z, CACHE_X0
  load_at free, Z, CACHE_K0
  ldd tk0, Z+CACHE_ROW
  ldd tk1, Z+CACHE_ROW+1
  movw r30, tk0
  add_keyed x3, x2, tk0
  add_keyed x2, x1, tk0
  add_word x1, free
  adiw r30, 4
  load tk, Z+
  copy_word free, tk
  turn
  rjmp from_round3

; The last rotations, onto the data.
run_output:
  restore_names _last
  pop tk0          ; out
  pop tk1
  pop tk2          ; in
  pop tk3
  movw r30, tk2
  load_at free, Z, 8
  xor_ror free, x3, by32
  rename new2, free
  word free, x3g, 0
  load_at free, Z, 4
  xor_ror free, x2, by8
  rol9 x1, zero
  xor_at x1, Z, 0, x20
  xor_at x0, Z, 12, x20
  movw r26, tk0
  store X+, x1
  store X+, free
  store X+, new2
  store X+, x0
  adiw r30, 16
  push r31
  push r30
  push r27
  push r26
  constants
  inc low
  rjmp next_block

run_done:
  .rept 7
  pop r0
  .endr
  clr r1
  pop_saved
  ret

; void gpuctr_lea128_prepare(gpuctr_ctr *ctr)
; Rounds 0 to 2 with zero for the bytes that depend on c.
function gpuctr_lea128_prepare
  push_saved
  movw r28, r24
  start_names
  ldd r30, Y+CTR_ROUND_KEYS
  ldd r31, Y+CTR_ROUND_KEYS+1
  load_at x0, Y, CTR_COUNTER
  load_at x1, Y, CTR_COUNTER+4
  load_at x2, Y, CTR_COUNTER+8
  load_at x3, Y, CTR_COUNTER+12
  adiw r28, CTR_CACHE
  constants
  load tk, Z+
  std Y+CACHE_T, tk3
  xor_word x1, tk
  xor_word x2, tk
  xor_word x3, tk

  add_keyed_byte add, x30, x20, tk0
  add_keyed_byte adc, x31, x21, tk0
  add_keyed_byte adc, x32, x22, tk0
  ld tk0, Z+
  eor tk0, x23
  adc tk0, r1
  std Y+CACHE_S, tk0
  clr x33
  add_keyed x2, x1, tk0
  add_keyed x1, x0, tk0
  load tk, Z+
  copy_word free, tk
  xor_word x0, tk
  turn 1

  clr r1
  std Y+CACHE_V+0, x22
  std Y+CACHE_V+1, x23
  add_keyed_byte add, x30, x20, tk0
  add_keyed_byte adc, x31, x21, tk0
  adc x32, r1
  adc x33, r1
  std Y+CACHE_U+2, x32
  std Y+CACHE_U+3, x33
  ld tk0, Z+
  eor tk0, x22
  std Y+CACHE_U+0, tk0
  ld tk0, Z+
  eor tk0, x23
  std Y+CACHE_U+1, tk0
  add_keyed_byte add, x20, x10, tk0
  add_keyed_byte adc, x21, x11, tk0
  ld tk0, Z+
  eor tk0, x12
  adc tk0, r1
  std Y+CACHE_V+2, tk0
  ld tk0, Z+
  eor tk0, x13
  adc tk0, r1
  std Y+CACHE_V+3, tk0
  add_keyed x1, x0, tk0
  clr x32
  clr x33
  clr x22
  clr x23
  load tk, Z+
  copy_word free, tk
  xor_word x0, tk
  turn 1

  keep CACHE_X2, x2
  keep CACHE_X1, x1
  keep CACHE_X3, x3
  std Y+CACHE_ROW, r30
  std Y+CACHE_ROW+1, r31
  xor_at x0, Z, 8, tk0
  keep CACHE_K0, x0
  xor_at x0, Z, 8, tk0
  xor_at x0, Z, 12, tk0
  keep CACHE_X0, x0
  clr r1
  pop_saved
  ret
