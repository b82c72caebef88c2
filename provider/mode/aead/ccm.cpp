// CCM's calls: which calls the state of the IV allows, and the next state.
#include "provider/mode/aead/ccm.h"

#include <cstring>

#include "kernels/base/equal.h"
#include "kernels/base/wipe.h"
#include "provider/core/errors.h"
#include "provider/core/overlap.h"

namespace gpuctr {

CcmContext::CcmContext(const ContextMemory& memory, const CipherServices& services,
                       const CipherSpec& cipher)
    : AeadContext(memory, services, cipher, kCcmMode),
      message_(services.engine->cpu(cipher), keys_) {}

CcmContext::CcmContext(const ContextMemory& memory, const CcmContext& other)
    : AeadContext(memory, other),
      state_(other.state_),
      message_(other.message_, keys_),
      text_bytes_(other.text_bytes_),
      has_aad_(other.has_aad_) {}

CipherContext* CcmContext::copy() const { return make_context<CcmContext>(*cipher_, *this); }

bool CcmContext::all_or_nothing(Step& step) {
  const State before = state_;
  if (CipherContext::all_or_nothing(step)) return true;
  state_ = before;
  return false;
}

void CcmContext::take_iv(const std::uint8_t* iv, std::size_t bytes) {
  std::memcpy(state_.iv, iv, bytes);
  state_.iv_state = Iv::kSet;
}

// A new key ends a message under way. The IV belongs to that message, so the IV is used.
void CcmContext::set_position(bool new_key, bool) {
  if (!new_key) return;
  state_.key_iv_bytes = state_.iv_bytes;
  state_.key_tag_bytes = state_.tag_bytes;
  if (state_.iv_state == Iv::kRunning) state_.iv_state = Iv::kUsed;
}

void CcmContext::begin(bool new_key, bool new_iv) {
  if (new_key || new_iv) message_.forget();
}

// Whether the key is set, and an IV whose message has not ended.
bool CcmContext::check_iv() const {
  if (!check_key()) return false;
  if (state_.iv_state == Iv::kNone) return refuse_without_iv();
  if (state_.iv_state == Iv::kSet || state_.iv_state == Iv::kRunning) return true;
  refuse(Reason::kIvUsed, "the IV of %s-CCM belongs to a message that ended", cipher_->name);
  return false;
}

// OpenSSL fixes the lengths of IV and tag when the key is set. It truncates an IV that is longer
// than the fixed length, so two different IVs may become equal. This provider refuses such an IV.
bool CcmContext::check_lengths_of_key() const {
  if (state_.iv_bytes != state_.key_iv_bytes) {
    refuse(Reason::kIvLength,
           "IV is %zu bytes, the key of %s-CCM was set for %zu: set the length before the key",
           state_.iv_bytes, cipher_->name, state_.key_iv_bytes);
    return false;
  }
  if (encrypts() || state_.tag_bytes == state_.key_tag_bytes) return true;
  refuse(Reason::kTagLength,
         "tag has %zu bytes, the key of %s-CCM was set for %zu: set the length before the key",
         state_.tag_bytes, cipher_->name, state_.key_tag_bytes);
  return false;
}

void CcmContext::start_message(std::uint64_t text_bytes) {
  message_.start(state_.iv, state_.iv_bytes, state_.key_tag_bytes, text_bytes);
  text_bytes_ = text_bytes;
  has_aad_ = false;
  state_.has_made_tag = false;
  state_.iv_state = Iv::kRunning;
}

// Announces the text's length. A second announcement restarts the message.
bool CcmContext::announce(std::uint64_t text_bytes) {
  if (!check_iv() || !check_lengths_of_key()) return false;
  start_message(text_bytes);
  return true;
}

bool CcmContext::refuse_memory(std::size_t n) const {
  refuse(Reason::kDeviceMemory, "%zu bytes of %s-CCM: this mode takes ordinary memory", n,
         cipher_->name);
  return false;
}

bool CcmContext::add_aad(const std::uint8_t* aad, std::size_t n) {
  if (!check_iv()) return false;
  if (n == 0) return true;
  if (state_.iv_state != Iv::kRunning) {
    refuse(Reason::kTextLength,
           "%s-CCM takes associated data after the text's length: an update without buffers",
           cipher_->name);
    return false;
  }
  if (has_aad_) {
    refuse(Reason::kAssociatedData, "%zu bytes more: %s-CCM takes them in one call", n,
           cipher_->name);
    return false;
  }
  if (engine().is_device(aad)) return refuse_memory(n);
  message_.add_aad(aad, n);
  has_aad_ = true;
  return true;
}

bool CcmContext::check_text_length(std::size_t n) const {
  if (state_.iv_state == Iv::kRunning && n != text_bytes_) {
    refuse(Reason::kTextLength, "%zu bytes: a text of %llu was announced to %s-CCM", n,
           static_cast<unsigned long long>(text_bytes_), cipher_->name);
    return false;
  }
  if (n <= ccm_max_text(state_.iv_bytes)) return true;
  refuse(Reason::kTextLength, "%zu bytes: an IV of %zu leaves %s-CCM room for %llu", n,
         state_.iv_bytes, cipher_->name,
         static_cast<unsigned long long>(ccm_max_text(state_.iv_bytes)));
  return false;
}

bool CcmContext::check_text(const std::uint8_t* out, std::size_t room, const std::uint8_t* in,
                            std::size_t n) const {
  if (!check_iv() || !check_lengths_of_key() || !check_text_length(n)) return false;
  if (!encrypts() && !state_.has_set_tag) {
    refuse(Reason::kTagState, "decryption with %s-CCM needs the tag first", cipher_->name);
    return false;
  }
  if (!check_room(room, n) || !check_limit(n)) return false;
  if (overlaps_partly(out, in, n)) return refuse_overlap(out, in, n);
  return !engine().is_device(out, in) || refuse_memory(n);
}

// Called after check_text(). On a wrong tag, `out` becomes zeros.
bool CcmContext::crypt_text(std::uint8_t* out, const std::uint8_t* in, std::size_t n) {
  if (state_.iv_state == Iv::kSet) start_message(n);
  message_.crypt(encrypts(), out, in, n);
  count(n, false);
  Wiped<std::uint8_t[kCcmTag]> tag;
  message_.finish(tag.value);
  state_.iv_state = Iv::kUsed;
  if (encrypts()) {
    std::memcpy(state_.made_tag, tag.value, kCcmTag);
    state_.has_made_tag = true;
    return true;
  }
  if (equal_in_constant_time(tag.value, state_.set_tag, state_.tag_bytes)) {
    state_.has_set_tag = false;
    return true;
  }
  wipe(out, n);
  state_.iv_state = Iv::kWrong;
  return refuse_tag(state_.tag_bytes);
}

bool CcmContext::process(std::uint8_t* out, std::size_t* written, std::size_t room,
                         const std::uint8_t* in, std::size_t n) {
  if (state_.tls) return update_record(out, written, room, in, n);
  if (out == nullptr) {
    if (!(in == nullptr ? announce(n) : add_aad(in, n))) return false;
  } else if (in == nullptr) {
    return check_key();
  } else if (!check_text(out, room, in, n) || !crypt_text(out, in, n)) {
    return false;
  }
  *written = n;
  return true;
}

bool CcmContext::update(std::uint8_t* out, std::size_t* written, std::size_t room,
                        const std::uint8_t* in, std::size_t n) {
  *written = 0;
  return process(out, written, room, in, n);
}

// As in OpenSSL's CCM: the result is the input's length, for a record too. A call without input is
// a final, unless it announces a length.
bool CcmContext::one_shot(std::uint8_t* out, std::size_t* written, std::size_t room,
                          const std::uint8_t* in, std::size_t n) {
  *written = 0;
  if (in == nullptr && (out != nullptr || n == 0)) return final(out, written, room);
  if (!process(out, written, room, in, n)) return false;
  *written = n;
  return true;
}

bool CcmContext::final(std::uint8_t*, std::size_t* written, std::size_t) {
  *written = 0;
  if (!check_key()) return false;
  if (state_.tls) return refuse_record("has no final", 0);
  if (state_.iv_state == Iv::kWrong) return refuse_tag(state_.tag_bytes);
  if (state_.iv_state == Iv::kNone || state_.iv_state == Iv::kUsed) return true;
  std::uint8_t none;
  return check_text(&none, 0, &none, 0) && crypt_text(&none, &none, 0);
}

}  // namespace gpuctr
