/* CTR_DRBG, SP 800-90A Rev. 1, 10.2.1, over any cipher. */
#include <string.h>

#include "internal.h"

/* Not inlined, so that the frames of functions that follow one another share the stack. */
#define SEPARATE __attribute__((noinline))

/* Bytes of the cipher's seed, and of the blocks that cover it. */
static uint8_t seed_size(const gpuctr_cipher* cipher) {
  return CIPHER_BYTE(cipher, block) + CIPHER_BYTE(cipher, key);
}
static uint8_t covered_size(const gpuctr_cipher* cipher) {
  const uint8_t block = CIPHER_BYTE(cipher, block);
  return (uint8_t)((seed_size(cipher) + block - 1) & ~(block - 1));
}

static uint16_t size_of(const gpuctr_bytes* bytes) { return bytes ? bytes->size : 0; }

uint16_t gpuctr_drbg_max_request(const gpuctr_cipher* cipher) {
  return CIPHER_BYTE(cipher, block) == 8 ? 1024 : 65535;
}

/* ---- Block_Cipher_df, 10.3.2 ---- */

typedef struct {
  const gpuctr_cipher* cipher;
  void* round_keys;
  void (*encrypt)(const void* round_keys, uint8_t* out, const uint8_t* in);
  void (*chain_df)(uint8_t* chains, const uint8_t* data, uint8_t blocks);
  uint8_t block, covered;
  uint8_t used; /* of pending */
  uint8_t pending[GPUCTR_MAX_BLOCK];
  uint8_t* chains; /* BCC of IV_i || S for each i */
  const uint8_t* constants;
} derivation;

/* 10.3.3 steps 4.1 and 4.2, for all chains. */
static void next_blocks(derivation* df, const uint8_t* data, uint8_t blocks) {
  if (df->chain_df) {
    df->chain_df(df->chains, data, blocks);
    return;
  }
  const uint8_t block = df->block;
  while (blocks--) {
    for (uint8_t i = 0; i < df->covered; i += block) {
      uint8_t* const chain = df->chains + i;
      for (uint8_t j = 0; j < block; ++j) chain[j] ^= data[j];
      df->encrypt(df->round_keys, chain, chain);
    }
    data += block;
  }
}

#define MOST_AT_ONCE 2032 /* bytes of whole blocks, 255 or less of either size */

/* Whole blocks go as they lie, what is left of a block waits in `pending`. */
static void absorb(derivation* df, const gpuctr_bytes* input) {
  const uint8_t* data = input->data;
  uint16_t size = input->size;
  const uint8_t block = df->block;
  while (size) {
    if (df->used == 0 && size >= block) {
      uint16_t bytes = size & (uint16_t)-block;
      if (bytes > MOST_AT_ONCE) bytes = MOST_AT_ONCE;
      next_blocks(df, data, (uint8_t)(block == 8 ? bytes >> 3 : bytes >> 4));
      data += bytes;
      size -= bytes;
      continue;
    }
    uint8_t* to = df->pending + df->used;
    uint8_t take = block - df->used;
    if (take > size) take = (uint8_t)size;
    df->used += take;
    size -= take;
    while (take--) *to++ = *data++;
    if (df->used == block) {
      next_blocks(df, df->pending, 1);
      df->used = 0;
    }
  }
}

/* Steps 7 to 9: the key, and the first block of each chain, which is a counter. */
static void start_chains(derivation* df) {
  if (df->constants) {
    gpuctr_copy_flash(df->chains, df->constants, df->covered);
    return;
  }
  memset(df->chains, 0, df->covered);
  memset(df->pending, 0, sizeof df->pending);
  uint8_t number = 0;
  for (uint8_t i = 0; i < df->covered; i += df->block) df->chains[i + 3] = number++;
  next_blocks(df, df->pending, 1);
}

/* The chains behind L || N, or, in a longer block, with those waiting. */
static void start_input(derivation* df, uint16_t length, uint8_t seed) {
  df->used = 0;
  if (df->block == 8 && df->constants && length == GPUCTR_USUAL_INPUT) {
    gpuctr_copy_flash(df->chains, df->constants + 2 * df->covered, df->covered);
    return;
  }
  start_chains(df);
  memset(df->pending, 0, 8);
  df->pending[2] = (uint8_t)(length >> 8);
  df->pending[3] = (uint8_t)length;
  df->pending[7] = seed;
  if (df->block == 8)
    next_blocks(df, df->pending, 1);
  else
    df->used = 8;
}

static void choose_encryption(derivation* df, uint8_t key) {
  df->encrypt = CIPHER_FN(df->cipher, encrypt_df);
  df->chain_df = CIPHER_FN(df->cipher, chain_df);
  if (df->encrypt || df->chain_df) return;
  df->encrypt = CIPHER_FN(df->cipher, encrypt);
  for (uint8_t i = 0; i < key; ++i) df->chains[i] = i;
  CIPHER_FN(df->cipher, set_key)(df->round_keys, df->chains);
}

/* `seed` gets covered_size bytes, of which the seed are the first. */
SEPARATE static void derive(const gpuctr_cipher* cipher, void* round_keys, uint8_t* seed,
                            const gpuctr_bytes* a, const gpuctr_bytes* b, const gpuctr_bytes* c) {
  const uint8_t key = CIPHER_BYTE(cipher, key), block = CIPHER_BYTE(cipher, block);
  derivation df;
  df.cipher = cipher;
  df.round_keys = round_keys;
  df.block = block;
  df.covered = (uint8_t)((key + 2 * block - 1) & ~(block - 1));
  df.constants = (const uint8_t*)CIPHER_WORD(cipher, drbg_constants);
  df.chains = seed;
  choose_encryption(&df, key);

  /* Steps 2 to 9: S = L || N || input || 0x80 || 0... */
  start_input(&df, size_of(a) + size_of(b) + size_of(c), key + block);
  if (a) absorb(&df, a);
  if (b) absorb(&df, b);
  if (c) absorb(&df, c);
  uint8_t* end = df.pending + df.used;
  *end = 0x80;
  while (++end != df.pending + df.block) *end = 0;
  next_blocks(&df, df.pending, 1);
  gpuctr_wipe(df.pending, block);

  /* Steps 10 to 14: the key, then X, are what the chains end in; the seed takes their place. */
  CIPHER_FN(cipher, set_key)(round_keys, seed);
  void (*const encrypt)(const void*, uint8_t*, const uint8_t*) = CIPHER_FN(cipher, encrypt);
  const uint8_t* x = seed + key;
  for (uint8_t i = 0; i < df.covered; i += block) {
    encrypt(round_keys, seed, x);
    x = seed;
    seed += block;
  }
}

/* ---- The state ---- */

/* 10.2.1.2 steps 3 to 6: the state is keystream XOR `provided`, or keystream. */
static void take_state(gpuctr_drbg* drbg, uint8_t* temp, const uint8_t* provided) {
  const uint8_t key = CIPHER_BYTE(drbg->cipher, key), block = CIPHER_BYTE(drbg->cipher, block);
  if (provided) gpuctr_xor(temp, provided, key + block);
  gpuctr_copy(drbg->key, temp, key);
  gpuctr_copy(drbg->v, temp + key, block);
}

/* Counter mode from V + 1 under the state's key. */
static void start_stream(const gpuctr_drbg* drbg, gpuctr_ctr* ctr) {
  const gpuctr_cipher* const cipher = drbg->cipher;
  const uint8_t block = CIPHER_BYTE(cipher, block);
  CIPHER_FN(cipher, set_key)(drbg->round_keys, drbg->key);
  gpuctr_ctr_init(ctr, cipher, drbg->round_keys, drbg->v);
  gpuctr_counter_add(ctr->counter, block, block, 1);
}

SEPARATE static void update(gpuctr_drbg* drbg, const uint8_t* provided) {
  uint8_t temp[GPUCTR_MAX_SEED];
  gpuctr_ctr ctr;
  start_stream(drbg, &ctr);
  memset(temp, 0, sizeof temp);
  gpuctr_ctr_stream(&ctr, temp, covered_size(drbg->cipher));
  take_state(drbg, temp, provided);
  gpuctr_ctr_done(&ctr);
  gpuctr_wipe(temp, sizeof temp);
}

/* Update of Key = 0, V = 0: 10.2.1.3.2 steps 2 to 5. */
static void first_update(gpuctr_drbg* drbg, const uint8_t* seed) {
  const gpuctr_cipher* const cipher = drbg->cipher;
  const uint8_t* constants = (const uint8_t*)CIPHER_WORD(cipher, drbg_constants);
  if (!constants) {
    memset(drbg->key, 0, sizeof drbg->key);
    memset(drbg->v, 0, sizeof drbg->v);
    update(drbg, seed);
    return;
  }
  const uint8_t key = CIPHER_BYTE(cipher, key), block = CIPHER_BYTE(cipher, block);
  constants += covered_size(cipher);
  gpuctr_xor_flash(drbg->key, seed, constants, key);
  gpuctr_xor_flash(drbg->v, seed + key, constants + key, block);
}

static void wipe_round_keys(const gpuctr_drbg* drbg) {
  gpuctr_wipe(drbg->round_keys, CIPHER_WORD(drbg->cipher, round_keys));
}

/* Seed material: 10.2.1.3.1 and 10.2.1.4.1 without derivation function, or with it. */
static void seed_from(const gpuctr_drbg* drbg, uint8_t* seed, const gpuctr_bytes* entropy,
                      const gpuctr_bytes* nonce, const gpuctr_bytes* more) {
  if (drbg->use_df) {
    derive(drbg->cipher, drbg->round_keys, seed, entropy, nonce, more);
    return;
  }
  memset(seed, 0, GPUCTR_MAX_SEED);
  if (entropy) memcpy(seed, entropy->data, entropy->size);
  const uint8_t size = (uint8_t)size_of(more);
  for (uint8_t i = 0; i < size; ++i) seed[i] ^= more->data[i];
}

static gpuctr_status check_input(const gpuctr_cipher* cipher, uint8_t use_df,
                                 const gpuctr_bytes* entropy, const gpuctr_bytes* nonce,
                                 const gpuctr_bytes* more) {
  const uint8_t seed = seed_size(cipher);
  if (!use_df) {
    if (entropy && entropy->size != seed) return GPUCTR_ERR_LENGTH;
    return size_of(nonce) == 0 && size_of(more) <= seed ? GPUCTR_OK : GPUCTR_ERR_LENGTH;
  }
  if (entropy && entropy->size < CIPHER_BYTE(cipher, key)) return GPUCTR_ERR_ENTROPY;
  const uint32_t total = (uint32_t)size_of(entropy) + size_of(nonce) + size_of(more);
  return total <= 0xffff ? GPUCTR_OK : GPUCTR_ERR_LENGTH;
}

gpuctr_status gpuctr_drbg_instantiate(gpuctr_drbg* drbg, const gpuctr_cipher* cipher,
                                      void* round_keys, const gpuctr_bytes* entropy,
                                      const gpuctr_bytes* nonce,
                                      const gpuctr_bytes* personalization, uint8_t flags) {
  if (flags & (uint8_t)~GPUCTR_DRBG_NO_DF) return GPUCTR_ERR_LENGTH;
  const uint8_t use_df = !(flags & GPUCTR_DRBG_NO_DF);
  if (!entropy) return GPUCTR_ERR_ENTROPY;
  const gpuctr_status status = check_input(cipher, use_df, entropy, nonce, personalization);
  if (status != GPUCTR_OK) return status;
  drbg->cipher = cipher;
  drbg->round_keys = round_keys;
  drbg->use_df = use_df;
  drbg->reseed_counter = 1;
  drbg->reseed_interval = 0xffffffffUL;
  uint8_t seed[GPUCTR_MAX_SEED];
  seed_from(drbg, seed, entropy, nonce, personalization);
  first_update(drbg, seed);
  gpuctr_wipe(seed, covered_size(cipher));
  wipe_round_keys(drbg);
  return GPUCTR_OK;
}

gpuctr_status gpuctr_drbg_reseed(gpuctr_drbg* drbg, const gpuctr_bytes* entropy,
                                 const gpuctr_bytes* additional) {
  if (!drbg->cipher) return GPUCTR_ERR_STATE;
  if (!entropy) return GPUCTR_ERR_ENTROPY;
  const gpuctr_status status = check_input(drbg->cipher, drbg->use_df, entropy, NULL, additional);
  if (status != GPUCTR_OK) return status;
  uint8_t seed[GPUCTR_MAX_SEED];
  seed_from(drbg, seed, entropy, NULL, additional);
  update(drbg, seed);
  drbg->reseed_counter = 1;
  gpuctr_wipe(seed, sizeof seed);
  wipe_round_keys(drbg);
  return GPUCTR_OK;
}

/* Steps 3 to 6, `seed` NULL for zeros. The output and the Update that follows it are one run of
 * counters under one key, so they share the key schedule and the stream. */
SEPARATE static void output_and_update(gpuctr_drbg* drbg, uint8_t* out, uint16_t size,
                                       const uint8_t* seed) {
  const uint8_t block = CIPHER_BYTE(drbg->cipher, block);
  const uint8_t rest = (uint8_t)(size & (block - 1)); /* bytes of a last, partial block */
  const uint8_t cut = rest ? block : 0;
  uint8_t tail[GPUCTR_MAX_BLOCK + GPUCTR_MAX_SEED];
  gpuctr_ctr ctr;
  start_stream(drbg, &ctr);
  memset(out, 0, size);
  memset(tail, 0, sizeof tail);
  gpuctr_ctr_stream_two(&ctr, out, size - rest, tail, cut + covered_size(drbg->cipher));
  memcpy(out + (size - rest), tail, rest);
  take_state(drbg, tail + cut, seed);
  gpuctr_ctr_done(&ctr);
  gpuctr_wipe(tail, sizeof tail);
}

/* 10.2.1.5.2 steps 2 to 6 with additional input. */
SEPARATE static void serve_with(gpuctr_drbg* drbg, uint8_t* out, uint16_t size,
                                const gpuctr_bytes* additional) {
  uint8_t seed[GPUCTR_MAX_SEED];
  seed_from(drbg, seed, NULL, NULL, additional);
  update(drbg, seed);
  output_and_update(drbg, out, size, seed);
  gpuctr_wipe(seed, sizeof seed);
}

gpuctr_status gpuctr_drbg_generate(gpuctr_drbg* drbg, uint8_t* out, uint16_t size,
                                   const gpuctr_bytes* fresh_entropy,
                                   const gpuctr_bytes* additional) {
  if (!drbg->cipher) return GPUCTR_ERR_STATE;
  if (size > gpuctr_drbg_max_request(drbg->cipher)) return GPUCTR_ERR_LENGTH;
  if (fresh_entropy) {
    const gpuctr_status status = gpuctr_drbg_reseed(drbg, fresh_entropy, additional);
    if (status != GPUCTR_OK) return status;
    additional = NULL;
  } else {
    const gpuctr_status status = check_input(drbg->cipher, drbg->use_df, NULL, NULL, additional);
    if (status != GPUCTR_OK) return status;
    /* 0: the counter itself has come round */
    if (drbg->reseed_counter == 0 || drbg->reseed_counter > drbg->reseed_interval)
      return GPUCTR_ERR_RESEED;
  }
  if (size_of(additional))
    serve_with(drbg, out, size, additional);
  else
    output_and_update(drbg, out, size, NULL);
  ++drbg->reseed_counter;
  wipe_round_keys(drbg);
  return GPUCTR_OK;
}

gpuctr_status gpuctr_drbg_update(gpuctr_drbg* drbg, const uint8_t* provided) {
  if (!drbg->cipher) return GPUCTR_ERR_STATE;
  update(drbg, provided);
  wipe_round_keys(drbg);
  return GPUCTR_OK;
}

void gpuctr_drbg_uninstantiate(gpuctr_drbg* drbg) {
  if (drbg->cipher) wipe_round_keys(drbg);
  gpuctr_wipe(drbg, sizeof *drbg);
}
