#include "provider/mode/aead/aead_context.h"

#include <cstring>

#include "provider/core/errors.h"

namespace gpuctr {

bool AeadContext::refuse_tag(std::size_t n) const {
  refuse(Reason::kWrongTag, "%zu bytes of tag are not those of this message of %s-%s", n,
         cipher_->name, mode_->name);
  return false;
}

bool AeadContext::read_tls_header(const std::uint8_t* header, std::size_t n, std::size_t tag_bytes,
                                  std::uint8_t* out) const {
  if (n != kTlsHeader) {
    refuse(Reason::kTlsRecord, "tlsaad has %zu bytes, a record's header %zu", n, kTlsHeader);
    return false;
  }
  const std::size_t length = std::size_t{256} * header[n - 2] + header[n - 1];
  const std::size_t more = kTlsExplicitIv + (encrypts() ? 0 : tag_bytes);
  if (length < more) {
    return refuse_record(
        encrypts() ? "has no room for its explicit IV" : "has no room for its explicit IV and tag",
        length);
  }
  std::memcpy(out, header, n);
  out[n - 2] = static_cast<std::uint8_t>((length - more) >> 8);
  out[n - 1] = static_cast<std::uint8_t>(length - more);
  return true;
}

}  // namespace gpuctr
