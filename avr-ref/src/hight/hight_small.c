#include "internal.h"

void gpuctr_hight_small_set_key(void* round_keys, const uint8_t* key);
void gpuctr_hight_small_encrypt(const void* round_keys, uint8_t* out, const uint8_t* in);

const gpuctr_cipher gpuctr_hight_small IN_FLASH("hight_small") = {
    .name = "HIGHT",
    .block = 8,
    .key = 16,
    .rounds = 32,
    .round_keys = 136,
    .set_key = gpuctr_hight_small_set_key,
    .encrypt = gpuctr_hight_small_encrypt,
};
