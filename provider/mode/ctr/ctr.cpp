#include "provider/mode/ctr/ctr.h"

#include <openssl/core_names.h>
#include <openssl/evp.h>

#include <algorithm>
#include <new>

#include "kernels/base/wipe.h"
#include "provider/core/errors.h"
#include "provider/core/ossl_param.h"
#include "provider/core/overlap.h"
#include "provider/mode/base/context_params.h"
#include "provider/mode/ctr/pipeline.h"

namespace gpuctr {

CtrContext::CtrContext(const ContextMemory& memory, const CipherServices& services,
                       const CipherSpec& cipher)
    : CipherContext(memory, services, cipher, kCtrMode),
      CtrSettings(CounterField(cipher.block_bytes, static_cast<unsigned>(8 * cipher.block_bytes))),
      ops_(services.engine->cpu(cipher)),
      counter_(memory.more),
      in_use_(counter_ + cipher.block_bytes),
      ready_(in_use_ + cipher.block_bytes, cipher.block_bytes),
      stream_(services.engine) {
  std::memset(counter_, 0, cipher.block_bytes);
}

CtrContext::CtrContext(const ContextMemory& memory, const CtrContext& other)
    : CipherContext(memory, other),
      CtrSettings(other),
      ops_(other.ops_),
      counter_(memory.more),
      in_use_(counter_ + other.block_bytes()),
      ready_(in_use_ + other.block_bytes(), other.block_bytes()),
      stream_(other.services_.engine) {
  copy_block(counter_, other.counter_, block_bytes());
  if (counter_is_apart()) copy_block(in_use_, other.in_use_, block_bytes());
  ready_.copy(other.ready_, other.rest_of_block());
  // Nobody has a pointer into the copy, but the original's counter may have been written.
  settle_counter();
  lent_ = false;
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

// The key and its width, for a pipe. Its position is another's.
void CtrContext::take_key_and_settings(const CtrContext& other) {
  copy_keys(other);
  static_cast<CipherSettings&>(*this) = other;
  static_cast<CtrSettings&>(*this) = other;
  copy_block(counter_, other.counter_, block_bytes());
  if (counter_is_apart()) copy_block(in_use_, other.in_use_, block_bytes());
}

// A counter that the application wrote is taken first: the step may set the position.
bool CtrContext::all_or_nothing(Step& step) {
  settle_counter();
  const CtrSettings before = *this;
  std::uint8_t counter[kMaxBlockBytes];
  copy_block(counter, counter_, block_bytes());
  if (CipherContext::all_or_nothing(step)) return true;
  static_cast<CtrSettings&>(*this) = before;
  copy_block(counter_, counter, block_bytes());
  return false;
}

void CtrContext::set_position(bool, bool new_iv) {
  num_ = 0;
  if (!new_iv) return;
  std::memset(counter_, 0, before_iv());
  copy_block(counter_ + before_iv(), iv_, iv_bytes());
  blocks_used_ = 0;
  note_counter();
}

void CtrContext::begin(bool, bool) {
  stream_.reset();
  ready_.clear();
  if (num_ != 0) make_rest();
}

const char* CtrContext::backend() const {
  const char* served = stream_.served_by();
  return served != nullptr ? served : engine().cpu_backend().name;
}

void CtrContext::count_update(std::size_t n) { count(n, backend() != engine().cpu_backend().name); }

bool CtrContext::check_update(const std::uint8_t* out, std::size_t room, const std::uint8_t* in,
                              std::size_t n) const {
  if (n == 0) return check_key();
  if (!check_key_and_iv() || !check_buffers(out, in, n)) return false;
  if (overlaps_partly(out, in, n)) return refuse_overlap(out, in, n);
  return check_limit(n) && check_room(room, n) && check_counter(n);
}

// The first data of an IV, whole blocks in ordinary memory, few enough to be this thread's, that
// nothing refuses: of these an update has a few checks and one call. All else, and what is refused,
// takes the long way.
inline bool CtrContext::is_small_first(const std::uint8_t* out, std::size_t room,
                                       const std::uint8_t* in, std::size_t n) {
  if (blocks_used_ != 0) return false;  // first, because updates in sequence ask as well
  const bool whole = n != 0 && (n & (block_bytes() - 1)) == 0;
  return whole && out != nullptr && in != nullptr && has_key_ && has_iv_ && num_ == 0 && !lent_ &&
         max_bytes_ == 0 && field_.is_whole_block() && room >= n && n <= kSmallFirst &&
         !overlaps_partly(out, in, n) && stream_.is_small(n) && !is_on_card(out, in);
}

bool CtrContext::update(std::uint8_t* out, std::size_t* written, std::size_t room,
                        const std::uint8_t* in, std::size_t n) {
  if (is_small_first(out, room, in, n)) {
    ops_.ctr(keys_, counter_, in, out, n);
    stream_.made_small(n);
    step_over(n);
    count(n, false);
    *written = n;
    return true;
  }
  *written = 0;
  settle_counter();
  if (!check_update(out, room, in, n)) return false;
  if (n == 0) return true;
  if (!crypt(out, in, n)) return false;
  note_counter();
  *written = n;
  count_update(n);
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

// Gives out n bytes that are ready, and steps over them.
void CtrContext::use(std::uint8_t* out, const std::uint8_t* in, std::size_t n) {
  ready_.use(out, in, n);
  step_over(n);
}

void CtrContext::step_over(std::size_t n) {
  const std::uint64_t blocks = new_blocks(n);
  field_.add(counter_, blocks);
  blocks_used_ += blocks;
  num_ = static_cast<unsigned>((num_ + n) & (block_bytes() - 1));
}

// Makes the block `at` ready where nothing is. The CPU does, and cannot fail.
void CtrContext::make_block(const std::uint8_t* at) {
  ops_.ctr(keys_, at, nullptr, ready_.room(block_bytes()), block_bytes());
  ready_.add(block_bytes());
}

// More keystream, bytes_ahead() for which there is room. It stops where the field wraps, and makes
// no block that the IV does not have. False: the position is as it was, and the error is the
// caller's.
bool CtrContext::make_ready() {
  const std::size_t block = block_bytes();
  const std::uint64_t made = blocks_used_ + (ready_.size() - rest_of_block()) / block;
  std::uint8_t at[kMaxBlockBytes];
  first_not_ready(at);
  const std::uint64_t left = field_.blocks_per_iv() - made;
  const std::uint64_t wanted = std::min<std::uint64_t>(blocks_of(bytes_ahead()), left);
  const std::size_t bytes = static_cast<std::size_t>(field_.run(at, wanted)) * block;
  std::uint8_t* const room = ready_.room(bytes);
  if (stream_.ctr(*cipher_, keys_, at, nullptr, room, bytes) != BulkStatus::kOk) return false;
  ready_.add(bytes);
  return true;
}

// n bytes from `skip` bytes into the block `at`, or, without `in`, keystream; split where the field
// wraps. `at` becomes the block after the last one touched. False: nothing written; the error is
// the caller's.
bool CtrContext::make_run(std::uint8_t* at, std::size_t skip, std::uint8_t* out,
                          const std::uint8_t* in, std::size_t n) {
  const std::size_t block = block_bytes();
  std::size_t done = 0;
  while (done != n) {
    const std::uint64_t blocks = field_.run(at, blocks_of(skip + n - done));
    const std::size_t bytes = std::min(n - done, static_cast<std::size_t>(blocks) * block - skip);
    if (stream_.ctr_at(*cipher_, keys_, at, skip, in == nullptr ? nullptr : in + done, out + done,
                       bytes) != BulkStatus::kOk) {
      undo_run(out, in, done);
      return false;
    }
    field_.add(at, blocks);
    done += bytes;
    skip = 0;
  }
  return true;
}

// A card failed behind a wrap of the field: what was written before it goes. In place the input
// comes back by the same keystream, which the CPU makes; memory of a failed card is lost anyway.
void CtrContext::undo_run(std::uint8_t* out, const std::uint8_t* in, std::size_t n) {
  if (n == 0 || stream_.is_device(out) || stream_.is_device(in)) return;
  if (out != in) {
    std::memset(out, 0, n);
    return;
  }
  std::uint8_t at[kMaxBlockBytes];
  first_not_ready(at);
  while (n != 0) {
    const std::uint64_t blocks = field_.run(at, n / block_bytes());
    const std::size_t bytes = static_cast<std::size_t>(blocks) * block_bytes();
    ops_.ctr(keys_, at, out, out, bytes);
    field_.add(at, blocks);
    out += bytes;
    n -= bytes;
  }
}

CtrSplit CtrContext::split(std::size_t n) const {
  const std::size_t head = std::min(n, ready_.size());
  const std::size_t tail = (n - head) & (block_bytes() - 1);
  return {head, n - head - tail, tail};
}

void CtrContext::make_ends(const CtrSplit& parts, std::uint8_t* out, const std::uint8_t* in) {
  if (parts.head != 0) use(out, in, parts.head);
  const std::uint64_t blocks = blocks_of(parts.body);
  field_.add(counter_, blocks);
  blocks_used_ += blocks;
  if (parts.tail == 0) return;
  make_block(counter_);
  const std::size_t at = parts.head + parts.body;
  use(out + at, in + at, parts.tail);
}

// A small update, out of what is ready. The first one of an IV, which may be the only one, has no
// more made than it needs; nor has one for which there is no memory. A first one of whole blocks
// takes the short way round it.
bool CtrContext::crypt_small(std::uint8_t* out, const std::uint8_t* in, std::size_t n) {
  while (ready_.size() < n) {
    const bool follows = blocks_used_ != 0;
    if (!follows || ready_.room(bytes_ahead()) == nullptr) return crypt_once(out, in, n);
    if (!make_ready()) return false;
  }
  use(out, in, n);
  return true;
}

// More bytes than are ready, at most kSmall, from the blocks that they need, all of which are made
// before any is used.
bool CtrContext::crypt_once(std::uint8_t* out, const std::uint8_t* in, std::size_t n) {
  std::uint8_t keystream[kSmall + kMaxBlockBytes];
  std::uint8_t at[kMaxBlockBytes];
  first_not_ready(at);
  const std::size_t head = ready_.size();
  const std::size_t rest = n - head;
  const std::size_t bytes = static_cast<std::size_t>(blocks_of(rest)) * block_bytes();
  if (!make_run(at, 0, keystream, nullptr, bytes)) {
    wipe(keystream, bytes);
    return false;
  }
  use(out, in, head);
  ReadyKeystream::use_up(keystream, out + head, in + head, rest);
  ready_.fill(keystream + rest, bytes - rest);
  wipe(keystream + rest, bytes - rest);
  step_over(rest);
  return true;
}

// The CPU may touch this memory: it makes the odd bytes itself. The body comes first, because it
// alone can fail.
bool CtrContext::crypt_host(std::uint8_t* out, const std::uint8_t* in, std::size_t n) {
  const bool whole_first = blocks_used_ == 0 && (n & (block_bytes() - 1)) == 0;
  if (n <= kSmall && !whole_first) return crypt_small(out, in, n);
  const CtrSplit parts = split(n);
  std::uint8_t at[kMaxBlockBytes];
  first_not_ready(at);
  if (!make_run(at, 0, out + parts.head, in + parts.head, parts.body)) return false;
  make_ends(parts, out, in);
  return true;
}

// Memory on a card: every byte is the card's work, and only the position is kept here.
bool CtrContext::crypt_device(std::uint8_t* out, const std::uint8_t* in, std::size_t n) {
  std::uint8_t at[kMaxBlockBytes];
  copy_block(at, counter_, block_bytes());
  std::size_t skip = num_;
  std::size_t head = 0;
  if (skip != 0) block_in_use(at);
  if (counter_is_apart()) {
    head = std::min(n, rest_of_block());
    if (!make_run(at, skip, out, in, head)) return false;
    copy_block(at, counter_, block_bytes());
    skip = 0;
  }
  if (!make_run(at, skip, out + head, in + head, n - head)) return false;
  blocks_used_ += new_blocks(n);
  num_ = static_cast<unsigned>((num_ + n) & (block_bytes() - 1));
  copy_block(counter_, at, block_bytes());
  ready_.clear();
  if (num_ != 0) make_rest();
  return true;
}

bool CtrContext::crypt(std::uint8_t* out, const std::uint8_t* in, std::size_t n) {
  if (is_on_card(out, in) ? crypt_device(out, in, n) : crypt_host(out, in, n)) return true;
  return refuse_without_card(n);
}

namespace {

CtrContext& ctr(CipherContext& context) { return static_cast<CtrContext&>(context); }

// The order is the order of application: the width before the position in the block.
constexpr ContextParam kParams[] = {
    {kParamCounterBits, OSSL_PARAM_UNSIGNED_INTEGER,
     [](CipherContext& c, OSSL_PARAM* param) { return answer_uint(param, ctr(c).counter_bits()); },
     [](CipherContext& c, std::uint64_t bits) { return ctr(c).set_counter_bits(bits); },
     UINT64_MAX},
    {OSSL_CIPHER_PARAM_NUM, OSSL_PARAM_UNSIGNED_INTEGER, nullptr,
     [](CipherContext& c, std::uint64_t used) { return ctr(c).set_num(used); }, UINT32_MAX},
    {nullptr, 0, nullptr, nullptr, 0},
};

CipherContext* make(const CipherServices& services, const CipherSpec& cipher) {
  return make_context<CtrContext>(cipher, services, cipher);
}

}  // namespace

const Mode kCtrMode = {"CTR", EVP_CIPH_CTR_MODE, true, true, true, kParams, make};

}  // namespace gpuctr
