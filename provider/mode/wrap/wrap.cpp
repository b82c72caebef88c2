#include "provider/mode/wrap/wrap.h"

#include <openssl/core_names.h>
#include <openssl/evp.h>

#include <cstring>

#include "kernels/base/wipe.h"
#include "provider/core/errors.h"
#include "provider/core/ossl_param.h"
#include "provider/mode/base/context_params.h"

namespace gpuctr {
namespace {

constexpr std::size_t kPaddedIv = 4;
// RFC 3394 2.2.3.1 and RFC 5649 3.
constexpr std::uint8_t kUsualIcv[kSemiblock] = {0xa6, 0xa6, 0xa6, 0xa6, 0xa6, 0xa6, 0xa6, 0xa6};
constexpr std::uint8_t kUsualPaddedIcv[kPaddedIv] = {0xa6, 0x59, 0x59, 0xa6};

constexpr std::size_t whole_semiblocks(std::size_t n) {
  return (n + kSemiblock - 1) & ~(kSemiblock - 1);
}

}  // namespace

WrapContext::WrapContext(const ContextMemory& memory, const WrapContext& other)
    : CipherContext(memory, other), ops_(other.ops_) {
  std::memcpy(used_iv_, other.used_iv_, sizeof used_iv_);
}

void WrapContext::begin(bool, bool new_iv) {
  if (new_iv) std::memcpy(used_iv_, iv_, iv_length());
}

bool WrapContext::pads() const { return mode_->usual_iv_bytes == kPaddedIv; }

bool WrapContext::is_inverse() const {
  return mode_ == &kWrapInverseMode || mode_ == &kPaddedWrapInverseMode;
}

const std::uint8_t* WrapContext::icv() const {
  return has_iv_ ? used_iv_ : pads() ? kUsualPaddedIcv : kUsualIcv;
}

bool WrapContext::check_length(std::size_t n) const {
  const bool whole = n % kSemiblock == 0;
  if (n > INT32_MAX || (!whole && !(encrypts() && pads())) || (!encrypts() && n < 2 * kSemiblock)) {
    refuse(Reason::kWrapLength, "%zu bytes cannot be %s by %s-%s", n,
           encrypts() ? "wrapped" : "unwrapped", cipher_->name, mode_->name);
    return false;
  }
  return true;
}

// For n bytes, not 0, with a length that check_length() accepts. Without padding RFC 3394 needs two
// semiblocks of text.
bool WrapContext::check_call(const std::uint8_t* out, std::size_t room, const std::uint8_t* in,
                             std::size_t n) const {
  if (!check_key() || !check_limit(n)) return false;
  if (encrypts() && !check_room(room, n + kSemiblock)) return false;
  const std::size_t text = encrypts() ? n : n - kSemiblock;
  if (text < 2 * kSemiblock && !pads()) {
    refuse(Reason::kWrapCheck, "%zu bytes of text, %s-%s takes 16 and more", text, cipher_->name,
           mode_->name);
    return false;
  }
  if (engine().is_device(out, in)) {
    refuse(Reason::kDeviceMemory, "%zu bytes of %s-%s: this mode takes ordinary memory", n,
           cipher_->name, mode_->name);
    return false;
  }
  return true;
}

bool WrapContext::update(std::uint8_t* out, std::size_t* written, std::size_t room,
                         const std::uint8_t* in, std::size_t n) {
  *written = 0;
  if (n == 0) return true;
  if (!check_room(room, n)) return false;
  if (in == nullptr) {
    refuse(Reason::kNoInput, "%zu bytes of %s-%s", n, cipher_->name, mode_->name);
    return false;
  }
  if (!check_length(n)) return false;
  if (out == nullptr) {
    *written = encrypts() ? whole_semiblocks(n) + kSemiblock : n - kSemiblock;
    return true;
  }
  if (!check_call(out, room, in, n)) return false;
  count(n, false);
  if (!encrypts()) return unwrap(out, written, in, n);
  *written = wrap(out, in, n);
  return true;
}

std::size_t WrapContext::wrap(std::uint8_t* out, const std::uint8_t* in, std::size_t n) const {
  const std::size_t padded = whole_semiblocks(n);
  std::uint8_t a[kSemiblock];
  std::memcpy(a, icv(), iv_length());
  if (pads()) {
    for (unsigned i = 0; i < 4; ++i) a[4 + i] = static_cast<std::uint8_t>(n >> (24 - 8 * i));
  }
  std::memmove(out + kSemiblock, in, n);
  std::memset(out + kSemiblock + n, 0, padded - n);
  wrap_semiblocks({is_inverse() ? ops_.decrypt : ops_.encrypt, keys_}, a, out, padded);
  return padded + kSemiblock;
}

// False, with an error: the check failed, and the output is zeros.
bool WrapContext::unwrap(std::uint8_t* out, std::size_t* written, const std::uint8_t* in,
                         std::size_t n) const {
  const std::size_t text = n - kSemiblock;
  Wiped<std::uint8_t[kSemiblock]> a;
  std::memcpy(a.value, in, kSemiblock);
  std::memmove(out, in + kSemiblock, text);
  unwrap_semiblocks({is_inverse() ? ops_.encrypt : ops_.decrypt, keys_}, a.value, out, text);
  std::size_t made = text;
  const bool good =
      pads() ? is_padded_icv(a.value, icv(), out, text, &made) : is_wrap_icv(a.value, icv());
  if (!good) {
    wipe(out, text);
    refuse(Reason::kWrapCheck, "%zu bytes were not wrapped with this key of %s-%s", n,
           cipher_->name, mode_->name);
    return false;
  }
  *written = made;
  return true;
}

bool WrapContext::final(std::uint8_t*, std::size_t* written, std::size_t) {
  *written = 0;
  return true;
}

namespace {

constexpr unsigned kUint = OSSL_PARAM_UNSIGNED_INTEGER, kOctets = OSSL_PARAM_OCTET_STRING;

// OpenSSL's ciphers ignore a program that sets `padding` or `num`.
constexpr ContextParam kParams[] = {
    {OSSL_CIPHER_PARAM_IVLEN, kUint,
     [](CipherContext& c, OSSL_PARAM* param) { return answer_uint(param, c.iv_length()); }, nullptr,
     0},
    {OSSL_CIPHER_PARAM_PADDING, kUint,
     [](CipherContext& c, OSSL_PARAM* param) {
       return answer_uint(param, c.iv_length() == kPaddedIv ? 1 : 0, Width::kInt);
     },
     nullptr, 0},
    {OSSL_CIPHER_PARAM_NUM, kUint,
     [](CipherContext& c, OSSL_PARAM* param) { return answer_uint(param, c.num(), Width::kInt); },
     nullptr, 0},
    {OSSL_CIPHER_PARAM_IV, kOctets,
     [](CipherContext& c, OSSL_PARAM* param) {
       return answer_octets(param, c.iv(), c.iv_length());
     },
     nullptr, 0},
    {OSSL_CIPHER_PARAM_UPDATED_IV, kOctets,
     [](CipherContext& c, OSSL_PARAM* param) {
       return answer_octets(param, c.updated_iv(false), c.iv_length());
     },
     nullptr, 0},
    {nullptr, 0, nullptr, nullptr, 0},
};

template <const Mode& kMode>
CipherContext* make(const CipherServices& services, const CipherSpec& cipher) {
  return make_context<WrapContext>(cipher, services, cipher, kMode);
}

template <const Mode& kMode>
constexpr Mode mode_of(const char* name, std::size_t iv_bytes) {
  Mode mode = {name, EVP_CIPH_WRAP_MODE, true, false, false, kParams, make<kMode>};
  mode.only_block_bytes = 2 * kSemiblock;
  mode.usual_iv_bytes = iv_bytes;
  mode.evp_block_bytes = kSemiblock;
  mode.custom_iv = true;
  mode.one_shot = false;
  return mode;
}

}  // namespace

const Mode kWrapMode = mode_of<kWrapMode>("WRAP", kSemiblock);
const Mode kPaddedWrapMode = mode_of<kPaddedWrapMode>("WRAP-PAD", kPaddedIv);
const Mode kWrapInverseMode = mode_of<kWrapInverseMode>("WRAP-INV", kSemiblock);
const Mode kPaddedWrapInverseMode = mode_of<kPaddedWrapInverseMode>("WRAP-PAD-INV", kPaddedIv);

}  // namespace gpuctr
