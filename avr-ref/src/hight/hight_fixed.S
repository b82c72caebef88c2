; HIGHT with the key of fixed_key.inc, which tools/fixed_key.py makes from a key file: encryption
; and counter mode.
;
; Counter mode: what is cached stays in registers from block to block.

#include "fixed_key.inc"

.irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
.set MK_\n, FIXED_KEY\n
.endr

#include "hight_fixed.inc"

.set held, 2      ; r2..r8: bytes 0 to 6
.set constants, 9 ; r9..r12: what byte 7 takes
.set low, 13
.set blocks, 17
#define CONSTANT(place) (constants + (place) - CACHE_7_0)

fixed_encrypt gpuctr_hight_fixed_encrypt

; There is nothing to prepare: the round keys are in the code.
function gpuctr_hight_fixed_set_key
  ret

.macro prepare_step1 to, from, subkey
  fixed_f1 BYTE(\to), BYTE(\from), \subkey
.endm
.macro prepare_step0 to, from, subkey
  fixed_f0 BYTE(\to), BYTE(\from), \subkey
.endm
.macro prepare_constant0 place, subkey
  subkey_of \subkey
  mov XL, BYTE(6)
  ld tmp, X
  subi tmp, -stored
  std Y+\place, tmp
.endm
.macro prepare_constant1 place, subkey
  subkey_of \subkey
  ldi ZL, stored
  eor ZL, BYTE(6)
  ld tmp, Z
  std Y+\place, tmp
.endm

function gpuctr_hight_fixed_prepare ; r25:r24 ctr
  push 16
  push 28
  push 29
  movw r30, r24
  movw r28, r24
  adiw r28, CTR_CACHE
  .irp n, 0, 1, 2, 3, 4, 5, 6
  ldd BYTE(\n), Z+CTR_COUNTER+\n
  .endr
  set_pages
  whiten_first
  constant_steps prepare_step1, prepare_step0, prepare_constant1, prepare_constant0
  .irp n, 0, 1, 2, 3, 4, 5, 6
  std Y+CACHE_BYTE+\n, BYTE(\n)
  .endr
  pop 29
  pop 28
  pop 16
  ret

.macro run_step1 to, from, subkey, place
  fixed_f1 BYTE(\to), BYTE(\from), \subkey
.endm
.macro run_step0 to, from, subkey, place
  fixed_f0 BYTE(\to), BYTE(\from), \subkey
.endm
.macro run_byte7 operation, place
  \operation BYTE(7), CONSTANT(\place)
.endm

; Between blocks r15:r14 is the input pointer, r1:r0 the output pointer.
function gpuctr_hight_fixed_run ; r25:r24 out, r23:r22 in, r21:r20 ctr, r18 blocks
  push_saved
  movw r30, r20
  movw r0, r24
  movw r14, r22
  mov blocks, r18
  ldd low, Z+CTR_COUNTER+7
  adiw r30, CTR_CACHE
  .irp n, 0, 1, 2, 3, 4, 5, 6
  ldd (held+\n), Z+CACHE_BYTE+\n
  .endr
  .irp place, CACHE_7_0, CACHE_7_2, CACHE_7_4, CACHE_7_6
  ldd CONSTANT(\place), Z+\place
  .endr
  set_fixed_pages
1:
  subi blocks, 1
  brcc 2f
  rjmp 3f
2:
  .irp n, 0, 2, 4
  movw BYTE(\n), (held+\n)
  .endr
  mov BYTE(6), (held+6)
  mov BYTE(7), low
  inc low
  changing_steps run_step1, run_step0, run_byte7
  .set round, 8
  .rept 24
  fixed_round
  .endr
  whiten_last
  movw XL, r14
  movw ZL, r0
  .irp n, 1, 2, 3, 4, 5, 6, 7, 0
  ld tmp, X+
  eor tmp, BYTE(\n)
  st Z+, tmp
  .endr
  movw r14, XL
  movw r0, ZL
  set_pages
  rjmp 1b
3:
  clr r1
  pop_saved
  ret
