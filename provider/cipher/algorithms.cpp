// EVP ciphers: the functions that libcrypto calls, and a dispatch table for each cipher and mode.
#include <openssl/core_dispatch.h>

#include <cstdio>
#include <new>
#include <utility>

#include "provider/cipher/algorithms.h"
#include "provider/cipher/context.h"
#include "provider/cipher/params.h"
#include "provider/cipher/pipeline.h"
#include "provider/core/errors.h"
#include "provider/core/trace.h"

namespace gpuctr {
namespace {

using Function = void (*)(void);

CipherContext* self(void* ctx) { return static_cast<CipherContext*>(ctx); }

// What depends on cipher and mode; everything else is shared.
template <std::size_t Index, Mode M>
struct Entry {
  static void* new_ctx(void* provider) {
    auto* context = static_cast<ProviderContext*>(provider);
    void* ctx = new (std::nothrow) CipherContext(context, cipher_spec(Index), M);
    if (ctx == nullptr)
      raise(context, Reason::kNoMemory, "a context of %s", cipher_spec(Index).name);
    return ctx;
  }
  static int get_params(OSSL_PARAM* params) {
    return get_cipher_params(cipher_spec(Index), M, params) ? 1 : 0;
  }
  static const OSSL_PARAM* gettable_ctx(void*, void*) { return gettable_cipher_ctx_params(M); }
  static const OSSL_PARAM* settable_ctx(void*, void*) { return settable_cipher_ctx_params(M); }

  static const OSSL_DISPATCH functions[];
};

const OSSL_PARAM* gettable(void*) { return gettable_cipher_params(); }

void free_ctx(void* ctx) { delete self(ctx); }

void* dup_ctx(void* ctx) { return self(ctx)->duplicate(); }

int init(CipherContext* ctx, bool encrypt, const unsigned char* key, std::size_t key_bytes,
         const unsigned char* iv, std::size_t iv_bytes, const OSSL_PARAM* params) {
  return ctx->init(encrypt, key, key_bytes, iv, iv_bytes) && set_cipher_ctx_params(ctx, params) ? 1
                                                                                                : 0;
}

int encrypt_init(void* ctx, const unsigned char* key, std::size_t key_bytes,
                 const unsigned char* iv, std::size_t iv_bytes, const OSSL_PARAM* params) {
  return init(self(ctx), true, key, key_bytes, iv, iv_bytes, params);
}

int decrypt_init(void* ctx, const unsigned char* key, std::size_t key_bytes,
                 const unsigned char* iv, std::size_t iv_bytes, const OSSL_PARAM* params) {
  return init(self(ctx), false, key, key_bytes, iv, iv_bytes, params);
}

int update(void* ctx, unsigned char* out, std::size_t* written, std::size_t room,
           const unsigned char* in, std::size_t n) {
  return self(ctx)->update(out, written, room, in, n) ? 1 : 0;
}

int final(void* ctx, unsigned char* out, std::size_t* written, std::size_t room) {
  return self(ctx)->final(out, written, room) ? 1 : 0;
}

// EVP_Cipher: whole blocks in ECB, any bytes in CTR; no padding, no final.
int cipher(void* ctx, unsigned char* out, std::size_t* written, std::size_t room,
           const unsigned char* in, std::size_t n) {
  return self(ctx)->one_shot(out, written, room, in, n) ? 1 : 0;
}

int pipeline_init(void* ctx, const unsigned char* key, std::size_t key_bytes, std::size_t pipes,
                  const unsigned char** ivs, std::size_t iv_bytes, const OSSL_PARAM* params) {
  if (!set_cipher_ctx_params(self(ctx), params)) return 0;
  Pipeline* pipeline = self(ctx)->pipeline();
  return pipeline != nullptr && pipeline->init(key, key_bytes, pipes, ivs, iv_bytes) ? 1 : 0;
}

int pipeline_update(void* ctx, std::size_t pipes, unsigned char** out, std::size_t* written,
                    const std::size_t* room, const unsigned char** in, const std::size_t* n) {
  Pipeline* pipeline = self(ctx)->pipeline();
  return pipeline != nullptr && pipeline->update(pipes, out, written, room, in, n) ? 1 : 0;
}

int pipeline_final(void* ctx, std::size_t pipes, unsigned char**, std::size_t* written,
                   const std::size_t*) {
  Pipeline* pipeline = self(ctx)->pipeline();
  return pipeline != nullptr && pipeline->final(pipes, written) ? 1 : 0;
}

int get_ctx_params(void* ctx, OSSL_PARAM* params) {
  return get_cipher_ctx_params(self(ctx), params) ? 1 : 0;
}

int set_ctx_params(void* ctx, const OSSL_PARAM* params) {
  return set_cipher_ctx_params(self(ctx), params) ? 1 : 0;
}

template <class F>
Function fn(F* f) {
  return reinterpret_cast<Function>(f);
}

// Initialising each entry through its OSSL_FUNC type lets the compiler check every signature.
#define GPUCTR_FN(id, type, f) \
  { id, fn(static_cast<OSSL_FUNC_##type##_fn*>(f)) }

template <std::size_t Index, Mode M>
const OSSL_DISPATCH Entry<Index, M>::functions[] = {
    GPUCTR_FN(OSSL_FUNC_CIPHER_NEWCTX, cipher_newctx, new_ctx),
    GPUCTR_FN(OSSL_FUNC_CIPHER_FREECTX, cipher_freectx, free_ctx),
    GPUCTR_FN(OSSL_FUNC_CIPHER_DUPCTX, cipher_dupctx, dup_ctx),
    GPUCTR_FN(OSSL_FUNC_CIPHER_ENCRYPT_INIT, cipher_encrypt_init, encrypt_init),
    GPUCTR_FN(OSSL_FUNC_CIPHER_DECRYPT_INIT, cipher_decrypt_init, decrypt_init),
    GPUCTR_FN(OSSL_FUNC_CIPHER_UPDATE, cipher_update, update),
    GPUCTR_FN(OSSL_FUNC_CIPHER_FINAL, cipher_final, final),
    GPUCTR_FN(OSSL_FUNC_CIPHER_CIPHER, cipher_cipher, cipher),
    GPUCTR_FN(OSSL_FUNC_CIPHER_GET_PARAMS, cipher_get_params, get_params),
    GPUCTR_FN(OSSL_FUNC_CIPHER_GET_CTX_PARAMS, cipher_get_ctx_params, get_ctx_params),
    GPUCTR_FN(OSSL_FUNC_CIPHER_SET_CTX_PARAMS, cipher_set_ctx_params, set_ctx_params),
    GPUCTR_FN(OSSL_FUNC_CIPHER_GETTABLE_PARAMS, cipher_gettable_params, gettable),
    GPUCTR_FN(OSSL_FUNC_CIPHER_GETTABLE_CTX_PARAMS, cipher_gettable_ctx_params, gettable_ctx),
    GPUCTR_FN(OSSL_FUNC_CIPHER_SETTABLE_CTX_PARAMS, cipher_settable_ctx_params, settable_ctx),
    // ECB's list ends here.
    GPUCTR_FN(M == Mode::kCtr ? OSSL_FUNC_CIPHER_PIPELINE_ENCRYPT_INIT : 0,
              cipher_pipeline_encrypt_init, pipeline_init),
    GPUCTR_FN(OSSL_FUNC_CIPHER_PIPELINE_DECRYPT_INIT, cipher_pipeline_decrypt_init, pipeline_init),
    GPUCTR_FN(OSSL_FUNC_CIPHER_PIPELINE_UPDATE, cipher_pipeline_update, pipeline_update),
    GPUCTR_FN(OSSL_FUNC_CIPHER_PIPELINE_FINAL, cipher_pipeline_final, pipeline_final),
    {0, nullptr},
};

// Names and descriptions live as long as the table. Sized for the longest of either.
struct CipherTable {
  struct Text {
    char names[64];
    char description[96];
  } texts[2 * kCipherCount];
  OSSL_ALGORITHM algorithms[2 * kCipherCount + 1];
};

void add(CipherTable* table, std::size_t slot, const CipherSpec& spec, const char* mode,
         const OSSL_DISPATCH* functions) {
  CipherTable::Text& text = table->texts[slot];
  if (spec.alias != nullptr) {
    std::snprintf(text.names, sizeof text.names, "%s-%s:%s-%s", spec.name, mode, spec.alias, mode);
  } else {
    std::snprintf(text.names, sizeof text.names, "%s-%s", spec.name, mode);
  }
  std::snprintf(text.description, sizeof text.description,
                "%s, %zu-bit block, %zu-bit key, %u rounds, %s mode", spec.name,
                8 * spec.block_bytes, 8 * spec.key_bytes, spec.rounds, mode);
  table->algorithms[slot] = {text.names, kPropertyDefinition, functions, text.description};
}

template <std::size_t... I>
CipherTable make_table(std::index_sequence<I...>) {
  CipherTable table = {};
  (add(&table, 2 * I, cipher_spec(I), "CTR", Entry<I, Mode::kCtr>::functions), ...);
  (add(&table, 2 * I + 1, cipher_spec(I), "ECB", Entry<I, Mode::kEcb>::functions), ...);
  return table;
}

}  // namespace

const OSSL_ALGORITHM* cipher_algorithms() {
  static const CipherTable table = make_table(std::make_index_sequence<kCipherCount>{});
  return table.algorithms;
}

}  // namespace gpuctr
