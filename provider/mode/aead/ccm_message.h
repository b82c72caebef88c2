// One message of CCM (SP 800-38C, RFC 3610): its counter blocks and its CBC-MAC. Each block of the
// MAC depends on the previous block, so the calling thread processes the whole message.
#ifndef GPUCTR_PROVIDER_MODE_AEAD_CCM_MESSAGE_H
#define GPUCTR_PROVIDER_MODE_AEAD_CCM_MESSAGE_H

#include <cstddef>
#include <cstdint>

#include "kernels/base/part_of_block.h"
#include "kernels/cpu/backend.h"
#include "provider/mode/keystream/keystream_cursor.h"

namespace gpuctr {

constexpr std::size_t kCcmBlock = 16;  // block size of the ciphers, bytes
constexpr std::size_t kCcmTag = 16;    // the longest tag, bytes; tags have even lengths from 4 on
constexpr std::size_t kCcmMinTag = 4;
constexpr std::size_t kCcmMinIv = 7;
constexpr std::size_t kCcmMaxIv = 13;

// The longest text, bytes, under an IV of iv_bytes: IV and the text's length share 15 bytes of the
// first block.
constexpr std::uint64_t ccm_max_text(std::size_t iv_bytes) {
  const std::size_t bits = 8 * (15 - iv_bytes);
  return bits >= 64 ? UINT64_MAX : (std::uint64_t{1} << bits) - 1;
}

// Belongs to one context; one thread at a time. finish(), forget() and the destructor wipe
// everything secret.
class CcmMessage {
 public:
  // `ops` and `keys` outlive this object.
  CcmMessage(const CipherOps& ops, const RoundKeys& keys)
      : cursor_(ops, keys, {kCcmBlock, 8 * kCcmBlock}, blocks_) {}
  CcmMessage(const CcmMessage& other, const RoundKeys& keys);
  CcmMessage(const CcmMessage&) = delete;
  CcmMessage& operator=(const CcmMessage&) = delete;
  ~CcmMessage() { forget(); }

  // Starts a new message. The caller has checked the lengths.
  void start(const std::uint8_t* iv, std::size_t iv_bytes, std::size_t tag_bytes,
             std::uint64_t text_bytes);
  // Authenticates all the associated data, at least one byte. Comes before the text.
  void add_aad(const std::uint8_t* aad, std::size_t n);
  // Encrypts or decrypts the whole text, `text_bytes` of start(); in == out, or no overlap.
  void crypt(bool encrypt, std::uint8_t* out, const std::uint8_t* in, std::size_t n);
  // Writes kCcmTag bytes, of which the first tag_bytes are the tag. Ends the message.
  void finish(std::uint8_t* tag);
  void forget();

 private:
  // Text is encrypted and authenticated in pieces of this size, which stay in the first-level
  // cache.
  static constexpr std::size_t kPiece = 16384;
  // For texts up to this size, one call of the cipher makes the tag's mask and the keystream.
  static constexpr std::size_t kSmall = 256 - kCcmBlock;

  struct Text;  // the Text class for KeystreamCursor
  void set_x(BlockWords block);

  void mac_chain(const std::uint8_t* data, std::size_t blocks);
  void mac_blocks(const std::uint8_t* data, std::size_t blocks);
  // As mac_blocks() for n bytes; zeros fill the last block.
  void mac(const std::uint8_t* data, std::size_t n);

  std::uint8_t mask_[kCcmBlock] = {};  // the first counter block encrypted; set in crypt()
  std::uint8_t x_[kCcmBlock] = {};     // the next input block of the CBC-MAC's cipher
  std::uint8_t blocks_[KeystreamCursor::memory_bytes(kCcmBlock)];
  KeystreamCursor cursor_;  // the sequence begins with the mask's block
};

}  // namespace gpuctr

#endif
