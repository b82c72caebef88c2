// Ciphers for the DRBG's tests: those of the table, and those of libcrypto.
#ifndef GPUCTR_TEST_DRBG_CIPHERS_H
#define GPUCTR_TEST_DRBG_CIPHERS_H

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>

#include "drbg/ctr_drbg.h"
#include "test/drbg/evp_cipher.h"
#include "test/support/generators.h"
#include "test/support/gtest_name.h"
#include "test/support/vectors.h"

namespace gpuctr::test {

// A cipher, its engine and its parameters for CTR_DRBG.
struct Cipher {
  Cipher(const CipherSpec& spec, const EngineConfig& config)
      : engine(config), mechanism(spec, &engine) {}
  Engine engine;
  const drbg::Mechanism mechanism;
};

// A cipher of the table, or of libcrypto. nullptr where libcrypto lacks it.
inline std::unique_ptr<Cipher> make_cipher(const std::string& name, EngineConfig config = {}) {
  const CipherSpec* spec = find_cipher(name.c_str());
  if (spec == nullptr) {
    const EvpCipher* const evp = evp_cipher(name);
    if (evp == nullptr) return nullptr;
    spec = &evp->spec;
    config.cpu = &evp->backend;
    if (config.layer == nullptr) config.gpu = GpuUse::kOff;  // no device has kernels for it
  }
  return std::make_unique<Cipher>(*spec, config);
}

// "CHAM_64_128": a cipher's name where GoogleTest takes letters, digits and '_' only.
inline std::string test_name(const testing::TestParamInfo<const char*>& parameter) {
  return gtest_name(parameter.param);
}

inline drbg::ByteView view(const Bytes& bytes) { return {bytes.data(), bytes.size()}; }

// The same bytes for the same generator, everywhere.
inline Bytes random_bytes(std::mt19937_64& random, std::size_t n) {
  Bytes out(n);
  for (auto& b : out) b = static_cast<std::uint8_t>(random() >> 56);
  return out;
}

}  // namespace gpuctr::test

#endif
