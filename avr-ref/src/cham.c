/* Descriptors of revised CHAM (ICISC 2019). */
#include "internal.h"

void gpuctr_cham64_set_key(void* round_keys, const uint8_t* key);
void gpuctr_cham64_chain_df(uint8_t* chains, const uint8_t* data, uint8_t blocks) OPTIONAL;
void gpuctr_cham64_encrypt(const void* round_keys, uint8_t* out, const uint8_t* in);
void gpuctr_cham64_prepare(gpuctr_ctr* ctr);
void gpuctr_cham64_run(uint8_t* out, const uint8_t* in, gpuctr_ctr* ctr, uint8_t blocks);
void gpuctr_cham64_run_single(uint8_t* out, const uint8_t* in, gpuctr_ctr* ctr, uint8_t blocks);

/* Under 00 01 02 .. 0f: block indices 0, 1, 2; under 0: counters 1, 2, 3. */
static const uint8_t kDrbgConstants64[] IN_FLASH("cham64_128_constants") = {
    0x90, 0xaf, 0x36, 0x6f, 0x39, 0x9f, 0xc4, 0x27, 0x7a, 0xd2, 0x45, 0x11, 0x35, 0x13, 0x9b, 0xde,
    0x7b, 0xd3, 0x90, 0x7a, 0x69, 0xfd, 0x85, 0x06, 0xfd, 0xcd, 0xcb, 0xe6, 0x03, 0x89, 0x2f, 0x4e,
    0xec, 0xf9, 0x5e, 0xbd, 0x37, 0x22, 0x4c, 0x49, 0xaa, 0xe1, 0x51, 0xb6, 0xc0, 0x1f, 0xbf, 0xb1,
};

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
    .drbg_constants = kDrbgConstants64,
    .chain_df = gpuctr_cham64_chain_df,
};

void gpuctr_cham128_prepare(gpuctr_ctr* ctr);
void gpuctr_cham128_128_set_key(void* round_keys, const uint8_t* key);
void gpuctr_cham128_128_chain_df(uint8_t* chains, const uint8_t* data, uint8_t blocks) OPTIONAL;
void gpuctr_cham128_128_encrypt(const void* round_keys, uint8_t* out, const uint8_t* in);
void gpuctr_cham128_128_run(uint8_t* out, const uint8_t* in, gpuctr_ctr* ctr, uint8_t blocks);

/* Likewise, two blocks each. */
static const uint8_t kDrbgConstants128_128[] IN_FLASH("cham128_128_constants") = {
    0x3f, 0xc7, 0xbb, 0x2e, 0x5a, 0xb4, 0x35, 0x40, 0xa8, 0x3a, 0xb8, 0xfe, 0x69, 0x7c, 0x64, 0x1c,
    0xff, 0x58, 0x0a, 0xff, 0x84, 0x99, 0x77, 0x86, 0xaa, 0x54, 0x70, 0x3c, 0xe9, 0x88, 0x3c, 0x55,
    0xc4, 0x2f, 0x8b, 0x76, 0xac, 0x0e, 0x97, 0x7a, 0xbf, 0x5b, 0xa1, 0xba, 0x29, 0x10, 0xec, 0xee,
    0x2c, 0x1d, 0x77, 0x5f, 0x6e, 0xf8, 0x6b, 0x36, 0xbe, 0x16, 0x48, 0x9f, 0x02, 0x5a, 0xb8, 0x7e,
};

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
    .drbg_constants = kDrbgConstants128_128,
    .chain_df = gpuctr_cham128_128_chain_df,
};

void gpuctr_cham128_256_set_key(void* round_keys, const uint8_t* key);
void gpuctr_cham128_256_chain_df(uint8_t* chains, const uint8_t* data, uint8_t blocks) OPTIONAL;
void gpuctr_cham128_256_encrypt(const void* round_keys, uint8_t* out, const uint8_t* in);
void gpuctr_cham128_256_run(uint8_t* out, const uint8_t* in, gpuctr_ctr* ctr, uint8_t blocks);

/* Likewise, three blocks each. */
static const uint8_t kDrbgConstants128_256[] IN_FLASH("cham128_256_constants") = {
    0xa8, 0x48, 0x61, 0xac, 0x79, 0x3f, 0xf5, 0x72, 0x0f, 0xc5, 0x9e, 0xdc, 0x98, 0xbd, 0xf9, 0x94,
    0xe3, 0x98, 0xa0, 0xa8, 0x56, 0x12, 0x90, 0x00, 0x76, 0x5d, 0xf1, 0x37, 0xff, 0x18, 0xab, 0xeb,
    0xe9, 0x64, 0xab, 0x43, 0xa2, 0xe0, 0x14, 0xe4, 0x84, 0xb0, 0x59, 0xd7, 0x3f, 0xba, 0x70, 0x4b,
    0x29, 0x7b, 0x46, 0x18, 0xa9, 0x6b, 0x0c, 0x68, 0x69, 0x3a, 0x11, 0x5e, 0xd3, 0x42, 0xd8, 0x7c,
    0x49, 0xb1, 0x13, 0x19, 0x83, 0x13, 0xac, 0x8f, 0xec, 0xec, 0x6b, 0x8f, 0x1e, 0x2e, 0x27, 0x5b,
    0x72, 0x0a, 0xf8, 0xfc, 0x7e, 0xbc, 0x3c, 0x89, 0x8a, 0x03, 0x63, 0x35, 0x5f, 0xf7, 0xdc, 0x77,
};

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
    .drbg_constants = kDrbgConstants128_256,
    .chain_df = gpuctr_cham128_256_chain_df,
};
