// The table forms of the ciphers, computed on the CPU: the arithmetic of the kernels of
// kernel/tables/tables.cuh against the scalar backend, with four tables and with one.
#include "kernels/cipher/aes/tables.h"
#include "kernels/cipher/aria/tables.h"
#include "kernels/cipher/camellia/tables.h"
#include "kernels/cipher/seed/tables.h"
#include "kernels/gpu/cuda/plan.h"
#include "test/gpu/support.h"

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
      std::uint32_t s[4];
      std::memcpy(s, counter, 16);
      F::encrypt(look, rk, s);
      EXPECT_EQ(std::memcmp(s, want.data(), 16), 0);

      std::uint32_t fixed[F::kFixedWords];
      F::row(look, rk, counter, block[14], s);
      counter[3] ^= 0x5a0000;  // any byte 14 will do
      F::fix(look, rk, counter, fixed);
      F::finish(look, rk, fixed, s);
      EXPECT_EQ(std::memcmp(s, want.data(), 16), 0);
    }
  }
};

// Whole blocks, by the rounds of the form for the longest key and the keys of the form Keys.
template <class F, class Keys, bool kEncrypts>
struct Direction {
  using Rounds = F;
  using Form = Keys;
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

using Directions =
    testing::Types<Direction<AesTables<256>, AesTables<128>, true>,
                   Direction<AesTables<256>, AesTables<192>, true>,
                   Direction<AesTables<256>, AesTables<256>, true>,
                   Direction<AesInverseTables<256>, AesInverseTables<128>, false>,
                   Direction<AesInverseTables<256>, AesInverseTables<192>, false>,
                   Direction<AesInverseTables<256>, AesInverseTables<256>, false>,
                   Direction<AriaTables<256>, AriaTables<128>, true>,
                   Direction<AriaTables<256>, AriaTables<192>, true>,
                   Direction<AriaTables<256>, AriaTables<256>, true>,
                   Direction<AriaTables<256>, AriaInverseTables<128>, false>,
                   Direction<AriaTables<256>, AriaInverseTables<192>, false>,
                   Direction<AriaTables<256>, AriaInverseTables<256>, false>,
                   Direction<SeedTables, SeedTables, true>,
                   Direction<SeedTables, SeedInverseTables, false>,
                   Direction<CamelliaTables<256>, CamelliaTables<128>, true>,
                   Direction<CamelliaTables<256>, CamelliaTables<192>, true>,
                   Direction<CamelliaTables<256>, CamelliaTables<256>, true>,
                   Direction<CamelliaTables<256>, CamelliaInverseTables<128>, false>,
                   Direction<CamelliaTables<256>, CamelliaInverseTables<192>, false>,
                   Direction<CamelliaTables<256>, CamelliaInverseTables<256>, false>>;
TYPED_TEST_SUITE(BlockForm, Directions);

TYPED_TEST(BlockForm, FourTables) { this->template compare<true>(); }
TYPED_TEST(BlockForm, OneTable) { this->template compare<false>(); }

using Forms = testing::Types<AesTables<128>, AesTables<192>, AesTables<256>, AriaTables<128>,
                             AriaTables<192>, AriaTables<256>, SeedTables, CamelliaTables<128>,
                             CamelliaTables<192>, CamelliaTables<256>>;
TYPED_TEST_SUITE(TableForm, Forms);

TYPED_TEST(TableForm, FourTables) { this->template compare<true>(); }
TYPED_TEST(TableForm, OneTable) { this->template compare<false>(); }

}  // namespace
}  // namespace gpuctr
