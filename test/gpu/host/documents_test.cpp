// The methods of two documents that the benchmark runs on a device
// (test/bench/gpu/papers_shuffle.h, papers_des.h), computed on the CPU against the scalar backend.
#include "test/bench/gpu/papers_des.h"
#include "test/bench/gpu/papers_shuffle.h"
#include "test/gpu/support.h"

namespace gpuctr {
namespace {

using namespace test;

template <class Method>
class Document : public testing::Test {};

using Methods =
    testing::Types<papers::AesByShuffle, papers::CamelliaByShuffle, papers::SeedByShuffle,
                   papers::CastByShuffle, papers::BlowfishByShuffle, papers::IdeaByShuffle,
                   papers::ThreefishByShuffle, papers::DesByThread>;
TYPED_TEST_SUITE(Document, Methods);

TYPED_TEST(Document, EncryptsAsScalarDoes) {
  using Method = TypeParam;
  constexpr std::size_t kBytes = 4 * Method::kTextWords;
  const CipherSpec& cipher = *find_cipher(Method::Cipher::kName);
  ASSERT_EQ(cipher.block_bytes, kBytes);
  for (unsigned i = 0; i < 200; ++i) {
    const Key key(cipher);
    std::uint32_t words[Method::kKeyWords];
    std::vector<std::uint32_t> tables(Method::kTableWords);
    Method::lay_out(key.keys, words, tables.data());
    const Bytes block = random_bytes(kBytes);
    Bytes want(kBytes);
    find_backend("scalar")->ops[cipher.index].encrypt(key.keys, block.data(), want.data(), 1);
    std::uint32_t s[Method::kTextWords];
    std::memcpy(s, block.data(), kBytes);
    Method::encrypt(papers::WordTables{tables.data()}, words, s);
    ASSERT_EQ(std::memcmp(s, want.data(), kBytes), 0) << cipher.name;
  }
}

}  // namespace
}  // namespace gpuctr
