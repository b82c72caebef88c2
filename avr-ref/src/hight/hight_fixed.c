/* HIGHT with its key in the code. The round keys' pointer is not looked at. */
#include "internal.h"

void gpuctr_hight_fixed_set_key(void* round_keys, const uint8_t* key);
void gpuctr_hight_fixed_encrypt(const void* round_keys, uint8_t* out, const uint8_t* in);
void gpuctr_hight_fixed_prepare(gpuctr_ctr* ctr);
void gpuctr_hight_fixed_run(uint8_t* out, const uint8_t* in, gpuctr_ctr* ctr, uint8_t blocks);

const gpuctr_cipher gpuctr_hight_fixed IN_FLASH("hight_fixed") = {
    .name = "HIGHT",
    .block = 8,
    .key = 16,
    .rounds = 32,
    .round_keys = 0,
    .set_key = gpuctr_hight_fixed_set_key,
    .encrypt = gpuctr_hight_fixed_encrypt,
    .prepare = gpuctr_hight_fixed_prepare,
    .run = gpuctr_hight_fixed_run,
    .run_single = gpuctr_hight_fixed_run,
};
