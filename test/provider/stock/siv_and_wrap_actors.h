// What differences_test.cpp does with GCM-SIV and with key wrapping.
#ifndef GPUCTR_TEST_PROVIDER_STOCK_SIV_AND_WRAP_ACTORS_H
#define GPUCTR_TEST_PROVIDER_STOCK_SIV_AND_WRAP_ACTORS_H

#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "test/provider/stock/actor.h"

namespace gpuctr::test {

// GCM-SIV: the output of a text with a wrong tag, and the final.
inline std::string text_of_a_wrong_tag(Actor& a) {
  std::uint8_t before[16];
  std::memcpy(before, a.memory, sizeof before);
  a.begin(false);
  EXPECT_EQ(1, EVP_CIPHER_CTX_ctrl(a.ctx.get(), EVP_CTRL_AEAD_SET_TAG, 16, a.memory + 64));
  a.update(0, 0, 16);
  EXPECT_EQ(a.final(), "refused");
  return a.bytes(0, 16) == Bytes(16)                         ? "zeros"
         : std::memcmp(a.memory, before, sizeof before) == 0 ? "as it was"
                                                             : "a text";
}

// Key wrapping: bytes that are no wrapped key.
inline std::string unwrap_by_one_shot(Actor& a) {
  a.begin(false);
  return a.one_shot(100, 0, 24);
}
inline std::string errors_of_a_failed_unwrap(Actor& a) {
  a.begin(false);
  int written = 0, count = 0;
  EXPECT_EQ(0, EVP_CipherUpdate(a.ctx.get(), a.memory + 100, &written, a.memory, 24));
  while (ERR_get_error() != 0) ++count;
  return std::to_string(count);
}
inline std::string unwrap_turned_without_a_key(Actor& a) {
  EXPECT_EQ(a.update(100, 0, 16), "24");
  EXPECT_EQ(1, EVP_CipherInit_ex2(a.ctx.get(), nullptr, nullptr, nullptr, 0, nullptr));
  return a.update(150, 100, 24);
}

}  // namespace gpuctr::test

#endif
