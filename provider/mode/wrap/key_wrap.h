// Key wrapping over a block cipher with a 128-bit block: KW and KWP of SP 800-38F, which for AES
// are RFC 3394 and RFC 5649.
#ifndef GPUCTR_PROVIDER_MODE_WRAP_KEY_WRAP_H
#define GPUCTR_PROVIDER_MODE_WRAP_KEY_WRAP_H

#include <cstddef>
#include <cstdint>

#include "kernels/cipher/registry.h"
#include "kernels/cpu/base/cipher_ops.h"

namespace gpuctr {

constexpr std::size_t kSemiblock = 8;  // bytes
// The most bytes of text: OpenSSL's CRYPTO128_WRAP_MAX.
constexpr std::size_t kMostWrapBytes = std::size_t{1} << 31;

// The block function of one direction, with its key.
struct WrapCipher {
  decltype(CipherOps::encrypt) crypt;
  const RoundKeys& keys;
};

// W of SP 800-38F 6.1. In: `a` is the first semiblock, and the other n bytes, a whole number of
// semiblocks, are at text + 8. Out: n + 8 bytes at `text`. With one semiblock, one call of the
// block function (RFC 5649 4.1).
void wrap_semiblocks(const WrapCipher& cipher, const std::uint8_t (&a)[kSemiblock],
                     std::uint8_t* text, std::size_t n);

// The inverse. In: `a` is the first semiblock, and the other n bytes are at `text`. Out: the first
// semiblock in `a`, the others at `text`.
void unwrap_semiblocks(const WrapCipher& cipher, std::uint8_t (&a)[kSemiblock], std::uint8_t* text,
                       std::size_t n);

// Whether a == icv. The running time does not depend on either.
bool is_wrap_icv(const std::uint8_t (&a)[kSemiblock], const std::uint8_t* icv);

// Whether `a` is RFC 5649's alternative initial value for the n bytes at `text`, with the prefix
// `icv` of 4 bytes, and the padding is zeros. Then *text_bytes is the length without padding. The
// running time depends on n only.
bool is_padded_icv(const std::uint8_t (&a)[kSemiblock], const std::uint8_t* icv,
                   const std::uint8_t* text, std::size_t n, std::size_t* text_bytes);

}  // namespace gpuctr

#endif
