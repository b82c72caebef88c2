// Counter mode against AES-128-CTR of libcrypto: random sequences of calls, the same for both. The
// stock cipher's keystream says which counter blocks it used; ours has to have used the same.
#define OPENSSL_SUPPRESS_DEPRECATED  // EVP_CIPHER_CTX_iv_noconst
#include <openssl/core_names.h>
#include <openssl/params.h>

#include <algorithm>
#include <map>

#include "test/provider/stock/pair.h"
#include "test/support/gtest_name.h"

namespace gpuctr::test {
namespace {

constexpr std::size_t kAesBlock = 16;

class CtrPair : public Pair {
 public:
  CtrPair(const Library& library, const CipherSpec& spec, unsigned seed)
      : Pair(Side(library.stock("AES-128-CTR"), RawBlock(library.stock("AES-128-ECB")),
                  kAesBlock / spec.block_bytes),
             Side(library.cipher(std::string(spec.name) + "-CTR"), RawBlock(spec), 1), seed),
        scale(stock.scale) {
    start();
  }
  void step();

 private:
  // A context with a key and an IV, as new.
  void start();
  void init();
  void data();
  void refuse();
  void set_num();
  void set_padding();
  void write_counter();
  void write_counter_and_more();
  void ask_for_pointers();
  void compare_state();

  // What the data of a call came from; see below.
  void compare_keystream(const Bytes& in, const Bytes& stock_in, Place place, std::size_t num,
                         Bytes next);
  int init_one(Side* side, bool with_cipher, int new_key, const Bytes* iv, int encrypt,
               const OSSL_PARAM* params);
  // Of the stock side, which has `prefix` before the IV of ours where its block is larger.
  Bytes widen(const Bytes& iv) const {
    Bytes wide(kAesBlock, 0x5c);
    std::copy(iv.rbegin(), iv.rend(), wide.rbegin());
    return wide;
  }
  Bytes narrow(const Bytes& wide) const {
    return Bytes(wide.end() - static_cast<std::ptrdiff_t>(block), wide.end());
  }
  Bytes some_iv() {
    Bytes iv = bytes(block);
    const std::size_t ones = chance(50) ? pick(block + 1) : 0;  // the counter carries through these
    std::fill(iv.end() - static_cast<std::ptrdiff_t>(ones), iv.end(), std::uint8_t{0xff});
    return iv;
  }
  static Bytes octets(Side* side, const char* name, std::size_t size) {
    Bytes value(size);
    OSSL_PARAM params[] = {OSSL_PARAM_construct_octet_string(name, value.data(), size),
                           OSSL_PARAM_construct_end()};
    EXPECT_EQ(1, EVP_CIPHER_CTX_get_params(side->ctx.get(), params));
    EXPECT_EQ(params[0].return_size, size);
    return value;
  }
  const Bytes& keystream(Side* side, const Bytes& counter) {
    Bytes& made = made_[{side == &stock, key_, counter}];
    if (made.empty()) made = side->raw(side->keys[key_], counter);
    return made;
  }

  std::size_t scale;
  std::size_t key_ = 0;
  bool encrypt_ = true;
  bool has_iv_ = false;
  Bytes in_use_;  // the counter block whose keystream the stock side gives out
  std::map<std::tuple<bool, std::size_t, Bytes>, Bytes> made_;
};

int CtrPair::init_one(Side* side, bool with_cipher, int new_key, const Bytes* iv, int encrypt,
                      const OSSL_PARAM* params) {
  const Bytes wide = iv == nullptr ? Bytes() : side == &stock ? widen(*iv) : *iv;
  return EVP_CipherInit_ex2(
      side->ctx.get(), with_cipher ? side->cipher.get() : nullptr,
      new_key < 0 ? nullptr : side->keys[static_cast<std::size_t>(new_key)].data(),
      iv == nullptr ? nullptr : wide.data(), encrypt, params);
}

void CtrPair::start() {
  const Bytes iv = some_iv();
  const bool with_iv = chance(90);
  key_ = pick(kKeys);
  encrypt_ = chance(50);
  log("start: key ", key_, ", encrypt ", encrypt_, ", IV ", with_iv ? to_hex(iv) : "none");
  both([&](Side& side) {
    return init_one(&side, true, static_cast<int>(key_), with_iv ? &iv : nullptr, encrypt_ ? 1 : 0,
                    nullptr);
  });
  has_iv_ = with_iv;
}

// An init of a context that has a key: any of key, IV, direction and parameters may be new.
void CtrPair::init() {
  const Bytes iv = some_iv();
  const bool with_iv = chance(30);
  const int new_key = chance(40) ? static_cast<int>(chance(50) ? key_ : pick(kKeys)) : -1;
  const int encrypt = static_cast<int>(pick(3)) - 1;
  unsigned padding = static_cast<unsigned>(pick(2)), num = 0;
  const OSSL_PARAM with_num[] = {OSSL_PARAM_construct_uint(OSSL_CIPHER_PARAM_NUM, &num),
                                 OSSL_PARAM_construct_end()};
  const OSSL_PARAM with_padding[] = {OSSL_PARAM_construct_uint(OSSL_CIPHER_PARAM_PADDING, &padding),
                                     OSSL_PARAM_construct_end()};
  const OSSL_PARAM* const kinds[] = {nullptr, nullptr, with_num, with_padding};
  const std::size_t kind = pick(4);
  log("init: key ", new_key, ", encrypt ", encrypt, ", parameters ", kind, ", IV ",
      with_iv ? to_hex(iv) : "none");
  both([&](Side& side) {
    return init_one(&side, false, new_key, with_iv ? &iv : nullptr, encrypt, kinds[kind]);
  });
  if (new_key >= 0) key_ = static_cast<std::size_t>(new_key);
  if (encrypt >= 0) encrypt_ = encrypt == 1;
  has_iv_ = has_iv_ || with_iv;
}

// n bytes from `num` bytes into the block in use, or from `next` on where none is in use.
void CtrPair::compare_keystream(const Bytes& in, const Bytes& stock_in, Place place,
                                std::size_t num, Bytes next) {
  std::size_t at = num / scale;
  for (std::size_t i = 0; i < in.size(); ++i, ++at) {
    if (at % block == 0) {
      in_use_ = next;
      step_field(&next, 8 * kAesBlock);
      at = 0;
    }
    const Bytes& known = keystream(&stock, in_use_);
    for (std::size_t j = 0; j < scale; ++j) {
      const std::size_t byte = scale * i + j;
      ASSERT_EQ(stock.memory[scale * place.out + byte] ^ stock_in[byte], known[scale * at + j])
          << "what the stock cipher did is not understood, byte " << byte;
    }
    ASSERT_EQ(ours.memory[place.out + i], in[i] ^ keystream(&ours, narrow(in_use_))[at])
        << "byte " << i << " of " << in.size();
  }
}

void CtrPair::data() {
  const auto how = static_cast<Update>(pick(4));
  const std::size_t n = some_size();
  Place place{pick(40), 0};
  place.out = chance(50) ? place.in : 2000 + pick(40);
  log("data: call ", static_cast<int>(how), ", ", n, " bytes, in at ", place.in, ", out at ",
      place.out);
  if (!has_iv_ && n != 0) return refused(how == Update::kOneShot ? how : Update::kCipher, n, place);
  const auto num = static_cast<std::size_t>(EVP_CIPHER_CTX_get_num(stock.ctx.get()));
  const Bytes next = octets(&stock, OSSL_CIPHER_PARAM_UPDATED_IV, kAesBlock);
  const Bytes in = bytes(n), stock_in = bytes(scale * n);
  write_input(&ours, place.in, in);
  write_input(&stock, place.in, stock_in);
  const Answer answer = call(how, n, place);
  if (answer.status == 1) compare_keystream(in, stock_in, place, num, next);
}

// What the table of differences says is refused, in the middle of anything.
void CtrPair::refuse() {
  const std::size_t n = 2 + pick(100);
  const std::size_t apart = 1 + pick(n - 1);
  log("refused: overlap, ", n, " bytes, ", apart, " apart");
  const Update how = chance(50) ? Update::kCipher : Update::kOneShot;
  if (chance(50)) {
    refused(how, n, {100, 100 + apart});
  } else {
    refused(how, n, {100 + apart, 100});
  }
  auto num = static_cast<unsigned>(block + pick(300));
  const OSSL_PARAM params[] = {OSSL_PARAM_construct_uint(OSSL_CIPHER_PARAM_NUM, &num),
                               OSSL_PARAM_construct_end()};
  ERR_clear_error();
  EXPECT_EQ(0, EVP_CIPHER_CTX_set_params(ours.ctx.get(), params));
  EXPECT_EQ(take_reasons(), "gpuctr 8 bad parameter");
}

// Within the block in use, or to the end of it. Elsewhere the two differ, and later versions of the
// stock cipher take 0 alone: see the table.
void CtrPair::set_num() {
  const bool in_block = EVP_CIPHER_CTX_get_num(stock.ctx.get()) != 0;
  const auto num = static_cast<unsigned>(in_block ? pick(block) : 0);
  const auto set = [num](Side* side) {
    auto value = static_cast<unsigned>(side->scale * num);
    const OSSL_PARAM params[] = {OSSL_PARAM_construct_uint(OSSL_CIPHER_PARAM_NUM, &value),
                                 OSSL_PARAM_construct_end()};
    return EVP_CIPHER_CTX_set_params(side->ctx.get(), params);
  };
  log("num = ", num);
  ERR_clear_error();
  const int theirs = set(&stock);
  const std::string expected = take_reasons();
  if (theirs != 1 && num != 0) return;
  EXPECT_EQ(set(&ours), theirs);
  EXPECT_EQ(take_reasons(), expected);
}

void CtrPair::set_padding() {
  const int on = static_cast<int>(pick(2));
  log("padding = ", on);
  both([&](Side& side) { return EVP_CIPHER_CTX_set_padding(side.ctx.get(), on); });
}

// By the pointer that libcrypto hands out; and what may come before the next data.
void CtrPair::write_counter() {
  const Bytes counter = some_iv();
  log("counter written: ", to_hex(counter));
  both([&](Side& side) {
    std::uint8_t* const at = EVP_CIPHER_CTX_iv_noconst(side.ctx.get());
    if (at == nullptr) return 0;
    const Bytes wide = &side == &stock ? widen(counter) : counter;
    std::copy(wide.begin(), wide.end(), at);
    return 1;
  });
}

void CtrPair::write_counter_and_more() {
  write_counter();
  while (chance(60)) {
    const std::size_t what = pick(4);
    if (what == 0) write_counter();
    if (what == 1) ask_for_pointers();
    if (what == 2) set_num();
    if (what == 3) {
      log("copy");
      copy();
    }
    compare_state();
  }
}

// Which is no reason to change anything.
void CtrPair::ask_for_pointers() {
  log("pointers");
  both([](Side& side) { return EVP_CIPHER_CTX_iv(side.ctx.get()) != nullptr ? 1 : 0; });
  both([](Side& side) { return EVP_CIPHER_CTX_original_iv(side.ctx.get()) != nullptr ? 1 : 0; });
}

void CtrPair::compare_state() {
  EXPECT_EQ(EVP_CIPHER_CTX_get_num(stock.ctx.get()),
            static_cast<int>(scale) * EVP_CIPHER_CTX_get_num(ours.ctx.get()));
  for (const char* name : {OSSL_CIPHER_PARAM_IV, OSSL_CIPHER_PARAM_UPDATED_IV}) {
    EXPECT_EQ(to_hex(narrow(octets(&stock, name, kAesBlock))), to_hex(octets(&ours, name, block)))
        << name;
  }
  unsigned padding[2] = {7, 7};
  for (Side* side : {&stock, &ours}) {
    OSSL_PARAM params[] = {
        OSSL_PARAM_construct_uint(OSSL_CIPHER_PARAM_PADDING, &padding[side == &ours ? 1 : 0]),
        OSSL_PARAM_construct_end()};
    EXPECT_EQ(1, EVP_CIPHER_CTX_get_params(side->ctx.get(), params));
  }
  EXPECT_EQ(padding[0], padding[1]);
  EXPECT_EQ(EVP_CIPHER_CTX_is_encrypting(stock.ctx.get()),
            EVP_CIPHER_CTX_is_encrypting(ours.ctx.get()));
}

void CtrPair::step() {
  const std::size_t what = pick(100);
  if (what < 55) {
    data();
  } else if (what < 70) {
    init();
  } else if (what < 75) {
    copy();
    log("copy");
  } else if (what < 80) {
    set_num();
  } else if (what < 83) {
    set_padding();
  } else if (what < 86) {
    write_counter_and_more();
  } else if (what < 90) {
    refuse();
  } else if (what < 93) {
    final_of_nothing();
  } else if (what < 95) {
    log("reset");
    both([](Side& side) { return EVP_CIPHER_CTX_reset(side.ctx.get()); });
    start();
  } else if (what < 97) {
    start();
  } else {
    ask_for_pointers();
  }
  compare_state();
}

class StockCtr : public testing::TestWithParam<std::size_t> {};

TEST_P(StockCtr, DoesWhatAesDoes) {
  static const Library library;
  for (unsigned seed = 1; seed <= 60; ++seed) {
    CtrPair pair(library, cipher_spec(GetParam()), seed);
    for (int i = 0; i < 80 && !HasFailure(); ++i) pair.step();
    ASSERT_FALSE(HasFailure()) << "sequence " << seed << ":\n" << pair.history();
  }
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(StockCtr);
INSTANTIATE_TEST_SUITE_P(AllCiphers, StockCtr, testing::ValuesIn(ciphers_with_pairs()),
                         [](const auto& param) {
                           return gtest_name(cipher_spec(param.param).name);
                         });

}  // namespace
}  // namespace gpuctr::test
