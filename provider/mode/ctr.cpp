// Counter mode over the bulk engine: the logical position, the partly used block, the field's
// limits.
#include <algorithm>
#include <cstring>

#include "kernels/base/wipe.h"
#include "provider/cipher/context.h"
#include "provider/core/errors.h"

namespace gpuctr {

// Gives out n bytes that are ready, and steps over them.
void CipherContext::ctr_use(std::uint8_t* out, const std::uint8_t* in, std::size_t n) {
  const std::uint64_t blocks = new_blocks(n);
  ready_.use(out, in, n);
  field_.add(counter_, blocks);
  blocks_used_ += blocks;
  num_ = static_cast<unsigned>((num_ + n) & (cipher_->block_bytes - 1));
}

// Makes the block `at` ready. The CPU does, and cannot fail.
void CipherContext::ctr_make_block(const std::uint8_t* at) {
  provider_->engine->cpu(*cipher_).ctr(keys_, at, nullptr, ready_.room(), cipher_->block_bytes);
  ready_.add(cipher_->block_bytes);
}

// The first counter block whose keystream is not ready.
void CipherContext::ctr_not_ready(std::uint8_t* at) const {
  std::memcpy(at, counter_, sizeof counter_);
  const std::size_t rest = rest_of_block();
  if (ready_.size() != rest) field_.add(at, (ready_.size() - rest) / cipher_->block_bytes);
}

// More keystream for a small update that needs `bytes` beyond what is ready: no more than that for
// the first one of an IV, which may be the only one; a good deal more when others have gone before.
// It stops where the field wraps, and makes no block that the IV does not have. False: the
// position is as it was, and the error is the caller's.
bool CipherContext::ctr_make_ready(std::size_t bytes) {
  const std::size_t block = cipher_->block_bytes;
  const std::uint64_t made = blocks_used_ + (ready_.size() - rest_of_block()) / block;
  if (blocks_used_ != 0) {
    bytes = blocks_used_ * block < kFirstAhead ? kFirstAhead : ReadyKeystream::kMaxMore;
  }
  std::uint8_t at[kMaxBlockBytes];
  ctr_not_ready(at);
  const std::uint64_t left = field_.blocks_per_iv() - made;
  const std::uint64_t blocks = field_.run(at, std::min<std::uint64_t>(blocks_of(bytes), left));
  bytes = static_cast<std::size_t>(blocks) * block;
  if (stream_.ctr(*cipher_, keys_, at, nullptr, ready_.room(), bytes) != BulkStatus::kOk) {
    return false;
  }
  ready_.add(bytes);
  return true;
}

// n bytes from `skip` bytes into the block `at`, split where the field wraps. `at` becomes the
// block after the last one touched. False: nothing written; the error is the caller's.
bool CipherContext::ctr_run(std::uint8_t* at, std::size_t skip, std::uint8_t* out,
                            const std::uint8_t* in, std::size_t n) {
  const std::size_t block = cipher_->block_bytes;
  std::size_t done = 0;
  while (done != n) {
    const std::uint64_t blocks = field_.run(at, blocks_of(skip + n - done));
    const std::size_t bytes = std::min(n - done, static_cast<std::size_t>(blocks) * block - skip);
    if (stream_.ctr_at(*cipher_, keys_, at, skip, in + done, out + done, bytes) !=
        BulkStatus::kOk) {
      ctr_undo(out, in, done);
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
void CipherContext::ctr_undo(std::uint8_t* out, const std::uint8_t* in, std::size_t n) {
  if (n == 0 || stream_.is_device(out) || stream_.is_device(in)) return;
  if (out != in) {
    std::memset(out, 0, n);
    return;
  }
  std::uint8_t at[kMaxBlockBytes];
  ctr_not_ready(at);
  while (n != 0) {
    const std::uint64_t blocks = field_.run(at, n / cipher_->block_bytes);
    const std::size_t bytes = static_cast<std::size_t>(blocks) * cipher_->block_bytes;
    provider_->engine->cpu(*cipher_).ctr(keys_, at, out, out, bytes);
    field_.add(at, blocks);
    out += bytes;
    n -= bytes;
  }
}

CtrSplit CipherContext::ctr_split(std::size_t n) const {
  const std::size_t head = std::min(n, ready_.size());
  const std::size_t tail = (n - head) & (cipher_->block_bytes - 1);
  return {head, n - head - tail, tail};
}

void CipherContext::ctr_ends(const CtrSplit& split, std::uint8_t* out, const std::uint8_t* in) {
  if (split.head != 0) ctr_use(out, in, split.head);
  const std::uint64_t blocks = blocks_of(split.body);
  field_.add(counter_, blocks);
  blocks_used_ += blocks;
  if (split.tail == 0) return;
  ctr_make_block(counter_);
  const std::size_t at = split.head + split.body;
  ctr_use(out + at, in + at, split.tail);
}

// A small update, out of what is ready. A first one of whole blocks takes the short way round it.
bool CipherContext::ctr_update_small(std::uint8_t* out, const std::uint8_t* in, std::size_t n) {
  while (ready_.size() < n) {
    if (!ctr_make_ready(n - ready_.size())) return false;
  }
  ctr_use(out, in, n);
  return true;
}

// The CPU may touch this memory: it makes the odd bytes itself. The body comes first, because it
// alone can fail.
bool CipherContext::ctr_update_host(std::uint8_t* out, const std::uint8_t* in, std::size_t n) {
  const bool whole_first = blocks_used_ == 0 && (n & (cipher_->block_bytes - 1)) == 0;
  if (n <= kSmall && !whole_first) return ctr_update_small(out, in, n);
  const CtrSplit split = ctr_split(n);
  std::uint8_t at[kMaxBlockBytes];
  ctr_not_ready(at);
  if (!ctr_run(at, 0, out + split.head, in + split.head, split.body)) return false;
  ctr_ends(split, out, in);
  return true;
}

// Memory on a card: every byte is the card's work, and only the position is kept here.
bool CipherContext::ctr_update_device(std::uint8_t* out, const std::uint8_t* in, std::size_t n) {
  std::uint8_t at[kMaxBlockBytes];
  std::memcpy(at, counter_, sizeof at);
  std::size_t skip = num_;
  std::size_t head = 0;
  if (skip != 0) ctr_block_in_use(at);
  if (counter_is_apart()) {
    head = std::min(n, rest_of_block());
    if (!ctr_run(at, skip, out, in, head)) return false;
    std::memcpy(at, counter_, sizeof at);
    skip = 0;
  }
  if (!ctr_run(at, skip, out + head, in + head, n - head)) return false;
  blocks_used_ += new_blocks(n);
  num_ = static_cast<unsigned>((num_ + n) & (cipher_->block_bytes - 1));
  std::memcpy(counter_, at, sizeof counter_);
  ready_.clear();
  if (num_ != 0) ctr_make_rest();
  return true;
}

// The counter block that num_ is about; num_ is not 0.
void CipherContext::ctr_block_in_use(std::uint8_t* at) const {
  if (counter_is_apart()) {
    std::memcpy(at, in_use_, sizeof in_use_);
    return;
  }
  std::memcpy(at, counter_, sizeof counter_);
  field_.step_back(at);
}

// The block in use again, as far as it is not used.
void CipherContext::ctr_make_rest() {
  std::uint8_t at[kMaxBlockBytes];
  ctr_block_in_use(at);
  ctr_make_block(at);
  ready_.skip(num_);
}

std::uint8_t* CipherContext::lend_counter() {
  settle_counter();
  lent_ = true;
  note_counter();
  return counter_;
}

// Goes on from a counter that was written, as OpenSSL's ciphers do: after the rest of the block in
// use. Whoever writes it answers for it, as for a new IV.
void CipherContext::take_written_counter() {
  if (std::memcmp(noted_, counter_, sizeof noted_) == 0) return;
  if (num_ != 0 && !counter_is_apart()) {
    std::memcpy(in_use_, noted_, sizeof in_use_);
    field_.step_back(in_use_);
  }
  blocks_used_ = 0;
  stream_.reset();
  ready_.keep(rest_of_block());
  note_counter();
}

void CipherContext::position(CtrPosition* now) const {
  now->num = num_;
  now->blocks_used = blocks_used_;
  std::memcpy(now->counter, counter_, sizeof counter_);
}

void CipherContext::go_to(const CtrPosition& position) {
  num_ = position.num;
  blocks_used_ = position.blocks_used;
  std::memcpy(counter_, position.counter, sizeof counter_);
  stream_.reset();
  ready_.clear();
  if (num_ != 0) ctr_make_rest();
}

// Undoes an update from `before` on, as ctr_undo. In place the same keystream comes again: from the
// CPU, or from the card whose memory it is, as far as that works.
void CipherContext::ctr_take_back(const CtrPosition& before, std::uint8_t* out,
                                  const std::uint8_t* in, std::size_t n) {
  go_to(before);
  if (stream_.is_device(out)) {
    if (out == in) static_cast<void>(ctr_update_device(out, in, n));
  } else if (out != in) {
    std::memset(out, 0, n);
  } else {
    while (n != 0) {
      if (ready_.size() == 0) ctr_make_block(counter_);
      const std::size_t take = std::min(n, ready_.size());
      ctr_use(out, out, take);
      out += take;
      n -= take;
    }
  }
  go_to(before);
}

bool CipherContext::check_counter(std::size_t n) const {
  const std::uint64_t blocks = new_blocks(n);
  const std::uint64_t left = field_.blocks_per_iv() - blocks_used_;
  if (blocks <= left) return true;
  raise(provider_, Reason::kCounterExhausted,
        "%zu bytes need %llu counter blocks, %llu are left of the %u-bit counter of this IV", n,
        static_cast<unsigned long long>(blocks), static_cast<unsigned long long>(left),
        field_.bits());
  return false;
}

bool CipherContext::ctr_update(std::uint8_t* out, const std::uint8_t* in, std::size_t n) {
  const bool on_card = stream_.is_device(out) || (in != out && stream_.is_device(in));
  if (on_card ? ctr_update_device(out, in, n) : ctr_update_host(out, in, n)) return true;
  raise(provider_, Reason::kGpuRequired, "no GPU could make %zu bytes of %s", n, cipher_->name);
  return false;
}

bool CipherContext::set_num(std::uint64_t used) {
  if (used >= cipher_->block_bytes) {
    raise(provider_, Reason::kBadParameter, "num = %llu: a block of %s has %zu bytes",
          static_cast<unsigned long long>(used), cipher_->name, cipher_->block_bytes);
    return false;
  }
  if (used != 0 && !check_ready(true)) return false;
  settle_counter();
  // The block that it goes to begins here, and there must be one left.
  const bool starts = used != 0 && num_ == 0;
  if (starts && !check_counter(1)) return false;
  stream_.reset();
  ready_.clear();
  if (starts) {
    field_.add(counter_, 1);
    ++blocks_used_;
  }
  num_ = static_cast<unsigned>(used);
  if (used != 0) ctr_make_rest();
  note_counter();
  return true;
}

}  // namespace gpuctr
