// Random keys of DES and Triple DES: EVP_CIPHER_CTX_rand_key() gets its key from the cipher,
// because each key byte has a parity bit and some keys are weak.
#ifndef GPUCTR_PROVIDER_MODE_BASE_DES_KEY_H
#define GPUCTR_PROVIDER_MODE_BASE_DES_KEY_H

#include <cstddef>
#include <cstdint>

namespace gpuctr {

struct CipherSpec;

constexpr std::size_t kDesKeyBytes = 8;

// Whether the cipher is DES, DES-EDE3 or DES-EDE.
bool has_des_keys(const CipherSpec& cipher);

// Whether the key is one of the 4 weak or 12 semi-weak keys (SP 800-67 3.3.2). Parity bits are
// ignored. The running time does not depend on the key.
bool is_weak_des_key(const std::uint8_t* key);

// Writes n random bytes, a whole number of DES keys. Each byte has odd parity, no key is weak or
// semi-weak, and no two keys are equal. `random` fills a buffer, as system_random() does. False:
// `random` failed or returned only keys that are not allowed, and nothing is written.
bool make_des_keys(bool (*random)(std::uint8_t* out, std::size_t n), std::uint8_t* out,
                   std::size_t n);

}  // namespace gpuctr

#endif
