; Counter mode's cache for LEA-192 and LEA-256: rounds 0 to 2 with zero for the bytes that depend on
; the last counter byte.
#include "lea_wide.inc"

; void gpuctr_lea_wide_prepare(gpuctr_ctr *ctr)
function gpuctr_lea_wide_prepare
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
  xor_key x2, r0
  xor_key x1, r0

  next_key r0        ; x3's top byte is c, and its key is kept
  eor x30, r0
  next_key r0
  eor x31, r0
  next_key r0
  eor x32, r0
  next_key r0
  std Y+CACHE_T, r0
  add x30, x20
  adc x31, x21
  adc x32, x22
  mov r0, x23
  adc r0, r1
  std Y+CACHE_S, r0
  clr x33
  xor_key x2, r0
  add_word x2, x1
  xor_key x1, r0
  add_keyed x1, x0, r0
  turn 1

  clr r1
  std Y+CACHE_U+0, x22
  std Y+CACHE_U+1, x23
  xor_key x3, r0
  add x30, x20
  adc x31, x21
  adc x32, r1
  adc x33, r1
  std Y+CACHE_U+2, x32
  std Y+CACHE_U+3, x33
  xor_key x2, r0
  std Y+CACHE_V+0, x22
  std Y+CACHE_V+1, x23
  add x20, x10
  adc x21, x11
  mov r0, x12
  adc r0, r1
  std Y+CACHE_V+2, r0
  mov r0, x13
  adc r0, r1
  std Y+CACHE_V+3, r0
  xor_key x1, r0
  add_keyed x1, x0, r0
  clr x32
  clr x33
  clr x22
  clr x23
  turn 1

  keep CACHE_X2, x2
  keep CACHE_X1, x1
  xor_key x3, r0   ; rk5
  keep CACHE_X3, x3
  std Y+CACHE_ROW, r30
  std Y+CACHE_ROW+1, r31
  keep CACHE_X0, x0
  xor_at x0, Z, 8, r0
  keep CACHE_K0, x0
  clr r1
  pop_saved
  ret
