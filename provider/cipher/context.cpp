#include "provider/cipher/context.h"

#include <cstring>
#include <new>

#include "kernels/base/wipe.h"
#include "provider/cipher/pipeline.h"
#include "provider/core/errors.h"
#include "provider/core/overlap.h"
#include "provider/core/trace.h"

namespace gpuctr {
namespace {

// in == out is fine, and so is no overlap; anything between would overwrite input before its use.
bool overlaps_partly(const std::uint8_t* out, const std::uint8_t* in, std::size_t n) {
  return out != in && overlap(out, n, in, n);
}

}  // namespace

CipherContext::CipherContext(ProviderContext* provider, const CipherSpec& cipher, Mode mode)
    : provider_(provider),
      cipher_(&cipher),
      mode_(mode),
      keys_(),
      max_bytes_(provider->settings.max_bytes),
      field_(cipher.block_bytes, static_cast<unsigned>(8 * cipher.block_bytes)),
      stream_(provider->engine.get()) {}

CipherContext::CipherContext(const CipherContext& other)
    : provider_(other.provider_),
      cipher_(other.cipher_),
      mode_(other.mode_),
      encrypt_(other.encrypt_),
      has_key_(other.has_key_),
      has_iv_(other.has_iv_),
      padding_(other.padding_),
      keys_(other.keys_),
      bytes_(other.bytes_),
      max_bytes_(other.max_bytes_),
      field_(other.field_),
      num_(other.num_),
      blocks_used_(other.blocks_used_),
      stream_(other.provider_->engine.get()),
      pending_bytes_(other.pending_bytes_) {
  std::memcpy(iv_, other.iv_, sizeof iv_);
  std::memcpy(counter_, other.counter_, sizeof counter_);
  std::memcpy(in_use_, other.in_use_, sizeof in_use_);
  ready_.copy(other.ready_, other.rest_of_block());
  std::memcpy(pending_, other.pending_, sizeof pending_);
  // Nobody has a pointer into the copy, but the original's counter may have been written.
  lent_ = other.lent_;
  std::memcpy(noted_, other.noted_, sizeof noted_);
  settle_counter();
  lent_ = false;
}

CipherContext::~CipherContext() {
  if (trace_enabled() && traced_ != 0) {
    trace("%s-%s machine=%s bytes=%llu by-card=%llu", cipher_->name,
          mode_ == Mode::kCtr ? "CTR" : "ECB", machine(), static_cast<unsigned long long>(traced_),
          static_cast<unsigned long long>(by_card_));
  }
  stream_.reset();
  wipe(&keys_, sizeof keys_);
  wipe(pending_, sizeof pending_);
}

CipherContext* CipherContext::duplicate() const {
  std::unique_ptr<CipherContext> copy(new (std::nothrow) CipherContext(*this));
  bool done = copy != nullptr;
  if (done && pipeline_ != nullptr) {
    copy->pipeline_.reset(new (std::nothrow) Pipeline(*copy));
    done = copy->pipeline_ != nullptr && copy->pipeline_->copy(*pipeline_);
  }
  if (done) return copy.release();
  raise(provider_, Reason::kNoMemory, "a copy of a context of %s", cipher_->name);
  return nullptr;
}

Pipeline* CipherContext::pipeline() {
  if (pipeline_ == nullptr) pipeline_.reset(new (std::nothrow) Pipeline(*this));
  if (pipeline_ == nullptr) {
    raise(provider_, Reason::kNoMemory, "pipes of %s-CTR", cipher_->name);
  }
  return pipeline_.get();
}

bool CipherContext::check_lengths(const std::uint8_t* key, std::size_t key_bytes,
                                  const std::uint8_t* iv, std::size_t iv_bytes) const {
  if (key != nullptr && key_bytes != cipher_->key_bytes) {
    raise(provider_, Reason::kKeyLength, "key is %zu bytes, %s takes %zu", key_bytes, cipher_->name,
          cipher_->key_bytes);
    return false;
  }
  if (iv != nullptr && mode_ == Mode::kCtr && iv_bytes != cipher_->block_bytes) {
    raise(provider_, Reason::kIvLength, "IV is %zu bytes, %s-CTR takes %zu", iv_bytes,
          cipher_->name, cipher_->block_bytes);
    return false;
  }
  return true;
}

void CipherContext::take_key(const CipherContext& other) {
  keys_ = other.keys_;
  has_key_ = other.has_key_;
}

bool CipherContext::init(bool encrypt, const std::uint8_t* key, std::size_t key_bytes,
                         const std::uint8_t* iv, std::size_t iv_bytes) {
  if (!check_lengths(key, key_bytes, iv, iv_bytes)) return false;
  encrypt_ = encrypt;
  stream_.reset();
  wipe(pending_, sizeof pending_);
  pending_bytes_ = 0;
  if (key != nullptr) {
    cipher_->expand(key, &keys_);
    has_key_ = true;
    bytes_ = 0;
  }
  ready_.clear();
  num_ = 0;
  if (iv != nullptr && mode_ == Mode::kCtr) {
    std::memcpy(iv_, iv, iv_bytes);
    std::memcpy(counter_, iv, iv_bytes);
    has_iv_ = true;
    blocks_used_ = 0;
  }
  return true;
}

bool CipherContext::check_ready(bool needs_iv) const {
  if (!has_key_) {
    raise(provider_, Reason::kNoKey, "%s has no key yet", cipher_->name);
    return false;
  }
  if (needs_iv && !has_iv_) {
    raise(provider_, Reason::kNoIv, "%s-CTR has no IV yet", cipher_->name);
    return false;
  }
  return true;
}

bool CipherContext::check_room(std::size_t room, std::size_t n) const {
  if (room >= n) return true;
  raise(provider_, Reason::kOutputTooSmall, "room for %zu bytes, %zu are to be written", room, n);
  return false;
}

bool CipherContext::check_limit(std::size_t n) const {
  if (max_bytes_ == 0 || (bytes_ <= max_bytes_ && n <= max_bytes_ - bytes_)) return true;
  raise(provider_, Reason::kByteLimit,
        "%zu bytes more: this key of %s has had %llu of its max-bytes = %llu", n, cipher_->name,
        static_cast<unsigned long long>(bytes_), static_cast<unsigned long long>(max_bytes_));
  return false;
}

void CipherContext::count(std::size_t n) {
  bytes_ += n;
  traced_ += n;
  if (machine() != provider_->engine->cpu_machine().name) by_card_ += n;
}

bool CipherContext::refuse_overlap(const std::uint8_t* out, const std::uint8_t* in,
                                   std::size_t n) const {
  raise(provider_, Reason::kOverlap, "output at %p and input at %p overlap partly, %zu bytes",
        static_cast<const void*>(out), static_cast<const void*>(in), n);
  return false;
}

bool CipherContext::check_ctr_update(const std::uint8_t* out, std::size_t room,
                                     const std::uint8_t* in, std::size_t n) const {
  if (!check_ready(n != 0)) return false;
  if (n == 0) return true;
  if (overlaps_partly(out, in, n)) return refuse_overlap(out, in, n);
  return check_limit(n) && check_room(room, n) && check_counter(n);
}

bool CipherContext::update(std::uint8_t* out, std::size_t* written, std::size_t room,
                           const std::uint8_t* in, std::size_t n) {
  *written = 0;
  if (mode_ == Mode::kEcb) return ecb_update(out, written, room, in, n);
  settle_counter();
  if (!check_ctr_update(out, room, in, n)) return false;
  if (n == 0) return true;
  if (!ctr_update(out, in, n)) return false;
  note_counter();
  *written = n;
  count(n);
  return true;
}

bool CipherContext::one_shot(std::uint8_t* out, std::size_t* written, std::size_t room,
                             const std::uint8_t* in, std::size_t n) {
  if (mode_ == Mode::kCtr) return update(out, written, room, in, n);
  *written = 0;
  if (!check_ready(false)) return false;
  if (n % cipher_->block_bytes != 0) {
    raise(provider_, Reason::kPartialBlock, "%zu bytes, %s takes blocks of %zu", n, cipher_->name,
          cipher_->block_bytes);
    return false;
  }
  if (!check_room(room, n) || !check_limit(n)) return false;
  if (overlaps_partly(out, in, n)) return refuse_overlap(out, in, n);
  ecb_blocks(out, in, n / cipher_->block_bytes);
  *written = n;
  count(n);
  return true;
}

bool CipherContext::final(std::uint8_t* out, std::size_t* written, std::size_t room) {
  *written = 0;
  if (!check_ready(false)) return false;
  if (mode_ == Mode::kCtr) return true;
  return encrypt_ ? ecb_final_encrypt(out, written, room) : ecb_final_decrypt(out, written, room);
}

const char* CipherContext::machine() const {
  const char* served = mode_ == Mode::kCtr ? stream_.served_by() : nullptr;
  return served != nullptr ? served : provider_->engine->cpu_machine().name;
}

bool CipherContext::set_padding(std::uint64_t on) {
  padding_ = on != 0;
  return true;
}

bool CipherContext::set_max_bytes(std::uint64_t bytes) {
  max_bytes_ = bytes;
  return true;
}

bool CipherContext::set_counter_bits(std::uint64_t bits) {
  const std::uint64_t most = 8 * cipher_->block_bytes;
  if (bits < 16 || bits > most) {
    raise(provider_, Reason::kBadParameter, "ctr-bits = %llu: %s-CTR takes 16 to %llu",
          static_cast<unsigned long long>(bits), cipher_->name,
          static_cast<unsigned long long>(most));
    return false;
  }
  if (blocks_used_ != 0) {
    raise(provider_, Reason::kBadParameter,
          "ctr-bits = %llu: the width is set before the first data of an IV",
          static_cast<unsigned long long>(bits));
    return false;
  }
  field_ = CounterField(cipher_->block_bytes, static_cast<unsigned>(bits));
  return true;
}

}  // namespace gpuctr
