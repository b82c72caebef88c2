// Published vectors on every backend this CPU has, straight at the backends' functions.
#include <gtest/gtest.h>

#include "kernels/cpu/backend.h"
#include "test/support/vector_files.h"
#include "test/support/vectors.h"

namespace gpuctr {
namespace {

using test::Bytes;
using test::Stanza;

struct Mode {
  const CipherSpec* cipher;
  bool ctr;
};

Mode parse(const Stanza& stanza) {
  const std::string& name = stanza.text("Cipher");
  const auto dash = name.rfind('-');
  return {find_cipher(name.substr(0, dash).c_str()), name.substr(dash) == "-CTR"};
}

void check(const Backend& backend, const Stanza& stanza) {
  const Mode mode = parse(stanza);
  ASSERT_NE(mode.cipher, nullptr) << stanza.place();
  const Bytes key = stanza.bytes("Key");
  const Bytes plain = stanza.bytes("Plaintext");
  ASSERT_GE(key.size(), mode.cipher->least_key_bytes) << stanza.place();
  ASSERT_LE(key.size(), mode.cipher->most_key_bytes) << stanza.place();
  RoundKeys keys;
  mode.cipher->expand_bytes(key.data(), key.size(), &keys);
  if (stanza.has("Tweak")) {
    const Bytes tweak = stanza.bytes("Tweak");
    ASSERT_EQ(tweak.size(), mode.cipher->tweak_bytes) << stanza.place();
    mode.cipher->set_tweak(tweak.data(), &keys);
  }
  const CipherOps& ops = backend.ops[mode.cipher->index];
  Bytes out(plain.size());
  if (mode.ctr) {
    const Bytes iv = stanza.bytes("IV");
    ASSERT_EQ(iv.size(), mode.cipher->block_bytes) << stanza.place();
    ops.ctr(keys, iv.data(), plain.data(), out.data(), out.size());
  } else {
    ops.encrypt(keys, plain.data(), out.data(), out.size() / mode.cipher->block_bytes);
  }
  EXPECT_EQ(test::to_hex(out), stanza.text("Ciphertext")) << stanza.place();
  if (!mode.ctr) {
    ops.decrypt(keys, out.data(), out.data(), out.size() / mode.cipher->block_bytes);
    EXPECT_EQ(out, plain) << stanza.place();
  }
}

class Vectors : public testing::TestWithParam<const char*> {};

TEST_P(Vectors, EveryBackend) {
  const BackendList backends = cpu_backends();
  const auto stanzas = test::read_vectors(GetParam());
  for (std::size_t m = 0; m < backends.count; ++m) {
    if (!backends.first[m]->available()) continue;
    SCOPED_TRACE(backends.first[m]->name);
    for (const Stanza& stanza : stanzas) {
      const std::string& name = stanza.text("Cipher");
      if (name.substr(name.rfind('-')) == "-CBC") continue;  // the provider's
      check(*backends.first[m], stanza);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Published, Vectors, testing::ValuesIn(test::kPublished));
INSTANTIATE_TEST_SUITE_P(Edge, Vectors, testing::ValuesIn(test::kEdge));

}  // namespace
}  // namespace gpuctr
