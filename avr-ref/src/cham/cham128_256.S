; Revised CHAM-128/256: 120 rounds, sixteen round keys.
#define KEY_BITS 256
#define ROUNDS 120
#define KEY_WORDS 16
#include "cham128_block.inc"
