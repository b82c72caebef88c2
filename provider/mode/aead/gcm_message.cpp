#include "provider/mode/aead/gcm_message.h"

#include <algorithm>
#include <cstring>

#include "kernels/base/counter.h"
#include "kernels/base/inline.h"
#include "kernels/base/part_of_block.h"
#include "kernels/base/wipe.h"
#include "kernels/bulk/base/work.h"

namespace gpuctr {

// Encrypts and hashes text in the order of the direction: GHASH always takes the ciphertext.
struct GcmMessage::Text {
  static constexpr bool kWholeBlocks = true;
  static constexpr bool kWholeText = false;
  GcmMessage& m;
  bool encrypt;

  bulk::GcmWork work(const std::uint8_t* at, const std::uint8_t* in, std::uint8_t* out,
                     std::size_t n) {
    m.need_powers(n / kGcmBlock);
    return {*m.cipher_,
            m.cursor_.ops(),
            m.cursor_.keys(),
            at,
            *m.ghash_,
            *m.key_,
            m.h_,
            m.y_,
            encrypt,
            in,
            out,
            n};
  }
  bool keystream(const std::uint8_t* at, std::uint8_t* out, std::size_t n) {
    return m.stream_.ctr_in(false, *m.cipher_, m.cursor_.keys(), at, nullptr, out, n) ==
           BulkStatus::kOk;
  }
  bool run(const std::uint8_t* at, const std::uint8_t* in, std::uint8_t* out, std::size_t n) {
    return m.stream_.gcm(work(at, in, out, n)) == BulkStatus::kOk;
  }
  bool run_on_device(const std::uint8_t* at, std::size_t skip, const std::uint8_t* in,
                     std::uint8_t* out, std::size_t n) {
    if (skip != 0 || n < kGcmBlock) return m.crypt_within_block(*this, at, skip, in, out, n);
    return m.stream_.gcm_on_device(work(at, in, out, n)) == BulkStatus::kOk;
  }
  std::size_t most() const {
    return m.in_one_loop_ && m.stream_.is_small(kLongPiece) ? kLongPiece : kPiece;
  }
  void before(const std::uint8_t* in, std::size_t n) {
    if (!encrypt) m.hash_text(in, n);
  }
  void after(const std::uint8_t* out, std::size_t n) {
    if (encrypt) m.hash_text(out, n);
  }
};

GcmMessage::GcmMessage(Engine* engine, const CipherSpec& cipher, const RoundKeys& keys,
                       GhashKey* hash_key)
    : cipher_(&cipher),
      engine_(engine),
      ghash_(engine->cpu_backend().ghash),
      in_one_loop_(in_one_loop(engine->cpu(cipher), *ghash_)),
      key_(hash_key),
      cursor_(engine->cpu(cipher), keys, kInc32, blocks_),
      stream_(engine) {}

GcmMessage::GcmMessage(const GcmMessage& other, const RoundKeys& keys, GhashKey* hash_key)
    : GcmMessage(other.engine_, *other.cipher_, keys, hash_key) {
  aad_bytes_ = other.aad_bytes_;
  text_bytes_ = other.text_bytes_;
  is_under_way_ = other.is_under_way_;
  has_mask_ = other.has_mask_;
  part_bytes_ = other.part_bytes_;
  has_key_ = other.has_key_;
  powers_ = other.powers_;
  std::memcpy(part_, other.part_, sizeof part_);
  std::memcpy(y_, other.y_, sizeof y_);
  std::memcpy(mask_, other.mask_, sizeof mask_);
  if (has_key_) {
    std::memcpy(h_, other.h_, sizeof h_);
    std::memcpy(key_, other.key_, sizeof *key_);
  }
  cursor_.copy(other.cursor_);
}

GcmMessage::~GcmMessage() {
  forget();
  if (!has_key_) return;
  wipe(key_, sizeof *key_);
  wipe(h_, sizeof h_);
}

void GcmMessage::end() {
  cursor_.forget();
  stream_.reset();
  wipe(y_, sizeof y_);
  wipe(mask_, sizeof mask_);
  wipe(part_, sizeof part_);
  is_under_way_ = has_mask_ = false;
  part_bytes_ = 0;
  aad_bytes_ = text_bytes_ = 0;
}

// H, the subkey: 7.1 step 1.
void GcmMessage::set_key() {
  forget();
  std::memset(h_, 0, sizeof h_);
  cursor_.ops().encrypt(cursor_.keys(), h_, h_, 1);
  ghash_->begin(h_, key_);
  powers_ = 1;
  has_key_ = true;
}

void GcmMessage::start_long(const std::uint8_t* iv, std::size_t iv_bytes) {
  hash(iv, iv_bytes);
  hash_lengths(0, iv_bytes);
  cursor_.start(y_, sizeof y_);
  wipe(y_, sizeof y_);
}

// Hashes the whole blocks of part_ followed by the `n` bytes; part_ keeps the rest.
void GcmMessage::hash(const std::uint8_t* data, std::size_t n) {
  if (part_bytes_ != 0) {
    const std::size_t take = std::min<std::size_t>(n, kGcmBlock - part_bytes_);
    std::memcpy(part_ + part_bytes_, data, take);
    part_bytes_ = static_cast<std::uint8_t>(part_bytes_ + take);
    data += take;
    n -= take;
    if (part_bytes_ == kGcmBlock) hash_part();
  }
  if (n >= kGcmBlock) hash_blocks(data, n / kGcmBlock);
  const std::size_t rest = n % kGcmBlock;
  if (rest == 0) return;
  store_block(part_, load_part(data + n - rest, rest));
  part_bytes_ = static_cast<std::uint8_t>(rest);
}

// Hashes part_.
void GcmMessage::hash_part() {
  if (part_bytes_ == 0) return;
  hash_blocks(part_, 1);
  clear_part();
}

// Moves part_ to `block`.
void GcmMessage::take_part(std::uint8_t* block) {
  store_block(block, load_block(part_));
  clear_part();
}

// As hash(), for text. Associated data that waits in part_ is hashed with a block or two of the
// first text in one call.
void GcmMessage::hash_text(const std::uint8_t* text, std::size_t n) {
  constexpr std::size_t kMost = 3 * kGcmBlock;
  if (text_bytes_ == 0 && part_bytes_ != 0) {
    const std::size_t whole = n / kGcmBlock * kGcmBlock;
    if (whole == 0 || whole >= kMost) {
      hash_part();
    } else {
      std::uint8_t blocks[kMost];
      take_part(blocks);
      for (std::size_t at = 0; at != whole; at += kGcmBlock) {
        copy_block(blocks + kGcmBlock + at, text + at, kGcmBlock);
      }
      hash_blocks(blocks, 1 + whole / kGcmBlock);
      text += whole;
      n -= whole;
    }
  }
  hash(text, n);
}

// Hashes part_ and the last block in one call. The last block is both lengths, converted from bytes
// to bits. It is stored as a whole: a CPU waits when a load covers more than one store.
void GcmMessage::hash_lengths(std::uint64_t first, std::uint64_t second) {
  const BlockWords bits = {big_endian64(8 * first), big_endian64(8 * second)};
  Wiped<std::uint8_t[2 * kGcmBlock]> blocks;
  const std::size_t at = part_bytes_ == 0 ? 0 : kGcmBlock;
  if (at != 0) take_part(blocks.value);
  store_block(blocks.value + at, bits);
  hash_blocks(blocks.value, at / kGcmBlock + 1);
}

bool GcmMessage::add_aad(const std::uint8_t* aad, std::size_t n) {
  if (is_device(aad)) return add_aad_on_device(aad, n);
  hash(aad, n);
  aad_bytes_ += n;
  return true;
}

// Short texts after the first that begin or end within a block use keystream that is made ahead.
bool GcmMessage::takes_one_loop(std::size_t n) const {
  if (!in_one_loop_) return false;
  if (!has_mask_) return true;
  const bool whole = (text_bytes_ | n) % kGcmBlock == 0;
  return (whole || n > KeystreamCursor::kSmall) && !stream_.may_read_ahead(n);
}

void GcmMessage::crypt_in_one_loop(bool encrypt, std::uint8_t* out, const std::uint8_t* in,
                                   std::size_t n) {
  const std::size_t blocks = n / kGcmBlock, tail = n % kGcmBlock, whole = n - tail;
  if (may_wrap(blocks)) return crypt_across_wrap(encrypt, out, in, n);
  std::uint8_t keystream[kGcmBlock];
  crypt_run(encrypt, out, in, blocks, tail != 0 ? keystream : nullptr);
  if (tail != 0) crypt_tail(encrypt, keystream, out + whole, in + whole, tail);
}

// The same where the counter's field may wrap: the blocks of a call are before or after the wrap.
void GcmMessage::crypt_across_wrap(bool encrypt, std::uint8_t* out, const std::uint8_t* in,
                                   std::size_t n) {
  make_mask();
  hash_part();
  std::size_t blocks = n / kGcmBlock;
  const std::size_t tail = n % kGcmBlock;
  while (blocks != 0) {
    const auto run = static_cast<std::size_t>(kInc32.run(cursor_.next(), blocks));
    need_powers(run);
    cursor_.ops().gcm->crypt(cursor_.keys(), encrypt, *key_, y_,
                             {cursor_.next(), nullptr, nullptr, in, out, run, nullptr});
    cursor_.skip(run, kInc32);
    in += run * kGcmBlock;
    out += run * kGcmBlock;
    blocks -= run;
  }
  if (tail == 0) return;
  std::uint8_t keystream[kGcmBlock];
  cursor_.ops().ctr(cursor_.keys(), cursor_.next(), nullptr, keystream, kGcmBlock);
  crypt_tail(encrypt, keystream, out, in, tail);
}

// n bytes, 1 to 15, with a block of keystream. part_ is empty.
GPUCTR_INLINE void GcmMessage::crypt_tail(bool encrypt, std::uint8_t* keystream, std::uint8_t* out,
                                          const std::uint8_t* in, std::size_t n) {
  const BlockWords key = load_block(keystream), mask = first_bytes_mask(n);
  const BlockWords text = load_part(in, n), made = (text ^ key) & mask;
  store_part(out, n, made);
  store_block(part_, encrypt ? made : text);
  part_bytes_ = static_cast<std::uint8_t>(n);
  store_block(keystream, key & ~mask);
  cursor_.keep_rest(keystream, n, kInc32);
  wipe(keystream, kGcmBlock);
}

bool GcmMessage::crypt(bool encrypt, std::uint8_t* out, const std::uint8_t* in, std::size_t n) {
  if (!stream_.is_small(n) || stream_.is_device(out, in)) return crypt_any(encrypt, out, in, n);
  if (n <= cursor_.ready() && part_bytes_ + n < kGcmBlock && text_bytes_ != 0) {
    use_ready(encrypt, out, in, n);
  } else if (!takes_one_loop(n)) {
    return crypt_any(encrypt, out, in, n);
  } else {
    stream_.made_next(n);
    std::size_t done = 0;
    if (cursor_.ready() != 0) {
      Text text{*this, encrypt};
      cursor_.use_ready_of(text, out, in, n, &done);
    }
    if (done != n) crypt_in_one_loop(encrypt, out + done, in + done, n - done);
  }
  text_bytes_ += n;
  return true;
}

// So few bytes that no block becomes complete, with keystream that is ready.
inline void GcmMessage::use_ready(bool encrypt, std::uint8_t* out, const std::uint8_t* in,
                                  std::size_t n) {
  std::uint8_t* const part = part_ + part_bytes_;
  cursor_.use_each(out, in, n, [&](std::size_t i, std::uint8_t given, std::uint8_t made) {
    part[i] = encrypt ? made : given;
  });
  part_bytes_ = static_cast<std::uint8_t>(part_bytes_ + n);
}

bool GcmMessage::crypt_any(bool encrypt, std::uint8_t* out, const std::uint8_t* in, std::size_t n) {
  Text text{*this, encrypt};
  bool made = true;
  if (stream_.is_device(out, in)) {
    end_aad();
    make_mask();  // else later text would take the mask's counter block
    made = cursor_.crypt_on_device(text, out, in, n);
  } else {
    made = crypt_on_host(text, out, in, n);
  }
  if (made) text_bytes_ += n;
  return made;
}

bool GcmMessage::crypt_on_host(Text& text, std::uint8_t* out, const std::uint8_t* in,
                               std::size_t n) {
  if (!has_mask_ && n <= kSmallFirst && stream_.is_small(n)) {
    cursor_.crypt_first(text, mask_, out, in, n);
    stream_.made_small(n);
    has_mask_ = true;
    return true;
  }
  const std::uint8_t part_bytes = part_bytes_;
  std::uint8_t part[kGcmBlock], y[kGcmBlock];
  copy_block(part, part_, sizeof part);
  copy_block(y, y_, sizeof y);
  end_aad();
  make_mask();
  const bool made = cursor_.crypt(text, out, in, n);
  if (!made) {
    stream_.reset();
    part_bytes_ = part_bytes;
    copy_block(part_, part, sizeof part);
    copy_block(y_, y, sizeof y);
  }
  wipe(part, sizeof part);
  wipe(y, sizeof y);
  return made;
}

// Processes text in device memory within one block. The ciphertext is copied to the CPU, which
// hashes a block when it is complete.
bool GcmMessage::crypt_within_block(const Text& text, const std::uint8_t* at, std::size_t skip,
                                    const std::uint8_t* in, std::uint8_t* out, std::size_t n) {
  std::uint8_t ciphertext[kGcmBlock];
  const std::uint8_t* const from = text.encrypt ? out : in;
  const auto fetch = [&] {
    if (is_device(from)) return engine_->read(from, ciphertext, n) == BulkStatus::kOk;
    std::memcpy(ciphertext, from, n);
    return true;
  };
  if (!text.encrypt && !fetch()) return false;
  if (engine_->ctr_at(*cipher_, cursor_.keys(), at, skip, in, out, n) != BulkStatus::kOk)
    return false;
  if (text.encrypt && !fetch()) return false;
  hash(ciphertext, n);
  return true;
}

bool GcmMessage::add_aad_on_device(const std::uint8_t* aad, std::size_t n) {
  std::uint8_t copy[kRead];
  for (std::size_t at = 0; at < n; at += kRead) {
    const std::size_t some = std::min(kRead, n - at);
    if (engine_->read(aad + at, copy, some) != BulkStatus::kOk) return false;
    hash(copy, some);
    aad_bytes_ += some;
  }
  return true;
}

// 7.1 steps 5 and 6.
void GcmMessage::finish(std::uint8_t* tag) {
  make_mask();
  hash_lengths(aad_bytes_, text_bytes_);
  for (std::size_t i = 0; i < kGcmTag; ++i) tag[i] = static_cast<std::uint8_t>(y_[i] ^ mask_[i]);
  forget();
}

}  // namespace gpuctr
