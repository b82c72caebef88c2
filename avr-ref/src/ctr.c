/* Counter mode over any cipher, SP 800-38A 6.5. */
#include <string.h>

#include "internal.h"

/* Every byte is visited, so the time does not tell where the carry stopped. */
void gpuctr_counter_add(uint8_t* block, uint8_t block_size, uint8_t width, uint8_t n) {
  uint16_t sum = n;
  uint8_t* p = block + block_size;
  while (width--) {
    sum += *--p;
    *p = (uint8_t)sum;
    sum >>= 8;
  }
}

void gpuctr_ctr_init(gpuctr_ctr* ctr, const gpuctr_cipher* cipher, const void* round_keys,
                     const uint8_t* iv) {
  gpuctr_ctr_init_width(ctr, cipher, round_keys, iv, CIPHER_BYTE(cipher, block));
}

gpuctr_status gpuctr_ctr_init_width(gpuctr_ctr* ctr, const gpuctr_cipher* cipher,
                                    const void* round_keys, const uint8_t* iv, uint8_t width) {
  const uint8_t block = CIPHER_BYTE(cipher, block);
  if (width < 2 || width > block) return GPUCTR_ERR_LENGTH;
  ctr->cipher = cipher;
  ctr->round_keys = round_keys;
  memcpy(ctr->counter, iv, block);
  ctr->stream_left = 0;
  ctr->width = width;
  ctr->exhausted = 0;
  ctr->cache_valid = 0;
  ctr->blocks_left = width < 4 ? (1UL << (8 * width)) - 1 : 0xffffffffUL;
  return GPUCTR_OK;
}

/* A narrow field may start anywhere and counts 2^(8 width) blocks; five bytes and more outlast the
 * device, and the whole block wraps by the standard. */
static uint8_t take_blocks(gpuctr_ctr* ctr, uint16_t blocks, uint8_t block_size) {
  if (blocks == 0 || ctr->width > 4 || ctr->width == block_size) return 1;
  if (ctr->exhausted || blocks - 1 > ctr->blocks_left) return 0;
  if (blocks - 1 == ctr->blocks_left)
    ctr->exhausted = 1;
  else
    ctr->blocks_left -= blocks;
  return 1;
}

static uint8_t* xor_each(gpuctr_ctr* ctr, uint8_t* out, const uint8_t* in, uint16_t blocks) {
  const gpuctr_cipher* cipher = ctr->cipher;
  const uint8_t block = CIPHER_BYTE(cipher, block);
  uint8_t stream[GPUCTR_MAX_BLOCK];
  while (blocks--) {
    CIPHER_FN(cipher, encrypt)(ctr->round_keys, stream, ctr->counter);
    gpuctr_counter_add(ctr->counter, block, ctr->width, 1);
    for (uint8_t i = 0; i < block; ++i) *out++ = (uint8_t)(*in++ ^ stream[i]);
  }
  gpuctr_wipe(stream, sizeof stream);
  return out;
}

static uint8_t* xor_blocks(gpuctr_ctr* ctr, uint8_t* out, const uint8_t* in, uint16_t blocks) {
  const gpuctr_cipher* cipher = ctr->cipher;
  if (CIPHER_WORD(cipher, prepare) == 0) return xor_each(ctr, out, in, blocks);
  const uint8_t block = CIPHER_BYTE(cipher, block);
  while (blocks) {
    const uint8_t low = ctr->counter[block - 1];
    uint8_t n = low ? (uint8_t)-low : 255; /* at most to the wrap of the low byte */
    if (n > blocks) n = (uint8_t)blocks;
    if (!ctr->cache_valid) CIPHER_FN(cipher, prepare)(ctr);
    CIPHER_FN(cipher, run)(out, in, ctr, n);
    gpuctr_counter_add(ctr->counter, block, ctr->width, n);
    ctr->cache_valid = ctr->counter[block - 1] != 0;
    const uint16_t bytes = (uint16_t)n * block;
    out += bytes;
    in += bytes;
    blocks -= n;
  }
  return out;
}

gpuctr_status gpuctr_ctr_crypt(gpuctr_ctr* ctr, uint8_t* out, const uint8_t* in, uint16_t size) {
  const uint8_t block = CIPHER_BYTE(ctr->cipher, block);
  uint8_t head = ctr->stream_left;
  if (head > size) head = (uint8_t)size;
  const uint16_t rest = size - head;
  const uint8_t tail = (uint8_t)(rest & (block - 1));
  const uint16_t blocks = block == 8 ? rest >> 3 : rest >> 4;
  if (!take_blocks(ctr, blocks + (tail != 0), block)) return GPUCTR_ERR_COUNTER;

  const uint8_t* stream = ctr->stream + block - ctr->stream_left;
  ctr->stream_left -= head;
  while (head--) *out++ = (uint8_t)(*in++ ^ *stream++);
  const uint8_t* const body = out;
  out = xor_blocks(ctr, out, in, blocks);
  in += out - body;
  if (tail) {
    memset(ctr->stream, 0, block);
    xor_blocks(ctr, ctr->stream, ctr->stream, 1);
    ctr->stream_left = block - tail;
    for (uint8_t i = 0; i < tail; ++i) out[i] = (uint8_t)(in[i] ^ ctr->stream[i]);
  }
  return GPUCTR_OK;
}

/* Within 256 blocks of one cache only the low byte counts. */
static void run_counted(gpuctr_ctr* ctr, uint8_t* bytes, uint8_t blocks) {
  const gpuctr_cipher* cipher = ctr->cipher;
  CIPHER_FN(cipher, run_single)(bytes, bytes, ctr, blocks);
  ctr->counter[CIPHER_BYTE(cipher, block) - 1] += blocks;
}

/* a, then b, 255 blocks or less together. V is secret, so unlike a message's counter its carry must
 * not show: there are always two caches and four runs, of which some are empty. */
static void stream_blocks(gpuctr_ctr* ctr, uint8_t* a, uint8_t a_blocks, uint8_t* b,
                          uint8_t b_blocks) {
  const gpuctr_cipher* cipher = ctr->cipher;
  const uint8_t block = CIPHER_BYTE(cipher, block);
  const uint8_t shift = block == 8 ? 3 : 4;
  const uint8_t n = a_blocks + b_blocks;
  const uint8_t low = ctr->counter[block - 1];
  /* carries = 0xff where n blocks from `low` reach the wrap, without a branch */
  const uint8_t carries = (uint8_t) - (uint8_t)(((uint16_t)low + n) >> 8);
  const uint8_t first = n - ((uint8_t)(low + n) & carries);
  /* a_first = min(first, a_blocks) */
  const uint8_t all_a = (uint8_t) - (uint8_t)((((uint16_t)first - a_blocks) >> 8) & 1);
  const uint8_t a_first = (first & all_a) | (a_blocks & (uint8_t)~all_a);
  const uint8_t b_first = first - a_first;
  CIPHER_FN(cipher, prepare)(ctr);
  run_counted(ctr, a, a_first);
  run_counted(ctr, b, b_first);
  gpuctr_counter_add(ctr->counter, block - 1, block - 1, carries & 1);
  CIPHER_FN(cipher, prepare)(ctr);
  run_counted(ctr, a + ((uint16_t)a_first << shift), a_blocks - a_first);
  run_counted(ctr, b + ((uint16_t)b_first << shift), b_blocks - b_first);
}

void gpuctr_ctr_stream_two(gpuctr_ctr* ctr, uint8_t* a, uint16_t a_size, uint8_t* b,
                           uint8_t b_size) {
  const gpuctr_cipher* cipher = ctr->cipher;
  const uint8_t shift = CIPHER_BYTE(cipher, block) == 8 ? 3 : 4;
  uint16_t a_blocks = a_size >> shift;
  const uint8_t b_blocks = b_size >> shift;
  if (CIPHER_WORD(cipher, prepare) == 0) {
    xor_each(ctr, a, a, a_blocks);
    xor_each(ctr, b, b, b_blocks);
    return;
  }
  for (; a_blocks > 128; a_blocks -= 128) {
    stream_blocks(ctr, a, 128, b, 0);
    a += (uint16_t)128 << shift;
  }
  stream_blocks(ctr, a, (uint8_t)a_blocks, b, b_blocks);
}

void gpuctr_ctr_stream(gpuctr_ctr* ctr, uint8_t* bytes, uint16_t size) {
  gpuctr_ctr_stream_two(ctr, bytes, size, bytes, 0);
}

void gpuctr_ctr_done(gpuctr_ctr* ctr) { gpuctr_wipe(ctr, sizeof *ctr); }
