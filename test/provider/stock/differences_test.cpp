// Where our ciphers differ from stock ones on purpose: what the sequences of stock_*_test.cpp leave
// out. gpuctr(7) has the same list, with the same words.
#include <gtest/gtest.h>
#include <openssl/core_names.h>
#include <openssl/params.h>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>

#include "test/provider/stock/actor.h"
#include "test/provider/stock/siv_and_wrap_actors.h"

namespace gpuctr::test {
namespace {

// XTS: an init that encryption refuses, because its two keys are equal.
std::string refused_keys_and_an_iv(Actor& a) {
  const std::uint8_t equal[32] = {}, iv[16] = {77};
  EXPECT_EQ(a.update(0, 64, 16), "16");
  EXPECT_EQ(0, EVP_CipherInit_ex2(a.ctx.get(), nullptr, equal, iv, -1, nullptr));
  EXPECT_EQ(a.update(32, 64, 16), "16");
  return a.bytes(0, 16) == a.bytes(32, 16) ? "the old IV" : "the new IV";
}
std::string errors_of_a_long_unit(Actor& a) {
  int written = 0, errors = 0;
  EXPECT_EQ(0, EVP_CipherUpdate(a.ctx.get(), a.memory, &written, a.memory, (1 << 24) + 1));
  while (ERR_get_error() != 0) ++errors;
  return std::to_string(errors);
}

struct Difference {
  const char* words;  // of gpuctr(7), on one line
  const char* mode;
  std::string (*act)(Actor&);
  const char* stock;
  const char* ours;
  const char* later_stock;  // of a later version, where it is another answer; else nullptr
};

// `num` where no block is in use, over text of zeros, so that the output is keystream.
std::string num_between_blocks(Actor& a, int first) {
  std::memset(a.memory, 0, sizeof a.memory);
  a.update(0, 0, first);
  a.update(32, 64, 32 - first);
  if (a.set(OSSL_CIPHER_PARAM_NUM, 4) == "refused") return "refused";
  a.update(100, 64, 12);
  if (a.bytes(100, 12) == Bytes(12)) return "no keystream";
  return a.bytes(100, 12) == a.bytes(32, 12) ? "the keystream of before" : "new keystream";
}

std::string update_in_place_while_bytes_wait(Actor& a) {
  a.update(100, 0, 5);
  return a.update(0, 0, 32);
}

std::string turned_without_a_key(Actor& a) {
  const Bytes text = a.bytes(64, 16);
  EXPECT_EQ(a.update(0, 64, 16), "16");
  EXPECT_EQ(1, EVP_CipherInit_ex2(a.ctx.get(), nullptr, nullptr, nullptr, 0, nullptr));
  EVP_CIPHER_CTX_set_padding(a.ctx.get(), 0);
  EXPECT_EQ(a.update(32, 0, 16), "16");
  return a.bytes(32, 16) == text ? "the text" : "neither direction's bytes";
}

// A Final that refuses bad padding, and what the context has after that.
std::string final_again(Actor& a) {
  std::memset(a.memory + 64, 0x55, 16);  // no padding
  EVP_CIPHER_CTX_set_padding(a.ctx.get(), 0);
  EXPECT_EQ(a.update(0, 64, 16), "16");
  a.begin(false);
  EXPECT_EQ(a.update(32, 0, 16), "0");
  EXPECT_EQ(a.final(), "refused");
  EVP_CIPHER_CTX_set_padding(a.ctx.get(), 0);
  EXPECT_EQ(a.final(), "16");
  return a.bytes(0, 16) == a.bytes(64, 16) ? "the text" : "the text decrypted again";
}

// A new key, and no IV, after the first data.
std::string new_key_in_a_message(Actor& a) {
  a.update(0, 0, 16);
  EXPECT_EQ(1, EVP_CipherInit_ex2(a.ctx.get(), nullptr, a.key, nullptr, -1, nullptr));
  return a.update(32, 32, 16);
}

// More text after the end of a message with a wrong tag.
std::string go_on_after_a_wrong_tag(Actor& a) {
  a.begin(false);
  EXPECT_EQ(a.update(0, 0, 16), "16");
  EXPECT_EQ(1, EVP_CIPHER_CTX_ctrl(a.ctx.get(), EVP_CTRL_AEAD_SET_TAG, 16, a.memory + 64));
  EXPECT_EQ(a.final(), "refused");
  return a.update(32, 32, 16);
}

// The header of a record that is too short for its explicit IV, and then data.
std::string go_on_after_a_refused_header(Actor& a) {
  std::uint8_t header[13] = {};
  const OSSL_PARAM params[] = {
      OSSL_PARAM_construct_octet_string(OSSL_CIPHER_PARAM_AEAD_TLS1_AAD, header, sizeof header),
      OSSL_PARAM_construct_end()};
  EXPECT_EQ(0, EVP_CIPHER_CTX_set_params(a.ctx.get(), params));
  return a.update(0, 0, 16);
}

// A tag that nobody asked for, after one that was made.
std::string refused_tag_then_the_made_one(Actor& a) {
  a.update(0, 0, 16);
  EXPECT_EQ(a.final(), "0");
  std::uint8_t made[16], other[16] = {9}, now[16];
  EXPECT_EQ(1, EVP_CIPHER_CTX_ctrl(a.ctx.get(), EVP_CTRL_AEAD_GET_TAG, 16, made));
  const OSSL_PARAM params[] = {
      OSSL_PARAM_construct_octet_string(OSSL_CIPHER_PARAM_AEAD_TAG, other, sizeof other),
      OSSL_PARAM_construct_end()};
  EXPECT_EQ(0, EVP_CIPHER_CTX_set_params(a.ctx.get(), params));
  EXPECT_EQ(1, EVP_CIPHER_CTX_ctrl(a.ctx.get(), EVP_CTRL_AEAD_GET_TAG, 16, now));
  return std::memcmp(made, now, sizeof now) == 0 ? "the made one" : "the refused one";
}

// Two IVs made by EVP_CTRL_GCM_IV_GEN: "counted" if the second is the first plus one.
std::string generate_iv(Actor& a, int iv_bytes) {
  std::uint8_t first[16] = {}, second[16] = {};
  EXPECT_EQ(1, EVP_CIPHER_CTX_ctrl(a.ctx.get(), EVP_CTRL_AEAD_SET_IVLEN, iv_bytes, nullptr));
  EXPECT_EQ(1, EVP_CIPHER_CTX_ctrl(a.ctx.get(), EVP_CTRL_GCM_SET_IV_FIXED, -1, a.iv));
  const bool made = EVP_CIPHER_CTX_ctrl(a.ctx.get(), EVP_CTRL_GCM_IV_GEN, iv_bytes, first) == 1 &&
                    EVP_CIPHER_CTX_ctrl(a.ctx.get(), EVP_CTRL_GCM_IV_GEN, iv_bytes, second) == 1;
  ERR_clear_error();
  if (!made) return "refused";
  return second[iv_bytes - 1] == first[iv_bytes - 1] + 1 ? "counted" : "another";
}

// The tag of a message, asked for after some text of the next one.
std::string tag_in_the_next_message(Actor& a, bool announced, unsigned n) {
  a.update(0, 0, 20);
  if (!announced) {
    EXPECT_EQ(a.final(), "0");
  }
  EXPECT_EQ(1, EVP_CipherInit_ex2(a.ctx.get(), nullptr, a.key, a.memory, -1, nullptr));
  int written = 0;
  EXPECT_EQ(1, EVP_CipherUpdate(a.ctx.get(), announced ? nullptr : a.memory, &written,
                                announced ? nullptr : a.memory, 20));
  std::uint8_t tag[16];
  const int status =
      EVP_CIPHER_CTX_ctrl(a.ctx.get(), EVP_CTRL_AEAD_GET_TAG, static_cast<int>(n), tag);
  ERR_clear_error();
  return status == 1 ? "a tag" : "refused";
}

std::string length_of_the_key_as_octets(Actor& a) {
  std::uint8_t octets[8] = {16};
  const OSSL_PARAM params[] = {
      OSSL_PARAM_construct_octet_string(OSSL_CIPHER_PARAM_KEYLEN, octets, sizeof octets),
      OSSL_PARAM_construct_end()};
  const int status = EVP_CIPHER_CTX_set_params(a.ctx.get(), params);
  ERR_clear_error();
  return status == 1 ? "0" : "refused";
}

std::string padding_of_no_bytes(Actor& a) {
  unsigned none = 0;
  const OSSL_PARAM params[] = {
      {OSSL_CIPHER_PARAM_PADDING, OSSL_PARAM_UNSIGNED_INTEGER, &none, 0, OSSL_PARAM_UNMODIFIED},
      OSSL_PARAM_construct_end()};
  const int status = EVP_CIPHER_CTX_set_params(a.ctx.get(), params);
  ERR_clear_error();
  return status == 1 ? "0" : "refused";
}

// GCM: data without input is a final, and EVP_Cipher() counts it as done.
std::string data_without_input(Actor& a) {
  const int n = EVP_Cipher(a.ctx.get(), a.memory, nullptr, 16);
  ERR_clear_error();
  return n < 0 ? "refused" : std::to_string(n);
}

// An IV of 7 bytes, asked for with more room than OpenSSL's context has behind it.
std::string iv_without_a_buffer(Actor& a) {
  OSSL_PARAM params[] = {OSSL_PARAM_construct_octet_string(OSSL_CIPHER_PARAM_IV, nullptr, 0),
                         OSSL_PARAM_construct_end()};
  const bool answered = EVP_CIPHER_CTX_get_params(a.ctx.get(), params) == 1;
  ERR_clear_error();
  return answered ? std::to_string(params[0].return_size) : "refused";
}
std::string iv_with_room(Actor& a, std::size_t room) {
  Bytes iv(room, 0xa5);
  OSSL_PARAM params[] = {OSSL_PARAM_construct_octet_string(OSSL_CIPHER_PARAM_IV, iv.data(), room),
                         OSSL_PARAM_construct_end()};
  EXPECT_EQ(1, EVP_CIPHER_CTX_get_params(a.ctx.get(), params));
  return std::to_string(params[0].return_size);
}

// CCM: associated data, or, without a place for output, a text's length.
std::string announce(Actor& a, int n) {
  int written = 0;
  const int status = EVP_CipherUpdate(a.ctx.get(), nullptr, &written, nullptr, n);
  ERR_clear_error();
  return status == 1 ? std::to_string(written) : "refused";
}
std::string associated(Actor& a, int n) {
  int written = 0;
  const int status = EVP_CipherUpdate(a.ctx.get(), nullptr, &written, a.memory, n);
  ERR_clear_error();
  return status == 1 ? std::to_string(written) : "refused";
}
std::string associated_twice(Actor& a) {
  EXPECT_EQ(announce(a, 16), "16");
  EXPECT_EQ(associated(a, 5), "5");
  return associated(a, 5);
}
std::string associated_after_the_text(Actor& a) {
  EXPECT_EQ(a.update(0, 0, 16), "16");
  return associated(a, 5);
}
std::string second_text_of_an_iv(Actor& a) {
  EXPECT_EQ(a.update(0, 0, 16), "16");
  if (announce(a, 16) == "refused") return "refused";
  return a.update(32, 32, 16);
}
std::string new_iv_after_a_length(Actor& a) {
  EXPECT_EQ(announce(a, 16), "16");
  EXPECT_EQ(1, EVP_CipherInit_ex2(a.ctx.get(), nullptr, nullptr, a.memory, -1, nullptr));
  return a.update(0, 0, 20);
}
std::string iv_longer_than_the_keys(Actor& a) {
  EXPECT_EQ(a.set(OSSL_CIPHER_PARAM_IVLEN, 13), "0");
  EXPECT_EQ(1, EVP_CipherInit_ex2(a.ctx.get(), nullptr, nullptr, a.memory, -1, nullptr));
  return a.update(0, 0, 16);
}
std::string new_key_after_a_length(Actor& a) {
  EXPECT_EQ(announce(a, 16), "16");
  EXPECT_EQ(1, EVP_CipherInit_ex2(a.ctx.get(), nullptr, a.key, nullptr, -1, nullptr));
  return announce(a, 16);
}
std::string text_of_another_length(Actor& a) {
  EXPECT_EQ(announce(a, 16), "16");
  EXPECT_EQ(a.update(0, 0, 15), "refused");
  return a.update(0, 0, 16);
}
std::string length_after_a_wrong_tag(Actor& a) {
  a.begin(false);
  EXPECT_EQ(1, EVP_CIPHER_CTX_ctrl(a.ctx.get(), EVP_CTRL_AEAD_SET_TAG, 12, a.memory + 64));
  EXPECT_EQ(a.update(0, 0, 16), "refused");
  return announce(a, 16);
}
std::string tag_of_no_text(Actor& a) {
  EXPECT_EQ(a.final(), "0");
  const bool made = EVP_CIPHER_CTX_ctrl(a.ctx.get(), EVP_CTRL_AEAD_GET_TAG, 12, a.memory) == 1;
  ERR_clear_error();
  return made ? "a tag" : "none";
}
std::string direction_alone(Actor& a) {
  EXPECT_EQ(a.update(0, 0, 16), "16");
  EXPECT_EQ(1, EVP_CIPHER_CTX_ctrl(a.ctx.get(), EVP_CTRL_AEAD_GET_TAG, 12, a.memory + 64));
  EXPECT_EQ(1, EVP_CipherInit_ex2(a.ctx.get(), nullptr, nullptr, a.iv, 0, nullptr));
  EXPECT_EQ(1, EVP_CIPHER_CTX_ctrl(a.ctx.get(), EVP_CTRL_AEAD_SET_TAG, 12, a.memory + 64));
  return a.update(0, 0, 16);
}
// Records of 40 bytes, with a header for each of them, or for the first.
std::string second_record(Actor& a, std::size_t iv_bytes, bool fixed, int headers) {
  std::uint8_t header[13] = {};
  header[12] = 28;
  EXPECT_EQ(1, EVP_CIPHER_CTX_reset(a.ctx.get()));
  a.without_key();
  EXPECT_EQ(a.set(OSSL_CIPHER_PARAM_IVLEN, static_cast<unsigned>(iv_bytes)), "0");
  if (fixed) {
    EXPECT_EQ(1, EVP_CIPHER_CTX_ctrl(a.ctx.get(), EVP_CTRL_AEAD_SET_IV_FIXED, 4, a.memory));
  }
  EXPECT_EQ(1, EVP_CipherInit_ex2(a.ctx.get(), nullptr, a.key, nullptr, -1, nullptr));
  std::string last;
  for (int i = 0; i < 2; ++i) {
    if (i < headers) {
      ++header[7];
      EXPECT_EQ(12, EVP_CIPHER_CTX_ctrl(a.ctx.get(), EVP_CTRL_AEAD_TLS1_AAD, 13, header));
    }
    last = a.update(0, 0, 40);
  }
  return last;
}

const Difference kDifferences[] = {
    {"A key without an IV encrypts nothing", "CTR",
     [](Actor& a) {
       a.without_iv();
       return a.update(0, 0, 20);
     },
     "20", "refused", nullptr},
    {"that overlap otherwise than in place are refused", "CTR",
     [](Actor& a) { return a.update(1, 0, 64); }, "64", "refused", nullptr},
    {"that overlap otherwise than in place are refused", "ECB",
     [](Actor& a) { return a.update(1, 0, 64); }, "64", "refused", nullptr},
    {"that overlap otherwise than in place are refused", "ECB", update_in_place_while_bytes_wait,
     "32", "refused", nullptr},
    {"that overlap otherwise than in place are refused", "ECB",
     [](Actor& a) { return a.one_shot(1, 0, 64); }, "64", "refused", nullptr},
    {"A key without an IV encrypts nothing", "CBC",
     [](Actor& a) {
       a.without_iv();
       return a.update(0, 0, 20);
     },
     "16", "refused", nullptr},
    {"takes whole blocks in ECB", "ECB", [](Actor& a) { return a.one_shot(100, 0, 17); }, "17",
     "refused", nullptr},
    {"A key without an IV encrypts nothing", "CFB",
     [](Actor& a) {
       a.without_iv();
       return a.update(0, 0, 20);
     },
     "20", "refused", nullptr},
    {"A key without an IV encrypts nothing", "OFB",
     [](Actor& a) {
       a.without_iv();
       return a.update(0, 0, 20);
     },
     "20", "refused", nullptr},
    {"that overlap otherwise than in place are refused", "CFB8",
     [](Actor& a) { return a.update(1, 0, 64); }, "64", "refused", nullptr},
    {"that overlap otherwise than in place are refused", "OFB",
     [](Actor& a) { return a.one_shot(1, 0, 64); }, "64", "refused", nullptr},
    {"of a block or more is refused", "CFB1",
     [](Actor& a) { return a.set(OSSL_CIPHER_PARAM_NUM, 16); }, "0", "refused", "refused"},
    {"of a block or more is refused", "CTR",
     [](Actor& a) { return a.set(OSSL_CIPHER_PARAM_NUM, 16); }, "0", "refused", "refused"},
    {"it begins the next one", "CTR", [](Actor& a) { return num_between_blocks(a, 20); },
     "the keystream of before", "new keystream", "refused"},
    {"it begins the next one", "CTR", [](Actor& a) { return num_between_blocks(a, 32); },
     "no keystream", "new keystream", "refused"},
    {"An init with only a direction switches ECB", "ECB", turned_without_a_key,
     "neither direction's bytes", "the text", nullptr},
    {"A call that is refused leaves the context as it was", "ECB", final_again,
     "the text decrypted again", "the text", nullptr},
    {"that overlap otherwise than in place are refused", "GCM",
     [](Actor& a) { return a.update(1, 0, 64); }, "64", "refused", nullptr},
    {"ends with the first key", "GCM", new_key_in_a_message, "16", "refused", nullptr},
    {"below 8 bytes, which has no room for the counter", "GCM",
     [](Actor& a) { return generate_iv(a, 7); }, "counted", "refused", nullptr},
    {"below 8 bytes, which has no room for the counter", "GCM",
     [](Actor& a) { return generate_iv(a, 8); }, "counted", "counted", nullptr},
    {"A wrong tag ends its message", "GCM", go_on_after_a_wrong_tag, "16", "refused", nullptr},
    {"A call that is refused leaves the context as it was", "GCM", go_on_after_a_refused_header,
     "refused", "16", nullptr},
    {"A call that is refused leaves the context as it was", "GCM", refused_tag_then_the_made_one,
     "the refused one", "the made one", "the made one"},
    {"that overlap otherwise than in place are refused", "CCM",
     [](Actor& a) { return a.update(1, 0, 64); }, "64", "refused", nullptr},
    {"ends with the first key", "CCM", new_key_after_a_length, "16", "refused", nullptr},
    {"A wrong tag ends its message", "CCM", length_after_a_wrong_tag, "16", "refused", nullptr},
    {"A call that is refused leaves the context as it was", "CCM", text_of_another_length,
     "refused", "16", nullptr},
    {"An IV in CCM encrypts one text", "CCM", second_text_of_an_iv, "16", "refused", nullptr},
    {"A new IV in CCM begins a new message", "CCM", new_iv_after_a_length, "refused", "20",
     nullptr},
    {"Associated data of CCM that comes twice", "CCM", associated_twice, "5", "refused", nullptr},
    {"Associated data of CCM that comes twice", "CCM", associated_after_the_text, "5", "refused",
     nullptr},
    {"An IV in CCM that is longer than", "CCM", iv_longer_than_the_keys, "16", "refused", nullptr},
    {"A final in CCM takes an empty text", "CCM", tag_of_no_text, "none", "a tag", "a tag"},
    {"without buffers announces a length in CCM", "CCM",
     [](Actor& a) {
       const int n = EVP_Cipher(a.ctx.get(), nullptr, nullptr, 16);
       return std::to_string(n);
     },
     "16", "16", "0"},
    {"An init with only a direction switches ECB, CBC, CCM", "CCM", direction_alone, "refused",
     "16", "16"},
    {"A record of TLS in CCM has a header of its own", "CCM",
     [](Actor& a) { return second_record(a, 12, true, 1); }, "40", "refused", nullptr},
    {"no final", "CCM",
     [](Actor& a) {
       EXPECT_EQ(second_record(a, 12, true, 2), "40");
       return a.final();
     },
     "refused", "refused", "0"},
    {"A record of TLS in CCM has a header of its own", "CCM",
     [](Actor& a) { return second_record(a, 7, true, 2); }, "40", "refused", nullptr},
    {"A record of TLS in CCM has a header of its own", "CCM",
     [](Actor& a) { return second_record(a, 12, false, 2); }, "40", "refused", nullptr},
    {"A tag in GCM and CCM is handed out until the next message begins", "GCM",
     [](Actor& a) { return tag_in_the_next_message(a, false, 16); }, "a tag", "refused", nullptr},
    {"A tag in GCM and CCM is handed out until the next message begins", "CCM",
     [](Actor& a) { return tag_in_the_next_message(a, true, 12); }, "a tag", "refused", "refused"},
    {"without a buffer gives its length", "GCM", iv_without_a_buffer, "refused", "12", "12"},
    {"Data without an input or an output buffer is refused", "GCM", data_without_input, "16",
     "refused", "0"},
    {"An integer parameter of no bytes is refused", "CBC", padding_of_no_bytes, "0", "refused",
     nullptr},
    {"answers at most 16 bytes", "CCM", [](Actor& a) { return iv_with_room(a, 7); }, "7", "7",
     nullptr},
    {"answers at most 16 bytes", "CCM", [](Actor& a) { return iv_with_room(a, 16); }, "16", "16",
     nullptr},
    {"answers at most 16 bytes", "CCM", [](Actor& a) { return iv_with_room(a, 17); }, "17", "16",
     nullptr},
    {"that overlap otherwise than in place are refused", "XTS",
     [](Actor& a) { return a.update(1, 0, 64); }, "64", "refused", nullptr},
    {"An init with only a direction switches ECB, CBC, CCM, XTS", "XTS", turned_without_a_key,
     "neither direction's bytes", "the text", nullptr},
    {"A call that is refused leaves the context as it was", "XTS", refused_keys_and_an_iv,
     "the new IV", "the old IV", nullptr},
    {"A key without an IV encrypts nothing", "GCM-SIV",
     [](Actor& a) {
       a.without_iv();
       return a.update(0, 0, 20);
     },
     "20", "refused", nullptr},
    {"gives zeros; OpenSSL's writes the text", "GCM-SIV", text_of_a_wrong_tag, "a text", "zeros",
     nullptr},
    {"that overlap otherwise than in place are refused", "GCM-SIV",
     [](Actor& a) { return a.update(1, 0, 64); }, "64", "refused", nullptr},
    {"A data unit of XTS above 2^24 bytes raises one error", "XTS", errors_of_a_long_unit, "2", "1",
     nullptr},
    {"one that is no integer", "CTR", length_of_the_key_as_octets, "0", "refused", "refused"},
    {"returns 0; OpenSSL's returns 1", "WRAP", unwrap_by_one_shot, "1", "0", nullptr},
    {"An update that fails has only the provider's error", "WRAP", errors_of_a_failed_unwrap, "2",
     "1", nullptr},
    {"An init with only a direction switches ECB, CBC, CCM, XTS and key wrapping", "WRAP",
     unwrap_turned_without_a_key, "refused", "16", nullptr},
    {"Another key length", "CTR", [](Actor& a) { return a.set(OSSL_CIPHER_PARAM_KEYLEN, 24); }, "0",
     "refused", nullptr},
};

TEST(Differences, AreThoseOfTheTable) {
  static const Library library;
  const bool has_siv =
      library.stock("AES-128-GCM-SIV") != nullptr && library.cipher("AES-128-GCM-SIV") != nullptr;
  ERR_clear_error();
  if (!has_siv) std::printf("this OpenSSL, or this build, has no GCM-SIV to compare\n");
  for (const Difference& d : kDifferences) {
    const bool siv = std::strcmp(d.mode, "GCM-SIV") == 0;  // of AES only, and not in OpenSSL 3.0
    if (siv && !has_siv) continue;
    Actor stock(library.stock(std::string("AES-128-") + d.mode));
    Actor ours(library.cipher((siv ? "AES-128-" : "LEA-128-") + std::string(d.mode)));
    const std::string theirs = d.act(stock);
    EXPECT_TRUE(theirs == d.stock || (d.later_stock != nullptr && theirs == d.later_stock))
        << d.words << ": " << theirs;
    EXPECT_EQ(d.act(ours), d.ours) << d.words;
  }
}

constexpr char kDesBits[] = "takes a number of bits like the other ciphers";

// How many bytes of the output an update of 9 bits writes.
std::size_t written_by_9_bits(const EVP_CIPHER* cipher) {
  const std::uint8_t key[8] = {1}, iv[8] = {2}, in[32] = {3};
  const Evp<EVP_CIPHER_CTX> ctx(EVP_CIPHER_CTX_new());
  EXPECT_EQ(1, EVP_EncryptInit_ex2(ctx.get(), cipher, key, iv, nullptr));
  EVP_CIPHER_CTX_set_flags(ctx.get(), EVP_CIPH_FLAG_LENGTH_BITS);
  Bytes first(32), second(32, 0xff);  // a byte that is written becomes the same
  for (Bytes* out : {&first, &second}) {
    EXPECT_EQ(1, EVP_EncryptInit_ex2(ctx.get(), nullptr, nullptr, iv, nullptr));
    int n = 0;
    EXPECT_EQ(1, EVP_EncryptUpdate(ctx.get(), out->data(), &n, in, 9));
    EXPECT_EQ(n, 9);
  }
  std::size_t written = 0;
  for (std::size_t i = 0; i < first.size(); ++i) written += first[i] != 0 || second[i] != 0xff;
  return written;
}

TEST(Differences, DesTakesBits) {
  static const Library library;
  const Evp<EVP_CIPHER> ours = library.cipher("DES-CFB1");
  if (ours == nullptr) GTEST_SKIP() << "a build without DES";
  EXPECT_EQ(written_by_9_bits(ours.get()), 2u);
  const Evp<OSSL_PROVIDER> legacy(OSSL_PROVIDER_try_load(library.get(), "legacy", 1));
  const Evp<EVP_CIPHER> stock = library.stock("DES-CFB1");
  if (stock != nullptr) {
    EXPECT_EQ(written_by_9_bits(stock.get()), 9u);
  }
  ERR_clear_error();
}

TEST(Differences, AreInTheManual) {
  std::ifstream file(GPUCTR_MANUAL);
  std::stringstream manual;
  manual << file.rdbuf();
  for (const Difference& d : kDifferences) {
    EXPECT_NE(manual.str().find(d.words), std::string::npos) << d.words;
  }
  EXPECT_NE(manual.str().find(kDesBits), std::string::npos);
}

}  // namespace
}  // namespace gpuctr::test
