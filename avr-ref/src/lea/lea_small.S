; LEA in little flash: one round in a loop, words moved back to their registers. Round keys as for
; the fast versions.
#include "lea.inc"

.set by8, 26
.set by32, 27
.set zero, 28
.set left, 29      ; rounds

.macro start_names
  word x0, 2, 0
  word x1, 6, 0
  word x2, 10, 0
  word x3, 14, 0
  word new1, 18, 0
  word new2, 22, 0
.endm

.macro block_in
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
  ldi by8, 8
  ldi by32, 32
  clr zero
.endm

.macro move w, v
  mov \w\()0, \v\()0
  mov \w\()1, \v\()1
  mov \w\()2, \v\()2
  mov \w\()3, \v\()3
.endm

; Rotates, and gives the words their places of before.
.macro turn
  rotate_to new2, x3, by32
  rotate_to new1, x2, by8
  rol9 x1, zero
  move x3, x0
  move x0, x1
  word x1, 6, 0
  move x1, new1
  move x2, new2
.endm

; void gpuctr_lea128_small_encrypt(const void *round_keys, uint8_t *out, const uint8_t *in)
function gpuctr_lea128_small_encrypt
  block_in
  ldi left, 24
1:
  start_names
  load_key new1    ; T1
  xor_word x1, new1
  xor_word x2, new1
  xor_word x3, new1
  add_keyed x3, x2, r0
  add_keyed x2, x1, r0
  add_keyed x1, x0, r0
  turn
  dec left
  breq 2f
  rjmp 1b
2:
  jmp gpuctr_lea_small_output

; void gpuctr_lea192_small_encrypt(const void *round_keys, uint8_t *out, const uint8_t *in)
function gpuctr_lea192_small_encrypt
  ldi r18, 28
  rjmp lea_wide_small

; void gpuctr_lea256_small_encrypt(const void *round_keys, uint8_t *out, const uint8_t *in)
function_here gpuctr_lea256_small_encrypt
  ldi r18, 32
lea_wide_small:
  block_in
  mov left, r18
1:
  start_names
  xor_key x2, r0
  xor_key x1, r0
  xor_key x3, r0
  add_word x3, x2
  xor_key x2, r0
  add_word x2, x1
  xor_key x1, r0
  add_keyed x1, x0, r0
  turn
  dec left
  breq 2f
  rjmp 1b
2:
  jmp gpuctr_lea_small_output

function gpuctr_lea_small_output
  clr r1
  pop r30
  pop r31
  store Z+, x0
  store Z+, x1
  store Z+, x2
  store Z+, x3
  pop_saved
  ret
