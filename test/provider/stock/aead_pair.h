// An authenticated cipher of libcrypto and ours under the same calls: what the stock one does is
// what ours has to do. What the pairs of the modes share.
#ifndef GPUCTR_TEST_PROVIDER_STOCK_AEAD_PAIR_H
#define GPUCTR_TEST_PROVIDER_STOCK_AEAD_PAIR_H

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

constexpr std::size_t kPairMemory = 4096;
constexpr std::size_t kWholeTag = 16;

inline Bytes part(const Bytes& all, std::size_t from, std::size_t size) {
  const auto first = all.begin() + static_cast<std::ptrdiff_t>(from);
  return Bytes(first, first + static_cast<std::ptrdiff_t>(size));
}
inline void append(Bytes* to, const Bytes& more) {
  to->insert(to->end(), more.begin(), more.end());
}

struct AeadSide {
  Evp<EVP_CIPHER> cipher;
  Evp<EVP_CIPHER_CTX> ctx{EVP_CIPHER_CTX_new()};
  Bytes memory = Bytes(kPairMemory);
};

class AeadPair {
 public:
  std::string history() const { return log_.str(); }

 protected:
  AeadPair(const Library& library, const CipherSpec& spec, const char* mode, unsigned seed)
      : random_(seed),
        stock_{library.stock(std::string(spec.name) + mode)},
        ours_{library.cipher(std::string(spec.name) + mode)} {
    for (auto& key : keys_) key = bytes(spec.key_bytes);
  }

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

  // f on both sides: the same answer, and the same errors on the queue.
  template <class F>
  bool both(F f) {
    ERR_clear_error();
    const int theirs = f(stock_);
    const std::string expected = take_reasons();
    const int status = f(ours_);
    const std::string errors = take_reasons();
    EXPECT_EQ(status, theirs) << errors;
    EXPECT_EQ(errors, expected);
    return theirs > 0;
  }
  bool set(const char* name, const Bytes& octets) { return set(name, octets, octets.size()); }
  bool set(const char* name, Bytes octets, std::size_t size);
  bool set(const char* name, std::size_t number);
  bool get(const char* name, std::size_t size, Bytes* answer);
  std::size_t number(const char* name);
  // Input at `in` of both memories, and the rest random, so that what is written shows.
  void fill(std::size_t in, const Bytes& input);
  // A call with data. `in` or `out` of kPairMemory: none.
  bool call(bool one_shot, std::size_t out, std::size_t in, std::size_t n);
  // The same, and nothing said of the memory.
  bool call_only(bool one_shot, std::size_t out, std::size_t in, std::size_t n);
  bool init_both(bool with_cipher, const Bytes* key, const Bytes* iv, int encrypt);
  // Both contexts are copied. Copies or originals go on; the others are used and forgotten.
  void copy_both();

  std::mt19937 random_;
  std::ostringstream log_;
  AeadSide stock_, ours_;
  Bytes keys_[3];
};

// The list of tests for the ciphers of this build that libcrypto has in a mode.
inline std::vector<std::size_t> with_stock(const char* mode) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < kCipherCount; ++i) {
    const std::string name = std::string(cipher_spec(i).name) + mode;
    const Evp<EVP_CIPHER> stock(EVP_CIPHER_fetch(nullptr, name.c_str(), "provider=default"));
    if (stock != nullptr) found.push_back(i);
  }
  return found;
}

// Whether a list of parameters has one of this name and type.
inline bool lists(const OSSL_PARAM* list, const OSSL_PARAM& wanted) {
  const OSSL_PARAM* const listed = OSSL_PARAM_locate_const(list, wanted.key);
  return listed != nullptr && listed->data_type == wanted.data_type;
}

}  // namespace gpuctr::test

#endif
