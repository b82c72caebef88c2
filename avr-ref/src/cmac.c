/* CBC-MAC, and CMAC of it, SP 800-38B, over any cipher. */
#include <string.h>

#include "internal.h"

static void encrypt_chain(gpuctr_cbc_mac* mac) {
  CIPHER_FN(mac->cipher, encrypt)(mac->round_keys, mac->chain, mac->chain);
}

void gpuctr_cbc_mac_update(gpuctr_cbc_mac* mac, const uint8_t* data, uint16_t size) {
  const uint8_t block = CIPHER_BYTE(mac->cipher, block);
  while (size) {
    if (mac->used == block) {
      encrypt_chain(mac);
      mac->used = 0;
    }
    if (mac->used == 0 && size >= block) {
      gpuctr_xor(mac->chain, data, block);
      mac->used = block;
      data += block;
      size -= block;
      continue;
    }
    uint8_t* to = mac->chain + mac->used;
    uint8_t take = block - mac->used;
    if (take > size) take = (uint8_t)size;
    mac->used += take;
    size -= take;
    while (take--) *to++ ^= *data++;
  }
}

static void start_message(gpuctr_cbc_mac* mac) {
  gpuctr_wipe(mac->chain, sizeof mac->chain);
  mac->used = 0;
}

void gpuctr_cmac_init(gpuctr_cmac* cmac, const gpuctr_cipher* cipher, const void* round_keys) {
  cmac->mac.cipher = cipher;
  cmac->mac.round_keys = round_keys;
  start_message(&cmac->mac);
  CIPHER_FN(cipher, encrypt)(round_keys, cmac->subkey, cmac->mac.chain);
  gpuctr_double(cmac->subkey, CIPHER_BYTE(cipher, block));
}

void gpuctr_cmac_update(gpuctr_cmac* cmac, const uint8_t* data, uint16_t size) {
  gpuctr_cbc_mac_update(&cmac->mac, data, size);
}

gpuctr_status gpuctr_cmac_final(gpuctr_cmac* cmac, uint8_t* tag, uint8_t tag_size) {
  gpuctr_cbc_mac* const mac = &cmac->mac;
  const uint8_t block = CIPHER_BYTE(mac->cipher, block);
  if (tag_size == 0 || tag_size > block) return GPUCTR_ERR_LENGTH;
  uint8_t subkey[GPUCTR_MAX_BLOCK];
  gpuctr_copy(subkey, cmac->subkey, block);
  if (mac->used != block) {
    mac->chain[mac->used] ^= 0x80;
    gpuctr_double(subkey, block);
  }
  gpuctr_xor(mac->chain, subkey, block);
  gpuctr_wipe(subkey, sizeof subkey);
  encrypt_chain(mac);
  memcpy(tag, mac->chain, tag_size);
  start_message(mac);
  return GPUCTR_OK;
}

void gpuctr_cmac_done(gpuctr_cmac* cmac) { gpuctr_wipe(cmac, sizeof *cmac); }
