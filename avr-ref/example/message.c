/* The example of README.md. */
#include "gpuctr_avr.h"

static uint8_t round_keys[GPUCTR_LEA128_ROUND_KEYS];
static gpuctr_ctr ctr;
static gpuctr_drbg drbg;

/* Once after reset: 32 bytes from the noise source and the serial number. */
gpuctr_status random_start(const uint8_t noise[32], const uint8_t serial[8]) {
  const gpuctr_bytes entropy = {noise, 32}, nonce = {serial, 8};
  return gpuctr_drbg_instantiate(&drbg, &gpuctr_lea128, round_keys, &entropy,
                                 &nonce, 0, 0);
}

/* A new message: a random counter block, which goes to the server in clear. */
gpuctr_status message_start(const uint8_t key[16], uint8_t iv[16]) {
  const gpuctr_status status = gpuctr_drbg_generate(&drbg, iv, 16, 0, 0);
  if (status != GPUCTR_OK) return status;
  gpuctr_set_key(&gpuctr_lea128, round_keys, key);
  gpuctr_ctr_init(&ctr, &gpuctr_lea128, round_keys, iv);
  return GPUCTR_OK;
}

/* A piece of it, in place. */
gpuctr_status message_piece(uint8_t* data, uint16_t size) {
  return gpuctr_ctr_crypt(&ctr, data, data, size);
}

/* Its end: nothing secret stays behind. */
void message_end(void) {
  gpuctr_ctr_done(&ctr);
  gpuctr_wipe(round_keys, sizeof round_keys);
}
