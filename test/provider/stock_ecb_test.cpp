// ECB against a stock cipher with the same block: random sequences of calls, the same for both.
// Each block that the stock cipher gives out says what it was made of; ours has to be made of the
// same.
#include <openssl/core_names.h>
#include <openssl/params.h>

#include <algorithm>

#include "test/provider/twin.h"

namespace gpuctr::test {
namespace {

const char* stock_name(const CipherSpec& spec) {
  return spec.block_bytes == 16 ? "AES-128-ECB" : "DES-EDE3-ECB";
}

class EcbTwin : public Twin {
 public:
  EcbTwin(const Library& library, const CipherSpec& spec, unsigned seed)
      : Twin(Side(library.stock(stock_name(spec)), RawBlock(library.stock(stock_name(spec))), 1),
             Side(library.cipher(std::string(spec.name) + "-ECB"), RawBlock(spec), 1), seed) {
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

  int init_one(Side* side, bool with_cipher, int new_key, int encrypt) const {
    return EVP_CipherInit_ex2(
        side->ctx.get(), with_cipher ? side->cipher.get() : nullptr,
        new_key < 0 ? nullptr : side->keys[static_cast<std::size_t>(new_key)].data(), nullptr,
        encrypt, nullptr);
  }
  void begin() {
    fed_ = given_ = 0;
    input_[0].clear();
    input_[1].clear();
  }
  // Bytes that wait for their block, as the stock cipher's answers have it.
  std::size_t pending() const { return fed_ - given_; }

  void more_input();
  void compare_blocks(std::size_t at, std::size_t n);

  std::size_t key_ = 0;
  bool encrypt_ = true;
  std::size_t fed_ = 0, given_ = 0;
  // To encrypt, the same bytes for both; to decrypt, the same text encrypted by each.
  Bytes input_[2];
};

void EcbTwin::start() {
  key_ = pick(kKeys);
  encrypt_ = chance(50);
  log("start: key ", key_, ", encrypt ", encrypt_);
  both([&](Side& side) { return init_one(&side, true, static_cast<int>(key_), encrypt_ ? 1 : 0); });
  begin();
}

void EcbTwin::init() {
  int new_key = chance(40) ? static_cast<int>(pick(kKeys)) : -1;
  const int encrypt = static_cast<int>(pick(3)) - 1;
  // AES expands its key for one direction: see the table of differences. DES does not.
  const bool turns = encrypt >= 0 && (encrypt == 1) != encrypt_;
  if (turns && block == 16 && new_key < 0) new_key = static_cast<int>(key_);
  log("init: key ", new_key, ", encrypt ", encrypt);
  both([&](Side& side) { return init_one(&side, false, new_key, encrypt); });
  if (new_key >= 0) key_ = static_cast<std::size_t>(new_key);
  if (encrypt >= 0) encrypt_ = encrypt == 1;
  begin();
}

// A block of text, which often ends in padding, and often nearly so.
void EcbTwin::more_input() {
  Bytes text = bytes(block);
  const std::size_t pad = pick(block + 2);
  if (chance(60)) {
    std::fill(text.end() - static_cast<std::ptrdiff_t>(std::min(pad, block)), text.end(),
              static_cast<std::uint8_t>(pad));
    text.back() = static_cast<std::uint8_t>(pad);
    if (chance(20)) text[pick(block)] ^= 1;
  }
  for (Side* side : {&stock, &ours}) {
    const Bytes made = encrypt_ ? text : side->raw(side->keys[key_], text);
    Bytes& input = input_[side == &ours ? 1 : 0];
    input.insert(input.end(), made.begin(), made.end());
  }
}

void EcbTwin::compare_blocks(std::size_t at, std::size_t n) {
  const auto part = [](const Bytes& all, std::size_t from, std::size_t size) {
    const auto first = all.begin() + static_cast<std::ptrdiff_t>(from);
    return Bytes(first, first + static_cast<std::ptrdiff_t>(size));
  };
  if (!encrypt_) {
    EXPECT_EQ(to_hex(part(ours.memory, at, n)), to_hex(part(stock.memory, at, n)));
    return;
  }
  ASSERT_EQ(n % block, 0u);
  for (std::size_t i = 0; i < n; i += block) {
    const Bytes text = stock.raw(stock.keys[key_], part(stock.memory, at + i, block), false);
    ASSERT_EQ(to_hex(part(ours.memory, at + i, block)), to_hex(ours.raw(ours.keys[key_], text)));
  }
}

void EcbTwin::update(std::size_t n) {
  const Update how = chance(70)   ? Update::kCipher
                     : chance(90) ? (encrypt_ ? Update::kEncrypt : Update::kDecrypt)
                                  : (encrypt_ ? Update::kDecrypt : Update::kEncrypt);
  Place place{pending() + pick(40), 0};
  place.out = chance(60) ? place.in - pending() : 2000 + pick(40);
  log("update: call ", static_cast<int>(how), ", ", n, " bytes after ", pending(), ", in at ",
      place.in, ", out at ", place.out);
  while (input_[0].size() < fed_ + n) more_input();
  for (Side* side : {&stock, &ours}) {
    const auto first = input_[side == &ours ? 1 : 0].begin() + static_cast<std::ptrdiff_t>(fed_);
    write_input(side, place.in, Bytes(first, first + static_cast<std::ptrdiff_t>(n)));
  }
  const Answer answer = call(how, n, place);
  if (answer.status != 1) return;
  fed_ += n;
  given_ += answer.bytes;
  compare_blocks(place.out, answer.bytes);
}

// EVP_Cipher knows nothing of what waits.
void EcbTwin::one_shot() {
  const std::size_t n = block * pick(5);
  const Place place{16, chance(50) ? std::size_t{16} : std::size_t{2000}};
  log("one shot: ", n, " bytes");
  const Bytes text = bytes(n);
  for (Side* side : {&stock, &ours}) {
    Bytes in;
    for (std::size_t i = 0; i < n; i += block) {
      const Bytes one(text.begin() + static_cast<std::ptrdiff_t>(i),
                      text.begin() + static_cast<std::ptrdiff_t>(i + block));
      const Bytes made = encrypt_ ? one : side->raw(side->keys[key_], one);
      in.insert(in.end(), made.begin(), made.end());
    }
    write_input(side, place.in, in);
  }
  compare_blocks(place.out, call(Update::kOneShot, n, place).bytes);
}

void EcbTwin::final() {
  log("final after ", pending());
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
  compare_blocks(0, static_cast<std::size_t>(size[0]));
  begin();
}

void EcbTwin::set_padding() {
  const int on = static_cast<int>(pick(2));
  log("padding = ", on);
  both([&](Side& side) { return EVP_CIPHER_CTX_set_padding(side.ctx.get(), on); });
  if (chance(30)) update(0);  // a block kept back for its padding may come now
}

// What the table of differences says is refused, in the middle of anything.
void EcbTwin::refuse() {
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

void EcbTwin::step() {
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
  } else if (what < 95) {
    refuse();
  } else if (what < 97) {
    log("reset");
    both([](Side& side) { return EVP_CIPHER_CTX_reset(side.ctx.get()); });
    start();
  } else {
    start();
  }
}

class StockEcb : public testing::TestWithParam<std::size_t> {};

TEST_P(StockEcb, DoesWhatAStockCipherDoes) {
  const Library library;
  for (unsigned seed = 1; seed <= 60; ++seed) {
    EcbTwin twin(library, cipher_spec(GetParam()), seed);
    for (int i = 0; i < 60 && !HasFailure(); ++i) twin.step();
    ASSERT_FALSE(HasFailure()) << "sequence " << seed << ":\n" << twin.history();
  }
}

INSTANTIATE_TEST_SUITE_P(AllCiphers, StockEcb, testing::Range(std::size_t{0}, kCipherCount),
                         [](const auto& param) {
                           std::string name = cipher_spec(param.param).name;
                           for (char& c : name) c = c == '-' ? '_' : c;
                           return name;
                         });

}  // namespace
}  // namespace gpuctr::test
