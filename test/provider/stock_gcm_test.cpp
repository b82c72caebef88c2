// GCM against libcrypto's own of the same cipher: random sequences of calls, the same for both,
// records of TLS among them. Status, output and parameters of every call are the stock cipher's.
#include "test/provider/gcm_twin.h"

namespace gpuctr::test {
namespace {

class StockGcm : public testing::TestWithParam<std::size_t> {};

TEST_P(StockGcm, DoesWhatTheStockCipherDoes) {
  const CipherSpec& spec = cipher_spec(GetParam());
  if (spec.block_bytes != 16 || !spec.in_openssl) GTEST_SKIP() << "libcrypto has no such cipher";
  const Library library;
  if (library.stock(std::string(spec.name) + "-GCM") == nullptr) GTEST_SKIP() << "in no GCM";
  for (unsigned seed = 1; seed <= 200; ++seed) {
    GcmTwin twin(library, spec, seed);
    for (int i = 0; i < 80 && !HasFailure(); ++i) twin.step();
    ASSERT_FALSE(HasFailure()) << "sequence " << seed << ":\n" << twin.history();
  }
}

INSTANTIATE_TEST_SUITE_P(AllCiphers, StockGcm, testing::Range(std::size_t{0}, kCipherCount),
                         [](const auto& param) {
                           std::string name = cipher_spec(param.param).name;
                           for (char& c : name) c = c == '-' ? '_' : c;
                           return name;
                         });

}  // namespace
}  // namespace gpuctr::test
