// The table forms of every cipher of the build that has them, computed on the CPU: the arithmetic
// of the kernels of kernel/tables/tables.cuh against the scalar backend, with four tables and with
// one.
#include "kernels/gpu/cuda/plan.h"
#include "test/gpu/support.h"
#include "test/gpu/table_folders.h"

namespace gpuctr {
namespace {

using namespace test;

template <class F, bool kFourTables>
struct Look {
  static constexpr bool kFour = kFourTables;
  template <unsigned kByte>
  static std::uint32_t stored(std::uint32_t x) {
    return F::stored(x >> (8 * kByte) & 0xff);
  }
  template <unsigned kTable, unsigned kByte>
  std::uint32_t word(std::uint32_t x) const {
    return kFour ? F::entry(kTable, stored<kByte>(x)) : stored<kByte>(x);
  }
  template <unsigned kBox, unsigned kByte>
  std::uint32_t byte(std::uint32_t x) const {
    return stored<kByte>(x) >> (8 * kBox) & 0xff;
  }
};

template <class F>
class TableForm : public testing::Test {
 protected:
  template <bool kFour>
  void compare() {
    const Look<F, kFour> look;
    for (unsigned i = 0; i < 50; ++i) {
      const Key key(*find_cipher(F::Cipher::kName));
      std::uint32_t rk[F::kKeyWords];
      F::lay_out_keys(key.keys, rk);
      const Bytes block = random_bytes(16);
      Bytes want(16);
      key.expect(block, &want);
      std::uint32_t counter[4];
      std::memcpy(counter, block.data(), 16);
      std::uint32_t one[1][4];
      std::memcpy(one, counter, 16);
      F::encrypt_blocks(look, rk, F::kRounds, one);
      EXPECT_EQ(std::memcmp(one, want.data(), 16), 0);

      std::uint32_t fixed[F::kFixedWords], s[4];
      F::row(look, rk, counter, block[14], s);
      counter[3] ^= 0x5a0000;  // any byte 14 will do
      F::fix(look, rk, counter, fixed);
      F::finish(look, rk, fixed, s);
      EXPECT_EQ(std::memcmp(s, want.data(), 16), 0);
    }
  }
};

// Whole blocks, by the rounds of one form and the keys of another, which may be the same.
template <class F, bool kEncrypts>
struct Direction {
  using Rounds =
      std::conditional_t<kEncrypts, typename F::EncryptionRounds, typename F::DecryptionRounds>;
  using Form = std::conditional_t<kEncrypts, typename F::Encryption, typename F::Decryption>;
  static constexpr bool kEncrypt = kEncrypts;
};

template <class D>
class BlockForm : public testing::Test {
 protected:
  template <bool kFour>
  void compare() {
    using F = typename D::Rounds;
    using Keys = typename D::Form;
    const Look<F, kFour> look;
    for (unsigned i = 0; i < 50; ++i) {
      const Key key(*find_cipher(Keys::Cipher::kName));
      std::uint32_t rk[Keys::kKeyWords];
      Keys::lay_out_keys(key.keys, rk);
      const Bytes in = random_bytes(32);
      Bytes want(32);
      const CipherOps& ops = find_backend("scalar")->ops[key.cipher.index];
      (D::kEncrypt ? ops.encrypt : ops.decrypt)(key.keys, in.data(), want.data(), 2);
      std::uint32_t s[2][4];
      std::memcpy(s, in.data(), sizeof s);
      F::encrypt_blocks(look, rk, Keys::kRounds, s);
      EXPECT_EQ(std::memcmp(s, want.data(), sizeof s), 0);
    }
  }
};

template <class Tuple>
struct Listed;
template <class... F>
struct Listed<std::tuple<F...>> {
  using Forms = testing::Types<typename F::Encryption...>;
  using Directions = testing::Types<Direction<F, true>..., Direction<F, false>...>;
};
using Every = Listed<TableForms>;

TYPED_TEST_SUITE(BlockForm, Every::Directions);

TYPED_TEST(BlockForm, FourTables) { this->template compare<true>(); }
TYPED_TEST(BlockForm, OneTable) { this->template compare<false>(); }

TYPED_TEST_SUITE(TableForm, Every::Forms);

TYPED_TEST(TableForm, FourTables) { this->template compare<true>(); }
TYPED_TEST(TableForm, OneTable) { this->template compare<false>(); }

}  // namespace
}  // namespace gpuctr
