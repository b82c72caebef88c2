// GCM of libcrypto and ours of the same cipher under the same calls: what the stock one does is
// what ours has to do.
#ifndef GPUCTR_TEST_PROVIDER_STOCK_GCM_PAIR_H
#define GPUCTR_TEST_PROVIDER_STOCK_GCM_PAIR_H

#include "test/provider/stock/aead_pair.h"

namespace gpuctr::test {

// Ciphertext and tag of a whole message, from the stock cipher.
Bytes sealed(const EVP_CIPHER* cipher, const Bytes& key, const Bytes& iv, const Bytes& aad,
             const Bytes& text);

class GcmPair : public AeadPair {
 public:
  GcmPair(const Library& library, const CipherSpec& spec, unsigned seed)
      : AeadPair(library, spec, "-GCM", seed) {
    start();
  }
  void step();

 private:
  void start();
  void init();
  void set_iv_length();
  void aad();
  void text();
  void final();
  void set_some_tag();
  void get_some_tag();
  void without_iv();
  void fix_iv();
  void next_iv();
  void set_explicit_iv();
  void record();
  void compare_state();

  // What the stock cipher was told of the message under way; it begins with the first call that
  // needs its IV.
  void begin_message();
  void new_iv(bool set) {
    iv_set_ = set;
    begun_ = ended_ = false;
  }
  bool needs_random_iv() const {
    return key_ != nullptr && encrypt_ && !iv_set_ && !begun_ && !ended_;
  }
  bool may_run() const { return key_ != nullptr && (begun_ || iv_set_) && !ended_; }

  const Bytes* key_ = nullptr;
  bool encrypt_ = true;
  bool iv_set_ = false;  // and no message has begun with it
  bool begun_ = false;
  bool ended_ = false;      // until the next IV
  bool fixed_ = false;      // IVs are counted
  bool made_tag_ = false;   // an encryption ended, and no message has begun since
  bool tag_known_ = false;  // libcrypto keeps a record's header where it keeps the tag
  Bytes iv_, aad_, plain_;  // of the message under way
};

}  // namespace gpuctr::test

#endif
