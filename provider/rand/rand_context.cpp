#include "provider/rand/rand_context.h"

#include <openssl/evp.h>

#include <algorithm>
#include <limits>

#include "kernels/base/wipe.h"
#include "provider/core/errors.h"
#include "provider/core/trace.h"
#include "provider/rand/child_seed.h"

namespace gpuctr {
namespace {

using drbg::ByteView;
using drbg::State;
using drbg::Status;

// OpenSSL's own defaults for a generator without parameters. libcrypto sets other values: 2^8
// requests and 1 hour for the primary generator, 2^16 requests and 7 minutes for the public and
// private ones.
constexpr std::uint64_t kReseedRequests = std::uint64_t{1} << 8;
constexpr std::time_t kReseedSeconds = 60 * 60;

constexpr std::size_t kMaxNonce = 256;

// SP 800-90A 8.7.1 recommends a personalization string. This string fits the seedlen of every
// cipher.
constexpr char kPersonalization[] = "gpuctr CTR_DRBG";

ByteView default_personalization() {
  return {reinterpret_cast<const std::uint8_t*>(kPersonalization), sizeof kPersonalization - 1};
}

}  // namespace

RandContext::RandContext(const Core& core, const RandMechanism& algorithm, void* parent,
                         const OSSL_DISPATCH* parent_functions)
    : core_(core),
      algorithm_(algorithm),
      parent_(parent, parent_functions),
      drbg_(algorithm.mechanism, true),
      process_(fork_generation()),
      reseed_requests_(kReseedRequests),
      reseed_time_interval_(kReseedSeconds) {}

// SP 800-90A 8.6.5 requires a source that supports the strength. SP 800-90C defines how to combine
// calls of a weaker source; this provider does not.
bool RandContext::parent_is_strong_enough() {
  return parent_.check_strength(core_, algorithm_.name, strength());
}

bool RandContext::enable_locking() {
  if (!parent_.enable_locking(core_, algorithm_.name)) return false;
  lock_.enable();
  return true;
}

int RandContext::state() const {
  if (failed_ || drbg_.state() == State::kError) return EVP_RAND_STATE_ERROR;
  return drbg_.state() == State::kReady ? EVP_RAND_STATE_READY : EVP_RAND_STATE_UNINITIALISED;
}

void RandContext::fail() {
  drbg_.uninstantiate();
  failed_ = true;
}

// Called after each instantiate and reseed.
void RandContext::seeded() {
  unsigned next = reseed_counter() + 1;
  if (next == 0) next = 1;
  reseed_counter_.store(next, std::memory_order_relaxed);
  parent_reseed_counter_ = parent_.present() ? parent_.reseed_counter() : 0;
  process_ = fork_generation();
  reseed_time_ = std::time(nullptr);
  apply_reseed_requests();
  if (trace_enabled()) {
    trace("%s seeded from=%s count=%u", algorithm_.name, parent_.present() ? "parent" : "system",
          next);
  }
}

// Counts as OpenSSL does: with reseed_requests = n, a request that follows n - 1 requests reseeds
// first.
void RandContext::apply_reseed_requests() {
  drbg_.set_reseed_interval(reseed_requests_ == 0 ? std::numeric_limits<std::uint64_t>::max()
                                                  : reseed_requests_ - 1);
}

bool RandContext::instantiate(unsigned wanted, bool prediction_resistance, ByteView personalization,
                              const OSSL_PARAM* params) {
  const ForkLock::Guard locked(&lock_);
  if (!set_params_locked(params)) return false;
  if (wanted > strength()) {
    raise(core_, Reason::kRandStrength, "%s gives %u bits of strength, %u were asked for",
          algorithm_.name, strength(), wanted);
    return false;
  }
  // As in OpenSSL, NULL of any length stands for the default.
  if (personalization.data == nullptr) personalization = default_personalization();
  // Checked before the source is read: a failing source would leave the error state.
  if (personalization.size > drbg_.max_personalization()) {
    return report(Status::kPersonalizationTooLong);
  }
  if (drbg_.state() == State::kReady) return report(Status::kAlreadyInstantiated);
  failed_ = false;
  drbg_.uninstantiate();
  return instantiate_locked(prediction_resistance, personalization);
}

// SP 800-90A 9.1 steps 6 to 9. If the parent has no nonce function, half as much entropy again
// serves as the nonce, as 8.6.7 allows.
bool RandContext::instantiate_locked(bool prediction_resistance, ByteView personalization) {
  Wiped<std::uint8_t[kMaxNonce]> own_nonce;
  std::size_t nonce_size = 0;
  unsigned bits = strength();
  std::size_t min = drbg_.min_entropy();
  const std::size_t wanted_nonce = drbg_.min_nonce();
  bool nonce_in_entropy = false;
  if (wanted_nonce != 0) {
    if (parent_.gives_nonce()) {
      nonce_size = parent_.nonce(own_nonce.value, strength(), wanted_nonce, kMaxNonce);
      if (nonce_size == 0) {
        fail();
        raise(core_, Reason::kRandNonce,
              "%s wants a nonce of %zu bytes, its parent gave "
              "none",
              algorithm_.name, wanted_nonce);
        return false;
      }
    } else {
      nonce_in_entropy = true;
      bits += strength() / 2;
      min += wanted_nonce;
    }
  }
  // The address of this generator distinguishes it from its siblings.
  const auto address = reinterpret_cast<std::uintptr_t>(this);
  const RandParent::Seed seed(&parent_, bits, min, drbg_.max_entropy(), prediction_resistance,
                              &address, sizeof address);
  if (seed.size() < min || seed.size() > drbg_.max_entropy()) {
    fail();
    raise(core_, Reason::kRandEntropy, "%s wants %zu bytes of entropy, its source gave %zu",
          algorithm_.name, min, seed.size());
    return false;
  }
  ByteView entropy{seed.data(), seed.size()};
  ByteView nonce{own_nonce.value, nonce_size};
  if (nonce_in_entropy) {
    entropy.size -= wanted_nonce;
    nonce = {entropy.data + entropy.size, wanted_nonce};
  }
  const Status status = drbg_.instantiate(entropy, nonce, personalization);
  if (status != Status::kOk) return report(status);
  seeded();
  return true;
}

void RandContext::uninstantiate() {
  const ForkLock::Guard locked(&lock_);
  drbg_.uninstantiate();
  failed_ = false;
}

bool RandContext::reseed_from_source(bool prediction_resistance, ByteView additional) {
  const auto address = reinterpret_cast<std::uintptr_t>(this);
  const RandParent::Seed seed(&parent_, strength(), drbg_.min_entropy(), drbg_.max_entropy(),
                              prediction_resistance, &address, sizeof address);
  if (seed.size() < drbg_.min_entropy() || seed.size() > drbg_.max_entropy()) {
    // SP 800-90A 11.3.6: no later output may come from the old state.
    fail();
    raise(core_, Reason::kRandEntropy,
          "%s wants %zu bytes of entropy to reseed, its source gave %zu", algorithm_.name,
          drbg_.min_entropy(), seed.size());
    return false;
  }
  const Status status = drbg_.reseed({seed.data(), seed.size()}, additional);
  if (status != Status::kOk) return report(status);
  seeded();
  return true;
}

bool RandContext::reseed_locked(bool prediction_resistance, ByteView entropy, ByteView additional) {
  if (entropy.data != nullptr) {
    const Status status = drbg_.reseed(entropy, additional);
    if (status != Status::kOk) return report(status);
    additional = {};
  }
  // Checked before the source is read: a caller's mistake is not a failure of the source.
  if (additional.size > drbg_.max_additional()) return report(Status::kAdditionalInputTooLong);
  return reseed_from_source(prediction_resistance, additional);
}

bool RandContext::reseed(bool prediction_resistance, ByteView entropy, ByteView additional) {
  if (additional.data == nullptr) additional.size = 0;
  const ForkLock::Guard locked(&lock_);
  return ready_to_generate() && reseed_locked(prediction_resistance, entropy, additional);
}

// If the source fails only for a time, the generator recovers from the error state by a new
// instantiation.
inline bool RandContext::ready_to_generate() {
  if (state() == EVP_RAND_STATE_ERROR) {
    failed_ = false;
    drbg_.uninstantiate();
    return instantiate_locked(false, default_personalization());
  }
  return drbg_.state() == State::kReady || report(Status::kNotInstantiated);
}

// The conditions of SP 800-90A 9.3.1 step 7, and those that OpenSSL adds.
inline bool RandContext::must_reseed() {
  if (drbg_.requests_left() == 0 || reseed_requests_ == 1) return true;
  if (process_ != fork_generation()) return true;
  if (parent_.present() && parent_.reseed_counter() != parent_reseed_counter_) return true;
  if (reseed_time_interval_ <= 0) return false;
  const std::time_t now = std::time(nullptr);
  return now < reseed_time_ || now - reseed_time_ >= reseed_time_interval_;
}

// Splits n bytes into legal requests, as EVP_RAND_generate() does for a generator with a small
// max_request. Each request has the additional input, except a request directly after a reseed: the
// reseed has used the input (9.3.1 step 7.4). Prediction resistance applies once.
inline bool RandContext::generate_chain(std::uint8_t* out, std::size_t n,
                                        bool prediction_resistance, ByteView additional,
                                        std::size_t* written) {
  const std::size_t request = drbg_.mechanism().max_request;
  do {
    std::size_t take = n;
    ByteView input = additional;
    if (prediction_resistance || must_reseed()) {
      if (!reseed_locked(prediction_resistance, {}, additional)) return false;
      prediction_resistance = false;
      if (additional.size != 0) take = std::min(take, request);
      input = {};
    }
    if (drbg_.requests_for(take) > drbg_.requests_left()) {
      take = static_cast<std::size_t>(drbg_.requests_left()) * request;
    }
    const Status status = drbg_.generate(out, take, input);
    if (status != Status::kOk) return report(status);
    *written += take;
    out += take;
    n -= take;
  } while (n != 0);
  return true;
}

bool RandContext::generate(std::uint8_t* out, std::size_t n, unsigned wanted,
                           bool prediction_resistance, ByteView additional) {
  const ForkLock::Guard locked(&lock_);
  if (!ready_to_generate()) return false;
  if (wanted > strength()) {
    raise(core_, Reason::kRandStrength, "%s gives %u bits of strength, %u were asked for",
          algorithm_.name, strength(), wanted);
    return false;
  }
  if (n > kMaxRequest) {
    raise(core_, Reason::kRandRequest, "%zu bytes in one request, %zu are the most", n,
          kMaxRequest);
    return false;
  }
  // As OpenSSL's generators, checks the length even if the pointer is nullptr.
  if (additional.size > drbg_.max_additional()) return report(Status::kAdditionalInputTooLong);
  if (additional.data == nullptr) additional.size = 0;
  std::size_t written = 0;
  const bool done = generate_chain(out, n, prediction_resistance, additional, &written);
  if (!done && written != 0 && !algorithm_.engine->is_device(out)) wipe(out, written);
  if (done && trace_enabled()) trace("%s bytes=%zu", algorithm_.name, n);
  return done;
}

std::size_t RandContext::nonce(std::uint8_t* out, unsigned wanted, std::size_t min,
                               std::size_t max) {
  const std::size_t n = std::clamp<std::size_t>(strength() / 16, min, max);
  if (out == nullptr || n == 0) return n;
  return generate(out, n, std::min(wanted, strength()), false, {}) ? n : 0;
}

std::size_t RandContext::get_seed(unsigned char** out, int bits, std::size_t min, std::size_t max,
                                  bool prediction_resistance, ByteView additional) {
  return make_child_seed(core_, algorithm_.name, out, bits, min, max,
                         [&](std::uint8_t* seed, std::size_t n) {
                           return generate(seed, n, strength(), prediction_resistance, additional);
                         });
}

bool RandContext::is_zeroized() {
  const ForkLock::Guard locked(&lock_);
  return drbg_.is_zeroized();
}

// Puts one error on the queue for a status of drbg/.
bool RandContext::report(Status status) {
  const char* name = algorithm_.name;
  switch (status) {
    case Status::kOk:
      return true;
    case Status::kAlreadyInstantiated:
      raise(core_, Reason::kRandInstantiated, "%s is instantiated already", name);
      return false;
    case Status::kNotInstantiated:
      raise(core_, Reason::kRandState, "%s is not instantiated", name);
      return false;
    case Status::kInErrorState:
      raise(core_, Reason::kRandErrorState, "%s is in its error state", name);
      return false;
    case Status::kEntropyTooShort:
      raise(core_, Reason::kRandShortEntropy, "%s takes at least %zu bytes of entropy", name,
            drbg_.min_entropy());
      return false;
    case Status::kEntropyTooLong:
      raise(core_, Reason::kRandLongEntropy, "%s takes at most %zu bytes of entropy", name,
            drbg_.max_entropy());
      return false;
    case Status::kNonceTooShort:
    case Status::kNonceTooLong:
      raise(core_, Reason::kRandNonce, "%s takes %zu to %zu bytes of nonce", name,
            drbg_.min_nonce(), drbg_.max_nonce());
      return false;
    case Status::kPersonalizationTooLong:
      raise(core_, Reason::kRandInput, "%s takes at most %zu bytes of personalization string", name,
            drbg_.max_personalization());
      return false;
    case Status::kAdditionalInputTooLong:
      raise(core_, Reason::kRandAdditional, "%s takes at most %zu bytes of additional input", name,
            drbg_.max_additional());
      return false;
    case Status::kReseedRequired:
    case Status::kOutputFailed:
      break;
  }
  const BulkStats stats = algorithm_.engine->stats();
  raise(core_, Reason::kGpuRequired, "%s could not make its output: %s: %s", name, stats.last_where,
        device_status_text(stats.last_status));
  return false;
}

}  // namespace gpuctr
