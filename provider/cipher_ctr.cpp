// Counter mode over the bulk engine: the logical position, the partly used block, the field's
// limits.
#include <algorithm>
#include <cstring>

#include "kernels/wipe.h"
#include "provider/cipher_ctx.h"
#include "provider/errors.h"

namespace gpuctr {

// Uses what is left of the current keystream block. Returns how many bytes.
std::size_t CipherContext::ctr_use_rest(std::uint8_t* out, const std::uint8_t* in, std::size_t n) {
  if (num_ == 0) return 0;
  const std::size_t take = std::min(n, cipher_->block_bytes - num_);
  for (std::size_t i = 0; i < take; ++i) {
    out[i] = static_cast<std::uint8_t>(in[i] ^ keystream_[num_ + i]);
  }
  num_ = static_cast<unsigned>((num_ + take) % cipher_->block_bytes);
  return take;
}

// Encrypts the counter block into keystream_ and steps on.
void CipherContext::ctr_start_block() {
  provider_->engine->cpu(*cipher_).encrypt(keys_, counter_, keystream_, 1);
  field_.add(counter_, 1);
  ++blocks_used_;
}

// n bytes, a whole number of blocks, through the engine; split where the field wraps.
bool CipherContext::ctr_blocks(std::uint8_t* out, const std::uint8_t* in, std::size_t n) {
  while (n != 0) {
    const std::uint64_t blocks = field_.run(counter_, n / cipher_->block_bytes);
    const std::size_t bytes = static_cast<std::size_t>(blocks) * cipher_->block_bytes;
    if (stream_.ctr(*cipher_, keys_, counter_, in, out, bytes) != BulkStatus::kOk) {
      raise(provider_, Reason::kGpuRequired, "gpu = require, and no GPU could make %zu bytes of %s",
            bytes, cipher_->name);
      return false;
    }
    field_.add(counter_, blocks);
    blocks_used_ += blocks;
    in += bytes;
    out += bytes;
    n -= bytes;
  }
  return true;
}

bool CipherContext::ctr_update(std::uint8_t* out, const std::uint8_t* in, std::size_t n) {
  const std::size_t block = cipher_->block_bytes;
  const std::size_t rest = num_ == 0 ? 0 : block - num_;
  const std::uint64_t new_blocks = n <= rest ? 0 : (n - rest - 1) / block + 1;
  if (new_blocks > field_.blocks_per_iv() - blocks_used_) {
    raise(provider_, Reason::kCounterExhausted,
          "%zu bytes need %llu counter blocks, %llu are left of the %u-bit counter of this IV", n,
          static_cast<unsigned long long>(new_blocks),
          static_cast<unsigned long long>(field_.blocks_per_iv() - blocks_used_), field_.bits());
    return false;
  }
  const std::size_t used = ctr_use_rest(out, in, n);
  in += used;
  out += used;
  n -= used;
  const std::size_t whole = n - n % block;
  if (whole != 0 && !ctr_blocks(out, in, whole)) return false;
  n -= whole;
  if (n != 0) {
    ctr_start_block();
    for (std::size_t i = 0; i < n; ++i) {
      out[whole + i] = static_cast<std::uint8_t>(in[whole + i] ^ keystream_[i]);
    }
    num_ = static_cast<unsigned>(n);
  }
  return true;
}

bool CipherContext::set_num(std::uint64_t used) {
  if (used >= cipher_->block_bytes) {
    raise(provider_, Reason::kBadParameter, "num = %llu: a block of %s has %zu bytes",
          static_cast<unsigned long long>(used), cipher_->name, cipher_->block_bytes);
    return false;
  }
  if (used != 0 && !check_ready(true)) return false;
  stream_.reset();
  if (used != 0 && num_ == 0) ctr_start_block();
  if (used == 0) wipe(keystream_, sizeof keystream_);
  num_ = static_cast<unsigned>(used);
  return true;
}

}  // namespace gpuctr
