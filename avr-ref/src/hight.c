/* HIGHT's descriptor. TTAS.KO-12.0040/R1. */
#include "internal.h"

void gpuctr_hight_set_key(void* round_keys, const uint8_t* key);
void gpuctr_hight_encrypt(const void* round_keys, uint8_t* out, const uint8_t* in);
void gpuctr_hight_prepare(gpuctr_ctr* ctr);
void gpuctr_hight_run(uint8_t* out, const uint8_t* in, gpuctr_ctr* ctr, uint8_t blocks);
void gpuctr_hight_run_single(uint8_t* out, const uint8_t* in, gpuctr_ctr* ctr, uint8_t blocks);

void gpuctr_hight_encrypt_df(const void* round_keys, uint8_t* out, const uint8_t* in);

/* Under 00 01 02 .. 0f: block indices 0, 1, 2; under 0: counters 1, 2, 3. */
static const uint8_t kDrbgConstants[] IN_FLASH("hight_constants") = {
    0x5a, 0x63, 0x23, 0x3e, 0x5e, 0xf8, 0xbf, 0xc1, 0x00, 0x10, 0xf1, 0x1b, 0x74, 0xcc, 0xfe, 0xf5,
    0x6f, 0xd8, 0x7c, 0xc2, 0x08, 0xce, 0xa3, 0x4b, 0xa2, 0x6b, 0x8b, 0xfc, 0xa8, 0xf1, 0xc4, 0x05,
    0x84, 0x25, 0x86, 0x96, 0xa5, 0x8e, 0x55, 0xbf, 0xe0, 0x46, 0xd0, 0x5c, 0xda, 0xe7, 0x33, 0xc4,
};

const gpuctr_cipher gpuctr_hight IN_FLASH("hight") = {
    .name = "HIGHT",
    .block = 8,
    .key = 16,
    .rounds = 32,
    .round_keys = GPUCTR_HIGHT_ROUND_KEYS,
    .set_key = gpuctr_hight_set_key,
    .encrypt = gpuctr_hight_encrypt,
    .prepare = gpuctr_hight_prepare,
    .run = gpuctr_hight_run,
    .run_single = gpuctr_hight_run_single,
    .encrypt_df = gpuctr_hight_encrypt_df,
    .drbg_constants = kDrbgConstants,
};
