// What the contexts of the authenticated modes share.
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

  // Returns false, with an error.
  bool refuse_tag(std::size_t n) const;
  // Reads the record header of n bytes that `tlsaad` set, and writes the authenticated header,
  // kTlsHeader bytes, to `out`. The two differ in the length: the record's in `header`, the text's
  // in `out`. False, with an error: `out` is unchanged.
  bool read_tls_header(const std::uint8_t* header, std::size_t n, std::size_t tag_bytes,
                       std::uint8_t* out) const;
};

}  // namespace gpuctr

#endif
