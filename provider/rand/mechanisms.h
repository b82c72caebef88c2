// CTR_DRBG over each cipher that has a generator.
#ifndef GPUCTR_PROVIDER_RAND_MECHANISMS_H
#define GPUCTR_PROVIDER_RAND_MECHANISMS_H

#include <cstdio>
#include <optional>

#include "drbg/mechanism.h"
#include "provider/config/offer.h"

namespace gpuctr {

// CTR_DRBG over one cipher of the table. Immutable after construction.
struct RandMechanism {
  RandMechanism(const CipherSpec& cipher_spec, Engine* bulk_engine)
      : engine(bulk_engine), spec(cipher_spec), mechanism(cipher_spec, bulk_engine) {
    std::snprintf(cipher_name, sizeof cipher_name, "%s-CTR", cipher_spec.name);
    std::snprintf(name, sizeof name, "%s%s", cipher_spec.name, kRandSuffix);
  }
  Engine* const engine;
  const CipherSpec& spec;
  const drbg::Mechanism mechanism;
  char cipher_name[32];  // "LEA-128-CTR"
  char name[32];         // "LEA-128-CTR-DRBG"
};

// One RandMechanism for each cipher of the registry that has a generator. Part of an Instance.
class RandMechanisms {
 public:
  // `engine` outlives this object.
  explicit RandMechanisms(Engine* engine);
  // `index`: the index of a cipher with a generator.
  const RandMechanism& operator[](std::size_t index) const { return *rows_[index]; }

 private:
  std::optional<RandMechanism> rows_[kCipherCount];
};

}  // namespace gpuctr

#endif
