// One random generator as OpenSSL sees it: CTR_DRBG with a parent, a lock, limits and reseeding.
#ifndef GPUCTR_PROVIDER_RAND_RAND_CONTEXT_H
#define GPUCTR_PROVIDER_RAND_RAND_CONTEXT_H

#include <openssl/core.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <ctime>

#include "drbg/ctr_drbg.h"
#include "provider/core/core.h"
#include "provider/rand/fork_lock.h"
#include "provider/rand/mechanisms.h"
#include "provider/rand/parent.h"

namespace gpuctr {

// The most bytes of one generate. EVP_RAND_generate() splits larger requests.
constexpr std::size_t kMaxRequest = std::size_t{1} << 30;

// After enable_locking(), any thread may call any function. The functions take the lock themselves.
// A failure leaves one error on OpenSSL's queue, except in get_ctx_params(). A failed generate()
// wipes what it has written to ordinary memory.
class RandContext {
 public:
  // `core`, `algorithm` and `parent` outlive the context.
  RandContext(const Core& core, const RandMechanism& algorithm, void* parent,
              const OSSL_DISPATCH* parent_functions);

  bool parent_is_strong_enough();
  bool enable_locking();

  bool instantiate(unsigned strength, bool prediction_resistance, drbg::ByteView personalization,
                   const OSSL_PARAM* params);
  void uninstantiate();
  bool generate(std::uint8_t* out, std::size_t n, unsigned strength, bool prediction_resistance,
                drbg::ByteView additional);
  // If the caller passes entropy, the first reseed uses this entropy. A reseed from the generator's
  // own source always follows.
  bool reseed(bool prediction_resistance, drbg::ByteView entropy, drbg::ByteView additional);
  // Writes a nonce of half the strength's bits, but `min` to `max` bytes, and returns its length.
  // With out == nullptr, only returns the length.
  std::size_t nonce(std::uint8_t* out, unsigned strength, std::size_t min, std::size_t max);
  // Allocates and returns entropy for a child, which releases it with clear_child_seed().
  std::size_t get_seed(unsigned char** out, int bits, std::size_t min, std::size_t max,
                       bool prediction_resistance, drbg::ByteView additional);
  bool is_zeroized();

  // In provider/rand/rand_params.cpp.
  static int get_ctx_params(void* context, OSSL_PARAM* params);
  static int set_ctx_params(void* context, const OSSL_PARAM* params);
  static const OSSL_PARAM* gettable_ctx_params(void* context, void* provider);
  static const OSSL_PARAM* settable_ctx_params(void* context, void* provider);

  // Changes with each seeding. Reads without the lock.
  unsigned reseed_counter() const { return reseed_counter_.load(std::memory_order_relaxed); }

 private:
  unsigned strength() const { return drbg_.mechanism().spec.strength_bits; }
  int state() const;  // EVP_RAND_STATE_...
  struct Gettable;
  static const Gettable kGettable[];
  bool get_params_locked(OSSL_PARAM* params) const;
  bool set_params_locked(const OSSL_PARAM* params);

  bool instantiate_locked(bool prediction_resistance, drbg::ByteView personalization);
  bool reseed_locked(bool prediction_resistance, drbg::ByteView entropy, drbg::ByteView additional);
  bool reseed_from_source(bool prediction_resistance, drbg::ByteView additional);
  bool ready_to_generate();
  bool must_reseed();
  bool generate_chain(std::uint8_t* out, std::size_t n, bool prediction_resistance,
                      drbg::ByteView additional, std::size_t* written);
  void seeded();
  void apply_reseed_requests();
  void fail();
  bool report(drbg::Status status);

  const Core& core_;
  const RandMechanism& algorithm_;
  RandParent parent_;
  drbg::CtrDrbg drbg_;
  ForkLock lock_;
  std::uint64_t process_;  // fork generation of the last seeding
  bool failed_ = false;
  std::uint64_t reseed_requests_;     // 0: the maximum of SP 800-90A
  std::time_t reseed_time_interval_;  // seconds; 0: no limit
  std::time_t reseed_time_ = 0;
  std::atomic<unsigned> reseed_counter_{1};
  unsigned parent_reseed_counter_ = 0;
};

}  // namespace gpuctr

#endif
