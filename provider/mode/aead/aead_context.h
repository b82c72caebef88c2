// What contexts of the authenticated modes share.
#ifndef GPUCTR_PROVIDER_MODE_AEAD_AEAD_CONTEXT_H
#define GPUCTR_PROVIDER_MODE_AEAD_AEAD_CONTEXT_H

#include "provider/mode/aead/aead.h"
#include "provider/mode/base/cipher_context.h"

namespace gpuctr {

class AeadContext : public CipherContext {
 protected:
  AeadContext(const ContextMemory& memory, const CipherServices& services, const CipherSpec& cipher,
              const Mode& mode)
      : CipherContext(memory, services, cipher, mode) {}
  AeadContext(const ContextMemory& memory, const AeadContext& other)
      : CipherContext(memory, other) {}

  // False, with an error.
  bool refuse_tag(std::size_t n) const;
  // The header that `tlsaad` brought, n bytes, as it is authenticated: it has the length of the
  // whole record, and gets the text's. False, with an error, and `out`, kTlsHeader bytes, is as it
  // was.
  bool read_tls_header(const std::uint8_t* header, std::size_t n, std::size_t tag_bytes,
                       std::uint8_t* out) const;
};

}  // namespace gpuctr

#endif
