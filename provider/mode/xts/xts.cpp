#include "provider/mode/xts/xts.h"

#include <openssl/core_names.h>
#include <openssl/evp.h>

#include <cstring>

#include "kernels/base/equal.h"
#include "kernels/base/wipe.h"
#include "provider/core/ossl_param.h"
#include "provider/core/overlap.h"
#include "provider/mode/base/context_params.h"

namespace gpuctr {
XtsContext::XtsContext(const ContextMemory& memory, const XtsContext& other)
    : CipherContext(memory, other),
      ops_(other.ops_),
      stream_(other.stream_),
      tweak_keys_(*reinterpret_cast<RoundKeys*>(memory.more)) {
  copy_block(unit_iv_, other.unit_iv_, kXtsBlock);
  if (has_key_) std::memcpy(&tweak_keys_, &other.tweak_keys_, cipher_->round_key_bytes);
}

XtsContext::~XtsContext() {
  report();
  if (has_key_) wipe(&tweak_keys_, cipher_->round_key_bytes);
}

const char* XtsContext::backend() const {
  const char* const served = stream_.served_by();
  return served != nullptr ? served : CipherContext::backend();
}

// Rogaway's attack on equal keys (IEEE 1619-2018 5.1, FIPS 140 IG C.I) needs encryption. As in
// OpenSSL's default provider, decryption takes equal keys, because old data may have them.
bool XtsContext::takes_key(const InitCall& call) const {
  const std::size_t half = call.key_bytes / 2;
  if (!call.encrypt || !equal_in_constant_time(call.key, call.key + half, half)) return true;
  refuse(Reason::kEqualKeys, "the two keys of %s-XTS are equal", cipher_->name);
  return false;
}

void XtsContext::expand(const std::uint8_t* key, std::size_t bytes) {
  expand_on(*cipher_, ops_, key, bytes / 2, &keys_);
  expand_on(*cipher_, ops_, key + bytes / 2, bytes / 2, &tweak_keys_);
}

bool XtsContext::refuse_unit(const std::uint8_t* out, const std::uint8_t* in, std::size_t n) const {
  if (n < kXtsBlock) {
    refuse(Reason::kDataUnit, "a data unit of %s-XTS has at least %zu bytes, not %zu",
           cipher_->name, kXtsBlock, n);
  } else {
    refuse(Reason::kDataUnit, "a data unit of %zu bytes of %s-XTS has no %s buffer: it is NULL", n,
           cipher_->name, in == nullptr || out != nullptr ? "input" : "output");
  }
  return false;
}

bool XtsContext::refuse_long_unit(std::size_t n) const {
  refuse(Reason::kLongDataUnit, "a data unit of %s-XTS has at most %zu bytes, not %zu",
         cipher_->name, kMaxXtsBlocks * kXtsBlock, n);
  return false;
}

bool XtsContext::check_unit(const std::uint8_t* out, std::size_t room, const std::uint8_t* in,
                            std::size_t n) const {
  if (!check_room(room, n) || !check_key_and_iv()) return false;
  if (out == nullptr || in == nullptr || n < kXtsBlock) return refuse_unit(out, in, n);
  if (n > kMaxXtsBlocks * kXtsBlock) return refuse_long_unit(n);
  return check_limit(n) && (!overlaps_partly(out, in, n) || refuse_overlap(out, in, n));
}

// False: the data are on a device that failed.
bool XtsContext::crypt(std::uint8_t* out, const std::uint8_t* in, std::size_t n, bool* by_device) {
  *by_device = false;
  const bool device = stream_.is_device(out, in);
  Wiped<std::uint8_t[kXtsBlock]> mask;
  ops_.encrypt(tweak_keys_, unit_iv_, mask.value, 1);
  const bulk::XtsWork work{ops_, engine().cpu_backend().xts_masks, keys_, encrypts(), in, out, n};
  if (device)
    return stream_.xts_on_device(*cipher_, work, mask.value, by_device) == BulkStatus::kOk;
  if (stream_.is_small(n)) {
    bulk::xts_unit(work, mask.value);
    stream_.made_small(n);
  } else {
    stream_.xts(*cipher_, work, mask.value);
  }
  return true;
}

bool XtsContext::update(std::uint8_t* out, std::size_t* written, std::size_t room,
                        const std::uint8_t* in, std::size_t n) {
  if (ops_.xts == nullptr || n % kXtsBlock != 0 || !stream_.is_small(n) ||
      !is_checked(out, room, in, n) || stream_.may_have_device_memory()) {
    return update_any(out, written, room, in, n);
  }
  stream_.made_small(n);
  count(n, false);
  *written = n;
  ops_.xts(keys_, &tweak_keys_, encrypts(), unit_iv_, in, out, n / kXtsBlock);
  return true;
}

bool XtsContext::update_any(std::uint8_t* out, std::size_t* written, std::size_t room,
                            const std::uint8_t* in, std::size_t n) {
  *written = 0;
  if (!check_unit(out, room, in, n)) return false;
  bool by_device = false;
  if (!crypt(out, in, n, &by_device)) return refuse_without_device(n);
  count(n, by_device);
  *written = n;
  return true;
}

bool XtsContext::final(std::uint8_t*, std::size_t* written, std::size_t) {
  *written = 0;
  return true;
}

bool XtsContext::one_shot(std::uint8_t* out, std::size_t* written, std::size_t room,
                          const std::uint8_t* in, std::size_t n) {
  return update(out, written, room, in, n);
}

bool XtsContext::set_same_key_bytes(std::uint64_t bytes) {
  if (bytes == key_bytes_) return true;
  refuse(Reason::kFixedKeyLength, "the key of %s-XTS always has %zu bytes", cipher_->name,
         key_bytes_);
  return false;
}

namespace {

// OpenSSL's XTS ignores a padding that is set, and its key's length can only be set to what it is.
constexpr ContextParam kParams[] = {
    {OSSL_CIPHER_PARAM_KEYLEN, OSSL_PARAM_UNSIGNED_INTEGER,
     [](CipherContext& c, OSSL_PARAM* param) { return answer_uint(param, c.key_bytes()); },
     [](CipherContext& c, std::uint64_t bytes) {
       return static_cast<XtsContext&>(c).set_same_key_bytes(bytes);
     },
     UINT64_MAX},
    {OSSL_CIPHER_PARAM_PADDING, OSSL_PARAM_UNSIGNED_INTEGER,
     [](CipherContext&, OSSL_PARAM* param) { return answer_uint(param, 1, Width::kInt); }, nullptr,
     0},
    {nullptr, 0, nullptr, nullptr, 0},
};

CipherContext* make(const CipherServices& services, const CipherSpec& cipher) {
  return make_context<XtsContext>(cipher, services, cipher);
}

constexpr Mode xts_mode() {
  Mode mode = {"XTS", EVP_CIPH_XTS_MODE, true, true, false, kParams, make};
  mode.only_block_bytes = kXtsBlock;
  mode.keys = 2;
  return mode;
}

}  // namespace

const Mode kXtsMode = xts_mode();

}  // namespace gpuctr
