/* Counter mode through EVP: a message in updates of any size, and a piece
 * from its middle without the bytes before. cc ctr.c -lcrypto. Where the
 * module is not installed, OPENSSL_MODULES names its folder. */
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/provider.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define CHECK(call) \
  if (!(call)) return ERR_print_errors_fp(stderr), 1

/* The counter of the block that holds byte `at`: the IV is one big-endian
 * number, counted up once a block. */
static void counter_at(const unsigned char iv[16], uint64_t at,
                       unsigned char counter[16]) {
  uint64_t carry = at / 16;
  for (int i = 15; i >= 0; --i, carry >>= 8) {
    carry += iv[i];
    counter[i] = (unsigned char)carry;
  }
}

int main(void) {
  static const unsigned char key[32] = {
      0}; /* of your own, from a generator or a key exchange */
  static const unsigned char iv[16] = {0}; /* never twice under one key */
  unsigned char text[100000], sealed[sizeof text], piece[1000], counter[16];
  memset(text, 'a', sizeof text);
  int n, done = 0;

  OSSL_PROVIDER* provider = OSSL_PROVIDER_load(NULL, "gpuctr");
  CHECK(provider != NULL);
  EVP_CIPHER* cipher =
      EVP_CIPHER_fetch(NULL, "LEA-256-CTR", "provider=gpuctr");
  EVP_CIPHER_CTX* ctx = EVP_CIPHER_CTX_new();
  CHECK(cipher != NULL && ctx != NULL);

  CHECK(EVP_EncryptInit_ex2(ctx, cipher, key, iv, NULL));
  for (int size = 1; done < (int)sizeof text; done += n, size *= 3) {
    if (size > (int)sizeof text - done) size = (int)sizeof text - done;
    CHECK(EVP_EncryptUpdate(ctx, sealed + done, &n, text + done,
                            size)); /* n is size */
  }

  /* Decrypts 1000 bytes from byte 54321 on. "num" is the position within
   * the block. */
  const uint64_t at = 54321;
  unsigned num = at % 16;
  OSSL_PARAM params[] = {
      OSSL_PARAM_construct_uint(OSSL_CIPHER_PARAM_NUM, &num),
      OSSL_PARAM_construct_end()};
  counter_at(iv, at, counter);
  CHECK(EVP_DecryptInit_ex2(ctx, NULL, NULL, counter,
                            params)); /* cipher and key stay */
  CHECK(EVP_DecryptUpdate(ctx, piece, &n, sealed + at, sizeof piece));
  if (memcmp(piece, text + at, sizeof piece) != 0)
    return fprintf(stderr, "the piece differs\n"), 1;

  char backend[32];
  params[0] =
      OSSL_PARAM_construct_utf8_string("backend", backend, sizeof backend);
  CHECK(EVP_CIPHER_CTX_get_params(ctx, params));
  printf("%d bytes by %s, and 1000 from the middle\n", done, backend);
  EVP_CIPHER_CTX_free(ctx);
  EVP_CIPHER_free(cipher);
  OSSL_PROVIDER_unload(provider);
  return 0;
}
