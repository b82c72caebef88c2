// One message of GCM (SP 800-38D 7): its counter blocks, GHASH, and how much it has had.
#ifndef GPUCTR_PROVIDER_MODE_AEAD_GCM_MESSAGE_H
#define GPUCTR_PROVIDER_MODE_AEAD_GCM_MESSAGE_H

#include <cstddef>
#include <cstdint>

#include "kernels/bulk/engine.h"
#include "kernels/cpu/ghash.h"
#include "provider/mode/keystream/keystream_cursor.h"

namespace gpuctr {

constexpr std::size_t kGcmTag = 16;  // the longest

// SP 800-38D 5.2.1.1, bytes: of a text 2^39 - 256 bits; of associated data 2^64 - 1 bits, of which
// OpenSSL takes whole bytes up to 2^61.
constexpr std::uint64_t kGcmMaxText = (std::uint64_t{1} << 36) - 32;
constexpr std::uint64_t kGcmMaxAad = std::uint64_t{1} << 61;

// Whether `n` bytes more stay below a bound.
constexpr bool gcm_fits(std::uint64_t had, std::uint64_t n, std::uint64_t most) {
  return had <= most && n <= most - had;
}

// One context's; one thread at a time. Everything secret is wiped by finish(), by the next message,
// and at the end.
class GcmMessage {
 public:
  // `keys` and `hash_key` outlive this object. The hash key is wiped at its end.
  GcmMessage(Engine* engine, const CipherSpec& cipher, const RoundKeys& keys, GhashKey* hash_key);
  // Nothing read ahead is copied.
  GcmMessage(const GcmMessage& other, const RoundKeys& keys, GhashKey* hash_key);
  GcmMessage(const GcmMessage&) = delete;
  GcmMessage& operator=(const GcmMessage&) = delete;
  ~GcmMessage();

  // The round keys have changed.
  void set_key();
  // A new message; an IV of any length but 0.
  void start(const std::uint8_t* iv, std::size_t iv_bytes);
  // Before any text; any memory. The caller asked gcm_fits(). False: the device whose memory it is
  // failed, and the message has to end.
  bool add_aad(const std::uint8_t* aad, std::size_t n);
  // Any number of bytes in any memory; in == out, or no overlap. The caller asked gcm_fits().
  // False: no device where one was required; nothing is written and the message is as it was. Or a
  // device failed whose memory it is: what is there is lost.
  bool crypt(bool encrypt, std::uint8_t* out, const std::uint8_t* in, std::size_t n);
  // The whole tag, kGcmTag bytes, which ends the message.
  void finish(std::uint8_t* tag);
  // Ends it without one.
  void forget();

  std::uint64_t aad_bytes() const { return aad_bytes_; }
  std::uint64_t text_bytes() const { return text_bytes_; }
  bool is_device(const void* pointer) { return stream_.is_device(pointer); }
  // As BulkStream::served_by().
  const char* served_by() const { return stream_.served_by(); }

 private:
  // A message's first text up to so many bytes comes from the call of the cipher that makes the
  // block that masks the tag.
  static constexpr std::size_t kSmallFirst = KeystreamCursor::kMostFirst - kGcmBlock;
  // Text that is encrypted and hashed at a time stays in the first cache. In one loop it need not,
  // and what begins and ends the loop is less of a longer piece.
  static constexpr std::size_t kPiece = 16384;
  static constexpr std::size_t kLongPiece = 65536;
  // Associated data in device memory comes to the CPU in pieces of so many bytes.
  static constexpr std::size_t kRead = 4096;

  struct Text;  // KeystreamCursor's

  void hash_blocks(const std::uint8_t* data, std::size_t blocks) {
    ghash_->update(*key_, y_, data, blocks);
  }
  void hash(const std::uint8_t* data, std::size_t n);
  void hash_part();
  void hash_lengths(std::uint64_t first, std::uint64_t second);
  // Before text: what waits is the associated data's end.
  void end_aad() {
    if (text_bytes_ == 0) hash_part();
  }
  bool add_aad_on_device(const std::uint8_t* aad, std::size_t n);
  bool crypt_on_host(const Text& text, std::uint8_t* out, const std::uint8_t* in, std::size_t n);
  bool crypt_within_block(const Text& text, const std::uint8_t* at, std::size_t skip,
                          const std::uint8_t* in, std::uint8_t* out, std::size_t n);
  // Where no text's keystream was made with it.
  void make_mask() {
    if (!has_mask_) cursor_.take_block(mask_);
    has_mask_ = true;
  }

  const CipherSpec* cipher_;
  Engine* engine_;
  const GhashOps* ghash_;
  std::uint64_t aad_bytes_ = 0;
  std::uint64_t text_bytes_ = 0;
  bool has_mask_ = false;
  bool has_key_ = false;  // h_ and *key_ are there
  unsigned part_bytes_ = 0;
  std::uint8_t part_[kGcmBlock] = {};  // what waits for GHASH
  std::uint8_t y_[kGcmBlock] = {};     // GHASH so far
  std::uint8_t mask_[kGcmBlock] = {};  // the first counter block encrypted: it masks the tag
  std::uint8_t h_[kGcmBlock] = {};     // what *key_ is made of
  GhashKey* key_;
  std::uint8_t blocks_[KeystreamCursor::memory_bytes(kGcmBlock)];
  KeystreamCursor cursor_;  // inc32 of 6.2, from the block of the mask on
  BulkStream stream_;
};

}  // namespace gpuctr

#endif
