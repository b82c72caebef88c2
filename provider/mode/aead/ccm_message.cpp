#include "provider/mode/aead/ccm_message.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "kernels/base/counter.h"
#include "kernels/base/wipe.h"

namespace gpuctr {
namespace {

// RFC 3610 2.2: the bit of the first block's flags for associated data.
constexpr std::uint64_t kHasAad = 0x40;

void write_length(std::uint8_t* end, std::uint64_t length, std::size_t bytes) {
  for (; bytes != 0; --bytes, length >>= 8) *--end = static_cast<std::uint8_t>(length);
}

// RFC 3610 2.2: writes the length that precedes the associated data. Returns its size: 2, 6 or 10
// bytes.
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

// Encrypts or decrypts text and computes the MAC of the plaintext.
struct CcmMessage::Text {
  static constexpr bool kWholeText = true;
  CcmMessage& m;
  bool encrypt;

  bool keystream(const std::uint8_t* at, std::uint8_t* out, std::size_t n) {
    m.cursor_.ops().ctr(m.cursor_.keys(), at, nullptr, out, n);
    return true;
  }
  // If the backend encrypts and authenticates in one pass, it does so for the whole blocks.
  bool run(const std::uint8_t* at, const std::uint8_t* in, std::uint8_t* out, std::size_t n) {
    const CipherOps& ops = m.cursor_.ops();
    if (ops.ccm == nullptr) return apart(at, in, out, n);
    ops.ccm(m.cursor_.keys(), encrypt, at, m.x_, in, out, n / kCcmBlock);
    const std::size_t rest = n % kCcmBlock;
    if (rest == 0) return true;
    std::uint8_t last[kCcmBlock];
    copy_block(last, at, kCcmBlock);
    counter_add(last, kCcmBlock, n / kCcmBlock);
    return apart(last, in + n - rest, out + n - rest, rest);
  }
  bool apart(const std::uint8_t* at, const std::uint8_t* in, std::uint8_t* out, std::size_t n) {
    before(in, n);
    m.cursor_.ops().ctr(m.cursor_.keys(), at, in, out, n);
    after(out, n);
    return true;
  }
  std::size_t most() const { return m.cursor_.ops().ccm != nullptr ? SIZE_MAX : kPiece; }
  void before(const std::uint8_t* in, std::size_t n) {
    if (encrypt) m.mac(in, n);
  }
  void after(const std::uint8_t* out, std::size_t n) {
    if (!encrypt) m.mac(out, n);
  }
};

CcmMessage::CcmMessage(const CcmMessage& other, const RoundKeys& keys)
    : CcmMessage(other.cursor_.ops(), keys) {
  std::memcpy(mask_, other.mask_, sizeof mask_);
  std::memcpy(x_, other.x_, sizeof x_);
  cursor_.copy(other.cursor_);
}

void CcmMessage::forget() {
  cursor_.forget();
  wipe(mask_, sizeof mask_);
  wipe(x_, sizeof x_);
}

// Makes the first block (RFC 3610 2.2) and the first counter block (2.3).
void CcmMessage::start(const std::uint8_t* iv, std::size_t iv_bytes, std::size_t tag_bytes,
                       std::uint64_t text_bytes) {
  const std::size_t length_bytes = kCcmBlock - 1 - iv_bytes;
  std::uint64_t high = length_bytes - 1, low = 0;
  for (std::size_t i = 0; i < kCcmMinIv; ++i) high = high << 8 | iv[i];
  for (std::size_t i = kCcmMinIv; i < kCcmBlock - 1; ++i)
    low = low << 8 | (i < iv_bytes ? iv[i] : 0);
  const std::uint64_t counter[2] = {big_endian64(high), big_endian64(low)};
  cursor_.start(reinterpret_cast<const std::uint8_t*>(counter), sizeof counter);
  high |= std::uint64_t{(tag_bytes - 2) / 2 << 3} << 56;
  set_x(BlockWords{big_endian64(high), big_endian64(low | text_bytes)});
}

void CcmMessage::set_x(BlockWords block) { store_block(x_, block); }

// CBC encryption of the block x_ and then of the data; only the chaining value is used. Before and
// after the call, x_ is a block that is not yet encrypted.
void CcmMessage::mac_chain(const std::uint8_t* data, std::size_t blocks) {
  Wiped<std::uint8_t[256]> out;
  cursor_.ops().encrypt(cursor_.keys(), x_, x_, 1);
  for (std::size_t left = blocks - 1; left != 0;) {
    const std::size_t take = std::min(left, sizeof out.value / kCcmBlock);
    cursor_.ops().cbc_encrypt(cursor_.keys(), x_, data, out.value, take);
    data += take * kCcmBlock;
    left -= take;
  }
  for (std::size_t i = 0; i < kCcmBlock; ++i) x_[i] = static_cast<std::uint8_t>(x_[i] ^ data[i]);
}

// One block of counter mode with the counter x_ yields E(x_) XOR data, the next x_.
void CcmMessage::mac_blocks(const std::uint8_t* data, std::size_t blocks) {
  if (blocks > 1 && cursor_.ops().cbc_encrypt != nullptr) return mac_chain(data, blocks);
  Wiped<std::uint8_t[kCcmBlock]> other;
  std::uint8_t* from = x_;
  std::uint8_t* to = other.value;
  for (; blocks != 0; --blocks, data += kCcmBlock) {
    cursor_.ops().ctr(cursor_.keys(), from, data, to, kCcmBlock);
    std::swap(from, to);
  }
  if (from != x_) std::memcpy(x_, from, kCcmBlock);
}

void CcmMessage::mac(const std::uint8_t* data, std::size_t n) {
  mac_blocks(data, n / kCcmBlock);
  const std::size_t rest = n % kCcmBlock;
  if (rest == 0) return;
  Wiped<std::uint8_t[kCcmBlock]> last;
  store_block(last.value, load_part(data + n - rest, rest));
  mac_blocks(last.value, 1);
}

void CcmMessage::add_aad(const std::uint8_t* aad, std::size_t n) {
  BlockWords block = load_block(x_);
  block[0] |= big_endian64(kHasAad << 56);
  set_x(block);
  std::uint8_t first[kCcmBlock] = {};
  const std::size_t length = write_aad_length(first, n);
  const std::size_t take = std::min(n, kCcmBlock - length);
  std::memcpy(first + length, aad, take);
  mac_blocks(first, 1);
  mac(aad + take, n - take);
}

void CcmMessage::crypt(bool encrypt, std::uint8_t* out, const std::uint8_t* in, std::size_t n) {
  Text text{*this, encrypt};
  if (n <= kSmall && (cursor_.ops().ccm == nullptr || n < kCcmBlock)) {
    cursor_.crypt_first(text, mask_, out, in, n);
    return;
  }
  cursor_.take_block(mask_);
  std::size_t done = 0;
  cursor_.crypt_long(text, out, in, n, &done);
}

void CcmMessage::finish(std::uint8_t* tag) {
  cursor_.ops().ctr(cursor_.keys(), x_, mask_, tag, kCcmTag);
  forget();
}

}  // namespace gpuctr
