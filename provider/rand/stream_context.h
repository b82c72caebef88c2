// A random generator as OpenSSL sees it: counter mode under a key that is used once. Not one of SP
// 800-90A's. Each request draws a key and a counter block from the generator's parent, makes its
// output and wipes both. So the state that a request leaves tells nothing of earlier output.
#ifndef GPUCTR_PROVIDER_RAND_STREAM_CONTEXT_H
#define GPUCTR_PROVIDER_RAND_STREAM_CONTEXT_H

#include <openssl/core.h>

#include <cstddef>
#include <cstdint>

#include "drbg/derivation.h"
#include "drbg/mechanism.h"
#include "kernels/random/numbers.h"
#include "provider/core/core.h"
#include "provider/rand/fork_lock.h"
#include "provider/rand/parent.h"

namespace gpuctr {

// A bound of uniform numbers or integers, as it was set.
struct StreamBound {
  __extension__ using Integer = __int128;
  double real;
  Integer integer;
  bool is_integer;
};

// Which numbers the next requests return, and from which key: the parameters of gpuctr(7).
struct StreamSettings {
  Distribution what;
  StreamBound low = {0, 0, true}, high = {1, 1, true};
  bool has_seed = false;
  std::uint8_t seed[kMaxKeyBytes] = {};  // the key, if has_seed
  std::uint64_t call = 0;                // number of the next request under this key
};

// After enable_locking(), any thread may call any function. The functions take the lock themselves.
// A failure leaves one error on OpenSSL's queue, except in get_ctx_params(). A failed generate()
// leaves ordinary memory as it was, or zeros.
class StreamContext {
 public:
  // `core`, `mechanism` and `parent` outlive the context. The cipher's blocks have 16 bytes.
  StreamContext(const Core& core, const drbg::Mechanism& mechanism, void* parent,
                const OSSL_DISPATCH* parent_functions);
  ~StreamContext();

  bool parent_is_strong_enough();
  bool enable_locking();

  bool instantiate(unsigned strength, bool prediction_resistance, drbg::ByteView personalization,
                   const OSSL_PARAM* params);
  void uninstantiate();
  // n is a whole number of numbers. `additional` goes to the parent as additional input.
  bool generate(std::uint8_t* out, std::size_t n, unsigned strength, bool prediction_resistance,
                drbg::ByteView additional);
  // Does nothing: each request has a new key.
  bool reseed(bool prediction_resistance, drbg::ByteView entropy, drbg::ByteView additional);
  // As in RandContext.
  std::size_t nonce(std::uint8_t* out, unsigned strength, std::size_t min, std::size_t max);
  std::size_t get_seed(unsigned char** out, int bits, std::size_t min, std::size_t max,
                       bool prediction_resistance, drbg::ByteView additional);
  bool is_zeroized();

  // In provider/rand/stream_params.cpp.
  static int get_ctx_params(void* context, OSSL_PARAM* params);
  static int set_ctx_params(void* context, const OSSL_PARAM* params);
  static const OSSL_PARAM* gettable_ctx_params(void* context, void* provider);
  static const OSSL_PARAM* settable_ctx_params(void* context, void* provider);

 private:
  const CipherSpec& spec() const { return mechanism_.spec; }
  unsigned strength() const { return spec().strength_bits; }
  bool get_params_locked(OSSL_PARAM* params);
  bool set_params_locked(const OSSL_PARAM* params);
  bool check_request(std::size_t n, unsigned wanted);
  bool generate_bytes(std::uint8_t* out, std::size_t n, bool prediction_resistance,
                      drbg::ByteView additional, const Distribution& what);
  bool draw(bool prediction_resistance, drbg::ByteView additional, std::uint8_t* key,
            std::uint8_t* counter);

  const Core& core_;
  const drbg::Mechanism& mechanism_;
  RandParent parent_;
  ForkLock lock_;
  char name_[32];  // "LEA-128-STREAM"
  bool ready_ = false;
  StreamSettings settings_;
};

}  // namespace gpuctr

#endif
