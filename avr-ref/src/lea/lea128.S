; LEA-128, fast: unrolled, 99 cycles a round.
#include "lea128.inc"

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
.macro next_groups
  word tk, x2g, 0
  word free, x3g, 0
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
  load_key tk
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
  cached_rounds low, x30
  load_at x3, Z, CACHE_X3
  ldd tk0, Z+CACHE_ROW
  ldd tk1, Z+CACHE_ROW+1
  movw r30, tk0
  add_keyed x3, x2, tk0
  add_keyed x2, x1, tk0
  add_word x1, free
  skip_keys 4      ; T0 is in the cache
  load_key tk
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
function gpuctr_lea128_prepare
  push_saved
  movw r28, r24
  start_names
  ldd r30, Y+CTR_ROUND_KEYS
  ldd r31, Y+CTR_ROUND_KEYS+1
  prepare
