#include "provider/rand/parent.h"

#include <openssl/core_names.h>

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "kernels/base/wipe.h"
#include "provider/core/errors.h"
#include "provider/core/ossl_param.h"
#include "provider/core/random.h"
#include "provider/rand/rand_context.h"

namespace gpuctr {
namespace {

std::size_t bytes_for(unsigned bits, std::size_t min, std::size_t max) {
  return std::clamp<std::size_t>((bits + 7) / 8, min, max);
}

}  // namespace

RandParent::RandParent(void* context, const OSSL_DISPATCH* f) : context_(context) {
  if (context == nullptr) return;
  for (; f != nullptr && f->function_id != 0; ++f) {
    switch (f->function_id) {
      case OSSL_FUNC_RAND_ENABLE_LOCKING:
        enable_locking_ = OSSL_FUNC_rand_enable_locking(f);
        break;
      case OSSL_FUNC_RAND_LOCK:
        lock_ = OSSL_FUNC_rand_lock(f);
        break;
      case OSSL_FUNC_RAND_UNLOCK:
        unlock_ = OSSL_FUNC_rand_unlock(f);
        break;
      case OSSL_FUNC_RAND_GET_CTX_PARAMS:
        get_ctx_params_ = OSSL_FUNC_rand_get_ctx_params(f);
        break;
      case OSSL_FUNC_RAND_NONCE:
        nonce_ = OSSL_FUNC_rand_nonce(f);
        break;
      case OSSL_FUNC_RAND_GET_SEED:
        get_seed_ = OSSL_FUNC_rand_get_seed(f);
        break;
      case OSSL_FUNC_RAND_CLEAR_SEED:
        clear_seed_ = OSSL_FUNC_rand_clear_seed(f);
        break;
      default:
        break;
    }
  }
  if (get_ctx_params_ == RandContext::get_ctx_params) own_ = static_cast<RandContext*>(context);
}

bool RandParent::enable_locking(const Core& core, const char* name) {
  if (!present() || enable_locking_ == nullptr || enable_locking_(context_) == 1) return true;
  raise(core, Reason::kRandParentLock, "the parent of %s cannot be locked", name);
  return false;
}

bool RandParent::check_strength(const Core& core, const char* name, unsigned wanted) {
  const unsigned bits = strength();
  if (bits >= wanted) return true;
  raise(core, Reason::kRandParent, "%s needs a parent of %u bits, this one has %u", name, wanted,
        bits);
  return false;
}

bool RandParent::lock() { return lock_ == nullptr || lock_(context_) == 1; }

void RandParent::unlock() {
  if (unlock_ != nullptr) unlock_(context_);
}

unsigned RandParent::strength() {
  if (!present()) return std::numeric_limits<unsigned>::max();
  return get_uint(OSSL_RAND_PARAM_STRENGTH);
}

unsigned RandParent::reseed_counter() {
  // Read before each generate. The counter of this provider's generators is atomic, so reading it
  // needs no lock.
  if (own_ != nullptr) return own_->reseed_counter();
  return get_uint(OSSL_DRBG_PARAM_RESEED_COUNTER);
}

unsigned RandParent::get_uint(const char* key) {
  if (get_ctx_params_ == nullptr || !lock()) return 0;
  unsigned value = 0;
  OSSL_PARAM params[2] = {
      {key, OSSL_PARAM_UNSIGNED_INTEGER, &value, sizeof value, OSSL_PARAM_UNMODIFIED}, kParamEnd};
  const int answered = get_ctx_params_(context_, params);
  unlock();
  return answered == 1 ? value : 0;
}

RandParent::Seed::Seed(RandParent* parent, unsigned bits, std::size_t min, std::size_t max,
                       bool prediction_resistance, const void* additional,
                       std::size_t additional_size)
    : parent_(parent) {
  if (parent->present()) {
    if (parent->get_seed_ == nullptr || !parent->lock()) return;
    size_ = parent->get_seed_(parent->context_, &data_, static_cast<int>(bits), min, max,
                              prediction_resistance ? 1 : 0,
                              static_cast<const unsigned char*>(additional), additional_size);
    parent->unlock();
    if (data_ == nullptr) size_ = 0;
    return;
  }
  const std::size_t n = bytes_for(bits, min, max);
  data_ = static_cast<unsigned char*>(std::malloc(n));
  if (data_ != nullptr && system_random(data_, n)) size_ = n;
}

RandParent::Seed::~Seed() {
  if (data_ == nullptr) return;
  if (!parent_->present()) {
    wipe(data_, size_);
    std::free(data_);
  } else if (parent_->clear_seed_ != nullptr && parent_->lock()) {
    parent_->clear_seed_(parent_->context_, data_, size_);
    parent_->unlock();
  }
}

std::size_t RandParent::nonce(unsigned char* out, unsigned strength, std::size_t min,
                              std::size_t max) {
  if (!present()) return system_random(out, min) ? min : 0;
  if (nonce_ == nullptr || !lock()) return 0;
  // The first call returns only the length.
  std::size_t n = nonce_(context_, nullptr, strength, min, max);
  if (n < min || n > max || nonce_(context_, out, strength, min, max) != n) n = 0;
  unlock();
  return n;
}

}  // namespace gpuctr
