// The RAND algorithms of the provider.
#ifndef GPUCTR_PROVIDER_RAND_ALGORITHMS_H
#define GPUCTR_PROVIDER_RAND_ALGORITHMS_H

#include <openssl/core.h>

#include <cstdio>
#include <optional>

#include "drbg/mechanism.h"
#include "provider/config/offer.h"

namespace gpuctr {

// "LEA-128-CTR-DRBG" and so on: writes those that are offered, and an end. There is no plain
// CTR-DRBG among them: it would capture every random byte of a process in which this provider comes
// first. What the entries point to is never freed. Any thread.
void list_generators(const Offer& offer, OSSL_ALGORITHM (&list)[kCipherCount + 1]);

// CTR_DRBG over one cipher of the table. Immutable after construction.
struct RandMechanism {
  RandMechanism(const CipherSpec& cipher_spec, Engine* engine)
      : spec(cipher_spec), mechanism(cipher_spec, engine) {
    std::snprintf(cipher_name, sizeof cipher_name, "%s-CTR", cipher_spec.name);
    std::snprintf(name, sizeof name, "%s%s", cipher_spec.name, kRandSuffix);
  }
  const CipherSpec& spec;
  const drbg::Mechanism mechanism;
  char cipher_name[32];  // "LEA-128-CTR"
  char name[32];         // "LEA-128-CTR-DRBG"
};

// One for each cipher of the registry that has a generator. Part of the provider's context.
class RandMechanisms {
 public:
  // `engine` is not owned and outlives this object.
  explicit RandMechanisms(Engine* engine);
  // `index`: of a cipher with a generator.
  const RandMechanism& operator[](std::size_t index) const { return *rows_[index]; }

 private:
  std::optional<RandMechanism> rows_[kCipherCount];
};

}  // namespace gpuctr

#endif
