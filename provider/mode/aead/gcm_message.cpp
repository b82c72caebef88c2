#include "provider/mode/aead/gcm_message.h"

#include <algorithm>
#include <cstring>

#include "kernels/base/counter.h"
#include "kernels/base/wipe.h"
#include "kernels/bulk/base/work.h"

namespace gpuctr {

GcmMessage::GcmMessage(Engine* engine, const CipherSpec& cipher, GhashKey* hash_key)
    : cipher_(&cipher),
      engine_(engine),
      ghash_(engine->cpu_backend().ghash),
      key_(hash_key),
      stream_(engine) {}

GcmMessage::GcmMessage(const GcmMessage& other, GhashKey* hash_key)
    : cipher_(other.cipher_),
      engine_(other.engine_),
      ghash_(other.ghash_),
      aad_bytes_(other.aad_bytes_),
      text_bytes_(other.text_bytes_),
      has_mask_(other.has_mask_),
      part_bytes_(other.part_bytes_),
      has_key_(other.has_key_),
      key_(hash_key),
      stream_(other.stream_) {
  std::memcpy(part_, other.part_, sizeof part_);
  std::memcpy(y_, other.y_, sizeof y_);
  std::memcpy(j0_, other.j0_, sizeof j0_);
  std::memcpy(mask_, other.mask_, sizeof mask_);
  if (has_key_) {
    std::memcpy(h_, other.h_, sizeof h_);
    std::memcpy(key_, other.key_, sizeof *key_);
  }
  ready_.copy(other.ready_, other.rest_of_block());
}

GcmMessage::~GcmMessage() {
  forget();
  if (!has_key_) return;
  wipe(key_, sizeof *key_);
  wipe(h_, sizeof h_);
}

void GcmMessage::forget() {
  ready_.clear();
  stream_.reset();
  wipe(y_, sizeof y_);
  wipe(mask_, sizeof mask_);
  wipe(part_, sizeof part_);
  has_mask_ = false;
  part_bytes_ = 0;
  aad_bytes_ = text_bytes_ = 0;
}

// H, the subkey: 7.1 step 1.
void GcmMessage::set_key(const RoundKeys& keys) {
  forget();
  std::memset(h_, 0, sizeof h_);
  engine_->cpu(*cipher_).encrypt(keys, h_, h_, 1);
  ghash_->expand(h_, key_);
  has_key_ = true;
}

// 7.1 step 2.
void GcmMessage::start(const std::uint8_t* iv, std::size_t iv_bytes) {
  forget();
  if (iv_bytes == kGcmBlock - 4) {
    std::memcpy(j0_, iv, iv_bytes);
    const std::uint8_t one[4] = {0, 0, 0, 1};
    std::memcpy(j0_ + iv_bytes, one, sizeof one);
    return;
  }
  hash(iv, iv_bytes);
  hash_lengths(0, iv_bytes);
  std::memcpy(j0_, y_, sizeof j0_);
  wipe(y_, sizeof y_);
}

// As much of `n` bytes as fills blocks; the rest waits.
void GcmMessage::hash(const std::uint8_t* data, std::size_t n) {
  if (part_bytes_ != 0) {
    const std::size_t take = std::min(n, kGcmBlock - part_bytes_);
    std::memcpy(part_ + part_bytes_, data, take);
    part_bytes_ += take;
    data += take;
    n -= take;
    if (part_bytes_ == kGcmBlock) hash_part();
  }
  if (n >= kGcmBlock) hash_blocks(data, n / kGcmBlock);
  const std::size_t rest = n % kGcmBlock;
  if (rest == 0) return;
  std::memcpy(part_, data + n - rest, rest);
  part_bytes_ = rest;
}

// What waits, with zeros behind it.
void GcmMessage::hash_part() {
  if (part_bytes_ == 0) return;
  std::memset(part_ + part_bytes_, 0, kGcmBlock - part_bytes_);
  hash_blocks(part_, 1);
  wipe(part_, sizeof part_);
  part_bytes_ = 0;
}

// The last block: two lengths in bytes, which become bits.
void GcmMessage::hash_lengths(std::uint64_t first, std::uint64_t second) {
  hash_part();
  const std::uint64_t bits[2] = {big_endian64(8 * first), big_endian64(8 * second)};
  std::uint8_t block[kGcmBlock];
  std::memcpy(block, bits, sizeof block);
  hash_blocks(block, 1);
}

bool GcmMessage::add_aad(const std::uint8_t* aad, std::size_t n) {
  if (is_device(aad)) return add_aad_on_device(aad, n);
  hash(aad, n);
  aad_bytes_ += n;
  return true;
}

bulk::GcmWork GcmMessage::work(const RoundKeys& keys, bool encrypt, const std::uint8_t* counter,
                               const std::uint8_t* in, std::uint8_t* out, std::size_t n) {
  return {*cipher_, engine_->cpu(*cipher_), keys, counter, *ghash_, *key_, h_, y_, encrypt, in, out,
          n};
}

void GcmMessage::first_not_ready(std::uint8_t* at) const {
  std::memcpy(at, j0_, kGcmBlock);
  const std::size_t whole = ready_.size() - rest_of_block();
  field_.add(at, 1 + (text_bytes_ + kGcmBlock - 1) / kGcmBlock + whole / kGcmBlock);
}

void GcmMessage::use(bool encrypt, std::uint8_t* out, const std::uint8_t* in, std::size_t n) {
  if (!encrypt) hash(in, n);
  ready_.use(out, in, n);
  if (encrypt) hash(out, n);
  text_bytes_ += n;
}

// The first n bytes of a message, at most kSmallFirst, and in the same batch the mask of the tag:
// *done of them, which are fewer where the counter wraps.
bool GcmMessage::crypt_first(const RoundKeys& keys, bool encrypt, std::uint8_t* out,
                             const std::uint8_t* in, std::size_t n, std::size_t* done) {
  std::uint8_t keystream[kGcmBlock + kSmallFirst];
  const std::uint64_t blocks = field_.run(j0_, 1 + (n + kGcmBlock - 1) / kGcmBlock);
  const std::size_t bytes = static_cast<std::size_t>(blocks) * kGcmBlock;
  if (stream_.ctr(*cipher_, keys, j0_, nullptr, keystream, bytes) != BulkStatus::kOk) return false;
  std::memset(mask_, 0, sizeof mask_);
  ReadyKeystream::use_up(keystream, mask_, mask_, kGcmBlock);
  has_mask_ = true;
  *done = std::min(n, bytes - kGcmBlock);
  std::uint8_t* const rest = keystream + kGcmBlock + *done;
  if (!encrypt) hash(in, *done);
  ReadyKeystream::use_up(keystream + kGcmBlock, out, in, *done);
  if (encrypt) hash(out, *done);
  text_bytes_ += *done;
  if (rest == keystream + bytes) return true;
  ready_.fill(rest, rest_of_block());
  wipe(rest, rest_of_block());
  return true;
}

// More keystream, for which there is room: at most `bytes`, whole blocks, up to where the counter
// wraps.
bool GcmMessage::make_ready(const RoundKeys& keys, std::size_t bytes) {
  std::uint8_t at[kGcmBlock];
  first_not_ready(at);
  bytes = static_cast<std::size_t>(field_.run(at, bytes / kGcmBlock)) * kGcmBlock;
  std::uint8_t* const room = ready_.room(bytes);
  if (stream_.ctr(*cipher_, keys, at, nullptr, room, bytes) != BulkStatus::kOk) return false;
  ready_.add(bytes);
  return true;
}

// Whole blocks whose keystream is not ready, at most n bytes of them: up to where the 32 bits that
// count wrap. Returns how many bytes; 0: no card where one was required.
std::size_t GcmMessage::crypt_blocks(const RoundKeys& keys, bool encrypt, std::uint8_t* out,
                                     const std::uint8_t* in, std::size_t n) {
  std::uint8_t at[kGcmBlock];
  first_not_ready(at);
  const std::size_t bytes = static_cast<std::size_t>(field_.run(at, n / kGcmBlock)) * kGcmBlock;
  if (stream_.gcm(work(keys, encrypt, at, in, out, bytes)) != BulkStatus::kOk) return 0;
  text_bytes_ += bytes;
  return bytes;
}

bool GcmMessage::crypt_parts(const RoundKeys& keys, bool encrypt, std::uint8_t* out,
                             const std::uint8_t* in, std::size_t n, std::size_t* done) {
  if (n > kSmallFirst) {
    make_mask(keys);
  } else if (!has_mask_ && !crypt_first(keys, encrypt, out, in, n, done)) {
    return false;
  }
  const auto use_ready = [&] {
    const std::size_t take = std::min(n - *done, ready_.size());
    if (take != 0) use(encrypt, out + *done, in + *done, take);
    *done += take;
  };
  use_ready();
  // Small updates follow one another. Without memory for more this one has its blocks made below.
  while (*done != n && n <= kSmall && text_bytes_ != 0 && ready_.room(bytes_ahead()) != nullptr) {
    if (!make_ready(keys, bytes_ahead())) return false;
    use_ready();
  }
  const bool one_loop = bulk::in_one_loop(engine_->cpu(*cipher_), *ghash_);
  const std::size_t piece = one_loop && stream_.is_small(kLongPiece) ? kLongPiece : kPiece;
  for (std::size_t left; (left = (n - *done) & ~(kGcmBlock - 1)) != 0;) {
    const std::size_t bytes =
        crypt_blocks(keys, encrypt, out + *done, in + *done, std::min(left, piece));
    if (bytes == 0) return false;
    *done += bytes;
  }
  if (*done == n) return true;
  if (!make_ready(keys, kGcmBlock)) return false;
  use_ready();
  return true;
}

bool GcmMessage::crypt(const RoundKeys& keys, bool encrypt, std::uint8_t* out,
                       const std::uint8_t* in, std::size_t n) {
  if (is_device(out) || (in != out && is_device(in))) {
    return crypt_on_device(keys, encrypt, out, in, n);
  }
  Before before{text_bytes_, part_bytes_, {}, {}};
  std::memcpy(before.part, part_, sizeof part_);
  std::memcpy(before.y, y_, sizeof y_);
  if (text_bytes_ == 0) hash_part();  // the associated data's end
  std::size_t done = 0;
  const bool made = crypt_parts(keys, encrypt, out, in, n, &done);
  if (!made) take_back(keys, before, out, in, done);
  wipe(&before, sizeof before);
  return made;
}

// In place the input comes back by the same keystream, which the CPU makes; elsewhere zeros stay.
void GcmMessage::take_back(const RoundKeys& keys, const Before& before, std::uint8_t* out,
                           const std::uint8_t* in, std::size_t done) {
  const CipherOps& ops = engine_->cpu(*cipher_);
  stream_.reset();
  ready_.clear();
  if (out != in) std::memset(out, 0, done);
  for (std::size_t at = 0; out == in && at != done;) {
    Wiped<std::uint8_t[kGcmBlock]> keystream;
    std::uint8_t counter[kGcmBlock];
    std::memcpy(counter, j0_, sizeof counter);
    field_.add(counter, 1 + (before.text_bytes + at) / kGcmBlock);
    ops.ctr(keys, counter, nullptr, keystream.value, kGcmBlock);
    const std::size_t skip = (before.text_bytes + at) % kGcmBlock;
    const std::size_t take = std::min(done - at, kGcmBlock - skip);
    for (std::size_t i = 0; i < take; ++i) out[at + i] ^= keystream.value[skip + i];
    at += take;
  }
  text_bytes_ = before.text_bytes;
  make_rest_ready(keys);
  part_bytes_ = before.part_bytes;
  std::memcpy(part_, before.part, sizeof part_);
  std::memcpy(y_, before.y, sizeof y_);
}

// Where no small text's keystream was made with it.
void GcmMessage::make_mask(const RoundKeys& keys) {
  if (!has_mask_) engine_->cpu(*cipher_).ctr(keys, j0_, nullptr, mask_, kGcmBlock);
  has_mask_ = true;
}

// 7.1 steps 5 and 6.
void GcmMessage::finish(const RoundKeys& keys, std::uint8_t* tag) {
  make_mask(keys);
  hash_lengths(aad_bytes_, text_bytes_);
  for (std::size_t i = 0; i < kGcmTag; ++i) tag[i] = static_cast<std::uint8_t>(y_[i] ^ mask_[i]);
  forget();
}

}  // namespace gpuctr
