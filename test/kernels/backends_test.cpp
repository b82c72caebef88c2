// Every backend this CPU has against the scalar one: the same bytes for every cipher, at every
// length, offset, split and counter.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "kernels/base/counter.h"
#include "kernels/cipher/folders.h"
#include "kernels/cpu/backend.h"
#include "kernels/cpu/base/gcm_text.h"
#include "kernels/cpu/xex.h"
#include "test/kernels/cases.h"
#include "test/support/vectors.h"

namespace gpuctr {
namespace {

using test::Bytes;
using test::Case;

constexpr std::size_t kGuard = 80;  // more than a vector
constexpr std::uint8_t kGuardByte = 0xa5;

// A buffer at a chosen misalignment, with guard bytes around it.
class Guarded {
 public:
  Guarded(std::size_t offset, std::size_t size)
      : offset_(kGuard + offset), size_(size), bytes_(size + 2 * kGuard + offset, kGuardByte) {}
  std::uint8_t* data() { return bytes_.data() + offset_; }
  Bytes content() const {
    const auto begin = bytes_.begin() + static_cast<std::ptrdiff_t>(offset_);
    return Bytes(begin, begin + static_cast<std::ptrdiff_t>(size_));
  }
  bool intact() const {
    for (std::size_t i = 0; i < bytes_.size(); ++i) {
      if ((i < offset_ || i >= offset_ + size_) && bytes_[i] != kGuardByte) return false;
    }
    return true;
  }

 private:
  std::size_t offset_;
  std::size_t size_;
  Bytes bytes_;
};

class Differential : public testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    if (!GetParam().backend->available()) {
      GTEST_SKIP() << "this CPU has no " << GetParam().backend->name;
    }
    cipher_.expand(random_bytes(cipher_.key_bytes).data(), &keys_);
  }

  // CBC encryption; `chain` becomes the last block.
  Bytes expected_cbc(const Bytes& plain, Bytes* chain) {
    Bytes made = plain;
    for (std::size_t at = 0; at < plain.size(); at += chain->size()) {
      for (std::size_t i = 0; i < chain->size(); ++i) (*chain)[i] ^= plain[at + i];
      scalar_.encrypt(keys_, chain->data(), chain->data(), 1);
      std::copy(chain->begin(), chain->end(), made.begin() + static_cast<std::ptrdiff_t>(at));
    }
    return made;
  }
  // A operation that goes on from a block and leaves the next one there: into another buffer and in
  // place, in two calls. `restart` comes before each pair.
  template <class Verb, class Restart>
  void check_chained(const Verb& operation, const Bytes& first, const Bytes& given,
                     const Bytes& expected, const Bytes& last, const Restart& restart) {
    const std::size_t block = first.size(), blocks = given.size() / block;
    Guarded in(below(64), given.size()), out(below(64), given.size()), running(below(64), block);
    std::copy(given.begin(), given.end(), in.data());
    for (const bool in_place : {false, true}) {
      restart();
      std::copy(first.begin(), first.end(), running.data());
      std::uint8_t* const to = in_place ? in.data() : out.data();
      const std::size_t some = below(blocks + 1);
      operation(keys_, running.data(), in.data(), to, some);
      operation(keys_, running.data(), in.data() + some * block, to + some * block, blocks - some);
      ASSERT_EQ(in_place ? in.content() : out.content(), expected);
      ASSERT_EQ(running.content(), last);
      ASSERT_EQ(in.content(), in_place ? expected : given);
    }
    ASSERT_TRUE(in.intact() && out.intact() && running.intact());
  }
  template <class Verb>
  void check_chained(const Verb& operation, const Bytes& first, const Bytes& given,
                     const Bytes& expected, const Bytes& last) {
    check_chained(operation, first, given, expected, last, [] {});
  }

  auto decryption(decltype(decrypt_cbc)* decrypt) const {
    return [this, decrypt](const RoundKeys& keys, auto... text) {
      decrypt(ops_, cipher_.block_bytes, keys, text...);
    };
  }

  std::size_t below(std::size_t limit) { return random_() % limit; }
  Bytes random_bytes(std::size_t n) {
    Bytes bytes(n + 7);
    for (std::size_t i = 0; i < n; i += 8) {
      const std::uint64_t word = random_();
      std::memcpy(bytes.data() + i, &word, sizeof word);
    }
    bytes.resize(n);
    return bytes;
  }
  Bytes expected_ctr(const Bytes& counter, const Bytes& in) const {
    Bytes out(in.size());
    scalar_.ctr(keys_, counter.data(), in.data(), out.data(), in.size());
    return out;
  }
  // One call, checked in three forms: into another buffer, in place, and keystream alone.
  void check_ctr(const Bytes& counter, const Bytes& in, std::size_t in_offset,
                 std::size_t out_offset) {
    const Bytes keystream = expected_ctr(counter, Bytes(in.size(), 0));
    Bytes expected = keystream;
    for (std::size_t i = 0; i < in.size(); ++i) expected[i] ^= in[i];
    Guarded source(in_offset, in.size());
    std::copy(in.begin(), in.end(), source.data());
    Guarded out(out_offset, in.size());
    ops_.ctr(keys_, counter.data(), source.data(), out.data(), in.size());
    ASSERT_EQ(out.content(), expected);
    ASSERT_EQ(source.content(), in);
    ops_.ctr(keys_, counter.data(), source.data(), source.data(), in.size());
    ASSERT_EQ(source.content(), expected);
    ops_.ctr(keys_, counter.data(), nullptr, out.data(), in.size());
    ASSERT_EQ(out.content(), keystream);
    ASSERT_TRUE(out.intact() && source.intact());
  }

  const CipherSpec& cipher_ = *GetParam().cipher;
  const CipherOps& ops_ = GetParam().backend->ops[GetParam().cipher->index];
  const CipherOps& scalar_ = find_backend("scalar")->ops[GetParam().cipher->index];
  RoundKeys keys_{};
  std::mt19937_64 random_{20240717};
};

TEST_P(Differential, EveryShortLength) {
  const Bytes counter = random_bytes(cipher_.block_bytes);
  for (std::size_t n = 0; n <= 2200; n += n < 600 ? 1 : 7) {
    SCOPED_TRACE(n);
    check_ctr(counter, random_bytes(n), below(64), below(64));
    if (HasFatalFailure()) return;
  }
}

TEST_P(Differential, RandomLengthsAndOffsets) {
  for (int i = 0; i < 60; ++i) {
    const std::size_t n = below(20000);
    SCOPED_TRACE(n);
    check_ctr(random_bytes(cipher_.block_bytes), random_bytes(n), below(64), below(64));
    if (HasFatalFailure()) return;
  }
}

// Counters that carry out of each byte, at every place of a batch and through the whole counter.
TEST_P(Differential, CountersThatCarry) {
  const std::size_t block = cipher_.block_bytes;
  for (std::size_t ones = 1; ones <= block; ++ones) {
    for (int i = 0; i < (block <= 16 ? 40 : 4); ++i) {
      Bytes counter = random_bytes(block);
      std::fill(counter.end() - static_cast<std::ptrdiff_t>(ones), counter.end(), 0xff);
      // Back by some blocks, with borrow: the carry then falls on any place of a batch.
      const std::size_t back = i < 8 ? static_cast<std::size_t>(i) : below(300);
      for (std::size_t k = 0, borrow = back; k < block && borrow != 0; ++k) {
        std::uint8_t& b = counter[block - 1 - k];
        const std::size_t take = borrow & 0xff;
        borrow = (borrow >> 8) + (b < take ? 1 : 0);
        b = static_cast<std::uint8_t>(b - take);
      }
      SCOPED_TRACE(test::to_hex(counter));
      check_ctr(counter, random_bytes(400 * block + below(block)), 0, 1);
      if (HasFatalFailure()) return;
    }
  }
}

// Far enough that a 16-bit word passes zero more than once within the call. Long blocks have words
// of 64 bits.
TEST_P(Differential, LongRun) {
  const Bytes counter = random_bytes(cipher_.block_bytes);
  const std::size_t blocks = std::size_t{3} << (cipher_.block_bytes <= 16 ? 16 : 10);
  check_ctr(counter, random_bytes(blocks * cipher_.block_bytes + 5), 3, 0);
}

TEST_P(Differential, SplitsJoin) {
  const std::size_t block = cipher_.block_bytes;
  for (int i = 0; i < 20; ++i) {
    const Bytes in = random_bytes(8000);
    const Bytes first = random_bytes(block);
    const Bytes expected = expected_ctr(first, in);
    Bytes counter = first;
    Bytes out(in.size());
    for (std::size_t at = 0; at < in.size();) {  // whole blocks, but for the last
      const std::size_t n = std::min(in.size() - at, (1 + below(150)) * block);
      ops_.ctr(keys_, counter.data(), in.data() + at, out.data() + at, n);
      counter_add(counter.data(), block, n / block);
      at += n;
    }
    ASSERT_EQ(out, expected);
  }
}

TEST_P(Differential, EcbBothWays) {
  for (std::size_t blocks = 0; blocks < 300; ++blocks) {
    SCOPED_TRACE(blocks);
    const Bytes plain = random_bytes(blocks * cipher_.block_bytes);
    Bytes expected(plain.size());
    scalar_.encrypt(keys_, plain.data(), expected.data(), blocks);
    Guarded in(below(64), plain.size());
    Guarded out(below(64), plain.size());
    std::copy(plain.begin(), plain.end(), in.data());
    ops_.encrypt(keys_, in.data(), out.data(), blocks);
    ASSERT_EQ(out.content(), expected);
    ASSERT_EQ(in.content(), plain);
    ops_.decrypt(keys_, out.data(), in.data(), blocks);
    ASSERT_EQ(in.content(), plain);
    ops_.encrypt(keys_, in.data(), in.data(), blocks);
    ASSERT_EQ(in.content(), expected);
    ops_.decrypt(keys_, in.data(), in.data(), blocks);
    ASSERT_EQ(in.content(), plain);
    ASSERT_TRUE(in.intact() && out.intact());
  }
}

// Into another buffer and in place, in calls of different sizes.
TEST_P(Differential, Cbc) {
  if (ops_.cbc_encrypt == nullptr) return;
  for (std::size_t blocks = 0; blocks < 150; blocks += 1 + blocks / 20) {
    SCOPED_TRACE(blocks);
    const Bytes plain = random_bytes(blocks * cipher_.block_bytes);
    Bytes last = random_bytes(cipher_.block_bytes);
    const Bytes first = last, cipher = expected_cbc(plain, &last);
    check_chained(ops_.cbc_encrypt, first, plain, cipher, last);
    if (HasFatalFailure()) return;
  }
}

TEST_P(Differential, CbcDecryption) {  // to 300 blocks, and then several pieces of 8 KiB
  for (std::size_t blocks = 0; blocks < 1300; blocks += blocks <= 280 ? 1 + blocks / 40 : 999) {
    SCOPED_TRACE(blocks);
    const Bytes plain = random_bytes(blocks * cipher_.block_bytes);
    Bytes last = random_bytes(cipher_.block_bytes);
    const Bytes first = last, cipher = expected_cbc(plain, &last);
    check_chained(decryption(decrypt_cbc), first, cipher, plain, last);
    if (HasFatalFailure()) return;
  }
}

// CFB both ways, and OFB.
TEST_P(Differential, Feedback) {
  const std::size_t block = cipher_.block_bytes;
  for (std::size_t blocks = 0; blocks < 1300; blocks += blocks <= 280 ? 1 + blocks / 40 : 999) {
    SCOPED_TRACE(blocks);
    const Bytes plain = random_bytes(blocks * block), first = random_bytes(block);
    Bytes cfb = plain, ofb = plain, last = first, keystream = first;
    for (std::size_t at = 0; at < plain.size(); at += block) {
      scalar_.encrypt(keys_, last.data(), last.data(), 1);
      scalar_.encrypt(keys_, keystream.data(), keystream.data(), 1);
      for (std::size_t i = 0; i < block; ++i) {
        last[i] = cfb[at + i] ^= last[i];
        ofb[at + i] ^= keystream[i];
      }
    }
    check_chained(decryption(decrypt_cfb), first, cfb, plain, last);
    if (ops_.cfb_encrypt != nullptr) check_chained(ops_.cfb_encrypt, first, plain, cfb, last);
    if (ops_.ofb != nullptr) check_chained(ops_.ofb, first, plain, ofb, keystream);
    if (HasFatalFailure()) return;
  }
}

// Encryption and decryption. Some counters carry from their low 64 bits into their high 64 bits.
TEST_P(Differential, Ccm) {
  if (ops_.ccm == nullptr) return;
  const std::size_t block = cipher_.block_bytes;
  for (std::size_t blocks = 0; blocks < 40; ++blocks) {
    SCOPED_TRACE(blocks);
    const Bytes plain = random_bytes(blocks * block), first = random_bytes(block);
    Bytes counter = random_bytes(block), mac = first;
    std::fill(counter.end() - 8, counter.end() - (blocks % 2 == 0 ? 0 : 8), 0xff);
    counter.back() = static_cast<std::uint8_t>(counter.back() - blocks / 2);
    const Bytes cipher = expected_ctr(counter, plain);
    for (std::size_t at = 0; at < plain.size(); at += block) {
      scalar_.encrypt(keys_, mac.data(), mac.data(), 1);
      for (std::size_t i = 0; i < block; ++i) mac[i] ^= plain[at + i];
    }
    for (const bool encrypts : {true, false}) {
      const auto crypt = [&](const RoundKeys& keys, std::uint8_t* chain, const std::uint8_t* in,
                             std::uint8_t* out, std::size_t some) {
        ops_.ccm(keys, encrypts, counter.data(), chain, in, out, some);
        counter_add(counter.data(), block, some);
      };
      const Bytes start = counter;
      check_chained(crypt, first, encrypts ? plain : cipher, encrypts ? cipher : plain, mac,
                    [&] { counter = start; });
      if (HasFatalFailure()) return;
      counter = start;
    }
  }
}

// Both ways, with carries in the counter, in calls of different sizes, with and without the mask
// and a block before the text and a block of keystream after it, with all powers of the hash key
// and with as many as are needed.
TEST_P(Differential, Gcm) {
  const GhashOps* const hash = test::hash_of_gcm(ops_);
  if (hash == nullptr) return;
  constexpr std::size_t kBlock = 16;
  for (std::size_t blocks = 0; blocks < 1500; blocks += 1 + below(1 + blocks / 20)) {
    SCOPED_TRACE(blocks);
    const Bytes plain = random_bytes(blocks * kBlock), first = random_bytes(kBlock);
    const Bytes before = random_bytes(kBlock);
    const bool has_mask = below(2) != 0, has_before = below(2) != 0;
    Bytes mask = random_bytes(kBlock), y = first;
    std::fill(mask.end() - 4, mask.end() - 1, blocks % 2 == 0 ? 0xff : 0x00);
    mask[kBlock - 4] &= 0x7f;    // its last 32 bits do not wrap
    const Bytes of_mask = mask;  // its counter block, from which the text's follow
    Bytes start = mask;
    counter_add(start.data(), kBlock, 1);
    scalar_.encrypt(keys_, mask.data(), mask.data(), 1);
    const Bytes cipher = expected_ctr(start, plain);
    GhashKey key;
    const Bytes h = random_bytes(kBlock);
    hash->begin(h.data(), &key);
    hash->grow(&key, 1, below(2) == 0 ? hash->powers : blocks + has_before);
    if (has_before) hash->update(key, y.data(), before.data(), 1);
    hash->update(key, y.data(), cipher.data(), blocks);
    for (const bool encrypts : {true, false}) {
      Bytes counter, made;
      const auto crypt = [&](const RoundKeys& keys, std::uint8_t* chain, const std::uint8_t* in,
                             std::uint8_t* out, std::size_t some) {
        const bool is_first = made.empty();
        const bool has_after = below(2) != 0;
        made.resize(kBlock);
        Bytes after(kBlock), next(kBlock);
        const bool masks = is_first && has_mask;
        ops_.gcm->crypt(keys, encrypts, key, chain,
                        {(masks ? of_mask : counter).data(), masks ? made.data() : nullptr,
                         is_first && has_before ? before.data() : nullptr, in, out, some,
                         has_after ? after.data() : nullptr});
        ASSERT_TRUE(!masks || made == mask);
        counter_add(counter.data(), kBlock, some);
        if (has_after) scalar_.encrypt(keys_, counter.data(), next.data(), 1);
        ASSERT_EQ(after, next);
      };
      check_chained(crypt, first, encrypts ? plain : cipher, encrypts ? cipher : plain, y, [&] {
        counter = start;
        made.clear();
      });
      if (HasFatalFailure()) return;
    }
  }
}

// GCM-SIV's counter, in the first four bytes, wraps at every place of a batch; the rest stays.
TEST_P(Differential, SivCtr) {
  const SivCtr siv_ctr = GetParam().backend->siv_ctr;
  if (siv_ctr == nullptr || std::strncmp(cipher_.name, "AES-", 4) != 0) return;
  for (std::size_t n = 0; n < 3000; n += 1 + n / 60) {
    SCOPED_TRACE(n);
    const Bytes in = random_bytes(n);
    Bytes counter = random_bytes(16);
    if (n % 2 == 0) {
      std::fill(counter.begin(), counter.begin() + 4, 0xff);
      counter[0] = static_cast<std::uint8_t>(0xff - below(1 + n / 16));
    }
    Bytes keystream, block = counter;
    for (std::size_t at = 0; at < n; at += 16) {
      Bytes made(16);
      scalar_.encrypt(keys_, block.data(), made.data(), 1);
      keystream.insert(keystream.end(), made.begin(), made.end());
      for (unsigned i = 0; i < 4 && ++block[i] == 0; ++i) {
      }
    }
    Bytes expected(n);
    for (std::size_t i = 0; i < n; ++i) {
      expected[i] = static_cast<std::uint8_t>(in[i] ^ keystream[i]);
    }
    Guarded source(below(64), n), out(below(64), n);
    std::copy(in.begin(), in.end(), source.data());
    siv_ctr(keys_, counter.data(), source.data(), out.data(), n);
    ASSERT_EQ(out.content(), expected);
    ASSERT_EQ(source.content(), in);
    siv_ctr(keys_, counter.data(), source.data(), source.data(), n);
    ASSERT_EQ(source.content(), expected);
    ASSERT_TRUE(out.intact() && source.intact());
  }
}

// Bytes that are no blocks of a known answer: decryption of random blocks against scalar.
TEST_P(Differential, DecryptRandom) {
  const Bytes in = random_bytes(1000 * cipher_.block_bytes);
  Bytes expected(in.size());
  Bytes out(in.size());
  scalar_.decrypt(keys_, in.data(), expected.data(), 1000);
  ops_.decrypt(keys_, in.data(), out.data(), 1000);
  ASSERT_EQ(out, expected);
}

// The key schedule, where the backend has a form of its own, for keys of every length.
TEST_P(Differential, KeySchedule) {
  if (ops_.expand == nullptr) return;
  for (std::size_t n = cipher_.least_key_bytes; n <= cipher_.most_key_bytes; ++n) {
    SCOPED_TRACE(n);
    const Bytes key = random_bytes(n);
    RoundKeys expected{}, keys{};
    cipher_.expand_bytes(key.data(), n, &expected);
    ops_.expand(key.data(), n, &keys);
    ASSERT_TRUE(std::equal(keys.bytes, keys.bytes + sizeof keys.bytes, expected.bytes));
  }
}

INSTANTIATE_TEST_SUITE_P(Backends, Differential, testing::ValuesIn(test::cases()), test::case_name);

TEST(BackendList, ScalarIsLastAndBestIsAvailable) {
  const BackendList backends = cpu_backends();
  ASSERT_GT(backends.count, 0U);
  EXPECT_STREQ(backends.first[backends.count - 1]->name, "scalar");
  EXPECT_TRUE(best_backend().available());
  for (std::size_t m = 0; m < backends.count; ++m) {
    EXPECT_EQ(find_backend(backends.first[m]->name), backends.first[m]);
  }
  EXPECT_EQ(find_backend("none"), nullptr);
}

// The part of a definition that selects a backend's functions (kernels/cmake/Backends.cmake).
struct Kind {
  CipherFacts facts;
  std::size_t word_bytes;
};
bool has_boxes(const Kind& kind) { return kind.facts.boxes; }
bool is_wordwise(const Kind& kind) { return !kind.facts.boxes && !kind.facts.tables; }
bool gains_by_gfni(const Kind& kind) { return kind.facts.boxes || kind.facts.rotation_sums; }
bool gains_by_vbmi(const Kind& kind) {
  return gains_by_gfni(kind) || kind.facts.tables || kind.facts.bit_sliced ||
         (kind.word_bytes == 2 && kind.facts.rotations);
}
template <class... C>
std::vector<Kind> kinds_of(CipherList<C...>) {
  return {Kind{C::kFacts, sizeof(typename C::Word)}...};
}
std::string family_of(std::size_t cipher) {
  const std::string name = cipher_spec(cipher).name;
  return name.substr(0, name.find('-'));
}

// Which ciphers a backend runs by functions of its own. The others use the functions of another
// backend, because the backend's instructions do not make them faster. A folder is one unit: all
// ciphers of a family have own functions if one of them gains.
TEST(BackendList, FunctionsOfTheirOwn) {
  if (find_backend("avx512-gfni") == nullptr) GTEST_SKIP() << "not on this architecture";
  struct Pair {
    const char* backend;
    const char* beside;
    bool (*gains)(const Kind&);
  };
  const Pair pairs[] = {
      {"sse-aesni", "sse", has_boxes},         {"avx2", "sse", is_wordwise},
      {"avx2-aesni", "avx2", has_boxes},       {"avx2-vaes", "avx2", has_boxes},
      {"avx2-gfni", "avx2", gains_by_gfni},    {"avx512", "avx2-aesni", is_wordwise},
      {"avx512-gfni", "avx512", gains_by_vbmi}};
  const std::vector<Kind> kinds = kinds_of(AllCiphers{});
  for (const Pair& pair : pairs) {
    const Backend* const backend = find_backend(pair.backend);
    const Backend* const beside = find_backend(pair.beside);
    ASSERT_TRUE(backend != nullptr && beside != nullptr) << pair.backend;
    for (std::size_t c = 0; c < kCipherCount; ++c) {
      bool family_gains = false;
      for (std::size_t other = 0; other < kCipherCount; ++other) {
        family_gains |= family_of(other) == family_of(c) && pair.gains(kinds[other]);
      }
      EXPECT_EQ(backend->ops[c].ctr != beside->ops[c].ctr, family_gains)
          << cipher_spec(c).name << " on " << pair.backend;
    }
  }
}

// CBC encryption, CCM and CMAC wait for one block at a time. Without a form for it a backend would
// take the form for many blocks, at a tenth of the rate.
TEST(BackendList, ChainsOfTheirOwn) {
  const std::string families = " ARIA CAMELLIA CHAM LEA SEED";
  const BackendList backends = cpu_backends();
  for (std::size_t m = 0; m + 1 < backends.count; ++m) {  // the last one is scalar
    const Backend& backend = *backends.first[m];
    for (std::size_t c = 0; c < kCipherCount; ++c) {
      const std::string name = cipher_spec(c).name;
      if (families.find(" " + name.substr(0, name.find('-'))) == std::string::npos) continue;
      EXPECT_NE(backend.ops[c].cbc_encrypt, nullptr) << name << " on " << backend.name;
    }
  }
}

}  // namespace
}  // namespace gpuctr
