/* Many messages in one call: seals four readings, each under the key of its
 * own device, and opens them again. cc batch.c -lcrypto.
 */
#include <gpuctr.h>
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/provider.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* An octet pointer holds the address of a pointer to the array. */
#define ARRAY(key, pointer, array) \
  OSSL_PARAM_construct_octet_ptr(key, &pointer, sizeof array)

enum { N = 4, DEVICES = 3, KEY = 16, IV = 13, TAG = 8, TEXT = 12 };

int main(void) {
  /* The keys of all devices; of your own, one secret each. */
  unsigned char keys[DEVICES][KEY] = {{1}, {2}, {3}};
  /* Message i is under the key of device device[i]. Each IV once a key. */
  uint32_t device[N] = {0, 2, 1, 2};
  unsigned char ivs[N][IV] = {{0, 1}, {2, 1}, {1, 1}, {2, 2}};
  unsigned char text[N][TEXT], tags[N][TAG], good[N];
  size_t iv_bytes = IV, n = N;
  int written;

  OSSL_PROVIDER* provider = OSSL_PROVIDER_load(NULL, "gpuctr");
  EVP_CIPHER* cipher =
      EVP_CIPHER_fetch(NULL, "LEA-128-CCM", "provider=gpuctr");
  EVP_CIPHER_CTX* ctx = EVP_CIPHER_CTX_new();
  void *p_keys = keys, *p_device = device, *p_ivs = ivs, *p_tags = tags,
       *p_good = good;
  OSSL_PARAM batch[] = {
      OSSL_PARAM_construct_size_t(OSSL_CIPHER_PARAM_IVLEN, &iv_bytes),
      OSSL_PARAM_construct_octet_string("tag", NULL, TAG), /* length only */
      OSSL_PARAM_construct_size_t(GPUCTR_PARAM_BATCH_MESSAGES, &n),
      ARRAY(GPUCTR_PARAM_BATCH_KEYS, p_keys, keys),
      ARRAY(GPUCTR_PARAM_BATCH_KEY_INDEX, p_device, device),
      ARRAY(GPUCTR_PARAM_BATCH_IVS, p_ivs, ivs),
      ARRAY(GPUCTR_PARAM_BATCH_TAGS, p_tags, tags),
      ARRAY(GPUCTR_PARAM_BATCH_RESULTS, p_good, good),
      OSSL_PARAM_construct_end()};

  for (int i = 0; i < N; ++i)
    memcpy(text[i], i % 2 == 0 ? "21.5 degrees" : "40 % of 2 kW", TEXT);
  if (provider == NULL || cipher == NULL || ctx == NULL ||
      !EVP_EncryptInit_ex2(ctx, cipher, NULL, NULL, batch) ||
      !EVP_EncryptUpdate(ctx, text[0], &written, text[0], sizeof text)) {
    ERR_print_errors_fp(stderr);
    return 1;
  }
  printf("%d readings sealed\n", N);

  text[2][0] ^= 1; /* on its way */
  if (!EVP_DecryptInit_ex2(ctx, NULL, NULL, NULL, NULL)) return 1;
  if (EVP_DecryptUpdate(ctx, text[0], &written, text[0], sizeof text))
    return fprintf(stderr, "a changed message was taken\n"), 1;
  const char* data = "";
  ERR_get_error_all(NULL, NULL, NULL, &data, NULL);
  int opened = 0, refused = -1;
  for (int i = 0; i < N; ++i)
    if (good[i])
      ++opened;
    else
      refused = i;
  printf("%d opened; message %d is refused: %s\n", opened, refused, data);
  EVP_CIPHER_CTX_free(ctx);
  EVP_CIPHER_free(cipher);
  OSSL_PROVIDER_unload(provider);
  return memcmp(text[3], "40 % of 2 kW", TEXT) != 0;
}
