// CFB, CFB8, CFB1 and OFB against a stock cipher: random sequences of calls, the same for both. The
// stock cipher is the same one, where OpenSSL has it in the mode, and else one with the same block.
// A model of SP 800-38A has each side's bytes and input block.
#define OPENSSL_SUPPRESS_DEPRECATED  // EVP_CIPHER_CTX_iv_noconst
#include <openssl/core_names.h>
#include <openssl/params.h>

#include <algorithm>

#include "test/provider/mode/feedback_model.h"
#include "test/provider/stock/pair.h"
#include "test/support/gtest_name.h"

namespace gpuctr::test {
namespace {

// OpenSSL's DES-CFB1 takes no number of bits: see the differences below.
std::string stock_name(const Library& library, const CipherSpec& spec, const std::string& mode) {
  const std::string same = std::string(spec.name) + "-" + mode;
  if (same != "DES-CFB1" && library.stock(same) != nullptr) return spec.name;
  ERR_clear_error();
  return spec.block_bytes == 16 ? "AES-128" : "DES-EDE3";
}

class FeedbackPair : public Pair {
 public:
  FeedbackPair(const Library& library, const CipherSpec& spec, const std::string& mode,
               const std::string& stock_of, unsigned seed)
      : Pair(Side(library.stock(stock_of + "-" + mode), RawBlock(spec), 1),
             Side(library.cipher(std::string(spec.name) + "-" + mode), RawBlock(spec), 1), seed),
        mode_(mode),
        models_{{*find_cipher(stock_of.c_str()), mode}, {spec, mode}} {
    if (stock_of == spec.name) stock.keys = ours.keys;
    start();
  }
  void step();

 private:
  void start();
  void init();
  void data();
  void refuse();
  void set_num();
  void set_bits();
  void set_padding();
  void write_iv();
  void compare_state();

  FeedbackModel& model(const Side& side) { return models_[&side == &ours ? 1 : 0]; }
  int init_one(Side* side, bool with_cipher, int new_key, const Bytes* iv, int encrypt,
               const OSSL_PARAM* params) {
    return EVP_CipherInit_ex2(
        side->ctx.get(), with_cipher ? side->cipher.get() : nullptr,
        new_key < 0 ? nullptr : side->keys[static_cast<std::size_t>(new_key)].data(),
        iv == nullptr ? nullptr : iv->data(), encrypt, params);
  }
  void began(int new_key, const Bytes* iv, std::size_t num);
  std::size_t bytes_of(std::size_t n) const { return bits_ ? (n + 7) / 8 : n; }

  const std::string mode_;
  FeedbackModel models_[2];
  Bytes original_;  // the IV that an init without one goes back to
  bool encrypt_ = true;
  bool has_iv_ = false;
  bool bits_ = false;
};

void FeedbackPair::began(int new_key, const Bytes* iv, std::size_t num) {
  if (iv != nullptr) original_ = *iv;
  has_iv_ = has_iv_ || iv != nullptr;
  for (Side* side : {&stock, &ours}) {
    if (new_key >= 0) model(*side).set_key(side->keys[static_cast<std::size_t>(new_key)]);
    if (has_iv_) model(*side).iv = original_;
    model(*side).num = num;
  }
}

void FeedbackPair::start() {
  const Bytes iv = bytes(block);
  const bool with_iv = chance(90);
  const int key = static_cast<int>(pick(kKeys));
  encrypt_ = chance(50);
  bits_ = has_iv_ = false;
  original_ = models_[0].iv = models_[1].iv = Bytes(block);
  log("start: key ", key, ", encrypt ", encrypt_, ", IV ", with_iv ? to_hex(iv) : "none");
  both([&](Side& side) {
    EVP_CIPHER_CTX_reset(side.ctx.get());  // and so use-bits
    return init_one(&side, true, key, with_iv ? &iv : nullptr, encrypt_ ? 1 : 0, nullptr);
  });
  began(key, with_iv ? &iv : nullptr, 0);
}

void FeedbackPair::init() {
  const Bytes iv = bytes(block);
  const bool with_iv = chance(30);
  const int key = chance(40) ? static_cast<int>(pick(kKeys)) : -1;
  const int encrypt = static_cast<int>(pick(3)) - 1;
  unsigned padding = static_cast<unsigned>(pick(2)), num = 0;
  const OSSL_PARAM with_num[] = {OSSL_PARAM_construct_uint(OSSL_CIPHER_PARAM_NUM, &num),
                                 OSSL_PARAM_construct_end()};
  const OSSL_PARAM with_padding[] = {OSSL_PARAM_construct_uint(OSSL_CIPHER_PARAM_PADDING, &padding),
                                     OSSL_PARAM_construct_end()};
  const OSSL_PARAM* const kinds[] = {nullptr, nullptr, with_num, with_padding};
  const std::size_t kind = pick(4);
  log("init: key ", key, ", encrypt ", encrypt, ", parameters ", kind, ", IV ",
      with_iv ? to_hex(iv) : "none");
  both([&](Side& side) {
    return init_one(&side, false, key, with_iv ? &iv : nullptr, encrypt, kinds[kind]);
  });
  if (encrypt >= 0) encrypt_ = encrypt == 1;
  began(key, with_iv ? &iv : nullptr, 0);
}

void FeedbackPair::data() {
  const auto how = static_cast<Update>(pick(4));
  std::size_t n = some_size();
  if (chance(5)) n = pick(mode_ == "CFB1" ? 300 : mode_ == "CFB8" ? 600 : 2900);
  if (mode_ == "CFB1" && !bits_) n %= 50;
  const bool in_place = n > 1500 || chance(50);
  Place place{pick(40), 0};
  place.out = in_place ? place.in : 2000 + pick(40);
  log("data: call ", static_cast<int>(how), ", ", n, ", in at ", place.in, ", out at ", place.out);
  if (!has_iv_ && n != 0) return refused(how == Update::kOneShot ? how : Update::kCipher, n, place);
  const Bytes in = bytes(bytes_of(n));
  for (Side* side : {&stock, &ours}) write_input(side, place.in, in);
  Bytes expected[] = {stock.memory, ours.memory};
  if (call(how, n, place).status != 1) return;
  for (Side* side : {&stock, &ours}) {
    Bytes& memory = expected[side == &ours ? 1 : 0];
    model(*side).crypt(encrypt_, in.data(), memory.data() + place.out, n, bits_);
    ASSERT_EQ(to_hex(side->memory), to_hex(memory)) << (side == &ours ? "ours" : "stock");
  }
}

// What the table of differences says is refused, in the middle of anything.
void FeedbackPair::refuse() {
  const std::size_t n = 20 + pick(100);
  const std::size_t apart = 1 + pick(bytes_of(n) - 1);
  log("refused: overlap, ", n, ", ", apart, " apart");
  const Update how = chance(50) ? Update::kCipher : Update::kOneShot;
  refused(how, n, chance(50) ? Place{100, 100 + apart} : Place{100 + apart, 100});
  auto num = static_cast<unsigned>(block + pick(300));
  const OSSL_PARAM params[] = {OSSL_PARAM_construct_uint(OSSL_CIPHER_PARAM_NUM, &num),
                               OSSL_PARAM_construct_end()};
  ERR_clear_error();
  EXPECT_EQ(0, EVP_CIPHER_CTX_set_params(ours.ctx.get(), params));
  EXPECT_EQ(take_reasons(), "gpuctr 8 bad parameter");
}

// Later versions of the stock ciphers take 0 alone.
void FeedbackPair::set_num() {
  auto num = static_cast<unsigned>(pick(block));
  const OSSL_PARAM params[] = {OSSL_PARAM_construct_uint(OSSL_CIPHER_PARAM_NUM, &num),
                               OSSL_PARAM_construct_end()};
  log("num = ", num);
  if (EVP_CIPHER_CTX_set_params(stock.ctx.get(), params) != 1) return ERR_clear_error();
  EXPECT_EQ(1, EVP_CIPHER_CTX_set_params(ours.ctx.get(), params));
  for (FeedbackModel& each : models_) each.num = num;
}

void FeedbackPair::set_bits() {
  if (mode_ != "CFB1") return;
  bits_ = chance(50);
  log("bits: ", bits_);
  both([&](Side& side) {
    (bits_ ? EVP_CIPHER_CTX_set_flags : EVP_CIPHER_CTX_clear_flags)(side.ctx.get(),
                                                                    EVP_CIPH_FLAG_LENGTH_BITS);
    return 1;
  });
}

void FeedbackPair::set_padding() {
  const int on = static_cast<int>(pick(2));
  log("padding = ", on);
  both([&](Side& side) { return EVP_CIPHER_CTX_set_padding(side.ctx.get(), on); });
}

// By the pointer that libcrypto hands out.
void FeedbackPair::write_iv() {
  const Bytes iv = bytes(block);
  log("input block written: ", to_hex(iv));
  both([&](Side& side) {
    std::uint8_t* const at = EVP_CIPHER_CTX_iv_noconst(side.ctx.get());
    if (at == nullptr) return 0;
    std::copy(iv.begin(), iv.end(), at);
    model(side).iv = iv;
    return 1;
  });
}

void FeedbackPair::compare_state() {
  for (Side* side : {&stock, &ours}) {
    const std::string who = side == &ours ? "ours" : "stock";
    EXPECT_EQ(EVP_CIPHER_CTX_get_num(side->ctx.get()), static_cast<int>(model(*side).num)) << who;
    for (const char* name : {OSSL_CIPHER_PARAM_IV, OSSL_CIPHER_PARAM_UPDATED_IV}) {
      Bytes value(block);
      OSSL_PARAM params[] = {OSSL_PARAM_construct_octet_string(name, value.data(), block),
                             OSSL_PARAM_construct_end()};
      EXPECT_EQ(1, EVP_CIPHER_CTX_get_params(side->ctx.get(), params));
      EXPECT_EQ(params[0].return_size, block);
      const bool original = std::string(name) == OSSL_CIPHER_PARAM_IV;
      EXPECT_EQ(to_hex(value), to_hex(original ? original_ : model(*side).iv))
          << who << " " << name;
    }
  }
  EXPECT_EQ(EVP_CIPHER_CTX_is_encrypting(stock.ctx.get()),
            EVP_CIPHER_CTX_is_encrypting(ours.ctx.get()));
}

void FeedbackPair::step() {
  const std::size_t what = pick(100);
  if (what < 58) {
    data();
  } else if (what < 70) {
    init();
  } else if (what < 75) {
    copy();
    log("copy");
  } else if (what < 80) {
    set_num();
  } else if (what < 84) {
    set_bits();
  } else if (what < 86) {
    set_padding();
  } else if (what < 89) {
    write_iv();
  } else if (what < 93) {
    refuse();
  } else if (what < 96) {
    final_of_nothing();
  } else {
    start();
  }
  compare_state();
}

class StockFeedback : public testing::TestWithParam<std::tuple<std::size_t, const char*>> {
 protected:
  // One for all tests: libcrypto numbers the libraries of errors, of which it has 256.
  static void SetUpTestSuite() {
    shared_ = new Library;
    legacy_ = OSSL_PROVIDER_try_load(shared_->get(), "legacy", 1);  // not in every OpenSSL
    ERR_clear_error();
  }
  static void TearDownTestSuite() {
    if (legacy_ != nullptr) OSSL_PROVIDER_unload(legacy_);
    delete shared_;
  }
  static Library* shared_;
  static OSSL_PROVIDER* legacy_;
  const Library& library_ = *shared_;
  const CipherSpec& spec_ = cipher_spec(std::get<0>(GetParam()));
  const std::string mode_ = std::get<1>(GetParam());
};
Library* StockFeedback::shared_ = nullptr;
OSSL_PROVIDER* StockFeedback::legacy_ = nullptr;

TEST_P(StockFeedback, DoesWhatAStockCipherDoes) {
  const std::string stock = stock_name(library_, spec_, mode_);
  if (find_cipher(stock.c_str()) == nullptr) GTEST_SKIP() << "the build has no " << stock;
  for (unsigned seed = 1; seed <= 6; ++seed) {
    FeedbackPair pair(library_, spec_, mode_, stock, seed);
    for (int i = 0; i < 60 && !HasFailure(); ++i) pair.step();
    ASSERT_FALSE(HasFailure()) << "sequence " << seed << ":\n" << pair.history();
  }
}

// OpenSSL's further names and object identifiers of the algorithm are ours too.
TEST_P(StockFeedback, HasTheNamesOfTheStockCipher) {
  const std::string name = std::string(spec_.name) + "-" + mode_;
  const Evp<EVP_CIPHER> stock = library_.stock(name);
  if (stock == nullptr) GTEST_SKIP() << "OpenSSL has no " << name;
  struct Names {
    const Library& library;
    std::string name;
    std::size_t count;
  } names{library_, name, 0};
  EXPECT_EQ(1, EVP_CIPHER_names_do_all(
                   stock.get(),
                   [](const char* one, void* of) {
                     Names& all = *static_cast<Names*>(of);
                     ++all.count;
                     const Evp<EVP_CIPHER> ours = all.library.cipher(one);
                     ASSERT_NE(ours, nullptr) << one;
                     EXPECT_TRUE(EVP_CIPHER_is_a(ours.get(), all.name.c_str())) << one;
                   },
                   &names));
  const Evp<EVP_CIPHER> ours = library_.cipher(name);
  std::size_t count = 0;
  EXPECT_EQ(1,
            EVP_CIPHER_names_do_all(
                ours.get(), [](const char*, void* n) { ++*static_cast<std::size_t*>(n); }, &count));
  EXPECT_EQ(count, names.count);
  for (const auto get : {EVP_CIPHER_get_mode, EVP_CIPHER_get_block_size, EVP_CIPHER_get_iv_length,
                         EVP_CIPHER_get_key_length, EVP_CIPHER_get_nid, EVP_CIPHER_get_type}) {
    EXPECT_EQ(get(ours.get()), get(stock.get()));
  }
  EXPECT_EQ(EVP_CIPHER_get_flags(ours.get()), EVP_CIPHER_get_flags(stock.get()));
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(StockFeedback);
INSTANTIATE_TEST_SUITE_P(AllCiphers, StockFeedback,
                         testing::Combine(testing::ValuesIn(ciphers_with_pairs()),
                                          testing::Values("CFB", "CFB8", "CFB1", "OFB")),
                         [](const auto& param) {
                           return gtest_name(
                               std::string(cipher_spec(std::get<0>(param.param)).name) + "_" +
                               std::get<1>(param.param));
                         });

}  // namespace
}  // namespace gpuctr::test
