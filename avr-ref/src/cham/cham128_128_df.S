; Revised CHAM-128/128 for the derivation function: two chains.
#define KEY_BITS 128
#define ROUNDS 112
#define KEY_WORDS 8
#define CHAINS 2
#include "cham128_df.inc"
