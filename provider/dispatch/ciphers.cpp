// EVP ciphers: the functions that libcrypto calls, and a dispatch table for each cipher and mode.
#include "provider/dispatch/ciphers.h"

#include <cstdio>
#include <cstring>
#include <utility>

#include "provider/core/dispatch.h"
#include "provider/core/errors.h"
#include "provider/dispatch/cipher_params.h"
#include "provider/mode/base/cipher_context.h"
#include "provider/mode/base/context_params.h"
#include "provider/mode/ctr/pipeline.h"

namespace gpuctr {
namespace {

CipherContext* self(void* ctx, Call call = Call::kOther) {
  auto* const context = static_cast<CipherContext*>(ctx);
  context->begin_call(call);
  return context;
}

// An algorithm: a cipher in a mode.
const CipherSpec& cipher_in(std::size_t slot) { return cipher_spec(slot / kModeCount); }
const Mode& mode_in(std::size_t slot) { return *kModes[slot % kModeCount]; }

// The functions that depend on the algorithm; all others are shared. Those that libcrypto calls do
// no more than name it: there are hundreds.
struct Shared {
  [[gnu::noinline]] static void* new_ctx(void* provider, std::size_t slot) {
    const auto* const instance = static_cast<const Instance*>(provider);
    const CipherSpec& spec = cipher_in(slot);
    void* ctx = mode_in(slot).make(instance->cipher_services, spec);
    if (ctx == nullptr) raise(instance->core, Reason::kNoMemory, "a context of %s", spec.name);
    return ctx;
  }
  [[gnu::noinline]] static int get_params(OSSL_PARAM* params, std::size_t slot) {
    return get_cipher_params(cipher_in(slot), mode_in(slot), params) ? 1 : 0;
  }
  [[gnu::noinline]] static const OSSL_PARAM* gettable_ctx(std::size_t slot) {
    return gettable_cipher_ctx_params(cipher_in(slot), mode_in(slot));
  }
  [[gnu::noinline]] static const OSSL_PARAM* settable_ctx(std::size_t slot) {
    return settable_cipher_ctx_params(cipher_in(slot), mode_in(slot));
  }
};

struct OwnFunctions {
  OSSL_FUNC_cipher_newctx_fn* new_ctx;
  OSSL_FUNC_cipher_get_params_fn* get_params;
  OSSL_FUNC_cipher_gettable_ctx_params_fn* gettable_ctx;
  OSSL_FUNC_cipher_settable_ctx_params_fn* settable_ctx;
};

template <std::size_t Slot>
struct Entry {
  static void* new_ctx(void* provider) { return Shared::new_ctx(provider, Slot); }
  static int get_params(OSSL_PARAM* params) { return Shared::get_params(params, Slot); }
  static const OSSL_PARAM* gettable_ctx(void*, void*) { return Shared::gettable_ctx(Slot); }
  static const OSSL_PARAM* settable_ctx(void*, void*) { return Shared::settable_ctx(Slot); }
  static constexpr OwnFunctions kOwn = {new_ctx, get_params, gettable_ctx, settable_ctx};
};

const OSSL_PARAM* gettable(void*) { return gettable_cipher_params(); }

void free_ctx(void* ctx) { delete static_cast<CipherContext*>(ctx); }

void* dup_ctx(void* ctx) { return self(ctx)->duplicate(); }

int init(CipherContext* ctx, bool encrypt, const unsigned char* key, std::size_t key_bytes,
         const unsigned char* iv, std::size_t iv_bytes, const OSSL_PARAM* params) {
  if (key == nullptr && iv != nullptr && (params == nullptr || params->key == nullptr)) {
    return ctx->init_iv(encrypt, iv, iv_bytes) ? 1 : 0;
  }
  return ctx->init({encrypt, key, key_bytes, iv, iv_bytes}, params) ? 1 : 0;
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
  CipherContext* const context = self(ctx, Call::kUpdate);
  if (context->batch_messages() != 0) {
    return context->update_batch(out, written, room, in, n) ? 1 : 0;
  }
  return context->update(out, written, room, in, n) ? 1 : 0;
}

int final(void* ctx, unsigned char* out, std::size_t* written, std::size_t room) {
  CipherContext* const context = self(ctx, Call::kFinalOrOneShot);
  if (context->batch_messages() != 0) {  // each update of a batch is complete
    *written = 0;
    return 1;
  }
  return context->final(out, written, room) ? 1 : 0;
}

int cipher(void* ctx, unsigned char* out, std::size_t* written, std::size_t room,
           const unsigned char* in, std::size_t n) {
  CipherContext* const context = self(ctx, Call::kFinalOrOneShot);
  if (context->batch_messages() != 0) {
    return context->update_batch(out, written, room, in, n) ? 1 : 0;
  }
  return context->one_shot(out, written, room, in, n) ? 1 : 0;
}

int pipeline_init(void* ctx, const unsigned char* key, std::size_t key_bytes, std::size_t pipes,
                  const unsigned char** ivs, std::size_t iv_bytes, const OSSL_PARAM* params) {
  Pipeline* pipeline = self(ctx)->pipeline();
  return pipeline != nullptr && pipeline->init(key, key_bytes, pipes, ivs, iv_bytes, params) ? 1
                                                                                             : 0;
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

// The functions of one algorithm. The list ends before the function of EVP_Cipher() in a mode
// without it, and before the pipeline functions in a mode without these.
struct Functions {
  OSSL_DISPATCH rows[19];
};

Functions functions_of(const Mode& mode, const OwnFunctions& own) {
  return {{
      dispatch<OSSL_FUNC_cipher_newctx_fn>(OSSL_FUNC_CIPHER_NEWCTX, own.new_ctx),
      dispatch<OSSL_FUNC_cipher_freectx_fn>(OSSL_FUNC_CIPHER_FREECTX, free_ctx),
      dispatch<OSSL_FUNC_cipher_dupctx_fn>(OSSL_FUNC_CIPHER_DUPCTX, dup_ctx),
      dispatch<OSSL_FUNC_cipher_encrypt_init_fn>(OSSL_FUNC_CIPHER_ENCRYPT_INIT, encrypt_init),
      dispatch<OSSL_FUNC_cipher_decrypt_init_fn>(OSSL_FUNC_CIPHER_DECRYPT_INIT, decrypt_init),
      dispatch<OSSL_FUNC_cipher_update_fn>(OSSL_FUNC_CIPHER_UPDATE, update),
      dispatch<OSSL_FUNC_cipher_final_fn>(OSSL_FUNC_CIPHER_FINAL, final),
      dispatch<OSSL_FUNC_cipher_get_params_fn>(OSSL_FUNC_CIPHER_GET_PARAMS, own.get_params),
      dispatch<OSSL_FUNC_cipher_get_ctx_params_fn>(OSSL_FUNC_CIPHER_GET_CTX_PARAMS, get_ctx_params),
      dispatch<OSSL_FUNC_cipher_set_ctx_params_fn>(OSSL_FUNC_CIPHER_SET_CTX_PARAMS, set_ctx_params),
      dispatch<OSSL_FUNC_cipher_gettable_params_fn>(OSSL_FUNC_CIPHER_GETTABLE_PARAMS, gettable),
      dispatch<OSSL_FUNC_cipher_gettable_ctx_params_fn>(OSSL_FUNC_CIPHER_GETTABLE_CTX_PARAMS,
                                                        own.gettable_ctx),
      dispatch<OSSL_FUNC_cipher_settable_ctx_params_fn>(OSSL_FUNC_CIPHER_SETTABLE_CTX_PARAMS,
                                                        own.settable_ctx),
      dispatch<OSSL_FUNC_cipher_cipher_fn>(mode.one_shot ? OSSL_FUNC_CIPHER_CIPHER : 0, cipher),
      dispatch<OSSL_FUNC_cipher_pipeline_encrypt_init_fn>(
          mode.pipes ? OSSL_FUNC_CIPHER_PIPELINE_ENCRYPT_INIT : 0, pipeline_init),
      dispatch<OSSL_FUNC_cipher_pipeline_decrypt_init_fn>(OSSL_FUNC_CIPHER_PIPELINE_DECRYPT_INIT,
                                                          pipeline_init),
      dispatch<OSSL_FUNC_cipher_pipeline_update_fn>(OSSL_FUNC_CIPHER_PIPELINE_UPDATE,
                                                    pipeline_update),
      dispatch<OSSL_FUNC_cipher_pipeline_final_fn>(OSSL_FUNC_CIPHER_PIPELINE_FINAL, pipeline_final),
      {0, nullptr},
  }};
}

// The table owns its functions, names and descriptions. The arrays fit the longest name and
// description.
struct CipherTable {
  CipherTable();

  struct Text {
    char names[96];
    char description[128];
  } texts[kCipherAlgorithms];
  Functions functions[kCipherAlgorithms];
  OSSL_ALGORITHM algorithms[kCipherAlgorithms];
};

// "ARIA-128-CBC:ARIA128:1.2.410.200046.1.1.2": the name, the alias with the mode, and the further
// names for this mode in the cipher's folder. EVP_CIPHER_get0_name() returns the first name, which
// is OpenSSL's.
void write_names(const CipherSpec& spec, const Mode& mode, char* text, std::size_t room) {
  int n = 0;
  const auto add = [&](const char* format, const char* a, const char* b) {
    const auto at = static_cast<std::size_t>(n);
    n += std::snprintf(text + at, room - at, format, a, b);
  };
  if (mode.stock_name != nullptr) add("%s%s:", mode.stock_name, "");
  add("%s-%s", spec.name, mode.name);
  if (spec.alias != nullptr) add(":%s-%s", spec.alias, mode.name);
  for (std::size_t i = 0; i < spec.mode_name_count; ++i) {
    const ModeNames& more = spec.mode_names[i];
    if (std::strcmp(more.mode, mode.name) == 0) add(":%s%s", more.names, "");
  }
}

void add(CipherTable* table, std::size_t slot, const CipherSpec& spec, const Mode& mode,
         const OwnFunctions& own) {
  table->functions[slot] = functions_of(mode, own);
  CipherTable::Text& text = table->texts[slot];
  write_names(spec, mode, text.names, sizeof text.names);
  char least[32] = "";
  if (spec.least_key_bytes != spec.most_key_bytes) {
    std::snprintf(least, sizeof least, "%zu- to ", 8 * spec.least_key_bytes);
  }
  const char* const only_on = constant_time_backend(spec);
  std::snprintf(text.description, sizeof text.description,
                "%s, %zu-bit block, %s%zu-bit key, %u rounds, %s mode%s%s%s", spec.name,
                8 * spec.block_bytes, least, 8 * spec.most_key_bytes, spec.rounds, mode.name,
                spec.constant_time ? "" : ", not constant time",
                only_on != nullptr ? " except on " : "", only_on != nullptr ? only_on : "");
  table->algorithms[slot] = {text.names, kPropertyDefinition, table->functions[slot].rows,
                             text.description};
}

template <std::size_t... Slot>
void fill(CipherTable* table, std::index_sequence<Slot...>) {
  static constexpr OwnFunctions kOwn[] = {Entry<Slot>::kOwn...};
  for (std::size_t i = 0; i < kCipherAlgorithms; ++i) {
    add(table, i, cipher_in(i), mode_in(i), kOwn[i]);
  }
}

CipherTable::CipherTable() { fill(this, std::make_index_sequence<kCipherAlgorithms>{}); }

}  // namespace

void list_ciphers(Instance* instance) {
  static const CipherTable table;
  const Offer& offer = instance->settings.offer;
  OSSL_ALGORITHM* const list = instance->ciphers;
  std::size_t count = 0;
  for (std::size_t i = 0; i < kCipherAlgorithms; ++i) {
    if (offer.cipher[i / kModeCount][i % kModeCount]) list[count++] = table.algorithms[i];
  }
  list[count] = {nullptr, nullptr, nullptr, nullptr};
}

}  // namespace gpuctr
