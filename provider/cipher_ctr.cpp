// Counter mode over the bulk engine: the logical position, the partly used block, the field's
// limits.
#include <algorithm>
#include <cstring>

#include "kernels/wipe.h"
#include "provider/cipher_ctx.h"
#include "provider/errors.h"

namespace gpuctr {

// XORs what is left of the current keystream block to the first n bytes, at most its rest.
void CipherContext::ctr_use_rest(std::uint8_t* out, const std::uint8_t* in, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    out[i] = static_cast<std::uint8_t>(in[i] ^ keystream_[num_ + i]);
  }
  num_ = static_cast<unsigned>((num_ + n) % cipher_->block_bytes);
}

// Encrypts the counter block into keystream_ and steps on.
void CipherContext::ctr_start_block() {
  provider_->engine->cpu(*cipher_).encrypt(keys_, counter_, keystream_, 1);
  field_.add(counter_, 1);
  ++blocks_used_;
}

// n bytes from `skip` bytes into the block `at`, split where the field wraps. `at` becomes the
// block after the last one touched. False: nothing written; the error is the caller's.
bool CipherContext::ctr_run(std::uint8_t* at, std::size_t skip, std::uint8_t* out,
                            const std::uint8_t* in, std::size_t n) {
  const std::size_t block = cipher_->block_bytes;
  std::size_t done = 0;
  while (done != n) {
    const std::uint64_t blocks = field_.run(at, (skip + n - done + block - 1) / block);
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
  std::memcpy(at, counter_, sizeof at);
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
  const std::size_t head = num_ == 0 ? 0 : std::min(n, cipher_->block_bytes - num_);
  const std::size_t tail = (n - head) % cipher_->block_bytes;
  return {head, n - head - tail, tail};
}

void CipherContext::ctr_ends(const CtrSplit& split, std::uint8_t* out, const std::uint8_t* in) {
  const std::size_t blocks = split.body / cipher_->block_bytes;
  field_.add(counter_, blocks);
  blocks_used_ += blocks;
  ctr_use_rest(out, in, split.head);
  if (split.tail == 0) return;
  ctr_start_block();
  const std::size_t at = split.head + split.body;
  ctr_use_rest(out + at, in + at, split.tail);
}

// The CPU may touch this memory: it makes the odd bytes itself. The body comes first, because it
// alone can fail.
bool CipherContext::ctr_update_host(std::uint8_t* out, const std::uint8_t* in, std::size_t n) {
  const CtrSplit split = ctr_split(n);
  std::uint8_t at[kMaxBlockBytes];
  std::memcpy(at, counter_, sizeof at);
  if (!ctr_run(at, 0, out + split.head, in + split.head, split.body)) return false;
  ctr_ends(split, out, in);
  return true;
}

// Memory on a card: every byte is the card's work, and only the position is kept here.
bool CipherContext::ctr_update_device(std::uint8_t* out, const std::uint8_t* in, std::size_t n) {
  const std::size_t block = cipher_->block_bytes;
  std::uint8_t at[kMaxBlockBytes];
  std::memcpy(at, counter_, sizeof at);
  if (num_ != 0) field_.step_back(at);
  if (!ctr_run(at, num_, out, in, n)) return false;
  blocks_used_ += (num_ + n + block - 1) / block - (num_ != 0 ? 1 : 0);
  num_ = static_cast<unsigned>((num_ + n) % block);
  std::memcpy(counter_, at, sizeof counter_);
  if (num_ != 0) {
    field_.step_back(at);
    provider_->engine->cpu(*cipher_).encrypt(keys_, at, keystream_, 1);
  }
  return true;
}

void CipherContext::position(CtrPosition* now) const {
  now->num = num_;
  now->blocks_used = blocks_used_;
  std::memcpy(now->counter, counter_, sizeof counter_);
  std::memcpy(now->keystream, keystream_, sizeof keystream_);
}

// Undoes an update from `before` on, as ctr_undo. In place the same keystream comes again: from the
// CPU, or from the card whose memory it is, as far as that works.
void CipherContext::ctr_take_back(const CtrPosition& before, std::uint8_t* out,
                                  const std::uint8_t* in, std::size_t n) {
  const auto go_back = [&] {
    num_ = before.num;
    blocks_used_ = before.blocks_used;
    std::memcpy(counter_, before.counter, sizeof counter_);
    std::memcpy(keystream_, before.keystream, sizeof keystream_);
  };
  go_back();
  stream_.reset();
  if (stream_.is_device(out)) {
    if (out == in) static_cast<void>(ctr_update_device(out, in, n));
  } else if (out != in) {
    std::memset(out, 0, n);
  } else {
    while (n != 0) {
      if (num_ == 0) ctr_start_block();
      const std::size_t take = std::min(n, cipher_->block_bytes - num_);
      ctr_use_rest(out, out, take);
      out += take;
      n -= take;
    }
  }
  go_back();
}

bool CipherContext::check_counter(std::size_t n) const {
  const std::size_t block = cipher_->block_bytes;
  const std::size_t rest = num_ == 0 ? 0 : block - num_;
  const std::uint64_t new_blocks = n <= rest ? 0 : (n - rest - 1) / block + 1;
  const std::uint64_t left = field_.blocks_per_iv() - blocks_used_;
  if (new_blocks <= left) return true;
  raise(provider_, Reason::kCounterExhausted,
        "%zu bytes need %llu counter blocks, %llu are left of the %u-bit counter of this IV", n,
        static_cast<unsigned long long>(new_blocks), static_cast<unsigned long long>(left),
        field_.bits());
  return false;
}

bool CipherContext::ctr_update(std::uint8_t* out, const std::uint8_t* in, std::size_t n) {
  const bool on_card = stream_.is_device(out) || stream_.is_device(in);
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
  // The block that it goes to begins here, and there must be one left.
  if (used != 0 && num_ == 0 && !check_counter(1)) return false;
  stream_.reset();
  if (used != 0 && num_ == 0) ctr_start_block();
  if (used == 0) wipe(keystream_, sizeof keystream_);
  num_ = static_cast<unsigned>(used);
  return true;
}

}  // namespace gpuctr
