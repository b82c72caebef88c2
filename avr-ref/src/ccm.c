/* CCM, SP 800-38C, over ciphers with 16-byte blocks. */
#include <string.h>

#include "internal.h"

/* Not inlined, so that the frames of functions that follow one another share the stack. */
#define SEPARATE __attribute__((noinline))

#define BLOCK 16

/* The counter block of A.3 with the counter 0, which is also B_0 without flags and length. */
static void nonce_block(uint8_t* block, const gpuctr_bytes* nonce) {
  memset(block, 0, BLOCK);
  block[0] = (uint8_t)(14 - nonce->size); /* q - 1 */
  memcpy(block + 1, nonce->data, nonce->size);
}

/* B_0, A.2.1, waiting to be encrypted, and the associated data, A.2.2. The message's length has two
 * bytes: with the longest nonce it has no more. */
SEPARATE static void mac_start(gpuctr_cbc_mac* mac, const gpuctr_bytes* nonce,
                               const gpuctr_bytes* aad, uint16_t size, uint8_t tag_size) {
  nonce_block(mac->chain, nonce);
  mac->chain[0] |= (uint8_t)((tag_size - 2) << 2);
  mac->chain[14] = (uint8_t)(size >> 8);
  mac->chain[15] = (uint8_t)size;
  mac->used = BLOCK;
  if (!aad || aad->size == 0) return;
  mac->chain[0] |= 0x40;
  const uint8_t length[2] = {(uint8_t)(aad->size >> 8), (uint8_t)aad->size};
  gpuctr_cbc_mac_update(mac, length, sizeof length);
  gpuctr_cbc_mac_update(mac, aad->data, aad->size);
  mac->used = BLOCK; /* zeros fill the block */
}

/* 6.1 steps 3, 4 and 8: the chain becomes the tag. */
SEPARATE static void mac_end(gpuctr_cbc_mac* mac, const gpuctr_bytes* nonce) {
  void (*const encrypt)(const void*, uint8_t*, const uint8_t*) = CIPHER_FN(mac->cipher, encrypt);
  uint8_t mask[BLOCK];
  nonce_block(mask, nonce);
  encrypt(mac->round_keys, mask, mask);
  encrypt(mac->round_keys, mac->chain, mac->chain);
  gpuctr_xor(mac->chain, mask, BLOCK);
  gpuctr_wipe(mask, sizeof mask);
}

/* Counter mode from the counter 1 on. The field never runs out: `size` is 4096 blocks at most. */
SEPARATE static void crypt(const gpuctr_cbc_mac* mac, const gpuctr_bytes* nonce, uint8_t* out,
                           const uint8_t* in, uint16_t size) {
  gpuctr_ctr ctr;
  nonce_block(ctr.stream, nonce);
  ctr.stream[BLOCK - 1] = 1;
  gpuctr_ctr_init_width(&ctr, mac->cipher, mac->round_keys, ctr.stream,
                        (uint8_t)(15 - nonce->size));
  gpuctr_ctr_crypt(&ctr, out, in, size);
  gpuctr_ctr_done(&ctr);
}

static gpuctr_status check(const gpuctr_cipher* cipher, const gpuctr_bytes* nonce,
                           const gpuctr_bytes* aad, uint8_t tag_size) {
  if (CIPHER_BYTE(cipher, block) != BLOCK) return GPUCTR_ERR_CIPHER;
  if (nonce->size < 7 || nonce->size > 13) return GPUCTR_ERR_NONCE;
  if (aad && aad->size > GPUCTR_CCM_MAX_AAD) return GPUCTR_ERR_LENGTH;
  return tag_size >= 4 && tag_size <= 16 && tag_size % 2 == 0 ? GPUCTR_OK : GPUCTR_ERR_LENGTH;
}

gpuctr_status gpuctr_ccm_seal(const gpuctr_cipher* cipher, const void* round_keys,
                              const gpuctr_bytes* nonce, const gpuctr_bytes* aad, uint8_t* out,
                              const uint8_t* in, uint16_t size, uint8_t* tag, uint8_t tag_size) {
  const gpuctr_status status = check(cipher, nonce, aad, tag_size);
  if (status != GPUCTR_OK) return status;
  gpuctr_cbc_mac mac;
  mac.cipher = cipher;
  mac.round_keys = round_keys;
  mac_start(&mac, nonce, aad, size, tag_size);
  gpuctr_cbc_mac_update(&mac, in, size);
  mac_end(&mac, nonce);
  crypt(&mac, nonce, out, in, size);
  memcpy(tag, mac.chain, tag_size);
  gpuctr_wipe(mac.chain, sizeof mac.chain);
  return GPUCTR_OK;
}

gpuctr_status gpuctr_ccm_open(const gpuctr_cipher* cipher, const void* round_keys,
                              const gpuctr_bytes* nonce, const gpuctr_bytes* aad, uint8_t* out,
                              const uint8_t* in, uint16_t size, const uint8_t* tag,
                              uint8_t tag_size) {
  const gpuctr_status status = check(cipher, nonce, aad, tag_size);
  if (status != GPUCTR_OK) return status;
  gpuctr_cbc_mac mac;
  mac.cipher = cipher;
  mac.round_keys = round_keys;
  crypt(&mac, nonce, out, in, size);
  mac_start(&mac, nonce, aad, size, tag_size);
  gpuctr_cbc_mac_update(&mac, out, size);
  mac_end(&mac, nonce);
  const uint8_t right = gpuctr_equal(mac.chain, tag, tag_size);
  gpuctr_wipe(mac.chain, sizeof mac.chain);
  if (right) return GPUCTR_OK;
  gpuctr_wipe(out, size);
  return GPUCTR_ERR_TAG;
}
