#include "provider/self_test/self_test.h"

#include <openssl/self_test.h>

#include <cstring>

#include "drbg/health.h"
#include "kernels/cipher/known_answers.h"
#include "kernels/cpu/backend.h"
#include "provider/core/errors.h"
#include "provider/rand/algorithms.h"
#include "provider/self_test/events.h"

namespace gpuctr {
namespace {

// Long enough for the widest backend's main loop, its narrower steps and an odd tail.
constexpr std::size_t kCrossBytes = 8191;

bool known_answer(const Backend& backend, const CipherSpec& spec, bool corrupt) {
  const BlockAnswer& answer = *spec.block_answer;
  RoundKeys keys;
  std::uint8_t block[kMaxBlockBytes];
  spec.expand(answer.key, &keys);
  const CipherOps& ops = backend.ops[spec.index];
  ops.encrypt(keys, answer.plaintext, block, 1);
  if (corrupt) block[0] ^= 1;
  if (std::memcmp(block, answer.ciphertext, spec.block_bytes) != 0) return false;
  ops.decrypt(keys, block, block, 1);
  if (std::memcmp(block, answer.plaintext, spec.block_bytes) != 0) return false;
  // Keystream from the plaintext taken as the counter block begins with the ciphertext.
  ops.ctr(keys, answer.plaintext, nullptr, block, spec.block_bytes);
  return std::memcmp(block, answer.ciphertext, spec.block_bytes) == 0;
}

bool agree(const Backend& backend, const Backend& reference, const CipherSpec& spec) {
  static_assert(kCrossBytes % 2 == 1, "an odd tail");
  RoundKeys keys;
  spec.expand(spec.block_answer->key, &keys);
  std::uint8_t counter[kMaxBlockBytes];
  std::memset(counter, 0xff, sizeof counter);  // carries through every byte
  counter[spec.block_bytes - 1] = 0xf0;
  std::uint8_t a[kCrossBytes];
  std::uint8_t b[kCrossBytes];
  backend.ops[spec.index].ctr(keys, counter, nullptr, a, sizeof a);
  reference.ops[spec.index].ctr(keys, counter, nullptr, b, sizeof b);
  if (std::memcmp(a, b, sizeof a) != 0) return false;
  backend.ops[spec.index].decrypt(keys, a, a, sizeof a / spec.block_bytes);
  backend.ops[spec.index].encrypt(keys, a, a, sizeof a / spec.block_bytes);
  return std::memcmp(a, b, sizeof a) == 0;
}

bool test_ciphers(const ProviderContext& provider, SelfTestEvents* events) {
  const BackendList backends = cpu_backends();
  const Backend& reference = *backends.first[backends.count - 1];
  for (std::size_t m = 0; m < backends.count; ++m) {
    const Backend& backend = *backends.first[m];
    if (!backend.available()) continue;
    for (std::size_t c = 0; c < kCipherCount; ++c) {
      const CipherSpec& spec = cipher_spec(c);
      events->begin(OSSL_SELF_TEST_TYPE_KAT_CIPHER, spec.name);
      const bool passed =
          known_answer(backend, spec, events->corrupt()) && agree(backend, reference, spec);
      events->end(passed);
      if (passed) continue;
      raise(&provider, Reason::kSelfTest, "%s on backend %s", spec.name, backend.name);
      return false;
    }
  }
  return true;
}

bool test_random(const ProviderContext& provider, SelfTestEvents* events) {
  for (std::size_t i = 0; i < kCipherCount; ++i) {
    const RandMechanism& random = (*provider.rand)[i];
    events->begin(OSSL_SELF_TEST_TYPE_DRBG, random.name);
    const char* failed = drbg::health_test(random.mechanism, random.spec.generator_answer->output,
                                           events->corrupt());
    events->end(failed == nullptr);
    if (failed == nullptr) continue;
    raise(&provider, Reason::kSelfTest, "%s: %s", random.name, failed);
    return false;
  }
  return true;
}

}  // namespace

bool self_test(const ProviderContext& provider) {
  SelfTestEvents events(provider);
  return test_ciphers(provider, &events) && test_random(provider, &events);
}

}  // namespace gpuctr
