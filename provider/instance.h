// One loaded instance of the provider: libcrypto's functions, the settings of openssl.cnf, and what
// all contexts of the instance share.
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

// Written once while the provider loads and read-only after that, so any thread may use it.
struct Instance {
  Core core;
  Settings settings;
  std::unique_ptr<Engine> engine;
  std::unique_ptr<const RandMechanisms> mechanisms;
  CipherServices cipher_services = {};
  OSSL_ALGORITHM ciphers[kCipherAlgorithms + 1];  // those that the settings offer
  OSSL_ALGORITHM generators[2 * kCipherCount + 1];
  bool healthy = true;  // false after a failed self-test: the instance then offers no algorithm

  // nullptr, with one error on OpenSSL's queue: a bad value in openssl.cnf, or no memory.
  static std::unique_ptr<Instance> make(const Core& core);
};

}  // namespace gpuctr

#endif
