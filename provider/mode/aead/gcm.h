// Galois/counter mode (SP 800-38D) for EVP. Behaves as OpenSSL's own GCM under the same calls.
#ifndef GPUCTR_PROVIDER_MODE_AEAD_GCM_H
#define GPUCTR_PROVIDER_MODE_AEAD_GCM_H

#include "provider/mode/aead/aead_context.h"
#include "provider/mode/aead/gcm_message.h"

namespace gpuctr {

class GcmContext final : public AeadContext {
 public:
  GcmContext(const ContextMemory& memory, const CipherServices& services, const CipherSpec& cipher);
  GcmContext(const ContextMemory& memory, const GcmContext& other);
  ~GcmContext() override { report(); }
  static std::size_t memory_bytes(const CipherSpec&) { return sizeof(GhashKey); }

  bool init_iv(bool encrypt, const std::uint8_t* iv, std::size_t iv_bytes) override;
  // `out` nullptr: the input is associated data. `in` nullptr: as final().
  bool update(std::uint8_t* out, std::size_t* written, std::size_t room, const std::uint8_t* in,
              std::size_t n) override;
  // Encryption makes the tag. Decryption compares the tag with the set tag in constant time.
  bool final(std::uint8_t* out, std::size_t* written, std::size_t room) override;
  bool one_shot(std::uint8_t* out, std::size_t* written, std::size_t room, const std::uint8_t* in,
                std::size_t n) override;
  const char* backend() const override;

  bool all_or_nothing(Step& step) override;

  // The parameters. A function that fails leaves one error and sets nothing.
  std::size_t iv_length() const override { return state_.iv_bytes; }
  const std::uint8_t* current_iv() const { return state_.iv; }
  std::size_t iv_answer_length(std::size_t) const { return state_.iv_bytes; }
  bool set_iv_length(std::uint64_t bytes);
  bool has_iv_answer() const;
  std::size_t tag_length() const { return state_.tag_bytes == 0 ? kGcmTag : state_.tag_bytes; }
  const std::uint8_t* tag() const { return state_.tag; }
  bool has_tag_answer() const;
  bool set_tag(const std::uint8_t* tag, std::size_t n);
  std::size_t tls_pad() const { return state_.tls_pad; }
  bool set_tls_header(const std::uint8_t* header, std::size_t n);
  // n == SIZE_MAX: `iv` is the whole IV.
  bool set_tls_fixed_iv(const std::uint8_t* iv, std::size_t n);
  // Sets the explicit IV of the next record to decrypt.
  bool set_tls_explicit_iv(const std::uint8_t* iv, std::size_t n);
  bool has_next_tls_iv() const;
  // Begins a message with the next IV, writes the last n bytes of that IV and returns their number.
  // If n is 0 or more than the IV's length, writes the whole IV.
  std::size_t next_tls_iv(std::uint8_t* out, std::size_t n);

 private:
  // The state of the IV.
  enum class Iv {
    kNone,     // no IV is set
    kSet,      // no message has begun with this IV
    kRunning,  // the IV of the message under way
    kUsed      // the IV of a message that ended, or an IV that must not be used
  };

  // The values that parameters set.
  struct State {
    Iv iv_state = Iv::kNone;
    std::size_t iv_bytes = 12;
    std::uint8_t iv[kMaxIvBytes] = {};
    bool counts_ivs = false;    // tlsivfixed is set: IVs may be counted up
    std::size_t tag_bytes = 0;  // 0: no tag
    std::uint8_t tag[kGcmTag] = {};
    bool has_made_tag = false;    // an encryption ended, and no other message has begun
    bool has_tls_header = false;  // the next update is a record
    std::uint8_t tls_header[kTlsHeader] = {};
    std::size_t tls_pad = 0;
  };

  bool takes_iv_bytes(std::size_t bytes) const override {
    return bytes != 0 && bytes <= kMaxIvBytes;
  }
  void take_iv(const std::uint8_t* iv, std::size_t bytes) override;
  void take_short_iv(const std::uint8_t* iv);
  void set_position(bool new_key, bool new_iv) override;
  void begin(bool new_key, bool new_iv) override;
  void describe_batch(bulk::Batch* batch) const override {
    batch->mode = bulk::BatchMode::kGcm;
    batch->tag_bytes = tag_length();
  }
  CipherContext* copy() const override;

  // Starts a message unless one is under way. False, with an error.
  bool start() { return (has_key_ && state_.iv_state == Iv::kRunning) || start_next(); }
  bool start_next();
  void start_message();
  bool random_iv(std::uint8_t* out, std::size_t n) const;
  bool add_aad(const std::uint8_t* aad, std::size_t n);
  bool check_text(const std::uint8_t* out, std::size_t room, const std::uint8_t* in, std::size_t n);
  bool is_checked_text(const std::uint8_t* out, std::size_t room, const std::uint8_t* in,
                       std::size_t n) const;
  // Not inline: the usual text needs fewer registers then.
  GPUCTR_NOINLINE bool crypt_text(std::uint8_t* out, std::size_t* written, const std::uint8_t* in,
                                  std::size_t n);
  bool check_tag();
  // The common part of update() and one_shot().
  bool process(std::uint8_t* out, std::size_t* written, std::size_t room, const std::uint8_t* in,
               std::size_t n);
  bool update_record(std::uint8_t* data, std::size_t* written, std::size_t room,
                     const std::uint8_t* in, std::size_t n);
  bool check_record(const std::uint8_t* data, const std::uint8_t* in, std::size_t n);
  bool crypt_record(std::uint8_t* data, std::size_t n);
  bool has_fixed_iv(const char* what) const;
  bool refuse_memory(std::size_t n) const;
  void count_text(std::size_t n) { count(n, is_served_by_device(message_.served_by())); }

  State state_;
  GcmMessage message_;
};

}  // namespace gpuctr

#endif
