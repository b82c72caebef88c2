// Key wrapping beside OpenSSL's AES in the same mode: random sequences of calls, the same for both.
// Status, lengths and parameters are the stock cipher's, and each side's bytes are the model's.
#define OPENSSL_SUPPRESS_DEPRECATED  // EVP_CIPHER_CTX_iv_noconst
#include <openssl/core_names.h>
#include <openssl/params.h>

#include <algorithm>

#include "test/provider/stock/aead_pair.h"
#include "test/provider/stock/pair.h"
#include "test/provider/wrap/wrap_model.h"
#include "test/support/gtest_name.h"

namespace gpuctr::test {
namespace {

class WrapPair : public Pair {
 public:
  WrapPair(const Library& library, const CipherSpec& spec, const WrapMode& mode, unsigned seed)
      : Pair(Side(library.stock(std::string("AES-128-") + mode.name),
                  RawBlock(library.stock("AES-128-ECB")), 1),
             Side(library.cipher(std::string(spec.name) + "-" + mode.name), RawBlock(spec), 1),
             seed),
        mode_(mode) {
    start();
  }
  void step();

 private:
  void start();
  void init();
  void update();
  void final();
  void write_iv();
  void compare_state();

  int init_one(Side* side, bool with_cipher, int new_key, const Bytes* iv, int encrypt) const {
    return EVP_CipherInit_ex2(
        side->ctx.get(), with_cipher ? side->cipher.get() : nullptr,
        new_key < 0 ? nullptr : side->keys[static_cast<std::size_t>(new_key)].data(),
        iv == nullptr ? nullptr : iv->data(), encrypt, nullptr);
  }
  Bytes input(const Side& side, std::size_t n);

  const WrapMode& mode_;
  std::size_t key_ = 0;
  bool encrypt_ = true;
  bool has_iv_ = false, has_key_ = false;
  Bytes iv_;
  Bytes text_;  // that the next call wraps, or of which it unwraps the wrapped key
  bool spoilt_ = false;
};

void WrapPair::start() {
  both([](Side& side) { return EVP_CIPHER_CTX_reset(side.ctx.get()); });
  const bool allowed = chance(95);
  if (allowed) {
    for (const Side* side : {&stock, &ours}) {
      EVP_CIPHER_CTX_set_flags(side->ctx.get(), EVP_CIPHER_CTX_FLAG_WRAP_ALLOW);
    }
  }
  iv_ = bytes(mode_.pads ? 4 : 8);
  has_iv_ = chance(40);
  key_ = pick(kKeys);
  encrypt_ = chance(50);
  log("start: allowed ", allowed, ", key ", key_, ", encrypt ", encrypt_, ", IV ", has_iv_);
  has_key_ = both([&](Side& side) {
               return init_one(&side, true, static_cast<int>(key_), has_iv_ ? &iv_ : nullptr,
                               encrypt_ ? 1 : 0);
             }) == 1;
  if (!has_key_) start();
}

void WrapPair::init() {
  const Bytes iv = bytes(iv_.size());
  const bool with_iv = chance(40);
  int new_key = chance(40) ? static_cast<int>(pick(kKeys)) : -1;
  const int encrypt = static_cast<int>(pick(3)) - 1;
  // AES expands its key for one direction: see the table of differences.
  if (encrypt >= 0 && (encrypt == 1) != encrypt_ && new_key < 0) new_key = static_cast<int>(key_);
  log("init: key ", new_key, ", encrypt ", encrypt, ", IV ", with_iv ? to_hex(iv) : "none");
  both([&](Side& side) {
    return init_one(&side, false, new_key, with_iv ? &iv : nullptr, encrypt);
  });
  if (new_key >= 0) key_ = static_cast<std::size_t>(new_key);
  if (encrypt >= 0) encrypt_ = encrypt == 1;
  if (with_iv) iv_ = iv;
  has_iv_ = has_iv_ || with_iv;
}

// n bytes of input: the text, or a wrapped key, or bytes that are none.
Bytes WrapPair::input(const Side& side, std::size_t n) {
  if (encrypt_) return text_;
  const bool can = mode_.pads ? !text_.empty() : text_.size() % 8 == 0 && text_.size() >= 8;
  if (!can) return Bytes(n, 0x11);
  Bytes made = model_wrap(side.raw, mode_, side.keys[key_], has_iv_ ? &iv_ : nullptr, text_);
  if (spoilt_) made[n % made.size()] ^= 4;
  made.resize(n);
  return made;
}

void WrapPair::update() {
  text_ = bytes(chance(80) ? 8 * pick(6) : pick(60));
  spoilt_ = chance(20);
  std::size_t n = text_.size();
  if (!encrypt_ && n != 0) n = (n + 7) / 8 * 8 + 8;
  if (!encrypt_ && chance(10)) n += pick(9);
  const bool asks = chance(15);  // for the length of the output
  const bool no_input = chance(3);
  const bool one_shot = chance(10);
  const Place at{100 + pick(30), chance(60) ? 100 + pick(30) : 600};
  log("update: ", encrypt_ ? "wraps " : "unwraps ", n, " bytes, spoilt ", spoilt_, ", asks ", asks,
      ", in at ", at.in, ", out at ", at.out, ", one shot ", one_shot);
  int written[2] = {};
  std::string reasons[2];
  int status[2] = {};
  Bytes before;
  for (Side* side : {&stock, &ours}) {
    const int which = side == &ours ? 1 : 0;
    write_input(side, at.in, input(*side, n));
    if (which == 1) before = ours.memory;
    ERR_clear_error();
    std::uint8_t* const out = asks ? nullptr : side->memory.data() + at.out;
    const std::uint8_t* const in = no_input ? nullptr : side->memory.data() + at.in;
    // OpenSSL's EVP_Cipher() returns 1 after a failed check: see the table of differences.
    if (one_shot && !asks && encrypt_ && n % 8 == 0 && n >= 16) {
      status[which] = EVP_Cipher(side->ctx.get(), out, in, static_cast<unsigned>(n));
    } else {
      status[which] =
          EVP_CipherUpdate(side->ctx.get(), out, &written[which], in, static_cast<int>(n));
    }
    reasons[which] = take_reasons();
  }
  // OpenSSL's also raises EVP's "update error".
  const std::string more = ", digital envelope routines 189 update error";
  if (reasons[0].size() > more.size() &&
      reasons[0].compare(reasons[0].size() - more.size(), more.size(), more) == 0) {
    reasons[0].resize(reasons[0].size() - more.size());
  }
  EXPECT_EQ(status[0], status[1]);
  EXPECT_EQ(written[0], written[1]);
  EXPECT_EQ(reasons[0], reasons[1]);
  const auto begin = ours.memory.begin() + static_cast<std::ptrdiff_t>(at.out);
  const std::size_t room = encrypt_ ? (n + 7) / 8 * 8 + 8 : n < 8 ? 0 : n - 8;
  const bool is_called = !asks && !no_input && n != 0;
  for (std::size_t i = 0; i < before.size(); ++i) {  // a refused key leaves zeros
    if (is_called && i >= at.out && i < at.out + room) {
      EXPECT_TRUE(status[1] == 1 || ours.memory[i] == 0 || ours.memory[i] == before[i]) << i;
      continue;
    }
    ASSERT_EQ(before[i], ours.memory[i]) << "written at " << i << ", output at " << at.out;
  }
  if (status[1] != 1 || !is_called || written[1] == 0) return;
  const Bytes made(begin, begin + written[1]);
  const Bytes expected =
      encrypt_ ? model_wrap(ours.raw, mode_, ours.keys[key_], has_iv_ ? &iv_ : nullptr, text_)
               : text_;
  EXPECT_EQ(to_hex(made), to_hex(expected));
}

void WrapPair::final() {
  log("final");
  int size[2] = {-1, -1};
  both([&](Side& side) {
    return EVP_CipherFinal_ex(side.ctx.get(), side.memory.data(), &size[&side == &ours ? 1 : 0]);
  });
  EXPECT_EQ(size[0], size[1]);
}

// By the pointer that libcrypto hands out. Without an IV of its own the context does not use it.
void WrapPair::write_iv() {
  const Bytes iv = bytes(iv_.size());
  log("IV written: ", to_hex(iv));
  both([&](Side& side) {
    std::uint8_t* const at = EVP_CIPHER_CTX_iv_noconst(side.ctx.get());
    if (at == nullptr) return 0;
    std::copy(iv.begin(), iv.end(), at);
    return 1;
  });
  if (has_iv_) iv_ = iv;
}

void WrapPair::compare_state() {
  for (const char* name : {OSSL_CIPHER_PARAM_IV, OSSL_CIPHER_PARAM_UPDATED_IV}) {
    std::uint8_t iv[2][16] = {};
    std::size_t size[2] = {};
    both([&](Side& side) {
      const int which = &side == &ours ? 1 : 0;
      OSSL_PARAM params[] = {OSSL_PARAM_construct_octet_string(name, iv[which], 16),
                             OSSL_PARAM_construct_end()};
      const int status = EVP_CIPHER_CTX_get_params(side.ctx.get(), params);
      size[which] = params[0].return_size;
      return status;
    });
    EXPECT_EQ(size[0], size[1]) << name;
    EXPECT_TRUE(std::equal(iv[0], iv[0] + 16, iv[1])) << name;
  }
  for (const char* name : {OSSL_CIPHER_PARAM_IVLEN, OSSL_CIPHER_PARAM_KEYLEN,
                           OSSL_CIPHER_PARAM_PADDING, OSSL_CIPHER_PARAM_NUM}) {
    unsigned value[2] = {99, 99};
    both([&](Side& side) {
      OSSL_PARAM params[] = {OSSL_PARAM_construct_uint(name, &value[&side == &ours ? 1 : 0]),
                             OSSL_PARAM_construct_end()};
      return EVP_CIPHER_CTX_get_params(side.ctx.get(), params);
    });
    EXPECT_EQ(value[0], value[1]) << name;
  }
}

void WrapPair::step() {
  const std::size_t what = pick(100);
  if (what < 60) {
    update();
  } else if (what < 68) {
    final();
  } else if (what < 78) {
    init();
  } else if (what < 84) {
    copy();
    log("copy");
  } else if (what < 89) {
    const int on = static_cast<int>(pick(2));
    log("padding = ", on);
    both([&](Side& side) { return EVP_CIPHER_CTX_set_padding(side.ctx.get(), on); });
  } else if (what < 94) {
    write_iv();
  } else {
    start();
  }
  compare_state();
}

std::vector<std::size_t> wide_ciphers() {
  std::vector<std::size_t> indices;
  for (std::size_t i = 0; i < kCipherCount; ++i) {
    if (cipher_spec(i).block_bytes == 16 && cipher_spec(i).key_bytes == 16) indices.push_back(i);
  }
  return indices;
}

class StockWrap : public testing::TestWithParam<std::tuple<std::size_t, int>> {};

TEST_P(StockWrap, DoesWhatTheStockCipherDoes) {
  static const Library library;
  const WrapMode& mode = kWrapModes[std::get<1>(GetParam())];
  for (unsigned seed = 1; seed <= 40; ++seed) {
    WrapPair pair(library, cipher_spec(std::get<0>(GetParam())), mode, seed);
    for (int i = 0; i < 60 && !HasFailure(); ++i) pair.step();
    ASSERT_FALSE(HasFailure()) << "sequence " << seed << ":\n" << pair.history();
  }
}

TEST_P(StockWrap, IsDescribedAsTheStockCipher) {
  static const Library library;
  const std::string mode = kWrapModes[std::get<1>(GetParam())].name;
  const CipherSpec& spec = cipher_spec(std::get<0>(GetParam()));
  const Evp<EVP_CIPHER> stock = library.stock("AES-128-" + mode);
  const Evp<EVP_CIPHER> ours = library.cipher(spec.name + ("-" + mode));
  ASSERT_NE(ours, nullptr);
  EXPECT_EQ(EVP_CIPHER_get_flags(ours.get()), EVP_CIPHER_get_flags(stock.get()));
  EXPECT_EQ(EVP_CIPHER_get_mode(ours.get()), EVP_CIPH_WRAP_MODE);
  EXPECT_EQ(EVP_CIPHER_get_iv_length(ours.get()), EVP_CIPHER_get_iv_length(stock.get()));
  EXPECT_EQ(EVP_CIPHER_get_block_size(ours.get()), EVP_CIPHER_get_block_size(stock.get()));
  if (spec.name == std::string("AES-128")) {
    EXPECT_EQ(EVP_CIPHER_get_nid(ours.get()), EVP_CIPHER_get_nid(stock.get()));
  }
  const OSSL_PARAM* const gettable = EVP_CIPHER_gettable_ctx_params(ours.get());
  for (auto* p = EVP_CIPHER_gettable_ctx_params(stock.get()); p->key != nullptr; ++p) {
    if (std::string(p->key) == OSSL_CIPHER_PARAM_TLS_MAC) continue;  // of CBC
    EXPECT_TRUE(lists(gettable, *p)) << p->key;
  }
}

// The names and OIDs of OpenSSL's, and of the RFCs.
TEST(StockWrapNames, AreFound) {
  static const Library library;
  const struct {
    const char *cipher, *name, *same;
  } names[] = {
      {"AES-128", "AES-128-WRAP", "id-aes128-wrap"},
      {"AES-192", "AES-192-WRAP", "AES192-WRAP"},
      {"AES-256", "AES-256-WRAP-PAD", "2.16.840.1.101.3.4.1.48"},
      {"AES-128", "AES-128-WRAP-PAD-INV", "AES128-WRAP-PAD-INV"},
      {"ARIA-128", "ARIA-128-WRAP", "1.2.410.200046.1.1.40"},
      {"ARIA-256", "ARIA-256-WRAP-PAD", "id-aria256-kwp"},
      {"CAMELLIA-192", "CAMELLIA-192-WRAP", "id-camellia192-wrap"},
      {"SEED", "SEED-WRAP", "1.2.410.200004.7.1.1.1"},
  };
  for (const auto& row : names) {
    if (find_cipher(row.cipher) == nullptr) continue;  // not in this build
    const Evp<EVP_CIPHER> cipher = library.cipher(row.same);
    ASSERT_NE(cipher, nullptr) << row.same;
    EXPECT_STREQ(EVP_CIPHER_get0_name(cipher.get()), row.name);
  }
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(StockWrap);
INSTANTIATE_TEST_SUITE_P(AllCiphers, StockWrap,
                         testing::Combine(testing::ValuesIn(wide_ciphers()), testing::Range(0, 4)),
                         [](const auto& param) {
                           return gtest_name(
                               std::string(cipher_spec(std::get<0>(param.param)).name) + "_" +
                               kWrapModes[std::get<1>(param.param)].name);
                         });

}  // namespace
}  // namespace gpuctr::test
