// The SHA-1 of wrapped keys: FIPS 180's examples, and every length beside libcrypto's.
#include "provider/mode/wrap/sha1.h"

#include <gtest/gtest.h>
#include <openssl/evp.h>

#include "test/support/vectors.h"

namespace gpuctr::test {
namespace {

std::string hash_of(const Bytes& data) {
  std::uint8_t hash[kSha1Bytes];
  sha1(data.data(), data.size(), hash);
  return to_hex(Bytes(hash, hash + sizeof hash));
}
std::string hash_of(const std::string& text) { return hash_of(Bytes(text.begin(), text.end())); }

// FIPS 180-2, appendix A.
TEST(Sha1, PublishedVectors) {
  EXPECT_EQ(hash_of("abc"), "a9993e364706816aba3e25717850c26c9cd0d89d");
  EXPECT_EQ(hash_of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "84983e441c3bd26ebaae4aa1f95129e5e54670f1");
  EXPECT_EQ(hash_of(std::string(1000000, 'a')), "34aa973cd4c4daa4f61eeb2bdbad27316534016f");
}

TEST(Sha1, EveryLengthAsInLibcrypto) {
  Bytes data;
  for (unsigned n = 0; n < 400; ++n) {
    Bytes expected(kSha1Bytes);
    ASSERT_EQ(1, EVP_Digest(data.data(), n, expected.data(), nullptr, EVP_sha1(), nullptr));
    ASSERT_EQ(hash_of(data), to_hex(expected)) << n << " bytes";
    data.push_back(static_cast<std::uint8_t>(167 * n + 13));
  }
}

}  // namespace
}  // namespace gpuctr::test
