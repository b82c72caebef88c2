// XTS against libcrypto's own of the same cipher: random sequences of calls, the same for both.
// Status, errors, output and parameters of every call are the stock cipher's.
#define OPENSSL_SUPPRESS_DEPRECATED  // EVP_CIPHER_CTX_iv_noconst
#include <openssl/core_names.h>
#include <openssl/params.h>
#include <openssl/proverr.h>

#include <algorithm>

#include "test/provider/stock/aead_pair.h"
#include "test/provider/stock/pair.h"
#include "test/support/gtest_name.h"

namespace gpuctr::test {
namespace {

class XtsPair : public Pair {
 public:
  XtsPair(const Library& library, const CipherSpec& spec, unsigned seed)
      : Pair(side(library.stock(std::string(spec.name) + "-XTS"), spec),
             side(library.cipher(std::string(spec.name) + "-XTS"), spec), seed) {
    ours.keys = stock.keys;
    // The last key is two equal keys.
    Bytes& equal = stock.keys.back();
    std::copy_n(equal.begin(), equal.size() / 2,
                equal.begin() + static_cast<std::ptrdiff_t>(equal.size() / 2));
    ours.keys.back() = equal;
    start();
  }
  void step();

 private:
  static Side side(Evp<EVP_CIPHER> cipher, const CipherSpec& spec) {
    return Side(std::move(cipher), RawBlock(spec), 1);
  }
  void start();
  void init();
  void unit(std::size_t n, Update how);
  void missing_buffer();
  void final();
  void set_params();
  void write_iv();
  void refuse();
  void compare_state();

  int init_one(Side* side, bool with_cipher, const Bytes* key, const Bytes* iv, int encrypt) const {
    return EVP_CipherInit_ex2(side->ctx.get(), with_cipher ? side->cipher.get() : nullptr,
                              key == nullptr ? nullptr : key->data(),
                              iv == nullptr ? nullptr : iv->data(), encrypt, nullptr);
  }
  // Encryption refuses equal keys. A stock cipher keeps direction and IV of the refused call.
  bool refuses_key(std::size_t key, bool encrypt) const { return encrypt && key == kKeys - 1; }

  bool has_key_ = false;
  bool has_iv_ = false;
  bool encrypt_ = true;
};

void XtsPair::start() {
  both([](Side& side) { return EVP_CIPHER_CTX_reset(side.ctx.get()); });
  const Bytes iv = bytes(16);
  has_key_ = chance(95);
  has_iv_ = chance(95);
  encrypt_ = chance(50);
  const std::size_t key = pick(encrypt_ ? kKeys - 1 : kKeys);
  log("start: key ", has_key_ ? key : 99, ", encrypt ", encrypt_, ", IV ", has_iv_);
  both([&](Side& side) {
    return init_one(&side, true, has_key_ ? &side.keys[key] : nullptr, has_iv_ ? &iv : nullptr,
                    encrypt_ ? 1 : 0);
  });
}

void XtsPair::init() {
  const Bytes iv = bytes(16);
  const bool with_iv = chance(60), with_key = chance(40);
  const std::size_t key = pick(kKeys);
  int encrypt = static_cast<int>(pick(3)) - 1;
  // A stock cipher expands its key for one direction: see the table of differences.
  if (!with_key && has_key_) encrypt = -1;
  const bool to_encrypt = encrypt < 0 ? encrypt_ : encrypt == 1;
  const bool refused = with_key && refuses_key(key, to_encrypt);
  log("init: key ", with_key ? key : 99, ", encrypt ", encrypt, ", IV ", with_iv);
  both([&](Side& side) {
    return init_one(&side, false, with_key ? &side.keys[key] : nullptr, with_iv ? &iv : nullptr,
                    encrypt);
  });
  if (refused) return start();
  encrypt_ = to_encrypt;
  has_key_ = has_key_ || with_key;
  has_iv_ = has_iv_ || with_iv;
}

void XtsPair::unit(std::size_t n, Update how) {
  Place at{pick(40), 0};
  at.out = chance(60) ? at.in : 2000 + pick(40);
  log("unit: call ", static_cast<int>(how), ", ", n, " bytes, in at ", at.in, ", out at ", at.out);
  const Bytes in = bytes(n);
  write_input(&stock, at.in, in);
  ours.memory = stock.memory;
  const Answer answer = call(how, n, at);
  if (answer.status == 1) {
    EXPECT_EQ(to_hex(ours.memory), to_hex(stock.memory));
  }
}

void XtsPair::missing_buffer() {
  const bool in = chance(50), one_shot = chance(30);
  const int n = static_cast<int>(pick(64));
  log("missing ", in ? "input" : "output", ", one shot ", one_shot, ", ", n, " bytes");
  both([&](Side& side) {
    std::uint8_t* const to = in ? side.memory.data() : nullptr;
    const std::uint8_t* const from = in ? nullptr : side.memory.data();
    int written = 0;
    return one_shot ? EVP_Cipher(side.ctx.get(), to, from, static_cast<unsigned>(n))
                    : EVP_CipherUpdate(side.ctx.get(), to, &written, from, n);
  });
}

void XtsPair::final() {
  log("final");
  int size[2] = {7, 7};
  both([&](Side& side) {
    return EVP_CipherFinal_ex(side.ctx.get(), side.memory.data(), &size[&side == &ours ? 1 : 0]);
  });
  EXPECT_EQ(size[0], size[1]);
}

void XtsPair::set_params() {
  const int length = static_cast<int>(stock.keys[0].size()) + static_cast<int>(pick(3)) - 1;
  const int padding = static_cast<int>(pick(2));
  log("key length ", length, ", padding ", padding);
  both([&](Side& side) { return EVP_CIPHER_CTX_set_key_length(side.ctx.get(), length); });
  both([&](Side& side) {
    std::size_t bytes = static_cast<std::size_t>(length);
    const OSSL_PARAM params[] = {OSSL_PARAM_construct_size_t(OSSL_CIPHER_PARAM_KEYLEN, &bytes),
                                 OSSL_PARAM_construct_end()};
    return EVP_CIPHER_CTX_set_params(side.ctx.get(), params);
  });
  both([&](Side& side) { return EVP_CIPHER_CTX_set_padding(side.ctx.get(), padding); });
}

// By the pointer that libcrypto hands out.
void XtsPair::write_iv() {
  const Bytes iv = bytes(16);
  log("IV written");
  both([&](Side& side) {
    std::uint8_t* const at = EVP_CIPHER_CTX_iv_noconst(side.ctx.get());
    if (at == nullptr) return 0;
    std::copy(iv.begin(), iv.end(), at);
    return 1;
  });
}

// What the table of differences says is refused.
void XtsPair::refuse() {
  if (!has_key_ || !has_iv_) return;
  log("refused");
  refused(Update::kCipher, 64, {100, 101 + pick(63)});
  refused(Update::kCipher, 64, {100, 99 - pick(63)});
}

void XtsPair::compare_state() {
  for (const char* name : {OSSL_CIPHER_PARAM_IV, OSSL_CIPHER_PARAM_UPDATED_IV}) {
    Bytes iv[2] = {Bytes(16), Bytes(16)};
    both([&](Side& side) {
      OSSL_PARAM params[] = {
          OSSL_PARAM_construct_octet_string(name, iv[&side == &ours ? 1 : 0].data(), 16),
          OSSL_PARAM_construct_end()};
      return EVP_CIPHER_CTX_get_params(side.ctx.get(), params);
    });
    EXPECT_EQ(to_hex(iv[0]), to_hex(iv[1])) << name;
  }
  for (const char* name : {OSSL_CIPHER_PARAM_KEYLEN, OSSL_CIPHER_PARAM_IVLEN,
                           OSSL_CIPHER_PARAM_PADDING, OSSL_CIPHER_PARAM_NUM}) {
    unsigned value[2] = {77, 77};
    both([&](Side& side) {
      OSSL_PARAM params[] = {OSSL_PARAM_construct_uint(name, &value[&side == &ours ? 1 : 0]),
                             OSSL_PARAM_construct_end()};
      return EVP_CIPHER_CTX_get_params(side.ctx.get(), params);
    });
    EXPECT_EQ(value[0], value[1]) << name;
  }
}

void XtsPair::step() {
  const std::size_t what = pick(100);
  if (what < 45) {
    const std::size_t n = chance(10) ? pick(1900) : chance(15) ? pick(18) : 16 + pick(185);
    const Update how = chance(25)   ? Update::kOneShot
                       : chance(70) ? Update::kCipher
                       : chance(80) ? (encrypt_ ? Update::kEncrypt : Update::kDecrypt)
                                    : (encrypt_ ? Update::kDecrypt : Update::kEncrypt);
    unit(n, how);
  } else if (what < 65) {
    init();
  } else if (what < 70) {
    final();
  } else if (what < 76) {
    if (!has_key_) return;  // a copy of a stock context without a key crashes in its next update
    copy();
    log("copy");
  } else if (what < 82) {
    set_params();
  } else if (what < 86) {
    missing_buffer();
  } else if (what < 90) {
    refuse();
  } else if (what < 94) {
    write_iv();
  } else {
    start();
  }
  compare_state();
}

class StockXts : public testing::TestWithParam<std::size_t> {};

TEST_P(StockXts, DoesWhatTheStockCipherDoes) {
  static const Library library;
  for (unsigned seed = 1; seed <= 100; ++seed) {
    XtsPair pair(library, cipher_spec(GetParam()), seed);
    for (int i = 0; i < 80 && !HasFailure(); ++i) pair.step();
    ASSERT_FALSE(HasFailure()) << "sequence " << seed << ":\n" << pair.history();
  }
}

TEST_P(StockXts, IsDescribedAsTheStockCipher) {
  static const Library library;
  const std::string name = std::string(cipher_spec(GetParam()).name) + "-XTS";
  const Evp<EVP_CIPHER> stock = library.stock(name), ours = library.cipher(name);
  EXPECT_EQ(EVP_CIPHER_get_flags(ours.get()), EVP_CIPHER_get_flags(stock.get()));
  EXPECT_EQ(EVP_CIPHER_get_nid(ours.get()), EVP_CIPHER_get_nid(stock.get()));
  EXPECT_EQ(EVP_CIPHER_get_mode(ours.get()), EVP_CIPH_XTS_MODE);
  EXPECT_EQ(EVP_CIPHER_get_iv_length(ours.get()), 16);
  EXPECT_EQ(EVP_CIPHER_get_block_size(ours.get()), 1);
  EXPECT_EQ(EVP_CIPHER_get_key_length(ours.get()), EVP_CIPHER_get_key_length(stock.get()));
  const OSSL_PARAM* const gettable = EVP_CIPHER_gettable_ctx_params(ours.get());
  for (auto* p = EVP_CIPHER_gettable_ctx_params(stock.get()); p->key != nullptr; ++p) {
    if (std::string(p->key) == OSSL_CIPHER_PARAM_TLS_MAC) continue;  // XTS has no records
    EXPECT_NE(OSSL_PARAM_locate_const(gettable, p->key), nullptr) << p->key;
  }
  const OSSL_PARAM* const settable = EVP_CIPHER_settable_ctx_params(ours.get());
  EXPECT_NE(OSSL_PARAM_locate_const(settable, OSSL_CIPHER_PARAM_KEYLEN), nullptr);
  EXPECT_EQ(OSSL_PARAM_locate_const(settable, OSSL_CIPHER_PARAM_PADDING), nullptr);
}

// The largest data unit has 2^20 blocks. On a larger one a stock cipher raises a second error.
TEST_P(StockXts, LongestUnit) {
  static const Library library;
  const std::string name = std::string(cipher_spec(GetParam()).name) + "-XTS";
  Bytes memory((std::size_t{16} << 20) + 1), out[2];
  const Bytes key = [&] {
    Bytes made(64);
    for (std::size_t i = 0; i < made.size(); ++i) made[i] = static_cast<std::uint8_t>(i);
    return made;
  }();
  for (const bool is_stock : {true, false}) {
    const Evp<EVP_CIPHER> cipher = is_stock ? library.stock(name) : library.cipher(name);
    const Evp<EVP_CIPHER_CTX> ctx(EVP_CIPHER_CTX_new());
    ASSERT_EQ(1, EVP_EncryptInit_ex2(ctx.get(), cipher.get(), key.data(), key.data(), nullptr));
    Bytes& made = out[is_stock ? 0 : 1];
    made = memory;
    int n = 0;
    ERR_clear_error();  // of algorithms that were looked for
    EXPECT_EQ(0, EVP_EncryptUpdate(ctx.get(), made.data(), &n, made.data(),
                                   static_cast<int>(made.size())));
    EXPECT_EQ(ERR_GET_REASON(ERR_peek_error()), PROV_R_XTS_DATA_UNIT_IS_TOO_LARGE);
    EXPECT_EQ(ERR_GET_LIB(ERR_peek_error()), ERR_LIB_PROV);
    ERR_clear_error();
    EXPECT_EQ(made, memory);
    EXPECT_EQ(1, EVP_EncryptUpdate(ctx.get(), made.data(), &n, made.data(),
                                   static_cast<int>(made.size() - 1)));
  }
  EXPECT_TRUE(out[0] == out[1]);
}

TEST(StockXtsList, HasAes) {
  const std::vector<std::size_t> found = with_stock("-XTS");
  for (const char* name : {"AES-128", "AES-256"}) {
    const CipherSpec* const spec = find_cipher(name);
    if (spec == nullptr) continue;  // not in this build
    EXPECT_EQ(std::count(found.begin(), found.end(), spec->index), 1) << name;
  }
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(StockXts);
INSTANTIATE_TEST_SUITE_P(AllCiphers, StockXts, testing::ValuesIn(with_stock("-XTS")),
                         [](const auto& param) {
                           return gtest_name(cipher_spec(param.param).name);
                         });

}  // namespace
}  // namespace gpuctr::test
