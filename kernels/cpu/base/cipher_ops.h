// What a backend does for one cipher: a table of functions, known without the list of ciphers.
#ifndef GPUCTR_KERNELS_CPU_BASE_CIPHER_OPS_H
#define GPUCTR_KERNELS_CPU_BASE_CIPHER_OPS_H

#include <cstddef>
#include <cstdint>

#include "kernels/base/inline.h"

namespace gpuctr {

struct GhashKey;   // kernels/cpu/base/ghash_ops.h
struct RoundKeys;  // kernels/cipher/registry.h

// The words of a key schedule, of which a RoundKeys begins with the first one.
template <class Word>
GPUCTR_INLINE const Word* words_of(const RoundKeys& keys) {
  return reinterpret_cast<const Word*>(&keys);
}
template <class Word>
GPUCTR_INLINE Word* words_of(RoundKeys* keys) {
  return reinterpret_cast<Word*>(keys);
}

// The Key of one request of CTR_DRBG, and the first counter block of its output. Secret.
struct ChainLink {
  std::uint8_t key[32];
  std::uint8_t counter[16];
};

// One cipher on one CPU backend. Pointers need no alignment; in == out is allowed, partial overlap
// is not. Thread-safe, cannot fail, keeps no state, leaves no secret on the stack.
struct CipherOps {
  // CTR mode: out[i] = in[i] ^ keystream[i], or keystream[i] where in is nullptr, for n bytes, n
  // any number. The first counter block is `counter` (block_bytes, big-endian, wraps modulo 2^(8
  // block)). The caller advances the counter.
  void (*ctr)(const RoundKeys& keys, const std::uint8_t* counter, const std::uint8_t* in,
              std::uint8_t* out, std::size_t n);
  // ECB: whole blocks.
  void (*encrypt)(const RoundKeys& keys, const std::uint8_t* in, std::uint8_t* out,
                  std::size_t blocks);
  void (*decrypt)(const RoundKeys& keys, const std::uint8_t* in, std::uint8_t* out,
                  std::size_t blocks);
  // CBC encryption of whole blocks. `chain` is the block that the first one is XORed with, and
  // becomes the last one of the output. nullptr: encrypt, block by block, is no slower.
  void (*cbc_encrypt)(const RoundKeys& keys, std::uint8_t* chain, const std::uint8_t* in,
                      std::uint8_t* out, std::size_t blocks);
  // CBC decryption of whole blocks. `chain` is the block of ciphertext before the first one, and
  // becomes the last one of the input. nullptr: decrypt, and an XOR after it, are no slower.
  void (*cbc_decrypt)(const RoundKeys& keys, std::uint8_t* chain, const std::uint8_t* in,
                      std::uint8_t* out, std::size_t blocks);
  // Whole blocks of CCM's text (RFC 3610 2.2, 2.3): counter mode as ctr, and, for each block of
  // plaintext, which is that of `in` or of `out`, mac = E(mac) ^ block. nullptr: ctr and
  // cbc_encrypt, one after the other, are no slower.
  void (*ccm)(const RoundKeys& keys, bool encrypts, const std::uint8_t* counter, std::uint8_t* mac,
              const std::uint8_t* in, std::uint8_t* out, std::size_t blocks);
  // GCM's text: counter mode as ctr, and `y` as GhashOps::update makes it of the ciphertext, which
  // is that of `out` where it encrypts, else of `in`. Returns how many of the whole blocks it did,
  // from the first one on: none of a short text, else most. The counter is public. `hash` has at
  // least gcm_powers (GhashOps::powers). nullptr: ctr and update, one after the other, are no
  // slower.
  std::size_t (*gcm)(const RoundKeys& keys, bool encrypts, const std::uint8_t* counter,
                     const GhashKey& hash, std::uint8_t* y, const std::uint8_t* in,
                     std::uint8_t* out, std::size_t blocks);
  unsigned gcm_powers;
  // The key schedule, as CipherSpec::expand_bytes, which it is where this is nullptr.
  void (*expand)(const std::uint8_t* key, std::size_t bytes, RoundKeys* out);
  // Of a cipher whose definition looks tables up: whether nothing here does.
  bool constant_time;
  // A step of CTR_DRBG: n bytes of CTR keystream from the counter block `counter` on, n any number,
  // to `out`, and to `seed` the kSeedBlocks whole blocks that follow it: as many as hold a key and
  // a block. The next step waits for them, so they come with the least delay.
  void (*step)(const RoundKeys& keys, const std::uint8_t* counter, std::uint8_t* out, std::size_t n,
               std::uint8_t* seed);
  // `count` requests of CTR_DRBG, one after the other and without additional input, but for their
  // output, of which each makes `blocks` blocks: writes the links, and leaves in `key` and `v`
  // (key_bytes, block_bytes) those after the last request.
  void (*chain)(std::uint8_t* key, std::uint8_t* v, std::uint64_t blocks, ChainLink* links,
                std::size_t count);
  // The same with the output, n bytes each, to `out`. nullptr, or false with nothing done: chain
  // and ctr, or steps, are no slower.
  bool (*requests)(std::uint8_t* key, std::uint8_t* v, std::uint8_t* out, std::size_t n,
                   std::size_t count);
};

template <class C>
constexpr std::size_t kSeedBlocks = C::kKeyBytes / (C::kWords * sizeof(typename C::Word)) +
                                    (C::kKeyBytes % (C::kWords * sizeof(typename C::Word)) != 0) +
                                    1;

}  // namespace gpuctr

#endif
