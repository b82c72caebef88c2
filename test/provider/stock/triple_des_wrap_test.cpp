// DES3-WRAP beside OpenSSL's: random sequences of calls, the same for both. Status, lengths,
// parameters and errors are the stock cipher's. Wrapped keys have a random IV, so each is unwrapped
// by the other side.
#include <gtest/gtest.h>
#include <openssl/core_names.h>
#include <openssl/params.h>

#include <algorithm>

#include "test/provider/stock/aead_pair.h"
#include "test/provider/stock/pair.h"

namespace gpuctr::test {
namespace {

constexpr char kName[] = "DES3-WRAP";

Side side_of(Evp<EVP_CIPHER> cipher) {
  return Side(std::move(cipher), RawBlock(Evp<EVP_CIPHER>()), 1);  // no single blocks
}

class DesWrapPair : public Pair {
 public:
  DesWrapPair(const Library& library, unsigned seed)
      : Pair(side_of(library.stock(kName)), side_of(library.cipher(kName)), seed) {
    stock.keys = ours.keys;
    start();
  }
  void step();

 private:
  void start();
  void init();
  void update();
  void final();
  void copy_ours();
  void compare_state();
  void expect_outputs(std::size_t n, const Place& at, const Bytes& in, const int (&written)[2]);

  // What either side makes of `in` in a context of its own. Empty: it was refused.
  Bytes alone(const Side& side, bool encrypt, const Bytes& in) const;
  Bytes wrapped_input();

  std::size_t key_ = 0;
  bool encrypt_ = true;
  Bytes text_;  // that the next call wraps, or of which it unwraps the wrapped key
  bool spoilt_ = false;
};

void DesWrapPair::start() {
  both([](Side& side) { return EVP_CIPHER_CTX_reset(side.ctx.get()); });
  const bool allowed = chance(95);
  if (allowed) {
    for (const Side* side : {&stock, &ours}) {
      EVP_CIPHER_CTX_set_flags(side->ctx.get(), EVP_CIPHER_CTX_FLAG_WRAP_ALLOW);
    }
  }
  key_ = pick(kKeys);
  encrypt_ = chance(50);
  log("start: allowed ", allowed, ", key ", key_, ", encrypt ", encrypt_);
  const int status = both([&](Side& side) {
    return EVP_CipherInit_ex2(side.ctx.get(), side.cipher.get(), side.keys[key_].data(), nullptr,
                              encrypt_ ? 1 : 0, nullptr);
  });
  if (status != 1) start();
}

// The IV of an init has no bytes.
void DesWrapPair::init() {
  const Bytes iv = bytes(8);
  const bool with_iv = chance(40), new_key = chance(40);
  const int encrypt = static_cast<int>(pick(3)) - 1;
  if (new_key) key_ = pick(kKeys);
  log("init: key ", new_key ? static_cast<int>(key_) : -1, ", encrypt ", encrypt, ", IV ", with_iv);
  both([&](Side& side) {
    return EVP_CipherInit_ex2(side.ctx.get(), nullptr, new_key ? side.keys[key_].data() : nullptr,
                              with_iv ? iv.data() : nullptr, encrypt, nullptr);
  });
  if (encrypt >= 0) encrypt_ = encrypt == 1;
}

Bytes DesWrapPair::alone(const Side& side, bool encrypt, const Bytes& in) const {
  const Evp<EVP_CIPHER_CTX> ctx(EVP_CIPHER_CTX_new());
  EVP_CIPHER_CTX_set_flags(ctx.get(), EVP_CIPHER_CTX_FLAG_WRAP_ALLOW);
  EXPECT_EQ(1, EVP_CipherInit_ex2(ctx.get(), side.cipher.get(), side.keys[key_].data(), nullptr,
                                  encrypt ? 1 : 0, nullptr));
  Bytes out(in.size() + 16);
  int n = 0;
  const int status =
      EVP_CipherUpdate(ctx.get(), out.data(), &n, in.data(), static_cast<int>(in.size()));
  ERR_clear_error();
  out.resize(status == 1 ? static_cast<std::size_t>(n) : 0);
  return out;
}

// A wrapped key of either side, or one that is spoilt or has another length, or random bytes.
Bytes DesWrapPair::wrapped_input() {
  if (text_.empty() || text_.size() % 8 != 0 || chance(5)) return bytes(pick(60));
  Bytes made = alone(chance(50) ? stock : ours, true, text_);
  if (spoilt_) made[pick(made.size())] ^= static_cast<std::uint8_t>(1 + pick(255));
  if (chance(5)) made.resize(pick(made.size() + 9), 0x11);
  return made;
}

void DesWrapPair::update() {
  text_ = bytes(chance(80) ? 8 * pick(6) : chance(50) ? 8 * pick(100) : pick(60));
  spoilt_ = chance(20);
  const Bytes in = encrypt_ ? text_ : wrapped_input();
  const std::size_t n = in.size();
  const bool asks = chance(15);  // for the length of the output
  const bool one_shot = chance(20);
  // OpenSSL's wraps in place with a wrong checksum: see the table of differences.
  const std::size_t from = 100 + pick(30);
  const Place at{from, !encrypt_ && chance(50) ? from : 1500 + pick(30)};
  log("update: ", encrypt_ ? "wraps " : "unwraps ", n, " bytes, spoilt ", spoilt_, ", asks ", asks,
      ", in at ", at.in, ", out at ", at.out, ", one shot ", one_shot);
  int written[2] = {}, status[2] = {};
  std::string reasons[2];
  Bytes before;
  for (Side* side : {&stock, &ours}) {
    const int which = side == &ours ? 1 : 0;
    write_input(side, at.in, in);
    if (which == 1) before = ours.memory;
    ERR_clear_error();
    std::uint8_t* const out = asks ? nullptr : side->memory.data() + at.out;
    const std::uint8_t* const data = side->memory.data() + at.in;
    if (one_shot) {
      written[which] = EVP_Cipher(side->ctx.get(), out, data, static_cast<unsigned>(n));
    } else {
      status[which] =
          EVP_CipherUpdate(side->ctx.get(), out, &written[which], data, static_cast<int>(n));
    }
    reasons[which] = take_reasons();
  }
  EXPECT_EQ(status[0], status[1]);
  EXPECT_EQ(written[0], written[1]);
  EXPECT_EQ(reasons[0], reasons[1]);
  const std::size_t room = asks ? 0 : encrypt_ ? n + 16 : n < 16 ? 0 : n - 16;
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (i >= at.out && i < at.out + room) continue;
    ASSERT_EQ(before[i], ours.memory[i]) << "written at " << i << ", output at " << at.out;
  }
  if (!asks && written[1] == written[0]) expect_outputs(n, at, in, written);
}

// After a call with output: a wrapped key that both sides unwrap, the text, or zeros.
void DesWrapPair::expect_outputs(std::size_t n, const Place& at, const Bytes& in,
                                 const int (&written)[2]) {
  if (written[0] <= 0) {
    if (encrypt_ || n < 24 || n % 8 != 0) return;
    for (const Side* side : {&stock, &ours}) {
      EXPECT_EQ(part(side->memory, at.out, n - 16), Bytes(n - 16));
    }
    return;
  }
  const auto size = static_cast<std::size_t>(written[0]);
  const Bytes theirs = part(stock.memory, at.out, size), made = part(ours.memory, at.out, size);
  if (!encrypt_) {
    EXPECT_EQ(to_hex(made), to_hex(theirs));
    EXPECT_EQ(to_hex(made), to_hex(alone(stock, false, in)));
    return;
  }
  EXPECT_NE(made, theirs);
  EXPECT_EQ(alone(stock, false, made), text_);
  EXPECT_EQ(alone(ours, false, theirs), text_);
}

void DesWrapPair::final() {
  log("final");
  int size[2] = {-1, -1};
  both([&](Side& side) {
    return EVP_CipherFinal_ex(side.ctx.get(), side.memory.data(), &size[&side == &ours ? 1 : 0]);
  });
  EXPECT_EQ(size[0], size[1]);
}

// OpenSSL's cannot be copied: see the table of differences.
void DesWrapPair::copy_ours() {
  log("copy of ours");
  Evp<EVP_CIPHER_CTX> other(EVP_CIPHER_CTX_new());
  ASSERT_EQ(1, EVP_CIPHER_CTX_copy(other.get(), ours.ctx.get())) << last_error();
  std::swap(other, ours.ctx);
}

void DesWrapPair::compare_state() {
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

void DesWrapPair::step() {
  const std::size_t what = pick(100);
  if (what < 60) {
    update();
  } else if (what < 68) {
    final();
  } else if (what < 80) {
    init();
  } else if (what < 86) {
    copy_ours();
  } else if (what < 93) {
    const int on = static_cast<int>(pick(2));
    log("padding = ", on);
    both([&](Side& side) { return EVP_CIPHER_CTX_set_padding(side.ctx.get(), on); });
  } else {
    start();
  }
  compare_state();
}

TEST(StockTripleDesWrap, DoesWhatTheStockCipherDoes) {
  static const Library library;
  if (library.cipher(kName) == nullptr) GTEST_SKIP() << "no DES in this build";
  for (unsigned seed = 1; seed <= 200; ++seed) {
    DesWrapPair pair(library, seed);
    for (int i = 0; i < 60 && !testing::Test::HasFailure(); ++i) pair.step();
    ASSERT_FALSE(testing::Test::HasFailure()) << "sequence " << seed << ":\n" << pair.history();
  }
}

TEST(StockTripleDesWrap, IsDescribedAsTheStockCipher) {
  static const Library library;
  for (const char* name : {"DES3-WRAP", "id-smime-alg-CMS3DESwrap", "1.2.840.113549.1.9.16.3.6"}) {
    const Evp<EVP_CIPHER> stock = library.stock(name), ours = library.cipher(name);
    if (ours == nullptr) GTEST_SKIP() << "no DES in this build";
    EXPECT_STREQ(EVP_CIPHER_get0_name(ours.get()), EVP_CIPHER_get0_name(stock.get()));
    EXPECT_EQ(EVP_CIPHER_is_a(ours.get(), "DES-EDE3-WRAP"), 1);
    EXPECT_EQ(EVP_CIPHER_get_flags(ours.get()), EVP_CIPHER_get_flags(stock.get()));
    EXPECT_EQ(EVP_CIPHER_get_mode(ours.get()), EVP_CIPH_WRAP_MODE);
    EXPECT_EQ(EVP_CIPHER_get_nid(ours.get()), EVP_CIPHER_get_nid(stock.get()));
    EXPECT_EQ(EVP_CIPHER_get_key_length(ours.get()), EVP_CIPHER_get_key_length(stock.get()));
    EXPECT_EQ(EVP_CIPHER_get_iv_length(ours.get()), EVP_CIPHER_get_iv_length(stock.get()));
    EXPECT_EQ(EVP_CIPHER_get_block_size(ours.get()), EVP_CIPHER_get_block_size(stock.get()));
  }
}

// The differences that the manual states.
TEST(StockTripleDesWrap, Differs) {
  static const Library library;
  const Evp<EVP_CIPHER> stock = library.stock(kName), ours = library.cipher(kName);
  if (ours == nullptr) GTEST_SKIP() << "no DES in this build";
  const Bytes key(24, 0x31);
  for (const bool is_ours : {false, true}) {
    const EVP_CIPHER* const cipher = is_ours ? ours.get() : stock.get();
    const Evp<EVP_CIPHER_CTX> ctx(EVP_CIPHER_CTX_new()), other(EVP_CIPHER_CTX_new());
    EVP_CIPHER_CTX_set_flags(ctx.get(), EVP_CIPHER_CTX_FLAG_WRAP_ALLOW);
    ASSERT_EQ(1, EVP_EncryptInit_ex2(ctx.get(), cipher, key.data(), nullptr, nullptr));
    EXPECT_EQ(EVP_CIPHER_CTX_copy(other.get(), ctx.get()), is_ours ? 1 : 0);
    ERR_clear_error();
    Bytes memory(24);
    for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<std::uint8_t>(i);
    memory.resize(40);
    int n = 0;
    ASSERT_EQ(1, EVP_EncryptUpdate(ctx.get(), memory.data(), &n, memory.data(), 24));
    ASSERT_EQ(1, EVP_DecryptInit_ex2(ctx.get(), nullptr, key.data(), nullptr, nullptr));
    EXPECT_EQ(EVP_DecryptUpdate(ctx.get(), memory.data(), &n, memory.data(), 40), is_ours ? 1 : 0);
    ERR_clear_error();
  }
}

}  // namespace
}  // namespace gpuctr::test
