/* The devices of gateway.c, in a process of their own: seals all packets
 * before the clock starts, sends them with a bounded number on the way, and
 * opens every answer after the clock has stopped. One packet in 100 is sent
 * twice, one in 100 is forged: the gateway must answer neither.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "gateway.h"

/* Keys for a demonstration, the same in each run. Real ones are secrets of
 * the devices. */
void demo_keys(struct keys* keys) {
  uint64_t x = 1;
  for (size_t i = 0; i < keys->count * KEY / 8; ++i) {
    x = x * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    const uint64_t mixed = x ^ x >> 31;
    memcpy(keys->of + 8 * i, &mixed, 8);
  }
}

/* How many packets may be on the way, so that no buffer overflows: the
 * kernel charges about a kilobyte more for each. */
static size_t most_on_the_way(int s, size_t bytes) {
  int room = 0;
  socklen_t size = sizeof room;
  getsockopt(s, SOL_SOCKET, SO_RCVBUF, &room, &size);
  const size_t most = (size_t)room / (2 * (bytes + 1280));
  return most < 16 ? 16 : most > 2 * BATCH ? 2 * BATCH : most;
}

struct traffic {
  unsigned char *sent, *got; /* packets of `size` bytes */
  size_t size, packets, extra, forged, answers;
};

static uint64_t random_number(uint64_t* x) {
  *x ^= *x << 13;
  *x ^= *x >> 7;
  *x ^= *x << 17;
  return *x;
}

static void seal_all(struct traffic* t, EVP_CIPHER_CTX* ctx, size_t keys,
                     size_t bytes) {
  uint64_t x = 88172645463325252u;
  uint64_t* counters = memory(keys * sizeof *counters);
  struct batch* b = batch_new(t->size);
  for (size_t at = 0; at < t->packets; at += b->count) {
    b->count = 0;
    for (size_t i = 0; i < BATCH && at + i < t->packets; ++i) {
      unsigned char* p = b->packets + i * t->size;
      const uint64_t device = random_number(&x) % keys;
      write_number(p, device, 4);
      write_number(p + 4, ++counters[device], 8);
      memset(p + HEADER, (int)(at + i), bytes);
      batch_add(b, TO_GATEWAY, i, bytes);
    }
    batch_crypt(ctx, b, 1);
    memcpy(t->sent + at * t->size, b->packets, b->count * t->size);
  }
  free(counters);
  free(b->packets);
  free(b);
}

enum { AT_ONCE = 256 };

static void prepare(struct mmsghdr* m, struct iovec* part,
                    unsigned char* data, size_t size, size_t count,
                    struct sockaddr_in* to) {
  for (size_t i = 0; i < count; ++i) {
    part[i] = (struct iovec){data + i * size, size};
    m[i].msg_hdr = (struct msghdr){
        to, to == NULL ? 0 : sizeof *to, &part[i], 1, NULL, 0, 0};
  }
}

/* Sends some packets; those of a hundredth twice, and of another hundredth
 * a forged copy first. */
static size_t send_some(struct traffic* t, struct load* load, size_t at,
                        size_t most) {
  struct mmsghdr m[AT_ONCE];
  struct iovec part[AT_ONCE];
  unsigned char forged[TEXT + HEADER + TAG];
  size_t count = t->packets - at < AT_ONCE ? t->packets - at : AT_ONCE;
  if (count > most) count = most;
  prepare(m, part, t->sent + at * t->size, t->size, count, &load->gateway);
  const int n = sendmmsg(load->socket, m, (unsigned)count, 0);
  if (n <= 0) return 0;
  for (size_t i = at; i < at + (size_t)n; ++i) {
    const int kind = (int)(i % 100);
    if (kind != 17 && kind != 71) continue;
    memcpy(forged, t->sent + i * t->size, t->size);
    if (kind == 71) {
      write_number(forged + 4, UINT64_C(1) << 40, 8);
      ++t->forged;
    } else {
      ++t->extra;
    }
    sendto(load->socket, forged, t->size, 0,
           (struct sockaddr*)&load->gateway, sizeof load->gateway);
  }
  return (size_t)n;
}

static size_t receive_some(struct traffic* t, struct load* load) {
  struct mmsghdr m[AT_ONCE];
  struct iovec part[AT_ONCE];
  size_t room = t->packets - t->answers;
  if (room > AT_ONCE) room = AT_ONCE;
  if (room == 0) return 0;
  prepare(m, part, t->got + t->answers * t->size, t->size, room, NULL);
  const int n =
      recvmmsg(load->socket, m, (unsigned)room, MSG_DONTWAIT, NULL);
  if (n > 0) t->answers += (size_t)n;
  return n > 0 ? (size_t)n : 0;
}

/* Returns the seconds. Without an answer for a second the rest is lost. */
static double exchange(struct traffic* t, struct load* load) {
  const size_t window = most_on_the_way(load->socket, t->size);
  struct pollfd poll_in = {load->socket, POLLIN, 0};
  struct timespec a, b;
  size_t at = 0;
  clock_gettime(CLOCK_MONOTONIC, &a);
  while (t->answers < t->packets) {
    const size_t open = at - t->answers;
    if (at < t->packets && open < window)
      at += send_some(t, load, at, window - open);
    if (receive_some(t, load) == 0 &&
        (at == t->packets || at - t->answers >= window) &&
        poll(&poll_in, 1, 1000) <= 0)
      break;
  }
  clock_gettime(CLOCK_MONOTONIC, &b);
  return (double)(b.tv_sec - a.tv_sec) +
         1e-9 * (double)(b.tv_nsec - a.tv_nsec);
}

/* How many answers are right: the tag, and the text inverted. */
static size_t open_all(struct traffic* t, EVP_CIPHER_CTX* ctx,
                       size_t bytes) {
  struct batch* b = batch_new(t->size);
  size_t right = 0;
  for (size_t at = 0; at < t->answers; at += b->count) {
    b->count = 0;
    for (size_t i = 0; i < BATCH && at + i < t->answers; ++i) {
      memcpy(b->packets + i * t->size, t->got + (at + i) * t->size,
             t->size);
      batch_add(b, TO_DEVICE, i, bytes);
    }
    batch_crypt(ctx, b, 0);
    for (size_t i = 0; i < b->count; ++i) {
      const unsigned char* text = b->packets + b->offset[i];
      size_t same = 0;
      while (same < bytes && text[same] == text[0]) ++same;
      right += b->good[i] == 1 && same == bytes;
    }
  }
  free(b->packets);
  free(b);
  return right;
}

int run_load(struct load* load, struct keys* keys) {
  struct sockaddr_in own;
  struct traffic t = {.size = HEADER + load->bytes + TAG,
                      .packets = load->packets};
  t.sent = memory(t.packets * t.size);
  t.got = memory(t.packets * t.size);
  load->socket = open_socket(&own);
  EVP_CIPHER_CTX* ctx = batch_context(keys);
  seal_all(&t, ctx, keys->count, load->bytes);
  const double time = exchange(&t, load);
  const size_t right = open_all(&t, ctx, load->bytes);
  EVP_CIPHER_CTX_free(ctx);
  printf(
      "load: %zu packets of %zu bytes in %.3f s, %.0f a second, "
      "%zu answers, %zu right; %zu sent twice, %zu forged\n",
      t.packets, load->bytes, time, (double)t.answers / time, t.answers,
      right, t.extra, t.forged);
  fflush(stdout);
  return right == t.packets ? 0 : 1;
}
