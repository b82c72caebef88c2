// What a backend leaves behind on x86: nothing that depends on the key or the counter (CTR_DRBG's
// is secret) on the stack, nothing at all in the vector registers.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <iterator>
#include <string>
#include <vector>

#include "kernels/cpu/backend.h"
#include "kernels/cpu/base/gcm_text.h"
#include "kernels/cpu/xex.h"
#include "test/kernels/cases.h"
#include "test/kernels/registers.h"
#include "test/support/dead_stack.h"

namespace gpuctr {
namespace {

using test::expect_no_registers;
using test::kDeadStack;
using test::look_at_stack;
using test::read_registers;
using test::Registers;
using test::Width;
using test::width_of;
using test::zero_registers;
using Stack = std::array<std::uint8_t, kDeadStack>;
// Whole batches and a tail on every backend; the short ways; a tail alone.
constexpr std::size_t kLengths[] = {5000, 16, 8, 13, 5, 64, 61, 40, 128, 256, 200};

class Wipe : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    backend_ = find_backend(GetParam());
    ASSERT_NE(backend_, nullptr);
    if (!backend_->available()) GTEST_SKIP() << "this CPU has no " << GetParam();
  }
  const Backend* backend_ = nullptr;
};

// One call, and what it left.
enum class Call {
  kCtr,
  kStep,
  kChain,
  kRequests,
  kEncrypt,
  kDecrypt,
  kCbcEncrypt,
  kCbcDecrypt,
  kCfbEncrypt,
  kCfbDecrypt,
  kOfb,
  kCcmEncrypt,
  kCcmDecrypt,
  kGcmEncrypt,
  kGcmDecrypt,
  kSivCtr,
  kXtsEncrypt,
  kXtsDecrypt,
  kXtsUnitEncrypt,  // the IV is encrypted too
  kXtsUnitDecrypt,
  kXexEncrypt,
  kXexDecrypt,
  kExpand
};
constexpr Call kCalls[] = {Call::kCtr,
                           Call::kStep,
                           Call::kChain,
                           Call::kRequests,
                           Call::kEncrypt,
                           Call::kDecrypt,
                           Call::kCbcEncrypt,
                           Call::kCbcDecrypt,
                           Call::kCfbEncrypt,
                           Call::kCfbDecrypt,
                           Call::kOfb,
                           Call::kCcmEncrypt,
                           Call::kCcmDecrypt,
                           Call::kGcmEncrypt,
                           Call::kGcmDecrypt,
                           Call::kXtsEncrypt,
                           Call::kXtsDecrypt,
                           Call::kXtsUnitEncrypt,
                           Call::kXtsUnitDecrypt,
                           Call::kXexEncrypt,
                           Call::kXexDecrypt,
                           Call::kSivCtr,
                           Call::kExpand};
constexpr const char* kCallNames[] = {"ctr",
                                      "step",
                                      "chain",
                                      "requests",
                                      "encrypt",
                                      "decrypt",
                                      "cbc_encrypt",
                                      "cbc_decrypt",
                                      "cfb_encrypt",
                                      "cfb_decrypt",
                                      "ofb",
                                      "ccm, encryption",
                                      "ccm, decryption",
                                      "gcm, encryption",
                                      "gcm, decryption",
                                      "xts, encryption",
                                      "xts, decryption",
                                      "xts with its IV, encryption",
                                      "xts with its IV, decryption",
                                      "xex, encryption",
                                      "xex, decryption",
                                      "siv_ctr",
                                      "expand"};
SivCtr g_siv_ctr = nullptr;  // of the backend

bool has_call(const CipherOps& ops, Call call) {
  switch (call) {
    case Call::kStep:
    case Call::kChain:
    case Call::kRequests:
      return ops.step != nullptr;
    case Call::kCbcEncrypt:
      return ops.cbc_encrypt != nullptr;
    case Call::kCfbEncrypt:
    case Call::kOfb:
      return ops.cfb_encrypt != nullptr;
    case Call::kCcmEncrypt:
    case Call::kCcmDecrypt:
      return ops.ccm != nullptr;
    case Call::kGcmEncrypt:
    case Call::kGcmDecrypt:
      return test::hash_of_gcm(ops) != nullptr;
    case Call::kSivCtr:
      return g_siv_ctr != nullptr;
    case Call::kXtsEncrypt:
    case Call::kXtsDecrypt:
    case Call::kXtsUnitEncrypt:
    case Call::kXtsUnitDecrypt:
      return ops.xts != nullptr;
    case Call::kXexEncrypt:
    case Call::kXexDecrypt:
      return ops.xex != nullptr;
    case Call::kExpand:
      return ops.expand != nullptr;
    default:
      return true;
  }
}
ChainOperation* chain_of(const CipherOps& ops, Call call) {
  return call == Call::kCbcEncrypt   ? ops.cbc_encrypt
         : call == Call::kCfbEncrypt ? ops.cfb_encrypt
         : call == Call::kOfb        ? ops.ofb
                                     : nullptr;
}
struct Remains {
  std::uint8_t stack[kDeadStack];
  Registers registers;
};
__attribute__((noinline)) void call_and_look(const CipherOps& ops, const RoundKeys& keys,
                                             const std::uint8_t* key, const std::uint8_t* counter,
                                             std::size_t length, std::size_t block, Call call,
                                             Width width, Remains* remains) {
  static std::uint8_t chain_key[kMaxKeyBytes];
  static std::uint8_t v[kMaxBlockBytes];
  static ChainLink links[3];
  std::memcpy(chain_key, key, sizeof chain_key);
  std::memcpy(v, counter, sizeof v);
  static std::uint8_t seed[64];
  static std::uint8_t out[kLengths[0]], masks[kLengths[0]];
  std::memset(masks, counter[3] + 1, sizeof masks);
  static GhashKey hash_key;
  const GhashOps* const hash = test::hash_of_gcm(ops);
  if (hash != nullptr) hash->expand(key, &hash_key);
  GPUCTR_CLEAR_SAVED_REGISTERS();
  std::memset(remains, 0, sizeof *remains);
  look_at_stack(nullptr);
  zero_registers(width);
  if (call == Call::kStep) {
    ops.step(keys, counter, out, length, seed);
  } else if (call == Call::kChain) {
    ops.chain(chain_key, v, length, links, std::size(links));
  } else if (call == Call::kRequests && ops.requests != nullptr) {
    static std::uint8_t three[3 * 1024];
    ops.requests(chain_key, v, three, sizeof three / 3, 3);
  } else if (call == Call::kEncrypt || call == Call::kDecrypt) {
    const auto run = call == Call::kEncrypt ? ops.encrypt : ops.decrypt;
    run(keys, counter, out, 1);
    run(keys, out, out, length / block);
  } else if (ChainOperation* const run = chain_of(ops, call); run != nullptr) {
    run(keys, v, out, out, 1);
    run(keys, v, out, out, length / block);
  } else if (call == Call::kCbcDecrypt || call == Call::kCfbDecrypt) {
    const auto decryption = call == Call::kCbcDecrypt ? decrypt_cbc : decrypt_cfb;
    decryption(ops, block, keys, v, out, out, 1);
    decryption(ops, block, keys, v, out, out, length / block);
  } else if (call == Call::kCcmEncrypt || call == Call::kCcmDecrypt) {
    ops.ccm(keys, call == Call::kCcmEncrypt, counter, v, out, out, length / block);
  } else if (call == Call::kGcmEncrypt || call == Call::kGcmDecrypt) {
    static std::uint8_t mask[16], after[16];
    const GcmText text = {counter, mask, counter, out, out, length / block, after};
    ops.gcm->crypt(keys, call == Call::kGcmEncrypt, hash_key, v, text);
  } else if (call == Call::kSivCtr) {
    g_siv_ctr(keys, counter, out, out, length);
  } else if (call == Call::kXtsEncrypt || call == Call::kXtsDecrypt) {
    ops.xts(keys, nullptr, call == Call::kXtsEncrypt, v, out, out, length / block);
  } else if (call == Call::kXtsUnitEncrypt || call == Call::kXtsUnitDecrypt) {
    ops.xts(keys, &keys, call == Call::kXtsUnitEncrypt, v, out, out, length / block);
  } else if (call == Call::kXexEncrypt || call == Call::kXexDecrypt) {
    const bool encrypts = call == Call::kXexEncrypt;
    const std::size_t n = length - length % ops.xex_batch[encrypts];
    ops.xex(keys, encrypts, nullptr, masks, out, out, n);
    if (block == 16) crypt_masked(ops, keys, encrypts, masks, out, out, length / block);
  } else if (call == Call::kExpand) {
    static RoundKeys made;
    ops.expand(key, 16, &made);
  } else {
    ops.ctr(keys, counter, nullptr, out, length);
  }
  read_registers(width, &remains->registers);
  look_at_stack(remains->stack);
  __asm__ volatile("" : : : "memory");  // no tail call: this frame is not to be looked at
}

// call_and_look() with a stack that begins lower: a frame that is aligned to 64 bytes begins with a
// gap of up to 48.
template <class... Args>
__attribute__((noinline)) void call_lower(std::size_t bytes, const Args&... args) {
  void* const gap = __builtin_alloca(bytes);
  __asm__ volatile("" : : "r"(gap) : "memory");
  call_and_look(args...);
  __asm__ volatile("" : : : "memory");
}

// With two keys and counters the stack below must end up the same: a difference is something that
// depends on them.
TEST_P(Wipe, NothingStays) {
  static Remains remains;
  static std::uint8_t first_stack[kDeadStack];
  static volatile std::uint8_t key_byte;  // no register may tell which of the two keys it is
  const std::string name = GetParam();
  const Width width = width_of(name);
  const bool simd = name != "scalar";  // whose registers are the compiler's
  const std::uint8_t no_key[kMaxKeyBytes] = {};
  RoundKeys no_keys{};
  cipher_spec(0).expand(no_key, &no_keys);  // of zeros; a schedule of zeros is none of ARIA's
  call_and_look(backend_->ops[0], no_keys, no_key, no_key, kLengths[0], kMaxBlockBytes, Call::kCtr,
                width, &remains);  // the loader's work
  constexpr std::size_t kCallCount = std::size(kCalls);
  constexpr std::size_t kCases = kCallCount * kCipherCount * std::size(kLengths);
  for (std::size_t number = 0; number < 4 * kCases; ++number) {
    const std::size_t at = number / 4, lower = 16 * (number % 4);
    const Call call = kCalls[at % kCallCount];
    const std::size_t c = at / kCallCount % kCipherCount;
    const std::size_t length = kLengths[at / kCallCount / kCipherCount];
    g_siv_ctr = std::strncmp(cipher_spec(c).name, "AES-", 4) == 0 ? backend_->siv_ctr : nullptr;
    if (!has_call(backend_->ops[c], call)) continue;
    // CTR_DRBG's counter is a secret, and has at most 16 bytes. Others are public.
    const bool secret = call != Call::kCtr || cipher_spec(c).block_bytes <= 16;
    SCOPED_TRACE(std::string(cipher_spec(c).name) + ", " + std::to_string(length) + " bytes, " +
                 kCallNames[at % kCallCount]);
    for (key_byte = 0; key_byte < 2; key_byte = static_cast<std::uint8_t>(key_byte + 1)) {
      // Not in the lowest bit, which is a parity of DES.
      const std::uint8_t key[kMaxKeyBytes] = {static_cast<std::uint8_t>(2 * key_byte), 2, 3, 4};
      RoundKeys keys{};
      cipher_spec(c).expand(key, &keys);
      const auto first = static_cast<std::uint8_t>(secret ? key_byte : 0);
      const std::uint8_t counter[kMaxBlockBytes] = {5, 6, 7, first, 8};
      call_lower(lower, backend_->ops[c], keys, key, counter, length, cipher_spec(c).block_bytes,
                 call, width, &remains);
      if (key_byte == 0) std::memcpy(first_stack, remains.stack, kDeadStack);
      // Those with tables have no vectors but where VPERMI2B looks up.
      if (simd && is_constant_time(cipher_spec(c), backend_->ops[c])) {
        expect_no_registers(width, remains.registers);
      }
      if (HasFatalFailure()) return;
    }
    EXPECT_EQ(test::bytes_that_differ(first_stack, remains.stack), 0U) << "bytes of stack";
  }
}

Stack g_remains;

__attribute__((noinline)) void expand_and_look(const CipherSpec& spec, const std::uint8_t* key) {
  static RoundKeys keys;
  GPUCTR_CLEAR_SAVED_REGISTERS();
  g_remains.fill(0);
  look_at_stack(nullptr);
  spec.expand(key, &keys);
  look_at_stack(g_remains.data());
  __asm__ volatile("" : : : "memory");
}

TEST(KeyScheduleWipe, NothingStays) {
  static Stack first;
  static std::uint8_t key[kMaxKeyBytes];
  for (std::size_t c = 0; c < kCipherCount; ++c) {
    SCOPED_TRACE(cipher_spec(c).name);
    for (const unsigned step : {0u, 37u, 91u}) {
      for (std::size_t i = 0; i < sizeof key; ++i) key[i] = static_cast<std::uint8_t>(step * i);
      expand_and_look(cipher_spec(c), key);
      if (step == 37) first = g_remains;
    }
    EXPECT_EQ(test::bytes_that_differ(first.data(), g_remains.data()), 0u);
  }
}

enum class GhashCall { kExpand, kBegin, kGrow, kUpdate, kPolyval, kMultiply };

// A form of GHASH: nothing of H, of y or of the text.
__attribute__((noinline)) void hash_and_look(const GhashOps& ops, const std::uint8_t* h,
                                             const std::uint8_t* in, std::size_t blocks,
                                             GhashCall call, Width width, Remains* remains) {
  static GhashKey key;
  static std::uint8_t y[16];
  static std::uint8_t elements[3][16];
  static constexpr GhashProduct kProducts[] = {{1, 0, 0}, {2, 1, 0}};
  std::memcpy(y, h, sizeof y);
  std::memcpy(elements[0], h, sizeof elements[0]);
  ops.expand(h, &key);
  GPUCTR_CLEAR_SAVED_REGISTERS();
  std::memset(remains, 0, sizeof *remains);
  look_at_stack(nullptr);
  if (call == GhashCall::kExpand) {
    ops.expand(h, &key);
  } else if (call == GhashCall::kBegin) {
    ops.begin(h, &key);
  } else if (call == GhashCall::kGrow) {
    ops.grow(&key, 1, blocks);
  } else if (call == GhashCall::kPolyval) {
    ops.polyval(key, y, in, blocks);
  } else if (call == GhashCall::kMultiply) {
    ops.multiply(elements, kProducts, 2);
  } else {
    ops.update(key, y, in, blocks);
  }
  read_registers(width, &remains->registers);
  look_at_stack(remains->stack);
  __asm__ volatile("" : : : "memory");
}

class GhashWipe : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!form_.available()) GTEST_SKIP() << "this CPU has no " << GetParam();
  }
  const GhashImplementation& form_ = test::find_ghash_form(GetParam());
};

TEST_P(GhashWipe, NothingStays) {
  static Remains remains;
  static std::uint8_t first_stack[kDeadStack];
  static volatile std::uint8_t first_byte;
  static std::uint8_t in[300 * 16];
  const GhashOps& ops = *form_.ops;
  const bool simd = form_.vector_bytes != 0;
  const Width width = simd ? Width{form_.vector_bytes} : Width::kXmm;
  // Whole aggregates and a rest on every form; the rest alone; a lane or a few; none.
  constexpr std::size_t kBlocks[] = {300, 32, 31, 16, 9, 8, 7, 4, 3, 2, 1, 0};
  hash_and_look(ops, in, in, 1, GhashCall::kExpand, width, &remains);  // the loader's work
  constexpr GhashCall kOfBlocks[] = {GhashCall::kUpdate, GhashCall::kPolyval, GhashCall::kGrow};
  constexpr GhashCall kOthers[] = {GhashCall::kExpand, GhashCall::kBegin, GhashCall::kMultiply};
  constexpr std::size_t kCount = std::size(kOfBlocks) * std::size(kBlocks);
  for (std::size_t at = 0; at < kCount + std::size(kOthers); ++at) {
    const bool of_blocks = at < kCount;
    const GhashCall call = of_blocks ? kOfBlocks[at / std::size(kBlocks)] : kOthers[at - kCount];
    const std::size_t blocks = of_blocks ? kBlocks[at % std::size(kBlocks)] : 0;
    SCOPED_TRACE("call " + std::to_string(static_cast<int>(call)) + ", " + std::to_string(blocks) +
                 " blocks");
    for (first_byte = 0; first_byte < 2; first_byte = static_cast<std::uint8_t>(first_byte + 1)) {
      const std::uint8_t h[16] = {first_byte, 0x9a, 3, 4, first_byte, 6, 7, 8, 0x5f};
      for (std::size_t i = 0; i < sizeof in; ++i) {
        in[i] = static_cast<std::uint8_t>((3 + 2 * first_byte) * i + 11);
      }
      hash_and_look(ops, h, in, blocks, call, width, &remains);
      if (first_byte == 0) std::memcpy(first_stack, remains.stack, kDeadStack);
      if (simd) expect_no_registers(width, remains.registers);
      if (HasFatalFailure()) return;
    }
    EXPECT_EQ(test::bytes_that_differ(first_stack, remains.stack), 0U) << "bytes of stack";
  }
}

// Nothing of XTS's masks.
__attribute__((noinline)) void mask_and_look(XtsMasks make, const std::uint8_t* first,
                                             std::size_t blocks, Width width, Remains* remains) {
  static std::uint8_t mask[16];
  static std::uint8_t masks[xts_mask_bytes(300)];
  std::memcpy(mask, first, sizeof mask);
  GPUCTR_CLEAR_SAVED_REGISTERS();
  std::memset(remains, 0, sizeof *remains);
  look_at_stack(nullptr);
  zero_registers(width);
  make(mask, masks, blocks);
  read_registers(width, &remains->registers);
  look_at_stack(remains->stack);
  __asm__ volatile("" : : : "memory");
}

TEST_P(Wipe, NothingOfXtsMasksStays) {
  static Remains remains;
  static std::uint8_t first_stack[kDeadStack];
  static volatile std::uint8_t first_byte;
  const std::string name = GetParam();
  const Width width = width_of(name);
  const std::uint8_t any[16] = {};
  mask_and_look(backend_->xts_masks, any, 1, width, &remains);  // the loader's work
  for (const std::size_t blocks : {300u, 72u, 64u, 17u, 8u, 7u, 3u, 1u}) {
    SCOPED_TRACE(std::to_string(blocks) + " blocks");
    for (first_byte = 0; first_byte < 2; first_byte = static_cast<std::uint8_t>(first_byte + 1)) {
      const std::uint8_t mask[16] = {first_byte, 0x9a, 3, 4, first_byte, 6, 7, 8, 0x5f};
      mask_and_look(backend_->xts_masks, mask, blocks, width, &remains);
      if (first_byte == 0) std::memcpy(first_stack, remains.stack, kDeadStack);
      if (name != "scalar") expect_no_registers(width, remains.registers);
      if (HasFatalFailure()) return;
    }
    EXPECT_EQ(test::bytes_that_differ(first_stack, remains.stack), 0U) << "bytes of stack";
  }
}

INSTANTIATE_TEST_SUITE_P(Backends, Wipe, testing::ValuesIn(test::backend_names()));

INSTANTIATE_TEST_SUITE_P(Forms, GhashWipe, testing::ValuesIn(test::ghash_form_names()));

}  // namespace
}  // namespace gpuctr
