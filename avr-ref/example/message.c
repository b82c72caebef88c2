/* The example of README.md. */
#include <string.h>

#include "gpuctr_avr.h"

/* A packet: the number of the device, 4 bytes; a counter, 8; the text; a
 * tag. */
enum { HEADER = 12, TAG = 8 };
enum { TO_GATEWAY = 0, TO_DEVICE = 1 }; /* the first byte of the nonce */

static uint8_t round_keys[GPUCTR_LEA128_ROUND_KEYS];

/* Once after reset. */
void packet_key(const uint8_t key[16]) {
  gpuctr_set_key(&gpuctr_lea128, round_keys, key);
}

/* Encrypts `size` bytes of text in place and writes the tag behind them. */
gpuctr_status packet_seal(uint8_t* packet, uint16_t size) {
  uint8_t nonce[1 + HEADER] = {TO_GATEWAY};
  memcpy(nonce + 1, packet, HEADER);
  const gpuctr_bytes n = {nonce, sizeof nonce}, header = {packet, HEADER};
  uint8_t* const text = packet + HEADER;
  return gpuctr_ccm_seal(&gpuctr_lea128, round_keys, &n, &header, text, text,
                         size, text + size, TAG);
}

/* The gateway's answer. GPUCTR_ERR_TAG: a forgery; its text is wiped. */
gpuctr_status packet_open(uint8_t* packet, uint16_t size) {
  uint8_t nonce[1 + HEADER] = {TO_DEVICE};
  memcpy(nonce + 1, packet, HEADER);
  const gpuctr_bytes n = {nonce, sizeof nonce}, header = {packet, HEADER};
  uint8_t* const text = packet + HEADER;
  return gpuctr_ccm_open(&gpuctr_lea128, round_keys, &n, &header, text, text,
                         size, text + size, TAG);
}
