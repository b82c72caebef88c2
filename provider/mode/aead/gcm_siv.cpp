// AES-GCM-SIV's calls. OpenSSL's own cipher has these rules: a message begins with any init; it has
// one text, because the tag of the whole text determines its keystream; associated data stays for
// the messages that follow, until an update without bytes.
#include "provider/mode/aead/gcm_siv.h"

#include <algorithm>
#include <cstring>

#include "kernels/base/equal.h"
#include "kernels/base/wipe.h"
#include "provider/core/errors.h"
#include "provider/core/overlap.h"

namespace gpuctr {

bool AssociatedData::add(const std::uint8_t* data, std::size_t n) {
  if (n > room_ - size_) {
    const std::size_t room = std::max(size_ + n, std::max<std::size_t>(2 * room_, 64));
    void* const grown = std::realloc(bytes_, room);
    if (grown == nullptr) return false;
    bytes_ = static_cast<std::uint8_t*>(grown);
    room_ = room;
  }
  std::memcpy(bytes_ + size_, data, n);
  size_ += n;
  return true;
}

GcmSivContext::GcmSivContext(const ContextMemory& memory, const CipherServices& services,
                             const CipherSpec& cipher)
    : AeadContext(memory, services, cipher, kGcmSivMode),
      message_(*services.engine, cipher, keys_, memory.more) {}

GcmSivContext::GcmSivContext(const ContextMemory& memory, const GcmSivContext& other)
    : AeadContext(memory, other),
      state_(other.state_),
      message_(*other.services_.engine, *other.cipher_, keys_, memory.more),
      has_text_(other.has_text_),
      has_made_tag_(other.has_made_tag_),
      is_authentic_(other.is_authentic_) {
  std::memcpy(made_tag_, other.made_tag_, sizeof made_tag_);
}

CipherContext* GcmSivContext::copy() const {
  GcmSivContext* const made = make_context<GcmSivContext>(*cipher_, *this);
  if (made == nullptr || aad_.size() == 0 || made->aad_.add(aad_.bytes(), aad_.size())) return made;
  delete made;
  return nullptr;
}

bool GcmSivContext::all_or_nothing(Step& step) {
  const State before = state_;
  if (CipherContext::all_or_nothing(step)) return true;
  state_ = before;
  return false;
}

void GcmSivContext::begin(bool new_key, bool new_iv) {
  if (new_key || new_iv) {
    message_.forget();
    has_message_keys_ = false;
  }
  has_text_ = has_made_tag_ = is_authentic_ = false;
}

bool GcmSivContext::set_tag(const std::uint8_t* tag, std::size_t n) {
  if (n != kSivTag) {
    refuse(Reason::kUnreadableParameter, "tag has %zu bytes, %s-GCM-SIV takes %zu", n,
           cipher_->name, kSivTag);
    return false;
  }
  if (encrypts()) return true;
  std::memcpy(state_.set_tag, tag, n);
  state_.has_set_tag = true;
  return true;
}

bool GcmSivContext::refuse_memory(std::size_t n) const {
  refuse(Reason::kDeviceMemory, "%zu bytes of %s-GCM-SIV: this mode takes ordinary memory", n,
         cipher_->name);
  return false;
}

bool GcmSivContext::add_aad(const std::uint8_t* aad, std::size_t n) {
  if (n == 0) {
    aad_.clear();
    return true;
  }
  if (n > kSivMost || aad_.size() > kSivMost - n) {
    refuse(Reason::kAssociatedData, "%zu bytes after %zu: %s-GCM-SIV takes 2^36", n, aad_.size(),
           cipher_->name);
    return false;
  }
  if (engine().is_device(aad)) return refuse_memory(n);
  if (aad_.add(aad, n)) return true;
  refuse(Reason::kNoMemory, "%zu bytes of associated data of %s-GCM-SIV", n, cipher_->name);
  return false;
}

bool GcmSivContext::check_text(const std::uint8_t* out, std::size_t room, const std::uint8_t* in,
                               std::size_t n) const {
  if (!check_key_and_iv() || !check_room(room, n) || !check_limit(n)) return false;
  if (n > kSivMost) {
    refuse(Reason::kTextLength, "%zu bytes: %s-GCM-SIV takes 2^36", n, cipher_->name);
    return false;
  }
  if (overlaps_partly(out, in, n)) return refuse_overlap(out, in, n);
  return !engine().is_device(out, in) || refuse_memory(n);
}

// A second text of a message is refused. OpenSSL then has no tag of the first either.
bool GcmSivContext::take_text() {
  has_made_tag_ = is_authentic_ = false;
  if (has_text_ && !state_.many_texts) {
    refuse(Reason::kIvUsed, "%s-GCM-SIV takes the whole text in one update", cipher_->name);
    return false;
  }
  has_text_ = true;
  return true;
}

// Called after check_text() and take_text(). Text whose tag is wrong becomes zeros.
void GcmSivContext::crypt_text(std::uint8_t* out, const std::uint8_t* in, std::size_t n) {
  if (!has_message_keys_) message_.start(iv_);
  has_message_keys_ = true;
  if (encrypts()) {
    message_.encrypt(aad_.bytes(), aad_.size(), in, out, n, made_tag_);
  } else {
    Wiped<std::uint8_t[kSivTag]> tag;
    message_.decrypt(aad_.bytes(), aad_.size(), in, out, n, state_.set_tag, tag.value);
    is_authentic_ =
        state_.has_set_tag && equal_in_constant_time(tag.value, state_.set_tag, kSivTag);
    if (is_authentic_) {
      std::memcpy(made_tag_, tag.value, kSivTag);
    } else {
      wipe(out, n);
    }
  }
  has_made_tag_ = true;
  count(n, false);
}

bool GcmSivContext::finish() {
  if (!check_key_and_iv()) return false;
  if (!has_made_tag_) {
    if (!take_text()) return false;
    std::uint8_t none = 0;
    crypt_text(&none, &none, 0);
  }
  if (encrypts()) return true;
  // Another tag may be set since the text.
  return (is_authentic_ && equal_in_constant_time(made_tag_, state_.set_tag, kSivTag)) ||
         refuse_tag(kSivTag);
}

// As in OpenSSL's own cipher: the result is the input's length, without input too.
bool GcmSivContext::update(std::uint8_t* out, std::size_t* written, std::size_t room,
                           const std::uint8_t* in, std::size_t n) {
  *written = 0;
  if (in == nullptr) {
    if (!finish()) return false;
  } else if (out == nullptr) {
    if (!add_aad(in, n)) return false;
  } else {
    if (!check_text(out, room, in, n) || !take_text()) return false;
    crypt_text(out, in, n);
  }
  *written = n;
  return true;
}

bool GcmSivContext::final(std::uint8_t*, std::size_t* written, std::size_t) {
  *written = 0;
  return finish();
}

}  // namespace gpuctr
