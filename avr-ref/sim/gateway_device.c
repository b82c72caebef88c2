/* A device of provider/examples/gateway.c, in place of gateway_load.c: sends
 * the packet that the simulated firmware has made, which comes as hexadecimal
 * digits on standard input. A forged copy goes before it and the same packet
 * behind it; the gateway must answer neither. Prints what the answer says.
 *
 *   cc gateway.c gateway_device.c -lcrypto
 *   ./a.out batch|single 2 1 1 <PACKET
 */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gateway.h"

/* Device 1 has the key of example/main.c. */
void demo_keys(struct keys* keys) {
  if (keys->count < 2) exit(2);
  for (int i = 0; i < KEY; ++i) keys->of[KEY + i] = (unsigned char)i;
}

static size_t read_packet(unsigned char* packet, size_t most) {
  unsigned byte;
  size_t size = 0;
  while (size < most && scanf("%2x", &byte) == 1) packet[size++] = (unsigned char)byte;
  return size;
}

static size_t receive(int socket, unsigned char* packet, size_t most, int milliseconds) {
  struct pollfd poll_in = {socket, POLLIN, 0};
  if (poll(&poll_in, 1, milliseconds) <= 0) return 0;
  const ssize_t n = recv(socket, packet, most, 0);
  return n > 0 ? (size_t)n : 0;
}

static int refused(const char* what) {
  fprintf(stderr, "gateway_device: %s\n", what);
  return 1;
}

int run_load(struct load* load, struct keys* keys) {
  struct sockaddr_in own;
  unsigned char sent[HEADER + TEXT + TAG], again[sizeof sent];
  const size_t size = read_packet(sent, sizeof sent);
  if (size <= HEADER + TAG) return refused("no packet on standard input");
  load->socket = open_socket(&own);
  for (int i = 0; i < 3; ++i) {
    sent[size - 1] ^= i == 0; /* the first is forged */
    sendto(load->socket, sent, size, 0, (struct sockaddr*)&load->gateway, sizeof load->gateway);
    sent[size - 1] ^= i == 0;
  }
  struct batch* b = batch_new(sizeof sent);
  if (receive(load->socket, b->packets, b->stride, 5000) != size)
    return refused("the gateway does not answer");
  if (receive(load->socket, again, sizeof again, 200) != 0)
    return refused("the gateway answers a forged or repeated packet");

  const size_t text_size = size - HEADER - TAG;
  batch_add(b, TO_DEVICE, 0, text_size);
  batch_crypt(batch_context(keys), b, 0);
  if (b->good[0] != 1 || memcmp(b->packets, sent, HEADER) != 0)
    return refused("the answer is not the gateway's");
  printf("opened:  device %u, counter %#llx: ", b->device[0],
         (unsigned long long)read_number(b->packets + 4, 8));
  for (size_t i = 0; i < text_size; ++i)
    putchar(b->packets[HEADER + i] ^ 255); /* as the gateway answers */
  putchar('\n');
  fflush(stdout);
  return 0;
}
