// AES-GCM-SIV (RFC 8452) for EVP. Behaves as OpenSSL 3.6's own under the same calls, except for the
// calls that gpuctr(7) lists.
#ifndef GPUCTR_PROVIDER_MODE_AEAD_GCM_SIV_H
#define GPUCTR_PROVIDER_MODE_AEAD_GCM_SIV_H

#include <cstdlib>

#include "provider/mode/aead/aead_context.h"
#include "provider/mode/aead/gcm_siv_message.h"

namespace gpuctr {

// Associated data: every text under the key hashes all of it, so the bytes are kept. Not secret.
class AssociatedData {
 public:
  AssociatedData() = default;
  AssociatedData(const AssociatedData&) = delete;
  AssociatedData& operator=(const AssociatedData&) = delete;
  ~AssociatedData() { std::free(bytes_); }

  // False: no memory, and nothing is changed.
  bool add(const std::uint8_t* data, std::size_t n);
  void clear() { size_ = 0; }
  const std::uint8_t* bytes() const { return bytes_; }
  std::size_t size() const { return size_; }

 private:
  std::uint8_t* bytes_ = nullptr;
  std::size_t size_ = 0;
  std::size_t room_ = 0;
};

class GcmSivContext final : public AeadContext {
 public:
  GcmSivContext(const ContextMemory& memory, const CipherServices& services,
                const CipherSpec& cipher);
  // Without the associated data.
  GcmSivContext(const ContextMemory& memory, const GcmSivContext& other);
  ~GcmSivContext() override { report(); }
  static std::size_t memory_bytes(const CipherSpec& cipher) {
    return GcmSivMessage::memory_bytes(cipher);
  }

  // `in` nullptr: as final(). `out` nullptr: associated data, or, of no bytes, none from now on.
  // Else the whole text.
  bool update(std::uint8_t* out, std::size_t* written, std::size_t room, const std::uint8_t* in,
              std::size_t n) override;
  bool final(std::uint8_t* out, std::size_t* written, std::size_t room) override;
  bool one_shot(std::uint8_t* out, std::size_t* written, std::size_t room, const std::uint8_t* in,
                std::size_t n) override {
    return update(out, written, room, in, n);
  }

  bool all_or_nothing(Step& step) override;

  // The parameters. A function that fails leaves one error and sets nothing.
  std::size_t iv_length() const override { return kSivNonce; }
  std::size_t tag_length() const { return kSivTag; }
  // The tag that encryption made, nullptr without one.
  const std::uint8_t* made_tag() const { return encrypts() && has_made_tag_ ? made_tag_ : nullptr; }
  bool set_tag(const std::uint8_t* tag, std::size_t n);
  // Whether a message may have more than one text, each with a tag of its own, as in `openssl
  // speed`.
  void set_many_texts(bool many) { state_.many_texts = many; }

 private:
  // The values that parameters set.
  struct State {
    bool many_texts = false;
    bool has_set_tag = false;
    std::uint8_t set_tag[kSivTag] = {};
  };

  bool takes_iv_bytes(std::size_t bytes) const override { return bytes == kSivNonce; }
  void begin(bool new_key, bool new_iv) override;
  CipherContext* copy() const override;

  bool add_aad(const std::uint8_t* aad, std::size_t n);
  bool check_text(const std::uint8_t* out, std::size_t room, const std::uint8_t* in,
                  std::size_t n) const;
  bool take_text();
  void crypt_text(std::uint8_t* out, const std::uint8_t* in, std::size_t n);
  bool finish();
  bool refuse_memory(std::size_t n) const;

  State state_;
  GcmSivMessage message_;
  AssociatedData aad_;
  bool has_message_keys_ = false;  // those of this key and nonce
  bool has_text_ = false;          // the message had its text
  bool has_made_tag_ = false;
  bool is_authentic_ = false;            // the last text that was decrypted had the set tag
  std::uint8_t made_tag_[kSivTag] = {};  // or the one of a text that is authentic
};

}  // namespace gpuctr

#endif
