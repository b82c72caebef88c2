/* Descriptors of revised CHAM (ICISC 2019). */
#include "internal.h"

void gpuctr_cham64_set_key(void* round_keys, const uint8_t* key);
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
};
