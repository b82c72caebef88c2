// ECB and CBC against a stock cipher with the same block: random sequences of calls, the same for
// both. Each block that the stock cipher gives out says what it was made of; ours has to be made of
// the same.
#define OPENSSL_SUPPRESS_DEPRECATED  // EVP_CIPHER_CTX_iv_noconst
#include <openssl/core_names.h>
#include <openssl/params.h>

#include <algorithm>
#include <map>

#include "test/provider/stock/pair.h"
#include "test/support/gtest_name.h"

namespace gpuctr::test {
namespace {

std::string stock_name(const CipherSpec& spec, const char* mode) {
  return std::string(spec.block_bytes == 16 ? "AES-128-" : "DES-EDE3-") + mode;
}

Bytes part(const Bytes& all, std::size_t from, std::size_t size) {
  const auto first = all.begin() + static_cast<std::ptrdiff_t>(from);
  return Bytes(first, first + static_cast<std::ptrdiff_t>(size));
}

Bytes sum(Bytes a, const Bytes& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] ^= b[i];
  return a;
}

class BlockPair : public Pair {
 public:
  BlockPair(const Library& library, const CipherSpec& spec, const char* mode, unsigned seed)
      : Pair(Side(library.stock(stock_name(spec, mode)),
                  RawBlock(library.stock(stock_name(spec, "ECB"))), 1),
             Side(library.cipher(std::string(spec.name) + "-" + mode), RawBlock(spec), 1), seed),
        cbc_(mode == std::string("CBC")) {
    start();
  }
  void step();

 private:
  void start();
  void init();
  void update() { update(some_size()); }
  void update(std::size_t n);
  void one_shot();
  void final();
  void set_padding();
  void refuse();
  void write_iv();
  void compare_state();

  int init_one(Side* side, bool with_cipher, int new_key, const Bytes* iv, int encrypt) const {
    return EVP_CipherInit_ex2(
        side->ctx.get(), with_cipher ? side->cipher.get() : nullptr,
        new_key < 0 ? nullptr : side->keys[static_cast<std::size_t>(new_key)].data(),
        iv == nullptr ? nullptr : iv->data(), encrypt, nullptr);
  }
  // The block that the next one is chained to: each side's own word for it. ECB has none.
  Bytes chain(const Side& side) const {
    return cbc_ ? octets(side, OSSL_CIPHER_PARAM_UPDATED_IV) : Bytes(block);
  }
  Bytes octets(const Side& side, const char* name) const {
    Bytes value(block);
    OSSL_PARAM params[] = {OSSL_PARAM_construct_octet_string(name, value.data(), block),
                           OSSL_PARAM_construct_end()};
    EXPECT_EQ(1, EVP_CIPHER_CTX_get_params(side.ctx.get(), params));
    EXPECT_EQ(params[0].return_size, block);
    return value;
  }
  // Input goes on from what was fed, chained to what the contexts now have.
  void go_on() {
    for (const Side* side : {&stock, &ours}) {
      input_[place(side)].resize(fed_);
      input_chain_[place(side)] = chain(*side);
    }
  }
  void begin() {
    fed_ = given_ = 0;
    go_on();
  }
  std::size_t place(const Side* side) const { return side == &ours ? 1 : 0; }
  // Bytes that wait for their block, as the stock cipher's answers have it.
  std::size_t pending() const { return fed_ - given_; }

  void more_input();
  void compare_blocks(std::size_t at, std::size_t n, Bytes stock_chain);

  const bool cbc_;
  std::size_t key_ = 0;
  bool encrypt_ = true;
  bool has_iv_ = true;
  std::size_t fed_ = 0, given_ = 0;
  // To encrypt, the same bytes for both; to decrypt, the same text encrypted by each.
  Bytes input_[2];
  Bytes input_chain_[2];
  std::map<Bytes, Bytes> chains_;  // a chaining block of the stock side, and ours beside it
};

void BlockPair::start() {
  const Bytes iv = bytes(block);
  has_iv_ = !cbc_ || chance(95);
  key_ = pick(kKeys);
  encrypt_ = chance(50);
  log("start: key ", key_, ", encrypt ", encrypt_, ", IV ", has_iv_ ? to_hex(iv) : "none");
  chains_.clear();
  chains_[Bytes(block)] = Bytes(block);
  chains_[iv] = iv;
  both([&](Side& side) {
    return init_one(&side, true, static_cast<int>(key_), has_iv_ ? &iv : nullptr, encrypt_ ? 1 : 0);
  });
  begin();
}

void BlockPair::init() {
  const Bytes iv = bytes(block);
  const bool with_iv = cbc_ && chance(30);
  int new_key = chance(40) ? static_cast<int>(pick(kKeys)) : -1;
  const int encrypt = static_cast<int>(pick(3)) - 1;
  // AES expands its key for one direction: see the table of differences. DES does not.
  const bool turns = encrypt >= 0 && (encrypt == 1) != encrypt_;
  if (turns && block == 16 && new_key < 0) new_key = static_cast<int>(key_);
  log("init: key ", new_key, ", encrypt ", encrypt, ", IV ", with_iv ? to_hex(iv) : "none");
  chains_[iv] = iv;
  both([&](Side& side) {
    return init_one(&side, false, new_key, with_iv ? &iv : nullptr, encrypt);
  });
  if (new_key >= 0) key_ = static_cast<std::size_t>(new_key);
  if (encrypt >= 0) encrypt_ = encrypt == 1;
  has_iv_ = has_iv_ || with_iv;
  begin();
}

// A block of text, which often ends in padding, and often nearly so.
void BlockPair::more_input() {
  Bytes text = bytes(block);
  const std::size_t pad = pick(block + 2);
  if (chance(60)) {
    std::fill(text.end() - static_cast<std::ptrdiff_t>(std::min(pad, block)), text.end(),
              static_cast<std::uint8_t>(pad));
    text.back() = static_cast<std::uint8_t>(pad);
    if (chance(20)) text[pick(block)] ^= 1;
  }
  for (Side* side : {&stock, &ours}) {
    Bytes& last = input_chain_[place(side)];
    const Bytes made = encrypt_ ? text : side->raw(side->keys[key_], sum(text, last));
    if (cbc_) last = made;
    Bytes& input = input_[place(side)];
    input.insert(input.end(), made.begin(), made.end());
  }
  if (cbc_ && !encrypt_) chains_[input_chain_[0]] = input_chain_[1];
}

// Output of both sides; the stock side's first block was chained to stock_chain.
void BlockPair::compare_blocks(std::size_t at, std::size_t n, Bytes stock_chain) {
  if (!encrypt_) {
    EXPECT_EQ(to_hex(part(ours.memory, at, n)), to_hex(part(stock.memory, at, n)));
    return;
  }
  ASSERT_EQ(n % block, 0u);
  for (std::size_t i = 0; i < n; i += block) {
    const Bytes theirs = part(stock.memory, at + i, block);
    const Bytes text = sum(stock.raw(stock.keys[key_], theirs, false), stock_chain);
    ASSERT_EQ(chains_.count(stock_chain), 1u) << "what the stock cipher did is not understood";
    const Bytes expected = ours.raw(ours.keys[key_], sum(text, chains_[stock_chain]));
    ASSERT_EQ(to_hex(part(ours.memory, at + i, block)), to_hex(expected));
    if (!cbc_) continue;
    chains_[theirs] = expected;
    stock_chain = theirs;
  }
}

void BlockPair::update(std::size_t n) {
  const Update how = chance(70)   ? Update::kCipher
                     : chance(90) ? (encrypt_ ? Update::kEncrypt : Update::kDecrypt)
                                  : (encrypt_ ? Update::kDecrypt : Update::kEncrypt);
  Place at{pending() + pick(40), 0};
  at.out = chance(60) ? at.in - pending() : 2000 + pick(40);
  log("update: call ", static_cast<int>(how), ", ", n, " bytes after ", pending(), ", in at ",
      at.in, ", out at ", at.out);
  if (!has_iv_ && n != 0) return refused(Update::kCipher, n, at);
  while (input_[0].size() < fed_ + n) more_input();
  for (Side* side : {&stock, &ours}) write_input(side, at.in, part(input_[place(side)], fed_, n));
  const Bytes before = chain(stock);
  const Answer answer = call(how, n, at);
  if (answer.status != 1) return;
  fed_ += n;
  given_ += answer.bytes;
  compare_blocks(at.out, answer.bytes, before);
}

// EVP_Cipher knows nothing of what waits, and chains to what went before all the same: what waits
// for its block would be chained to something else than it was made for.
void BlockPair::one_shot() {
  if (cbc_ && (pending() != 0 || !has_iv_)) return;
  const std::size_t n = block * pick(5);
  const Place at{16, chance(50) ? std::size_t{16} : std::size_t{2000}};
  log("one shot: ", n, " bytes");
  const Bytes text = bytes(n);
  for (Side* side : {&stock, &ours}) {
    Bytes in;
    Bytes last = chain(*side);
    for (std::size_t i = 0; i < n; i += block) {
      const Bytes one = part(text, i, block);
      const Bytes made = encrypt_ ? one : side->raw(side->keys[key_], sum(one, last));
      if (cbc_) last = made;
      in.insert(in.end(), made.begin(), made.end());
      if (side == &stock) continue;
      chains_[part(stock.memory, at.in + i, block)] = made;
    }
    write_input(side, at.in, in);
  }
  const Bytes before = chain(stock);
  compare_blocks(at.out, call(Update::kOneShot, n, at).bytes, before);
  if (cbc_) go_on();
}

// By the pointer that libcrypto hands out.
void BlockPair::write_iv() {
  if (!cbc_ || pending() != 0) return;
  const Bytes iv = bytes(block);
  log("chaining block written: ", to_hex(iv));
  chains_[iv] = iv;
  both([&](Side& side) {
    std::uint8_t* const at = EVP_CIPHER_CTX_iv_noconst(side.ctx.get());
    if (at == nullptr) return 0;
    std::copy(iv.begin(), iv.end(), at);
    return 1;
  });
  go_on();
}

void BlockPair::compare_state() {
  if (!cbc_) return;
  EXPECT_EQ(to_hex(octets(stock, OSSL_CIPHER_PARAM_IV)),
            to_hex(octets(ours, OSSL_CIPHER_PARAM_IV)));
  EXPECT_EQ(to_hex(chains_[chain(stock)]), to_hex(chain(ours)));
}

void BlockPair::final() {
  if (!has_iv_) return;
  log("final after ", pending());
  const Bytes chained = chain(stock);
  // A refused Final of a stock cipher leaves its last block decrypted in place; ours leaves it as
  // it was. See the table of differences.
  Evp<EVP_CIPHER_CTX> before(EVP_CIPHER_CTX_new());
  EXPECT_EQ(1, EVP_CIPHER_CTX_copy(before.get(), stock.ctx.get()));
  int size[2] = {};
  write_input(&stock, 0, {});
  write_input(&ours, 0, {});
  const Bytes untouched = ours.memory;
  const int status = both([&](Side& side) {
    return EVP_CipherFinal_ex(side.ctx.get(), side.memory.data(), &size[&side == &ours ? 1 : 0]);
  });
  EXPECT_EQ(size[0], size[1]);
  if (status != 1) {
    EXPECT_EQ(ours.memory, untouched);
    std::swap(before, stock.ctx);
    return;
  }
  compare_blocks(0, static_cast<std::size_t>(size[0]), chained);
  begin();
}

void BlockPair::set_padding() {
  const int on = static_cast<int>(pick(2));
  log("padding = ", on);
  both([&](Side& side) { return EVP_CIPHER_CTX_set_padding(side.ctx.get(), on); });
  if (chance(30)) update(0);  // a block kept back for its padding may come now
}

// What the table of differences says is refused, in the middle of anything.
void BlockPair::refuse() {
  log("refused");
  refused(Update::kOneShot, block * pick(4) + 1 + pick(block - 1), {100, 1000});
  refused(Update::kOneShot, 2 * block, {100, 101 + pick(2 * block - 1)});
  // Two blocks more than what waits are made of these, at any place but that of their own input.
  const std::size_t n = 3 * block;
  const std::size_t out = 100 - pending() + 1 + pick(2 * block);
  refused(Update::kCipher, n, {100, out});
  if (pending() != 0) refused(Update::kCipher, n, {100, 100});
  refused(Update::kCipher, n, {100, 100 - pending() - 1 - pick(2 * block - 1 - pending())});
  // Two blocks out of fewer bytes, whose input lies where the second one goes.
  if (pending() >= 2) {
    const std::size_t few = 2 * block - pending() + 1;
    refused(Update::kCipher, few, {100, 100 - few - pick(2 * block - few)});
  }
}

void BlockPair::step() {
  const std::size_t what = pick(100);
  if (what < 55) {
    update();
  } else if (what < 63) {
    final();
  } else if (what < 70) {
    init();
  } else if (what < 76) {
    copy();
    log("copy");
  } else if (what < 84) {
    set_padding();
  } else if (what < 90) {
    one_shot();
  } else if (what < 94) {
    refuse();
  } else if (what < 95) {
    write_iv();
  } else if (what < 97) {
    log("reset");
    both([](Side& side) { return EVP_CIPHER_CTX_reset(side.ctx.get()); });
    start();
  } else {
    start();
  }
  compare_state();
}

class StockBlocks : public testing::TestWithParam<std::tuple<std::size_t, const char*>> {};

TEST_P(StockBlocks, DoWhatAStockCipherDoes) {
  static const Library library;
  for (unsigned seed = 1; seed <= 60; ++seed) {
    BlockPair pair(library, cipher_spec(std::get<0>(GetParam())), std::get<1>(GetParam()), seed);
    for (int i = 0; i < 60 && !HasFailure(); ++i) pair.step();
    ASSERT_FALSE(HasFailure()) << "sequence " << seed << ":\n" << pair.history();
  }
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(StockBlocks);
INSTANTIATE_TEST_SUITE_P(AllCiphers, StockBlocks,
                         testing::Combine(testing::ValuesIn(ciphers_with_pairs()),
                                          testing::Values("ECB", "CBC")),
                         [](const auto& param) {
                           return gtest_name(
                               std::string(cipher_spec(std::get<0>(param.param)).name) + "_" +
                               std::get<1>(param.param));
                         });

}  // namespace
}  // namespace gpuctr::test
