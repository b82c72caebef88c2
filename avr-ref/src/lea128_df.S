; LEA-128 under the key of CTR_DRBG's derivation function, 00 01 02 ... 0f.
#include "lea128_fixed.inc"

.set key0, 0x03020100
.set key1, 0x07060504
.set key2, 0x0b0a0908
.set key3, 0x0f0e0d0c

.macro load_xor w, offset
  load_at \w, Z, \offset
  xor_at \w, Y, \offset, r0
.endm

; void gpuctr_lea128_chain_df(uint8_t *chains, const uint8_t *data, uint8_t blocks)
function gpuctr_lea128_chain_df
  push r15
  push r16
  push r17
  push r28
  push r29
  movw r28, r24
  movw r16, r22
  mov r15, r20
1:
  movw r24, r28
  movw r22, r16
  rcall lea128_chain_block
  subi r16, lo8(-16)
  sbci r17, hi8(-16)
  dec r15
  brne 1b
  pop r29
  pop r28
  pop r17
  pop r16
  pop r15
  ret

; Two chains, one after the other: chain = E(chain ^ block). Z is the chain, Y the block.
lea128_chain_block:
  push_saved
  movw r30, r24
  movw r28, r22
  push r29
  push r28
  start_names
  constants
  clr zero
  set              ; T: another chain follows
next_chain:
  start_names
  push r31
  push r30
  load_xor free, 4
  load_xor x0, 0
  load_xor x2, 8
  load_xor x3, 12
  copy_word x1, free
  fixed_rounds
  fixed_output
  brtc 1f
  clt
  pop r28
  pop r29
  rjmp next_chain
1:
  clr r1
  pop_saved
  ret
