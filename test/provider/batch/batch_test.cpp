// Many messages in one update make the bytes of so many ordinary contexts.
#include <gtest/gtest.h>

#include "provider/core/gpuctr.h"
#include "test/provider/batch/messages.h"
#include "test/provider/mode/gcm_model.h"
#include "test/provider/reference.h"

namespace gpuctr::test {
namespace {

struct Subject {
  const CipherSpec* spec;
  const char* mode;
};

std::string name_of(const Subject& subject) {
  return std::string(subject.spec->name) + "-" + subject.mode;
}

std::vector<Subject> subjects() {
  std::vector<Subject> all;
  for (std::size_t c = 0; c < kCipherCount; ++c) {
    const CipherSpec& spec = cipher_spec(c);
    if (spec.legacy) continue;
    for (const char* mode : {"CTR", "CBC", "GCM", "CCM"}) {
      const bool aead = mode[1] == 'C' && mode[2] == 'M';
      if (aead && spec.block_bytes != 16) continue;
      if (std::string(mode) == "CBC" && spec.block_bytes > 16) continue;
      all.push_back({&spec, mode});
    }
  }
  return all;
}

// The n-th shape of a batch. Together the shapes combine many of the settings with each other.
Shape shape_of(const Subject& subject, unsigned n, std::mt19937* random) {
  static constexpr std::size_t kMessages[] = {1, 3, 70, 300, 17, 40};
  Shape s;
  s.mode = subject.mode;
  s.messages = kMessages[n % 6];
  s.longest = n % 6 == 5 ? 70000 : n % 6 == 4 ? 5000 : 300;
  if (s.longest > 5000) s.messages = 6;
  s.keys = static_cast<KeySource>(n % 3);
  s.iv_bytes = iv_bytes_of(*subject.spec);
  if (s.mode == "GCM") s.iv_bytes = n % 2 == 0 ? 12 : 1 + (*random)() % 60;
  if (s.mode == "CCM") s.iv_bytes = 7 + (*random)() % 7;
  if (s.mode == "CCM") s.tag_bytes = 4 + 2 * ((*random)() % 7);
  if (s.mode == "CCM" && s.iv_bytes == 13) s.longest = std::min<std::size_t>(s.longest, 65535);
  const unsigned bits = static_cast<unsigned>(8 * subject.spec->block_bytes);
  if (s.mode == "CTR" && n % 2 == 1)
    s.counter_bits = 16 + 8 * (static_cast<unsigned>((*random)()) % ((bits - 16) / 8 + 1));
  s.one_length = (*random)() % 4 == 0;
  s.offsets = (*random)() % 2 == 0;
  s.in_place = (*random)() % 2 == 0;
  s.one_aad_length = (*random)() % 3 == 0;
  if (n % 6 == 4) s.longest_aad = 70000;
  return s;
}

void expect_encrypts(Messages* m, EVP_CIPHER_CTX* ctx, const EVP_CIPHER* cipher) {
  ASSERT_EQ(1, m->set(ctx, cipher, true)) << last_error();
  ASSERT_EQ(1, m->update(ctx, true)) << last_error();
  EXPECT_EQ(last_error(), "");
  EXPECT_EQ(m->results, Bytes(m->shape.messages, 1));
  for (std::size_t i = 0; i < m->shape.messages; ++i) {
    ASSERT_EQ(m->out_of(i), m->sealed_of(i)) << "message " << i << " of " << m->lengths[i];
  }
  if (m->shape.aead()) {
    EXPECT_EQ(m->made_tags(), m->tags());
  }
  EXPECT_TRUE(m->gaps_are_clean());
}

void expect_decrypts(Messages* m, EVP_CIPHER_CTX* ctx, const EVP_CIPHER* cipher,
                     std::mt19937* random) {
  std::size_t wrong = 0, first = 0;
  Bytes expected(m->shape.messages, 1);
  for (std::size_t i = m->shape.messages; m->shape.aead() && i-- != 0;) {
    if ((*random)() % 5 != 0) continue;
    m->spoil_tag(i);
    expected[i] = 0;
    first = i;
    ++wrong;
  }
  ASSERT_EQ(1, m->set(ctx, cipher, false)) << last_error();
  m->results.assign(m->shape.messages, 0xa5);
  EXPECT_EQ(wrong == 0 ? 1 : 0, m->update(ctx, false));
  const std::string name = std::string(m->spec.name) + "-" + m->shape.mode;
  const std::string error = last_error();
  if (wrong == 0) {
    EXPECT_EQ(error, "");
  } else {
    EXPECT_NE(error.find(std::to_string(wrong) + " of " + std::to_string(m->shape.messages) +
                         " messages of " + name + " have a wrong tag, message " +
                         std::to_string(first) + " is the first"),
              std::string::npos)
        << error;
  }
  EXPECT_EQ(m->results, expected);
  for (std::size_t i = 0; i < m->shape.messages; ++i) {
    const Bytes plain = expected[i] == 1 ? m->plain_of(i) : Bytes(m->lengths[i]);
    ASSERT_EQ(m->out_of(i), plain) << "message " << i << " of " << m->lengths[i];
  }
}

class Batch : public testing::TestWithParam<Subject> {};

TEST_P(Batch, EqualsOrdinaryContexts) {
  const Subject& subject = GetParam();
  const Library library;
  const Evp<EVP_CIPHER> cipher = library.cipher(name_of(subject));
  const Evp<EVP_CIPHER_CTX> ctx(EVP_CIPHER_CTX_new());
  std::mt19937 random(static_cast<unsigned>(7 + subject.spec->index));
  for (unsigned n = 0; n < 12; ++n) {
    SCOPED_TRACE("batch " + std::to_string(n));
    Messages m(*subject.spec, shape_of(subject, n, &random), &random);
    m.encrypt_one_by_one(cipher.get());
    // One context for all, with the settings of the batch before.
    if (n % 4 == 0) EVP_CIPHER_CTX_reset(ctx.get());
    PointerParams none;
    for (const char* key :
         {GPUCTR_PARAM_BATCH_KEYS, GPUCTR_PARAM_BATCH_KEY_INDEX, GPUCTR_PARAM_BATCH_LENGTHS,
          GPUCTR_PARAM_BATCH_OFFSETS, GPUCTR_PARAM_BATCH_AAD_LENGTHS}) {
      none.add(key, nullptr, 0);
    }
    ASSERT_TRUE(n % 4 == 0 || none.set(ctx.get()) == 1);
    expect_encrypts(&m, ctx.get(), cipher.get());
    if (m.shape.in_place && HasFatalFailure()) return;
    expect_decrypts(&m, ctx.get(), cipher.get(), &random);
    if (HasFatalFailure()) return;
  }
}

// IVs whose first counters are shortly before the wrap of their last 32 bits.
TEST_P(Batch, GcmCountsThirtyTwoBits) {
  const Subject& subject = GetParam();
  if (std::string(subject.mode) != "GCM") return;
  const Library library;
  const Evp<EVP_CIPHER> cipher = library.cipher(name_of(subject));
  const Evp<EVP_CIPHER_CTX> ctx(EVP_CIPHER_CTX_new());
  const CipherOps& ops = find_backend("scalar")->ops[subject.spec->index];
  std::mt19937 random(5);
  for (const std::size_t messages : {3u, 70u}) {
    Shape shape;
    shape.mode = "GCM";
    shape.messages = messages;
    shape.iv_bytes = 16;
    Messages m(*subject.spec, shape, &random);
    for (std::size_t i = 0; i < messages; ++i) {
      RoundKeys keys;
      subject.spec->expand(m.keys.data() + i * subject.spec->key_bytes, &keys);
      const GcmModel model([&](const GcmModel::Block& in) {
        GcmModel::Block out;
        ops.encrypt(keys, in.data(), out.data(), 1);
        return out;
      });
      GcmModel::Block first{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 0xff, 0xff, 0xff};
      first[15] = static_cast<std::uint8_t>(0xff - i % 8);
      const Bytes iv = model.iv_of(first);
      std::copy(iv.begin(), iv.end(), m.ivs.begin() + static_cast<std::ptrdiff_t>(16 * i));
    }
    m.encrypt_one_by_one(cipher.get());
    expect_encrypts(&m, ctx.get(), cipher.get());
    expect_decrypts(&m, ctx.get(), cipher.get(), &random);
  }
}

std::string test_name(const testing::TestParamInfo<Subject>& subject) {
  std::string name = name_of(subject.param);
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return name;
}

INSTANTIATE_TEST_SUITE_P(All, Batch, testing::ValuesIn(subjects()), test_name);

// OpenSSL's own AES and ARIA as the model.
TEST(BatchAgainstStock, AesAndAria) {
  const Library library;
  std::mt19937 random(11);
  for (const Subject& subject : subjects()) {
    const std::string name = name_of(subject);
    if (name.rfind("AES-", 0) != 0 && name.rfind("ARIA-", 0) != 0) continue;
    SCOPED_TRACE(name);
    const Evp<EVP_CIPHER> cipher = library.cipher(name), stock = library.stock(name);
    for (unsigned n : {1u, 2u, 3u}) {
      Shape shape = shape_of(subject, n, &random);
      shape.counter_bits = 0;
      Messages m(*subject.spec, shape, &random);
      m.encrypt_one_by_one(stock.get());
      const Evp<EVP_CIPHER_CTX> ctx(EVP_CIPHER_CTX_new());
      expect_encrypts(&m, ctx.get(), cipher.get());
      expect_decrypts(&m, ctx.get(), cipher.get(), &random);
      if (HasFatalFailure()) return;
    }
  }
}

}  // namespace
}  // namespace gpuctr::test
