// A cipher in a mode, with keys and texts that the scan knows: what zeroization_evp.cpp works with,
// and what must not be left of it.
#ifndef GPUCTR_TEST_TRUST_EVP_SESSION_H
#define GPUCTR_TEST_TRUST_EVP_SESSION_H

#include <openssl/evp.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "kernels/base/wipe.h"
#include "kernels/cpu/backend.h"
#include "test/trust/memory_scan.h"

namespace gpuctr::trust {

constexpr std::size_t kData = 20011;  // not a whole number of blocks

// A counter block of any cipher of the build, and of GCM and CCM, which have blocks of 16 bytes.
constexpr std::size_t kCounterBytes = std::max<std::size_t>(16, kMaxBlockBytes);

enum class Mode { kCtr, kEcb, kGcm, kCcm, kCfb, kCfbDecryption, kOfb, kXts, kWrap, kGcmSiv };
constexpr struct {
  Mode mode;
  const char* name;
} kModesHere[] = {{Mode::kCtr, "CTR"},       {Mode::kEcb, "ECB"}, {Mode::kGcm, "GCM"},
                  {Mode::kCcm, "CCM"},       {Mode::kCfb, "CFB"}, {Mode::kCfbDecryption, "CFB"},
                  {Mode::kOfb, "OFB"},       {Mode::kXts, "XTS"}, {Mode::kWrap, "WRAP"},
                  {Mode::kGcmSiv, "GCM-SIV"}};

struct Session {
  const CipherSpec& spec;
  EVP_CIPHER* cipher;
  Mode mode;
  std::uint64_t seed;

  bool has_iv() const { return mode != Mode::kEcb && mode != Mode::kWrap; }
  bool stream() const { return has_iv() && mode != Mode::kXts && mode != Mode::kGcmSiv; }
  bool feeds_back() const {
    return mode == Mode::kCfb || mode == Mode::kCfbDecryption || mode == Mode::kOfb;
  }
  // Whether a message has its text in one update.
  bool whole() const { return mode == Mode::kCcm || mode == Mode::kGcmSiv; }
  bool pieces() const { return mode == Mode::kCtr || mode == Mode::kGcm; }
};

inline std::uint64_t seed_of(const Session& s, unsigned n) { return s.seed + 100 * n; }

// The IV of key number n as the first counter block: in GCM and CCM the one that masks
// the tag.
inline void first_counter(const Session& s, unsigned n, std::uint8_t* counter) {
  make_secret(seed_of(s, n) + 50, counter, s.spec.block_bytes);
  if (s.mode == Mode::kCcm) {
    std::memmove(counter + 1, counter, 7);
    std::memset(counter + 8, 0, 8);
    counter[0] = 7;  // the length's 8 bytes, less one
  }
  if (s.mode != Mode::kGcm) return;
  const std::uint8_t one[4] = {0, 0, 0, 1};
  std::memcpy(counter + 12, one, sizeof one);
}

// The keystream over a text of zeros. In CFB decryption of zeros all blocks but the first are E(0).
inline void make_keystream(const Session& s, const RoundKeys& keys, const std::uint8_t* counter,
                           std::vector<std::uint8_t>* out) {
  const CipherOps& ops = find_backend("scalar")->ops[s.spec.index];
  if (!s.feeds_back()) return ops.ctr(keys, counter, nullptr, out->data(), out->size());
  const std::size_t block = s.spec.block_bytes;
  Wiped<std::uint8_t[kCounterBytes]> next;
  std::memcpy(next.value, counter, block);
  for (std::size_t at = 0; at < out->size(); at += block) {
    if (s.mode == Mode::kCfbDecryption && at != 0) std::memset(next.value, 0, block);
    if (s.mode == Mode::kCfbDecryption && at > block) break;  // the rest of `out` is zeros
    ops.encrypt(keys, next.value, next.value, 1);
    std::memcpy(out->data() + at, next.value, std::min(block, out->size() - at));
  }
  if (s.mode == Mode::kCfbDecryption) out->resize(2 * block);
}

// GCM's subkey, and what GHASH keeps of it.
inline void learn_hash_key(const Session& s, const RoundKeys& keys, Secrets* out) {
  std::uint8_t h[kCounterBytes] = {};
  find_backend("scalar")->ops[s.spec.index].encrypt(keys, h, h, 1);
  out->add(Secrets::kKey, h, 16);
  GhashKey hash_key = {};
  best_backend().ghash->expand(h, &hash_key);
  out->add(Secrets::kState, hash_key.bytes, sizeof hash_key.bytes);
}

// What CCM's CBC-MAC of a text of zeros comes to after each block: all of it is secret, the tag but
// for its mask too.
inline void learn_mac(const Session& s, const RoundKeys& keys, const std::uint8_t* counter,
                      Secrets* out) {
  const CipherOps& ops = find_backend("scalar")->ops[s.spec.index];
  std::vector<std::uint8_t> states;
  std::uint8_t x[16];
  std::memcpy(x, counter, sizeof x);
  x[0] |= 5 << 3;  // a tag of 12 bytes
  x[14] = kData >> 8;
  x[15] = kData & 0xff;
  for (std::size_t at = 0; at <= kData; at += 16) {
    ops.encrypt(keys, x, x, 1);
    states.insert(states.end(), x, x + sizeof x);
  }
  out->add(Secrets::kState, states.data(), states.size());
  wipe(states.data(), states.size());
}

// What the key and the nonce give in GCM-SIV (RFC 8452 4): POLYVAL's key, which is its own first
// power, and the key of the message.
inline void learn_siv(const Session& s, const RoundKeys& keys, const std::uint8_t* nonce,
                      Secrets* out) {
  const CipherOps& ops = find_backend("scalar")->ops[s.spec.index];
  std::uint8_t derived[48] = {};
  for (std::size_t at = 0; at < 16 + s.spec.key_bytes; at += 8) {
    std::uint8_t block[16] = {static_cast<std::uint8_t>(at / 8)};
    std::memcpy(block + 4, nonce, 12);
    ops.encrypt(keys, block, block, 1);
    std::memcpy(derived + at, block, 8);
  }
  out->add(Secrets::kState, derived, 16);
  out->add(Secrets::kKey, derived + 16, s.spec.key_bytes);
  RoundKeys message = {};
  s.spec.expand(derived + 16, &message);
  out->add(Secrets::kRoundKeys, message.bytes, s.spec.round_key_bytes);
}

// The key of the tweak, and the masks of a data unit.
inline void learn_tweak(const Session& s, unsigned n, const std::uint8_t* iv, Secrets* out) {
  std::uint8_t key[kMaxKeyBytes], mask[16], masks[xts_mask_bytes(257)];
  make_secret(seed_of(s, n) + 30, key, s.spec.key_bytes);
  out->add(Secrets::kKey, key, s.spec.key_bytes);
  RoundKeys keys = {};
  s.spec.expand(key, &keys);
  out->add(Secrets::kRoundKeys, keys.bytes, s.spec.round_key_bytes);
  const Backend& scalar = *find_backend("scalar");
  scalar.ops[s.spec.index].encrypt(keys, iv, mask, 1);
  scalar.xts_masks(mask, masks, 257);
  out->add(Secrets::kState, masks, sizeof masks);
}

// What key number n of this session gives, computed where it leaves no trace here. Keystream starts
// at the IV of the same number.
inline void learn(const Session& s, unsigned n, Secrets* secrets) {
  secrets->add_in_child([&](Secrets& out) {
    std::uint8_t key[kMaxKeyBytes], iv[kCounterBytes];
    make_secret(seed_of(s, n), key, s.spec.key_bytes);
    first_counter(s, n, iv);
    out.add(Secrets::kKey, key, s.spec.key_bytes);
    RoundKeys keys = {};  // of which a short key leaves a part as it is
    s.spec.expand(key, &keys);
    out.add(Secrets::kRoundKeys, keys.bytes, s.spec.round_key_bytes);
    // DES's are masks of bits.
    if (s.spec.block_bytes == 8 && s.mode == Mode::kWrap)
      out.add_long(Secrets::kRoundKeys, keys.bytes, 1024);
    if (s.mode == Mode::kGcm) learn_hash_key(s, keys, &out);
    if (s.mode == Mode::kCcm) learn_mac(s, keys, iv, &out);
    if (s.mode == Mode::kGcmSiv) learn_siv(s, keys, iv, &out);
    if (s.mode == Mode::kXts) learn_tweak(s, n, iv, &out);
    std::vector<std::uint8_t> data(kData + 32);
    if (s.stream()) {
      make_keystream(s, keys, iv, &data);
      out.add(Secrets::kKeystream, data.data(), data.size());
    } else {
      make_secret(seed_of(s, n) + 70, data.data(), data.size());
      out.add(Secrets::kPlaintext, data.data(), data.size(), 1);
    }
  });
}

}  // namespace gpuctr::trust

#endif
