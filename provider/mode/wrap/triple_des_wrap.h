// Wrapping by Triple DES, RFC 3217 section 3, as in OpenSSL's DES3-WRAP: each update is one
// message.
#ifndef GPUCTR_PROVIDER_MODE_WRAP_TRIPLE_DES_WRAP_H
#define GPUCTR_PROVIDER_MODE_WRAP_TRIPLE_DES_WRAP_H

#include "provider/mode/base/cipher_context.h"

namespace gpuctr {

class TripleDesWrapContext final : public CipherContext {
 public:
  TripleDesWrapContext(const ContextMemory& memory, const CipherServices& services,
                       const CipherSpec& cipher)
      : CipherContext(memory, services, cipher, kTripleDesWrapMode),
        ops_(services.engine->cpu(cipher)) {}
  TripleDesWrapContext(const ContextMemory& memory, const TripleDesWrapContext& other)
      : CipherContext(memory, other), ops_(other.ops_) {}
  ~TripleDesWrapContext() override { report(); }

  // Wraps or unwraps n bytes, whole blocks. As in OpenSSL the text is not only a key of Triple DES.
  // Input and output may overlap in any way. Wrapping writes n + 16 bytes. EVP states n + 8 bytes
  // of room, so 8 bytes more than `room` are written. Unwrapping writes n - 16 bytes; after a
  // failed check they are zeros. Without `out`, only *written is set.
  bool update(std::uint8_t* out, std::size_t* written, std::size_t room, const std::uint8_t* in,
              std::size_t n) override;
  // Does nothing, also without a key.
  bool final(std::uint8_t* out, std::size_t* written, std::size_t room) override;
  // As update(), and wraps also no bytes.
  bool one_shot(std::uint8_t* out, std::size_t* written, std::size_t room, const std::uint8_t* in,
                std::size_t n) override;

 private:
  void begin(bool, bool) override {}
  CipherContext* copy() const override {
    return make_context<TripleDesWrapContext>(*cipher_, *this);
  }

  bool check_length(std::size_t n) const;
  bool check_call(const std::uint8_t* out, const std::uint8_t* in, std::size_t n) const;
  void cbc_decrypt(const std::uint8_t* iv, std::uint8_t* text, std::size_t n) const;
  bool wrap(std::uint8_t* out, const std::uint8_t* in, std::size_t n) const;
  bool unwrap(std::uint8_t* out, const std::uint8_t* in, std::size_t n) const;

  const CipherOps& ops_;
};

}  // namespace gpuctr

#endif
