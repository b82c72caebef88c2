// Counter with CBC-MAC (SP 800-38C, RFC 3610) for EVP. Behaves as OpenSSL's own CCM under the same
// calls, except for the calls that gpuctr(7) lists.
#ifndef GPUCTR_PROVIDER_MODE_AEAD_CCM_H
#define GPUCTR_PROVIDER_MODE_AEAD_CCM_H

#include <algorithm>

#include "provider/mode/aead/aead_context.h"
#include "provider/mode/aead/ccm_message.h"

namespace gpuctr {

class CcmContext final : public AeadContext {
 public:
  CcmContext(const ContextMemory& memory, const CipherServices& services, const CipherSpec& cipher);
  CcmContext(const ContextMemory& memory, const CcmContext& other);
  ~CcmContext() override { report(); }

  // `out` and `in` nullptr: announces a text of n bytes. Only `out` nullptr: n bytes of associated
  // data. Only `in` nullptr: no effect. Else the whole text.
  bool update(std::uint8_t* out, std::size_t* written, std::size_t room, const std::uint8_t* in,
              std::size_t n) override;
  // Ends a message without a text.
  bool final(std::uint8_t* out, std::size_t* written, std::size_t room) override;
  bool one_shot(std::uint8_t* out, std::size_t* written, std::size_t room, const std::uint8_t* in,
                std::size_t n) override;

  bool all_or_nothing(Step& step) override;

  // The parameters. A function that fails leaves one error and sets nothing.
  std::size_t iv_length() const override { return state_.iv_bytes; }
  const std::uint8_t* current_iv() const { return state_.iv; }
  // As in OpenSSL's CCM: the answer may be longer than the IV. The rest is zeros, or the end of a
  // longer IV that was set earlier.
  std::size_t iv_answer_length(std::size_t room) const { return std::min(room, kCcmBlock); }
  bool set_iv_length(std::uint64_t bytes);
  std::size_t tag_length() const { return state_.tag_bytes; }
  // The length of the tag that encryption made, bytes.
  std::size_t made_tag_length() const { return state_.key_tag_bytes; }
  bool has_tag_answer() const;
  const std::uint8_t* tag() const { return state_.made_tag; }
  // As in OpenSSL's CCM: a tag can be read once. The next message needs a new IV.
  void took_tag() {
    state_.has_made_tag = false;
    state_.iv_state = Iv::kUsed;
  }
  // tag == nullptr: sets only the length.
  bool set_tag(const std::uint8_t* tag, std::size_t n);
  std::size_t tls_pad() const { return state_.tls_pad; }
  bool set_tls_header(const std::uint8_t* header, std::size_t n);
  bool set_tls_fixed_iv(const std::uint8_t* iv, std::size_t n);

 private:
  // The state of the IV.
  enum class Iv {
    kNone,     // no IV is set
    kSet,      // no message has begun with this IV
    kRunning,  // the IV of the message under way, whose text length is known
    kUsed,     // the IV of a message that ended, or an IV that must not be used
    kWrong     // the IV of a message that ended with a wrong tag
  };

  // The values that parameters and inits set.
  struct State {
    Iv iv_state = Iv::kNone;
    std::size_t iv_bytes = kCcmMinIv;  // OpenSSL's default: L = 8
    std::uint8_t iv[kCcmBlock] = {};   // the most bytes of OpenSSL's answer
    std::size_t tag_bytes = 12;
    // The lengths of IV and tag when the key was set. As in OpenSSL, messages use these lengths.
    std::size_t key_iv_bytes = 0;
    std::size_t key_tag_bytes = 0;
    bool has_set_tag = false;  // for decryption
    std::uint8_t set_tag[kCcmTag] = {};
    bool has_made_tag = false;  // an encryption ended, and no other message has begun
    std::uint8_t made_tag[kCcmTag] = {};
    bool tls = false;             // true from the first header on: all data is TLS records
    bool has_tls_header = false;  // the header of the next record is set
    std::uint8_t tls_header[kTlsHeader] = {};
    std::size_t tls_pad = 0;
    bool has_fixed_iv = false;
  };

  bool takes_iv_bytes(std::size_t bytes) const override { return bytes == state_.iv_bytes; }
  void take_iv(const std::uint8_t* iv, std::size_t bytes) override;
  void set_position(bool new_key, bool new_iv) override;
  void begin(bool new_key, bool new_iv) override;
  void describe_batch(bulk::Batch* batch) const override {
    batch->mode = bulk::BatchMode::kCcm;
    batch->tag_bytes = tag_length();
  }
  CipherContext* copy() const override;

  bool check_iv() const;
  bool check_lengths_of_key() const;
  void start_message(std::uint64_t text_bytes);
  bool announce(std::uint64_t text_bytes);
  bool add_aad(const std::uint8_t* aad, std::size_t n);
  bool check_text_length(std::size_t n) const;
  bool check_text(const std::uint8_t* out, std::size_t room, const std::uint8_t* in,
                  std::size_t n) const;
  bool crypt_text(std::uint8_t* out, const std::uint8_t* in, std::size_t n);
  // The common part of update() and one_shot().
  bool process(std::uint8_t* out, std::size_t* written, std::size_t room, const std::uint8_t* in,
               std::size_t n);
  bool update_record(std::uint8_t* data, std::size_t* written, std::size_t room,
                     const std::uint8_t* in, std::size_t n);
  bool check_record(const std::uint8_t* data, const std::uint8_t* in, std::size_t n) const;
  bool crypt_record(std::uint8_t* data, std::size_t n);
  // The bytes of a record without its text.
  std::size_t record_overhead() const { return kTlsExplicitIv + state_.tag_bytes; }
  bool refuse_memory(std::size_t n) const;

  State state_;
  CcmMessage message_;
  std::uint64_t text_bytes_ = 0;  // the length of the current message's text
  bool has_aad_ = false;          // the current message has had its associated data
};

}  // namespace gpuctr

#endif
