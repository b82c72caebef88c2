// HIGHT and revised CHAM as their papers write them, one block at a time: what the assembly is
// compared with. Bytes as in the published vectors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace gpuctr::avr {

using Bytes = std::vector<std::uint8_t>;

inline std::uint32_t rotl(std::uint32_t x, unsigned bits, unsigned width) {
  const std::uint32_t mask = width == 32 ? 0xffffffffu : (1u << width) - 1;
  return ((x << bits) | (x >> (width - bits))) & mask;
}

// HIGHT, TTAS.KO-12.0040/R1, byte 0 first.
inline Bytes model_hight(const Bytes& key, Bytes x) {
  const auto f0 = [](unsigned v) { return rotl(v, 1, 8) ^ rotl(v, 2, 8) ^ rotl(v, 7, 8); };
  const auto f1 = [](unsigned v) { return rotl(v, 3, 8) ^ rotl(v, 4, 8) ^ rotl(v, 6, 8); };
  std::vector<unsigned> bits = {0, 1, 0, 1, 1, 0, 1};  // s[0..6]
  while (bits.size() < 128 + 6) {
    const std::size_t n = bits.size();
    bits.push_back(bits[n - 4] ^ bits[n - 7]);
  }
  unsigned sk[128];
  for (unsigned i = 0; i < 8; ++i) {
    for (unsigned j = 0; j < 16; ++j) {
      unsigned delta = 0;
      for (unsigned b = 0; b < 7; ++b) delta |= bits[16 * i + j + b] << b;
      sk[16 * i + j] = (key[((j + 8 - i) % 8) + (j & 8)] + delta) & 0xff;
    }
  }
  const auto whiten = [&](const std::uint8_t* wk) {
    x[0] = static_cast<std::uint8_t>(x[0] + wk[0]);
    x[2] ^= wk[1];
    x[4] = static_cast<std::uint8_t>(x[4] + wk[2]);
    x[6] ^= wk[3];
  };
  whiten(&key[12]);
  for (unsigned r = 0; r < 32; ++r) {
    const unsigned* k = sk + 4 * r;
    const Bytes o = x;
    x = {static_cast<std::uint8_t>(o[7] ^ (f0(o[6]) + k[3])), o[0],
         static_cast<std::uint8_t>(o[1] + (f1(o[0]) ^ k[0])), o[2],
         static_cast<std::uint8_t>(o[3] ^ (f0(o[2]) + k[1])), o[4],
         static_cast<std::uint8_t>(o[5] + (f1(o[4]) ^ k[2])), o[6]};
  }
  x = {x[1], x[2], x[3], x[4], x[5], x[6], x[7], x[0]};
  whiten(&key[0]);
  return x;
}

// Revised CHAM with words of `width` bits.
inline Bytes model_cham(const Bytes& key, const Bytes& block, unsigned width, unsigned rounds) {
  const std::size_t size = width / 8;
  const auto load = [size](const std::uint8_t* p) {
    std::uint32_t v = 0;
    for (std::size_t i = size; i-- != 0;) v = v << 8 | p[i];
    return v;
  };
  const std::uint32_t mask = 0xffffffffu >> (32 - width);
  const std::size_t words = key.size() / size;
  std::vector<std::uint32_t> rk(2 * words);
  for (std::size_t i = 0; i < words; ++i) {
    const std::uint32_t k = load(&key[size * i]);
    rk[i] = k ^ rotl(k, 1, width) ^ rotl(k, 8, width);
    rk[(i + words) ^ 1] = k ^ rotl(k, 1, width) ^ rotl(k, 11, width);
  }
  std::uint32_t x[4];
  for (std::size_t i = 0; i < 4; ++i) x[i] = load(&block[size * i]);
  for (std::uint32_t i = 0; i < rounds; ++i) {
    const unsigned inner = i % 2 == 0 ? 1 : 8, outer = i % 2 == 0 ? 8 : 1;
    const std::uint32_t sum = (x[0] ^ i) + (rotl(x[1], inner, width) ^ rk[i % rk.size()]);
    const std::uint32_t last = rotl(sum & mask, outer, width);
    x[0] = x[1];
    x[1] = x[2];
    x[2] = x[3];
    x[3] = last;
  }
  Bytes out;
  for (const std::uint32_t v : x)
    for (std::size_t b = 0; b < size; ++b) out.push_back(static_cast<std::uint8_t>(v >> (8 * b)));
  return out;
}

}  // namespace gpuctr::avr
