#include "provider/mode/aead/ccm_message.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "kernels/base/counter.h"
#include "kernels/base/wipe.h"

namespace gpuctr {
namespace {

// RFC 3610 2.2: what the first block's flags say beside the two lengths.
constexpr std::uint8_t kHasAad = 0x40;

void write_length(std::uint8_t* end, std::uint64_t length, std::size_t bytes) {
  for (; bytes != 0; --bytes, length >>= 8) *--end = static_cast<std::uint8_t>(length);
}

// 2.2: the length in front of the associated data, of 2, 6 or 10 bytes. Returns how many.
std::size_t write_aad_length(std::uint8_t* out, std::uint64_t n) {
  if (n < 0xff00) {
    write_length(out + 2, n, 2);
    return 2;
  }
  const std::size_t bytes = n >> 32 == 0 ? 4 : 8;
  out[0] = 0xff;
  out[1] = bytes == 4 ? 0xfe : 0xff;
  write_length(out + 2 + bytes, n, bytes);
  return 2 + bytes;
}

}  // namespace

void CcmMessage::forget() {
  wipe(mask_, sizeof mask_);
  wipe(x_, sizeof x_);
}

// RFC 3610 2.2, the first block, and 2.3, the first counter block.
void CcmMessage::start(const std::uint8_t* iv, std::size_t iv_bytes, std::size_t tag_bytes,
                       std::uint64_t text_bytes) {
  const std::size_t length_bytes = kCcmBlock - 1 - iv_bytes;
  std::memset(counter_, 0, sizeof counter_);
  counter_[0] = static_cast<std::uint8_t>(length_bytes - 1);
  std::memcpy(counter_ + 1, iv, iv_bytes);
  std::memcpy(x_, counter_, sizeof x_);
  x_[0] = static_cast<std::uint8_t>(x_[0] | (tag_bytes - 2) / 2 << 3);
  write_length(x_ + kCcmBlock, text_bytes, length_bytes);
}

// CBC encryption of the data after x_, without its output; x_ has not been encrypted yet, nor is it
// afterwards.
void CcmMessage::mac_chain(const CipherOps& ops, const RoundKeys& keys, const std::uint8_t* data,
                           std::size_t blocks) {
  Wiped<std::uint8_t[256]> out;
  ops.encrypt(keys, x_, x_, 1);
  for (std::size_t left = blocks - 1; left != 0;) {
    const std::size_t take = std::min(left, sizeof out.value / kCcmBlock);
    ops.cbc_encrypt(keys, x_, data, out.value, take);
    data += take * kCcmBlock;
    left -= take;
  }
  for (std::size_t i = 0; i < kCcmBlock; ++i) x_[i] = static_cast<std::uint8_t>(x_[i] ^ data[i]);
}

// Counter mode of one block from x_ on, over the data's block, is that block XORed into E(x_).
void CcmMessage::mac_blocks(const RoundKeys& keys, const std::uint8_t* data, std::size_t blocks) {
  const CipherOps& ops = engine_->cpu(*cipher_);
  if (blocks > 1 && ops.cbc_encrypt != nullptr) return mac_chain(ops, keys, data, blocks);
  Wiped<std::uint8_t[kCcmBlock]> other;
  std::uint8_t* from = x_;
  std::uint8_t* to = other.value;
  for (; blocks != 0; --blocks, data += kCcmBlock) {
    ops.ctr(keys, from, data, to, kCcmBlock);
    std::swap(from, to);
  }
  if (from != x_) std::memcpy(x_, from, kCcmBlock);
}

void CcmMessage::mac(const RoundKeys& keys, const std::uint8_t* data, std::size_t n) {
  mac_blocks(keys, data, n / kCcmBlock);
  const std::size_t rest = n % kCcmBlock;
  if (rest == 0) return;
  Wiped<std::uint8_t[kCcmBlock]> last;
  std::memset(last.value, 0, kCcmBlock);
  std::memcpy(last.value, data + n - rest, rest);
  mac_blocks(keys, last.value, 1);
}

void CcmMessage::add_aad(const RoundKeys& keys, const std::uint8_t* aad, std::size_t n) {
  x_[0] |= kHasAad;
  std::uint8_t first[kCcmBlock] = {};
  const std::size_t length = write_aad_length(first, n);
  const std::size_t take = std::min(n, kCcmBlock - length);
  std::memcpy(first + length, aad, take);
  mac_blocks(keys, first, 1);
  mac(keys, aad + take, n - take);
}

// Mask and keystream at once.
void CcmMessage::crypt_small(const RoundKeys& keys, std::uint8_t* out, const std::uint8_t* in,
                             std::size_t n) {
  Wiped<std::uint8_t[kCcmBlock + kSmall]> keystream;
  engine_->cpu(*cipher_).ctr(keys, counter_, nullptr, keystream.value, kCcmBlock + n);
  std::memcpy(mask_, keystream.value, kCcmBlock);
  for (std::size_t i = 0; i < n; ++i) {
    out[i] = static_cast<std::uint8_t>(in[i] ^ keystream.value[kCcmBlock + i]);
  }
}

// By a backend that does both at once.
std::size_t CcmMessage::crypt_blocks(const RoundKeys& keys, bool encrypt, std::uint8_t* out,
                                     const std::uint8_t* in, std::size_t n) {
  const CipherOps& ops = engine_->cpu(*cipher_);
  std::uint8_t counter[kCcmBlock];
  copy_block(counter, counter_, kCcmBlock);
  counter_add(counter, kCcmBlock, 1);
  ops.ccm(keys, encrypt, counter, x_, in, out, n / kCcmBlock);
  return n / kCcmBlock * kCcmBlock;
}

void CcmMessage::crypt(const RoundKeys& keys, bool encrypt, std::uint8_t* out,
                       const std::uint8_t* in, std::size_t n) {
  const CipherOps& ops = engine_->cpu(*cipher_);
  const bool at_once = ops.ccm != nullptr && n >= kCcmBlock;
  if (n <= kSmall && !at_once) {
    if (encrypt) mac(keys, in, n);
    crypt_small(keys, out, in, n);
    if (!encrypt) mac(keys, out, n);
    return;
  }
  ops.ctr(keys, counter_, nullptr, mask_, kCcmBlock);
  for (std::size_t at = at_once ? crypt_blocks(keys, encrypt, out, in, n) : 0; at != n;) {
    const std::size_t take = std::min(n - at, kPiece);
    std::uint8_t counter[kCcmBlock];
    std::memcpy(counter, counter_, sizeof counter);
    counter_add(counter, kCcmBlock, 1 + at / kCcmBlock);
    if (encrypt) mac(keys, in + at, take);
    ops.ctr(keys, counter, in + at, out + at, take);
    if (!encrypt) mac(keys, out + at, take);
    at += take;
  }
}

void CcmMessage::finish(const RoundKeys& keys, std::uint8_t* tag) {
  engine_->cpu(*cipher_).ctr(keys, x_, mask_, tag, kCcmTag);
  forget();
}

}  // namespace gpuctr
