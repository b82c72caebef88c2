; Key schedules of LEA. Written for size; the working words stay in registers (128) or on the stack.
#include "lea.inc"

.macro rol32 value, by
  .long ((\value << (\by)) | (\value >> (32-(\by)))) & 0xffffffff
.endm

; delta[i mod modulus] rotated left by i, for each round i
.macro delta_rows rounds, modulus
  .set i, 0
  .rept \rounds
  .if i % \modulus == 0
    rol32 0xc3efe9db, (i&31)
  .elseif i % \modulus == 1
    rol32 0x44626b02, (i&31)
  .elseif i % \modulus == 2
    rol32 0x79e27c8a, (i&31)
  .elseif i % \modulus == 3
    rol32 0x78df30ec, (i&31)
  .elseif i % \modulus == 4
    rol32 0x715ea49e, (i&31)
  .elseif i % \modulus == 5
    rol32 0xc785da0a, (i&31)
  .elseif i % \modulus == 6
    rol32 0xe04ef22a, (i&31)
  .else
    rol32 0xe5c40957, (i&31)
  .endif
  .set i, i+1
  .endr
.endm

.macro rol1 w
  lsl \w\()0
  rol \w\()1
  rol \w\()2
  rol \w\()3
  adc \w\()0, r1
.endm

.macro rol3 w
  rol1 \w
  rol1 \w
  rol1 \w
.endm

.macro ror1 w
  bst \w\()0, 0
  lsr \w\()3
  ror \w\()2
  ror \w\()1
  ror \w\()0
  bld \w\()3, 7
.endm

; Moves the bytes, where a loop needs them back in place.
.macro rol8 w, t
  mov \t, \w\()3
  mov \w\()3, \w\()2
  mov \w\()2, \w\()1
  mov \w\()1, \w\()0
  mov \w\()0, \t
.endm

.macro load_delta
  lpm d0, Z+
  lpm d1, Z+
  lpm d2, Z+
  lpm d3, Z+
.endm

.macro store_xor w, v, t
  mov \t, \w\()0
  eor \t, \v\()0
  st X+, \t
  mov \t, \w\()1
  eor \t, \v\()1
  st X+, \t
  mov \t, \w\()2
  eor \t, \v\()2
  st X+, \t
  mov \t, \w\()3
  eor \t, \v\()3
  st X+, \t
.endm

; void gpuctr_lea128_set_key(void *round_keys, const uint8_t *key)
; A round is 16 bytes: T1, T3 ^ T1, T2 ^ T1, T0 for the standard's round key (T0,T1,T2,T1,T3,T1).
function gpuctr_lea128_set_key
  push_saved
  word w0, 2, 0
  word w1, 6, 0
  word w2, 10, 0
  word w3, 14, 0
  word d, 18, 0
  movw r30, r22
  movw r26, r24
  load w0, Z+
  load w1, Z+
  load w2, Z+
  load w3, Z+
  ldi r30, lo8(delta128)
  ldi r31, hi8(delta128)
  ldi r28, 24
1:
  load_delta
  add_word w0, d
  rol1 w0
  rol1 d
  add_word w1, d
  rol3 w1
  rol1 d
  add_word w2, d
  rol8 w2, r22
  ror1 w2
  ror1 w2
  rol1 d
  add_word w3, d
  rol8 w3, r22
  rol3 w3
  store X+, w1
  store_xor w3, w1, r22
  store_xor w2, w1, r22
  store X+, w0
  dec r28
  breq 2f
  rjmp 1b
2:
  pop_saved
  ret
delta128:
  delta_rows 24, 4

; void gpuctr_lea192_set_key(void *round_keys, const uint8_t *key), and 256
; A round is 24 bytes: rk4, rk2, rk5, rk4 ^ rk3, rk2 ^ rk1, rk0. The working words are a ring of 6
; or 8 on the stack; X goes round it, Y is the row being written.
function gpuctr_lea192_set_key
  ldi r30, lo8(delta192)
  ldi r31, hi8(delta192)
  ldi r20, 6
  ldi r21, 28
  rjmp lea_wide_set_key
delta192:
  delta_rows 28, 6

function gpuctr_lea256_set_key
  ldi r30, lo8(delta256)
  ldi r31, hi8(delta256)
  ldi r20, 8
  ldi r21, 32
  rjmp lea_wide_set_key
delta256:
  delta_rows 32, 8

.macro put offset, w
  std Y+\offset+0, \w\()0
  std Y+\offset+1, \w\()1
  std Y+\offset+2, \w\()2
  std Y+\offset+3, \w\()3
.endm

; The word at X, with delta added; delta is rotated for the next.
.macro next_word
  word t, 12, 0
  load t, X+
  add_word t, d
  rol1 d
.endm

; Writes the word back, and goes on round the ring.
.macro keep_word
  st -X, t3
  st -X, t2
  st -X, t1
  st -X, t0
  adiw r26, 4
  dec r24
  brne 1f
  mov r24, r20
  sub r26, r22
  sbc r27, r1
1:
.endm

; r20: words of the key; r21: rounds; Z: rows of delta; r25:r24 round keys; r23:r22 key
function lea_wide_set_key
  push_range 12, 17
  push 28
  push 29
  word t, 12, 0
  word d, 16, 0
  movw r26, r22
  movw r28, r24
  mov r22, r20
  lsl r22
  lsl r22          ; bytes of the ring
  mov r23, r22
  add r26, r22
  adc r27, r1
1:
  ld r0, -X
  push r0
  dec r23
  brne 1b
  in r26, SPL
  in r27, SPH
  adiw r26, 1
  mov r24, r20     ; words to the ring's end
2:
  load_delta
  next_word
  rol1 t
  keep_word
  put 20, t        ; rk0
  next_word
  rol3 t
  keep_word
  put 16, t        ; rk1
  next_word
  ror1 t
  ror1 t
  word t, 12, 3    ; ROL by 6
  keep_word
  put 4, t         ; rk2
  xor_at t, Y, 16, r25
  put 16, t        ; rk2 ^ rk1
  next_word
  rol3 t
  word t, 12, 3    ; ROL by 11
  keep_word
  put 12, t        ; rk3
  next_word
  ror1 t
  ror1 t
  ror1 t
  word t, 12, 2    ; ROL by 13
  keep_word
  put 0, t         ; rk4
  xor_at t, Y, 12, r25
  put 12, t        ; rk4 ^ rk3
  next_word
  rol1 t
  word t, 12, 2    ; ROL by 17
  keep_word
  put 8, t         ; rk5
  adiw r28, 24
  dec r21
  breq 3f
  rjmp 2b
3:
  in r30, SPL
  in r31, SPH
  adiw r30, 1
4:
  st Z+, r1
  pop r0
  dec r22
  brne 4b
  pop 29
  pop 28
  pop_range 12, 17
  ret
