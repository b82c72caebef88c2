// Messages of GCM whose text or associated data is in a card's memory. Whole blocks stay there; the
// odd bytes at both ends come to the CPU, which waits for their block's end.
#include <algorithm>
#include <cstring>

#include "kernels/base/wipe.h"
#include "kernels/bulk/base/work.h"
#include "provider/mode/aead/gcm_message.h"

namespace gpuctr {

// The counter block of the text's next byte.
void GcmMessage::counter_of_text(std::uint8_t* at) const {
  std::memcpy(at, j0_, kGcmBlock);
  field_.add(at, 1 + text_bytes_ / kGcmBlock);
}

// Of the keystream what is left of the block in use, and nothing more.
void GcmMessage::make_rest_ready(const RoundKeys& keys) {
  ready_.clear();
  const std::size_t rest = rest_of_block();
  if (rest == 0) return;
  std::uint8_t counter[kGcmBlock];
  counter_of_text(counter);
  engine_->cpu(*cipher_).ctr(keys, counter, nullptr, ready_.room(kGcmBlock), kGcmBlock);
  ready_.add(kGcmBlock);
  ready_.skip(kGcmBlock - rest);
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

// n bytes, at most what is left of a block.
bool GcmMessage::crypt_within_block(const RoundKeys& keys, bool encrypt, std::uint8_t* out,
                                    const std::uint8_t* in, std::size_t n) {
  std::uint8_t counter[kGcmBlock];
  counter_of_text(counter);
  std::uint8_t ciphertext[kGcmBlock];
  const std::uint8_t* const from = encrypt ? out : in;
  const auto fetch = [&] {
    if (is_device(from)) return engine_->read(from, ciphertext, n) == BulkStatus::kOk;
    std::memcpy(ciphertext, from, n);
    return true;
  };
  if (!encrypt && !fetch()) return false;
  const std::size_t skip = text_bytes_ % kGcmBlock;
  if (engine_->ctr_at(*cipher_, keys, counter, skip, in, out, n) != BulkStatus::kOk) return false;
  if (encrypt && !fetch()) return false;
  hash(ciphertext, n);
  text_bytes_ += n;
  return true;
}

// Of n bytes those in whole blocks up to where the 32 bits that count wrap, which *n becomes.
bool GcmMessage::crypt_run(const RoundKeys& keys, bool encrypt, std::uint8_t* out,
                           const std::uint8_t* in, std::size_t* n) {
  std::uint8_t counter[kGcmBlock];
  counter_of_text(counter);
  *n = static_cast<std::size_t>(field_.run(counter, *n / kGcmBlock)) * kGcmBlock;
  const bulk::GcmWork run = work(keys, encrypt, counter, in, out, *n);
  if (stream_.gcm_on_device(run) != BulkStatus::kOk) return false;
  text_bytes_ += *n;
  return true;
}

bool GcmMessage::crypt_on_device(const RoundKeys& keys, bool encrypt, std::uint8_t* out,
                                 const std::uint8_t* in, std::size_t n) {
  if (text_bytes_ == 0) hash_part();  // the associated data's end
  make_mask(keys);                    // later text would take it for the first
  std::size_t at = std::min(n, rest_of_block());
  bool made = at == 0 || crypt_within_block(keys, encrypt, out, in, at);
  while (made && n - at >= kGcmBlock) {
    std::size_t some = n - at;
    made = crypt_run(keys, encrypt, out + at, in + at, &some);
    at += some;
  }
  if (made && at != n) made = crypt_within_block(keys, encrypt, out + at, in + at, n - at);
  make_rest_ready(keys);
  return made;
}

}  // namespace gpuctr
