#include "provider/mode/wrap/sha1.h"

#include <cstring>

#include "kernels/base/counter.h"
#include "kernels/base/wipe.h"

namespace gpuctr {
namespace {

constexpr std::size_t kBlock = 64;
constexpr std::size_t kLength = 8;  // of the message's length, at the end of the last block
constexpr unsigned kStateWords = 5;
constexpr std::size_t kCompressFrame = 512;  // bytes of stack of compress(): 376 with Clang 14

std::uint32_t rotl(std::uint32_t x, unsigned n) { return x << n | x >> (32 - n); }

std::uint32_t load(const std::uint8_t* p) {
  return std::uint32_t{p[0]} << 24 | std::uint32_t{p[1]} << 16 | std::uint32_t{p[2]} << 8 | p[3];
}

// f and K of 4.1.1 and 4.2.1.
std::uint32_t round_function(unsigned t, std::uint32_t x, std::uint32_t y, std::uint32_t z) {
  if (t < 20) return ((x & y) ^ (~x & z)) + 0x5a827999;
  if (t < 40) return (x ^ y ^ z) + 0x6ed9eba1;
  if (t < 60) return ((x & y) ^ (x & z) ^ (y & z)) + 0x8f1bbcdc;
  return (x ^ y ^ z) + 0xca62c1d6;
}

// 6.1.2, for one block.
__attribute__((noinline)) void compress(std::uint32_t (&state)[kStateWords],
                                        const std::uint8_t* block) {
  Wiped<std::uint32_t[80]> w;
  for (unsigned t = 0; t < 16; ++t) w.value[t] = load(block + 4 * t);
  for (unsigned t = 16; t < 80; ++t) {
    w.value[t] = rotl(w.value[t - 3] ^ w.value[t - 8] ^ w.value[t - 14] ^ w.value[t - 16], 1);
  }
  std::uint32_t a = state[0], b = state[1], c = state[2], d = state[3], e = state[4];
  for (unsigned t = 0; t < 80; ++t) {
    const std::uint32_t next = rotl(a, 5) + round_function(t, b, c, d) + e + w.value[t];
    e = d;
    d = c;
    c = rotl(b, 30);
    b = a;
    a = next;
  }
  state[0] += a;
  state[1] += b;
  state[2] += c;
  state[3] += d;
  state[4] += e;
}

}  // namespace

void sha1(const std::uint8_t* data, std::size_t n, std::uint8_t (&hash)[kSha1Bytes]) {
  // 5.3.1.
  Wiped<std::uint32_t[kStateWords]> state;
  constexpr std::uint32_t kFirst[kStateWords] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476,
                                                 0xc3d2e1f0};
  std::memcpy(state.value, kFirst, sizeof kFirst);
  const std::size_t rest = n % kBlock;
  for (const std::uint8_t* at = data; at != data + (n - rest); at += kBlock) {
    compress(state.value, at);
  }
  // The padding of 5.1.1, in one block or two.
  Wiped<std::uint8_t[2 * kBlock]> last;
  const std::size_t end = rest + 1 + kLength <= kBlock ? kBlock : 2 * kBlock;
  std::memset(last.value, 0, sizeof last.value);
  if (rest != 0) std::memcpy(last.value, data + (n - rest), rest);
  last.value[rest] = 0x80;
  const std::uint64_t bits = big_endian64(std::uint64_t{8} * n);
  std::memcpy(last.value + end - kLength, &bits, sizeof bits);
  for (std::size_t at = 0; at != end; at += kBlock) compress(state.value, last.value + at);
  wipe_stack<kCompressFrame>();
  for (unsigned i = 0; i < kSha1Bytes; ++i) {
    hash[i] = static_cast<std::uint8_t>(state.value[i / 4] >> (24 - 8 * (i % 4)));
  }
}

}  // namespace gpuctr
