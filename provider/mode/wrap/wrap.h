// Key wrapping, as in OpenSSL's ciphers for it: each update is one message.
#ifndef GPUCTR_PROVIDER_MODE_WRAP_WRAP_H
#define GPUCTR_PROVIDER_MODE_WRAP_WRAP_H

#include "provider/mode/base/cipher_context.h"
#include "provider/mode/wrap/key_wrap.h"

namespace gpuctr {

class WrapContext final : public CipherContext {
 public:
  WrapContext(const ContextMemory& memory, const CipherServices& services, const CipherSpec& cipher,
              const Mode& mode)
      : CipherContext(memory, services, cipher, mode), ops_(services.engine->cpu(cipher)) {}
  WrapContext(const ContextMemory& memory, const WrapContext& other);
  ~WrapContext() override { report(); }

  // Wraps or unwraps n bytes. Input and output may overlap in any way. Wrapping writes n bytes,
  // padded to whole semiblocks, and 8 more. EVP states n + 8 bytes of room, so with padding up to 7
  // bytes more than `room` are written. Unwrapping writes n - 8 bytes, of which *written are text;
  // after a failed check they are zeros. Without `out`, only *written is set. That is the most
  // bytes of text if padding is to be removed.
  bool update(std::uint8_t* out, std::size_t* written, std::size_t room, const std::uint8_t* in,
              std::size_t n) override;
  // Does nothing, also without a key.
  bool final(std::uint8_t* out, std::size_t* written, std::size_t room) override;
  // The mode has none (Mode::one_shot).
  bool one_shot(std::uint8_t* out, std::size_t* written, std::size_t room, const std::uint8_t* in,
                std::size_t n) override {
    return update(out, written, room, in, n);
  }

  std::size_t iv_length() const override { return mode_->usual_iv_bytes; }
  std::uint8_t* updated_iv(bool) override { return used_iv_; }

 private:
  bool takes_iv_bytes(std::size_t bytes) const override { return bytes == iv_length(); }
  void begin(bool new_key, bool new_iv) override;
  CipherContext* copy() const override { return make_context<WrapContext>(*cipher_, *this); }

  bool pads() const;
  // Whether wrapping uses the block cipher's inverse (SP 800-38F 5.1).
  bool is_inverse() const;
  bool check_length(std::size_t n) const;
  bool check_call(const std::uint8_t* out, std::size_t room, const std::uint8_t* in,
                  std::size_t n) const;
  const std::uint8_t* icv() const;
  std::size_t wrap(std::uint8_t* out, const std::uint8_t* in, std::size_t n) const;
  bool unwrap(std::uint8_t* out, std::size_t* written, const std::uint8_t* in, std::size_t n) const;

  const CipherOps& ops_;
  // The IV, which a program can write by EVP_CIPHER_CTX_iv_noconst().
  std::uint8_t used_iv_[kSemiblock] = {};
};

}  // namespace gpuctr

#endif
