#include "provider/self_test/self_test.h"

#include <openssl/self_test.h>

#include <algorithm>
#include <cstring>

#include "drbg/health.h"
#include "kernels/cipher/known_answers.h"
#include "kernels/cpu/backend.h"
#include "provider/core/errors.h"
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
  // With the plaintext as the counter block, the keystream begins with the ciphertext.
  ops.ctr(keys, answer.plaintext, nullptr, block, spec.block_bytes);
  return std::memcmp(block, answer.ciphertext, spec.block_bytes) == 0;
}

bool agree(const Backend& backend, const Backend& reference, const CipherSpec& spec) {
  static_assert(kCrossBytes % 2 == 1, "an odd tail");
  RoundKeys keys;
  spec.expand(spec.block_answer->key, &keys);
  std::uint8_t counter[kMaxBlockBytes];
  std::memset(counter, 0xff, sizeof counter);  // a carry passes through every byte
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

bool test_ciphers(const Core& core, SelfTestEvents* events) {
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
      raise(core, Reason::kSelfTest, "%s on backend %s", spec.name, backend.name);
      return false;
    }
  }
  return true;
}

// McGrew and Viega, The Galois/Counter Mode of Operation (GCM), appendix B, test case 2: a block of
// ciphertext and the block of lengths.
constexpr std::uint8_t kHashKey[16] = {0x66, 0xe9, 0x4b, 0xd4, 0xef, 0x8a, 0x2c, 0x3b,
                                       0x88, 0x4c, 0xfa, 0x59, 0xca, 0x34, 0x2b, 0x2e};
constexpr std::uint8_t kHashInput[32] = {
    0x03, 0x88, 0xda, 0xce, 0x60, 0xb6, 0xa3, 0x92, 0xf3, 0x28, 0xc2, 0xb9, 0x71, 0xb2, 0xfe, 0x78,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x80};
constexpr std::uint8_t kHashAnswer[16] = {0xf3, 0x8c, 0xbb, 0x1a, 0xd6, 0x92, 0x23, 0xdc,
                                          0xc3, 0x45, 0x7a, 0xe5, 0xb6, 0xb0, 0xf8, 0x85};

void reverse_blocks(std::uint8_t* data, std::size_t blocks) {
  for (; blocks != 0; --blocks, data += 16) std::reverse(data, data + 16);
}

// POLYVAL has the same answer with the bytes of every block in reverse order.
bool hash_known_answer(const GhashOps& ops, bool corrupt) {
  GhashKey key;
  ops.expand(kHashKey, &key);
  std::uint8_t y[16] = {}, reversed[16] = {}, input[sizeof kHashInput];
  ops.update(key, y, kHashInput, 2);
  std::memcpy(input, kHashInput, sizeof input);
  reverse_blocks(input, 2);
  ops.polyval(key, reversed, input, 2);
  reverse_blocks(reversed, 1);
  if (corrupt) y[0] ^= 1;
  return std::memcmp(y, kHashAnswer, sizeof y) == 0 &&
         std::memcmp(reversed, kHashAnswer, sizeof reversed) == 0;
}

// Compares every number of blocks from 0 to 100, which exceeds one step of the widest backend.
bool hashes_agree(const GhashOps& ops, const GhashOps& reference) {
  constexpr std::size_t kBlocks = 100;
  std::uint8_t data[16 * kBlocks];
  for (std::size_t i = 0; i < sizeof data; ++i) data[i] = static_cast<std::uint8_t>(i * i + 7 * i);
  GhashKey key, reference_key;
  ops.expand(kHashKey, &key);
  reference.expand(kHashKey, &reference_key);
  std::uint8_t y[16] = {}, want[16] = {};
  for (std::size_t blocks = 0; blocks <= kBlocks; ++blocks) {
    const bool reversed = blocks % 2 != 0;
    (reversed ? ops.polyval : ops.update)(key, y, data, blocks);
    (reversed ? reference.polyval : reference.update)(reference_key, want, data, blocks);
    if (std::memcmp(y, want, sizeof y) != 0) return false;
  }
  return true;
}

// Tests GHASH, which GCM uses in addition to a cipher.
bool test_hash(const Core& core, SelfTestEvents* events) {
  const BackendList backends = cpu_backends();
  const GhashOps& reference = *backends.first[backends.count - 1]->ghash;
  for (std::size_t m = 0; m < backends.count; ++m) {
    const Backend& backend = *backends.first[m];
    if (!backend.available()) continue;
    events->begin(OSSL_SELF_TEST_TYPE_KAT_CIPHER, "GHASH");
    const bool passed = hash_known_answer(*backend.ghash, events->corrupt()) &&
                        hashes_agree(*backend.ghash, reference);
    events->end(passed);
    if (passed) continue;
    raise(core, Reason::kSelfTest, "GHASH on backend %s", backend.name);
    return false;
  }
  return true;
}

bool test_random(const Core& core, const RandMechanisms& mechanisms, SelfTestEvents* events) {
  for (std::size_t i = 0; i < kCipherCount; ++i) {
    if (cipher_spec(i).generator_answer == nullptr) continue;
    const RandMechanism& random = mechanisms[i];
    events->begin(OSSL_SELF_TEST_TYPE_DRBG, random.name);
    const char* failed = drbg::health_test(random.mechanism, random.spec.generator_answer->output,
                                           events->corrupt());
    events->end(failed == nullptr);
    if (failed == nullptr) continue;
    raise(core, Reason::kSelfTest, "%s: %s", random.name, failed);
    return false;
  }
  return true;
}

}  // namespace

bool self_test(const Core& core, const RandMechanisms& mechanisms) {
  SelfTestEvents events(core);
  return test_ciphers(core, &events) && test_hash(core, &events) &&
         test_random(core, mechanisms, &events);
}

}  // namespace gpuctr
