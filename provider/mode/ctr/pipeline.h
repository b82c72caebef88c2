// Pipelines of OpenSSL 3.5 and later: many messages under one key. Each call passes a piece of each
// message. The whole blocks of all pieces are one job of the engine, so a device gets one large
// launch.
#ifndef GPUCTR_PROVIDER_MODE_CTR_PIPELINE_H
#define GPUCTR_PROVIDER_MODE_CTR_PIPELINE_H

#include <openssl/core_dispatch.h>

#include <memory>

#include "provider/mode/ctr/ctr.h"

// OpenSSL 3.0's headers lack these function numbers, which OpenSSL 3.5 fixed as part of its
// interface. Older versions skip functions that they do not know. So a module built with 3.0 also
// serves the pipelines of 3.5.
#ifndef OSSL_FUNC_CIPHER_PIPELINE_ENCRYPT_INIT
#define OSSL_FUNC_CIPHER_PIPELINE_ENCRYPT_INIT 15
#define OSSL_FUNC_CIPHER_PIPELINE_DECRYPT_INIT 16
#define OSSL_FUNC_CIPHER_PIPELINE_UPDATE 17
#define OSSL_FUNC_CIPHER_PIPELINE_FINAL 18
using OSSL_FUNC_cipher_pipeline_encrypt_init_fn = int(void* ctx, const unsigned char* key,
                                                      std::size_t key_bytes, std::size_t pipes,
                                                      const unsigned char** ivs,
                                                      std::size_t iv_bytes,
                                                      const OSSL_PARAM params[]);
using OSSL_FUNC_cipher_pipeline_decrypt_init_fn = OSSL_FUNC_cipher_pipeline_encrypt_init_fn;
using OSSL_FUNC_cipher_pipeline_update_fn = int(void* ctx, std::size_t pipes, unsigned char** out,
                                                std::size_t* written, const std::size_t* room,
                                                const unsigned char** in, const std::size_t* n);
using OSSL_FUNC_cipher_pipeline_final_fn = int(void* ctx, std::size_t pipes, unsigned char** out,
                                               std::size_t* written, const std::size_t* room);
#endif

namespace gpuctr {

constexpr std::size_t kMaxPipes = 32;  // EVP_MAX_PIPES

// Counter mode only. One thread at a time. A function that fails leaves one error on the queue, as
// in CtrContext; no pipe has moved or written.
class Pipeline {
 public:
  // `base` holds the key and determines cipher, provider, ctr-bits and max-bytes.
  explicit Pipeline(CtrContext& base) : base_(base) {}

  // key == nullptr keeps the base context's key, which any init may have set. IVs are not kept: a
  // pipe without an IV refuses data until the next init. The parameters apply to the base context.
  bool init(const std::uint8_t* key, std::size_t key_bytes, std::size_t pipes,
            const std::uint8_t* const* ivs, std::size_t iv_bytes, const OSSL_PARAM* params);
  bool update(std::size_t pipes, std::uint8_t* const* out, std::size_t* written,
              const std::size_t* room, const std::uint8_t* const* in, const std::size_t* n);
  bool final(std::size_t pipes, std::size_t* written) const;

  // Copies the state of another context's pipes. False: no memory, and nothing on the error queue.
  bool copy(const Pipeline& other);

 private:
  bool check_count(std::size_t pipes) const;
  bool check_apart(std::uint8_t* const* out, const std::uint8_t* const* in,
                   const std::size_t* n) const;
  bool make_bodies(std::uint8_t* const* out, const std::uint8_t* const* in, const std::size_t* n);
  bool make_each(std::uint8_t* const* out, const std::uint8_t* const* in, const std::size_t* n);
  bool on_device(std::uint8_t* const* out, const std::uint8_t* const* in);

  CtrContext& base_;
  std::size_t count_ = 0;
  std::unique_ptr<CtrContext> pipes_[kMaxPipes];
};

}  // namespace gpuctr

#endif
