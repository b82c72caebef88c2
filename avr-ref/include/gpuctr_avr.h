/* HIGHT, LEA and revised CHAM for 8-bit AVR (avr-gcc ABI): counter mode, CMAC, CCM and CTR_DRBG.
 *
 * A cipher is a descriptor in flash: gpuctr_lea128, gpuctr_hight, ... Name only those you use; the
 * linker leaves the rest out. All state is the caller's: nothing is allocated, nothing is static
 * but HIGHT's two tables, so any number of keys may be in use and an interrupt handler may own its
 * own. Sizes are bytes. Running time depends on lengths, on the position in the message and on the
 * public counter, never on keys or data.
 *
 * Functions that can fail return GPUCTR_OK or an error and then have written nothing. The exception
 * is GPUCTR_ERR_TAG.
 */
#ifndef GPUCTR_AVR_H
#define GPUCTR_AVR_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
  GPUCTR_OK = 0,
  GPUCTR_ERR_LENGTH = 1,  /* a length, or a counter width, that the standard or cipher rejects */
  GPUCTR_ERR_COUNTER = 2, /* the message would come round to a counter already used */
  GPUCTR_ERR_STATE = 3,   /* generator not instantiated */
  GPUCTR_ERR_ENTROPY = 4, /* less entropy input than the security strength */
  GPUCTR_ERR_RESEED = 5,  /* the reseed interval is over: reseed first */
  GPUCTR_ERR_CIPHER = 6,  /* the mode needs a cipher with 16-byte blocks */
  GPUCTR_ERR_NONCE = 7,   /* the nonce has another length than the standard allows */
  GPUCTR_ERR_TAG = 8      /* the tag is wrong: the message is not what was sealed */
} gpuctr_status;

/* Largest values over all the ciphers. */
#define GPUCTR_MAX_BLOCK 16
#define GPUCTR_MAX_KEY 32
#define GPUCTR_MAX_SEED 48

typedef struct gpuctr_cipher gpuctr_cipher; /* lives in flash; use the functions below */

typedef struct {
  const uint8_t* data;
  uint16_t size;
} gpuctr_bytes;

/* `_small` is the same cipher in little flash; `_fixed` has its key in the code, made at build time
 * from a key file (see README.md), and takes NULL for its round keys. */
extern const gpuctr_cipher gpuctr_hight, gpuctr_lea128, gpuctr_lea192, gpuctr_lea256;
extern const gpuctr_cipher gpuctr_cham64_128, gpuctr_cham128_128, gpuctr_cham128_256;
extern const gpuctr_cipher gpuctr_hight_small, gpuctr_lea128_small, gpuctr_lea192_small,
    gpuctr_lea256_small;
extern const gpuctr_cipher gpuctr_cham64_128_small, gpuctr_cham128_128_small,
    gpuctr_cham128_256_small;
extern const gpuctr_cipher gpuctr_hight_fixed, gpuctr_lea128_fixed;

/* Bytes of round keys, for the array the caller gives: uint8_t rk[GPUCTR_LEA128_ROUND_KEYS]. */
#define GPUCTR_HIGHT_ROUND_KEYS 144
#define GPUCTR_LEA128_ROUND_KEYS 384
#define GPUCTR_LEA192_ROUND_KEYS 672
#define GPUCTR_LEA256_ROUND_KEYS 768
#define GPUCTR_CHAM64_128_ROUND_KEYS 32
#define GPUCTR_CHAM128_128_ROUND_KEYS 32
#define GPUCTR_CHAM128_256_ROUND_KEYS 64

uint8_t gpuctr_block_size(const gpuctr_cipher* cipher);
uint8_t gpuctr_key_size(const gpuctr_cipher* cipher);

/* Key schedule: reads the cipher's key size from `key`, writes its round keys. They are secret:
 * wipe them with gpuctr_wipe when done. Their format is private to the cipher and build. */
void gpuctr_set_key(const gpuctr_cipher* cipher, void* round_keys, const uint8_t* key);

/* One block, `out` and `in` may be the same. */
void gpuctr_encrypt_block(const gpuctr_cipher* cipher, const void* round_keys, uint8_t* out,
                          const uint8_t* in);

/* Writes zeros in a way the compiler keeps. */
void gpuctr_wipe(void* bytes, uint16_t size);

/* 1 if the `size` bytes at `a` and `b` are the same, else 0. The time depends only on `size`. */
uint8_t gpuctr_equal(const void* a, const void* b, uint16_t size);

/* ---- Counter mode ----
 *
 * The counter block is the IV as one big-endian number, incremented once a block: the low byte is
 * the last. It is what `openssl enc -hight-ctr`, `-lea-128-ctr`, ... do. */
typedef struct {
  const gpuctr_cipher* cipher;
  const void* round_keys;
  uint8_t counter[GPUCTR_MAX_BLOCK]; /* the next counter block */
  uint8_t stream[GPUCTR_MAX_BLOCK];  /* keystream of the last, partly used block */
  uint8_t stream_left;               /* how many bytes at its end are unused */
  uint8_t width;                     /* bytes of the counter field */
  uint8_t exhausted;
  uint8_t cache_valid;
  uint32_t blocks_left; /* of the field, less one; meaningful for width <= 4 */
  uint8_t cache[40];    /* what the next blocks share; private to the cipher */
} gpuctr_ctr;

/* Starts a message. `round_keys` must outlive `ctr`; `iv` has the cipher's block size. */
void gpuctr_ctr_init(gpuctr_ctr* ctr, const gpuctr_cipher* cipher, const void* round_keys,
                     const uint8_t* iv);

/* The same for a peer whose counter is only the last `width` bytes of the block, behind a nonce
 * that never changes: 2 bytes to the block size, else GPUCTR_ERR_LENGTH. */
gpuctr_status gpuctr_ctr_init_width(gpuctr_ctr* ctr, const gpuctr_cipher* cipher,
                                    const void* round_keys, const uint8_t* iv, uint8_t width);

/* Encrypts or decrypts `size` bytes; a message may come in pieces of any sizes. `out` and `in` are
 * the same or do not overlap. GPUCTR_ERR_COUNTER when the field of gpuctr_ctr_init_width would come
 * round to its first value; with the whole block it wraps as OpenSSL's CTR ciphers do. */
gpuctr_status gpuctr_ctr_crypt(gpuctr_ctr* ctr, uint8_t* out, const uint8_t* in, uint16_t size);

/* Wipes keystream, cache and counter. The round keys are the caller's. */
void gpuctr_ctr_done(gpuctr_ctr* ctr);

/* ---- CMAC, SP 800-38B ---- */
typedef struct {
  const gpuctr_cipher* cipher;
  const void* round_keys;
  uint8_t chain[GPUCTR_MAX_BLOCK]; /* the last `used` bytes of data are in it, not yet encrypted */
  uint8_t used;
} gpuctr_cbc_mac;

typedef struct {
  gpuctr_cbc_mac mac;
  uint8_t subkey[GPUCTR_MAX_BLOCK]; /* K1 */
} gpuctr_cmac;

/* Computes the subkey, which takes one block encryption, and starts a message. `round_keys` must
 * outlive `cmac`. */
void gpuctr_cmac_init(gpuctr_cmac* cmac, const gpuctr_cipher* cipher, const void* round_keys);

/* The next `size` bytes of the message, which may come in pieces of any sizes. */
void gpuctr_cmac_update(gpuctr_cmac* cmac, const uint8_t* data, uint16_t size);

/* Writes the first `tag_size` bytes of the tag and starts the next message under the same key.
 * GPUCTR_ERR_LENGTH: `tag_size` is 0 or more than a block; the message can go on. To check a tag,
 * compute it and compare with gpuctr_equal. SP 800-38B advises 8 bytes or more. */
gpuctr_status gpuctr_cmac_final(gpuctr_cmac* cmac, uint8_t* tag, uint8_t tag_size);

/* Wipes the chain and the subkey. The round keys are the caller's. */
void gpuctr_cmac_done(gpuctr_cmac* cmac);

/* ---- CCM, SP 800-38C: encryption with a tag, for ciphers with 16-byte blocks ----
 *
 * A whole message in one call. The nonce has 7 to 13 bytes and must never repeat under a key. `aad`
 * is authenticated and not encrypted; it may be NULL. `out` and `in` have `size` bytes; they are
 * the same or do not overlap. The tag has 4, 6, 8, 10, 12, 14 or 16 bytes. Nonce, `aad` and tag do
 * not overlap `out`. The functions keep no state.
 *
 * GPUCTR_ERR_CIPHER: a cipher with 8-byte blocks. GPUCTR_ERR_NONCE: the nonce's length.
 * GPUCTR_ERR_LENGTH: the length of `aad` or of the tag. */
#define GPUCTR_CCM_MAX_AAD 0xfeff /* bytes; the standard writes a longer length in another way */
gpuctr_status gpuctr_ccm_seal(const gpuctr_cipher* cipher, const void* round_keys,
                              const gpuctr_bytes* nonce, const gpuctr_bytes* aad, uint8_t* out,
                              const uint8_t* in, uint16_t size, uint8_t* tag, uint8_t tag_size);

/* GPUCTR_ERR_TAG: the tag is wrong. All `size` bytes of `out` are then zeros, also in place. */
gpuctr_status gpuctr_ccm_open(const gpuctr_cipher* cipher, const void* round_keys,
                              const gpuctr_bytes* nonce, const gpuctr_bytes* aad, uint8_t* out,
                              const uint8_t* in, uint16_t size, const uint8_t* tag,
                              uint8_t tag_size);

/* ---- CTR_DRBG, SP 800-90A 10.2.1 ---- */
typedef struct {
  const gpuctr_cipher* cipher; /* NULL: not instantiated */
  void* round_keys;
  uint8_t key[GPUCTR_MAX_KEY];
  uint8_t v[GPUCTR_MAX_BLOCK];
  uint32_t reseed_counter;
  uint32_t reseed_interval; /* requests; 0xffffffff after instantiation, the caller may lower it */
  uint8_t use_df;
} gpuctr_drbg;

#define GPUCTR_DRBG_NO_DF 1 /* flag: full-entropy input of exactly the seed length, no nonce */

/* Most bytes of one request: 1024 with 64-bit blocks; 65535, the limit of a uint16_t, with 128-bit
 * blocks (SP 800-90A table 3 allows 65536). */
uint16_t gpuctr_drbg_max_request(const gpuctr_cipher* cipher);

/* `round_keys` is working memory of the cipher's round key size; it holds nothing between calls.
 * `nonce` and `personalization` may be NULL. GPUCTR_ERR_ENTROPY: entropy input shorter than the
 * key; GPUCTR_ERR_LENGTH: more than 65535 bytes of input together, or, without derivation function,
 * another length than the standard asks for. */
gpuctr_status gpuctr_drbg_instantiate(gpuctr_drbg* drbg, const gpuctr_cipher* cipher,
                                      void* round_keys, const gpuctr_bytes* entropy,
                                      const gpuctr_bytes* nonce,
                                      const gpuctr_bytes* personalization, uint8_t flags);
gpuctr_status gpuctr_drbg_reseed(gpuctr_drbg* drbg, const gpuctr_bytes* entropy,
                                 const gpuctr_bytes* additional);

/* `fresh_entropy` not NULL asks for prediction resistance: the generator is reseeded with it, and
 * with `additional`, first. `additional` may be NULL. */
gpuctr_status gpuctr_drbg_generate(gpuctr_drbg* drbg, uint8_t* out, uint16_t size,
                                   const gpuctr_bytes* fresh_entropy,
                                   const gpuctr_bytes* additional);

/* CTR_DRBG_Update alone, 10.2.1.2: `provided` has the seed length (key size + block size) or is
 * NULL for zeros. */
gpuctr_status gpuctr_drbg_update(gpuctr_drbg* drbg, const uint8_t* provided);

/* Zeroizes the state and the working memory. */
void gpuctr_drbg_uninstantiate(gpuctr_drbg* drbg);

#ifdef __cplusplus
}
#endif
#endif
