/* A gateway for many devices, each with a key of its own: opens UDP packets
 * by LEA-128-CCM, answers each, and seals the answers. `batch` collects up
 * to 4,096 packets, or those of 1 ms, and makes two calls for them;
 * `single` is the same gateway with calls for each packet. The load comes
 * from a process of its own, which checks every answer.
 *
 *   cc -O2 gateway.c gateway_load.c -lcrypto
 *   ./a.out batch|single DEVICES PACKETS BYTES
 */
#define _GNU_SOURCE
#include "gateway.h"

#include <arpa/inet.h>
#include <errno.h>
#include <openssl/err.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void fail(const char* what) {
  perror(what);
  ERR_print_errors_fp(stderr);
  exit(1);
}

static double seconds(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void* memory(size_t bytes) {
  void* p = aligned_alloc(64, (bytes + 63) / 64 * 64);
  if (p == NULL) fail("memory");
  return memset(p, 0, (bytes + 63) / 64 * 64);
}

uint64_t read_number(const unsigned char* p, int bytes) {
  uint64_t n = 0;
  for (int i = 0; i < bytes; ++i) n = n << 8 | p[i];
  return n;
}

void write_number(unsigned char* p, uint64_t n, int bytes) {
  for (; bytes > 0; --bytes, n >>= 8) p[bytes - 1] = (unsigned char)n;
}

struct batch* batch_new(size_t stride) {
  struct batch* b = memory(sizeof *b);
  b->stride = stride;
  b->packets = memory(BATCH * stride);
  return b;
}

/* A socket on loopback, with as much room as the system gives. */
int open_socket(struct sockaddr_in* at) {
  socklen_t size = sizeof *at;
  int room = 64 << 20;
  const int s = socket(AF_INET, SOCK_DGRAM, 0);
  *at = (struct sockaddr_in){.sin_family = AF_INET,
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  if (s < 0 || bind(s, (struct sockaddr*)at, sizeof *at) != 0 ||
      getsockname(s, (struct sockaddr*)at, &size) != 0)
    fail("socket");
  if (setsockopt(s, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof room) != 0)
    setsockopt(s, SOL_SOCKET, SO_RCVBUF, &room, sizeof room);
  return s;
}

/* What CCM needs of each packet, as arrays. The nonce is the direction, the
 * device and the counter, so it never repeats under a key. */
void batch_add(struct batch* b, unsigned char direction, size_t slot,
               size_t text) {
  const unsigned char* packet = b->packets + slot * b->stride;
  const size_t i = b->count++;
  b->slot[i] = (uint32_t)slot;
  b->device[i] = (uint32_t)read_number(packet, 4);
  b->length[i] = (uint32_t)text;
  b->offset[i] = slot * b->stride + HEADER;
  b->iv[i][0] = direction;
  memcpy(b->iv[i] + 1, packet, HEADER);
  memcpy(b->aad[i], packet, HEADER);
  memcpy(b->tag[i], packet + HEADER + text, TAG);
}

/* The tags of sealed packets go behind their texts. */
static void place_tags(struct batch* b) {
  for (size_t i = 0; i < b->count; ++i)
    memcpy(b->packets + b->offset[i] + b->length[i], b->tag[i], TAG);
}

#define ARRAY(key, pointer, bytes) \
  OSSL_PARAM_construct_octet_ptr(key, &pointer, bytes)

/* A context with a table of all keys, which the first batch copies. */
EVP_CIPHER_CTX* batch_context(struct keys* keys) {
  size_t iv_bytes = IV;
  void* table = keys->of;
  OSSL_PARAM params[] = {
      OSSL_PARAM_construct_size_t("ivlen", &iv_bytes),
      OSSL_PARAM_construct_octet_string("tag", NULL, TAG), /* the length */
      ARRAY(GPUCTR_PARAM_BATCH_KEYS, table, keys->count * KEY),
      OSSL_PARAM_construct_end()};
  EVP_CIPHER_CTX* ctx = EVP_CIPHER_CTX_new();
  if (ctx == NULL ||
      !EVP_EncryptInit_ex2(ctx, keys->cipher, NULL, NULL, params))
    fail("a context for batches");
  return ctx;
}

/* One call for all packets of the batch. b->good says which tags were
 * right; a wrong one is no reason to stop. */
void batch_crypt(EVP_CIPHER_CTX* ctx, struct batch* b, int seal) {
  static uint32_t header_bytes = HEADER;
  void *device = b->device, *iv = b->iv, *length = b->length,
       *offset = b->offset, *aad = b->aad, *aad_length = &header_bytes,
       *tag = b->tag, *good = b->good;
  OSSL_PARAM params[] = {
      OSSL_PARAM_construct_size_t(GPUCTR_PARAM_BATCH_MESSAGES, &b->count),
      ARRAY(GPUCTR_PARAM_BATCH_KEY_INDEX, device, sizeof b->device),
      ARRAY(GPUCTR_PARAM_BATCH_IVS, iv, sizeof b->iv),
      ARRAY(GPUCTR_PARAM_BATCH_LENGTHS, length, sizeof b->length),
      ARRAY(GPUCTR_PARAM_BATCH_OFFSETS, offset, sizeof b->offset),
      ARRAY(GPUCTR_PARAM_BATCH_AAD, aad, sizeof b->aad),
      ARRAY(GPUCTR_PARAM_BATCH_AAD_LENGTHS, aad_length,
            sizeof header_bytes),
      ARRAY(GPUCTR_PARAM_BATCH_TAGS, tag, sizeof b->tag),
      ARRAY(GPUCTR_PARAM_BATCH_RESULTS, good, sizeof b->good),
      OSSL_PARAM_construct_end()};
  const int bytes = (int)(BATCH * b->stride);
  int written;
  if (b->count == 0) return;
  memset(b->good, 255, b->count);
  if (!EVP_CipherInit_ex2(ctx, NULL, NULL, NULL, seal, params) ||
      (!EVP_CipherUpdate(ctx, b->packets, &written, b->packets, bytes) &&
       b->good[0] == 255))
    fail("a batch");
  ERR_clear_error();
  if (seal) place_tags(b);
}

/* The same with calls for each packet. */
static void single_crypt(EVP_CIPHER_CTX* ctx, struct batch* b,
                         const struct keys* keys, int seal) {
  for (size_t i = 0; i < b->count; ++i) {
    unsigned char* text = b->packets + b->offset[i];
    int n;
    b->good[i] =
        EVP_CipherInit_ex2(ctx, NULL, NULL, NULL, seal, NULL) &&
        EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, TAG,
                            seal ? NULL : b->tag[i]) &&
        EVP_CipherInit_ex2(ctx, NULL, keys->of + (size_t)b->device[i] * KEY,
                           b->iv[i], seal, NULL) &&
        EVP_CipherUpdate(ctx, NULL, &n, NULL, (int)b->length[i]) &&
        EVP_CipherUpdate(ctx, NULL, &n, b->aad[i], HEADER) &&
        EVP_CipherUpdate(ctx, text, &n, text, (int)b->length[i]) &&
        (!seal ||
         EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, TAG, b->tag[i]));
  }
  ERR_clear_error();
  if (seal) place_tags(b);
}

/* The last 64 counters of each device that were seen (RFC 6479 keeps them
 * in the same way). */
struct window {
  uint64_t highest, seen;
};

static int is_new(const struct window* w, uint64_t counter) {
  if (counter > w->highest) return 1;
  const uint64_t age = w->highest - counter;
  return counter != 0 && age < 64 && (w->seen >> age & 1) == 0;
}

/* Only for a packet whose tag is right. 0: another of the same batch was
 * the same packet. */
static int take(struct window* w, uint64_t counter) {
  if (!is_new(w, counter)) return 0;
  if (counter > w->highest) {
    const uint64_t by = counter - w->highest;
    w->seen = by < 64 ? w->seen << by : 0;
    w->highest = counter;
  }
  w->seen |= UINT64_C(1) << (w->highest - counter);
  return 1;
}

struct gateway {
  struct keys* keys;
  struct window* windows;
  struct batch *in, *out;
  struct mmsghdr* message;
  struct sockaddr_in* from;
  struct iovec* part;
  EVP_CIPHER_CTX* ctx;
  int socket, single;
  size_t received, answered, refused, batches;
  double crypto;
};

/* Up to BATCH packets, or those of a millisecond after the first. 0: there
 * was none for a second. */
static size_t collect(struct gateway* g) {
  size_t count = 0;
  double end = 0;
  struct pollfd poll_in = {g->socket, POLLIN, 0};
  if (poll(&poll_in, 1, 1000) <= 0) return 0;
  while (count < BATCH) {
    for (size_t i = count; i < BATCH && i < count + 1024; ++i) {
      g->part[i] =
          (struct iovec){g->in->packets + i * g->in->stride, g->in->stride};
      g->message[i].msg_hdr = (struct msghdr){
          &g->from[i], sizeof *g->from, &g->part[i], 1, NULL, 0, 0};
    }
    const size_t room = BATCH - count < 1024 ? BATCH - count : 1024;
    const int n = recvmmsg(g->socket, g->message + count, (unsigned)room,
                           MSG_DONTWAIT, NULL);
    if (n > 0) count += (size_t)n;
    const double now = seconds(CLOCK_MONOTONIC);
    if (end == 0) end = now + 1e-3;
    if (now >= end) break;
    if (n <= 0 && poll(&poll_in, 1, 0) <= 0) sched_yield();
  }
  return count;
}

/* Known devices and counters that are new; the rest costs no decryption. */
static void admit(struct gateway* g, size_t count) {
  g->in->count = 0;
  for (size_t i = 0; i < count; ++i) {
    const unsigned char* packet = g->in->packets + i * g->in->stride;
    const size_t bytes = g->message[i].msg_len;
    if (bytes < HEADER + TAG || bytes > HEADER + TAG + TEXT) continue;
    const uint64_t device = read_number(packet, 4);
    if (device >= g->keys->count ||
        !is_new(&g->windows[device], read_number(packet + 4, 8)))
      continue;
    batch_add(g->in, TO_GATEWAY, i, bytes - HEADER - TAG);
  }
}

/* The answer to a packet: its text with every byte inverted. An application
 * would do its work here. */
static void answer(struct gateway* g) {
  g->out->count = 0;
  for (size_t i = 0; i < g->in->count; ++i) {
    const size_t slot = g->in->slot[i], bytes = g->in->length[i];
    unsigned char* packet = g->in->packets + slot * g->in->stride;
    if (!g->in->good[i] ||
        !take(&g->windows[g->in->device[i]], read_number(packet + 4, 8)))
      continue;
    for (size_t k = 0; k < bytes; ++k) packet[HEADER + k] ^= 255;
    g->part[slot].iov_len = HEADER + bytes + TAG;
    batch_add(g->out, TO_DEVICE, slot, bytes);
  }
}

static void crypt_batch(struct gateway* g, struct batch* b, int seal) {
  const double start = seconds(CLOCK_THREAD_CPUTIME_ID);
  if (g->single)
    single_crypt(g->ctx, b, g->keys, seal);
  else
    batch_crypt(g->ctx, b, seal);
  g->crypto += seconds(CLOCK_THREAD_CPUTIME_ID) - start;
}

static void send_answers(struct gateway* g) {
  struct mmsghdr* out = memory(BATCH * sizeof *out);
  for (size_t i = 0; i < g->out->count; ++i) {
    const size_t slot = g->out->slot[i];
    out[i].msg_hdr = (struct msghdr){
        &g->from[slot], sizeof *g->from, &g->part[slot], 1, NULL, 0, 0};
  }
  for (size_t at = 0; at < g->out->count;) {
    const size_t left = g->out->count - at;
    const int n = sendmmsg(g->socket, out + at,
                           (unsigned)(left < 1024 ? left : 1024), 0);
    if (n <= 0 && errno != EAGAIN && errno != ENOBUFS) fail("send");
    if (n > 0) at += (size_t)n;
  }
  free(out);
}

static void serve(struct gateway* g) {
  size_t count;
  while ((count = collect(g)) != 0) {
    admit(g, count);
    crypt_batch(g, g->in, 0);
    answer(g);
    crypt_batch(g, g->out, 1);
    send_answers(g);
    g->received += count;
    g->answered += g->out->count;
    g->refused += count - g->out->count;
    ++g->batches;
  }
}

static EVP_CIPHER_CTX* single_context(struct keys* keys) {
  EVP_CIPHER_CTX* ctx = EVP_CIPHER_CTX_new();
  if (ctx == NULL ||
      !EVP_EncryptInit_ex2(ctx, keys->cipher, NULL, NULL, NULL) ||
      !EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_IVLEN, IV, NULL))
    fail("a context");
  return ctx;
}

int main(int argc, char** argv) {
  if (argc != 5)
    return fprintf(stderr, "gateway batch|single DEVICES PACKETS BYTES\n"),
           2;
  struct load load = {
      (size_t)atol(argv[3]), (size_t)atol(argv[4]), -1, {0}};
  struct keys keys = {NULL, (size_t)atol(argv[2]), NULL};
  if (load.bytes == 0 || load.bytes > TEXT || keys.count == 0) return 2;
  OSSL_PROVIDER* provider = OSSL_PROVIDER_load(NULL, "gpuctr");
  keys.cipher = EVP_CIPHER_fetch(NULL, "LEA-128-CCM", "provider=gpuctr");
  if (provider == NULL || keys.cipher == NULL) fail("gpuctr");
  keys.of = memory(keys.count * KEY);
  demo_keys(&keys);

  struct gateway g = {.keys = &keys,
                      .single = strcmp(argv[1], "single") == 0};
  g.socket = open_socket(&load.gateway);
  const pid_t child = fork();
  if (child == 0) _exit(run_load(&load, &keys));
  g.windows = memory(keys.count * sizeof *g.windows);
  g.in = batch_new(TEXT + HEADER + TAG);
  g.out = batch_new(TEXT + HEADER + TAG);
  free(g.out->packets);
  g.out->packets = g.in->packets; /* an answer takes its packet's place */
  g.message = memory(BATCH * sizeof *g.message);
  g.from = memory(BATCH * sizeof *g.from);
  g.part = memory(BATCH * sizeof *g.part);
  g.ctx = g.single ? single_context(&keys) : batch_context(&keys);
  int status = 1;
  while (waitpid(child, &status, WNOHANG) == 0) serve(&g);
  printf(
      "gateway: %zu packets, %zu answered, %zu refused, %.0f a batch, "
      "%.0f ns of EVP a packet\n",
      g.received, g.answered, g.refused,
      (double)g.received / (double)(g.batches != 0 ? g.batches : 1),
      1e9 * g.crypto / (double)(g.received != 0 ? g.received : 1));
  EVP_CIPHER_CTX_free(g.ctx);
  EVP_CIPHER_free(keys.cipher);
  OSSL_PROVIDER_unload(provider);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
