// What is proved, as C functions: of each cipher NAME
//   NAME_expand(key, round keys)     the key schedule; a size of the key first where sizes vary
//   NAME_encrypt(round keys, in, out), NAME_decrypt
//   NAME_schedule_bytes              the size of the round keys
// clang makes LLVM's IR of this file, which the proof runs on symbolic bits, and the host's
// compiler a shared object, in which a counterexample is replayed.
#include "test/prove/word.h"

#include "kernels/cipher/aes/aes.h"
#include "kernels/cipher/aria/aria.h"
#include "kernels/cipher/blowfish/blowfish.h"
#include "kernels/cipher/camellia/camellia.h"
#include "kernels/cipher/cast5/cast5.h"
#include "kernels/cipher/cham/cham.h"
#include "kernels/cipher/des/des.h"
#include "kernels/cipher/hight/hight.h"
#include "kernels/cipher/idea/idea.h"
#include "kernels/cipher/lea/lea.h"
#include "kernels/cipher/seed/seed.h"
#include "kernels/cipher/threefish/threefish.h"

#ifdef GPUCTR_PROVE_NATIVE
extern "C" std::uint16_t prove_product(std::uint16_t x, std::uint16_t y) {
  return gpuctr::PlainWord<std::uint16_t>{x}.product({y}).v;
}
#endif

namespace gpuctr::prove {

// DES and its inverse in turn; kernels/cpu/simd/planes.h has the same passes on many blocks. The
// bytes of the round keys are planes of eight equal bits, so the state is eight equal bits too.
template <class C, bool kEncrypt>
void crypt_planes(const std::uint8_t* rk, const std::uint8_t* in, std::uint8_t* out) {
  Word<std::uint8_t> x[64];
  for (unsigned i = 0; i < 64; ++i)
    x[i].v = static_cast<std::uint8_t>(0 - (in[i / 8] >> i % 8 & 1));
  Word<std::uint8_t>*left = x, *right = x + C::Planes::kRight;
  for (unsigned i = 0; i < C::kPasses; ++i) {
    const unsigned pass = kEncrypt ? i : C::kPasses - 1 - i;
    C::Planes::template sixteen<kEncrypt>(left, right,
                                          Keys<std::uint8_t>{rk + C::kPassBytes * pass});
    Word<std::uint8_t>* const other = left;
    left = right;
    right = other;
  }
  for (unsigned i = 0; i < 64; ++i) {
    if (i % 8 == 0) out[i / 8] = 0;
    out[i / 8] = static_cast<std::uint8_t>(out[i / 8] | (x[i ^ 1].v & 1) << i % 8);
  }
}

}  // namespace gpuctr::prove

// The names of OpenSSL, in small letters.
#define GPUCTR_PROVE_CRYPT(name, cipher, ...)                                              \
  extern "C" {                                                                             \
  unsigned name##_schedule_bytes() { return gpuctr::ScheduleBytes<cipher>::kValue; }       \
  void name##_encrypt(const cipher::Word* rk, const std::uint8_t* in, std::uint8_t* out) { \
    gpuctr::prove::__VA_ARGS__ true > (rk, in, out);                                       \
  }                                                                                        \
  void name##_decrypt(const cipher::Word* rk, const std::uint8_t* in, std::uint8_t* out) { \
    gpuctr::prove::__VA_ARGS__ false > (rk, in, out);                                      \
  }                                                                                        \
  }
#define GPUCTR_PROVE_EXPAND(name, cipher)                                    \
  extern "C" void name##_expand(const std::uint8_t* key, cipher::Word* rk) { \
    cipher::expand(key, rk);                                                 \
  }
#define GPUCTR_PROVE_BOXES(name, cipher)                                     \
  extern "C" void name##_expand(const std::uint8_t* key, cipher::Word* rk) { \
    cipher::expand<TableBoxes>(key, rk);                                     \
  }
#define GPUCTR_PROVE_RANGE(name, cipher)                                                     \
  extern "C" void name##_expand(const std::uint8_t* key, unsigned bytes, cipher::Word* rk) { \
    cipher::expand(key, bytes, rk);                                                          \
  }

namespace gpuctr::prove {

using Aes128 = Aes<128>;
using Aes192 = Aes<192>;
using Aes256 = Aes<256>;
using Aria128 = Aria<128>;
using Aria192 = Aria<192>;
using Aria256 = Aria<256>;
using Camellia128 = Camellia<128>;
using Camellia192 = Camellia<192>;
using Camellia256 = Camellia<256>;
using Lea128 = Lea<128>;
using Lea192 = Lea<192>;
using Lea256 = Lea<256>;

}  // namespace gpuctr::prove

using namespace gpuctr::prove;  // NOLINT
using namespace gpuctr;         // NOLINT

GPUCTR_PROVE_CRYPT(lea128, Lea128, crypt < Lea128, false, )
GPUCTR_PROVE_EXPAND(lea128, Lea128)
GPUCTR_PROVE_CRYPT(lea192, Lea192, crypt < Lea192, false, )
GPUCTR_PROVE_EXPAND(lea192, Lea192)
GPUCTR_PROVE_CRYPT(lea256, Lea256, crypt < Lea256, false, )
GPUCTR_PROVE_EXPAND(lea256, Lea256)
GPUCTR_PROVE_CRYPT(hight, Hight, crypt < Hight, false, )
GPUCTR_PROVE_EXPAND(hight, Hight)
GPUCTR_PROVE_CRYPT(cham64_128, Cham64_128, crypt < Cham64_128, false, )
GPUCTR_PROVE_EXPAND(cham64_128, Cham64_128)
GPUCTR_PROVE_CRYPT(cham128_128, Cham128_128, crypt < Cham128_128, false, )
GPUCTR_PROVE_EXPAND(cham128_128, Cham128_128)
GPUCTR_PROVE_CRYPT(cham128_256, Cham128_256, crypt < Cham128_256, false, )
GPUCTR_PROVE_EXPAND(cham128_256, Cham128_256)
GPUCTR_PROVE_CRYPT(aria128, Aria128, crypt < Aria128, false, )
GPUCTR_PROVE_BOXES(aria128, Aria128)
GPUCTR_PROVE_CRYPT(aria192, Aria192, crypt < Aria192, false, )
GPUCTR_PROVE_BOXES(aria192, Aria192)
GPUCTR_PROVE_CRYPT(aria256, Aria256, crypt < Aria256, false, )
GPUCTR_PROVE_BOXES(aria256, Aria256)
GPUCTR_PROVE_CRYPT(seed, Seed, crypt < Seed, false, )
GPUCTR_PROVE_BOXES(seed, Seed)
GPUCTR_PROVE_CRYPT(camellia128, Camellia128, crypt < Camellia128, false, )
GPUCTR_PROVE_BOXES(camellia128, Camellia128)
GPUCTR_PROVE_CRYPT(camellia192, Camellia192, crypt < Camellia192, false, )
GPUCTR_PROVE_BOXES(camellia192, Camellia192)
GPUCTR_PROVE_CRYPT(camellia256, Camellia256, crypt < Camellia256, false, )
GPUCTR_PROVE_BOXES(camellia256, Camellia256)
GPUCTR_PROVE_CRYPT(aes128, Aes128, crypt < Aes128, false, )
GPUCTR_PROVE_BOXES(aes128, Aes128)
GPUCTR_PROVE_CRYPT(aes192, Aes192, crypt < Aes192, false, )
GPUCTR_PROVE_BOXES(aes192, Aes192)
GPUCTR_PROVE_CRYPT(aes256, Aes256, crypt < Aes256, false, )
GPUCTR_PROVE_BOXES(aes256, Aes256)
GPUCTR_PROVE_CRYPT(idea, Idea, crypt < Idea, true, )
GPUCTR_PROVE_EXPAND(idea, Idea)
GPUCTR_PROVE_CRYPT(threefish256, Threefish256, crypt < Threefish256, false, )
GPUCTR_PROVE_EXPAND(threefish256, Threefish256)
GPUCTR_PROVE_CRYPT(threefish512, Threefish512, crypt < Threefish512, false, )
GPUCTR_PROVE_EXPAND(threefish512, Threefish512)
GPUCTR_PROVE_CRYPT(threefish1024, Threefish1024, crypt < Threefish1024, false, )
GPUCTR_PROVE_EXPAND(threefish1024, Threefish1024)
GPUCTR_PROVE_CRYPT(des, Des, crypt_planes < Des, )
GPUCTR_PROVE_EXPAND(des, Des)
GPUCTR_PROVE_CRYPT(des_ede3, DesEde3, crypt_planes < DesEde3, )
GPUCTR_PROVE_EXPAND(des_ede3, DesEde3)
GPUCTR_PROVE_CRYPT(bf, Blowfish, crypt < Blowfish, true, )
GPUCTR_PROVE_RANGE(bf, Blowfish)
GPUCTR_PROVE_CRYPT(cast5, Cast5, crypt < Cast5, true, )
GPUCTR_PROVE_RANGE(cast5, Cast5)

#define GPUCTR_PROVE_TWEAK(name, cipher)                                           \
  extern "C" void name##_set_tweak(const std::uint8_t* tweak, std::uint64_t* rk) { \
    cipher::set_tweak(tweak, rk);                                                  \
  }
GPUCTR_PROVE_TWEAK(threefish256, Threefish256)
GPUCTR_PROVE_TWEAK(threefish512, Threefish512)
GPUCTR_PROVE_TWEAK(threefish1024, Threefish1024)
