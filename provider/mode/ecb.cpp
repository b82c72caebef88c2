// Single blocks, with PKCS#7 padding as OpenSSL's block modes have it.
#include <algorithm>
#include <cstring>

#include "kernels/base/wipe.h"
#include "provider/cipher/context.h"
#include "provider/core/errors.h"
#include "provider/core/overlap.h"

namespace gpuctr {

void CipherContext::ecb_blocks(std::uint8_t* out, const std::uint8_t* in,
                               std::size_t blocks) const {
  const CipherOps& ops = provider_->engine->cpu(*cipher_);
  (encrypt_ ? ops.encrypt : ops.decrypt)(keys_, in, out, blocks);
}

// What n bytes more make ready, bytes. With padding, decryption keeps the last whole block back: it
// may be padding.
std::size_t CipherContext::ecb_ready(std::size_t n) const {
  const std::size_t kept = padding_ && !encrypt_ ? 1 : 0;
  const std::size_t have = pending_bytes_ + n;
  return have < kept ? 0 : (have - kept) & ~(cipher_->block_bytes - 1);
}

// In place is where a block is written over its own input: behind `in` by the bytes that wait.
bool CipherContext::check_ecb_update(const std::uint8_t* out, std::size_t room,
                                     const std::uint8_t* in, std::size_t n) const {
  const std::size_t ready = ecb_ready(n);
  if (!check_ready(false) || !check_limit(n) || !check_room(room, ready)) return false;
  const bool in_place = reinterpret_cast<std::uintptr_t>(out) + pending_bytes_ ==
                        reinterpret_cast<std::uintptr_t>(in);
  if (n == 0 || ready == 0 || in_place || !overlap(out, ready, in, n)) return true;
  return refuse_overlap(out, in, n);
}

bool CipherContext::ecb_update(std::uint8_t* out, std::size_t* written, std::size_t room,
                               const std::uint8_t* in, std::size_t n) {
  if (!check_ecb_update(out, room, in, n)) return false;
  const std::size_t block = cipher_->block_bytes;
  const std::size_t ready = ecb_ready(n);
  count(n);
  std::size_t done = 0;
  if (ready != 0 && pending_bytes_ != 0) {
    const std::size_t take = block - pending_bytes_;
    if (take != 0) std::memcpy(pending_ + pending_bytes_, in, take);
    ecb_blocks(out, pending_, 1);
    wipe(pending_, sizeof pending_);
    pending_bytes_ = 0;
    in += take;
    n -= take;
    done = block;
  }
  ecb_blocks(out + done, in, blocks_of(ready - done));
  in += ready - done;
  n -= ready - done;
  if (n != 0) std::memcpy(pending_ + pending_bytes_, in, n);
  pending_bytes_ += n;
  *written = ready;
  return true;
}

bool CipherContext::ecb_final_encrypt(std::uint8_t* out, std::size_t* written, std::size_t room) {
  const std::size_t block = cipher_->block_bytes;
  if (!padding_) {
    if (pending_bytes_ == 0) return true;
    raise(provider_, Reason::kPartialBlock, "%zu bytes are left over, %s takes blocks of %zu",
          pending_bytes_, cipher_->name, block);
    return false;
  }
  if (!check_room(room, block)) return false;
  const std::size_t pad = block - pending_bytes_;
  std::memset(pending_ + pending_bytes_, static_cast<int>(pad), pad);
  ecb_blocks(out, pending_, 1);
  wipe(pending_, sizeof pending_);
  pending_bytes_ = 0;
  *written = block;
  return true;
}

bool CipherContext::ecb_final_decrypt(std::uint8_t* out, std::size_t* written, std::size_t room) {
  const std::size_t block = cipher_->block_bytes;
  if (!padding_ && pending_bytes_ == 0) return true;
  if (pending_bytes_ != block) {
    raise(provider_, Reason::kPartialBlock, "%zu bytes are left over, %s takes blocks of %zu",
          pending_bytes_, cipher_->name, block);
    return false;
  }
  Wiped<std::uint8_t[kMaxBlockBytes]> plain;
  ecb_blocks(plain.value, pending_, 1);
  std::size_t size = block;  // of a block that was kept back before padding was turned off
  if (padding_ && !ecb_unpad(plain.value, &size)) return false;
  if (!check_room(room, size)) return false;
  std::memcpy(out, plain.value, size);
  wipe(pending_, sizeof pending_);
  pending_bytes_ = 0;
  *written = size;
  return true;
}

// Every byte is looked at whatever the padding says, so that its length does not show in time.
bool CipherContext::ecb_unpad(const std::uint8_t* plain, std::size_t* size) const {
  const std::size_t block = cipher_->block_bytes;
  const std::size_t pad = plain[block - 1];
  unsigned bad = pad == 0 || pad > block ? 1u : 0u;
  for (std::size_t i = 0; i < block; ++i) {
    const unsigned in_padding = i + pad >= block ? 1u : 0u;
    bad |= in_padding & static_cast<unsigned>(plain[i] != pad);
  }
  *size = block - pad;
  if (bad == 0) return true;
  raise(provider_, Reason::kBadPadding, "the last block of %s-ECB does not end in padding",
        cipher_->name);
  return false;
}

}  // namespace gpuctr
