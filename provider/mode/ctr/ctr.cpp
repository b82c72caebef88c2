#include "provider/mode/ctr/ctr.h"

#include <cstring>
#include <new>

#include "provider/core/overlap.h"
#include "provider/mode/ctr/pipeline.h"

namespace gpuctr {
namespace {

CounterField whole_block(const CipherSpec& cipher) {
  return {cipher.block_bytes, static_cast<unsigned>(8 * cipher.block_bytes)};
}

// The Text class for KeystreamCursor, without a MAC.
struct CtrText {
  static constexpr bool kWholeBlocks = false;
  static constexpr bool kWholeText = false;
  BulkStream& stream;
  const CipherSpec& cipher;
  const RoundKeys& keys;

  bool keystream(const std::uint8_t* at, std::uint8_t* out, std::size_t n) {
    return run(at, nullptr, out, n);
  }
  bool run(const std::uint8_t* at, const std::uint8_t* in, std::uint8_t* out, std::size_t n) {
    return stream.ctr_in(false, cipher, keys, at, in, out, n) == BulkStatus::kOk;
  }
  bool run_on_device(const std::uint8_t* at, std::size_t skip, const std::uint8_t* in,
                     std::uint8_t* out, std::size_t n) {
    const BulkStatus status = skip == 0 ? stream.ctr_in(true, cipher, keys, at, in, out, n)
                                        : stream.ctr_at(cipher, keys, at, skip, in, out, n);
    return status == BulkStatus::kOk;
  }
  std::size_t most() const { return SIZE_MAX; }
  void before(const std::uint8_t*, std::size_t) {}
  void after(const std::uint8_t*, std::size_t) {}
};

}  // namespace

CtrContext::CtrContext(const ContextMemory& memory, const CipherServices& services,
                       const CipherSpec& cipher)
    : CipherContext(memory, services, cipher, kCtrMode),
      ops_(services.engine->cpu(cipher)),
      cursor_(ops_, keys_, whole_block(cipher), memory.more),
      stream_(services.engine) {}

CtrContext::CtrContext(const ContextMemory& memory, const CtrContext& other)
    : CipherContext(memory, other),
      ops_(other.ops_),
      cursor_(ops_, keys_, whole_block(*cipher_), memory.more),
      stream_(services_.engine) {
  cursor_.copy(other.cursor_);
  if (!other.iv_is_writable_) return;
  // The copy's IV is not writable, but the application may have written the original's IV.
  std::memcpy(updated_iv_, other.updated_iv_, sizeof updated_iv_);
  std::memcpy(shown_iv_, other.shown_iv_, sizeof shown_iv_);
  read_written_iv();
}

CtrContext::~CtrContext() {
  report();
  stream_.reset();
}

CipherContext* CtrContext::copy() const {
  std::unique_ptr<CtrContext> made(make_context<CtrContext>(*cipher_, *this));
  if (made == nullptr || pipeline_ == nullptr) return made.release();
  made->pipeline_.reset(new (std::nothrow) Pipeline(*made));
  const bool done = made->pipeline_ != nullptr && made->pipeline_->copy(*pipeline_);
  return done ? made.release() : nullptr;
}

Pipeline* CtrContext::pipeline() {
  if (pipeline_ == nullptr) pipeline_.reset(new (std::nothrow) Pipeline(*this));
  if (pipeline_ == nullptr) {
    refuse(Reason::kNoMemory, "pipes of %s-CTR", cipher_->name);
  }
  return pipeline_.get();
}

// Copies the key, the settings and the counter's width to a pipe, but not the position.
void CtrContext::take_key_and_settings(const CtrContext& other) {
  copy_keys(other);
  static_cast<CipherSettings&>(*this) = other;
  cursor_.set_field(other.cursor_.field());
}

const char* CtrContext::backend() const {
  const char* served = stream_.served_by();
  return served != nullptr ? served : engine().cpu_backend().name;
}

bool CtrContext::check_update(const std::uint8_t* out, std::size_t room, const std::uint8_t* in,
                              std::size_t n) const {
  if (n == 0) return check_key();
  if (!check_key_and_iv() || !check_buffers(out, in, n)) return false;
  if (overlaps_partly(out, in, n)) return refuse_overlap(out, in, n);
  return check_limit(n) && check_room(room, n);
}

bool CtrContext::update(std::uint8_t* out, std::size_t* written, std::size_t room,
                        const std::uint8_t* in, std::size_t n) {
  bool device;
  if (!iv_is_writable_ && is_checked(out, room, in, n)) {
    device = stream_.is_device(out, in);
    if (!device && crypt_short(out, in, n)) {
      *written = n;
      return true;
    }
  } else {
    *written = 0;
    if (iv_is_writable_) read_written_iv();
    if (!check_update(out, room, in, n)) return false;
    if (n == 0) return true;
    device = stream_.is_device(out, in);
  }
  const bool done = crypt(out, in, n, device);
  *written = done ? n : 0;
  if (done) count_update(n);
  return done;
}

// Processes in one step a text whose keystream is ready, or the first text of an IV in whole blocks
// or within one. False: the text is neither, and nothing is written.
inline bool CtrContext::crypt_short(std::uint8_t* out, const std::uint8_t* in, std::size_t n) {
  if (n <= cursor_.ready()) {
    cursor_.use(out, in, n);
    count_update(n);
    return true;
  }
  const std::size_t part = n & (block_bytes() - 1);
  if (!cursor_.is_at_start() || n > kSmallFirst || (part != 0 && part != n) ||
      !cursor_.field().is_whole_block() || !stream_.is_small(n)) {
    return false;
  }
  if (part != 0) {
    cursor_.use_next_block(out, in, n);
  } else {
    ops_.ctr(keys_, cursor_.next(), in, out, n);
    cursor_.skip(whole_blocks(n));
  }
  stream_.made_small(n);
  count(n, false);
  return true;
}

bool CtrContext::one_shot(std::uint8_t* out, std::size_t* written, std::size_t room,
                          const std::uint8_t* in, std::size_t n) {
  return update(out, written, room, in, n);
}

bool CtrContext::final(std::uint8_t*, std::size_t* written, std::size_t) {
  *written = 0;
  return check_key();
}

bool CtrContext::crypt(std::uint8_t* out, const std::uint8_t* in, std::size_t n, bool device) {
  if (!check_counter(n)) return false;
  CtrText text{stream_, *cipher_, keys_};
  if (!(device ? cursor_.crypt_on_device(text, out, in, n) : cursor_.crypt(text, out, in, n))) {
    if (!device) stream_.reset();
    return refuse_without_device(n);
  }
  if (iv_is_writable_) show_iv();
  return true;
}

// In place, the same keystream restores the input. The CPU makes the keystream or, for device
// memory, the device; the input is not restored if the device fails again.
void CtrContext::undo_update(const KeystreamCursor::Position& before, std::uint8_t* out,
                             const std::uint8_t* in, std::size_t n) {
  stream_.reset();
  if (!stream_.is_device(out)) return cursor_.undo(before, out, in, n);
  cursor_.go_to(before);
  if (out == in) {
    CtrText text{stream_, *cipher_, keys_};
    static_cast<void>(cursor_.crypt_on_device(text, out, in, n));
    stream_.reset();
    cursor_.go_to(before);
  }
}

}  // namespace gpuctr
