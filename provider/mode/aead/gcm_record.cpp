// TLS 1.2 records in GCM (RFC 5288), as libssl passes them: explicit IV, text, tag, in place. The
// parameter `tlsivfixed` has set the fixed part of the IV, and `tlsaad` the header.
#include <cstring>

#include "kernels/base/counter.h"
#include "kernels/base/equal.h"
#include "kernels/base/wipe.h"
#include "provider/core/errors.h"
#include "provider/mode/aead/gcm.h"

namespace gpuctr {
namespace {

constexpr std::size_t kOverhead = kTlsExplicitIv + kGcmTag;

}  // namespace

bool GcmContext::set_tls_header(const std::uint8_t* header, std::size_t n) {
  if (!read_tls_header(header, n, kGcmTag, state_.tls_header)) return false;
  state_.has_tls_header = true;
  state_.tls_pad = kGcmTag;
  return true;
}

// In encryption the rest of the IV starts at a random value and is then counted up.
bool GcmContext::set_tls_fixed_iv(const std::uint8_t* iv, std::size_t n) {
  if (n == SIZE_MAX) {
    std::memcpy(state_.iv, iv, state_.iv_bytes);
  } else {
    if (n < kTlsFixedIv || n > state_.iv_bytes || state_.iv_bytes - n < kTlsExplicitIv) {
      refuse(Reason::kFixedIv,
             "tlsivfixed has %zu bytes: at least %zu, and %zu less than the IV's %zu", n,
             kTlsFixedIv, kTlsExplicitIv, state_.iv_bytes);
      return false;
    }
    std::uint8_t rest[kMaxIvBytes];
    const std::size_t rest_bytes = state_.iv_bytes - n;
    if (encrypts() && !random_iv(rest, rest_bytes)) return false;
    std::memcpy(state_.iv, iv, n);
    if (encrypts()) std::memcpy(state_.iv + n, rest, rest_bytes);
  }
  state_.counts_ivs = true;
  state_.iv_state = Iv::kSet;
  return true;
}

bool GcmContext::has_fixed_iv(const char* what) const {
  if (!check_key()) return false;
  if (state_.counts_ivs && state_.iv_bytes >= kTlsExplicitIv) return true;
  refuse(Reason::kNoIv, "%s: no part of the IV of %s-GCM is fixed", what, cipher_->name);
  return false;
}

bool GcmContext::set_tls_explicit_iv(const std::uint8_t* iv, std::size_t n) {
  if (!has_fixed_iv("tlsivinv")) return false;
  if (encrypts() || n > state_.iv_bytes) {
    refuse(Reason::kExplicitIv, "tlsivinv has %zu bytes: %s", n,
           encrypts() ? "encryption makes its own" : "more than the IV");
    return false;
  }
  std::memcpy(state_.iv + state_.iv_bytes - n, iv, n);
  state_.iv_state = Iv::kSet;
  return true;
}

bool GcmContext::has_next_tls_iv() const { return has_fixed_iv("tlsivgen"); }

std::size_t GcmContext::next_tls_iv(std::uint8_t* out, std::size_t n) {
  start_message();
  if (n == 0 || n > state_.iv_bytes) n = state_.iv_bytes;
  std::memcpy(out, state_.iv + state_.iv_bytes - n, n);
  counter_add(state_.iv + state_.iv_bytes - sizeof(std::uint64_t), sizeof(std::uint64_t), 1);
  return n;
}

// The header and the IV are used up even if the record fails. Only a call without enough room keeps
// both.
bool GcmContext::update_record(std::uint8_t* data, std::size_t* written, std::size_t room,
                               const std::uint8_t* in, std::size_t n) {
  if (in != nullptr && !check_room(room, n)) return false;
  const bool done = check_record(data, in, n) && crypt_record(data, n);
  state_.has_tls_header = false;
  state_.iv_state = Iv::kUsed;
  if (done) *written = encrypts() ? n : n - kOverhead;
  return done;
}

bool GcmContext::check_record(const std::uint8_t* data, const std::uint8_t* in, std::size_t n) {
  if (!check_key()) return false;
  if (in == nullptr || in != data) return refuse_record("is not in place", n);
  if (n < kOverhead) return refuse_record("has no room for its explicit IV and tag", n);
  if (!has_fixed_iv("a record") || !check_limit(n - kOverhead)) return false;
  return !message_.is_device(data) || refuse_memory(n);
}

bool GcmContext::crypt_record(std::uint8_t* data, std::size_t n) {
  std::uint8_t* const text = data + kTlsExplicitIv;
  const std::size_t bytes = n - kOverhead;
  std::uint8_t explicit_iv[kTlsExplicitIv];
  if (encrypts()) {
    next_tls_iv(explicit_iv, sizeof explicit_iv);
  } else {
    std::memcpy(state_.iv + state_.iv_bytes - kTlsExplicitIv, data, kTlsExplicitIv);
    start_message();
  }
  message_.add_aad(state_.tls_header, kTlsHeader);
  if (bytes != 0 && !message_.crypt(encrypts(), text, text, bytes)) {
    message_.forget();
    return refuse_without_device(bytes);
  }
  count_text(bytes);
  state_.tag_bytes = 0;  // a record's tag cannot be read and belongs to no other message
  Wiped<std::uint8_t[kGcmTag]> tag;
  message_.finish(tag.value);
  if (encrypts()) {
    std::memcpy(data, explicit_iv, sizeof explicit_iv);
    std::memcpy(text + bytes, tag.value, kGcmTag);
    return true;
  }
  if (equal_in_constant_time(tag.value, text + bytes, kGcmTag)) return true;
  wipe(text, bytes);
  return refuse_tag(kGcmTag);
}

}  // namespace gpuctr
