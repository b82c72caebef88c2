#include "test/trust/memory_batch.h"

#include <openssl/params.h>

#include <cstring>

#include "provider/core/gpuctr.h"

namespace gpuctr::trust {
namespace {

constexpr std::size_t kMessages = 4, kText = 50, kAll = kMessages * kText;

int tell(EVP_CIPHER_CTX* ctx, EVP_CIPHER_CTX* copy, const EVP_CIPHER* cipher, std::uint8_t* data) {
  static std::uint8_t keys[3][16] = {{1}, {2}, {3}}, ivs[kMessages][12] = {{4}, {5}, {6}, {7}};
  static std::uint32_t index[kMessages] = {2, 0, 1, 2}, lengths[kMessages] = {50, 50, 50, 50};
  static std::uint64_t offsets[kMessages] = {100, 0, 150, 50};
  std::uint8_t tags[kMessages][16] = {}, first[sizeof tags];
  std::size_t count = kMessages;
  void *of_keys = keys, *of_ivs = ivs, *of_index = index, *of_lengths = lengths,
       *of_offsets = offsets, *of_tags = tags;
  const OSSL_PARAM params[] = {
      OSSL_PARAM_construct_size_t(GPUCTR_PARAM_BATCH_MESSAGES, &count),
      OSSL_PARAM_construct_octet_ptr(GPUCTR_PARAM_BATCH_KEYS, &of_keys, sizeof keys),
      OSSL_PARAM_construct_octet_ptr(GPUCTR_PARAM_BATCH_IVS, &of_ivs, sizeof ivs),
      OSSL_PARAM_construct_octet_ptr(GPUCTR_PARAM_BATCH_KEY_INDEX, &of_index, sizeof index),
      OSSL_PARAM_construct_octet_ptr(GPUCTR_PARAM_BATCH_LENGTHS, &of_lengths, sizeof lengths),
      OSSL_PARAM_construct_octet_ptr(GPUCTR_PARAM_BATCH_OFFSETS, &of_offsets, sizeof offsets),
      OSSL_PARAM_construct_octet_ptr(GPUCTR_PARAM_BATCH_TAGS, &of_tags, sizeof tags),
      OSSL_PARAM_construct_end()};
  int n = 0;
  std::memset(data, 0, 2 * kAll);
  if (EVP_EncryptInit_ex2(ctx, cipher, nullptr, nullptr, params) != 1) return 0;
  if (EVP_EncryptUpdate(ctx, data, &n, data, kAll) != 1) return 0;
  std::memcpy(first, tags, sizeof tags);
  if (EVP_CIPHER_CTX_copy(copy, ctx) != 1) return 0;
  if (EVP_EncryptUpdate(copy, data + kAll, &n, data + kAll, kAll) != 1) return 0;
  return std::memcmp(data, data + kAll, kAll) == 0 && std::memcmp(first, tags, sizeof tags) == 0
             ? 1
             : -1;
}

}  // namespace

int batch_of_messages(OSSL_LIB_CTX* lib, std::uint8_t* data) {
  EVP_CIPHER* const cipher = EVP_CIPHER_fetch(lib, "LEA-128-GCM", nullptr);
  EVP_CIPHER_CTX* const ctx = EVP_CIPHER_CTX_new();
  EVP_CIPHER_CTX* const copy = EVP_CIPHER_CTX_new();
  const bool ready = cipher != nullptr && ctx != nullptr && copy != nullptr;
  const int outcome = ready ? tell(ctx, copy, cipher, data) : 0;
  EVP_CIPHER_CTX_free(copy);
  EVP_CIPHER_CTX_free(ctx);
  EVP_CIPHER_free(cipher);
  return outcome;
}

}  // namespace gpuctr::trust
