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
; Two chains, one after the other: chain = E(chain ^ block). Z is the chain, Y the block.
function gpuctr_lea128_chain_df
  push_saved
  movw r30, r24
  movw r28, r22
  start_names
next_block:
  push r20         ; blocks left
  push r29
  push r28
  set              ; T: the other chain follows
  constants
  clr zero
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
  pop r28
  pop r29
  brtc 1f
  clt
  push r29
  push r28
  rjmp next_chain
1:
  adiw r28, 16
  sbiw r30, 32
  pop r20
  dec r20
  breq 2f
  rjmp next_block
2:
  clr r1
  pop_saved
  ret
