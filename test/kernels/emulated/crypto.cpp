// Models of instructions from Intel's manual, volume 2, under each instruction's name.
#include "test/kernels/emulated/crypto.h"

namespace gpuctr::emulated {
namespace {

using Byte = std::uint8_t;
using Qword = std::uint64_t;

// Modulo x^8 + x^4 + x^3 + x + 1.
constexpr Byte product(unsigned a, unsigned b) {
  unsigned sum = 0;
  for (unsigned i = 0; i < 8; ++i) {
    if ((b >> i & 1) != 0) sum ^= a << i;
  }
  for (unsigned i = 15; i-- > 8;) {
    if ((sum >> i & 1) != 0) sum ^= 0x11bu << (i - 8);
  }
  return static_cast<Byte>(sum);
}

struct Tables {
  Byte inverse[256] = {}, box[256] = {}, inverse_box[256] = {};
  Byte times[16][256] = {};
  constexpr Tables() {
    for (unsigned x = 0; x < 256; ++x) {
      for (unsigned factor = 0; factor < 16; ++factor) times[factor][x] = product(factor, x);
      Byte power = 1;  // x^254
      for (unsigned i = 0; i < 7; ++i) power = product(product(power, power), x);
      inverse[x] = product(power, power);
      const unsigned twice = inverse[x] * 0x101u;  // FIPS 197 5.1.1
      box[x] = static_cast<Byte>(twice ^ twice >> 4 ^ twice >> 5 ^ twice >> 6 ^ twice >> 7 ^ 0x63);
      inverse_box[box[x]] = static_cast<Byte>(x);
    }
  }
};
constexpr Tables kTables;

// FIPS 197: byte r + 4 c of the block is row r, column c of the state.
void shift_rows_and_substitute(Byte* x, bool inverts) {
  Byte from[16];
  std::memcpy(from, x, 16);
  for (unsigned i = 0; i < 16; ++i) {
    const unsigned row = i % 4, column = i / 4 + (inverts ? 4 - row : row);
    x[i] = (inverts ? kTables.inverse_box : kTables.box)[from[row + 4 * (column % 4)]];
  }
}
void mix_columns(Byte* x, bool inverts) {
  constexpr Byte kMix[4] = {2, 3, 1, 1}, kInverse[4] = {14, 11, 13, 9};
  for (unsigned column = 0; column < 16; column += 4) {
    Byte from[4];
    std::memcpy(from, x + column, 4);
    for (unsigned i = 0; i < 4; ++i) {
      Byte sum = 0;
      for (unsigned k = 0; k < 4; ++k) {
        sum ^= kTables.times[(inverts ? kInverse : kMix)[(k + 4 - i) % 4]][from[k]];
      }
      x[column + i] = sum;
    }
  }
}

void take_columns(const Byte* matrix, Byte (&column)[8]) {
  std::memset(column, 0, 8);
  for (unsigned i = 0; i < 8; ++i) {
    const unsigned row = matrix[7 - i];
    for (unsigned k = 0; k < 8; ++k) column[k] |= static_cast<Byte>((row >> k & 1) << i);
  }
}

}  // namespace

// AESENC, AESENCLAST, AESDEC, AESDECLAST.
void run_aes_rounds(Byte* x, const Byte* keys, unsigned bytes, bool inverts, bool mixes) {
  for (unsigned lane = 0; lane < bytes; lane += 16) {
    shift_rows_and_substitute(x + lane, inverts);
    if (mixes) mix_columns(x + lane, inverts);
    for (unsigned i = lane; i < lane + 16; ++i) x[i] ^= keys[i];
  }
}
void aes_mix_inversely(Byte* x) { mix_columns(x, true); }

// GF2P8AFFINEQB and GF2P8AFFINEINVQB: bit i of a byte is the parity of the byte and byte 7 - i of
// its qword's matrix. Here columns of the matrix are added.
void run_affine(Byte* x, const Byte* matrices, unsigned bytes, unsigned constant, bool of_inverse) {
  Byte column[8];
  for (unsigned qword = 0; qword < bytes; qword += 8) {
    if (qword == 0 || std::memcmp(matrices + qword, matrices + qword - 8, 8) != 0) {
      take_columns(matrices + qword, column);
    }
    for (unsigned at = qword; at < qword + 8; ++at) {
      const Byte byte = of_inverse ? kTables.inverse[x[at]] : x[at];
      unsigned sum = constant;
      for (unsigned k = 0; k < 8; ++k) sum ^= (byte >> k & 1) * column[k];
      x[at] = static_cast<Byte>(sum);
    }
  }
}

// PCLMULQDQ: bits 0 and 4 of `halves` choose the qwords of x and of y.
void run_carryless(Byte* x, const Byte* y, unsigned bytes, unsigned halves) {
  for (unsigned lane = 0; lane < bytes; lane += 16) {
    Qword a, b, product[2] = {};
    std::memcpy(&a, x + lane + 8 * (halves & 1), 8);
    std::memcpy(&b, y + lane + 8 * (halves >> 4 & 1), 8);
    for (unsigned i = 0; i < 64; ++i) {
      const Qword all = 0 - (b >> i & 1);
      product[0] ^= a << i & all;
      product[1] ^= a >> 1 >> (63 - i) & all;
    }
    std::memcpy(x + lane, product, 16);
  }
}

}  // namespace gpuctr::emulated
