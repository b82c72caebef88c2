// A provider for benchmarks only: ciphers that do nothing but XOR keystream that lies ready, and a
// generator that leaves its output as it finds it, which is the most that any cipher or generator
// can reach through the same commands. It hides nothing.
//   XOR-READY-CTR: keystream as a file's would lie in memory, 64 MiB one after the other
//   XOR-HOT-CTR: the same 4 KiB again and again, out of the nearest cache
//   NO-WORK-DRBG: nothing at all
#include <openssl/core.h>
#include <openssl/core_dispatch.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <new>

#include "kernels/bulk/base/xor.h"

namespace {

using Function = void (*)(void);

constexpr std::size_t kReady = std::size_t{64} << 20;

struct Context {
  std::uint8_t* keystream = nullptr;
  std::size_t bytes = 0;
  std::size_t at = 0;
};

template <std::size_t Bytes>
void* newctx(void*) {
  auto* const c = new (std::nothrow) Context;
  if (c == nullptr) return nullptr;
  void* const memory = mmap(nullptr, Bytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  if (memory == MAP_FAILED) {
    delete c;
    return nullptr;
  }
  c->keystream = static_cast<std::uint8_t*>(memory);
  c->bytes = Bytes;
  std::memset(c->keystream, 0x3c, Bytes);
  return c;
}

void freectx(void* context) {
  auto* const c = static_cast<Context*>(context);
  if (c == nullptr) return;
  munmap(c->keystream, c->bytes);
  delete c;
}

int init(void*, const unsigned char*, std::size_t, const unsigned char*, std::size_t,
         const OSSL_PARAM*) {
  return 1;
}

int update(void* context, unsigned char* out, std::size_t* written, std::size_t room,
           const unsigned char* in, std::size_t n) {
  auto* const c = static_cast<Context*>(context);
  if (room < n) return 0;
  for (std::size_t done = 0; done < n;) {
    const std::size_t now = std::min(n - done, c->bytes - c->at);
    gpuctr::bulk::xor_keystream(c->keystream + c->at, in + done, out + done, now, false);
    c->at = (c->at + now) % c->bytes;
    done += now;
  }
  *written = n;
  return 1;
}

int final(void*, unsigned char*, std::size_t* written, std::size_t) {
  *written = 0;
  return 1;
}

int set(OSSL_PARAM* params, const char* key, std::size_t value) {
  OSSL_PARAM* const p = OSSL_PARAM_locate(params, key);
  return p == nullptr || OSSL_PARAM_set_size_t(p, value);
}

int get_params(OSSL_PARAM* params) {
  OSSL_PARAM* const mode = OSSL_PARAM_locate(params, OSSL_CIPHER_PARAM_MODE);
  if (mode != nullptr && OSSL_PARAM_set_uint(mode, 5) == 0) return 0;  // CTR
  return set(params, OSSL_CIPHER_PARAM_KEYLEN, 16) && set(params, OSSL_CIPHER_PARAM_IVLEN, 16) &&
         set(params, OSSL_CIPHER_PARAM_BLOCK_SIZE, 1);
}

int get_ctx_params(void*, OSSL_PARAM* params) {
  return set(params, OSSL_CIPHER_PARAM_KEYLEN, 16) && set(params, OSSL_CIPHER_PARAM_IVLEN, 16);
}

int set_ctx_params(void*, const OSSL_PARAM*) { return 1; }

template <class F>
Function fn(F* f) {
  return reinterpret_cast<Function>(f);
}

template <std::size_t Bytes>
const OSSL_DISPATCH kCipher[] = {{OSSL_FUNC_CIPHER_NEWCTX, fn(newctx<Bytes>)},
                                 {OSSL_FUNC_CIPHER_FREECTX, fn(freectx)},
                                 {OSSL_FUNC_CIPHER_ENCRYPT_INIT, fn(init)},
                                 {OSSL_FUNC_CIPHER_DECRYPT_INIT, fn(init)},
                                 {OSSL_FUNC_CIPHER_UPDATE, fn(update)},
                                 {OSSL_FUNC_CIPHER_FINAL, fn(final)},
                                 {OSSL_FUNC_CIPHER_GET_PARAMS, fn(get_params)},
                                 {OSSL_FUNC_CIPHER_GET_CTX_PARAMS, fn(get_ctx_params)},
                                 {OSSL_FUNC_CIPHER_SET_CTX_PARAMS, fn(set_ctx_params)},
                                 {0, nullptr}};

// The generator.
struct Generator {
  int state = EVP_RAND_STATE_UNINITIALISED;
};

void* rand_newctx(void*, void*, const OSSL_DISPATCH*) { return new (std::nothrow) Generator; }
void rand_freectx(void* context) { delete static_cast<Generator*>(context); }

int rand_instantiate(void* context, unsigned, int, const unsigned char*, std::size_t,
                     const OSSL_PARAM*) {
  static_cast<Generator*>(context)->state = EVP_RAND_STATE_READY;
  return 1;
}
int rand_uninstantiate(void* context) {
  static_cast<Generator*>(context)->state = EVP_RAND_STATE_UNINITIALISED;
  return 1;
}
int rand_generate(void*, unsigned char*, std::size_t, unsigned, int, const unsigned char*,
                  std::size_t) {
  return 1;
}
int rand_reseed(void*, int, const unsigned char*, std::size_t, const unsigned char*, std::size_t) {
  return 1;
}
int rand_lock(void*) { return 1; }
void rand_unlock(void*) {}

int rand_get_ctx_params(void* context, OSSL_PARAM* params) {
  OSSL_PARAM* const state = OSSL_PARAM_locate(params, OSSL_RAND_PARAM_STATE);
  if (state != nullptr && OSSL_PARAM_set_int(state, static_cast<Generator*>(context)->state) == 0) {
    return 0;
  }
  OSSL_PARAM* const strength = OSSL_PARAM_locate(params, OSSL_RAND_PARAM_STRENGTH);
  if (strength != nullptr && OSSL_PARAM_set_uint(strength, 256) == 0) return 0;
  return set(params, OSSL_RAND_PARAM_MAX_REQUEST, std::size_t{1} << 30);
}

const OSSL_DISPATCH kRand[] = {{OSSL_FUNC_RAND_NEWCTX, fn(rand_newctx)},
                               {OSSL_FUNC_RAND_FREECTX, fn(rand_freectx)},
                               {OSSL_FUNC_RAND_INSTANTIATE, fn(rand_instantiate)},
                               {OSSL_FUNC_RAND_UNINSTANTIATE, fn(rand_uninstantiate)},
                               {OSSL_FUNC_RAND_GENERATE, fn(rand_generate)},
                               {OSSL_FUNC_RAND_RESEED, fn(rand_reseed)},
                               {OSSL_FUNC_RAND_ENABLE_LOCKING, fn(rand_lock)},
                               {OSSL_FUNC_RAND_LOCK, fn(rand_lock)},
                               {OSSL_FUNC_RAND_UNLOCK, fn(rand_unlock)},
                               {OSSL_FUNC_RAND_GET_CTX_PARAMS, fn(rand_get_ctx_params)},
                               {0, nullptr}};

const OSSL_ALGORITHM kGenerators[] = {
    {"NO-WORK-DRBG", "provider=xor_ready", kRand, "benchmarks only"},
    {nullptr, nullptr, nullptr, nullptr}};

const OSSL_ALGORITHM kAlgorithms[] = {
    {"XOR-READY-CTR", "provider=xor_ready", kCipher<kReady>, "benchmarks only"},
    {"XOR-HOT-CTR", "provider=xor_ready", kCipher<4096>, "benchmarks only"},
    {nullptr, nullptr, nullptr, nullptr}};

const OSSL_ALGORITHM* query(void*, int operation, int* no_store) {
  *no_store = 0;
  if (operation == OSSL_OP_RAND) return kGenerators;
  return operation == OSSL_OP_CIPHER ? kAlgorithms : nullptr;
}

const OSSL_DISPATCH kProvider[] = {{OSSL_FUNC_PROVIDER_QUERY_OPERATION, fn(query)}, {0, nullptr}};

}  // namespace

extern "C" __attribute__((visibility("default"))) int OSSL_provider_init(
    const OSSL_CORE_HANDLE* core, const OSSL_DISPATCH*, const OSSL_DISPATCH** out, void** context) {
  *out = kProvider;
  *context = const_cast<OSSL_CORE_HANDLE*>(core);
  return 1;
}
