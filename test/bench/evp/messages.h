// Messages through EVP in each way that a program sends them, for a cipher of ours or of OpenSSL's.
#ifndef GPUCTR_TEST_BENCH_MESSAGES_H
#define GPUCTR_TEST_BENCH_MESSAGES_H

#include <openssl/evp.h>

#include <string>

#include "test/bench/must.h"

namespace gpuctr::bench {

// A library context with one provider: OpenSSL's default one where `backend` is empty, with its
// legacy one if `legacy` is set and it is installed; else ours on this CPU backend, without a
// device.
class Library {
 public:
  explicit Library(const std::string& backend, bool legacy = false);
  ~Library() { OSSL_LIB_CTX_free(context_); }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
  // Null where the provider has no such cipher. The caller frees it.
  EVP_CIPHER* fetch(const std::string& name) const {
    return EVP_CIPHER_fetch(context_, name.c_str(), nullptr);
  }

 private:
  OSSL_LIB_CTX* context_;
};

// What a call is: a context made, given key and IV, and freed; a new key and IV; a new IV; nothing
// of these. An update follows each time, and in GCM, CCM and GCM-SIV the tag, except for kUpdate.
enum class Way { kContext, kKey, kIv, kUpdate };

// Messages of one cipher in one direction, of at most kBytes. Padding is off.
class Messages {
 public:
  static constexpr int kBytes = 16384;

  // Takes `cipher` over.
  Messages(EVP_CIPHER* cipher, bool encrypts);
  ~Messages();
  Messages(const Messages&) = delete;
  Messages& operator=(const Messages&) = delete;

  // Whether the mode has such calls: CCM and GCM-SIV take one update a message. Of a wrapped key,
  // `bytes` is the text's length.
  bool takes(Way way, int bytes) const;
  void call(Way way, int bytes);

 private:
  void init(Way way);
  void finish();
  void seal(int bytes);

  EVP_CIPHER* cipher_;
  EVP_CIPHER_CTX* context_ = nullptr;
  Way last_ = Way::kContext;
  int last_bytes_ = -1;
  int wrapped_bytes_ = 0;  // of the sealed message, if it is a wrapped key
  int sealed_bytes_ = -1;
  bool encrypts_, gcm_, ccm_, siv_, wraps_, xts_;
  unsigned char key_[64] = {1, 2, 3}, iv_[16] = {1, 2, 3}, tag_[16] = {};
  unsigned char in_[kBytes + 16] = {}, out_[kBytes + 64] = {};
};

}  // namespace gpuctr::bench

#endif
