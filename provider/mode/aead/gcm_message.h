// One message of GCM (SP 800-38D 7): its counter blocks, its GHASH, and its counts of bytes.
#ifndef GPUCTR_PROVIDER_MODE_AEAD_GCM_MESSAGE_H
#define GPUCTR_PROVIDER_MODE_AEAD_GCM_MESSAGE_H

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "kernels/base/counter.h"
#include "kernels/base/inline.h"
#include "kernels/base/wipe.h"
#include "kernels/bulk/engine.h"
#include "kernels/cpu/base/gcm_text.h"
#include "kernels/cpu/ghash.h"
#include "provider/mode/keystream/keystream_cursor.h"

namespace gpuctr {

constexpr std::size_t kGcmTag = 16;  // the longest tag, bytes

// The limits of SP 800-38D 5.2.1.1, in bytes. A text has at most 2^39 - 256 bits, associated data
// at most 2^64 - 1 bits. OpenSSL takes up to 2^61 whole bytes of associated data.
constexpr std::uint64_t kGcmMaxText = (std::uint64_t{1} << 36) - 32;
constexpr std::uint64_t kGcmMaxAad = std::uint64_t{1} << 61;

// Whether the sum of `had` and `n` bytes is at most `most`.
constexpr bool gcm_fits(std::uint64_t had, std::uint64_t n, std::uint64_t most) {
  return had <= most && n <= most - had;
}

// Belongs to one context; one thread at a time. finish(), the next message and the destructor wipe
// everything secret.
class GcmMessage {
 public:
  // `keys` and `hash_key` outlive this object. The destructor wipes the hash key.
  GcmMessage(Engine* engine, const CipherSpec& cipher, const RoundKeys& keys, GhashKey* hash_key);
  // Keystream that was made ahead is not copied.
  GcmMessage(const GcmMessage& other, const RoundKeys& keys, GhashKey* hash_key);
  GcmMessage(const GcmMessage&) = delete;
  GcmMessage& operator=(const GcmMessage&) = delete;
  ~GcmMessage();

  // Computes the hash key after a change of the round keys.
  void set_key();
  // Starts a new message. The IV may have any length except 0.
  void start(const std::uint8_t* iv, std::size_t iv_bytes) {
    forget();
    is_under_way_ = true;
    iv_bytes == kGcmBlock - 4 ? start_short(iv) : start_long(iv, iv_bytes);
  }
  // Adds associated data in any memory; comes before any text. The caller has checked gcm_fits().
  // False: the data is in device memory and the device failed. The message then must end.
  bool add_aad(const std::uint8_t* aad, std::size_t n);
  // Encrypts or decrypts any number of bytes in any memory; in == out, or no overlap. The caller
  // has checked gcm_fits(). False: a required device was not available; nothing is written and the
  // message is unchanged. Or, for device memory, the device failed; the contents of `out` are then
  // undefined.
  bool crypt(bool encrypt, std::uint8_t* out, const std::uint8_t* in, std::size_t n);
  // The same in few steps for the usual small text: whole blocks in ordinary memory, after whole
  // blocks, by one call of the cipher. False: not such a text, and nothing is done.
  GPUCTR_INLINE bool crypt_blocks(bool encrypt, std::uint8_t* out, const std::uint8_t* in,
                                  std::size_t n) {
    if ((n | text_bytes_) % kGcmBlock != 0 || !in_one_loop_ || !stream_.is_small(n) ||
        stream_.is_device(out, in) || cursor_.ready() != 0 ||
        (has_mask_ && stream_.may_read_ahead(n)) || may_wrap(n / kGcmBlock)) {
      return false;
    }
    stream_.made_next(n);
    crypt_run(encrypt, out, in, n / kGcmBlock, nullptr);
    text_bytes_ += n;
    return true;
  }
  // Writes the whole tag, kGcmTag bytes, and ends the message.
  void finish(std::uint8_t* tag);
  // Ends the message without a tag.
  void forget() {
    if (is_under_way_) end();
  }

  std::uint64_t aad_bytes() const { return aad_bytes_; }
  std::uint64_t text_bytes() const { return text_bytes_; }
  bool is_device(const void* pointer) { return stream_.is_device(pointer); }
  // As BulkStream::served_by().
  const char* served_by() const { return stream_.served_by(); }

 private:
  // 7.1 step 2, for an IV of 96 bits. It is read in the pieces that GcmContext::take_iv() stores: a
  // CPU waits when a load covers more than one store.
  void start_short(const std::uint8_t* iv) {
    std::uint64_t first;
    std::uint32_t last;
    std::memcpy(&first, iv, sizeof first);
    std::memcpy(&last, iv + sizeof first, sizeof last);
    const std::uint64_t one = big_endian64(1);
    const std::uint64_t shifted = one == 1 ? std::uint64_t{last} << 32 : last;
    const std::uint64_t j0[2] = {first, shifted | one};
    cursor_.start(reinterpret_cast<const std::uint8_t*>(j0), sizeof j0);
  }
  // For any other IV.
  void start_long(const std::uint8_t* iv, std::size_t iv_bytes);
  void end();

  // For a message's first text of at most this many bytes, one call of the cipher makes the tag's
  // mask and the keystream.
  static constexpr std::size_t kSmallFirst = KeystreamCursor::kMostFirst - kGcmBlock;
  // Text is encrypted and hashed in pieces. A piece of kPiece bytes stays in the first-level cache.
  // Where one loop encrypts and hashes, the text need not stay in the cache. A piece of kLongPiece
  // bytes then reduces the share of the loop's start and end.
  static constexpr std::size_t kPiece = 16384;
  static constexpr std::size_t kLongPiece = 65536;
  // Associated data in device memory is copied to the CPU in pieces of this many bytes.
  static constexpr std::size_t kRead = 4096;

  static constexpr CounterField kInc32{kGcmBlock, 32};  // 6.2

  struct Text;  // the Text class for KeystreamCursor

  // Makes the powers of H for a run of blocks. A short message needs few of them.
  void need_powers(std::size_t blocks) {
    if (blocks > powers_ && powers_ < ghash_->powers) {
      powers_ = static_cast<std::uint8_t>(ghash_->grow(key_, powers_, blocks));
    }
  }
  void hash_blocks(const std::uint8_t* data, std::size_t blocks) {
    need_powers(blocks);
    ghash_->update(*key_, y_, data, blocks);
  }
  void hash(const std::uint8_t* data, std::size_t n);
  void hash_text(const std::uint8_t* text, std::size_t n);
  void crypt_tail(bool encrypt, std::uint8_t* keystream, std::uint8_t* out, const std::uint8_t* in,
                  std::size_t n);
  void hash_part();
  void take_part(std::uint8_t* block);
  void clear_part() {
    wipe(part_, sizeof part_);
    part_bytes_ = 0;
  }
  void hash_lengths(std::uint64_t first, std::uint64_t second);
  // Ends the associated data; call this before text is hashed by hash(). Until then part_ may hold
  // the last bytes of the data.
  void end_aad() {
    if (text_bytes_ == 0) hash_part();
  }
  bool add_aad_on_device(const std::uint8_t* aad, std::size_t n);
  bool takes_one_loop(std::size_t n) const;
  // Whether the counter's field may wrap within the mask, so many blocks, and one more.
  bool may_wrap(std::size_t blocks) const {
    return kInc32.run(cursor_.next(), blocks + 2) != blocks + 2;
  }
  // One call of the cipher encrypts and hashes whole blocks, with the mask if that is due, with the
  // end of the associated data, and, unless `keystream` is nullptr, with the next block's.
  GPUCTR_INLINE void crypt_run(bool encrypt, std::uint8_t* out, const std::uint8_t* in,
                               std::size_t blocks, std::uint8_t* keystream) {
    const bool starts = !has_mask_, has_part = part_bytes_ != 0;
    need_powers(blocks + has_part);
    cursor_.ops().gcm->crypt(cursor_.keys(), encrypt, *key_, y_,
                             {cursor_.next(), starts ? mask_ : nullptr, has_part ? part_ : nullptr,
                              in, out, blocks, keystream});
    has_mask_ = true;
    if (has_part) clear_part();
    cursor_.skip(blocks + starts, kInc32);
  }
  void crypt_in_one_loop(bool encrypt, std::uint8_t* out, const std::uint8_t* in, std::size_t n);
  // Not inline: the usual text needs fewer registers then.
  GPUCTR_NOINLINE void crypt_across_wrap(bool encrypt, std::uint8_t* out, const std::uint8_t* in,
                                         std::size_t n);
  GPUCTR_NOINLINE bool crypt_any(bool encrypt, std::uint8_t* out, const std::uint8_t* in,
                                 std::size_t n);
  void use_ready(bool encrypt, std::uint8_t* out, const std::uint8_t* in, std::size_t n);
  bool crypt_on_host(Text& text, std::uint8_t* out, const std::uint8_t* in, std::size_t n);
  bool crypt_within_block(const Text& text, const std::uint8_t* at, std::size_t skip,
                          const std::uint8_t* in, std::uint8_t* out, std::size_t n);
  // Makes the tag's mask, unless an earlier call has made the mask together with keystream.
  void make_mask() {
    if (!has_mask_) cursor_.take_block(mask_);
    has_mask_ = true;
  }

  const CipherSpec* cipher_;
  Engine* engine_;
  const GhashOps* ghash_;
  std::uint64_t aad_bytes_ = 0;
  std::uint64_t text_bytes_ = 0;
  bool is_under_way_ = false;  // since start(); else there is nothing to forget
  bool has_mask_ = false;
  bool has_key_ = false;     // h_ and *key_ are valid
  const bool in_one_loop_;   // else counter mode and GHASH in turn
  std::uint8_t powers_ = 0;  // of *key_ that are there
  std::uint8_t part_bytes_ = 0;
  std::uint8_t part_[kGcmBlock] = {};  // a block that is not complete yet; zeros after part_bytes_
  std::uint8_t y_[kGcmBlock] = {};     // GHASH so far
  std::uint8_t mask_[kGcmBlock] = {};  // the first counter block encrypted: it masks the tag
  std::uint8_t h_[kGcmBlock] = {};     // the hash subkey H; *key_ is computed from it
  GhashKey* key_;
  std::uint8_t blocks_[KeystreamCursor::memory_bytes(kGcmBlock)];
  KeystreamCursor cursor_;  // the sequence begins with the mask's block
  BulkStream stream_;
};

}  // namespace gpuctr

#endif
