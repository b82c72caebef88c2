/* LEA's descriptors. TTAK.KO-12.0223. */
#include "internal.h"

void gpuctr_lea128_set_key(void* round_keys, const uint8_t* key);
void gpuctr_lea192_set_key(void* round_keys, const uint8_t* key);
void gpuctr_lea256_set_key(void* round_keys, const uint8_t* key);
void gpuctr_lea128_encrypt(const void* round_keys, uint8_t* out, const uint8_t* in);
void gpuctr_lea192_encrypt(const void* round_keys, uint8_t* out, const uint8_t* in);
void gpuctr_lea256_encrypt(const void* round_keys, uint8_t* out, const uint8_t* in);
void gpuctr_lea128_small_encrypt(const void* round_keys, uint8_t* out, const uint8_t* in);
void gpuctr_lea192_small_encrypt(const void* round_keys, uint8_t* out, const uint8_t* in);
void gpuctr_lea256_small_encrypt(const void* round_keys, uint8_t* out, const uint8_t* in);
void gpuctr_lea128_prepare(gpuctr_ctr* ctr);
void gpuctr_lea_wide_prepare(gpuctr_ctr* ctr);
void gpuctr_lea128_run(uint8_t* out, const uint8_t* in, gpuctr_ctr* ctr, uint8_t blocks);
void gpuctr_lea192_run(uint8_t* out, const uint8_t* in, gpuctr_ctr* ctr, uint8_t blocks);
void gpuctr_lea256_run(uint8_t* out, const uint8_t* in, gpuctr_ctr* ctr, uint8_t blocks);

void gpuctr_lea128_chain_df(uint8_t* chains, const uint8_t* data, uint8_t blocks) OPTIONAL;
extern const uint8_t gpuctr_lea128_drbg_constants[] OPTIONAL;
extern const uint8_t gpuctr_lea192_drbg_constants[] OPTIONAL;
extern const uint8_t gpuctr_lea256_drbg_constants[] OPTIONAL;

const gpuctr_cipher gpuctr_lea128 IN_FLASH("lea128") = {
    .name = "LEA-128",
    .block = 16,
    .key = 16,
    .rounds = 24,
    .round_keys = GPUCTR_LEA128_ROUND_KEYS,
    .set_key = gpuctr_lea128_set_key,
    .encrypt = gpuctr_lea128_encrypt,
    .prepare = gpuctr_lea128_prepare,
    .run = gpuctr_lea128_run,
    .run_single = gpuctr_lea128_run,
    .drbg_constants = gpuctr_lea128_drbg_constants,
    .chain_df = gpuctr_lea128_chain_df,
};

const gpuctr_cipher gpuctr_lea192 IN_FLASH("lea192") = {
    .name = "LEA-192",
    .block = 16,
    .key = 24,
    .rounds = 28,
    .round_keys = GPUCTR_LEA192_ROUND_KEYS,
    .set_key = gpuctr_lea192_set_key,
    .encrypt = gpuctr_lea192_encrypt,
    .prepare = gpuctr_lea_wide_prepare,
    .run = gpuctr_lea192_run,
    .run_single = gpuctr_lea192_run,
    .drbg_constants = gpuctr_lea192_drbg_constants,
};

const gpuctr_cipher gpuctr_lea256 IN_FLASH("lea256") = {
    .name = "LEA-256",
    .block = 16,
    .key = 32,
    .rounds = 32,
    .round_keys = GPUCTR_LEA256_ROUND_KEYS,
    .set_key = gpuctr_lea256_set_key,
    .encrypt = gpuctr_lea256_encrypt,
    .prepare = gpuctr_lea_wide_prepare,
    .run = gpuctr_lea256_run,
    .run_single = gpuctr_lea256_run,
    .drbg_constants = gpuctr_lea256_drbg_constants,
};

const gpuctr_cipher gpuctr_lea128_small IN_FLASH("lea128_small") = {
    .name = "LEA-128",
    .block = 16,
    .key = 16,
    .rounds = 24,
    .round_keys = GPUCTR_LEA128_ROUND_KEYS,
    .set_key = gpuctr_lea128_set_key,
    .encrypt = gpuctr_lea128_small_encrypt,
};

const gpuctr_cipher gpuctr_lea192_small IN_FLASH("lea192_small") = {
    .name = "LEA-192",
    .block = 16,
    .key = 24,
    .rounds = 28,
    .round_keys = GPUCTR_LEA192_ROUND_KEYS,
    .set_key = gpuctr_lea192_set_key,
    .encrypt = gpuctr_lea192_small_encrypt,
};

const gpuctr_cipher gpuctr_lea256_small IN_FLASH("lea256_small") = {
    .name = "LEA-256",
    .block = 16,
    .key = 32,
    .rounds = 32,
    .round_keys = GPUCTR_LEA256_ROUND_KEYS,
    .set_key = gpuctr_lea256_set_key,
    .encrypt = gpuctr_lea256_small_encrypt,
};
