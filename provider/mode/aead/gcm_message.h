// One message of GCM (SP 800-38D 7): its counter blocks, GHASH, and how much it has had.
#ifndef GPUCTR_PROVIDER_MODE_AEAD_GCM_MESSAGE_H
#define GPUCTR_PROVIDER_MODE_AEAD_GCM_MESSAGE_H

#include <cstddef>
#include <cstdint>

#include "kernels/bulk/engine.h"
#include "kernels/cpu/ghash.h"
#include "provider/mode/keystream/counter_field.h"
#include "provider/mode/keystream/ready_keystream.h"

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

// One context's; one thread at a time. `keys` are those of the last set_key(). Everything secret is
// wiped by finish(), by the next message, and at the end.
class GcmMessage {
 public:
  // `hash_key` outlives this object, and is wiped at its end.
  GcmMessage(Engine* engine, const CipherSpec& cipher, GhashKey* hash_key);
  // Nothing read ahead is copied.
  GcmMessage(const GcmMessage& other, GhashKey* hash_key);
  GcmMessage(const GcmMessage&) = delete;
  GcmMessage& operator=(const GcmMessage&) = delete;
  ~GcmMessage();

  void set_key(const RoundKeys& keys);
  // A new message; an IV of any length but 0.
  void start(const std::uint8_t* iv, std::size_t iv_bytes);
  // Before any text; any memory. The caller asked gcm_fits(). False: the card whose memory it is
  // failed, and the message has to end.
  bool add_aad(const std::uint8_t* aad, std::size_t n);
  // Any number of bytes in any memory; in == out, or no overlap. The caller asked gcm_fits().
  // False: no card where one was required; nothing is written and the message is as it was. Or a
  // card failed whose memory it is: what is there is lost.
  bool crypt(const RoundKeys& keys, bool encrypt, std::uint8_t* out, const std::uint8_t* in,
             std::size_t n);
  // The whole tag, kGcmTag bytes, which ends the message.
  void finish(const RoundKeys& keys, std::uint8_t* tag);
  // Ends it without one.
  void forget();

  std::uint64_t aad_bytes() const { return aad_bytes_; }
  std::uint64_t text_bytes() const { return text_bytes_; }
  bool is_device(const void* pointer) { return stream_.is_device(pointer); }
  // As BulkStream::served_by().
  const char* served_by() const { return stream_.served_by(); }

 private:
  // An update up to this size comes out of keystream that is made ahead, once others of the message
  // have gone before; an IV's first one up to so much from the call of the cipher that makes the
  // block that masks the tag.
  static constexpr std::size_t kSmall = ReadyKeystream::kMaxRest;
  static constexpr std::size_t kSmallFirst = ReadyKeystream::kMaxMore - kGcmBlock;
  // What is made ready at once until an IV has given so much: one narrow batch of most backends.
  static constexpr std::size_t kFirstAhead = 256;
  // Text that is encrypted and hashed at a time stays in the first cache. In one loop it need not,
  // and what begins and ends the loop is less of a longer piece.
  static constexpr std::size_t kPiece = 16384;
  static constexpr std::size_t kLongPiece = 65536;

  // Associated data on a card comes to the CPU in pieces of so many bytes.
  static constexpr std::size_t kRead = 4096;

  // What a refused piece takes back.
  struct Before {
    std::uint64_t text_bytes;
    std::size_t part_bytes;
    std::uint8_t part[kGcmBlock];
    std::uint8_t y[kGcmBlock];
  };

  void hash_blocks(const std::uint8_t* data, std::size_t blocks) {
    ghash_->update(*key_, y_, data, blocks);
  }
  void hash(const std::uint8_t* data, std::size_t n);
  void hash_part();
  void hash_lengths(std::uint64_t first, std::uint64_t second);
  // Text and keystream in whichever order the direction has it.
  void use(bool encrypt, std::uint8_t* out, const std::uint8_t* in, std::size_t n);
  std::size_t crypt_blocks(const RoundKeys& keys, bool encrypt, std::uint8_t* out,
                           const std::uint8_t* in, std::size_t n);
  bool crypt_first(const RoundKeys& keys, bool encrypt, std::uint8_t* out, const std::uint8_t* in,
                   std::size_t n, std::size_t* done);
  bulk::GcmWork work(const RoundKeys& keys, bool encrypt, const std::uint8_t* counter,
                     const std::uint8_t* in, std::uint8_t* out, std::size_t n);
  void make_mask(const RoundKeys& keys);
  std::size_t bytes_ahead() const {
    return text_bytes_ < kFirstAhead ? kFirstAhead : ReadyKeystream::kMaxMore;
  }
  bool make_ready(const RoundKeys& keys, std::size_t bytes);
  bool crypt_parts(const RoundKeys& keys, bool encrypt, std::uint8_t* out, const std::uint8_t* in,
                   std::size_t n, std::size_t* done);
  void take_back(const RoundKeys& keys, const Before& before, std::uint8_t* out,
                 const std::uint8_t* in, std::size_t done);
  // gcm_device.cpp.
  bool add_aad_on_device(const std::uint8_t* aad, std::size_t n);
  bool crypt_on_device(const RoundKeys& keys, bool encrypt, std::uint8_t* out,
                       const std::uint8_t* in, std::size_t n);
  bool crypt_within_block(const RoundKeys& keys, bool encrypt, std::uint8_t* out,
                          const std::uint8_t* in, std::size_t n);
  bool crypt_run(const RoundKeys& keys, bool encrypt, std::uint8_t* out, const std::uint8_t* in,
                 std::size_t* n);
  void make_rest_ready(const RoundKeys& keys);
  void counter_of_text(std::uint8_t* at) const;
  std::size_t rest_of_block() const { return (0 - text_bytes_) & (kGcmBlock - 1); }
  // The first counter block whose keystream is not ready.
  void first_not_ready(std::uint8_t* at) const;

  const CipherSpec* cipher_;
  Engine* engine_;
  const GhashOps* ghash_;
  CounterField field_{kGcmBlock, 32};  // inc32 of 6.2
  std::uint64_t aad_bytes_ = 0;
  std::uint64_t text_bytes_ = 0;
  bool has_mask_ = false;
  std::size_t part_bytes_ = 0;
  std::uint8_t part_[kGcmBlock] = {};  // what waits for GHASH
  std::uint8_t y_[kGcmBlock] = {};     // GHASH so far
  std::uint8_t j0_[kGcmBlock] = {};    // the counter block before the text's first
  std::uint8_t mask_[kGcmBlock] = {};  // that block encrypted: the tag is masked with it
  std::uint8_t h_[kGcmBlock] = {};     // what *key_ is made of
  bool has_key_ = false;               // h_ and *key_ are there
  GhashKey* key_;
  // The rest of the block in use, then whole blocks.
  std::uint8_t rest_[kGcmBlock];
  ReadyKeystream ready_{rest_, sizeof rest_};
  BulkStream stream_;
};

}  // namespace gpuctr

#endif
