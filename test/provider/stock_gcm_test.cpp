// GCM against libcrypto's own of the same cipher: random sequences of calls, the same for both,
// records of TLS among them. Status, output and parameters of every call are the stock cipher's.
#include <gtest/gtest.h>
#include <openssl/core_names.h>
#include <openssl/params.h>

#include <algorithm>
#include <random>
#include <sstream>

#include "kernels/cipher/registry.h"
#include "test/provider/support.h"

namespace gpuctr::test {
namespace {

constexpr std::size_t kMemory = 4096;
constexpr std::size_t kTag = 16;

Bytes part(const Bytes& all, std::size_t from, std::size_t size) {
  const auto first = all.begin() + static_cast<std::ptrdiff_t>(from);
  return Bytes(first, first + static_cast<std::ptrdiff_t>(size));
}
void append(Bytes* to, const Bytes& more) { to->insert(to->end(), more.begin(), more.end()); }

// Ciphertext and tag of a whole message, from the stock cipher.
Bytes sealed(const EVP_CIPHER* cipher, const Bytes& key, const Bytes& iv, const Bytes& aad,
             const Bytes& text) {
  const Evp<EVP_CIPHER_CTX> ctx(EVP_CIPHER_CTX_new());
  std::size_t iv_bytes = iv.size();
  const OSSL_PARAM length[] = {OSSL_PARAM_construct_size_t(OSSL_CIPHER_PARAM_IVLEN, &iv_bytes),
                               OSSL_PARAM_construct_end()};
  EXPECT_EQ(1, EVP_EncryptInit_ex2(ctx.get(), cipher, nullptr, nullptr, nullptr));
  EXPECT_EQ(1, EVP_CIPHER_CTX_set_params(ctx.get(), length));
  EXPECT_EQ(1, EVP_EncryptInit_ex2(ctx.get(), nullptr, key.data(), iv.data(), nullptr));
  int n = 0;
  Bytes out(text.size() + kTag);
  EXPECT_EQ(1, EVP_EncryptUpdate(ctx.get(), nullptr, &n, aad.data(), static_cast<int>(aad.size())));
  EXPECT_EQ(
      1, EVP_EncryptUpdate(ctx.get(), out.data(), &n, text.data(), static_cast<int>(text.size())));
  EXPECT_EQ(1, EVP_EncryptFinal_ex(ctx.get(), out.data(), &n));
  OSSL_PARAM tag[] = {
      OSSL_PARAM_construct_octet_string(OSSL_CIPHER_PARAM_AEAD_TAG, out.data() + text.size(), kTag),
      OSSL_PARAM_construct_end()};
  EXPECT_EQ(1, EVP_CIPHER_CTX_get_params(ctx.get(), tag));
  return out;
}

struct Side {
  Evp<EVP_CIPHER> cipher;
  Evp<EVP_CIPHER_CTX> ctx{EVP_CIPHER_CTX_new()};
  Bytes memory = Bytes(kMemory);
};

class GcmTwin {
 public:
  GcmTwin(const Library& library, const CipherSpec& spec, unsigned seed)
      : random_(seed),
        stock_{library.stock(std::string(spec.name) + "-GCM")},
        ours_{library.cipher(std::string(spec.name) + "-GCM")} {
    for (auto& key : keys_) key = bytes(spec.key_bytes);
    start();
  }
  void step();
  std::string history() const { return log_.str(); }

 private:
  std::size_t pick(std::size_t n) { return random_() % n; }
  bool chance(unsigned percent) { return random_() % 100 < percent; }
  Bytes bytes(std::size_t n) {
    Bytes b(n);
    for (auto& byte : b) byte = static_cast<std::uint8_t>(random_());
    return b;
  }
  std::size_t some_size() {
    if (chance(4)) return pick(3500);
    if (chance(20)) return pick(300);
    return pick(35);
  }
  template <class... Parts>
  void log(const Parts&... parts) {
    (log_ << ... << parts) << "\n";
  }

  // f on both sides: the same answer, and ours leaves one error where it refused.
  template <class F>
  bool both(F f) {
    const int theirs = f(stock_);
    ERR_clear_error();
    const int status = f(ours_);
    const std::string errors = last_error();
    EXPECT_EQ(status, theirs) << errors;
    EXPECT_EQ(errors.empty(), status > 0) << errors;
    EXPECT_EQ(errors.find(" errors, last: "), std::string::npos) << errors;
    return theirs > 0;
  }
  bool set(const char* name, const Bytes& octets) { return set(name, octets, octets.size()); }
  bool set(const char* name, Bytes octets, std::size_t size);
  bool set(const char* name, std::size_t number);
  bool get(const char* name, std::size_t size, Bytes* answer);
  std::size_t number(const char* name);
  // Input at `in` of both memories, and the rest random, so that what is written shows.
  void fill(std::size_t in, const Bytes& input);
  // A call with data. `in` or `out` of kMemory: none.
  bool call(bool one_shot, std::size_t out, std::size_t in, std::size_t n);

  void start();
  void init();
  bool init_both(bool with_cipher, const Bytes* key, const Bytes* iv, int encrypt);
  void set_iv_length();
  void aad();
  void text();
  void final();
  void set_some_tag();
  void get_some_tag();
  void without_iv();
  void fix_iv();
  void next_iv();
  void set_explicit_iv();
  void record();
  void compare_state();
  void copy();

  // What the stock cipher was told of the message under way; it begins with the first call that
  // needs its IV.
  void begin_message();
  void new_iv(bool set) {
    iv_set_ = set;
    begun_ = ended_ = false;
  }
  bool needs_random_iv() const {
    return key_ != nullptr && encrypt_ && !iv_set_ && !begun_ && !ended_;
  }
  bool may_run() const { return key_ != nullptr && (begun_ || iv_set_) && !ended_; }

  std::mt19937 random_;
  std::ostringstream log_;
  Side stock_, ours_;
  Bytes keys_[3];
  const Bytes* key_ = nullptr;
  bool encrypt_ = true;
  bool iv_set_ = false;  // and no message has begun with it
  bool begun_ = false;
  bool ended_ = false;      // until the next IV
  bool fixed_ = false;      // IVs are counted
  bool tag_known_ = false;  // libcrypto keeps a record's header where it keeps the tag
  Bytes iv_, aad_, plain_;  // of the message under way
};

bool GcmTwin::set(const char* name, Bytes octets, std::size_t size) {
  return both([&](Side& side) {
    const OSSL_PARAM params[] = {OSSL_PARAM_construct_octet_string(name, octets.data(), size),
                                 OSSL_PARAM_construct_end()};
    return EVP_CIPHER_CTX_set_params(side.ctx.get(), params);
  });
}

bool GcmTwin::set(const char* name, std::size_t value) {
  return both([&](Side& side) {
    const OSSL_PARAM params[] = {OSSL_PARAM_construct_size_t(name, &value),
                                 OSSL_PARAM_construct_end()};
    return EVP_CIPHER_CTX_set_params(side.ctx.get(), params);
  });
}

bool GcmTwin::get(const char* name, std::size_t size, Bytes* answer) {
  Bytes answers[2] = {Bytes(160, 0xa5), Bytes(160, 0xa5)};
  const bool done = both([&](Side& side) {
    OSSL_PARAM params[] = {
        OSSL_PARAM_construct_octet_string(name, answers[&side == &ours_].data(), size),
        OSSL_PARAM_construct_end()};
    return EVP_CIPHER_CTX_get_params(side.ctx.get(), params);
  });
  if (done) {
    EXPECT_EQ(to_hex(answers[1]), to_hex(answers[0])) << name;
  }
  *answer = answers[0];
  return done;
}

std::size_t GcmTwin::number(const char* name) {
  std::size_t values[2] = {};
  both([&](Side& side) {
    OSSL_PARAM params[] = {OSSL_PARAM_construct_size_t(name, &values[&side == &ours_]),
                           OSSL_PARAM_construct_end()};
    return EVP_CIPHER_CTX_get_params(side.ctx.get(), params);
  });
  EXPECT_EQ(values[1], values[0]) << name;
  return values[0];
}

void GcmTwin::fill(std::size_t in, const Bytes& input) {
  for (auto& byte : stock_.memory) byte = static_cast<std::uint8_t>(random_());
  std::copy(input.begin(), input.end(), stock_.memory.begin() + static_cast<std::ptrdiff_t>(in));
  ours_.memory = stock_.memory;
}

bool GcmTwin::call(bool one_shot, std::size_t out, std::size_t in, std::size_t n) {
  int sizes[2] = {};
  const bool done = both([&](Side& side) {
    std::uint8_t* const to = out == kMemory ? nullptr : side.memory.data() + out;
    const std::uint8_t* const from = in == kMemory ? nullptr : side.memory.data() + in;
    int& size = sizes[&side == &ours_];
    if (!one_shot) return EVP_CipherUpdate(side.ctx.get(), to, &size, from, static_cast<int>(n));
    size = EVP_Cipher(side.ctx.get(), to, from, static_cast<unsigned>(n));
    return size < 0 ? 0 : 1;
  });
  EXPECT_EQ(sizes[1], sizes[0]);
  EXPECT_EQ(ours_.memory, stock_.memory);
  return done;
}

bool GcmTwin::init_both(bool with_cipher, const Bytes* key, const Bytes* iv, int encrypt) {
  return both([&](Side& side) {
    return EVP_CipherInit_ex2(side.ctx.get(), with_cipher ? side.cipher.get() : nullptr,
                              key == nullptr ? nullptr : key->data(),
                              iv == nullptr ? nullptr : iv->data(), encrypt, nullptr);
  });
}

void GcmTwin::start() {
  const Bytes iv = bytes(12);
  const bool with_iv = chance(85);
  key_ = chance(90) ? &keys_[pick(3)] : nullptr;
  encrypt_ = chance(50);
  log("start: key ", key_ != nullptr, ", encrypt ", encrypt_, ", IV ", with_iv);
  both([](Side& side) { return EVP_CIPHER_CTX_reset(side.ctx.get()); });
  init_both(true, key_, with_iv ? &iv : nullptr, encrypt_ ? 1 : 0);
  new_iv(with_iv);
  fixed_ = tag_known_ = false;
}

void GcmTwin::init() {
  const Bytes iv = bytes(128);
  // A key in the middle of a message: see the table of differences.
  const bool with_iv = ended_ ? chance(85) : chance(40);
  const Bytes* const key = chance(30) && (with_iv || !begun_) ? &keys_[pick(3)] : nullptr;
  const int encrypt = static_cast<int>(pick(3)) - 1;
  log("init: key ", key != nullptr, ", encrypt ", encrypt, ", IV ", with_iv);
  init_both(false, key, with_iv ? &iv : nullptr, encrypt);
  if (key != nullptr) key_ = key;
  if (encrypt >= 0) encrypt_ = encrypt == 1;
  if (with_iv) new_iv(true);
}

void GcmTwin::set_iv_length() {
  const std::size_t before = number(OSSL_CIPHER_PARAM_IVLEN);
  const std::size_t bytes = chance(40) ? 12 : pick(131);
  log("ivlen = ", bytes);
  if (!set(OSSL_CIPHER_PARAM_IVLEN, bytes) || bytes == before) return;
  if (iv_set_ || begun_) ended_ = true;
  fixed_ = false;  // for this test: the stock cipher counts in front of an IV that is too short
  if (bytes < 20) start();
}

void GcmTwin::begin_message() {
  if (begun_) return;
  begun_ = true;
  iv_set_ = false;
  iv_.assign(number(OSSL_CIPHER_PARAM_IVLEN), 0);
  Bytes iv;
  if (get(OSSL_CIPHER_PARAM_IV, iv_.size(), &iv)) iv_ = part(iv, 0, iv_.size());
  aad_.clear();
  plain_.clear();
}

void GcmTwin::aad() {
  if (needs_random_iv()) return without_iv();
  const std::size_t n = some_size();
  const bool one_shot = chance(20) && n != 0;
  log("associated data: ", n, ", one shot ", one_shot);
  if (may_run() && n != 0) begin_message();
  const Bytes in = bytes(n);
  fill(7, in);
  if (call(one_shot, kMemory, 7, n) && may_run()) append(&aad_, in);
}

void GcmTwin::text() {
  if (needs_random_iv()) return without_iv();
  const std::size_t n = some_size();
  const bool one_shot = chance(20) && n != 0;
  const std::size_t in = pick(40);
  const std::size_t out = n >= 2000 || chance(60) ? in : 2048 + pick(40);
  log("text: ", n, ", in at ", in, ", out at ", out, ", one shot ", one_shot);
  if (may_run() && n != 0) begin_message();
  const Bytes input = bytes(n);
  fill(in, input);
  if (call(one_shot, out, in, n) && may_run()) {
    const Bytes& in_plain = encrypt_ ? input : stock_.memory;
    const auto first = in_plain.begin() + static_cast<std::ptrdiff_t>(encrypt_ ? 0 : out);
    plain_.insert(plain_.end(), first, first + static_cast<std::ptrdiff_t>(n));
  }
}

void GcmTwin::final() {
  if (needs_random_iv()) return without_iv();
  const bool one_shot = chance(20);
  const bool runs = may_run();
  if (!encrypt_ && runs && (!tag_known_ || chance(80))) {
    begin_message();
    const Bytes all = sealed(stock_.cipher.get(), *key_, iv_, aad_, plain_);
    Bytes tag = part(all, plain_.size(), 1 + pick(kTag));
    if (chance(25)) tag[pick(tag.size())] ^= static_cast<std::uint8_t>(1 + pick(255));
    log("tag of ", tag.size());
    set(OSSL_CIPHER_PARAM_AEAD_TAG, tag);
    tag_known_ = true;
  }
  if (!encrypt_ && !tag_known_) return;
  log("final, one shot ", one_shot);
  int sizes[2] = {};
  const bool done = both([&](Side& side) {
    int& size = sizes[&side == &ours_];
    if (!one_shot) return EVP_CipherFinal_ex(side.ctx.get(), side.memory.data(), &size);
    size = EVP_Cipher(side.ctx.get(), side.memory.data(), nullptr, 0);
    return size < 0 ? 0 : 1;
  });
  EXPECT_EQ(sizes[1], sizes[0]);
  if (!runs) return;
  ended_ = true;
  if (done) {
    tag_known_ = true;
    return;
  }
  // After a wrong tag the stock cipher goes on: see the table of differences.
  const Bytes iv = bytes(128);
  init_both(false, nullptr, &iv, -1);
  new_iv(true);
}

void GcmTwin::set_some_tag() {
  const std::size_t n = pick(18);
  log("tag of ", n);
  // The stock cipher takes the bytes even where it refuses them.
  tag_known_ = set(OSSL_CIPHER_PARAM_AEAD_TAG, bytes(n));
}

void GcmTwin::get_some_tag() {
  if (!tag_known_ && encrypt_) return;
  // Behind a shorter tag that was set the stock cipher has bytes of earlier ones.
  const std::size_t whole = number(OSSL_CIPHER_PARAM_AEAD_TAGLEN);
  Bytes tag;
  get(OSSL_CIPHER_PARAM_AEAD_TAG, whole == kTag ? pick(19) : pick(whole + 1), &tag);
}

// Encryption makes an IV where none was set: another one on each side, so nothing goes on with it.
void GcmTwin::without_iv() {
  if (!needs_random_iv()) return;
  const std::size_t iv_bytes = number(OSSL_CIPHER_PARAM_IVLEN);
  log("no IV of ", iv_bytes);
  const Bytes input = bytes(100);
  fill(0, input);
  int n = 0;
  const bool done = both([&](Side& side) {
    return EVP_EncryptUpdate(side.ctx.get(), side.memory.data(), &n, side.memory.data(), 100);
  });
  if (done) {
    Bytes iv(iv_bytes);
    OSSL_PARAM params[] = {
        OSSL_PARAM_construct_octet_string(OSSL_CIPHER_PARAM_IV, iv.data(), iv.size()),
        OSSL_PARAM_construct_end()};
    EXPECT_EQ(1, EVP_CIPHER_CTX_get_params(ours_.ctx.get(), params));
    EXPECT_NE(iv, Bytes(iv_bytes));
    EXPECT_EQ(part(sealed(stock_.cipher.get(), *key_, iv, {}, input), 0, 100),
              part(ours_.memory, 0, 100));
  }
  start();
}

// To encrypt, both have random bytes behind the fixed ones, and then the whole IV of one.
void GcmTwin::fix_iv() {
  const std::size_t iv_bytes = number(OSSL_CIPHER_PARAM_IVLEN);
  // Of one longer than the IV OpenSSL 3.0 takes too much.
  const std::size_t n = chance(60) && iv_bytes >= 4 ? 4 : pick(iv_bytes + 1);
  log("fixed IV of ", n);
  if (!set(OSSL_CIPHER_PARAM_AEAD_TLS1_IV_FIXED, bytes(n))) return;
  Bytes iv(iv_bytes);
  OSSL_PARAM params[] = {
      OSSL_PARAM_construct_octet_string(OSSL_CIPHER_PARAM_IV, iv.data(), iv_bytes),
      OSSL_PARAM_construct_end()};
  EXPECT_EQ(1, EVP_CIPHER_CTX_get_params(ours_.ctx.get(), params));
  EXPECT_EQ(1, EVP_CIPHER_CTX_get_params(stock_.ctx.get(), params));
  if (chance(30)) std::fill(iv.end() - static_cast<std::ptrdiff_t>(pick(9)), iv.end(), 0xff);
  EXPECT_TRUE(set(OSSL_CIPHER_PARAM_AEAD_TLS1_IV_FIXED, iv, SIZE_MAX));
  new_iv(true);
  fixed_ = true;
}

void GcmTwin::next_iv() {
  const std::size_t n = pick(20);
  log("next IV, ", n, " bytes");
  Bytes iv, whole;
  if (fixed_ && key_ != nullptr) {
    new_iv(true);
    begin_message();
  } else if (fixed_ != (key_ != nullptr)) {
    return;
  }
  get(OSSL_CIPHER_PARAM_AEAD_TLS1_GET_IV_GEN, n, &iv);
}

void GcmTwin::set_explicit_iv() {
  const std::size_t n = pick(13);
  log("explicit IV of ", n);
  if (set(OSSL_CIPHER_PARAM_AEAD_TLS1_SET_IV_INV, bytes(n))) new_iv(true);
}

// What libssl does with each record, and what it never does.
void GcmTwin::record() {
  const std::size_t n = chance(90) ? 24 + some_size() : pick(24);
  Bytes header = bytes(chance(95) ? 13 : 12 + pick(3));
  header[11] = 0;
  if (header.size() == 13) {
    const std::size_t length = encrypt_ && n >= 16 ? n - 16 : n;
    header[11] = static_cast<std::uint8_t>(length >> 8);
    header[12] = static_cast<std::uint8_t>(length);
  }
  log("record of ", n, ", header ", header.size());
  if (!set(OSSL_CIPHER_PARAM_AEAD_TLS1_AAD, header)) {
    // The stock cipher takes a header that it refuses: see the table of differences.
    if (header.size() == 13) start();
    return;
  }
  EXPECT_EQ(number(OSSL_CIPHER_PARAM_AEAD_TLS1_AAD_PAD), kTag);
  tag_known_ = false;
  Bytes data = bytes(n);
  if (!encrypt_ && n >= 24 && key_ != nullptr && fixed_ && chance(80)) {
    const std::size_t iv_bytes = number(OSSL_CIPHER_PARAM_IVLEN);
    Bytes iv;
    EXPECT_TRUE(get(OSSL_CIPHER_PARAM_IV, iv_bytes, &iv));
    iv.resize(iv_bytes - 8);
    append(&iv, part(data, 0, 8));
    header[11] = static_cast<std::uint8_t>((n - 24) >> 8);
    header[12] = static_cast<std::uint8_t>(n - 24);
    const Bytes all = sealed(stock_.cipher.get(), *key_, iv, header, part(data, 24, n - 24));
    std::copy(all.begin(), all.end(), data.begin() + 8);
    if (chance(30)) data[pick(n)] ^= static_cast<std::uint8_t>(1 + pick(255));
  }
  fill(10, data);
  if (n == 0 || chance(3)) {
    log("final of a record");
    both([&](Side& side) {
      int size = 0;
      return EVP_CipherFinal_ex(side.ctx.get(), side.memory.data(), &size);
    });
  } else {
    call(chance(30), chance(95) ? 10 : 2100, 10, n);
  }
  begun_ = true;
  ended_ = true;
}

void GcmTwin::compare_state() {
  number(OSSL_CIPHER_PARAM_IVLEN);
  number(OSSL_CIPHER_PARAM_KEYLEN);
  number(OSSL_CIPHER_PARAM_AEAD_TAGLEN);
  number(OSSL_CIPHER_PARAM_AEAD_TLS1_AAD_PAD);
  if (!iv_set_ && !begun_) return;
  Bytes iv;
  for (const char* name : {OSSL_CIPHER_PARAM_IV, OSSL_CIPHER_PARAM_UPDATED_IV}) {
    get(name, pick(20) == 0 ? pick(128) : 128, &iv);
  }
}

// Some versions of libcrypto copy no context of GCM.
void GcmTwin::copy() {
  Evp<EVP_CIPHER_CTX> copies[2] = {Evp<EVP_CIPHER_CTX>(EVP_CIPHER_CTX_new()),
                                   Evp<EVP_CIPHER_CTX>(EVP_CIPHER_CTX_new())};
  EXPECT_EQ(1, EVP_CIPHER_CTX_copy(copies[1].get(), ours_.ctx.get())) << last_error();
  if (EVP_CIPHER_CTX_copy(copies[0].get(), stock_.ctx.get()) != 1) return ERR_clear_error();
  log("copy");
  if (chance(50)) {
    std::swap(copies[0], stock_.ctx);
    std::swap(copies[1], ours_.ctx);
  }
  Bytes out(48, 0x77);
  int n = 0;
  for (const auto& ctx : copies) EVP_CipherUpdate(ctx.get(), out.data(), &n, out.data(), 48);
  ERR_clear_error();
}

void GcmTwin::step() {
  const std::size_t what = pick(100);
  if (what < 35) {
    text();
  } else if (what < 50) {
    aad();
  } else if (what < 60) {
    final();
  } else if (what < 70) {
    init();
  } else if (what < 73) {
    set_iv_length();
  } else if (what < 76) {
    set_some_tag();
  } else if (what < 79) {
    get_some_tag();
  } else if (what < 81) {
    without_iv();
  } else if (what < 84) {
    fix_iv();
  } else if (what < 86) {
    next_iv();
  } else if (what < 88) {
    set_explicit_iv();
  } else if (what < 95) {
    record();
  } else if (what < 97) {
    copy();
  } else {
    start();
  }
  compare_state();
}

class StockGcm : public testing::TestWithParam<std::size_t> {};

TEST_P(StockGcm, DoesWhatTheStockCipherDoes) {
  const CipherSpec& spec = cipher_spec(GetParam());
  if (spec.block_bytes != 16 || !spec.in_openssl) GTEST_SKIP() << "libcrypto has no such cipher";
  const Library library;
  if (library.stock(std::string(spec.name) + "-GCM") == nullptr) GTEST_SKIP() << "in no GCM";
  for (unsigned seed = 1; seed <= 200; ++seed) {
    GcmTwin twin(library, spec, seed);
    for (int i = 0; i < 80 && !HasFailure(); ++i) twin.step();
    ASSERT_FALSE(HasFailure()) << "sequence " << seed << ":\n" << twin.history();
  }
}

INSTANTIATE_TEST_SUITE_P(AllCiphers, StockGcm, testing::Range(std::size_t{0}, kCipherCount),
                         [](const auto& param) {
                           std::string name = cipher_spec(param.param).name;
                           for (char& c : name) c = c == '-' ? '_' : c;
                           return name;
                         });

}  // namespace
}  // namespace gpuctr::test
