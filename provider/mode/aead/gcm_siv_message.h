// One message of AES-GCM-SIV (RFC 8452): the keys of its nonce, POLYVAL, and counter mode.
#ifndef GPUCTR_PROVIDER_MODE_AEAD_GCM_SIV_MESSAGE_H
#define GPUCTR_PROVIDER_MODE_AEAD_GCM_SIV_MESSAGE_H

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "kernels/bulk/engine.h"
#include "kernels/cpu/ghash.h"
#include "provider/mode/base/context_memory.h"

namespace gpuctr {

constexpr std::size_t kSivBlock = 16;
constexpr std::size_t kSivTag = 16;
constexpr std::size_t kSivNonce = 12;
// RFC 8452 6: the most bytes of a text, and of associated data.
constexpr std::uint64_t kSivMost = std::uint64_t{1} << 36;

// Belongs to one context; one thread at a time. All pointers are to ordinary memory. forget() and
// the destructor wipe everything secret.
class GcmSivMessage {
 public:
  // What a nonce determines: round keys and hash key.
  static std::size_t memory_bytes(const CipherSpec& cipher) {
    return whole_units(cipher.round_key_bytes) + sizeof(GhashKey);
  }
  // `keys` are those of the key-generating key. `keys` and `memory`, memory_bytes() bytes, outlive
  // this object.
  GcmSivMessage(const Engine& engine, const CipherSpec& cipher, const RoundKeys& keys,
                std::uint8_t* memory);
  GcmSivMessage(const GcmSivMessage&) = delete;
  GcmSivMessage& operator=(const GcmSivMessage&) = delete;
  ~GcmSivMessage() { forget(); }

  // Wipes the keys of the nonce.
  void forget();
  // After a new object or forget(): derives the keys of the nonce (4), kSivNonce bytes.
  void start(const std::uint8_t* nonce);
  // After start(): encrypts n bytes and writes the tag. in == out, or no overlap.
  void encrypt(const std::uint8_t* aad, std::size_t aad_bytes, const std::uint8_t* in,
               std::uint8_t* out, std::size_t n, std::uint8_t* tag);
  // After start(): decrypts n bytes under the tag `given`, and writes the tag of the text. The text
  // is authentic only if the two are equal.
  void decrypt(const std::uint8_t* aad, std::size_t aad_bytes, const std::uint8_t* in,
               std::uint8_t* out, std::size_t n, const std::uint8_t* given, std::uint8_t* tag);

 private:
  // Blocks that wait for POLYVAL: a short message is one call. Public functions leave it empty.
  static constexpr std::size_t kWaiting = 16 * kSivBlock;
  // Text is decrypted and hashed in pieces that stay in the first-level cache.
  static constexpr std::size_t kPiece = 8192;
  // Keystream where the cipher has no counter mode of GCM-SIV, bytes.
  static constexpr std::size_t kKeystream = 2048;

  void polyval(const std::uint8_t* data, std::size_t blocks);
  void flush();
  void hash(const std::uint8_t* data, std::size_t n);
  void end_hash(std::size_t aad_bytes, std::size_t text_bytes, std::uint8_t* tag);
  void crypt(const std::uint8_t* counter, const std::uint8_t* in, std::uint8_t* out,
             std::size_t n) const;
  void crypt_by_blocks(const std::uint8_t* counter, const std::uint8_t* in, std::uint8_t* out,
                       std::size_t n) const;

  const CipherSpec& cipher_;
  const CipherOps& ops_;
  const SivCtr siv_ctr_;
  const GhashOps& ghash_;
  const RoundKeys& keys_;
  RoundKeys& message_keys_;
  GhashKey& hash_key_;
  unsigned powers_ = 0;  // of the hash key that are there; 0: no nonce yet
  std::uint8_t nonce_[kSivNonce] = {};
  std::uint8_t sum_[kSivBlock] = {};  // POLYVAL so far; zero between messages
  std::size_t waiting_bytes_ = 0;
  std::uint8_t waiting_[kWaiting];
};

}  // namespace gpuctr

#endif
