// Compares each cipher's known answers (vectors.txt in its folder) with what the cipher computes.
// This program runs in the build and is not installed: a wrong answer stops the build. The module's
// own self-test runs only on request. So without this program, a module that computes a wrong
// answer would load.
#include "kernels/cipher/known_answers.h"

#include <cstdio>
#include <cstring>

#include "drbg/health.h"
#include "drbg/mechanism.h"
#include "kernels/cpu/backend.h"

namespace gpuctr {
namespace {

void print(const char* name, const std::uint8_t* bytes, std::size_t n) {
  std::fprintf(stderr, "  %s ", name);
  for (std::size_t i = 0; i < n; ++i) std::fprintf(stderr, "%02x", bytes[i]);
  std::fputc('\n', stderr);
}

bool block_holds(const CipherSpec& spec) {
  const BlockAnswer& answer = *spec.block_answer;
  RoundKeys keys;
  std::uint8_t block[kMaxBlockBytes];
  std::uint8_t back[kMaxBlockBytes];
  spec.expand(answer.key, &keys);
  const CipherOps& ops = find_backend("scalar")->ops[spec.index];
  ops.encrypt(keys, answer.plaintext, block, 1);
  ops.decrypt(keys, block, back, 1);
  if (std::memcmp(block, answer.ciphertext, spec.block_bytes) != 0) {
    std::fprintf(stderr, "gpuctr: wrong known answer: block of %s in vectors.txt\n", spec.name);
    print("known answer:   ", answer.ciphertext, spec.block_bytes);
    print("the cipher gives", block, spec.block_bytes);
    return false;
  }
  if (std::memcmp(back, answer.plaintext, spec.block_bytes) == 0) return true;
  std::fprintf(stderr, "gpuctr: %s: decrypt() does not undo encrypt() on its known answer\n",
               spec.name);
  return false;
}

bool generator_holds(const CipherSpec& spec, Engine* engine) {
  if (spec.generator_answer == nullptr) return true;
  const drbg::Mechanism mechanism(spec, engine);
  const char* const failed = drbg::health_test(mechanism, spec.generator_answer->output, false);
  if (failed == nullptr) return true;
  std::fprintf(stderr, "gpuctr: wrong known answer: generator of %s in vectors.txt (%s)\n",
               spec.name, failed);
  return false;
}

bool all_hold() {
  Engine engine(EngineConfig{});
  bool hold = true;
  for (std::size_t i = 0; i < kCipherCount; ++i) {
    const CipherSpec& spec = cipher_spec(i);
    hold = block_holds(spec) && generator_holds(spec, &engine) && hold;
  }
  return hold;
}

}  // namespace
}  // namespace gpuctr

int main() { return gpuctr::all_hold() ? 0 : 1; }
