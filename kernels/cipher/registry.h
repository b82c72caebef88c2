// The registry: every cipher of the build, once. All backends, the provider, CTR_DRBG, the
// self-test and the tests are made from it.
//
// A cipher is a folder kernels/cipher/<name>/. The build finds the folders, or takes those of
// GPUCTR_CIPHERS, and compiles a probe (probe.h) that includes their definitions. From the probe's
// data the build writes sizes.h, and a file with the CipherSpecs of each folder. So a file that
// includes this header does not depend on any definition. AllCiphers, the list of all types, is in
// kernels/cipher/folders.h.
#ifndef GPUCTR_KERNELS_CIPHER_REGISTRY_H
#define GPUCTR_KERNELS_CIPHER_REGISTRY_H

#include <cstddef>
#include <cstdint>

#include "kernels/base/wipe.h"
#include "kernels/cipher/facts.h"
#include "kernels/cipher/sizes.h"

namespace gpuctr {

// The expanded key of any cipher of the registry, as an array of the cipher's words in host byte
// order. Secret: the owner wipes it.
struct alignas(64) RoundKeys {
  std::uint8_t bytes[kMaxScheduleBytes];

  template <class Word>
  GPUCTR_HD const Word* words() const {
    return reinterpret_cast<const Word*>(bytes);
  }
  template <class Word>
  GPUCTR_HD Word* words() {
    return reinterpret_cast<Word*>(bytes);
  }
};

// Round keys on the stack, wiped at the end of their scope. Only the first `bytes` bytes, the size
// of the cipher's schedule, are written and wiped.
class ScopedRoundKeys {
 public:
  GPUCTR_INLINE explicit ScopedRoundKeys(std::size_t bytes) : bytes_(bytes) {}
  ScopedRoundKeys(const ScopedRoundKeys&) = delete;
  ScopedRoundKeys& operator=(const ScopedRoundKeys&) = delete;
  GPUCTR_INLINE ~ScopedRoundKeys() { wipe(&value, bytes_); }
  RoundKeys value;

 private:
  std::size_t bytes_;
};

struct BlockAnswer;
struct GeneratorAnswer;

// The description of a cipher for code that does not know its type. Sizes in bytes.
struct CipherSpec {
  std::size_t index;  // position in AllCiphers; index of a backend's functions
  const char* name;   // "LEA-128"; modes append "-CTR", "-ECB", "-CTR-DRBG"
  const char* alias;  // a second stem for the name, or nullptr
  std::size_t block_bytes;
  std::size_t key_bytes;
  std::size_t least_key_bytes;  // both are key_bytes if a key has one size
  std::size_t most_key_bytes;
  unsigned rounds;
  std::size_t round_key_bytes;
  unsigned strength_bits;  // against key recovery; for a generator
  bool constant_time;      // on every CPU backend (cpu/backend.h), with respect to key and data
  bool in_openssl;         // OpenSSL also has this cipher, under the same name
  bool legacy;             // only for old data: offered only if openssl.cnf enables such ciphers
  const ModeNames* mode_names;
  std::size_t mode_name_count;
  // Expands a key of `bytes` bytes, from least_key_bytes to most_key_bytes.
  void (*expand_bytes)(const std::uint8_t* key, std::size_t bytes, RoundKeys* out);
  std::size_t tweak_bytes;  // 0: no tweak
  // Replaces the tweak in the round keys; new round keys have a tweak of zeros.
  void (*set_tweak)(const std::uint8_t* tweak, RoundKeys* keys);
  const BlockAnswer* block_answer;
  const GeneratorAnswer* generator_answer;  // nullptr: no generator over this cipher is offered
  // As expand_bytes, with 1 to 1024 effective key bits; expand_bytes takes effective_bits.
  // nullptr: a key has no such number.
  void (*expand_effective)(const std::uint8_t* key, std::size_t bytes, unsigned bits,
                           RoundKeys* out);
  unsigned effective_bits;

  // Expands a key of key_bytes bytes.
  void expand(const std::uint8_t* key, RoundKeys* out) const { expand_bytes(key, key_bytes, out); }
};

// The registry, in the order of AllCiphers. Immutable, usable from any thread.
const CipherSpec& cipher_spec(std::size_t index);

// The cipher with this exact name ("LEA-128"), or nullptr.
const CipherSpec* find_cipher(const char* name);

// One list of the ciphers of several.
template <class... Lists>
struct Joined;
template <class... C>
struct Joined<CipherList<C...>> {
  using Type = CipherList<C...>;
};
template <class... A, class... B, class... Rest>
struct Joined<CipherList<A...>, CipherList<B...>, Rest...> {
  using Type = typename Joined<CipherList<A..., B...>, Rest...>::Type;
};

}  // namespace gpuctr

#endif
