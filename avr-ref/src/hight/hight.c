/* HIGHT's descriptor. TTAS.KO-12.0040/R1. */
#include "internal.h"

void gpuctr_hight_chain_df(uint8_t* chains, const uint8_t* data, uint8_t blocks) OPTIONAL;
extern const uint8_t gpuctr_hight_drbg_constants[] OPTIONAL;

void gpuctr_hight_set_key(void* round_keys, const uint8_t* key);
void gpuctr_hight_encrypt(const void* round_keys, uint8_t* out, const uint8_t* in);
void gpuctr_hight_prepare(gpuctr_ctr* ctr);
void gpuctr_hight_run(uint8_t* out, const uint8_t* in, gpuctr_ctr* ctr, uint8_t blocks);
void gpuctr_hight_run_single(uint8_t* out, const uint8_t* in, gpuctr_ctr* ctr, uint8_t blocks);

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
    .drbg_constants = gpuctr_hight_drbg_constants,
    .chain_df = gpuctr_hight_chain_df,
};
