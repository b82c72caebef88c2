// Counter mode's position: the block in use, a counter that the application writes, what an update
// that failed takes back.
#include <algorithm>
#include <cstring>

#include "provider/core/errors.h"
#include "provider/mode/ctr/ctr.h"

namespace gpuctr {

// The counter block that num_ is about; num_ is not 0.
void CtrContext::block_in_use(std::uint8_t* at) const {
  if (counter_is_apart()) {
    copy_block(at, in_use_, block_bytes());
    return;
  }
  copy_block(at, counter_, block_bytes());
  field_.step_back(at);
}

// The block in use again, as far as it is not used.
void CtrContext::make_rest() {
  std::uint8_t at[kMaxBlockBytes];
  block_in_use(at);
  make_block(at);
  ready_.skip(num_);
}

std::uint8_t* CtrContext::lend_iv() {
  settle_counter();
  lent_ = true;
  note_counter();
  return counter_ + before_iv();
}

// Goes on from a counter that was written, as OpenSSL's ciphers do: after the rest of the block in
// use. Whoever writes it answers for it, as for a new IV.
void CtrContext::take_written_counter() {
  if (std::memcmp(noted_, counter_ + before_iv(), iv_bytes()) == 0) return;
  if (num_ != 0 && !counter_is_apart()) {
    copy_block(in_use_, counter_, before_iv());
    std::memcpy(in_use_ + before_iv(), noted_, iv_bytes());
    field_.step_back(in_use_);
  }
  blocks_used_ = 0;
  stream_.reset();
  ready_.keep(rest_of_block());
  note_counter();
}

void CtrContext::position(Position* now) const {
  now->num = num_;
  now->blocks_used = blocks_used_;
  copy_block(now->counter, counter_, block_bytes());
}

void CtrContext::go_to(const Position& position) {
  num_ = position.num;
  blocks_used_ = position.blocks_used;
  copy_block(counter_, position.counter, block_bytes());
  stream_.reset();
  ready_.clear();
  if (num_ != 0) make_rest();
}

// Undoes an update from `before` on, as undo_run(). In place the same keystream comes again: from
// the CPU, or from the card whose memory it is, as far as that works.
void CtrContext::undo_update(const Position& before, std::uint8_t* out, const std::uint8_t* in,
                             std::size_t n) {
  go_to(before);
  if (stream_.is_device(out)) {
    if (out == in) static_cast<void>(crypt_device(out, in, n));
  } else if (out != in) {
    std::memset(out, 0, n);
  } else {
    while (n != 0) {
      if (ready_.size() == 0) make_block(counter_);
      const std::size_t take = std::min(n, ready_.size());
      use(out, out, take);
      out += take;
      n -= take;
    }
  }
  go_to(before);
}

bool CtrContext::refuse_counter(std::size_t n, std::uint64_t blocks, std::uint64_t left) const {
  refuse(Reason::kCounterExhausted,
         "%zu bytes need %llu counter blocks, %llu are left of the %u-bit counter of this IV", n,
         static_cast<unsigned long long>(blocks), static_cast<unsigned long long>(left),
         field_.bits());
  return false;
}

bool CtrContext::set_num(std::uint64_t used) {
  if (used >= block_bytes()) {
    refuse(Reason::kBadParameter, "num = %llu: a block of %s has %zu bytes",
           static_cast<unsigned long long>(used), cipher_->name, block_bytes());
    return false;
  }
  if (used != 0 && !check_key_and_iv()) return false;
  settle_counter();
  // The block that it goes to begins here, and there must be one left.
  const bool starts = used != 0 && num_ == 0;
  if (starts && !check_counter(1)) return false;
  if (starts) {
    field_.add(counter_, 1);
    ++blocks_used_;
  }
  num_ = static_cast<unsigned>(used);
  position_is_new_ = true;
  note_counter();
  return true;
}

bool CtrContext::set_counter_bits(std::uint64_t bits) {
  const std::uint64_t most = 8 * block_bytes();
  if (bits < 16 || bits > most) {
    refuse(Reason::kBadParameter, "ctr-bits = %llu: %s-CTR takes 16 to %llu",
           static_cast<unsigned long long>(bits), cipher_->name,
           static_cast<unsigned long long>(most));
    return false;
  }
  if (blocks_used_ != 0) {
    refuse(Reason::kBadParameter,
           "ctr-bits = %llu: the width is set before the first data of an IV",
           static_cast<unsigned long long>(bits));
    return false;
  }
  field_ = CounterField(block_bytes(), static_cast<unsigned>(bits));
  return true;
}

}  // namespace gpuctr
