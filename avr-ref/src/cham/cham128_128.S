; Revised CHAM-128/128: 112 rounds, eight round keys.
#define KEY_BITS 128
#define ROUNDS 112
#define KEY_WORDS 8
#include "cham128_block.inc"
