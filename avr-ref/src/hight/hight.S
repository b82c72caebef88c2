; HIGHT, fast: key schedule, one block, and what the blocks of counter mode share.
;
; Round keys, 144 bytes: SK[0..127], those with even index as F1^-1(SK); then MK[0..15], of which
; WK[0..3] is MK[12..15] and WK[4..7] is MK[0..3].

#include "hight_ctr.inc"

.set tmp, 0

.macro store_subkey s
  .set key, 2 + KEY_INDEX(\s)
  .if (\s) & 1
  mov r18, key
  subi r18, -delta
  .else
  mov ZL, key
  subi ZL, -delta
  lpm r18, Z
  .endif
  st Y+, r18
  next_delta
.endm

function gpuctr_hight_set_key ; r25:r24 round keys, r23:r22 key
  push_saved
  movw r28, r24
  movw r26, r22
  .irp n, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17
  ld \n, X+
  .endr
  ldi ZH, hi8(gpuctr_hight_f1_inverse)
  first_delta
  .set subkey, 0
  .rept 128
  store_subkey subkey
  .set subkey, subkey + 1
  .endr
  .irp n, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17
  st Y+, \n
  .endr
  pop_saved
  ret

.macro whiten at
  ldd r0, Y+\at
  add BYTE(0), r0
  ldd r0, Y+\at+1
  eor BYTE(2), r0
  ldd r0, Y+\at+2
  add BYTE(4), r0
  ldd r0, Y+\at+3
  eor BYTE(6), r0
.endm

; One block with all keys from memory: 26 cycles a round. Holding key bytes in registers, as counter
; mode does, would cost a single block more than it saves.
function gpuctr_hight_encrypt ; r25:r24 round keys, r23:r22 out, r21:r20 in
  push 17
  push 28
  push 29
  push 22
  push 23
  movw r28, r24
  subi r28, lo8(-KEY_BYTES)
  sbci r29, hi8(-KEY_BYTES)
  movw r30, r20
  .set state, 18
  .irp n, 0, 1, 2, 3, 4, 5, 6, 7
  ldd BYTE(\n), Z+\n
  .endr
  whiten 12
  subi r28, lo8(KEY_BYTES)
  sbci r29, hi8(KEY_BYTES)
  set_pages
  ldi r17, 4
1:
  .set round, 0
  .rept 8
  ld ZL, Y+
  add_f1 STATE(1), STATE(0)
  ld r1, Y+
  xor_f0 STATE(3), STATE(2), r1
  ld ZL, Y+
  add_f1 STATE(5), STATE(4)
  ld r1, Y+
  xor_f0 STATE(7), STATE(6), r1
  .set round, round + 1
  .endr
  dec r17
  breq 2f
  rjmp 1b
2:
  clr r1
  ; The standard's last round does not move the bytes: byte n is where byte n + 1 was.
  .set state, 19
  .macro whiten_last
  ldd r0, Y+0
  add r19, r0
  ldd r0, Y+1
  eor r21, r0
  ldd r0, Y+2
  add r23, r0
  ldd r0, Y+3
  eor r25, r0
  .endm
  whiten_last
  pop 31
  pop 30
  .irp n, 19, 20, 21, 22, 23, 24, 25, 18
  st Z+, \n
  .endr
  pop 29
  pop 28
  pop 17
  ret

.macro prepare_step1 to, from, subkey
  step1 BYTE(\to), BYTE(\from), Y+\subkey
.endm
.macro prepare_step0 to, from, subkey
  step0 BYTE(\to), BYTE(\from), Y+\subkey
.endm
; r14..r17 collect them.
#define CONSTANT(place) (14 + (place) - CACHE_7_0)
.macro prepare_constant0 place, subkey
  mov XL, BYTE(6)
  ld r0, X
  ldd r1, Y+\subkey
  add r0, r1
  .set to, CONSTANT(\place)
  mov to, r0
.endm
.macro prepare_constant1 place, subkey
  ldd ZL, Y+\subkey
  eor ZL, BYTE(6)
  .set to, CONSTANT(\place)
  ld to, Z
.endm
function gpuctr_hight_prepare ; r25:r24 ctr
  .irp n, 14, 15, 16, 17, 28, 29
  push \n
  .endr
  movw r30, r24
  push 24
  push 25
  ldd r28, Z+CTR_ROUND_KEYS
  ldd r29, Z+CTR_ROUND_KEYS+1
  .set state, 18
  .irp n, 0, 1, 2, 3, 4, 5, 6
  ldd BYTE(\n), Z+CTR_COUNTER+\n
  .endr
  subi r28, lo8(-KEY_BYTES)
  sbci r29, hi8(-KEY_BYTES)
  whiten 12
  subi r28, lo8(KEY_BYTES)
  sbci r29, hi8(KEY_BYTES)
  set_pages
  constant_steps prepare_step1, prepare_step0, prepare_constant1, prepare_constant0
  pop 31
  pop 30
  adiw r30, CTR_CACHE
  .irp n, 0, 1, 2, 3, 4, 5, 6
  std Z+CACHE_BYTE+\n, BYTE(\n)
  .endr
  std Z+CACHE_7_0, r14
  std Z+CACHE_7_2, r15
  std Z+CACHE_7_4, r16
  std Z+CACHE_7_6, r17
  .set place, CACHE_KEY
  .irp subkey, 4, 9, 13, 14, 18, 19, 20, 22, 23, 24, 25, 27, 28, 29, 30, 31
  ldd r0, Y+\subkey
  std Z+place, r0
  .set place, place + 1
  .endr
  clr r1
  .irp n, 29, 28, 17, 16, 15, 14
  pop \n
  .endr
  ret
