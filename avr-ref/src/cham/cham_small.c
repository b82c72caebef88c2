#include "internal.h"

void gpuctr_cham64_set_key(void* round_keys, const uint8_t* key);
void gpuctr_cham128_128_set_key(void* round_keys, const uint8_t* key);
void gpuctr_cham128_256_set_key(void* round_keys, const uint8_t* key);
void gpuctr_cham64_small_encrypt(const void* round_keys, uint8_t* out, const uint8_t* in);
void gpuctr_cham128_128_small_encrypt(const void* round_keys, uint8_t* out, const uint8_t* in);
void gpuctr_cham128_256_small_encrypt(const void* round_keys, uint8_t* out, const uint8_t* in);

const gpuctr_cipher gpuctr_cham64_128_small IN_FLASH("cham64_128_small") = {
    .name = "CHAM-64-128",
    .block = 8,
    .key = 16,
    .rounds = 88,
    .round_keys = 32,
    .set_key = gpuctr_cham64_set_key,
    .encrypt = gpuctr_cham64_small_encrypt,
};

const gpuctr_cipher gpuctr_cham128_128_small IN_FLASH("cham128_128_small") = {
    .name = "CHAM-128-128",
    .block = 16,
    .key = 16,
    .rounds = 112,
    .round_keys = 32,
    .set_key = gpuctr_cham128_128_set_key,
    .encrypt = gpuctr_cham128_128_small_encrypt,
};

const gpuctr_cipher gpuctr_cham128_256_small IN_FLASH("cham128_256_small") = {
    .name = "CHAM-128-256",
    .block = 16,
    .key = 32,
    .rounds = 120,
    .round_keys = 64,
    .set_key = gpuctr_cham128_256_set_key,
    .encrypt = gpuctr_cham128_256_small_encrypt,
};
