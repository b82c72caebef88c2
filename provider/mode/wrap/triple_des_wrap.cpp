#include "provider/mode/wrap/triple_des_wrap.h"

#include <openssl/core_names.h>
#include <openssl/evp.h>

#include <algorithm>
#include <cstring>

#include "kernels/base/equal.h"
#include "kernels/base/wipe.h"
#include "kernels/bulk/base/work.h"
#include "provider/core/ossl_param.h"
#include "provider/core/random.h"
#include "provider/mode/base/cbc_chain.h"
#include "provider/mode/base/context_params.h"
#include "provider/mode/wrap/sha1.h"

namespace gpuctr {
namespace {

constexpr std::size_t kBlock = 8;          // bytes, also of the IV and of the checksum
constexpr std::size_t kMore = 2 * kBlock;  // bytes that a wrapped text is longer
constexpr std::size_t kLeastWrapped = kMore + kBlock;
constexpr std::size_t kTooLong = std::size_t{1} << 30;  // OpenSSL's EVP_MAXCHUNK
// RFC 3217 3.1 step 8.
constexpr std::uint8_t kOuterIv[kBlock] = {0x4a, 0xdd, 0xa2, 0x2c, 0x79, 0xe8, 0x21, 0x05};

// The first bytes of SHA-1 (RFC 3217 2).
void checksum(const std::uint8_t* text, std::size_t n, std::uint8_t* out) {
  Wiped<std::uint8_t[kSha1Bytes]> hash;
  sha1(text, n, hash.value);
  std::memcpy(out, hash.value, kBlock);
}

}  // namespace

bool TripleDesWrapContext::check_length(std::size_t n) const {
  if (n < kTooLong && n % kBlock == 0 && (encrypts() || n >= kLeastWrapped)) return true;
  refuse(Reason::kWrapCheck, "%zu bytes cannot be %s by %s-%s", n,
         encrypts() ? "wrapped" : "unwrapped", cipher_->name, mode_->name);
  return false;
}

bool TripleDesWrapContext::check_call(const std::uint8_t* out, const std::uint8_t* in,
                                      std::size_t n) const {
  if (in == nullptr && n != 0) {
    refuse(Reason::kNoInput, "%zu bytes of %s-%s", n, cipher_->name, mode_->name);
    return false;
  }
  if (!check_key() || !check_limit(n)) return false;
  if (engine().is_device(out, in)) {
    refuse(Reason::kDeviceMemory, "%zu bytes of %s-%s: this mode takes ordinary memory", n,
           cipher_->name, mode_->name);
    return false;
  }
  return true;
}

bool TripleDesWrapContext::update(std::uint8_t* out, std::size_t* written, std::size_t room,
                                  const std::uint8_t* in, std::size_t n) {
  *written = 0;
  return n == 0 || one_shot(out, written, room, in, n);
}

bool TripleDesWrapContext::one_shot(std::uint8_t* out, std::size_t* written, std::size_t room,
                                    const std::uint8_t* in, std::size_t n) {
  *written = 0;
  if (!check_room(room, n) || !check_length(n)) return false;
  const std::size_t made = encrypts() ? n + kMore : n - kMore;
  if (out != nullptr) {
    if (!check_call(out, in, n)) return false;
    count(n, false);
    if (!(encrypts() ? wrap(out, in, n) : unwrap(out, in, n))) return false;
  }
  *written = made;
  return true;
}

bool TripleDesWrapContext::final(std::uint8_t*, std::size_t* written, std::size_t) {
  *written = 0;
  return true;
}

// RFC 3217 3.1. False, with an error and nothing written: there is no random IV.
bool TripleDesWrapContext::wrap(std::uint8_t* out, const std::uint8_t* in, std::size_t n) const {
  std::uint8_t iv[kBlock];
  if (!system_random(iv, sizeof iv)) {
    refuse(Reason::kRandEntropy, "the system gave no IV for %s-%s", cipher_->name, mode_->name);
    return false;
  }
  if (n != 0) std::memmove(out + kBlock, in, n);
  checksum(out + kBlock, n, out + kBlock + n);
  std::memcpy(out, iv, sizeof iv);
  cbc_chain(ops_, keys_, kBlock, iv, out + kBlock, out + kBlock, n / kBlock + 1);
  std::reverse(out, out + n + kMore);
  std::memcpy(iv, kOuterIv, sizeof iv);
  cbc_chain(ops_, keys_, kBlock, iv, out, out, n / kBlock + 2);
  return true;
}

void TripleDesWrapContext::cbc_decrypt(const std::uint8_t* iv, std::uint8_t* text,
                                       std::size_t n) const {
  bulk::run_blocks({*cipher_, ops_, keys_, BlockOperation::kDecrypt, iv, text, text, n});
}

// RFC 3217 3.2. The first and the last block of either decryption are not text, so they have no
// place in `out`. False, with an error: the check failed, and the output is zeros.
bool TripleDesWrapContext::unwrap(std::uint8_t* out, const std::uint8_t* in, std::size_t n) const {
  const std::size_t text = n - kMore;
  Wiped<std::uint8_t[kBlock]> icv, iv, expected;
  std::uint8_t first[kBlock], before_last[kBlock];
  std::memcpy(first, in, kBlock);
  std::memcpy(icv.value, in, kBlock);
  std::memcpy(before_last, in + n - kMore, kBlock);
  std::memcpy(iv.value, in + n - kBlock, kBlock);
  std::memmove(out, in + kBlock, text);
  cbc_decrypt(kOuterIv, icv.value, kBlock);
  cbc_decrypt(first, out, text);
  cbc_decrypt(before_last, iv.value, kBlock);
  for (std::uint8_t* const block : {icv.value, iv.value}) std::reverse(block, block + kBlock);
  std::reverse(out, out + text);
  std::memcpy(before_last, out + text - kBlock, kBlock);
  cbc_decrypt(iv.value, out, text);
  cbc_decrypt(before_last, icv.value, kBlock);
  checksum(out, text, expected.value);
  if (equal_in_constant_time(icv.value, expected.value, kBlock)) return true;
  wipe(out, text);
  refuse(Reason::kWrapCheck, "%zu bytes were not wrapped with this key of %s-%s", n, cipher_->name,
         mode_->name);
  return false;
}

namespace {

constexpr unsigned kUint = OSSL_PARAM_UNSIGNED_INTEGER, kOctets = OSSL_PARAM_OCTET_STRING;

// As in OpenSSL's cipher: the IV has no bytes, and `padding` is kept without a meaning.
constexpr ContextParam kParams[] = {
    {OSSL_CIPHER_PARAM_IVLEN, kUint,
     [](CipherContext& c, OSSL_PARAM* param) { return answer_uint(param, c.iv_length()); }, nullptr,
     0},
    {OSSL_CIPHER_PARAM_PADDING, kUint,
     [](CipherContext& c, OSSL_PARAM* param) {
       return answer_uint(param, c.padding() ? 1 : 0, Width::kInt);
     },
     [](CipherContext& c, std::uint64_t on) { return c.set_padding(on); }, UINT32_MAX},
    {OSSL_CIPHER_PARAM_NUM, kUint,
     [](CipherContext& c, OSSL_PARAM* param) { return answer_uint(param, c.num(), Width::kInt); },
     nullptr, 0},
    {OSSL_CIPHER_PARAM_IV, kOctets,
     [](CipherContext& c, OSSL_PARAM* param) { return answer_octets(param, c.iv(), 0); }, nullptr,
     0},
    {OSSL_CIPHER_PARAM_UPDATED_IV, kOctets,
     [](CipherContext& c, OSSL_PARAM* param) {
       return answer_octets(param, c.updated_iv(false), 0);
     },
     nullptr, 0},
    {nullptr, 0, nullptr, nullptr, 0},
};

CipherContext* make(const CipherServices& services, const CipherSpec& cipher) {
  return make_context<TripleDesWrapContext>(cipher, services, cipher);
}

constexpr Mode triple_des_wrap() {
  Mode mode = {"WRAP", EVP_CIPH_WRAP_MODE, false, false, false, kParams, make};
  mode.only_block_bytes = kBlock;
  mode.only_family = "DES-EDE3";
  mode.stock_name = "DES3-WRAP";
  mode.custom_iv = true;
  return mode;
}

}  // namespace

const Mode kTripleDesWrapMode = triple_des_wrap();

}  // namespace gpuctr
