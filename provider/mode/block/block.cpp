#include "provider/mode/block/block.h"

#include <cstring>

#include "kernels/base/counter.h"
#include "kernels/base/wipe.h"
#include "kernels/cpu/xex.h"
#include "provider/core/errors.h"
#include "provider/core/overlap.h"

namespace gpuctr {

BlockContext::BlockContext(const ContextMemory& memory, const BlockContext& other)
    : CipherContext(memory, other),
      ops_(other.ops_),
      stream_(other.stream_),
      pending_bytes_(other.pending_bytes_) {
  std::memcpy(chain_, other.chain_, sizeof chain_);
  std::memcpy(pending_, other.pending_, sizeof pending_);
}

BlockContext::~BlockContext() {
  report();
  wipe(pending_, sizeof pending_);
}

void BlockContext::begin(bool, bool) {
  forget_pending();
  // An init without an IV starts again from the last IV that was set: the behaviour of OpenSSL
  // 1.1.1 and 3.
  if (has_iv_) copy_iv_to(chain_);
}

void BlockContext::forget_pending() {
  if (pending_bytes_ == 0) return;
  wipe(pending_, sizeof pending_);
  pending_bytes_ = 0;
}

// Keeps n bytes, at most a block. copy_chain() copies a whole block, the usual case, without a
// call, and in one piece, because the cipher loads it in one piece.
void BlockContext::keep_pending(const std::uint8_t* in, std::size_t n) {
  pending_bytes_ = n;
  if (n == block_bytes()) {
    copy_chain(pending_, in, n);
  } else if (n != 0) {
    std::memcpy(pending_, in, n);
  }
}

const char* BlockContext::backend() const {
  const char* served = stream_.served_by();
  return served != nullptr ? served : engine().cpu_backend().name;
}

// The number of bytes that can be written after n more bytes of input. With padding, decryption
// keeps the last whole block back, because the block may contain padding.
std::size_t BlockContext::ready_bytes(std::size_t n) const {
  const std::size_t kept = padding_ && !encrypts() ? 1 : 0;
  const std::size_t have = pending_bytes_ + n;
  return have < kept ? 0 : (have - kept) & ~(block_bytes() - 1);
}

bool BlockContext::refuse_device_memory(std::size_t n) const {
  refuse(Reason::kDeviceMemory, "%zu bytes of %s-%s: %s", n, cipher_->name, mode_->name,
         takes_device_memory() ? "a device takes whole blocks with the padding off"
                               : "this direction takes ordinary memory");
  return false;
}

// In place means that each block is written over its own input: `out` is `in` minus the pending
// bytes.
bool BlockContext::check_update(const std::uint8_t* out, std::size_t room, const std::uint8_t* in,
                                std::size_t n, std::size_t ready) const {
  if (!(n == 0 ? check_key() : check_set())) return false;
  // Without whole blocks nothing is written, so no output is needed.
  if (n != 0 && !check_buffers(ready == 0 ? in : out, in, n)) return false;
  if (!check_limit(n) || !check_room(room, ready)) return false;
  const bool in_place = reinterpret_cast<std::uintptr_t>(out) + pending_bytes_ ==
                        reinterpret_cast<std::uintptr_t>(in);
  if (n != 0 && ready != 0 && !in_place && overlap(out, ready, in, n)) {
    return refuse_overlap(out, in, n);
  }
  return true;
}

// Processes `ready` bytes, not 0: the pending bytes, at least one, then bytes of `in`. The block
// with the pending bytes is written last. The other blocks may be refused, and a refusal must have
// written nothing.
bool BlockContext::make_pending(std::uint8_t* out, const std::uint8_t* in, std::size_t ready) {
  const std::size_t block = block_bytes();
  const std::size_t take = block - pending_bytes_;
  if (stream_.is_small(ready)) {  // cannot be refused, and is in ordinary memory
    if (take != 0) std::memcpy(pending_ + pending_bytes_, in, take);
    crypt_small(out, pending_, 1);
    if (ready != block) crypt_small(out + block, in + take, whole_blocks(ready) - 1);
    return true;
  }
  std::uint8_t before[kMaxBlockBytes];
  copy_block(before, chain_, block);
  Wiped<std::uint8_t[kMaxBlockBytes]> first;
  std::memcpy(first.value, pending_, pending_bytes_);
  if (take != 0) std::memcpy(first.value + pending_bytes_, in, take);
  const bool made = crypt(first.value, first.value, 1, false) &&
                    (ready == block || crypt(out + block, in + take, ready / block - 1, false));
  if (made) {
    std::memcpy(out, first.value, block);
  } else {
    copy_block(chain_, before, block);
  }
  return made;
}

bool BlockContext::update(std::uint8_t* out, std::size_t* written, std::size_t room,
                          const std::uint8_t* in, std::size_t n) {
  const bool whole = (n & (block_bytes() - 1)) == 0;
  if (!whole || !is_checked(out, room, in, n)) return update_any(out, written, room, in, n);
  if (padding_ && !encrypts()) return update_held(out, written, room, in, n);
  if (pending_bytes_ != 0) return update_any(out, written, room, in, n);
  if (stream_.may_have_device_memory() || !stream_.is_small(n)) {
    return update_whole(out, written, in, n);
  }
  return update_small(out, written, in, n);
}

GPUCTR_INLINE bool BlockContext::update_small(std::uint8_t* out, std::size_t* written,
                                              const std::uint8_t* in, std::size_t n) {
  *written = n;
  CipherContext::count(n, false);
  crypt_small(out, in, whole_blocks(n));
  return true;
}

// n bytes in whole blocks, where is_checked() and none are pending, in any memory.
bool BlockContext::update_whole(std::uint8_t* out, std::size_t* written, const std::uint8_t* in,
                                std::size_t n) {
  const bool device = stream_.is_device(out, in);
  if (!device && stream_.is_small(n)) return update_small(out, written, in, n);
  *written = 0;
  return check_memory(device, n, true) && crypt_counted(out, written, in, n, device);
}

// Decryption with padding of n bytes in whole blocks, where is_checked(). The last block is held
// back, and the one held back by the update before is written.
bool BlockContext::update_held(std::uint8_t* out, std::size_t* written, std::size_t room,
                               const std::uint8_t* in, std::size_t n) {
  const std::size_t block = block_bytes(), had = pending_bytes_;
  if ((had & (block - 1)) != 0 || (had != 0 && out == in) || stream_.is_device(out, in) ||
      !stream_.is_small(n)) {
    return update_any(out, written, room, in, n);
  }
  const std::size_t more = n - block;  // of `in`
  if (had != 0) {
    crypt_small(out, pending_, 1);
    out += had;
  }
  if (more != 0) crypt_small(out, in, whole_blocks(more));
  pending_bytes_ = block;
  copy_chain(pending_, in + more, block);
  CipherContext::count(n, false);
  *written = more + had;
  return true;
}

// Encrypts or decrypts n bytes in whole blocks and counts them. The caller has made all checks.
bool BlockContext::crypt_counted(std::uint8_t* out, std::size_t* written, const std::uint8_t* in,
                                 std::size_t n, bool device) {
  if (!crypt(out, in, whole_blocks(n), device)) return refuse_without_device(n);
  *written = n;
  count(n);
  return true;
}

bool BlockContext::update_any(std::uint8_t* out, std::size_t* written, std::size_t room,
                              const std::uint8_t* in, std::size_t n) {
  *written = 0;
  const std::size_t ready = ready_bytes(n);
  if (!check_update(out, room, in, n, ready)) return false;
  const bool device = n != 0 && stream_.is_device(out, in);
  if (!check_memory(device, n, pending_bytes_ == 0 && (encrypts() || !padding_))) return false;
  if (ready != 0) {
    const std::size_t used = ready - pending_bytes_;
    const bool made = pending_bytes_ == 0 ? crypt(out, in, whole_blocks(ready), device)
                                          : make_pending(out, in, ready);
    if (!made) return refuse_without_device(n);
    forget_pending();
    keep_pending(in + used, n - used);
  } else if (n != 0) {
    std::memcpy(pending_ + pending_bytes_, in, n);
    pending_bytes_ += n;
  }
  count(n);
  *written = ready;
  return true;
}

bool BlockContext::one_shot(std::uint8_t* out, std::size_t* written, std::size_t room,
                            const std::uint8_t* in, std::size_t n) {
  *written = 0;
  if (!(n == 0 ? check_key() : check_set())) return false;
  if (n != 0 && !check_buffers(out, in, n)) return false;
  if (n % block_bytes() != 0) {
    refuse(Reason::kPartialBlock, "%zu bytes, %s takes blocks of %zu", n, cipher_->name,
           block_bytes());
    return false;
  }
  if (!check_room(room, n) || !check_limit(n)) return false;
  if (overlaps_partly(out, in, n)) return refuse_overlap(out, in, n);
  if (n == 0) return true;
  const bool device = stream_.is_device(out, in);
  return check_memory(device, n, true) && crypt_counted(out, written, in, n, device);
}

bool BlockContext::final(std::uint8_t* out, std::size_t* written, std::size_t room) {
  *written = 0;
  if (!check_key()) return false;
  return encrypts() ? final_encrypt(out, written, room) : final_decrypt(out, written, room);
}

bool BlockContext::refuse_left_over() const {
  refuse(Reason::kPartialBlock, "%zu bytes are left over, %s takes blocks of %zu", pending_bytes_,
         cipher_->name, block_bytes());
  return false;
}

bool BlockContext::final_encrypt(std::uint8_t* out, std::size_t* written, std::size_t room) {
  const std::size_t block = block_bytes();
  if (!padding_) return pending_bytes_ == 0 || refuse_left_over();
  const std::size_t pad = block - pending_bytes_;
  if (!check_set() || !check_limit(pad) || !check_buffers(out, pending_, block) ||
      !check_room(room, block) || !check_memory(stream_.is_device(out), block, false)) {
    return false;
  }
  if (kMaxBlockBytes >= 16 && block == 16 && pad == 16) {  // without a call
    std::memset(pending_, 16, 16);
  } else {
    std::memset(pending_ + pending_bytes_, static_cast<int>(pad), pad);
  }
  if (stream_.is_small(block)) {
    crypt_small(out, pending_, 1);
  } else if (!crypt(out, pending_, 1, false)) {
    return refuse_without_device(block);
  }
  forget_pending();
  bytes_ += pad;
  *written = block;
  return true;
}

// A refusal leaves the context unchanged. A later final with padding off can still return the
// block.
bool BlockContext::final_decrypt(std::uint8_t* out, std::size_t* written, std::size_t room) {
  const std::size_t block = block_bytes();
  if (!padding_ && pending_bytes_ == 0) return true;
  if (pending_bytes_ != block) return refuse_left_over();
  if (!check_memory(stream_.is_device(out), block, false)) return false;
  std::uint8_t before[kMaxBlockBytes];
  copy_block(before, chain_, block);
  Wiped<std::uint8_t[kMaxBlockBytes]> plain;
  if (!crypt(plain.value, pending_, 1, false)) return refuse_without_device(block);
  std::size_t size = block;  // no padding: kept back before padding was turned off
  if ((padding_ && !unpad(plain.value, &size)) || !check_room(room, size) ||
      (size != 0 && !check_buffers(out, pending_, size))) {
    copy_block(chain_, before, block);
    return false;
  }
  if (size != 0) std::memcpy(out, plain.value, size);
  forget_pending();
  *written = size;
  return true;
}

// Reads every byte, whatever the padding's length, so that the running time does not depend on that
// length.
bool BlockContext::unpad(const std::uint8_t* plain, std::size_t* size) const {
  const std::size_t block = block_bytes();
  const std::size_t pad = plain[block - 1];
  unsigned bad = pad == 0 || pad > block ? 1u : 0u;
  for (std::size_t i = 0; i < block; ++i) {
    const unsigned in_padding = i + pad >= block ? 1u : 0u;
    bad |= in_padding & static_cast<unsigned>(plain[i] != pad);
  }
  *size = block - pad;
  if (bad == 0) return true;
  refuse(Reason::kBadPadding, "the last block of %s-%s does not end in padding", cipher_->name,
         mode_->name);
  return false;
}

}  // namespace gpuctr
