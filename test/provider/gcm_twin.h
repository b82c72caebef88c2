// GCM of libcrypto and ours of the same cipher under the same calls: what the stock one does is
// what ours has to do.
#ifndef GPUCTR_TEST_PROVIDER_GCM_TWIN_H
#define GPUCTR_TEST_PROVIDER_GCM_TWIN_H

#include <gtest/gtest.h>
#include <openssl/core_names.h>
#include <openssl/params.h>

#include <algorithm>
#include <random>
#include <sstream>
#include <string>

#include "kernels/cipher/registry.h"
#include "test/provider/support.h"

namespace gpuctr::test {

constexpr std::size_t kGcmMemory = 4096;
constexpr std::size_t kWholeTag = 16;

inline Bytes part(const Bytes& all, std::size_t from, std::size_t size) {
  const auto first = all.begin() + static_cast<std::ptrdiff_t>(from);
  return Bytes(first, first + static_cast<std::ptrdiff_t>(size));
}
inline void append(Bytes* to, const Bytes& more) {
  to->insert(to->end(), more.begin(), more.end());
}

// Ciphertext and tag of a whole message, from the stock cipher.
Bytes sealed(const EVP_CIPHER* cipher, const Bytes& key, const Bytes& iv, const Bytes& aad,
             const Bytes& text);

struct GcmSide {
  Evp<EVP_CIPHER> cipher;
  Evp<EVP_CIPHER_CTX> ctx{EVP_CIPHER_CTX_new()};
  Bytes memory = Bytes(kGcmMemory);
};

class GcmTwin {
 public:
  GcmTwin(const Library& library, const CipherSpec& spec, unsigned seed)
      : random_(seed),
        stock_{library.stock(std::string(spec.name) + "-GCM")},
        ours_{library.cipher(std::string(spec.name) + "-GCM")} {
    for (auto& key : keys_) key = bytes(spec.key_bytes);
    start();
  }
  void step();
  std::string history() const { return log_.str(); }

 private:
  std::size_t pick(std::size_t n) { return random_() % n; }
  bool chance(unsigned percent) { return random_() % 100 < percent; }
  Bytes bytes(std::size_t n) {
    Bytes b(n);
    for (auto& byte : b) byte = static_cast<std::uint8_t>(random_());
    return b;
  }
  std::size_t some_size() {
    if (chance(4)) return pick(3500);
    if (chance(20)) return pick(300);
    return pick(35);
  }
  template <class... Parts>
  void log(const Parts&... parts) {
    (log_ << ... << parts) << "\n";
  }

  // f on both sides: the same answer, and ours leaves one error where it refused.
  template <class F>
  bool both(F f) {
    const int theirs = f(stock_);
    ERR_clear_error();
    const int status = f(ours_);
    const std::string errors = last_error();
    EXPECT_EQ(status, theirs) << errors;
    EXPECT_EQ(errors.empty(), status > 0) << errors;
    EXPECT_EQ(errors.find(" errors, last: "), std::string::npos) << errors;
    return theirs > 0;
  }
  bool set(const char* name, const Bytes& octets) { return set(name, octets, octets.size()); }
  bool set(const char* name, Bytes octets, std::size_t size);
  bool set(const char* name, std::size_t number);
  bool get(const char* name, std::size_t size, Bytes* answer);
  std::size_t number(const char* name);
  // Input at `in` of both memories, and the rest random, so that what is written shows.
  void fill(std::size_t in, const Bytes& input);
  // A call with data. `in` or `out` of kGcmMemory: none.
  bool call(bool one_shot, std::size_t out, std::size_t in, std::size_t n);

  void start();
  void init();
  bool init_both(bool with_cipher, const Bytes* key, const Bytes* iv, int encrypt);
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
  void copy();

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

  std::mt19937 random_;
  std::ostringstream log_;
  GcmSide stock_, ours_;
  Bytes keys_[3];
  const Bytes* key_ = nullptr;
  bool encrypt_ = true;
  bool iv_set_ = false;  // and no message has begun with it
  bool begun_ = false;
  bool ended_ = false;      // until the next IV
  bool fixed_ = false;      // IVs are counted
  bool tag_known_ = false;  // libcrypto keeps a record's header where it keeps the tag
  Bytes iv_, aad_, plain_;  // of the message under way
};

}  // namespace gpuctr::test

#endif
