#include "provider/mode/base/des_key.h"

#include <cstring>

#include "kernels/base/wipe.h"
#include "kernels/cipher/registry.h"

namespace gpuctr {
namespace {

constexpr std::size_t kMostKeys = 3;
// The probability that a random key is weak or semi-weak is 2^-52. A source that returns this many
// such keys in a row is broken.
constexpr int kMostTries = 16;

constexpr std::uint8_t kWeak[][kDesKeyBytes] = {
    {0x01, 0x01, 0x01, 0x01, 0x01, 0x01, 0x01, 0x01},
    {0xfe, 0xfe, 0xfe, 0xfe, 0xfe, 0xfe, 0xfe, 0xfe},
    {0xe0, 0xe0, 0xe0, 0xe0, 0xf1, 0xf1, 0xf1, 0xf1},
    {0x1f, 0x1f, 0x1f, 0x1f, 0x0e, 0x0e, 0x0e, 0x0e},
    // The semi-weak keys, in pairs.
    {0x01, 0x1f, 0x01, 0x1f, 0x01, 0x0e, 0x01, 0x0e},
    {0x1f, 0x01, 0x1f, 0x01, 0x0e, 0x01, 0x0e, 0x01},
    {0x01, 0xe0, 0x01, 0xe0, 0x01, 0xf1, 0x01, 0xf1},
    {0xe0, 0x01, 0xe0, 0x01, 0xf1, 0x01, 0xf1, 0x01},
    {0x01, 0xfe, 0x01, 0xfe, 0x01, 0xfe, 0x01, 0xfe},
    {0xfe, 0x01, 0xfe, 0x01, 0xfe, 0x01, 0xfe, 0x01},
    {0x1f, 0xe0, 0x1f, 0xe0, 0x0e, 0xf1, 0x0e, 0xf1},
    {0xe0, 0x1f, 0xe0, 0x1f, 0xf1, 0x0e, 0xf1, 0x0e},
    {0x1f, 0xfe, 0x1f, 0xfe, 0x0e, 0xfe, 0x0e, 0xfe},
    {0xfe, 0x1f, 0xfe, 0x1f, 0xfe, 0x0e, 0xfe, 0x0e},
    {0xe0, 0xfe, 0xe0, 0xfe, 0xf1, 0xfe, 0xf1, 0xfe},
    {0xfe, 0xe0, 0xfe, 0xe0, 0xfe, 0xf1, 0xfe, 0xf1},
};

// Whether the keys are equal apart from parity, which is each byte's lowest bit.
bool same_key(const std::uint8_t* a, const std::uint8_t* b) {
  unsigned difference = 0;
  for (std::size_t i = 0; i < kDesKeyBytes; ++i) {
    difference |= static_cast<unsigned>(a[i] ^ b[i]) & 0xfe;
  }
  return difference == 0;
}

void set_odd_parity(std::uint8_t* key) {
  for (std::size_t i = 0; i < kDesKeyBytes; ++i) {
    unsigned bits = key[i] & 0xfeu;
    bits ^= bits >> 4;
    bits ^= bits >> 2;
    bits ^= bits >> 1;
    key[i] = static_cast<std::uint8_t>((key[i] & 0xfeu) | (~bits & 1u));
  }
}

// Whether the key at keys + at is allowed: not weak, and different from the keys before it.
bool is_allowed(const std::uint8_t* keys, std::size_t at) {
  bool allowed = !is_weak_des_key(keys + at);
  for (std::size_t before = 0; before < at; before += kDesKeyBytes) {
    allowed &= !same_key(keys + before, keys + at);
  }
  return allowed;
}

}  // namespace

bool has_des_keys(const CipherSpec& cipher) {
  return std::strcmp(cipher.name, "DES") == 0 || std::strncmp(cipher.name, "DES-EDE", 7) == 0;
}

bool is_weak_des_key(const std::uint8_t* key) {
  bool weak = false;
  for (const auto& one : kWeak) weak |= same_key(key, one);
  return weak;
}

bool make_des_keys(bool (*random)(std::uint8_t* out, std::size_t n), std::uint8_t* out,
                   std::size_t n) {
  Wiped<std::uint8_t[kMostKeys * kDesKeyBytes]> keys;
  int tries = 0;
  for (std::size_t at = 0; at < n;) {
    if (tries++ == kMostTries || !random(keys.value + at, kDesKeyBytes)) return false;
    set_odd_parity(keys.value + at);
    if (is_allowed(keys.value, at)) at += kDesKeyBytes;
  }
  std::memcpy(out, keys.value, n);
  return true;
}

}  // namespace gpuctr
