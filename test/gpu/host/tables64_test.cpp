// The table forms of the ciphers with blocks of 64 bits, computed on the CPU: the arithmetic of
// kernel/tables/tables.cuh and kernel/tables/tables64.cuh against the scalar backend, with keys of
// every size.
#include <array>

#include "kernels/cipher/blowfish/cuda_tables.h"
#include "kernels/cipher/cast5/cuda_tables.h"
#include "test/gpu/support.h"

namespace gpuctr {
namespace {

using namespace test;

struct Cast5Boxes {
  static const std::uint32_t* words(const std::uint32_t*) { return kCastBoxes[0]; }
};
struct BlowfishBoxes {
  static const std::uint32_t* words(const std::uint32_t* rk) {
    return BlowfishTables::table_words(rk);
  }
};

struct Look {
  const std::uint32_t* tables;
  template <unsigned kTable, unsigned kByte>
  std::uint32_t word(std::uint32_t x) const {
    return tables[256 * kTable + (x >> (8 * kByte) & 0xff)];
  }
};

template <class F, class Inverse, class Boxes>
struct Both {
  using Form = F;
  using InverseForm = Inverse;
  using Tables = Boxes;
};

template <class T>
class WordTableForm : public testing::Test {
 protected:
  using F = typename T::Form;
  const CipherSpec& cipher_ = *find_cipher(F::Cipher::kName);
  const CipherOps& scalar_ = find_backend("scalar")->ops[cipher_.index];

  void expand(std::size_t key_bytes) {
    cipher_.expand_bytes(random_bytes(key_bytes).data(), key_bytes, &keys_);
  }

  template <class Form>
  void blocks(decltype(CipherOps::encrypt) operation) {
    std::array<std::uint32_t, Form::kKeyWords> rk;
    Form::lay_out_keys(keys_, rk.data());
    const Bytes in = random_bytes(32);
    Bytes want(32);
    operation(keys_, in.data(), want.data(), 4);
    std::uint32_t s[2][4];
    std::memcpy(s, in.data(), sizeof s);
    Form::encrypt_blocks(Look{T::Tables::words(rk.data())}, rk.data(), Form::kRounds, s);
    EXPECT_EQ(std::memcmp(s, want.data(), sizeof s), 0);
  }

  // The blocks of a thread's turn: byte 6 of the counter alone is new since fix().
  void counter_mode() {
    std::array<std::uint32_t, F::kKeyWords> rk;
    F::lay_out_keys(keys_, rk.data());
    const Look look{T::Tables::words(rk.data())};
    Bytes counter = random_bytes(8);
    counter[7] = static_cast<std::uint8_t>(counter[7] % (256 / F::kTogether));
    const auto high = load_be<std::uint32_t>(counter.data());
    const auto low = load_be<std::uint32_t>(counter.data() + 4);
    std::uint32_t fixed[F::kFixedWords], got[F::kTogether][2];
    F::fix(look, rk.data(), high, low & 0xffff00ff, fixed);
    F::finish(look, rk.data(), fixed, low & 0xff00, got);
    for (unsigned q = 0; q < F::kTogether; ++q) {
      std::uint8_t want[8] = {};
      scalar_.ctr(keys_, counter.data(), nullptr, want, 8);
      EXPECT_EQ(std::memcmp(got[q], want, 8), 0) << "block " << q;
      counter_add(counter.data(), 8, 256 / F::kTogether);
    }
  }

  RoundKeys keys_;
};

using Forms = testing::Types<Both<Cast5Tables, Cast5InverseTables, Cast5Boxes>,
                             Both<BlowfishTables, BlowfishInverseTables, BlowfishBoxes>>;
TYPED_TEST_SUITE(WordTableForm, Forms);

TYPED_TEST(WordTableForm, EveryKeySize) {
  for (std::size_t n = this->cipher_.least_key_bytes; n <= this->cipher_.most_key_bytes; ++n) {
    this->expand(n);
    this->template blocks<typename TypeParam::Form>(this->scalar_.encrypt);
    this->template blocks<typename TypeParam::InverseForm>(this->scalar_.decrypt);
    this->counter_mode();
    if (this->HasFailure()) FAIL() << "with a key of " << n << " bytes";
  }
}

}  // namespace
}  // namespace gpuctr
