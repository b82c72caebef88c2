// GCM's calls: which calls the state of the IV allows, and the next state.
#include "provider/mode/aead/gcm.h"

#include <cstring>

#include "kernels/base/equal.h"
#include "kernels/base/inline.h"
#include "provider/core/errors.h"
#include "provider/core/overlap.h"
#include "provider/core/random.h"

namespace gpuctr {

GcmContext::GcmContext(const ContextMemory& memory, const CipherServices& services,
                       const CipherSpec& cipher)
    : AeadContext(memory, services, cipher, kGcmMode),
      message_(services.engine, cipher, keys_, reinterpret_cast<GhashKey*>(memory.more)) {}

GcmContext::GcmContext(const ContextMemory& memory, const GcmContext& other)
    : AeadContext(memory, other),
      state_(other.state_),
      message_(other.message_, keys_, reinterpret_cast<GhashKey*>(memory.more)) {}

CipherContext* GcmContext::copy() const { return make_context<GcmContext>(*cipher_, *this); }

const char* GcmContext::backend() const {
  const char* served = message_.served_by();
  return served != nullptr ? served : engine().cpu_backend().name;
}

bool GcmContext::all_or_nothing(Step& step) {
  const State before = state_;
  if (CipherContext::all_or_nothing(step)) return true;
  state_ = before;
  return false;
}

// The usual size without a call.
inline void GcmContext::take_short_iv(const std::uint8_t* iv) {
  std::memcpy(state_.iv, iv, kGcmBlock - 4);
  state_.iv_bytes = kGcmBlock - 4;
  state_.iv_state = Iv::kSet;
}

bool GcmContext::init_iv(bool encrypt, const std::uint8_t* iv, std::size_t bytes) {
  if (bytes != kGcmBlock - 4) return CipherContext::init_iv(encrypt, iv, bytes);
  encrypt_ = encrypt;
  take_short_iv(iv);
  message_.forget();
  return true;
}

void GcmContext::take_iv(const std::uint8_t* iv, std::size_t bytes) {
  if (bytes == kGcmBlock - 4) return take_short_iv(iv);
  std::memcpy(state_.iv, iv, bytes);
  state_.iv_bytes = bytes;
  state_.iv_state = Iv::kSet;
}

// A new key ends a message under way. The IV belongs to that message, so the IV is used.
void GcmContext::set_position(bool new_key, bool) {
  if (new_key && state_.iv_state == Iv::kRunning) state_.iv_state = Iv::kUsed;
}

void GcmContext::begin(bool new_key, bool new_iv) {
  if (new_key) message_.set_key();
  if (new_iv) message_.forget();
}

bool GcmContext::random_iv(std::uint8_t* out, std::size_t n) const {
  if (system_random(out, n)) return true;
  refuse(Reason::kRandEntropy, "the system gave no random IV for %s-GCM", cipher_->name);
  return false;
}

void GcmContext::start_message() {
  state_.has_made_tag = false;
  message_.start(state_.iv, state_.iv_bytes);
  state_.iv_state = Iv::kRunning;
}

// If no IV is set, encryption generates a random IV (SP 800-38D 8.2.2).
bool GcmContext::start_next() {
  if (!check_key()) return false;
  if (state_.iv_state == Iv::kUsed) {
    refuse(Reason::kIvUsed, "the IV of %s-GCM belongs to a message that ended", cipher_->name);
    return false;
  }
  if (state_.iv_state == Iv::kNone) {
    if (!encrypts() || state_.iv_bytes < kGcmBlock - 4) return refuse_without_iv();
    if (!random_iv(state_.iv, state_.iv_bytes)) return false;
    state_.iv_state = Iv::kSet;
  }
  if (state_.iv_state == Iv::kSet) start_message();
  return true;
}

bool GcmContext::refuse_memory(std::size_t n) const {
  refuse(Reason::kDeviceMemory, "%zu bytes of %s-GCM: a record is in ordinary memory", n,
         cipher_->name);
  return false;
}

bool GcmContext::add_aad(const std::uint8_t* aad, std::size_t n) {
  if (message_.text_bytes() != 0) {
    refuse(Reason::kAssociatedData, "%zu bytes after the first data of %s-GCM", n, cipher_->name);
    return false;
  }
  if (!gcm_fits(message_.aad_bytes(), n, kGcmMaxAad)) {
    refuse(Reason::kAssociatedData, "%zu bytes after %llu: 2^61 are the most", n,
           static_cast<unsigned long long>(message_.aad_bytes()));
    return false;
  }
  return message_.add_aad(aad, n) || refuse_without_device(n);
}

GPUCTR_INLINE bool GcmContext::check_text(const std::uint8_t* out, std::size_t room,
                                          const std::uint8_t* in, std::size_t n) {
  if (!check_room(room, n) || !check_limit(n)) return false;
  if (overlaps_partly(out, in, n)) return refuse_overlap(out, in, n);
  if (!gcm_fits(message_.text_bytes(), n, kGcmMaxText)) {
    refuse(Reason::kCounterExhausted, "%zu bytes after %llu of this IV: GCM takes 2^36 - 32", n,
           static_cast<unsigned long long>(message_.text_bytes()));
    return false;
  }
  return true;
}

bool GcmContext::process(std::uint8_t* out, std::size_t* written, std::size_t room,
                         const std::uint8_t* in, std::size_t n) {
  *written = 0;
  if (state_.has_tls_header) return update_record(out, written, room, in, n);
  if (in == nullptr) return n == 0 ? final(out, written, room) : check_buffers(out, in, n);
  if (!start()) return false;
  if (n == 0) return true;
  if (out != nullptr) {
    return check_text(out, room, in, n) && crypt_text(out, written, in, n);
  }
  if (!add_aad(in, n)) return false;
  *written = n;
  return true;
}

// True: the input is text of a message that is under way or due, and check_text() succeeds. False:
// call process().
inline bool GcmContext::is_checked_text(const std::uint8_t* out, std::size_t room,
                                        const std::uint8_t* in, std::size_t n) const {
  return is_checked_but_iv(out, room, in, n) && !state_.has_tls_header &&
         gcm_fits(message_.text_bytes(), n, kGcmMaxText);
}

bool GcmContext::update(std::uint8_t* out, std::size_t* written, std::size_t room,
                        const std::uint8_t* in, std::size_t n) {
  const Iv iv = state_.iv_state;
  if ((iv != Iv::kRunning && iv != Iv::kSet) || !is_checked_text(out, room, in, n)) {
    *written = 0;
    return n == 0 || process(out, written, room, in, n);
  }
  if (iv == Iv::kSet) start_message();
  if (!message_.crypt_blocks(encrypts(), out, in, n)) return crypt_text(out, written, in, n);
  count(n, false);
  *written = n;
  return true;
}

bool GcmContext::crypt_text(std::uint8_t* out, std::size_t* written, const std::uint8_t* in,
                            std::size_t n) {
  const bool done = message_.crypt(encrypts(), out, in, n);
  *written = done ? n : 0;
  if (!done) return refuse_without_device(n);
  count_text(n);
  return true;
}

// As in OpenSSL's GCM: the result is the input's length, for a record too.
bool GcmContext::one_shot(std::uint8_t* out, std::size_t* written, std::size_t room,
                          const std::uint8_t* in, std::size_t n) {
  if (!process(out, written, room, in, n)) return false;
  *written = n;
  return true;
}

bool GcmContext::final(std::uint8_t*, std::size_t* written, std::size_t) {
  *written = 0;
  if (state_.has_tls_header) return update_record(nullptr, written, 0, nullptr, 0);
  if (!start()) return false;
  if (!encrypts()) return check_tag();
  message_.finish(state_.tag);
  state_.tag_bytes = kGcmTag;
  state_.has_made_tag = true;
  state_.iv_state = Iv::kUsed;
  return true;
}

// A wrong tag also ends the message, so that a caller cannot try a second tag.
bool GcmContext::check_tag() {
  if (state_.tag_bytes == 0) {
    refuse(Reason::kTagState, "decryption with %s-GCM ends with a tag, and none is set",
           cipher_->name);
    return false;
  }
  Wiped<std::uint8_t[kGcmTag]> tag;
  message_.finish(tag.value);
  state_.iv_state = Iv::kUsed;
  return equal_in_constant_time(tag.value, state_.tag, state_.tag_bytes) ||
         refuse_tag(state_.tag_bytes);
}

}  // namespace gpuctr
