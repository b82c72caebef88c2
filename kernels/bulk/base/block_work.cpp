#include "kernels/bulk/base/work.h"

#include <algorithm>
#include <cstring>

#include "kernels/base/counter.h"
#include "kernels/base/wipe.h"
#include "kernels/cipher/word.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace gpuctr::bulk {
namespace {

// CBC decryption works on pieces of this size: the XOR finds the blocks in the nearest cache, and
// the cost of a backend call is small compared with a piece.
constexpr std::size_t kChainPiece = 8192;
static_assert(kChainPiece % kMaxBlockBytes == 0);

// out = a ^ b, Width bytes.
template <std::size_t Width>
GPUCTR_INLINE void xor_part(const std::uint8_t* a, const std::uint8_t* b, std::uint8_t* out) {
  typedef std::uint64_t Words __attribute__((vector_size(Width)));
  Words x, y;
  std::memcpy(&x, a, sizeof x);
  std::memcpy(&y, b, sizeof y);
  x ^= y;
  std::memcpy(out, &x, sizeof x);
}

// out = a ^ b, n bytes, n a multiple of 8. The loop runs from the end to the beginning: `out` may
// lie behind `b` in the same buffer.
template <std::size_t Width>
GPUCTR_INLINE void xor_parts(const std::uint8_t* a, const std::uint8_t* b, std::uint8_t* out,
                             std::size_t n) {
  for (; n >= Width; n -= Width) xor_part<Width>(a + n - Width, b + n - Width, out + n - Width);
  if constexpr (Width > 8) xor_parts<Width / 2>(a, b, out, n);
}

// A single block is handled in parts of at most this size: the build may have no cipher with a
// block of 16 bytes.
constexpr std::size_t kBlockPart = std::min<std::size_t>(16, kMaxBlockBytes);

// A store of 32 bytes takes as long as a store of 16; on a Zen 4 a store of 64 bytes takes twice as
// long. Four stores at a time: AES of 16 KiB makes 15.7 GB/s with four, 14.3 with one.
#if defined(__x86_64__)
__attribute__((target("avx2"))) void xor_wide(const std::uint8_t* a, const std::uint8_t* b,
                                              std::uint8_t* out, std::size_t n) {
  for (; n >= 128; n -= 128) {
    __m256i v[4];
    GPUCTR_UNROLL
    for (std::size_t i = 0; i < 4; ++i) {
      const std::size_t at = n - 32 - 32 * i;
      v[i] = _mm256_xor_si256(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(a + at)),
                              _mm256_loadu_si256(reinterpret_cast<const __m256i*>(b + at)));
    }
    GPUCTR_UNROLL
    for (std::size_t i = 0; i < 4; ++i) {
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + n - 32 - 32 * i), v[i]);
    }
  }
  for (; n >= 32; n -= 32) {
    const __m256i x = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(a + n - 32));
    const __m256i y = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(b + n - 32));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + n - 32), _mm256_xor_si256(x, y));
  }
}
#endif

void xor_back(const std::uint8_t* a, const std::uint8_t* b, std::uint8_t* out, std::size_t n) {
#if defined(__x86_64__)
  constexpr std::size_t kWide = 256;
  if (n >= kWide && __builtin_cpu_supports("avx2")) {
    const std::size_t rest = n % 32;
    xor_wide(a + rest, b + rest, out + rest, n - rest);
    n = rest;
  }
#endif
  xor_parts<16>(a, b, out, n);
}

// CBC or CFB decryption in one pass, if the backend has such a function.
void chain_at_once(const BlockWork& work) {
  const std::size_t block = work.cipher.block_bytes;
  std::uint8_t before[kMaxBlockBytes];
  copy_chain(before, work.before, block);
  (work.is_cfb() ? work.cpu.cfb_decrypt : work.cpu.cbc_decrypt)(work.keys, before, work.in,
                                                                work.out, work.bytes / block);
}

// Work of at most this many bytes takes a path without the set-up that large pieces need.
constexpr std::size_t kFew = 256;
void chain_few(const BlockWork& work) {
  const std::size_t block = work.cipher.block_bytes, n = work.bytes;
  alignas(64) std::uint8_t decrypted[kFew];
  work.cpu.decrypt(work.keys, work.in, decrypted, n / block);
  xor_parts<16>(decrypted + block, work.in, work.out + block, n - block);
  xor_parts<kBlockPart>(decrypted, work.before, work.out, block);
  for (std::size_t at = 0; at != n; at += 8) {  // for so few bytes a loop, not memset
    std::memset(decrypted + at, 0, 8);
    __asm__ __volatile__("" : : "r"(decrypted) : "memory");
  }
}

// `made` holds the blocks after the block cipher, before CBC's XOR. If `made` is nullptr, chain()
// decrypts the blocks itself. The XOR goes from the end of a piece to its beginning: in place, each
// ciphertext block is still there when it is needed.
void chain(const BlockWork& work, const std::uint8_t* made) {
  const std::size_t block = work.cipher.block_bytes;
  std::uint8_t before[kMaxBlockBytes], last[kMaxBlockBytes];
  alignas(64) std::uint8_t decrypted[kChainPiece];
  copy_chain(before, work.before, block);
  for (std::size_t at = 0; at < work.bytes; at += kChainPiece) {
    const std::size_t n = std::min(kChainPiece, work.bytes - at);
    const std::uint8_t* const in = work.in + at;
    std::uint8_t* const out = work.out + at;
    copy_chain(last, in + n - block, block);
    if (made == nullptr) work.cpu.decrypt(work.keys, in, decrypted, n / block);
    const std::uint8_t* const from = made == nullptr ? decrypted : made + at;
    xor_back(from + block, in, out + block, n - block);
    xor_parts<kBlockPart>(from, before, out, block);
    copy_chain(before, last, block);
  }
  if (made == nullptr) wipe(decrypted, std::min(kChainPiece, work.bytes));
}

// CFB decryption: out[i] = in[i] ^ E(in[i - 1]). From the end to the beginning: in place, the
// ciphertext that a piece encrypts is still there. The first bytes are encrypted from a copy,
// because the block before them lies elsewhere.
void decrypt_cfb(const BlockWork& work) {
  const std::size_t block = work.cipher.block_bytes;
  const std::size_t first = std::min(kFew, work.bytes);
  alignas(64) std::uint8_t made[kChainPiece];
  for (std::size_t end = work.bytes; end != first;) {
    const std::size_t n = std::min(kChainPiece, end - first), at = end - n;
    work.cpu.encrypt(work.keys, work.in + at - block, made, n / block);
    xor_back(made, work.in + at, work.out + at, n);
    end = at;
  }
  copy_chain(made, work.before, block);
  std::memcpy(made + block, work.in, first - block);
  work.cpu.encrypt(work.keys, made, made, first / block);
  xor_back(made, work.in, work.out, first);
  wipe(made, std::min(kChainPiece, work.bytes));
}

}  // namespace

void run_blocks(const BlockWork& work) {
  const std::size_t count = work.bytes / work.cipher.block_bytes;
  if (work.is_cfb() && work.cpu.cfb_decrypt != nullptr) {
    chain_at_once(work);
  } else if (work.is_cfb()) {
    if (work.bytes != 0) decrypt_cfb(work);
  } else if (work.chained()) {
    if (work.cpu.cbc_decrypt != nullptr) {
      chain_at_once(work);
    } else if (work.bytes != 0 && work.bytes <= kFew) {
      chain_few(work);
    } else {
      chain(work, nullptr);
    }
  } else if (work.verb == BlockOperation::kDecrypt) {
    work.cpu.decrypt(work.keys, work.in, work.out, count);
  } else {
    work.cpu.encrypt(work.keys, work.in, work.out, count);
  }
}

void finish_blocks(const BlockWork& work, const std::uint8_t* made) {
  if (work.is_cfb()) {
    xor_back(made, work.in, work.out, work.bytes);
  } else if (work.chained()) {
    chain(work, made);
  } else {
    std::memcpy(work.out, made, work.bytes);
  }
}

}  // namespace gpuctr::bulk
