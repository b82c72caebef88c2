// A batch of messages through EVP.
#ifndef GPUCTR_TEST_BENCH_BATCH_EVP_H
#define GPUCTR_TEST_BENCH_BATCH_EVP_H

#include <openssl/evp.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kernels/cipher/registry.h"
#include "test/bench/batch/messages.h"
#include "test/provider/batch/pointer_params.h"

namespace gpuctr::bench {

constexpr const char* kModes[] = {"CTR", "CBC", "GCM", "CCM"};  // as ManyMode

// A library context with the built module, whose section has `settings`: lines of openssl.cnf.
class BatchLibrary {
 public:
  explicit BatchLibrary(const std::string& settings);
  BatchLibrary(const BatchLibrary&) = delete;
  BatchLibrary& operator=(const BatchLibrary&) = delete;
  ~BatchLibrary() { OSSL_LIB_CTX_free(context_); }
  EVP_CIPHER* fetch(const std::string& name) const {
    return EVP_CIPHER_fetch(context_, name.c_str(), "provider=gpuctr");
  }

 private:
  OSSL_LIB_CTX* context_;
};

// The arrays of a batch, in any memory that the library takes. They outlive the batch.
struct BatchArrays {
  std::size_t messages;
  std::size_t size;            // of each text, bytes
  const std::uint8_t* keys;    // one a message, of the cipher's key size
  const std::uint8_t* ivs;     // of BatchData::iv_bytes()
  const std::uint8_t* aad;     // kAadBytes a message
  std::uint8_t* tags;          // kTagBytes a message
  std::uint8_t* texts;         // encrypted in place
  const std::uint32_t* index;  // nullptr, or the keys are a table
};

// One update encrypts the batch.
class ThroughEvp {
 public:
  ThroughEvp(const BatchLibrary& library, const CipherSpec& spec, ManyMode mode,
             const BatchArrays& arrays);
  void operator()();

 private:
  std::unique_ptr<EVP_CIPHER_CTX, void (*)(EVP_CIPHER_CTX*)> context_;
  BatchArrays arrays_;
  std::uint32_t aad_length_ = kAadBytes;
  test::PointerParams params_;
};

}  // namespace gpuctr::bench

#endif
