#include "provider/mode/wrap/key_wrap.h"

#include <cstring>

#include "kernels/base/counter.h"
#include "kernels/base/wipe.h"

namespace gpuctr {
namespace {

constexpr unsigned kTurns = 6;

// Two semiblocks as one vector: one store of 16 bytes, because a CPU stalls when a load covers more
// bytes than the store before it.
using Pair = std::uint64_t __attribute__((vector_size(16)));

std::uint64_t load(const std::uint8_t* p) {
  std::uint64_t x;
  std::memcpy(&x, p, sizeof x);
  return x;
}
void store(std::uint8_t* p, std::uint64_t x) { std::memcpy(p, &x, sizeof x); }

}  // namespace

void wrap_semiblocks(const WrapCipher& cipher, const std::uint8_t (&a)[kSemiblock],
                     std::uint8_t* text, std::size_t n) {
  Wiped<Pair> block;
  auto* const bytes = reinterpret_cast<std::uint8_t*>(&block.value);
  block.value = Pair{load(a), 0};
  if (n == kSemiblock) {
    block.value = Pair{load(a), load(text + kSemiblock)};
    cipher.crypt(cipher.keys, bytes, text, 1);
    return;
  }
  std::uint64_t step = 0;
  for (unsigned turn = 0; turn < kTurns; ++turn) {
    for (std::size_t at = kSemiblock; at <= n; at += kSemiblock) {
      block.value = Pair{block.value[0], load(text + at)};
      cipher.crypt(cipher.keys, bytes, bytes, 1);
      store(text + at, block.value[1]);
      block.value[0] ^= big_endian64(++step);
    }
  }
  store(text, block.value[0]);
}

void unwrap_semiblocks(const WrapCipher& cipher, std::uint8_t (&a)[kSemiblock], std::uint8_t* text,
                       std::size_t n) {
  Wiped<Pair> block;
  auto* const bytes = reinterpret_cast<std::uint8_t*>(&block.value);
  if (n == kSemiblock) {
    block.value = Pair{load(a), load(text)};
    cipher.crypt(cipher.keys, bytes, bytes, 1);
    store(text, block.value[1]);
    store(a, block.value[0]);
    return;
  }
  block.value = Pair{load(a), 0};
  std::uint64_t step = kTurns * (n / kSemiblock);
  for (unsigned turn = 0; turn < kTurns; ++turn) {
    for (std::size_t at = n; at != 0; at -= kSemiblock) {
      std::uint8_t* const semiblock = text + at - kSemiblock;
      block.value = Pair{block.value[0] ^ big_endian64(step--), load(semiblock)};
      cipher.crypt(cipher.keys, bytes, bytes, 1);
      store(semiblock, block.value[1]);
    }
  }
  store(a, block.value[0]);
}

bool is_wrap_icv(const std::uint8_t (&a)[kSemiblock], const std::uint8_t* icv) {
  return (load(a) ^ load(icv)) == 0;
}

bool is_padded_icv(const std::uint8_t (&a)[kSemiblock], const std::uint8_t* icv,
                   const std::uint8_t* text, std::size_t n, std::size_t* text_bytes) {
  const std::uint64_t value = big_endian64(load(a));
  std::uint32_t prefix;
  std::memcpy(&prefix, icv, sizeof prefix);
  std::uint64_t bad = (value >> 32) ^ (big_endian64(prefix) >> 32);
  // The padding has 0 to 7 bytes.
  const std::uint64_t pad = n - (value & UINT32_MAX);
  bad |= pad & ~std::uint64_t{7};
  // Its bits, of the last semiblock as a big-endian number.
  const std::uint64_t mask = (std::uint64_t{1} << 8 * (pad & 7)) - 1;
  bad |= big_endian64(load(text + n - kSemiblock)) & mask;
  *text_bytes = n - (pad & 7);
  return bad == 0;
}

}  // namespace gpuctr
