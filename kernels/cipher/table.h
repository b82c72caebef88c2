// The cipher table: every cipher of the project, once. All machines, the provider, the DRBG and the
// tests are made from this list; to add a cipher, write its file and add it here.
#ifndef GPUCTR_KERNELS_CIPHER_TABLE_H
#define GPUCTR_KERNELS_CIPHER_TABLE_H

#include <cstddef>
#include <cstdint>

#include "kernels/cipher/cham.h"
#include "kernels/cipher/hight.h"
#include "kernels/cipher/lea.h"

namespace gpuctr {

template <class... C>
struct CipherList {
  static constexpr std::size_t kCount = sizeof...(C);
};

using AllCiphers =
    CipherList<Hight, Lea<128>, Lea<192>, Lea<256>, Cham64_128, Cham128_128, Cham128_256>;

constexpr std::size_t kCipherCount = AllCiphers::kCount;
constexpr std::size_t kMaxBlockBytes = 16;
constexpr std::size_t kMaxKeyBytes = 32;

// The expanded key of any cipher of the table, as an array of the cipher's words in host byte
// order. Secret: whoever owns one wipes it.
struct alignas(64) RoundKeys {
  std::uint8_t bytes[768];

  template <class Word>
  GPUCTR_HD const Word* words() const {
    return reinterpret_cast<const Word*>(bytes);
  }
  template <class Word>
  GPUCTR_HD Word* words() {
    return reinterpret_cast<Word*>(bytes);
  }
};

// What the rest of the project knows of a cipher without its type. Sizes in bytes.
struct CipherSpec {
  std::size_t index;  // place in AllCiphers; selects a machine's functions
  const char* name;   // "LEA-128"; modes append "-CTR", "-ECB", "-CTR-DRBG"
  const char* alias;  // a second stem for the name, or nullptr
  std::size_t block_bytes;
  std::size_t key_bytes;
  unsigned rounds;
  std::size_t round_key_bytes;
  void (*expand)(const std::uint8_t* key, RoundKeys* out);
};

// The table, in the order of AllCiphers. Immutable, usable from any thread.
const CipherSpec& cipher_spec(std::size_t index);

// The cipher with this exact name ("LEA-128"), or nullptr.
const CipherSpec* find_cipher(const char* name);

}  // namespace gpuctr

#endif
