// Random keys of DES and Triple DES: EVP_CIPHER_CTX_rand_key() asks the cipher for them, because
// each byte has a parity bit and some keys are weak.
#ifndef GPUCTR_PROVIDER_MODE_BASE_DES_KEY_H
#define GPUCTR_PROVIDER_MODE_BASE_DES_KEY_H

#include <cstddef>
#include <cstdint>

namespace gpuctr {

struct CipherSpec;

constexpr std::size_t kDesKeyBytes = 8;

// DES and DES-EDE3.
bool has_des_keys(const CipherSpec& cipher);

// One of the 4 weak and 12 semi-weak keys (SP 800-67 3.3.2), whatever its parity bits. Time does
// not depend on the key.
bool is_weak_des_key(const std::uint8_t* key);

// n bytes, a whole number of DES keys: each byte has odd parity, no key is weak or semi-weak, and
// no two are equal. `random` fills a buffer, as system_random(). False: it failed, or gave only
// keys that are not allowed; nothing is written.
bool make_des_keys(bool (*random)(std::uint8_t* out, std::size_t n), std::uint8_t* out,
                   std::size_t n);

}  // namespace gpuctr

#endif
