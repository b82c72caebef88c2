// Many messages in one call (run_many) against one message after the other,
// written here block by block: every cipher, mode and backend, keys of all kinds, mixed lengths.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "kernels/base/counter.h"
#include "kernels/cpu/many/many.h"
#include "test/kernels/cases.h"
#include "test/support/dead_stack.h"
#include "test/support/vectors.h"

namespace gpuctr {
namespace {

using test::Bytes;
using test::Case;

constexpr std::size_t kTag = 16;
enum class Keys { kOwn, kSchedules, kBoth, kOneSchedule, kMixed };

struct Message {
  Bytes key, iv, in, aad;
  RoundKeys keys;
  Bytes out, tag;  // as they should be
};

// The modes, block by block.
class Reference {
 public:
  Reference(const CipherSpec& spec, const RoundKeys& keys)
      : ops_(best_backend().ops[spec.index]), keys_(keys), block_(spec.block_bytes) {}

  Bytes encrypted(Bytes block) const {
    ops_.encrypt(keys_, block.data(), block.data(), 1);
    return block;
  }
  // The counter is the last `bits` bits.
  Bytes ctr(Bytes counter, unsigned bits, const Bytes& in) const {
    Bytes out = in;
    for (std::size_t at = 0; at < in.size(); at += block_) {
      const Bytes stream = encrypted(counter);
      for (std::size_t i = 0; i < block_ && at + i < in.size(); ++i) out[at + i] ^= stream[i];
      for (unsigned bit = 0; bit < bits; ++bit) {  // plus one
        std::uint8_t& byte = counter[block_ - 1 - bit / 8];
        byte = static_cast<std::uint8_t>(byte ^ (1u << bit % 8));
        if ((byte >> bit % 8 & 1) != 0) break;
      }
    }
    return out;
  }
  Bytes cbc(bool encrypts, Bytes chain, const Bytes& in) const {
    Bytes out = in;
    for (std::size_t at = 0; at < in.size(); at += block_) {
      const auto begin = in.begin() + static_cast<std::ptrdiff_t>(at);
      const Bytes block(begin, begin + static_cast<std::ptrdiff_t>(block_));
      Bytes made = block;
      if (encrypts) {
        for (std::size_t i = 0; i < block_; ++i) made[i] ^= chain[i];
        made = chain = encrypted(made);
      } else {
        ops_.decrypt(keys_, block.data(), made.data(), 1);
        for (std::size_t i = 0; i < block_; ++i) made[i] ^= chain[i];
        chain = block;
      }
      std::copy(made.begin(), made.end(), out.begin() + static_cast<std::ptrdiff_t>(at));
    }
    return out;
  }
  // RFC 3610; `plain` is what the MAC is of.
  Bytes ccm_tag(const Bytes& iv, const Bytes& aad, const Bytes& plain,
                std::size_t tag_bytes) const {
    const std::size_t length_bytes = 15 - iv.size();
    Bytes data(16, 0);
    data[0] = static_cast<std::uint8_t>((aad.empty() ? 0 : 64) + 8 * ((tag_bytes - 2) / 2) +
                                        (length_bytes - 1));
    std::copy(iv.begin(), iv.end(), data.begin() + 1);
    std::uint64_t size = plain.size();
    for (std::size_t i = 0; i < length_bytes; ++i, size >>= 8) {
      data[15 - i] = static_cast<std::uint8_t>(size);
    }
    if (!aad.empty()) {
      const std::size_t n = aad.size();
      if (n >= 0xff00) {
        for (const std::size_t byte : {std::size_t{0xff}, std::size_t{0xfe}, n >> 24, n >> 16}) {
          data.push_back(static_cast<std::uint8_t>(byte));
        }
      }
      data.push_back(static_cast<std::uint8_t>(n >> 8));
      data.push_back(static_cast<std::uint8_t>(n));
      data.insert(data.end(), aad.begin(), aad.end());
      data.resize((data.size() + 15) / 16 * 16);
    }
    data.insert(data.end(), plain.begin(), plain.end());
    data.resize((data.size() + 15) / 16 * 16);
    const Bytes chain = cbc(true, Bytes(16, 0), data);
    return ctr(ccm_counter(iv, 0), 128, Bytes(chain.end() - 16, chain.end()));
  }
  static Bytes ccm_counter(const Bytes& iv, std::uint8_t number) {
    Bytes counter(16, 0);
    counter[0] = static_cast<std::uint8_t>(14 - iv.size());
    std::copy(iv.begin(), iv.end(), counter.begin() + 1);
    counter[15] = number;
    return counter;
  }
  Bytes ghash(const Bytes& first, const Bytes& second) const {
    const GhashOps& ops = *test::find_ghash_form("portable").ops;
    GhashKey key;
    ops.expand(encrypted(Bytes(16, 0)).data(), &key);
    Bytes data = first, y(16, 0);
    data.resize((data.size() + 15) / 16 * 16);
    data.insert(data.end(), second.begin(), second.end());
    data.resize((data.size() + 15) / 16 * 16);
    for (const std::size_t n : {first.size(), second.size()}) {
      for (unsigned i = 0; i < 8; ++i) {
        data.push_back(static_cast<std::uint8_t>(std::uint64_t{8 * n} >> (56 - 8 * i)));
      }
    }
    ops.update(key, y.data(), data.data(), data.size() / 16);
    return y;
  }
  Bytes gcm_counter(const Bytes& iv) const {
    if (iv.size() != 12) return ghash({}, iv);
    Bytes counter = iv;
    counter.resize(16);
    counter[15] = 1;
    return counter;
  }

 private:
  const CipherOps& ops_;
  const RoundKeys& keys_;
  std::size_t block_;
};

class Many : public testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    if (!backend_.available()) GTEST_SKIP() << "this CPU has no " << backend_.name;
  }

  std::size_t below(std::size_t limit) { return random_() % limit; }
  Bytes random_bytes(std::size_t n) {
    Bytes bytes(n + 8);
    for (std::size_t i = 0; i < n; i += 8) {
      const std::uint64_t word = random_();
      std::memcpy(bytes.data() + i, &word, sizeof word);
    }
    bytes.resize(n);
    return bytes;
  }

  // Messages of the batch, and what they should become.
  std::vector<Message> messages(const ManyBatch& batch, std::size_t count,
                                const std::vector<std::size_t>& lengths, bool one_key) {
    std::vector<Message> all(count);
    for (std::size_t i = 0; i < count; ++i) {
      Message& m = all[i];
      m.key = one_key && i != 0 ? all[0].key : random_bytes(batch.key_bytes);
      spec_.expand_bytes(m.key.data(), m.key.size(), &m.keys);
      if (batch.tweak != nullptr) spec_.set_tweak(batch.tweak, &m.keys);
      m.iv = random_bytes(batch.iv_bytes);
      if (below(2) == 0) {  // a counter that soon passes zero
        std::fill(m.iv.begin() + static_cast<std::ptrdiff_t>(below(m.iv.size())), m.iv.end(),
                  std::uint8_t{0xff});
        m.iv.back() = static_cast<std::uint8_t>(m.iv.back() - below(9));
      }
      std::size_t n = lengths[below(lengths.size())];
      if (batch.mode == ManyMode::kCbc) n -= n % spec_.block_bytes;
      m.in = random_bytes(n);
      if (batch.mode == ManyMode::kGcm || batch.mode == ManyMode::kCcm) {
        constexpr std::size_t kAad[] = {0, 0, 13, 14, 15, 16, 30, 33, 200, 70000};
        m.aad = random_bytes(kAad[below(count > 20 ? 9 : 10)]);
      }
      make_expected(batch, &m);
    }
    return all;
  }
  void make_expected(const ManyBatch& batch, Message* m) const {
    const Reference reference(spec_, m->keys);
    Bytes block(spec_.block_bytes - std::min(spec_.block_bytes, m->iv.size()), 0);
    block.insert(block.end(), m->iv.begin(), m->iv.end());
    if (batch.mode == ManyMode::kCtr) {
      const auto all = static_cast<unsigned>(8 * spec_.block_bytes);
      m->out = reference.ctr(block, batch.counter_bits != 0 ? batch.counter_bits : all, m->in);
    } else if (batch.mode == ManyMode::kCbc) {
      m->out = reference.cbc(batch.encrypts, block, m->in);
    } else if (batch.mode == ManyMode::kCcm) {
      m->out = reference.ctr(Reference::ccm_counter(m->iv, 1), 128, m->in);
      m->tag = reference.ccm_tag(m->iv, m->aad, batch.encrypts ? m->in : m->out, batch.tag_bytes);
    } else {
      Bytes counter = reference.gcm_counter(m->iv);
      const Bytes mask = reference.encrypted(counter);
      for (std::size_t i = 16; i-- > 12;) {
        counter[i] = static_cast<std::uint8_t>(counter[i] + 1);
        if (counter[i] != 0) break;
      }
      m->out = reference.ctr(counter, 32, m->in);
      m->tag = reference.ghash(m->aad, batch.encrypts ? m->out : m->in);
      for (std::size_t i = 0; i < kTag; ++i) m->tag[i] ^= mask[i];
    }
  }

  void check(const ManyBatch& batch, std::vector<Message> all, Keys kind, bool in_place) {
    SCOPED_TRACE("mode " + std::to_string(static_cast<int>(batch.mode)) +
                 (batch.encrypts ? ", encryption" : ", decryption") + ", keys " +
                 std::to_string(static_cast<int>(kind)) + ", IV of " +
                 std::to_string(batch.iv_bytes) + ", " + std::to_string(all.size()) + " messages");
    std::vector<ManyText> texts(all.size());
    std::vector<Bytes> outs(all.size()), tags(all.size(), Bytes(kTag + 1, 0xa5));
    std::vector<Bytes> hashes(all.size());
    std::vector<GhashKey> powers(all.size());
    const bool known = below(2) == 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      Message& m = all[i];
      ManyText& text = texts[i];
      const bool own =
          kind == Keys::kOwn || kind == Keys::kBoth || (kind == Keys::kMixed && below(2) == 0);
      if (own) text.key = m.key.data();
      if (!own || kind == Keys::kBoth) text.keys = &m.keys;
      if (kind == Keys::kOneSchedule) text.keys = &all[0].keys;
      text.iv = m.iv.data();
      text.n = m.in.size();
      outs[i] = in_place ? m.in : Bytes(m.in.size());
      outs[i].push_back(0xa5);
      text.in = in_place ? outs[i].data() : m.in.data();
      text.out = outs[i].data();
      text.aad = m.aad.empty() ? nullptr : m.aad.data();
      text.aad_bytes = m.aad.size();
      text.tag = tags[i].data();
      if (batch.mode == ManyMode::kGcm && known) {
        hashes[i] = Reference(spec_, m.keys).encrypted(Bytes(16, 0));
        text.hash = hashes[i].data();
        if (i % 2 != 0) {
          backend_.ghash->expand(text.hash, &powers[i]);
          text.powers = &powers[i];
        }
      }
    }
    test::look_at_stack<test::kDeadStackOfMany>(nullptr);  // nothing there is zero by chance
    run_many(spec_, backend_, batch, texts.data(), texts.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
      SCOPED_TRACE("message " + std::to_string(i) + ", " + std::to_string(all[i].in.size()) +
                   " bytes");
      ASSERT_EQ(outs[i].back(), 0xa5);
      outs[i].pop_back();
      ASSERT_EQ(outs[i], all[i].out);
      ASSERT_EQ(tags[i].back(), 0xa5);
      tags[i].pop_back();
      ASSERT_EQ(tags[i], all[i].tag.empty() ? Bytes(kTag, 0xa5) : all[i].tag);
    }
  }

  void check_all_kinds(ManyBatch batch, std::size_t count,
                       const std::vector<std::size_t>& lengths) {
    batch.key_bytes = spec_.key_bytes;
    const auto all = messages(batch, count, lengths, false);
    const auto alike = messages(batch, count, lengths, true);
    check(batch, all, Keys::kOwn, below(2) == 0);
    check(batch, all, static_cast<Keys>(1 + below(2)), below(2) == 0);
    if (below(4) == 0) check(batch, all, Keys::kMixed, below(2) == 0);
    check(batch, alike, Keys::kOneSchedule, below(2) == 0);
  }

  const CipherSpec& spec_ = *GetParam().cipher;
  const Backend& backend_ = *GetParam().backend;
  std::mt19937_64 random_{spec_.index + 1};
};

// Around blocks, and around the length from which texts go one by one.
const std::vector<std::size_t> kShort = {0,  1,  7,  8,  15, 16, 17,  31,  32,  33,
                                         48, 63, 64, 64, 65, 96, 100, 127, 129, 250};
const std::vector<std::size_t> kMixed = {0, 64, 300, 1000, 1023, 1024, 1025, 3000, 4111};

TEST_P(Many, Ctr) {
  ManyBatch batch;
  const auto all = static_cast<unsigned>(8 * spec_.block_bytes);
  for (const unsigned bits : {0u, 32u, 16u, 17u, all - 3}) {
    batch.counter_bits = bits;
    batch.iv_bytes = bits == 17 ? spec_.block_bytes - 3 : spec_.block_bytes;
    check_all_kinds(batch, bits == 0 ? 150 : 20 + below(60), kShort);
  }
  batch.counter_bits = 0;
  batch.iv_bytes = spec_.block_bytes;
  check_all_kinds(batch, 30, kMixed);
}

TEST_P(Many, Cbc) {
  ManyBatch batch;
  batch.mode = ManyMode::kCbc;
  batch.iv_bytes = spec_.block_bytes;
  for (const bool encrypts : {true, false}) {
    batch.encrypts = encrypts;
    check_all_kinds(batch, 20 + below(130), kShort);
    check_all_kinds(batch, 20, kMixed);
  }
}

TEST_P(Many, Gcm) {
  if (spec_.block_bytes != 16) return;
  ManyBatch batch;
  batch.mode = ManyMode::kGcm;
  for (const bool encrypts : {true, false}) {
    batch.encrypts = encrypts;
    for (const std::size_t iv_bytes : {12u, 12u, 1u, 16u, 40u}) {
      batch.iv_bytes = iv_bytes;
      check_all_kinds(batch, 1 + below(70), kShort);
    }
    batch.iv_bytes = 12;
    check_all_kinds(batch, 18, kMixed);
  }
}

TEST_P(Many, Ccm) {
  if (spec_.block_bytes != 16) return;
  ManyBatch batch;
  batch.mode = ManyMode::kCcm;
  for (const bool encrypts : {true, false}) {
    batch.encrypts = encrypts;
    for (const std::size_t iv_bytes : {7u, 12u, 13u}) {
      batch.iv_bytes = iv_bytes;
      batch.tag_bytes = 4 + 2 * below(7);
      check_all_kinds(batch, 1 + below(70), kShort);
    }
    check_all_kinds(batch, 18, kMixed);
  }
}

// One long message among short ones, in chains and one by one.
TEST_P(Many, OneIsLong) {
  const std::vector<std::size_t> lengths = {70000, 16, 16, 32, 64, 0, 96, 128, 33, 5000};
  for (const ManyMode mode : {ManyMode::kCtr, ManyMode::kCbc, ManyMode::kCcm}) {
    if (mode == ManyMode::kCcm && spec_.block_bytes != 16) continue;
    ManyBatch batch;
    batch.mode = mode;
    batch.key_bytes = spec_.key_bytes;
    batch.iv_bytes = mode == ManyMode::kCcm ? 13 : spec_.block_bytes;
    check(batch, messages(batch, 17, lengths, false), Keys::kOwn, true);
  }
}

INSTANTIATE_TEST_SUITE_P(EveryBackend, Many, testing::ValuesIn(test::cases()), test::case_name);

}  // namespace
}  // namespace gpuctr
