// One message of CCM (SP 800-38C, RFC 3610): its counter blocks and its CBC-MAC. Each block of the
// MAC waits for the one before it, so all of it is the calling thread's.
#ifndef GPUCTR_PROVIDER_MODE_AEAD_CCM_MESSAGE_H
#define GPUCTR_PROVIDER_MODE_AEAD_CCM_MESSAGE_H

#include <cstddef>
#include <cstdint>

#include "kernels/cpu/backend.h"
#include "provider/mode/keystream/keystream_cursor.h"

namespace gpuctr {

constexpr std::size_t kCcmBlock = 16;  // of the ciphers, bytes
constexpr std::size_t kCcmTag = 16;    // the longest; the shortest is 4, and all are even
constexpr std::size_t kCcmMinTag = 4;
constexpr std::size_t kCcmMinIv = 7;
constexpr std::size_t kCcmMaxIv = 13;

// Bytes of a text that an IV leaves room for: its length has what the IV leaves of 15 bytes.
constexpr std::uint64_t ccm_max_text(std::size_t iv_bytes) {
  const std::size_t bits = 8 * (15 - iv_bytes);
  return bits >= 64 ? UINT64_MAX : (std::uint64_t{1} << bits) - 1;
}

// One context's; one thread at a time. Everything secret is wiped by finish(), forget() and at the
// end.
class CcmMessage {
 public:
  // Both outlive this object.
  CcmMessage(const CipherOps& ops, const RoundKeys& keys)
      : cursor_(ops, keys, {kCcmBlock, 8 * kCcmBlock}, blocks_) {}
  CcmMessage(const CcmMessage& other, const RoundKeys& keys);
  CcmMessage(const CcmMessage&) = delete;
  CcmMessage& operator=(const CcmMessage&) = delete;
  ~CcmMessage() { forget(); }

  // A new message. The caller has checked the lengths.
  void start(const std::uint8_t* iv, std::size_t iv_bytes, std::size_t tag_bytes,
             std::uint64_t text_bytes);
  // All of the associated data, at least a byte, before the text.
  void add_aad(const std::uint8_t* aad, std::size_t n);
  // All of the text, as many bytes as start() got; in == out, or no overlap.
  void crypt(bool encrypt, std::uint8_t* out, const std::uint8_t* in, std::size_t n);
  // The whole tag, kCcmTag bytes, of which the first tag_bytes count. Ends the message.
  void finish(std::uint8_t* tag);
  void forget();

 private:
  // Text that is encrypted and authenticated at a time stays in the first cache.
  static constexpr std::size_t kPiece = 16384;
  // Up to here the block that masks the tag and the keystream come out of one call.
  static constexpr std::size_t kSmall = 256 - kCcmBlock;

  struct Text;  // KeystreamCursor's

  void mac_chain(const std::uint8_t* data, std::size_t blocks);
  void mac_blocks(const std::uint8_t* data, std::size_t blocks);
  // The last block is filled up with zeros.
  void mac(const std::uint8_t* data, std::size_t n);

  std::uint8_t mask_[kCcmBlock] = {};  // the first counter block encrypted, from crypt() on
  std::uint8_t x_[kCcmBlock] = {};     // what the CBC-MAC encrypts next
  std::uint8_t blocks_[KeystreamCursor::memory_bytes(kCcmBlock)];
  KeystreamCursor cursor_;  // from the block of the mask on
};

}  // namespace gpuctr

#endif
