// What is proved, as C functions: of each cipher NAME
//   NAME_expand(key, round keys)     the key schedule; a size of the key first where sizes vary
//   NAME_encrypt(round keys, in, out), NAME_decrypt
//   NAME_schedule_bytes              the size of the round keys
// clang makes LLVM's IR of this file, which the proof runs on symbolic bits, and the host's
// compiler a shared object, in which a counterexample is replayed.
#include "test/prove/device.h"
#include "test/prove/word.h"

#include "kernels/cipher/aes/aes.h"
#include "kernels/cipher/aria/aria.h"
#include "kernels/cipher/aria/x86_boxes.h"
#include "kernels/cipher/blowfish/blowfish.h"
#include "kernels/cipher/camellia/camellia.h"
#include "kernels/cipher/cast5/cast5.h"
#include "kernels/cipher/cham/cham.h"
#include "kernels/cipher/des/des.h"
#include "kernels/cipher/hight/hight.h"
#include "kernels/cipher/idea/idea.h"
#include "kernels/cipher/lea/lea.h"
#include "kernels/cipher/rc2/rc2.h"
#include "kernels/cipher/seed/seed.h"
#include "kernels/cipher/threefish/threefish.h"

#ifdef GPUCTR_PROVE_NATIVE
extern "C" std::uint16_t prove_product(std::uint16_t x, std::uint16_t y) {
  return gpuctr::PlainWord<std::uint16_t>{x}.product({y}).v;
}
#endif

namespace gpuctr::prove {

// The array that begins at `first`.
template <std::size_t N, class T>
T (&array(T* first))
[N] {
  return *reinterpret_cast<T(*)[N]>(first);
}

// DES and its inverse in turn; kernels/cpu/simd/bitsliced.h has the same passes on many blocks. The
// bytes of the round keys are planes of eight equal bits, so the state is eight equal bits too.
template <class C>
struct InPlanes {
  using Cipher = C;

  template <bool kEncrypt>
  static void crypt(const std::uint8_t* rk, const std::uint8_t* in, std::uint8_t* out) {
    Word<std::uint8_t> x[64];
    for (unsigned i = 0; i < 64; ++i)
      x[i].v = static_cast<std::uint8_t>(0 - (in[i / 8] >> i % 8 & 1));
    Word<std::uint8_t>*left = x, *right = x + C::BitSliced::kRight;
    for (unsigned i = 0; i < C::kPasses; ++i) {
      const unsigned pass = kEncrypt ? i : C::kPasses - 1 - i;
      C::BitSliced::template sixteen<kEncrypt>(left, right,
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
};

// Encryption in two parts, the first of which backends compute once for many counter blocks.
template <class C>
struct InParts : C {
  template <class V, class K>
  static void encrypt(V (&x)[C::kWords], const K& rk) {
    C::first_rounds(x, rk);
    C::other_rounds(x, rk);
  }
};

// The first part for a block whose last byte is zero, then changed to that of the block's last
// byte.
template <class C>
struct ByPeriods : C {
  template <class V, class K>
  static void encrypt(V (&x)[C::kWords], const K& rk) {
    const V last = x[C::kWords - 1];
    x[C::kWords - 1] = V::constant(0);
    C::first_rounds(x, rk);
    C::set_last_byte(x, last, rk);
    C::other_rounds(x, rk);
  }
};

}  // namespace gpuctr::prove

// The names are those of ciphers.py.
#define GPUCTR_PROVE_CRYPT(name, ...)                                                     \
  using Form_##name = __VA_ARGS__;                                                        \
  extern "C" {                                                                            \
  unsigned name##_schedule_bytes() { return ScheduleBytes<Form_##name::Cipher>::kValue; } \
  void name##_encrypt(const Form_##name::Cipher::Word* rk, const std::uint8_t* in,        \
                      std::uint8_t* out) {                                                \
    Form_##name::crypt<true>(rk, in, out);                                                \
  }                                                                                       \
  void name##_decrypt(const Form_##name::Cipher::Word* rk, const std::uint8_t* in,        \
                      std::uint8_t* out) {                                                \
    Form_##name::crypt<false>(rk, in, out);                                               \
  }                                                                                       \
  }
// The arguments after the name: how expand() is called.
#define GPUCTR_PROVE_EXPAND(name, ...)                                                    \
  extern "C" void name##_expand(const std::uint8_t* key, Form_##name::Cipher::Word* rk) { \
    Form_##name::Cipher::__VA_ARGS__(array<Form_##name::Cipher::kKeyBytes>(key),          \
                                     array<Form_##name::Cipher::kRoundKeyWords>(rk));     \
  }
#define GPUCTR_PROVE_RANGE(name)                                                             \
  extern "C" void name##_expand(const std::uint8_t* key, unsigned bytes,                     \
                                Form_##name::Cipher::Word* rk) {                             \
    Form_##name::Cipher::expand(key, bytes, array<Form_##name::Cipher::kRoundKeyWords>(rk)); \
  }
#define GPUCTR_PROVE_TWEAK(name)                                                    \
  extern "C" void name##_set_tweak(const std::uint8_t* tweak, std::uint64_t* rk) {  \
    Form_##name::Cipher::set_tweak(array<16>(tweak),                                \
                                   array<Form_##name::Cipher::kRoundKeyWords>(rk)); \
  }

namespace gpuctr::prove {

GPUCTR_PROVE_CRYPT(lea128, OneBlock<Lea<128>, false>)
GPUCTR_PROVE_EXPAND(lea128, expand)
GPUCTR_PROVE_CRYPT(lea192, OneBlock<Lea<192>, false>)
GPUCTR_PROVE_EXPAND(lea192, expand)
GPUCTR_PROVE_CRYPT(lea256, OneBlock<Lea<256>, false>)
GPUCTR_PROVE_EXPAND(lea256, expand)
GPUCTR_PROVE_CRYPT(hight, OneBlock<Hight, false>)
GPUCTR_PROVE_EXPAND(hight, expand)
GPUCTR_PROVE_CRYPT(cham64_128, OneBlock<Cham64_128, false>)
GPUCTR_PROVE_EXPAND(cham64_128, expand)
GPUCTR_PROVE_CRYPT(cham128_128, OneBlock<Cham128_128, false>)
GPUCTR_PROVE_EXPAND(cham128_128, expand)
GPUCTR_PROVE_CRYPT(cham128_256, OneBlock<Cham128_256, false>)
GPUCTR_PROVE_EXPAND(cham128_256, expand)
GPUCTR_PROVE_CRYPT(aria128, OneBlock<Aria<128>, false>)
GPUCTR_PROVE_EXPAND(aria128, expand<TableBoxes>)
GPUCTR_PROVE_CRYPT(aria192, OneBlock<Aria<192>, false>)
GPUCTR_PROVE_EXPAND(aria192, expand<TableBoxes>)
GPUCTR_PROVE_CRYPT(aria256, OneBlock<Aria<256>, false>)
GPUCTR_PROVE_EXPAND(aria256, expand<TableBoxes>)
GPUCTR_PROVE_CRYPT(seed, OneBlock<Seed, false>)
GPUCTR_PROVE_EXPAND(seed, expand<TableBoxes>)
GPUCTR_PROVE_CRYPT(camellia128, OneBlock<Camellia<128>, false>)
GPUCTR_PROVE_EXPAND(camellia128, expand<TableBoxes>)
GPUCTR_PROVE_CRYPT(camellia192, OneBlock<Camellia<192>, false>)
GPUCTR_PROVE_EXPAND(camellia192, expand<TableBoxes>)
GPUCTR_PROVE_CRYPT(camellia256, OneBlock<Camellia<256>, false>)
GPUCTR_PROVE_EXPAND(camellia256, expand<TableBoxes>)
GPUCTR_PROVE_CRYPT(aes128, OneBlock<Aes<128>, false>)
GPUCTR_PROVE_EXPAND(aes128, expand<TableBoxes>)
GPUCTR_PROVE_CRYPT(aes192, OneBlock<Aes<192>, false>)
GPUCTR_PROVE_EXPAND(aes192, expand<TableBoxes>)
GPUCTR_PROVE_CRYPT(aes256, OneBlock<Aes<256>, false>)
GPUCTR_PROVE_EXPAND(aes256, expand<TableBoxes>)
GPUCTR_PROVE_CRYPT(threefish256, OneBlock<Threefish256, false>)
GPUCTR_PROVE_EXPAND(threefish256, expand)
GPUCTR_PROVE_TWEAK(threefish256)
GPUCTR_PROVE_CRYPT(threefish512, OneBlock<Threefish512, false>)
GPUCTR_PROVE_EXPAND(threefish512, expand)
GPUCTR_PROVE_TWEAK(threefish512)
GPUCTR_PROVE_CRYPT(threefish1024, OneBlock<Threefish1024, false>)
GPUCTR_PROVE_EXPAND(threefish1024, expand)
GPUCTR_PROVE_TWEAK(threefish1024)
GPUCTR_PROVE_CRYPT(idea, OneBlock<Idea, true>)
GPUCTR_PROVE_EXPAND(idea, expand)
GPUCTR_PROVE_CRYPT(bf, OneBlock<Blowfish, true>)
GPUCTR_PROVE_RANGE(bf)
GPUCTR_PROVE_CRYPT(cast5, OneBlock<Cast5, true>)
GPUCTR_PROVE_RANGE(cast5)
GPUCTR_PROVE_CRYPT(des, InPlanes<Des>)
GPUCTR_PROVE_EXPAND(des, expand)
GPUCTR_PROVE_CRYPT(des_ede3, InPlanes<DesEde3>)
GPUCTR_PROVE_EXPAND(des_ede3, expand)
GPUCTR_PROVE_CRYPT(des_ede, InPlanes<DesEde>)
GPUCTR_PROVE_EXPAND(des_ede, expand)

// A look-up that reads the whole table is the table: rc2/checks.h.
struct Rc2Table {
  static std::uint8_t at(unsigned index) { return kRc2Pi[index]; }
};
template <unsigned KeyBits>
struct Rc2ByTable : Rc2<KeyBits> {
  using Base = Rc2<KeyBits>;
  static void expand(const std::uint8_t* key, std::size_t bytes,
                     std::uint16_t (&rk)[Base::kRoundKeyWords]) {
    Base::template expand_by<Rc2Table>(key, bytes, Base::kEffectiveBits, rk);
  }
};
GPUCTR_PROVE_CRYPT(rc2, OneBlock<Rc2ByTable<128>, false>)
GPUCTR_PROVE_RANGE(rc2)
GPUCTR_PROVE_CRYPT(rc2_64, OneBlock<Rc2ByTable<64>, false>)
GPUCTR_PROVE_RANGE(rc2_64)
GPUCTR_PROVE_CRYPT(rc2_40, OneBlock<Rc2ByTable<40>, false>)
GPUCTR_PROVE_RANGE(rc2_40)

// Forms of the rounds.
GPUCTR_PROVE_CRYPT(lea128_parts, OneBlock<InParts<Lea<128>>, false>)
GPUCTR_PROVE_CRYPT(lea192_parts, OneBlock<InParts<Lea<192>>, false>)
GPUCTR_PROVE_CRYPT(lea256_parts, OneBlock<InParts<Lea<256>>, false>)
GPUCTR_PROVE_CRYPT(cham64_128_parts, OneBlock<InParts<Cham64_128>, false>)
GPUCTR_PROVE_CRYPT(cham128_128_parts, OneBlock<InParts<Cham128_128>, false>)
GPUCTR_PROVE_CRYPT(cham128_256_parts, OneBlock<InParts<Cham128_256>, false>)
GPUCTR_PROVE_CRYPT(aria_parts, OneBlock<InParts<AriaHoistedRounds>, false>)
GPUCTR_PROVE_CRYPT(aria_periods, OneBlock<ByPeriods<AriaHoistedRounds>, false>)
GPUCTR_PROVE_CRYPT(hight_device, OnDevice<Hight>)
GPUCTR_PROVE_CRYPT(cham64_128_device, OnDevice<Cham64_128>)
GPUCTR_PROVE_CRYPT(hight_masks, OnDevice<Hight, KeyMasks>)
GPUCTR_PROVE_CRYPT(cham64_128_masks, OnDevice<Cham64_128, KeyMasks>)

}  // namespace gpuctr::prove
