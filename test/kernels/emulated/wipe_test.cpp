// Every function of an emulated backend wipes the vector registers and the stack: as far as the
// model sees, which has calls in place of registers.
#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "kernels/cpu/backend.h"
#include "kernels/cpu/base/gcm_text.h"
#include "test/kernels/cases.h"
#include "test/kernels/emulated/wipes.h"

namespace gpuctr {

emulated::Wipes emulated::wipes;

namespace {

using Bytes = std::vector<std::uint8_t>;

void expect_wiped(const char* name, std::size_t n, const std::function<void()>& call) {
  emulated::wipes = {};
  call();
  EXPECT_GT(emulated::wipes.registers, 0U) << name << ", " << n << " blocks or bytes";
#ifdef GPUCTR_X86  // neon.h zeroes the stack by itself
  EXPECT_GT(emulated::wipes.stack, 0U) << name << ", " << n << " blocks or bytes";
#endif
}

class EmulatedWipes : public testing::TestWithParam<test::Case> {
 protected:
  void SetUp() override { cipher_.expand(Bytes(cipher_.key_bytes, 7).data(), &keys_); }

  const CipherSpec& cipher_ = *GetParam().cipher;
  const CipherOps& ops_ = GetParam().backend->ops[cipher_.index];
  RoundKeys keys_{};
  Bytes in_ = Bytes(2000 * cipher_.block_bytes, 0x5a), out_ = in_;
  Bytes block_ = Bytes(cipher_.block_bytes, 9);
};

TEST_P(EmulatedWipes, Blocks) {
  for (const std::size_t n : {1U, 2U, 3U, 9U, 40U, 129U, 1100U}) {
    const auto run = [&](const char* name, auto* function) {
      if (function == nullptr) return;
      expect_wiped(name, n, [&] { function(keys_, block_.data(), in_.data(), out_.data(), n); });
    };
    expect_wiped("encrypt", n, [&] { ops_.encrypt(keys_, in_.data(), out_.data(), n); });
    expect_wiped("decrypt", n, [&] { ops_.decrypt(keys_, in_.data(), out_.data(), n); });
    run("cbc_encrypt", ops_.cbc_encrypt);
    run("cbc_decrypt", ops_.cbc_decrypt);
    run("cfb_encrypt", ops_.cfb_encrypt);
    run("cfb_decrypt", ops_.cfb_decrypt);
    run("ofb", ops_.ofb);
    for (const bool encrypts : {true, false}) {
      if (ops_.ccm != nullptr) {
        Bytes mac = block_;
        expect_wiped("ccm", n, [&] {
          ops_.ccm(keys_, encrypts, block_.data(), mac.data(), in_.data(), out_.data(), n);
        });
      }
      if (const std::size_t bytes = n * ops_.xex_batch[encrypts]; n < 9 && bytes != 0) {
        const std::uint8_t* const in = in_.data() + 64;
        expect_wiped("xex", n,
                     [&] { ops_.xex(keys_, encrypts, nullptr, in, in, out_.data(), bytes); });
      }
      if (ops_.xts != nullptr) {
        for (const bool has_iv : {false, true}) {
          const RoundKeys* const tweak_keys = has_iv ? &keys_ : nullptr;
          expect_wiped("xts", n, [&] {
            ops_.xts(keys_, tweak_keys, encrypts, block_.data(), in_.data(), out_.data(), n);
          });
        }
      }
    }
  }
}

TEST_P(EmulatedWipes, CounterMode) {
  for (const std::size_t n : {1U, 8U, 15U, 17U, 100U, 500U, 3000U, 9000U}) {
    for (const bool has_input : {true, false}) {
      expect_wiped("ctr", n, [&] {
        ops_.ctr(keys_, block_.data(), has_input ? in_.data() : nullptr, out_.data(), n);
      });
    }
    if (ops_.step != nullptr) {
      Bytes seed(64 + 16);
      expect_wiped("step", n,
                   [&] { ops_.step(keys_, block_.data(), out_.data(), n, seed.data()); });
    }
  }
}

TEST_P(EmulatedWipes, Keys) {
  if (ops_.expand != nullptr) {
    const Bytes key(cipher_.key_bytes, 3);
    expect_wiped("expand", key.size(), [&] { ops_.expand(key.data(), key.size(), &keys_); });
  }
  if (ops_.chain != nullptr) {
    Bytes key(cipher_.key_bytes, 3);
    ChainLink links[3];
    expect_wiped("chain", 3, [&] { ops_.chain(key.data(), block_.data(), 5, links, 3); });
  }
}

TEST_P(EmulatedWipes, Hashes) {
  const GhashOps* const hash = test::hash_of_gcm(ops_);
  if (hash == nullptr) return;
  GhashKey key;
  expect_wiped("GHASH's expand", 0, [&] { hash->expand(block_.data(), &key); });
  for (const std::size_t n : {1U, 7U, 40U, 600U}) {
    expect_wiped("GHASH's update", n, [&] { hash->update(key, block_.data(), in_.data(), n); });
    expect_wiped("POLYVAL", n, [&] { hash->polyval(key, block_.data(), in_.data(), n); });
    for (const bool encrypts : {true, false}) {
      expect_wiped("gcm", n, [&] {
        ops_.gcm->crypt(
            keys_, encrypts, key, block_.data(),
            {in_.data(), out_.data(), in_.data(), in_.data(), out_.data(), n, out_.data()});
      });
    }
  }
  GhashKey first;
  expect_wiped("GHASH's begin", 0, [&] { hash->begin(block_.data(), &first); });
  expect_wiped("GHASH's grow", 9, [&] { hash->grow(&first, 1, 9); });
}

INSTANTIATE_TEST_SUITE_P(Backends, EmulatedWipes, testing::ValuesIn(test::cases()),
                         test::case_name);

}  // namespace
}  // namespace gpuctr
