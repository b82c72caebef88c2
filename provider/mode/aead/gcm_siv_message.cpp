#include "provider/mode/aead/gcm_siv_message.h"

#include <algorithm>
#include <cstring>

#include "kernels/base/counter.h"
#include "kernels/base/wipe.h"

namespace gpuctr {
namespace {

std::uint64_t little_endian64(std::uint64_t x) { return __builtin_bswap64(big_endian64(x)); }

std::uint32_t load32(const std::uint8_t* p) {
  return static_cast<std::uint32_t>(p[0]) | static_cast<std::uint32_t>(p[1]) << 8 |
         static_cast<std::uint32_t>(p[2]) << 16 | static_cast<std::uint32_t>(p[3]) << 24;
}
void store32(std::uint8_t* p, std::uint32_t x) {
  for (unsigned i = 0; i < 4; ++i) p[i] = static_cast<std::uint8_t>(x >> 8 * i);
}

// The H of GHASH for POLYVAL's H. RFC 8452 appendix A:
//
//   POLYVAL(H, X_1, ...) = ByteReverse(GHASH(mulX_GHASH(ByteReverse(H)), ByteReverse(X_1), ...)).
//
// GHASH numbers bits from the left, so mulX_GHASH moves all bits one place to the right. A bit that
// leaves is x^128 = 1 + x + x^2 + x^7, whose byte is 0xe1. The bytes of blocks and sum are reversed
// by GhashOps::polyval.
void hash_key_of(const std::uint8_t* h, std::uint8_t* out) {
  std::uint64_t words[2];
  std::memcpy(words, h, sizeof words);
  const std::uint64_t low = little_endian64(words[0]), high = little_endian64(words[1]);
  const std::uint64_t left = std::uint64_t{0} - (low & 1);
  words[0] = big_endian64(high >> 1 ^ (left & std::uint64_t{0xe1} << 56));
  words[1] = big_endian64(low >> 1 | high << 63);
  std::memcpy(out, words, sizeof words);
}

}  // namespace

GcmSivMessage::GcmSivMessage(const Engine& engine, const CipherSpec& cipher, const RoundKeys& keys,
                             std::uint8_t* memory)
    : cipher_(cipher),
      ops_(engine.cpu(cipher)),
      siv_ctr_(engine.cpu_backend().siv_ctr),
      ghash_(*engine.cpu_backend().ghash),
      keys_(keys),
      message_keys_(*reinterpret_cast<RoundKeys*>(memory)),
      hash_key_(*reinterpret_cast<GhashKey*>(memory + whole_units(cipher.round_key_bytes))) {}

void GcmSivMessage::forget() {
  if (powers_ == 0) return;
  wipe(&message_keys_, cipher_.round_key_bytes);
  wipe(&hash_key_, sizeof hash_key_);
  powers_ = 0;
}

// Blocks of a counter, 32 bits, and the nonce. The first half of each is a part of a key: two of
// the hash key, the others of the key that encrypts the message.
void GcmSivMessage::start(const std::uint8_t* nonce) {
  constexpr std::size_t kHalf = kSivBlock / 2;
  constexpr std::size_t kMost = (kSivBlock + 32) / kHalf;
  const std::size_t blocks = (kSivBlock + cipher_.key_bytes) / kHalf;
  std::memcpy(nonce_, nonce, sizeof nonce_);
  Wiped<std::uint8_t[kMost * kSivBlock]> derived;
  Wiped<std::uint8_t[kMost * kHalf]> keys;
  std::memset(derived.value, 0, sizeof derived.value);
  for (std::size_t i = 0; i < blocks; ++i) {
    store32(derived.value + i * kSivBlock, static_cast<std::uint32_t>(i));
    std::memcpy(derived.value + i * kSivBlock + 4, nonce, kSivNonce);
  }
  ops_.encrypt(keys_, derived.value, derived.value, blocks);
  for (std::size_t i = 0; i < blocks; ++i) {
    std::memcpy(keys.value + i * kHalf, derived.value + i * kSivBlock, kHalf);
  }
  Wiped<std::uint8_t[kSivBlock]> h;
  hash_key_of(keys.value, h.value);
  ghash_.begin(h.value, &hash_key_);
  powers_ = 1;
  expand_on(cipher_, ops_, keys.value + kSivBlock, cipher_.key_bytes, &message_keys_);
}

void GcmSivMessage::polyval(const std::uint8_t* data, std::size_t blocks) {
  if (blocks > powers_ && powers_ < ghash_.powers) {
    powers_ = ghash_.grow(&hash_key_, powers_, blocks);
  }
  ghash_.polyval(hash_key_, sum_, data, blocks);
}

void GcmSivMessage::flush() {
  if (waiting_bytes_ == 0) return;
  polyval(waiting_, waiting_bytes_ / kSivBlock);
  wipe(waiting_, waiting_bytes_);
  waiting_bytes_ = 0;
}

// Adds n bytes, and zeros up to a whole block.
void GcmSivMessage::hash(const std::uint8_t* data, std::size_t n) {
  if (n == 0) return;
  if (n > kWaiting - waiting_bytes_) {
    flush();
    const std::size_t whole = n / kSivBlock;
    if (whole != 0) polyval(data, whole);
    data += whole * kSivBlock;
    n -= whole * kSivBlock;
    if (n == 0) return;
  }
  std::uint8_t* const to = waiting_ + waiting_bytes_;
  const std::size_t padded = (n + kSivBlock - 1) / kSivBlock * kSivBlock;
  std::memset(to + padded - kSivBlock, 0, kSivBlock);
  std::memcpy(to, data, n);
  waiting_bytes_ += padded;
}

// The block of lengths, in bits; then the tag (4).
void GcmSivMessage::end_hash(std::size_t aad_bytes, std::size_t text_bytes, std::uint8_t* tag) {
  const std::uint64_t bits[2] = {little_endian64(8 * std::uint64_t{aad_bytes}),
                                 little_endian64(8 * std::uint64_t{text_bytes})};
  std::uint8_t lengths[kSivBlock];
  std::memcpy(lengths, bits, sizeof lengths);
  hash(lengths, sizeof lengths);
  flush();
  for (std::size_t i = 0; i < kSivNonce; ++i) sum_[i] ^= nonce_[i];
  sum_[kSivBlock - 1] &= 0x7f;
  ops_.encrypt(message_keys_, sum_, tag, 1);
  wipe(sum_, sizeof sum_);
}

void GcmSivMessage::encrypt(const std::uint8_t* aad, std::size_t aad_bytes, const std::uint8_t* in,
                            std::uint8_t* out, std::size_t n, std::uint8_t* tag) {
  hash(aad, aad_bytes);
  hash(in, n);
  end_hash(aad_bytes, n, tag);
  std::uint8_t counter[kSivBlock];
  std::memcpy(counter, tag, sizeof counter);
  counter[kSivBlock - 1] |= 0x80;
  crypt(counter, in, out, n);
}

void GcmSivMessage::decrypt(const std::uint8_t* aad, std::size_t aad_bytes, const std::uint8_t* in,
                            std::uint8_t* out, std::size_t n, const std::uint8_t* given,
                            std::uint8_t* tag) {
  hash(aad, aad_bytes);
  std::uint8_t counter[kSivBlock];
  std::memcpy(counter, given, sizeof counter);
  counter[kSivBlock - 1] |= 0x80;
  for (std::size_t done = 0; done < n; done += kPiece) {
    const std::size_t some = std::min(kPiece, n - done);
    crypt(counter, in + done, out + done, some);
    hash(out + done, some);
    store32(counter, load32(counter) + static_cast<std::uint32_t>(kPiece / kSivBlock));
  }
  end_hash(aad_bytes, n, tag);
}

void GcmSivMessage::crypt(const std::uint8_t* counter, const std::uint8_t* in, std::uint8_t* out,
                          std::size_t n) const {
  if (n == 0) return;
  if (siv_ctr_ != nullptr) return siv_ctr_(message_keys_, counter, in, out, n);
  crypt_by_blocks(counter, in, out, n);
}

void GcmSivMessage::crypt_by_blocks(const std::uint8_t* counter, const std::uint8_t* in,
                                    std::uint8_t* out, std::size_t n) const {
  Wiped<std::uint8_t[kKeystream]> keystream;
  std::uint32_t number = load32(counter);
  while (n != 0) {
    const std::size_t some = std::min(kKeystream, n);
    const std::size_t blocks = (some + kSivBlock - 1) / kSivBlock;
    // Each number from the one before it: a vectorised loop would ask whether the counter wraps.
    std::uint8_t* block = keystream.value;
    for (std::size_t i = 0; i < blocks; ++i, block += kSivBlock) {
      std::memcpy(block, counter, kSivBlock);
      store32(block, i == 0 ? number : load32(block - kSivBlock) + 1);
    }
    number = load32(block - kSivBlock) + 1;
    ops_.encrypt(message_keys_, keystream.value, keystream.value, blocks);
    for (std::size_t i = 0; i < some; ++i) {
      out[i] = static_cast<std::uint8_t>(in[i] ^ keystream.value[i]);
    }
    in += some;
    out += some;
    n -= some;
  }
}

}  // namespace gpuctr
