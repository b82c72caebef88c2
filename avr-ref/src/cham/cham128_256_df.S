; Revised CHAM-128/256 for the derivation function: three chains.
#define KEY_BITS 256
#define ROUNDS 120
#define KEY_WORDS 16
#define CHAINS 3
#include "cham128_df.inc"
