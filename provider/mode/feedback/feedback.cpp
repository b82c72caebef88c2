#include "provider/mode/feedback/feedback.h"

#include <openssl/core_names.h>

#include <cstring>

#include "kernels/base/counter.h"
#include "kernels/base/wipe.h"
#include "provider/core/ossl_param.h"
#include "provider/core/overlap.h"
#include "provider/mode/base/context_params.h"

namespace gpuctr {

FeedbackContext::FeedbackContext(const ContextMemory& memory, const FeedbackContext& other)
    : CipherContext(memory, other),
      FeedbackSettings(other),
      ops_(other.ops_),
      stream_(other.stream_) {
  std::memcpy(block_, other.block_, sizeof block_);
}

FeedbackContext::~FeedbackContext() {
  report();
  wipe(block_, sizeof block_);
}

const char* FeedbackContext::backend() const {
  const char* const served = stream_.served_by();
  return served != nullptr ? served : engine().cpu_backend().name;
}

bool FeedbackContext::all_or_nothing(Step& step) {
  const FeedbackSettings before = *this;
  if (CipherContext::all_or_nothing(step)) return true;
  static_cast<FeedbackSettings&>(*this) = before;
  return false;
}

// An init without an IV starts again from the last IV that was set: the behaviour of OpenSSL 1.1.1
// and 3.
void FeedbackContext::begin(bool, bool) {
  if (has_iv_) copy_iv_to(block_);
}

bool FeedbackContext::set_num(std::uint64_t used) {
  if (used >= block_bytes()) {
    refuse(Reason::kBadParameter, "num = %llu: a block of %s has %zu bytes",
           static_cast<unsigned long long>(used), cipher_->name, block_bytes());
    return false;
  }
  num_ = static_cast<unsigned>(used);
  return true;
}

bool FeedbackContext::set_use_bits(std::uint64_t on) {
  use_bits_ = on != 0;
  return true;
}

// As in OpenSSL's ciphers, the room for n bits is n.
bool FeedbackContext::check_update(const std::uint8_t* out, std::size_t room,
                                   const std::uint8_t* in, std::size_t n, bool* device) {
  if (!check_key_and_iv() || !check_buffers(out, in, n)) return false;
  const std::size_t bytes = bytes_of(n);
  if (overlaps_partly(out, in, bytes)) return refuse_overlap(out, in, bytes);
  if (!check_limit(bytes) || !check_room(room, n)) return false;
  *device = stream_.is_device(out, in);
  if (!*device || takes_device_memory(bytes)) return true;
  refuse(Reason::kDeviceMemory, "%zu bytes of %s-%s: %s", bytes, cipher_->name, mode_->name,
         takes_device_memory(0) ? "a device decrypts whole blocks, from the start of a block"
                                : "this mode takes ordinary memory");
  return false;
}

bool FeedbackContext::update(std::uint8_t* out, std::size_t* written, std::size_t room,
                             const std::uint8_t* in, std::size_t n) {
  if (use_bits_ || !is_checked(out, room, in, n) || stream_.may_have_device_memory() ||
      !stream_.is_small(n)) {
    return update_any(out, written, room, in, n);
  }
  *written = n;
  count(n, false);
  return crypt(out, in, n);
}

bool FeedbackContext::update_any(std::uint8_t* out, std::size_t* written, std::size_t room,
                                 const std::uint8_t* in, std::size_t n) {
  *written = 0;
  if (n == 0) return check_key();
  bool device = false;
  if (!check_update(out, room, in, n, &device)) return false;
  if (!(device ? crypt_on_device(out, in, n) : crypt(out, in, n))) return refuse_without_device(n);
  count(bytes_of(n), is_served_by_device(stream_.served_by()));
  *written = n;
  return true;
}

bool FeedbackContext::one_shot(std::uint8_t* out, std::size_t* written, std::size_t room,
                               const std::uint8_t* in, std::size_t n) {
  return update(out, written, room, in, n);
}

bool FeedbackContext::final(std::uint8_t*, std::size_t* written, std::size_t) {
  *written = 0;
  return check_key();
}

namespace {

FeedbackContext& feedback(CipherContext& context) { return static_cast<FeedbackContext&>(context); }

}  // namespace

const ContextParam kFeedbackParams[] = {
    {OSSL_CIPHER_PARAM_NUM, OSSL_PARAM_UNSIGNED_INTEGER,
     [](CipherContext& c, OSSL_PARAM* param) { return answer_uint(param, c.num(), Width::kInt); },
     [](CipherContext& c, std::uint64_t used) { return feedback(c).set_num(used); }, UINT32_MAX},
    {nullptr, 0, nullptr, nullptr, 0},
};

}  // namespace gpuctr
