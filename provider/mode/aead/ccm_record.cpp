// TLS 1.2 records in CCM (RFC 6655), as libssl passes them: explicit IV, text, tag, in place. The
// parameter `tlsivfixed` has set the fixed part of the IV, and `tlsaad` the header.
#include <cstring>

#include "kernels/base/equal.h"
#include "kernels/base/wipe.h"
#include "provider/core/errors.h"
#include "provider/mode/aead/ccm.h"

namespace gpuctr {

bool CcmContext::set_tls_header(const std::uint8_t* header, std::size_t n) {
  if (!read_tls_header(header, n, state_.tag_bytes, state_.tls_header)) return false;
  state_.tls = true;
  state_.has_tls_header = true;
  state_.tls_pad = state_.tag_bytes;
  return true;
}

bool CcmContext::set_tls_fixed_iv(const std::uint8_t* iv, std::size_t n) {
  if (n != kTlsFixedIv) {
    refuse(Reason::kFixedIv, "tlsivfixed has %zu bytes, CCM takes %zu", n, kTlsFixedIv);
    return false;
  }
  std::memcpy(state_.iv, iv, n);
  state_.has_fixed_iv = true;
  return true;
}

// The header is used up even if the record fails: a second record with the same number would have
// the same IV. Only a call without enough room keeps the header.
bool CcmContext::update_record(std::uint8_t* data, std::size_t* written, std::size_t room,
                               const std::uint8_t* in, std::size_t n) {
  if (in != nullptr && !check_room(room, n)) return false;
  const bool done = check_record(data, in, n) && crypt_record(data, n);
  state_.has_tls_header = false;
  if (done) *written = encrypts() ? n : n - record_overhead();
  return done;
}

bool CcmContext::check_record(const std::uint8_t* data, const std::uint8_t* in,
                              std::size_t n) const {
  if (!check_key()) return false;
  if (!state_.has_tls_header) return refuse_record("has no header of its own", n);
  if (in == nullptr || in != data) return refuse_record("is not in place", n);
  if (n < record_overhead()) return refuse_record("has no room for its explicit IV and tag", n);
  if (!state_.has_fixed_iv || state_.iv_bytes != kTlsFixedIv + kTlsExplicitIv) {
    refuse(Reason::kNoIv, "a record of %s-CCM has an IV of 12 bytes, of which 4 are fixed",
           cipher_->name);
    return false;
  }
  if (!check_lengths_of_key()) return false;
  if (state_.tag_bytes != state_.key_tag_bytes) return refuse_record("has another tag length", n);
  if (!check_limit(n - record_overhead())) return false;
  return !engine().is_device(data) || refuse_memory(n);
}

// In encryption the explicit IV is the record's number, the first bytes of the header.
bool CcmContext::crypt_record(std::uint8_t* data, std::size_t n) {
  const std::size_t tag_bytes = state_.tag_bytes;
  std::uint8_t* const text = data + kTlsExplicitIv;
  const std::size_t bytes = n - record_overhead();
  if (encrypts()) std::memcpy(data, state_.tls_header, kTlsExplicitIv);
  std::memcpy(state_.iv + kTlsFixedIv, data, kTlsExplicitIv);
  state_.has_made_tag = false;
  message_.start(state_.iv, state_.iv_bytes, tag_bytes, bytes);
  message_.add_aad(state_.tls_header, kTlsHeader);
  message_.crypt(encrypts(), text, text, bytes);
  count(bytes, false);
  Wiped<std::uint8_t[kCcmTag]> tag;
  message_.finish(tag.value);
  if (encrypts()) {
    std::memcpy(text + bytes, tag.value, tag_bytes);
    return true;
  }
  if (equal_in_constant_time(tag.value, text + bytes, tag_bytes)) return true;
  wipe(text, bytes);
  return refuse_tag(tag_bytes);
}

}  // namespace gpuctr
