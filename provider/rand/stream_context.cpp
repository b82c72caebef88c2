#include "provider/rand/stream_context.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "kernels/base/counter.h"
#include "kernels/base/wipe.h"
#include "provider/config/offer.h"
#include "provider/core/errors.h"
#include "provider/core/trace.h"
#include "provider/rand/child_seed.h"
#include "provider/rand/rand_context.h"

namespace gpuctr {
namespace {

constexpr std::size_t kBlock = 16;
constexpr std::size_t kMostAdditional = std::size_t{1} << 16;
// At most 2^48 bytes a key: 2^18 of the largest requests.
constexpr std::uint64_t kMostCalls = std::uint64_t{1} << 18;

}  // namespace

StreamContext::StreamContext(const Core& core, const drbg::Mechanism& mechanism, void* parent,
                             const OSSL_DISPATCH* parent_functions)
    : core_(core), mechanism_(mechanism), parent_(parent, parent_functions) {
  std::snprintf(name_, sizeof name_, "%s%s", spec().name, kStreamSuffix);
}

StreamContext::~StreamContext() { wipe(&settings_, sizeof settings_); }

bool StreamContext::parent_is_strong_enough() {
  return parent_.check_strength(core_, name_, strength());
}

bool StreamContext::enable_locking() {
  if (!parent_.enable_locking(core_, name_)) return false;
  lock_.enable();
  return true;
}

bool StreamContext::instantiate(unsigned wanted, bool, drbg::ByteView, const OSSL_PARAM* params) {
  const ForkLock::Guard locked(&lock_);
  if (wanted > strength()) {
    raise(core_, Reason::kRandStrength, "%s gives %u bits of strength, %u were asked for", name_,
          strength(), wanted);
    return false;
  }
  if (ready_) {
    raise(core_, Reason::kRandInstantiated, "%s is instantiated already", name_);
    return false;
  }
  if (!set_params_locked(params)) return false;
  if (!settings_.has_seed && !parent_.gives_seed()) {
    raise(core_, Reason::kRandEntropy, "the parent of %s gives no entropy", name_);
    return false;
  }
  ready_ = true;
  return true;
}

void StreamContext::uninstantiate() {
  const ForkLock::Guard locked(&lock_);
  ready_ = false;
  wipe(&settings_, sizeof settings_);
  settings_ = {};
}

bool StreamContext::reseed(bool, drbg::ByteView, drbg::ByteView) {
  const ForkLock::Guard locked(&lock_);
  if (!ready_) raise(core_, Reason::kRandState, "%s is not instantiated", name_);
  return ready_;
}

bool StreamContext::is_zeroized() {
  const ForkLock::Guard locked(&lock_);
  std::uint8_t all = 0;
  for (const std::uint8_t byte : settings_.seed) all |= byte;
  return all == 0;
}

// Key and first counter block of a request: from the parent or, with a seed, the seed and the
// request's number.
bool StreamContext::draw(bool prediction_resistance, drbg::ByteView additional, std::uint8_t* key,
                         std::uint8_t* counter) {
  const std::size_t size = mechanism_.key;
  if (settings_.has_seed) {
    if (settings_.call >= kMostCalls) {
      raise(core_, Reason::kRandRequest, "%s has made %llu requests from its seed, the most", name_,
            static_cast<unsigned long long>(kMostCalls));
      return false;
    }
    std::memcpy(key, settings_.seed, size);
    const std::uint64_t call = big_endian64(settings_.call);
    std::memset(counter, 0, kBlock);
    std::memcpy(counter, &call, sizeof call);
    return true;
  }
  const auto address = reinterpret_cast<std::uintptr_t>(this);
  if (additional.size == 0) {
    additional = {reinterpret_cast<const std::uint8_t*>(&address), sizeof address};
  }
  const RandParent::Seed seed(&parent_, strength(), size + kBlock, size + kBlock,
                              prediction_resistance, additional.data, additional.size);
  if (seed.size() != size + kBlock) {
    raise(core_, Reason::kRandEntropy, "%s wants %zu bytes of entropy, its source gave %zu", name_,
          size + kBlock, seed.size());
    return false;
  }
  std::memcpy(key, seed.data(), size);
  std::memcpy(counter, seed.data() + size, kBlock);
  return true;
}

// False, with an error: the request is not possible.
bool StreamContext::check_request(std::size_t n, unsigned wanted) {
  const Distribution& what = settings_.what;
  if (!ready_) {
    raise(core_, Reason::kRandState, "%s is not instantiated", name_);
  } else if (wanted > strength()) {
    raise(core_, Reason::kRandStrength, "%s gives %u bits of strength, %u were asked for", name_,
          strength(), wanted);
  } else if (n > kMaxRequest) {
    raise(core_, Reason::kRandRequest, "%zu bytes in one request, %zu are the most", n,
          kMaxRequest);
  } else if (n % what.number_bytes() != 0) {
    raise(core_, Reason::kBadParameter, "%zu bytes are not a whole number of numbers of %zu bytes",
          n, what.number_bytes());
  } else {
    return true;
  }
  return false;
}

bool StreamContext::generate_bytes(std::uint8_t* out, std::size_t n, bool prediction_resistance,
                                   drbg::ByteView additional, const Distribution& what) {
  Wiped<std::uint8_t[kMaxKeyBytes]> key;
  Wiped<std::uint8_t[kBlock]> counter;
  if (!draw(prediction_resistance, additional, key.value, counter.value)) return false;
  Wiped<RoundKeys> keys;
  mechanism_.expand(key.value, &keys.value);
  Engine& engine = mechanism_.engine;
  const BulkStatus status =
      what.output == Output::kBytes
          ? engine.ctr(spec(), keys.value, counter.value, nullptr, out, n)
          : engine.numbers(spec(), keys.value, counter.value, what, out, n / what.number_bytes());
  if (status != BulkStatus::kOk) {
    const BulkStats stats = engine.stats();
    raise(core_, Reason::kGpuRequired, "%s could not make its output: %s: %s", name_,
          stats.last_where, device_status_text(stats.last_status));
    return false;
  }
  if (settings_.has_seed) ++settings_.call;
  if (trace_enabled()) trace("%s bytes=%zu", name_, n);
  return true;
}

bool StreamContext::generate(std::uint8_t* out, std::size_t n, unsigned wanted,
                             bool prediction_resistance, drbg::ByteView additional) {
  const ForkLock::Guard locked(&lock_);
  if (additional.data == nullptr) additional.size = 0;
  if (!check_request(n, wanted)) return false;
  if (additional.size > kMostAdditional) {
    raise(core_, Reason::kRandAdditional, "%s takes at most %zu bytes of additional input", name_,
          kMostAdditional);
    return false;
  }
  return generate_bytes(out, n, prediction_resistance, additional, settings_.what);
}

// A child's nonce and seed are bytes, whatever the distribution is.
std::size_t StreamContext::nonce(std::uint8_t* out, unsigned, std::size_t min, std::size_t max) {
  const std::size_t n = std::clamp<std::size_t>(strength() / 16, min, max);
  if (out == nullptr || n == 0) return n;
  const ForkLock::Guard locked(&lock_);
  return check_request(0, 0) && generate_bytes(out, n, false, {}, {}) ? n : 0;
}

std::size_t StreamContext::get_seed(unsigned char** out, int bits, std::size_t min, std::size_t max,
                                    bool prediction_resistance, drbg::ByteView additional) {
  const ForkLock::Guard locked(&lock_);
  return make_child_seed(core_, name_, out, bits, min, max, [&](std::uint8_t* seed, std::size_t n) {
    return check_request(0, 0) && generate_bytes(seed, n, prediction_resistance, additional, {});
  });
}

}  // namespace gpuctr
