/* Descriptors of revised CHAM (ICISC 2019). */
#include "internal.h"

void gpuctr_cham64_chain_df(uint8_t* chains, const uint8_t* data, uint8_t blocks) OPTIONAL;
void gpuctr_cham128_128_chain_df(uint8_t* chains, const uint8_t* data, uint8_t blocks) OPTIONAL;
void gpuctr_cham128_256_chain_df(uint8_t* chains, const uint8_t* data, uint8_t blocks) OPTIONAL;
extern const uint8_t gpuctr_cham64_128_drbg_constants[] OPTIONAL;
extern const uint8_t gpuctr_cham128_128_drbg_constants[] OPTIONAL;
extern const uint8_t gpuctr_cham128_256_drbg_constants[] OPTIONAL;

void gpuctr_cham64_set_key(void* round_keys, const uint8_t* key);
void gpuctr_cham64_encrypt(const void* round_keys, uint8_t* out, const uint8_t* in);
void gpuctr_cham64_prepare(gpuctr_ctr* ctr);
void gpuctr_cham64_run(uint8_t* out, const uint8_t* in, gpuctr_ctr* ctr, uint8_t blocks);
void gpuctr_cham64_run_single(uint8_t* out, const uint8_t* in, gpuctr_ctr* ctr, uint8_t blocks);

const gpuctr_cipher gpuctr_cham64_128 IN_FLASH("cham64_128") = {
    .name = "CHAM-64-128",
    .block = 8,
    .key = 16,
    .rounds = 88,
    .round_keys = GPUCTR_CHAM64_128_ROUND_KEYS,
    .set_key = gpuctr_cham64_set_key,
    .encrypt = gpuctr_cham64_encrypt,
    .prepare = gpuctr_cham64_prepare,
    .run = gpuctr_cham64_run,
    .run_single = gpuctr_cham64_run_single,
    .drbg_constants = gpuctr_cham64_128_drbg_constants,
    .chain_df = gpuctr_cham64_chain_df,
};

void gpuctr_cham128_prepare(gpuctr_ctr* ctr);
void gpuctr_cham128_128_set_key(void* round_keys, const uint8_t* key);
void gpuctr_cham128_128_encrypt(const void* round_keys, uint8_t* out, const uint8_t* in);
void gpuctr_cham128_128_run(uint8_t* out, const uint8_t* in, gpuctr_ctr* ctr, uint8_t blocks);

const gpuctr_cipher gpuctr_cham128_128 IN_FLASH("cham128_128") = {
    .name = "CHAM-128-128",
    .block = 16,
    .key = 16,
    .rounds = 112,
    .round_keys = GPUCTR_CHAM128_128_ROUND_KEYS,
    .set_key = gpuctr_cham128_128_set_key,
    .encrypt = gpuctr_cham128_128_encrypt,
    .prepare = gpuctr_cham128_prepare,
    .run = gpuctr_cham128_128_run,
    .run_single = gpuctr_cham128_128_run,
    .drbg_constants = gpuctr_cham128_128_drbg_constants,
    .chain_df = gpuctr_cham128_128_chain_df,
};

void gpuctr_cham128_256_set_key(void* round_keys, const uint8_t* key);
void gpuctr_cham128_256_encrypt(const void* round_keys, uint8_t* out, const uint8_t* in);
void gpuctr_cham128_256_run(uint8_t* out, const uint8_t* in, gpuctr_ctr* ctr, uint8_t blocks);

const gpuctr_cipher gpuctr_cham128_256 IN_FLASH("cham128_256") = {
    .name = "CHAM-128-256",
    .block = 16,
    .key = 32,
    .rounds = 120,
    .round_keys = GPUCTR_CHAM128_256_ROUND_KEYS,
    .set_key = gpuctr_cham128_256_set_key,
    .encrypt = gpuctr_cham128_256_encrypt,
    .prepare = gpuctr_cham128_prepare,
    .run = gpuctr_cham128_256_run,
    .run_single = gpuctr_cham128_256_run,
    .drbg_constants = gpuctr_cham128_256_drbg_constants,
    .chain_df = gpuctr_cham128_256_chain_df,
};
