// A toy for package.foreign_cipher: the shape of SPECK-64/128, with a key schedule that is no
// cipher's. It is not secure.
#ifndef GPUCTR_KERNELS_CIPHER_TOY_H
#define GPUCTR_KERNELS_CIPHER_TOY_H

#include "kernels/base/wipe.h"
#include "kernels/cipher/facts.h"
#include "kernels/cipher/word.h"

namespace gpuctr {

struct Toy {
  using Word = std::uint32_t;
  static constexpr unsigned kWords = 2;
  static constexpr std::size_t kKeyBytes = 16;
  static constexpr unsigned kRounds = 24;
  static constexpr unsigned kRoundKeyWords = kRounds;
  static constexpr const char* kName = "TOY";
  static constexpr CipherFacts kFacts = {};

  struct KeyWords {
    Word words[4];
  };
  GPUCTR_HD static void expand(const std::uint8_t (&key)[kKeyBytes], Word (&rk)[kRoundKeyWords]) {
    Wiped<KeyWords> k;
    for (unsigned i = 0; i < 4; ++i) k.value.words[i] = load_le<Word>(key + 4 * i);
    for (unsigned i = 0; i < kRounds; ++i) rk[i] = k.value.words[i % 4] + i * 0x9e3779b9;
  }

  template <class V, class K>
  GPUCTR_HD static void encrypt(V (&x)[2], const K& rk) {
    GPUCTR_ROUNDS
    for (unsigned i = 0; i < kRounds; ++i) {
      x[0] = (x[0].template rotl<24>() + x[1]) ^ rk(i);
      x[1] = x[1].template rotl<3>() ^ x[0];
    }
  }
  template <class V, class K>
  GPUCTR_HD static void decrypt(V (&x)[2], const K& rk) {
    GPUCTR_DEVICE_ROUNDS
    for (unsigned i = kRounds; i != 0; --i) {
      x[1] = (x[1] ^ x[0]).template rotl<29>();
      x[0] = ((x[0] ^ rk(i - 1)) - x[1]).template rotl<8>();
    }
  }
};

namespace folder {
using toy = CipherList<Toy>;
}

}  // namespace gpuctr

#endif
