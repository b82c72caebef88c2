#include "kernels/cpu/xex.h"

#include <algorithm>
#include <cstring>

#include "kernels/base/wipe.h"
#include "kernels/cipher/word.h"
#include "kernels/cpu/simd/vec.h"
#if defined(GPUCTR_X86)
#include "kernels/cpu/x86/wipe.h"
#elif defined(GPUCTR_NEON)
#include "kernels/cpu/arm/wipe.h"
#endif

namespace gpuctr {
namespace {

// The registers of the XORs below. A backend wipes its own; the C library's memcpy would use more.
GPUCTR_INLINE void wipe_registers() {
#if defined(GPUCTR_X86) || defined(GPUCTR_NEON)
  simd::wipe_vector_registers();
#endif
}

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

// A store of 32 bytes takes as long as a store of 16; on a Zen 4 a store of 64 bytes takes twice as
// long. Four stores at a time: AES of 16 KiB makes 15.7 GB/s with four, 14.3 with one.
#if defined(__x86_64__)
__attribute__((target("avx2"))) void xor_wide(const std::uint8_t* a, const std::uint8_t* b,
                                              std::uint8_t* out, std::size_t n) {
  typedef std::uint64_t Words __attribute__((vector_size(32)));
  for (; n >= 128; n -= 128) {
    Words v[4];
    GPUCTR_UNROLL
    for (std::size_t i = 0; i < 4; ++i) {
      Words x, y;
      std::memcpy(&x, a + n - 32 - 32 * i, sizeof x);
      std::memcpy(&y, b + n - 32 - 32 * i, sizeof y);
      v[i] = x ^ y;
    }
    GPUCTR_UNROLL
    for (std::size_t i = 0; i < 4; ++i) std::memcpy(out + n - 32 - 32 * i, &v[i], sizeof v[i]);
  }
  for (; n >= 32; n -= 32) xor_part<32>(a + n - 32, b + n - 32, out + n - 32);
}
#endif

}  // namespace

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

namespace {

struct Chained {
  const CipherOps& cpu;
  std::size_t block;
  const RoundKeys& keys;
  std::uint8_t* chain;
};

// A short text is made in one piece, without the set-up that long ones need. A piece finds its text
// in the nearest cache, and a call of a backend costs little compared with a piece.
constexpr std::size_t kShort = 1024, kPiece = 8192;
static_assert(kShort % kMaxBlockBytes == 0 && kPiece % kMaxBlockBytes == 0);

// A piece, after the block `before`, by `encrypt` or `decrypt` into `made` and a XOR.
template <bool kCfb>
GPUCTR_INLINE void piece(const Chained& c, const std::uint8_t* before, const std::uint8_t* in,
                         std::uint8_t* out, std::size_t blocks, std::uint8_t* made) {
  const std::size_t block = c.block, n = block * blocks;
  if constexpr (kCfb) {
    copy_chain(made, before, block);
    simd::copy_bytes(made + block, in, n - block);
    c.cpu.encrypt(c.keys, made, made, blocks);
    xor_back(made, in, out, n);
  } else {
    c.cpu.decrypt(c.keys, in, made, blocks);
    xor_back(made + block, in, out + block, n - block);
    xor_back(made, before, out, block);
  }
}

template <bool kCfb>
__attribute__((noinline)) void short_text(const Chained& c, const std::uint8_t* in,
                                          std::uint8_t* out, std::size_t blocks) {
  alignas(64) std::uint8_t made[kShort];
  piece<kCfb>(c, c.chain, in, out, blocks, made);
  const std::size_t n = c.block * blocks;
  if (n > 256) return wipe(made, n);
  for (std::size_t at = 0; at != n; at += 8) {  // for so few bytes a loop, not memset
    std::memset(made + at, 0, 8);
    __asm__ __volatile__("" : : "r"(made) : "memory");
  }
}

// The n bytes at `at` of a text, from the end to the beginning.
template <bool kCfb>
__attribute__((noinline)) void pieces(const Chained& c, const std::uint8_t* in, std::uint8_t* out,
                                      std::size_t at, std::size_t n) {
  alignas(64) std::uint8_t made[kPiece];
  for (std::size_t end = at + n; end != at;) {
    const std::size_t size = std::min(kPiece, end - at), from = end - size;
    piece<kCfb>(c, from != 0 ? in + from - c.block : c.chain, in + from, out + from, size / c.block,
                made);
    end = from;
  }
  wipe(made, std::min(kPiece, n));
}

template <bool kCfb>
void long_text(const Chained& c, const std::uint8_t* in, std::uint8_t* out, std::size_t n) {
  const std::size_t block = c.block, batch = c.cpu.xex_batch[kCfb];
  const std::size_t left = batch != 0 ? n % batch : n, whole = n - left;
  if (left != 0) pieces<kCfb>(c, in, out, whole, left);
  if (whole == 0) return;
  // The beginning of the text one block back.
  alignas(64) Wiped<std::uint8_t[64]> head;
  copy_chain(head.value, c.chain, block);
  simd::copy_bytes(head.value + block, in, std::min(sizeof head.value, whole) - block);
  c.cpu.xex(c.keys, kCfb, nullptr, head.value, in, out, whole);
}

// The end comes first: in place, the ciphertext before it is still there.
template <bool kCfb>
void decrypt(const Chained& c, const std::uint8_t* in, std::uint8_t* out, std::size_t blocks) {
  if (blocks == 0) return;
  const std::size_t n = c.block * blocks, batch = c.cpu.xex_batch[kCfb];
  Wiped<std::uint8_t[kMaxBlockBytes]> last;
  copy_chain(last.value, in + n - c.block, c.block);
  if (n <= kShort && (batch == 0 || n < batch)) {
    short_text<kCfb>(c, in, out, blocks);
  } else {
    long_text<kCfb>(c, in, out, n);
  }
  copy_chain(c.chain, last.value, c.block);
  wipe_registers();
}

}  // namespace

void decrypt_cbc(const CipherOps& cpu, std::size_t block, const RoundKeys& keys,
                 std::uint8_t* chain, const std::uint8_t* in, std::uint8_t* out,
                 std::size_t blocks) {
  if (cpu.cbc_decrypt != nullptr) return cpu.cbc_decrypt(keys, chain, in, out, blocks);
  decrypt<false>({cpu, block, keys, chain}, in, out, blocks);
}

void decrypt_cfb(const CipherOps& cpu, std::size_t block, const RoundKeys& keys,
                 std::uint8_t* chain, const std::uint8_t* in, std::uint8_t* out,
                 std::size_t blocks) {
  if (cpu.cfb_decrypt != nullptr) return cpu.cfb_decrypt(keys, chain, in, out, blocks);
  decrypt<true>({cpu, block, keys, chain}, in, out, blocks);
}

void crypt_masked(const CipherOps& cpu, const RoundKeys& keys, bool encrypts,
                  const std::uint8_t* masks, const std::uint8_t* in, std::uint8_t* out,
                  std::size_t blocks) {
  const std::size_t n = 16 * blocks, batch = cpu.xex_batch[encrypts];
  const std::size_t left = batch != 0 ? n % batch : n, whole = n - left;
  if (whole != 0) cpu.xex(keys, encrypts, masks, nullptr, in, out, whole);
  if (left == 0) return;
  xor_back(in + whole, masks + whole, out + whole, left);
  (encrypts ? cpu.encrypt : cpu.decrypt)(keys, out + whole, out + whole, left / 16);
  xor_back(out + whole, masks + whole, out + whole, left);
  wipe_registers();
}

}  // namespace gpuctr
