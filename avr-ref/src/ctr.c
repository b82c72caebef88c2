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

/* V is secret, so unlike a message's counter its carry must not show: every 256 blocks or less take
 * two caches and two runs, of which one may be empty. */
void gpuctr_ctr_stream(gpuctr_ctr* ctr, uint8_t* bytes, uint16_t size) {
  const gpuctr_cipher* cipher = ctr->cipher;
  const uint8_t block = CIPHER_BYTE(cipher, block);
  uint16_t blocks = block == 8 ? size >> 3 : size >> 4;
  if (CIPHER_WORD(cipher, prepare) == 0) {
    xor_each(ctr, bytes, bytes, blocks);
    return;
  }
  while (blocks) {
    const uint8_t n = blocks > 255 ? 255 : (uint8_t)blocks;
    const uint8_t low = ctr->counter[block - 1];
    /* carries = 0xff where n blocks from `low` pass the wrap, without a branch */
    const uint8_t carries = (uint8_t) - (uint8_t)(((uint16_t)low + n) >> 8);
    const uint8_t second = (uint8_t)(low + n) & carries;
    const uint8_t first = n - second;
    CIPHER_FN(cipher, prepare)(ctr);
    CIPHER_FN(cipher, run_single)(bytes, bytes, ctr, first);
    gpuctr_counter_add(ctr->counter, block, block, first);
    bytes += (uint16_t)first * block;
    CIPHER_FN(cipher, prepare)(ctr);
    CIPHER_FN(cipher, run_single)(bytes, bytes, ctr, second);
    gpuctr_counter_add(ctr->counter, block, block, second);
    bytes += (uint16_t)second * block;
    blocks -= n;
  }
}

void gpuctr_ctr_done(gpuctr_ctr* ctr) { gpuctr_wipe(ctr, sizeof *ctr); }
