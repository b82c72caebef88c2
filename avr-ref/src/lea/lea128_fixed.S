; LEA-128 with the key of fixed_key.inc, which tools/fixed_key.py makes from a key file.
#include "lea128_fixed.inc"
#include "fixed_key.inc"

.set key0, FIXED_KEY0 | FIXED_KEY1<<8 | FIXED_KEY2<<16 | FIXED_KEY3<<24
.set key1, FIXED_KEY4 | FIXED_KEY5<<8 | FIXED_KEY6<<16 | FIXED_KEY7<<24
.set key2, FIXED_KEY8 | FIXED_KEY9<<8 | FIXED_KEY10<<16 | FIXED_KEY11<<24
.set key3, FIXED_KEY12 | FIXED_KEY13<<8 | FIXED_KEY14<<16 | FIXED_KEY15<<24

.set CACHE_END, 39 ; where run keeps the counter to stop at

; void gpuctr_lea128_fixed_encrypt(const void *round_keys, uint8_t *out, const uint8_t *in)
function gpuctr_lea128_fixed_encrypt
  push_saved
  push r23
  push r22
  movw r30, r20
  start_names
  load_at free, Z, 4
  load_at x0, Z, 0
  load_at x2, Z, 8
  load_at x3, Z, 12
  copy_word x1, free
  constants
  clr zero
  set              ; T: leave from here
  fixed_rounds
  brts 1f
  rjmp run_output
1:
  fixed_output
  clr r1
  pop_saved
  ret

; void gpuctr_lea128_fixed_run(uint8_t *out, const uint8_t *in, gpuctr_ctr *ctr, uint8_t blocks)
function_here gpuctr_lea128_fixed_run
  push_saved
  push r25
  push r24
  push r23
  push r22
  movw r30, r20
  ldd low, Z+CTR_COUNTER+15
  add r18, low
  adiw r30, CTR_CACHE
  std Z+CACHE_END, r18
  movw cache, r30
  restore_names _at2
  constants
  clr zero
  clt
next_block:
  restore_names _at2
  movw r30, cache
  ldd tk0, Z+CACHE_END
  cp low, tk0
  brne 1f
  rjmp run_done
1:
  cached_rounds low, x00
  .if x30 != 31
  .error "x3 is not where its loading expects it"
  .endif
  ldd x31, Z+CACHE_X3+1
  ldd x32, Z+CACHE_X3+2
  ldd r0, Z+CACHE_X3
  ldd x33, Z+CACHE_X3+3
  mov x30, r0
  seek_key 2, 4
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
  pop r30          ; in
  pop r31
  pop r28          ; out
  pop r29
  load_at free, Z, 8
  xor_ror free, x3, by32
  rename new2, free
  word free, x3g, 0
  load_at free, Z, 4
  xor_ror free, x2, by8
  rol9 x1, zero
  xor_at x1, Z, 0, x20
  xor_at x0, Z, 12, x20
  store Y+, x1
  store Y+, free
  store Y+, new2
  store Y+, x0
  adiw r30, 16
  push r29
  push r28
  push r31
  push r30
  inc low
  rjmp next_block

run_done:
  .rept 4
  pop r0
  .endr
  clr r1
  pop_saved
  ret

; void gpuctr_lea128_fixed_prepare(gpuctr_ctr *ctr)
; Y holds the cache's address, so the words lie elsewhere; T1 still in high registers.
function gpuctr_lea128_fixed_prepare
  push_saved
  movw r28, r24
  .set by8, 14
  .set by32, 15
  word x0, 20, 0
  word x1, 2, 0
  word x2, 6, 0
  word x3, 16, 0
  word tk, 24, 0
  word free, 10, 0
  start_keys
  prepare

; void gpuctr_lea128_fixed_set_key(void *round_keys, const uint8_t *key): nothing to do.
function gpuctr_lea128_fixed_set_key
  ret
