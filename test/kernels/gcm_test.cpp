// GCM's loop on every backend where its counter's last byte wraps, at every place of a batch.
#include <cstring>
#include <random>

#include "kernels/cpu/base/gcm_text.h"
#include "kernels/cpu/ghash.h"
#include "test/kernels/cases.h"

namespace gpuctr {
namespace {

using Bytes = std::vector<std::uint8_t>;

class GcmCounter : public testing::TestWithParam<test::Case> {
 protected:
  Bytes bytes(std::size_t n) {
    Bytes made(n);
    for (auto& byte : made) byte = static_cast<std::uint8_t>(random_());
    return made;
  }
  std::mt19937 random_{38};
};

TEST_P(GcmCounter, LastByteWrapsAnywhere) {
  const auto& [backend, cipher] = GetParam();
  const CipherOps& ops = backend->ops[cipher->index];
  const GhashOps* const hash = test::hash_of_gcm(ops);
  if (hash == nullptr || !backend->available()) return;
  const CipherOps& scalar = find_backend("scalar")->ops[cipher->index];
  RoundKeys keys;
  cipher->expand(bytes(cipher->key_bytes).data(), &keys);
  GhashKey key;
  hash->expand(bytes(16).data(), &key);
  constexpr std::size_t kBlocks = 5 * 64;  // five of the largest batches
  const Bytes plain = bytes(16 * kBlocks), first = bytes(16);
  Bytes counter = bytes(16), text(plain.size()), made(plain.size());
  std::memcpy(counter.data() + 12, "\x01\xff\xff", 3);
  for (unsigned last = 0; last < 256; ++last) {
    SCOPED_TRACE(last);
    counter[15] = static_cast<std::uint8_t>(last);
    scalar.ctr(keys, counter.data(), plain.data(), text.data(), text.size());
    Bytes want = first;
    hash->update(key, want.data(), text.data(), kBlocks);
    for (const bool encrypts : {true, false}) {
      Bytes y = first;
      ops.gcm->crypt(keys, encrypts, key, y.data(),
                     {counter.data(), nullptr, nullptr, encrypts ? plain.data() : text.data(),
                      made.data(), kBlocks, nullptr});
      ASSERT_EQ(made, encrypts ? text : plain);
      ASSERT_EQ(y, want);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, GcmCounter, testing::ValuesIn(test::cases()), test::case_name);

}  // namespace
}  // namespace gpuctr
