/* LEA-128 with the key of fixed_key.inc. */
#include "internal.h"

void gpuctr_lea128_fixed_set_key(void* round_keys, const uint8_t* key);
void gpuctr_lea128_fixed_encrypt(const void* round_keys, uint8_t* out, const uint8_t* in);
void gpuctr_lea128_fixed_prepare(gpuctr_ctr* ctr);
void gpuctr_lea128_fixed_run(uint8_t* out, const uint8_t* in, gpuctr_ctr* ctr, uint8_t blocks);

const gpuctr_cipher gpuctr_lea128_fixed IN_FLASH("lea128_fixed") = {
    .name = "LEA-128",
    .block = 16,
    .key = 16,
    .rounds = 24,
    .round_keys = 0,
    .set_key = gpuctr_lea128_fixed_set_key,
    .encrypt = gpuctr_lea128_fixed_encrypt,
    .prepare = gpuctr_lea128_fixed_prepare,
    .run = gpuctr_lea128_fixed_run,
    .run_single = gpuctr_lea128_fixed_run,
};
