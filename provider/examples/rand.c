/* Random numbers through EVP_RAND: a generator of one's own, seeded by the
 * operating system. For all random numbers of a program, which then calls
 * RAND_bytes() as ever, see the section of openssl.cnf in gpuctr(7). cc
 * rand.c -lcrypto. Where the module is not installed, OPENSSL_MODULES names
 * its folder. */
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/provider.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
  static unsigned char data[64 << 20];
  unsigned char key[32];
  const unsigned char name[] =
      "this program, this purpose"; /* the personalization string */

  OSSL_PROVIDER* provider = OSSL_PROVIDER_load(NULL, "gpuctr");
  EVP_RAND* generator =
      EVP_RAND_fetch(NULL, "LEA-256-CTR-DRBG", "provider=gpuctr");
  EVP_RAND_CTX* ctx = EVP_RAND_CTX_new(
      generator,
      NULL); /* no parent: entropy comes from the operating system */
  if (provider == NULL || ctx == NULL ||
      !EVP_RAND_instantiate(ctx, 256, 0, name, sizeof name - 1, NULL) ||
      !EVP_RAND_generate(ctx, data, sizeof data, 256, 0, NULL,
                         0) || /* up to 1 GiB a call */
      !EVP_RAND_generate(ctx, key, sizeof key, 256, 1, NULL,
                         0)) { /* 1: with fresh entropy first */
    ERR_print_errors_fp(stderr);
    return 1;
  }
  unsigned counts[256] = {0}, least = ~0u, most = 0;
  for (size_t i = 0; i < sizeof data; ++i) ++counts[data[i]];
  for (int i = 0; i < 256; ++i) {
    if (counts[i] < least) least = counts[i];
    if (counts[i] > most) most = counts[i];
  }
  /* 2^18 of each value are expected, and 4096 more or less are eight
   * standard deviations. */
  printf("%zu bytes; each value came %u to %u times\n", sizeof data, least,
         most);
  EVP_RAND_CTX_free(ctx);
  EVP_RAND_free(generator);
  OSSL_PROVIDER_unload(provider);
  return least > (1u << 18) - 4096 && most < (1u << 18) + 4096 ? 0 : 1;
}
