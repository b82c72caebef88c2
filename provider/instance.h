// One loaded instance of the provider: what libcrypto gave it, what openssl.cnf says, and what all
// of its contexts share.
#ifndef GPUCTR_PROVIDER_INSTANCE_H
#define GPUCTR_PROVIDER_INSTANCE_H

#include <memory>

#include "kernels/bulk/engine.h"
#include "provider/config/config.h"
#include "provider/core/core.h"
#include "provider/mode/base/cipher_context.h"
#include "provider/rand/mechanisms.h"

namespace gpuctr {

constexpr std::size_t kCipherAlgorithms = kCipherCount * kModeCount;

// Written once while the provider loads, read-only after that: any thread may use it.
struct Instance {
  Core core;
  Settings settings;
  std::unique_ptr<Engine> engine;
  std::unique_ptr<const RandMechanisms> mechanisms;
  CipherServices cipher_services = {};
  OSSL_ALGORITHM ciphers[kCipherAlgorithms + 1];  // what the settings offer
  OSSL_ALGORITHM generators[kCipherCount + 1];
  bool healthy = true;  // false after a failed self-test: nothing is offered any more

  // nullptr: a bad value in openssl.cnf or no memory, and one error on OpenSSL's queue.
  static std::unique_ptr<Instance> make(const Core& core);
};

}  // namespace gpuctr

#endif
