// Random batches of messages, and ordinary contexts as their model.
#ifndef GPUCTR_TEST_PROVIDER_BATCH_MESSAGES_H
#define GPUCTR_TEST_PROVIDER_BATCH_MESSAGES_H

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "kernels/cipher/registry.h"
#include "test/provider/batch/pointer_params.h"
#include "test/provider/support.h"

namespace gpuctr::test {

enum class KeySource { kOwn, kEach, kTable };

// What a batch is like. Lengths are in bytes.
struct Shape {
  std::string mode;
  std::size_t messages = 1;
  std::size_t longest = 300;
  KeySource keys = KeySource::kEach;
  std::size_t table = 5;  // keys
  std::size_t iv_bytes = 12;
  std::size_t tag_bytes = 16;
  unsigned counter_bits = 0;  // 0: not set
  bool one_length = false;
  bool offsets = false;
  bool in_place = false;
  std::size_t longest_aad = 40;
  bool one_aad_length = false;

  bool aead() const { return mode == "GCM" || mode == "CCM"; }
};

// One batch: its arrays, and what N ordinary contexts make of the same messages.
class Messages {
 public:
  // Random arrays. CTR counters are often near their wrap.
  Messages(const CipherSpec& spec, const Shape& shape, std::mt19937* random);

  // Encrypts each message by a context of `cipher`, which may be another provider's.
  void encrypt_one_by_one(const EVP_CIPHER* cipher);

  // Sets every array of the batch and the context's own settings. Returns libcrypto's answer.
  int set(EVP_CIPHER_CTX* ctx, const EVP_CIPHER* cipher, bool encrypt);
  // One update with the plaintext, or the ciphertext of encrypt_one_by_one(), into out().
  int update(EVP_CIPHER_CTX* ctx, bool encrypt);
  // Whether the last update wrote nothing.
  bool wrote_nothing() const {
    return written <= 0 && out_ == (shape.in_place ? plain_ : Bytes(out_.size(), 0xa5)) &&
           made_tags_ == Bytes(made_tags_.size(), 0xa5) && results == Bytes(results.size(), 0xa5);
  }
  void forget_tags() { made_tags_.assign(made_tags_.size(), 0xa5); }
  std::size_t bytes() const { return plain_.size(); }
  // Changes a tag of the model.
  void spoil_tag(std::size_t message) {
    tags_[message * shape.tag_bytes + message % shape.tag_bytes] ^= 1;
  }

  Bytes plain_of(std::size_t i) const { return part(plain_, i); }
  Bytes sealed_of(std::size_t i) const { return part(sealed_, i); }
  Bytes out_of(std::size_t i) const { return part(out_, i); }
  // Whether no byte between the messages was written.
  bool gaps_are_clean() const;

  const CipherSpec& spec;
  const Shape shape;
  Bytes own_key, keys, ivs, aad, results;
  std::vector<std::uint32_t> lengths, index, aad_lengths;
  std::vector<std::uint64_t> offsets;
  Bytes tags() const { return tags_; }            // of the model
  Bytes made_tags() const { return made_tags_; }  // of the batch
  int written = -1;

 private:
  Bytes part(const Bytes& all, std::size_t i) const {
    const auto at = all.begin() + static_cast<std::ptrdiff_t>(place_[i]);
    return {at, at + lengths[i]};
  }
  const std::uint8_t* key_of(std::size_t i) const;

  std::vector<std::uint64_t> place_, aad_place_;
  Bytes plain_, sealed_, out_, tags_, made_tags_;
};

// One message by an ordinary context.
Bytes one_message(const EVP_CIPHER* cipher, const std::string& mode, bool encrypt,
                  const std::uint8_t* key, std::size_t key_bytes, const Bytes& iv, const Bytes& aad,
                  const Bytes& text, std::uint8_t* tag, std::size_t tag_bytes,
                  unsigned counter_bits);

}  // namespace gpuctr::test

#endif
