// Forms that backends use in place of a definition's operation, for every input:
//   S-boxes as affine maps around the inversion of AES's field, as GFNI has them, and around AES's
//   S-box, as AES-NI has it; the same boxes as circuits on bit planes, in key schedules too
//   AES's S-box with a key as functions of three bits, for CUDA
//   products modulo 2^16 + 1 for IDEA, and the inverse
// usage: forms [STEP]: of the products only those with every STEP-th first factor
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "kernels/cipher/aes/cuda_bit_sliced.h"
#include "kernels/cipher/aria/aria.h"
#include "kernels/cipher/bit_sliced.h"
#include "kernels/cipher/camellia/boxes.h"
#include "kernels/cipher/idea/idea.h"
#include "kernels/cipher/interleaved.h"
#include "kernels/cipher/logic.h"
#include "kernels/cipher/seed/seed.h"
#include "kernels/cipher/word.h"
#include "kernels/cpu/simd/products.h"

namespace gpuctr::prove {
namespace {

using Word = std::uint16_t;
constexpr unsigned kAll = 1 << 16;

bool wrong(const char* what, unsigned x, unsigned y, unsigned got, unsigned want) {
  std::printf("%s: of %x and %x it makes %x, and it should be %x\n", what, x, y, got, want);
  return false;
}

// The instructions, from Intel's manual: GF2P8AFFINEQB takes bit i of the result from byte 7 - i of
// the matrix, and AES's inversion modulo x^8 + x^4 + x^3 + x + 1 takes 0 to 0.
unsigned multiplied(unsigned a, unsigned b) {
  unsigned product = 0;
  for (unsigned i = 0; i < 8; ++i) product ^= (b >> i & 1) != 0 ? a << i : 0;
  for (unsigned i = 15; i >= 8; --i) product ^= (product >> i & 1) != 0 ? 0x11bu << (i - 8) : 0;
  return product;
}
unsigned inverted(unsigned x) {
  for (unsigned y = 1; y < 256; ++y) {
    if (multiplied(x, y) == 1) return y;
  }
  return 0;
}
unsigned affine(std::uint64_t matrix, unsigned constant, unsigned x) {
  unsigned y = 0;
  for (unsigned i = 0; i < 8; ++i) {
    const auto row = static_cast<unsigned>(matrix >> (8 * (7 - i)) & 0xff);
    y |= static_cast<unsigned>(__builtin_parity(row & x)) << i;
  }
  return y ^ constant;
}

template <class Box>
bool box(const char* name) {
  BitSlicedByte<std::uint64_t> planes[4] = {};
  for (unsigned x = 0; x < 256; ++x) {
    const unsigned want = Box::at(x);
    const unsigned gfni = affine(Box::kOut.matrix, Box::kOut.constant,
                                 inverted(affine(Box::kIn.matrix, Box::kIn.constant, x)));
    if (gfni != want) return wrong(name, x, 0, gfni, want);
    const auto before = BeforeAes<Box>::kMap, after = AfterAes<Box>::kMap;
    const unsigned inner = affine(before.matrix, before.constant, x);
    const unsigned aes = affine(0xf1e3c78f1f3e7cf8, 0x63, inverted(inner));
    const unsigned by_aes = affine(after.matrix, after.constant, aes);
    if (by_aes != want) return wrong(name, x, 1, by_aes, want);
    for (unsigned i = 0; i < 8; ++i) {
      planes[x / 64].plane[i] |= std::uint64_t{x >> i & 1} << (x % 64);
    }
    // A key schedule's box, at each of its eight places.
    for (unsigned at = 0; at < 64; at += 8) {
      const std::uint64_t other = 0x0123456789abcdef;
      const std::uint64_t in = (other & ~(std::uint64_t{0xff} << at)) | std::uint64_t{x} << at;
      const std::uint64_t out = BitSlicedBoxes::sub_bytes<Box>(in);
      for (unsigned i = 0; i < 64; i += 8) {
        const unsigned expected = Box::at(in >> i & 0xff);
        if ((out >> i & 0xff) != expected) {
          return wrong(name, x, 2 + at, out >> i & 0xff, expected);
        }
      }
    }
  }
  for (auto& of : planes) of = of.template sub<Box>();
  for (unsigned x = 0; x < 256; ++x) {
    unsigned got = 0;
    for (unsigned i = 0; i < 8; ++i) {
      got |= static_cast<unsigned>(planes[x / 64].plane[i] >> (x % 64) & 1) << i;
    }
    if (got != Box::at(x)) return wrong(name, x, 3, got, Box::at(x));
  }
  return true;
}

// A plane of 64 inputs.
struct Plane {
  std::uint64_t v;

  template <unsigned Map>
  static Plane logic3(Plane a, Plane b, Plane c) {
    return {gpuctr::logic3<Map>(a.v, b.v, c.v)};
  }
};

bool keyed_box() {
  for (unsigned key = 0; key < 256; ++key) {
    for (unsigned first = 0; first < 256; first += 64) {
      Plane x[8] = {}, k[8];
      for (unsigned i = 0; i < 8; ++i) {
        k[i].v = (key >> i & 1) != 0 ? ~std::uint64_t{0} : 0;
        for (unsigned j = 0; j < 64; ++j) x[i].v |= std::uint64_t{(first + j) >> i & 1} << j;
      }
      AesBitSliced::add_box(x, k);
      for (unsigned j = 0; j < 64; ++j) {
        unsigned got = 0;
        for (unsigned i = 0; i < 8; ++i) got |= static_cast<unsigned>(x[i].v >> j & 1) << i;
        const unsigned want = AesBox::at(first + j) ^ key;
        if (got != want) return wrong("AES with a key, on CUDA", first + j, key, got, want);
      }
    }
  }
  return true;
}

// x y for all y, by additions: 0 stands for 2^16.
void products(unsigned x, Word* row) {
  const unsigned step = x == 0 ? kAll : x;
  unsigned product = 0;
  for (unsigned y = 1; y <= kAll; ++y) {
    product += step;
    if (product > kAll) product -= kAll + 1;
    row[y % kAll] = static_cast<Word>(product);  // never 0: 2^16 + 1 is a prime
  }
}

bool same(const char* what, unsigned x, const Word* got, const Word* want) {
  if (std::memcmp(got, want, kAll * sizeof(Word)) == 0) return true;
  unsigned y = 0;
  while (got[y] == want[y]) ++y;
  return wrong(what, x, y, got[y], want[y]);
}

template <unsigned N>
bool by_vectors(const char* what, unsigned x, const Word* all, Word* got, const Word* want) {
  using V = simd::Vec<Word, N>;
  const V factor = V{} + static_cast<Word>(x);
  for (unsigned y = 0; y < kAll; y += N / sizeof(Word)) {
    V b;
    std::memcpy(&b, all + y, sizeof b);
    const V made = simd::Products<V>::of(factor, b);
    std::memcpy(got + y, &made, sizeof made);
  }
  return same(what, x, got, want);
}

bool all_products(unsigned every) {
  static Word want[kAll], got[kAll], all[kAll];
  for (unsigned y = 0; y < kAll; ++y) all[y] = static_cast<Word>(y);
  for (unsigned x = 0; x < kAll; ++x) {
    const Word inverse = Idea::inverse(all[x]);
    products(x, want);
    if (want[inverse] != 1) return wrong("IDEA's inverse", x, inverse, want[inverse], 1);
    if (x % every != 0 && x != 1 && x != kAll - 1) continue;
    for (unsigned y = 0; y < kAll; ++y) got[y] = PlainWord<Word>{all[x]}.product({all[y]}).v;
    if (!same("PlainWord", x, got, want)) return false;
    for (unsigned y = 0; y < kAll; y += 4) {
      Interleaved<Word, 4> a, b;
      for (unsigned i = 0; i < 4; ++i) a.v[i] = all[x], b.v[i] = all[y + i];
      a = a.product(b);
      std::memcpy(got + y, a.v, sizeof a.v);
    }
    if (!same("Interleaved", x, got, want)) return false;
    if (!by_vectors<16>("vectors of 16 bytes", x, all, got, want)) return false;
    if (!by_vectors<32>("vectors of 32 bytes", x, all, got, want)) return false;
  }
  return true;
}

}  // namespace
}  // namespace gpuctr::prove

int main(int argc, char** argv) {
  using namespace gpuctr;  // NOLINT
  using prove::box;
  const auto every = argc > 1 ? static_cast<unsigned>(std::atoi(argv[1])) : 1u;
  const bool good = box<AesBox>("AES") && box<AesInverseBox>("AES's inverse") &&
                    box<AriaBox2>("ARIA's S2") && box<AriaInverseBox2>("ARIA's S2, inverse") &&
                    box<CamelliaBox1>("Camellia 1") && box<CamelliaBox2>("Camellia 2") &&
                    box<CamelliaBox3>("Camellia 3") && box<CamelliaBox4>("Camellia 4") &&
                    box<SeedBox1>("SEED 1") && box<SeedBox2>("SEED 2") && prove::keyed_box() &&
                    every != 0 && prove::all_products(every);
  if (good)
    std::printf(
        "10 S-boxes in 4 forms and one with a key, 4 forms of a product: as their definitions\n");
  return good ? 0 : 1;
}
