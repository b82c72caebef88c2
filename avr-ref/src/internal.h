/* What a cipher gives to counter mode and to the generator. */
#ifndef GPUCTR_AVR_INTERNAL_H
#define GPUCTR_AVR_INTERNAL_H

#include <avr/pgmspace.h>
#include <stddef.h>

#include "gpuctr_avr.h"

/* The assembly reads these by number (layout.inc). */
_Static_assert(offsetof(gpuctr_ctr, round_keys) == 2, "layout.inc");
_Static_assert(offsetof(gpuctr_ctr, counter) == 4, "layout.inc");
_Static_assert(offsetof(gpuctr_ctr, cache) == 44, "layout.inc");

/* Bytes of entropy input, nonce and personalization string together that the derivation function of
 * a cipher with 8-byte blocks is quickest with. */
#define GPUCTR_USUAL_INPUT 64

struct gpuctr_cipher {
  char name[16];
  uint8_t block, key, rounds;
  uint16_t round_keys;
  void (*set_key)(void* round_keys, const uint8_t* key);
  void (*encrypt)(const void* round_keys, uint8_t* out, const uint8_t* in);

  /* Fills ctr->cache with all that the blocks share until the counter's low byte wraps. NULL: the
   * cipher has no cache, and counter mode calls encrypt for each block. */
  void (*prepare)(gpuctr_ctr* ctr);
  /* XORs keystream to `blocks` blocks, at most to the wrap of the low byte. Leaves the counter
   * alone. `run` takes several blocks at once where that pays; `run_single` takes the same time
   * for each block, so the generator's time does not tell where in V the carry falls. */
  void (*run)(uint8_t* out, const uint8_t* in, gpuctr_ctr* ctr, uint8_t blocks);
  void (*run_single)(uint8_t* out, const uint8_t* in, gpuctr_ctr* ctr, uint8_t blocks);

  /* encrypt under the derivation function's key 00 01 02 ..., or NULL. */
  void (*encrypt_df)(const void* round_keys, uint8_t* out, const uint8_t* in);
  /* In flash: E(i || 0...) of that key for each block of the seed, then the keystream of the first
   * Update (K = 0, V = 0). With 8-byte blocks, where the derivation function's first block is L ||
   * N, then its chains behind it for the usual L, GPUCTR_USUAL_INPUT. NULL: computed each time. */
  const uint8_t* drbg_constants;

  /* Blocks of the derivation function for all its chains, under that same key: for each block
   * chain = encrypt_df(chain XOR block), for as many chains as blocks cover the seed. NULL:
   * encrypt_df one by one. */
  void (*chain_df)(uint8_t* chains, const uint8_t* data, uint8_t blocks);
};

/* A section each, so that the linker keeps only those in use. */
#define IN_FLASH(name) __attribute__((section(".progmem.data." name)))

/* NULL in a firmware that leaves its file out: *_df.S and *_constants.c, a faster CTR_DRBG for more
 * flash. */
#define OPTIONAL __attribute__((weak))

#define CIPHER_BYTE(cipher, field) pgm_read_byte(&(cipher)->field)
#define CIPHER_WORD(cipher, field) pgm_read_word(&(cipher)->field)
#define CIPHER_FN(cipher, field) ((__typeof__((cipher)->field))CIPHER_WORD(cipher, field))

/* Adds n to the big-endian number in the last `width` bytes of `block`. */
void gpuctr_counter_add(uint8_t* block, uint8_t block_size, uint8_t width, uint8_t n);

/* Copies a positive multiple of 8 bytes; the second from flash. */
void gpuctr_copy(uint8_t* to, const uint8_t* from, uint8_t size);
void gpuctr_copy_flash(uint8_t* to, const uint8_t* from, uint8_t size);
/* to ^= from, and to = a ^ flash; a positive multiple of 8 bytes. */
void gpuctr_xor(uint8_t* to, const uint8_t* from, uint8_t size);
void gpuctr_xor_flash(uint8_t* to, const uint8_t* a, const uint8_t* flash, uint8_t size);

/* Multiplies a block of 8 or 16 bytes by x, as CMAC's subkeys are made: SP 800-38B 6.1. */
void gpuctr_double(uint8_t* block, uint8_t size);

/* CBC-MAC over pieces of any sizes. A last whole block waits in the chain for one more byte or for
 * the caller, who encrypts it. */
void gpuctr_cbc_mac_update(gpuctr_cbc_mac* mac, const uint8_t* data, uint16_t size);

/* Keystream for CTR_DRBG, XORed to the whole blocks of `bytes`; the whole counter block counts, and
 * its value does not show in the time. The second form goes on from a to b, 64 bytes at most. */
void gpuctr_ctr_stream(gpuctr_ctr* ctr, uint8_t* bytes, uint16_t size);
void gpuctr_ctr_stream_two(gpuctr_ctr* ctr, uint8_t* a, uint16_t a_size, uint8_t* b,
                           uint8_t b_size);

#endif
