#include "provider/mode/base/cipher_context.h"

#include <algorithm>
#include <cstdarg>
#include <cstring>
#include <memory>
#include <new>

#include "kernels/base/inline.h"
#include "kernels/base/wipe.h"
#include "provider/core/errors.h"
#include "provider/core/trace.h"
#include "provider/mode/base/context_params.h"

namespace gpuctr {

CipherContext::CipherContext(const ContextMemory& memory, const CipherServices& services,
                             const CipherSpec& cipher, const Mode& mode)
    : services_(services), cipher_(&cipher), mode_(&mode), keys_(*memory.keys) {
  if (mode.has_iv) {
    full_iv_bytes_ = static_cast<std::uint8_t>(std::min(cipher.block_bytes, kMaxBlockIv));
  }
  key_bytes_ = usual_key_bytes(cipher, mode);
  effective_bits_ = cipher.effective_bits;
  max_bytes_ = services.max_bytes;
}

CipherContext::CipherContext(const ContextMemory& memory, const CipherContext& other)
    : CipherSettings(other),
      services_(other.services_),
      cipher_(other.cipher_),
      mode_(other.mode_),
      keys_(*memory.keys) {
  copy_keys(other);
}

CipherContext::~CipherContext() {
  if (has_key_) wipe(&keys_, cipher_->round_key_bytes);
}

void CipherContext::copy_keys(const CipherContext& other) {
  if (other.has_key_) std::memcpy(&keys_, &other.keys_, cipher_->round_key_bytes);
}

void CipherContext::report() const {
  if (!trace_enabled() || traced_ == 0) return;
  trace("%s-%s backend=%s bytes=%llu by-device=%llu%s", cipher_->name, mode_->name, last_backend(),
        static_cast<unsigned long long>(traced_), static_cast<unsigned long long>(by_device_),
        is_constant_time(*cipher_, engine().cpu(*cipher_)) ? "" : " not constant time");
}

void CipherContext::refuse(Reason reason, const char* format, ...) const {
  va_list args;
  va_start(args, format);
  vraise(*services_.core, reason, mode_->evp, call_, format, args);
  va_end(args);
}

CipherContext* CipherContext::duplicate() const {
  std::unique_ptr<CipherContext> made(copy());
  if (made != nullptr && batch_ != nullptr) {
    made->batch_.reset(new (std::nothrow) BatchSettings(*batch_));
    if (made->batch_ == nullptr) made.reset();
  }
  if (made == nullptr) {
    refuse(Reason::kNoMemory, "a copy of a context of %s", cipher_->name);
  }
  return made.release();
}

bool CipherContext::check_key_bytes(std::uint64_t bytes) const {
  const std::size_t least = mode_->keys * cipher_->least_key_bytes;
  const std::size_t most = mode_->keys * cipher_->most_key_bytes;
  if (bytes >= least && bytes <= most) return true;
  const auto number = static_cast<unsigned long long>(bytes);
  if (least == most) {
    refuse(Reason::kKeyLength, "key is %llu bytes, %s takes %zu", number, cipher_->name, most);
  } else {
    refuse(Reason::kKeyLength, "key is %llu bytes, %s takes %zu to %zu", number, cipher_->name,
           least, most);
  }
  return false;
}

// A present key stays, as in OpenSSL's own ciphers with a range of key lengths.
bool CipherContext::set_key_bytes(std::uint64_t bytes) {
  if (!check_key_bytes(bytes)) return false;
  key_bytes_ = static_cast<std::size_t>(bytes);
  return true;
}

bool CipherContext::check_lengths(const std::uint8_t* key, std::size_t key_bytes,
                                  const std::uint8_t* iv, std::size_t iv_bytes) const {
  if (key != nullptr && !check_key_bytes(key_bytes)) return false;
  return iv == nullptr || full_iv_bytes_ == 0 || takes_iv_bytes(iv_bytes) ||
         refuse_iv_bytes(iv_bytes);
}

bool CipherContext::refuse_iv_bytes(std::uint64_t bytes) const {
  const auto number = static_cast<unsigned long long>(bytes);
  if (mode_->most_iv_bytes == 0) {
    refuse(Reason::kIvLength, "IV is %llu bytes, %s-%s takes %zu", number, cipher_->name,
           mode_->name, mode_->iv_bytes(*cipher_));
  } else {
    refuse(Reason::kIvLength, "IV is %llu bytes, %s-%s takes %zu to %zu", number, cipher_->name,
           mode_->name, mode_->least_iv_bytes, mode_->most_iv_bytes);
  }
  return false;
}

void CipherContext::take_iv(const std::uint8_t* iv, std::size_t bytes) {
  if (bytes == kMaxBlockIv) {  // the usual size, without a call
    std::memcpy(iv_, iv, kMaxBlockIv);
  } else {
    std::memcpy(iv_, iv, bytes);
  }
  has_iv_ = true;
}

bool CipherContext::all_or_nothing(Step& step) {
  const CipherSettings before = *this;
  if (step.run()) return true;
  static_cast<CipherSettings&>(*this) = before;
  return false;
}

inline void CipherContext::set_init(const InitCall& call, bool new_key, bool new_iv) {
  encrypt_ = call.encrypt;
  if (new_key) {
    key_bytes_ = call.key_bytes;
    effective_bits_of_key_ =
        effective_bits_ - 1 < 1024 ? static_cast<std::uint16_t>(effective_bits_) : 1024;
    has_key_ = true;
    bytes_ = 0;
  }
  if (new_iv) take_iv(call.iv, call.iv_bytes);
  set_position(new_key, new_iv);
}

void CipherContext::expand(const std::uint8_t* key, std::size_t bytes) {
  expand_on(*cipher_, engine().cpu(*cipher_), key, bytes, &keys_);
}

inline void CipherContext::compute_init(const InitCall& call, bool new_key, bool new_iv) {
  if (new_key) {
    if (cipher_->expand_effective == nullptr) {
      expand(call.key, call.key_bytes);
    } else {
      cipher_->expand_effective(call.key, call.key_bytes, effective_bits_of_key_, &keys_);
    }
    if (cipher_->tweak_bytes != 0) cipher_->set_tweak(tweak_, &keys_);
    tweak_is_new_ = false;
  }
  begin_as_set(new_key, new_iv);
}

inline void CipherContext::begin_as_set(bool new_key, bool new_iv) {
  if (tweak_is_new_) cipher_->set_tweak(tweak_, &keys_);
  begin(new_key || tweak_is_new_, new_iv || iv_is_new_);
  position_is_new_ = tweak_is_new_ = iv_is_new_ = false;
}

void CipherContext::apply_settings() {
  if (position_is_new_ || tweak_is_new_ || iv_is_new_) begin_as_set(false, false);
}

namespace {

// Sets the settings of an init and then its parameters.
template <class SetInit>
struct InitStep final : Step {
  InitStep(CipherContext* context, const GivenParams& given, SetInit set_init)
      : context_(context), given_(given), set_init_(set_init) {}
  bool run() override {
    set_init_();
    return given_.set(context_);
  }
  CipherContext* context_;
  const GivenParams& given_;
  SetInit set_init_;
};

}  // namespace

bool CipherContext::init(const InitCall& call, const OSSL_PARAM* params) {
  const bool new_key = call.key != nullptr, new_iv = has_new_iv(call);
  if (!check_lengths(call.key, call.key_bytes, call.iv, call.iv_bytes)) return false;
  if (new_key && !takes_key(call)) return false;
  if (params == nullptr || params->key == nullptr) {
    set_init(call, new_key, new_iv);
  } else if (!init_with_params(call, params)) {
    return false;
  }
  compute_init(call, new_key, new_iv);
  return true;
}

// Not inline: an init without parameters, the usual case, needs less stack.
GPUCTR_NOINLINE bool CipherContext::init_with_params(const InitCall& call,
                                                     const OSSL_PARAM* params) {
  GivenParams given;
  if (!given.read(*this, params)) return false;
  InitStep step(this, given, [&] { set_init(call, call.key != nullptr, has_new_iv(call)); });
  return all_or_nothing(step);
}

void CipherContext::set_tweak(const std::uint8_t* tweak) {
  std::memcpy(tweak_, tweak, cipher_->tweak_bytes);
  if (batch_ != nullptr) batch_->table = {};
  if (!has_key_) return;
  set_position(true, false);
  tweak_is_new_ = true;
}

bool CipherContext::refuse_without_key() const {
  refuse(Reason::kNoKey, "%s has no key yet", cipher_->name);
  return false;
}

bool CipherContext::refuse_without_iv() const {
  refuse(Reason::kNoIv, "%s-%s has no IV yet", cipher_->name, mode_->name);
  return false;
}

bool CipherContext::refuse_record(const char* why, std::size_t n) const {
  refuse(Reason::kTlsRecord, "a record of %zu bytes of %s-%s %s", n, cipher_->name, mode_->name,
         why);
  return false;
}

bool CipherContext::refuse_room(std::size_t room, std::size_t n) const {
  refuse(Reason::kOutputTooSmall, "room for %zu bytes, %zu are to be written", room, n);
  return false;
}

bool CipherContext::refuse_buffers(const std::uint8_t* in, std::size_t n) const {
  refuse(Reason::kBadParameter, "%zu bytes of %s-%s have no %s buffer: it is NULL", n,
         cipher_->name, mode_->name, in == nullptr ? "input" : "output");
  return false;
}

bool CipherContext::refuse_limit(std::size_t n) const {
  refuse(Reason::kByteLimit, "%zu bytes more: this key of %s has had %llu of its max-bytes = %llu",
         n, cipher_->name, static_cast<unsigned long long>(bytes_),
         static_cast<unsigned long long>(max_bytes_));
  return false;
}

bool CipherContext::refuse_without_device(std::size_t n) const {
  refuse(Reason::kGpuRequired, "no GPU could make %zu bytes of %s", n, cipher_->name);
  return false;
}

bool CipherContext::refuse_overlap(const std::uint8_t* out, const std::uint8_t* in,
                                   std::size_t n) const {
  refuse(Reason::kOverlap, "output at %p and input at %p overlap partly, %zu bytes",
         static_cast<const void*>(out), static_cast<const void*>(in), n);
  return false;
}

const char* CipherContext::backend() const { return engine().cpu_backend().name; }

bool CipherContext::set_effective_bits(std::uint64_t bits) {
  effective_bits_ = static_cast<unsigned>(bits);
  return true;
}

void CipherContext::set_iv(const std::uint8_t* iv) {
  if (!mode_->has_iv) return;
  take_iv(iv, iv_bytes());
  set_position(false, true);
  iv_is_new_ = true;
}

bool CipherContext::set_max_bytes(std::uint64_t bytes) {
  max_bytes_ = bytes;
  return true;
}

}  // namespace gpuctr
