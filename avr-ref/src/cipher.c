#include "internal.h"

uint8_t gpuctr_block_size(const gpuctr_cipher* cipher) { return CIPHER_BYTE(cipher, block); }
uint8_t gpuctr_key_size(const gpuctr_cipher* cipher) { return CIPHER_BYTE(cipher, key); }

void gpuctr_set_key(const gpuctr_cipher* cipher, void* round_keys, const uint8_t* key) {
  CIPHER_FN(cipher, set_key)(round_keys, key);
}

void gpuctr_encrypt_block(const gpuctr_cipher* cipher, const void* round_keys, uint8_t* out,
                          const uint8_t* in) {
  CIPHER_FN(cipher, encrypt)(round_keys, out, in);
}
