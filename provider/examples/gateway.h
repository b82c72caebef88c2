/* What gateway.c and gateway_load.c share: the packets, and batches of
 * them. */
#ifndef GATEWAY_H
#define GATEWAY_H

#include <gpuctr.h>
#include <netinet/in.h>
#include <openssl/evp.h>
#include <openssl/provider.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

/* A packet: the number of the device, 4 bytes; a counter, 8; the text; a
 * tag. Device and counter are the associated data. */
enum { KEY = 16, IV = 13, HEADER = 12, TAG = 8, TEXT = 1024, BATCH = 4096 };
enum { TO_GATEWAY = 0, TO_DEVICE = 1 }; /* the first byte of the nonce */

struct keys {
  unsigned char* of; /* KEY bytes for each device */
  size_t count;
  EVP_CIPHER* cipher;
};

struct batch {
  unsigned char* packets; /* BATCH slots of `stride` bytes */
  size_t stride, count;
  uint32_t slot[BATCH], device[BATCH], length[BATCH];
  uint64_t offset[BATCH];
  unsigned char iv[BATCH][IV], aad[BATCH][HEADER], tag[BATCH][TAG],
      good[BATCH];
};

struct load {
  size_t packets, bytes;
  int socket;
  struct sockaddr_in gateway;
};

void* memory(size_t bytes);
uint64_t read_number(const unsigned char* p, int bytes);
void write_number(unsigned char* p, uint64_t n, int bytes);
struct batch* batch_new(size_t stride);
void batch_add(struct batch* b, unsigned char direction, size_t slot,
               size_t text);
EVP_CIPHER_CTX* batch_context(struct keys* keys);
void batch_crypt(EVP_CIPHER_CTX* ctx, struct batch* b, int seal);
void demo_keys(struct keys* keys);
int open_socket(struct sockaddr_in* at);
int run_load(struct load* load, struct keys* keys);

#endif
