/* GCM through EVP: seals a message with associated data, opens it, and sees
 * that a changed one is refused. cc gcm.c -lcrypto. Where the module is not
 * installed, OPENSSL_MODULES names its folder.
 */
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/provider.h>
#include <stdio.h>
#include <string.h>

struct sealed {
  unsigned char iv[12], text[256], tag[16];
  int bytes;
};

/* 1: sealed; 0: an error is on OpenSSL's queue. A new IV each time: two
 * messages under one give both away. */
static int seal(EVP_CIPHER_CTX* ctx, struct sealed* out, const char* header,
                const char* text) {
  int n;
  /* Encryption that was given no IV makes a random one; under one key that
   * is safe for 2^32 messages. */
  OSSL_PARAM iv[] = {
      OSSL_PARAM_construct_octet_string("iv", out->iv, sizeof out->iv),
      OSSL_PARAM_construct_end()};
  return EVP_EncryptInit_ex2(ctx, NULL, NULL, NULL, NULL) &&
         EVP_EncryptUpdate(ctx, NULL, &n, (const unsigned char*)header,
                           (int)strlen(header)) &&
         EVP_EncryptUpdate(ctx, out->text, &out->bytes,
                           (const unsigned char*)text, (int)strlen(text)) &&
         EVP_EncryptFinal_ex(ctx, out->text + out->bytes, &n) &&
         EVP_CIPHER_CTX_get_params(ctx, iv) &&
         EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, sizeof out->tag,
                             out->tag);
}

/* 1: opened. 0: refused, and what is in `text` must not be used. */
static int open_sealed(EVP_CIPHER_CTX* ctx, const struct sealed* in,
                       const char* header, unsigned char* text) {
  int n;
  unsigned char tag[16];
  memcpy(tag, in->tag, sizeof tag);
  return EVP_DecryptInit_ex2(ctx, NULL, NULL, in->iv, NULL) &&
         EVP_DecryptUpdate(ctx, NULL, &n, (const unsigned char*)header,
                           (int)strlen(header)) &&
         EVP_DecryptUpdate(ctx, text, &n, in->text, in->bytes) &&
         EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, sizeof tag, tag) &&
         EVP_DecryptFinal_ex(ctx, text + n, &n);
}

int main(void) {
  static const unsigned char key[32] = {
      0}; /* of your own, from a generator or a key exchange */
  struct sealed sealed;
  unsigned char text[sizeof sealed.text];

  OSSL_PROVIDER* provider = OSSL_PROVIDER_load(NULL, "gpuctr");
  OSSL_PROVIDER* stock =
      OSSL_PROVIDER_load(NULL, "default"); /* for the random IV */
  EVP_CIPHER* cipher =
      EVP_CIPHER_fetch(NULL, "LEA-256-GCM", "provider=gpuctr");
  EVP_CIPHER_CTX* ctx = EVP_CIPHER_CTX_new();
  if (provider == NULL || stock == NULL || cipher == NULL || ctx == NULL ||
      !EVP_EncryptInit_ex2(ctx, cipher, key, NULL, NULL) ||
      !seal(ctx, &sealed, "to Ada", "attack at dawn") ||
      !open_sealed(ctx, &sealed, "to Ada", text)) {
    ERR_print_errors_fp(stderr);
    return 1;
  }
  printf("opened: %.*s\n", sealed.bytes, (const char*)text);
  if (open_sealed(ctx, &sealed, "to Eve", text))
    return fprintf(stderr, "a changed header was taken\n"), 1;
  /* A wrong tag leaves no error on the queue, as with OpenSSL's own GCM. */
  if (ERR_peek_error() != 0) return ERR_print_errors_fp(stderr), 1;
  printf("refused: the tag is wrong\n");
  EVP_CIPHER_CTX_free(ctx);
  EVP_CIPHER_free(cipher);
  OSSL_PROVIDER_unload(stock);
  OSSL_PROVIDER_unload(provider);
  return 0;
}
