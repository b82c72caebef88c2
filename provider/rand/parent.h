// The source of a generator's entropy: its parent in OpenSSL's chain of random generators or,
// without a parent, the operating system.
#ifndef GPUCTR_PROVIDER_RAND_PARENT_H
#define GPUCTR_PROVIDER_RAND_PARENT_H

#include <openssl/core.h>
#include <openssl/core_dispatch.h>

#include <cstddef>
#include <cstdint>

#include "provider/core/core.h"

namespace gpuctr {

class RandContext;

// A parent from any provider: SEED-SRC, TEST-RAND, another DRBG. Takes the parent's own lock for
// each call. Any thread that the parent allows.
class RandParent {
 public:
  // `context` may be nullptr: no parent.
  RandParent(void* context, const OSSL_DISPATCH* functions);
  RandParent(const RandParent&) = delete;
  RandParent& operator=(const RandParent&) = delete;

  bool present() const { return context_ != nullptr; }
  bool gives_seed() const { return !present() || get_seed_ != nullptr; }
  bool gives_nonce() const { return !present() || nonce_ != nullptr; }
  // False, with an error that names the generator: the parent cannot be locked.
  bool enable_locking(const Core& core, const char* name);

  // The parent's strength in bits; 0 if the parent does not report one. Without a parent: no limit.
  unsigned strength();
  // False, with an error that names the generator: the parent has fewer bits than `wanted`.
  bool check_strength(const Core& core, const char* name, unsigned wanted);

  // Changes with each seeding of the parent. 0: the parent does not report a counter, or there is
  // no parent.
  unsigned reseed_counter();

  // Entropy input with `bits` bits of entropy, `min` to `max` bytes long. The destructor wipes and
  // releases the bytes.
  class Seed {
   public:
    Seed(RandParent* parent, unsigned bits, std::size_t min, std::size_t max,
         bool prediction_resistance, const void* additional, std::size_t additional_size);
    ~Seed();
    Seed(const Seed&) = delete;
    Seed& operator=(const Seed&) = delete;
    const std::uint8_t* data() const { return data_; }
    std::size_t size() const { return size_; }  // 0: the source failed

   private:
    RandParent* parent_;
    unsigned char* data_ = nullptr;
    std::size_t size_ = 0;
  };

  // Writes a nonce of `min` to `max` bytes and returns its length. 0: no nonce.
  std::size_t nonce(unsigned char* out, unsigned strength, std::size_t min, std::size_t max);

 private:
  bool lock();
  void unlock();
  // An unsigned parameter of the parent; 0 if the parent does not report it.
  unsigned get_uint(const char* key);

  void* context_;
  RandContext* own_ = nullptr;  // the parent, if it is a generator of this provider
  OSSL_FUNC_rand_enable_locking_fn* enable_locking_ = nullptr;
  OSSL_FUNC_rand_lock_fn* lock_ = nullptr;
  OSSL_FUNC_rand_unlock_fn* unlock_ = nullptr;
  OSSL_FUNC_rand_get_ctx_params_fn* get_ctx_params_ = nullptr;
  OSSL_FUNC_rand_nonce_fn* nonce_ = nullptr;
  OSSL_FUNC_rand_get_seed_fn* get_seed_ = nullptr;
  OSSL_FUNC_rand_clear_seed_fn* clear_seed_ = nullptr;
};

}  // namespace gpuctr

#endif
