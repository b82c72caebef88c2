// The functions of a backend for one cipher: a table that does not depend on the list of ciphers.
#ifndef GPUCTR_KERNELS_CPU_BASE_CIPHER_OPS_H
#define GPUCTR_KERNELS_CPU_BASE_CIPHER_OPS_H

#include <cstddef>
#include <cstdint>

#include "kernels/base/inline.h"

namespace gpuctr {

struct GcmUnit;    // kernels/cpu/base/gcm_text.h
struct RoundKeys;  // kernels/cipher/registry.h

// The words of a key schedule. They are the first member of a RoundKeys.
template <class Word>
GPUCTR_INLINE const Word* words_of(const RoundKeys& keys) {
  return reinterpret_cast<const Word*>(&keys);
}
template <class Word>
GPUCTR_INLINE Word* words_of(RoundKeys* keys) {
  return reinterpret_cast<Word*>(keys);
}

// The Key of one request of CTR_DRBG, and the first counter block of the request's output. Secret.
struct ChainLink {
  std::uint8_t key[32];
  std::uint8_t counter[16];
};

using ChainOperation = void(const RoundKeys& keys, std::uint8_t* chain, const std::uint8_t* in,
                            std::uint8_t* out, std::size_t blocks);

// One cipher on one CPU backend. Pointers need no alignment; in == out is allowed, partial overlap
// is not. The functions are thread-safe, cannot fail, keep no state and leave no secret on the
// stack.
struct CipherOps {
  // CTR mode: out[i] = in[i] ^ keystream[i], or keystream[i] if in is nullptr, for any number n of
  // bytes. The first counter block is `counter` (block_bytes, big-endian, wraps modulo 2^(8
  // block_bytes)). The caller advances the counter.
  void (*ctr)(const RoundKeys& keys, const std::uint8_t* counter, const std::uint8_t* in,
              std::uint8_t* out, std::size_t n);
  // ECB: whole blocks.
  void (*encrypt)(const RoundKeys& keys, const std::uint8_t* in, std::uint8_t* out,
                  std::size_t blocks);
  void (*decrypt)(const RoundKeys& keys, const std::uint8_t* in, std::uint8_t* out,
                  std::size_t blocks);
  // CBC of whole blocks. `chain` is the ciphertext block before the first one, and then the last
  // one. nullptr: `encrypt` block by block, or XEX (kernels/cpu/xex.h), are no slower.
  ChainOperation *cbc_encrypt, *cbc_decrypt;
  // CFB and OFB of whole blocks: out[i] = in[i] ^ E(chain), and then `chain` becomes the ciphertext
  // block, in OFB E(chain). nullptr: cbc_encrypt or `encrypt` and a XOR, or XEX, are no slower.
  ChainOperation *cfb_encrypt, *cfb_decrypt, *ofb;
  // Whole blocks of CCM's text (RFC 3610 2.2, 2.3): counter mode as in ctr, and mac = E(mac) ^
  // block for each plaintext block. The plaintext is `in` for encryption, `out` for decryption.
  // nullptr: ctr and cbc_encrypt in turn are no slower.
  void (*ccm)(const RoundKeys& keys, bool encrypts, const std::uint8_t* counter, std::uint8_t* mac,
              const std::uint8_t* in, std::uint8_t* out, std::size_t blocks);
  const GcmUnit* gcm;  // nullptr: ctr and GhashOps::update in turn are no slower
  // XTS's whole blocks (IEEE 1619 5.3.1, 5.4.1). `mask`, 16 bytes: of the first block, then of that
  // after the last. With tweak_keys it is the unit's IV, and stays. nullptr: xex.
  void (*xts)(const RoundKeys& keys, const RoundKeys* tweak_keys, bool encrypts, std::uint8_t* mask,
              const std::uint8_t* in, std::uint8_t* out, std::size_t blocks);
  // Whole batches of xex_batch[encrypts] bytes, from the end. XEX if there are masks: out = E(in ^
  // masks) ^ masks, or D. Else CFB decryption (E) or CBC's (D); `head`: the first 64 bytes of the
  // ciphertext one block back. A batch of 0: xex.h does without.
  void (*xex)(const RoundKeys& keys, bool encrypts, const std::uint8_t* masks,
              const std::uint8_t* head, const std::uint8_t* in, std::uint8_t* out, std::size_t n);
  unsigned xex_batch[2];
  // The key schedule. nullptr: use CipherSpec::expand_bytes, which has the same result.
  void (*expand)(const std::uint8_t* key, std::size_t bytes, RoundKeys* out);
  bool constant_time;        // although the cipher's definition has table look-ups
  bool by_aes_instructions;  // backends.cpp adds gcm and xts
  // A step of CTR_DRBG: n bytes (any number) of CTR keystream from the block `counter` to `out`;
  // the next kSeedBlocks blocks, a key and a block, to `seed`, for which the next step waits.
  void (*step)(const RoundKeys& keys, const std::uint8_t* counter, std::uint8_t* out, std::size_t n,
               std::uint8_t* seed);
  // The links of `count` requests of CTR_DRBG without additional input, of `blocks` blocks. `key`
  // and `v` (key_bytes, block_bytes) become those after the last request.
  void (*chain)(std::uint8_t* key, std::uint8_t* v, std::uint64_t blocks, ChainLink* links,
                std::size_t count);
  // Like chain, and also writes the output, n bytes for each request, to `out`. nullptr, or false
  // with nothing done: chain and ctr, or steps, are no slower.
  bool (*requests)(std::uint8_t* key, std::uint8_t* v, std::uint8_t* out, std::size_t n,
                   std::size_t count);
};

template <class C>
constexpr std::size_t kSeedBlocks = (C::kKeyBytes - 1) / (C::kWords * sizeof(typename C::Word)) + 2;

}  // namespace gpuctr

#endif
