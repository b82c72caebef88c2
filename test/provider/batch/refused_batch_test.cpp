// A batch that cannot be made leaves one error, writes nothing and changes nothing; the calls
// around batches.
#include <gtest/gtest.h>

#include <functional>

#include "provider/core/gpuctr.h"
#include "test/provider/batch/messages.h"

namespace gpuctr::test {
namespace {

constexpr const char* kBatch = "a batch of messages that cannot be made: ";

class RefusedBatch : public testing::Test {
 protected:
  void use(const std::string& mode, KeySource keys, bool offsets = true) {
    shape.mode = mode;
    shape.messages = 6;
    shape.keys = keys;
    shape.offsets = offsets;
    shape.longest = 100;
    shape.iv_bytes = mode == "CTR" || mode == "CBC" ? 16 : 12;
    cipher = library.cipher("LEA-128-" + mode);
    m.reset(new Messages(*find_cipher("LEA-128"), shape, &random));
    m->encrypt_one_by_one(cipher.get());
    ctx.reset(EVP_CIPHER_CTX_new());
    ASSERT_EQ(1, m->set(ctx.get(), cipher.get(), true)) << last_error();
  }
  // An update with one more parameter is refused; then the batch is made.
  void refused(PointerParams extra, const std::string& error) {
    SCOPED_TRACE(error);
    ASSERT_EQ(1, extra.set(ctx.get())) << last_error();
    expect_refused(error);
    ASSERT_EQ(1, m->set(ctx.get(), cipher.get(), true));
    expect_made();
  }
  void expect_refused(const std::string& error) {
    m->results.assign(m->results.size(), 0xa5);
    m->forget_tags();
    EXPECT_EQ(0, m->update(ctx.get(), true));
    EXPECT_EQ(last_error(), error);
    EXPECT_TRUE(m->wrote_nothing());
  }
  void expect_made() {
    ASSERT_EQ(1, m->update(ctx.get(), true)) << last_error();
    for (std::size_t i = 0; i < shape.messages; ++i) ASSERT_EQ(m->out_of(i), m->sealed_of(i));
  }

  const Library library;
  std::mt19937 random{5};
  Shape shape;
  Evp<EVP_CIPHER> cipher;
  Evp<EVP_CIPHER_CTX> ctx;
  std::unique_ptr<Messages> m;
  const Bytes room = Bytes(4096);
};

TEST_F(RefusedBatch, ArraysThatAreMissingOrSmall) {
  use("GCM", KeySource::kTable);
  const auto array = [this](const char* key, std::size_t bytes, bool absent = false) {
    return PointerParams().add(key, absent ? nullptr : room.data(), bytes);
  };
  const std::string name = "6 messages of LEA-128-GCM ", batch = kBatch;
  refused(array(GPUCTR_PARAM_BATCH_IVS, 0, true), batch + name + "have no batch-ivs");
  refused(array(GPUCTR_PARAM_BATCH_TAGS, 0, true), batch + name + "have no batch-tags");
  refused(array(GPUCTR_PARAM_BATCH_KEYS, 0, true), batch + name + "have no batch-keys");
  refused(array(GPUCTR_PARAM_BATCH_KEYS, 33),
          batch + "batch-keys has 33 bytes, a table has keys of 16");
  for (const auto& [key, each] :
       std::vector<std::pair<const char*, std::size_t>>{{GPUCTR_PARAM_BATCH_IVS, 12},
                                                        {GPUCTR_PARAM_BATCH_TAGS, 16},
                                                        {GPUCTR_PARAM_BATCH_RESULTS, 1},
                                                        {GPUCTR_PARAM_BATCH_LENGTHS, 4},
                                                        {GPUCTR_PARAM_BATCH_OFFSETS, 8},
                                                        {GPUCTR_PARAM_BATCH_KEY_INDEX, 4},
                                                        {GPUCTR_PARAM_BATCH_AAD_LENGTHS, 4}}) {
    refused(array(key, 6 * each - 1), batch + key + " has " + std::to_string(6 * each - 1) +
                                          " bytes, " + name + "need " + std::to_string(6 * each));
  }
  refused(
      PointerParams()
          .add(GPUCTR_PARAM_BATCH_AAD_LENGTHS, nullptr, 0)
          .add(GPUCTR_PARAM_BATCH_AAD, room.data(), 7),
      batch + "7 bytes of batch-aad are not 6 of one length, and there is no batch-aad-lengths");
}

TEST_F(RefusedBatch, ArraysThatAreNotAligned) {
  use("GCM", KeySource::kTable);
  for (const auto& [key, unit] :
       std::vector<std::pair<const char*, std::size_t>>{{GPUCTR_PARAM_BATCH_LENGTHS, 4},
                                                        {GPUCTR_PARAM_BATCH_OFFSETS, 8},
                                                        {GPUCTR_PARAM_BATCH_KEY_INDEX, 4},
                                                        {GPUCTR_PARAM_BATCH_AAD_LENGTHS, 4}}) {
    ASSERT_EQ(1, PointerParams().add(key, room.data() + unit / 2, 60).set(ctx.get()));
    EXPECT_EQ(0, m->update(ctx.get(), true));
    const std::string error = last_error(),
                      end = " is not aligned to " + std::to_string(unit) + " bytes";
    EXPECT_NE(error.find(key + std::string(" at ")), std::string::npos) << error;
    EXPECT_NE(error.find(end), std::string::npos) << error;
    ASSERT_EQ(1, m->set(ctx.get(), cipher.get(), true));
  }
  expect_made();
}

TEST_F(RefusedBatch, MessagesThatDoNotFit) {
  use("CTR", KeySource::kTable);
  const std::string batch = kBatch, all = std::to_string(m->bytes());
  m->lengths[2] += 1000;
  expect_refused(batch + "message 2 ends at " + std::to_string(m->offsets[2] + m->lengths[2]) +
                 ", the data at " + all);
  m->lengths[2] -= 1000;
  const std::uint64_t offset = m->offsets[4];
  m->offsets[4] = UINT64_MAX - 5;  // the end wraps
  EXPECT_EQ(0, m->update(ctx.get(), true));
  EXPECT_NE(last_error().find("message 4 ends at"), std::string::npos);
  m->offsets[4] = offset;
  m->index[5] = 5;
  expect_refused(batch + "message 5 has key 5, the table has 5 keys");
  m->index[5] = 0;
  m->encrypt_one_by_one(cipher.get());
  expect_made();
  use("CTR", KeySource::kEach, false);
  m->lengths[1] += 1;
  EXPECT_EQ(0, m->update(ctx.get(), true));
  last_error();
  m->lengths[1] -= 2;
  expect_refused(batch + "the lengths of 6 messages add up to " + std::to_string(m->bytes() - 1) +
                 " bytes, the data have " + std::to_string(m->bytes()));
  m->lengths[1] += 1;
  expect_made();
}

TEST_F(RefusedBatch, AssociatedDataThatDoNotFit) {
  use("GCM", KeySource::kEach);
  const std::string batch = kBatch, end = ", batch-aad at " + std::to_string(m->aad.size());
  const auto& n = m->aad_lengths;
  m->aad_lengths[2] += 1000;
  expect_refused(batch + "the associated data of message 2 end at " +
                 std::to_string(n[0] + n[1] + n[2]) + end);
  m->aad_lengths[2] -= 1000;
  const auto each = static_cast<std::uint32_t>(m->aad.size() / 6 + 1);
  refused(PointerParams().add(GPUCTR_PARAM_BATCH_AAD_LENGTHS, &each, sizeof each),
          batch + "the associated data of message 5 end at " + std::to_string(6 * each) + end);
}

TEST_F(RefusedBatch, LimitsOfTheModes) {
  use("CBC", KeySource::kEach);
  m->lengths[3] = 17;
  EXPECT_EQ(0, m->update(ctx.get(), true));
  EXPECT_NE(last_error().find("message 3 has 17 bytes, LEA-128 takes blocks of 16"),
            std::string::npos);
  use("CCM", KeySource::kEach, false);
  int n = 0;
  const Bytes text(70000), iv(6 * 13), tags(6 * 12);
  Bytes out(70000, 0xa5), made(6 * 12, 0xa5);
  ASSERT_EQ(1, EVP_CIPHER_CTX_ctrl(ctx.get(), EVP_CTRL_AEAD_SET_IVLEN, 13, nullptr));
  PointerParams params;
  params.number(GPUCTR_PARAM_BATCH_MESSAGES, 1).add(GPUCTR_PARAM_BATCH_LENGTHS, nullptr, 0);
  params.add(GPUCTR_PARAM_BATCH_IVS, iv.data(), iv.size()).add(GPUCTR_PARAM_BATCH_AAD, nullptr, 0);
  params.add(GPUCTR_PARAM_BATCH_AAD_LENGTHS, nullptr, 0);
  ASSERT_EQ(1, params.set(ctx.get()));
  EXPECT_EQ(0, EVP_EncryptUpdate(ctx.get(), out.data(), &n, text.data(), 70000));
  EXPECT_NE(last_error().find(
                "message 0 has 70000 bytes, more than the counter of LEA-128-CCM has blocks for"),
            std::string::npos);
  EXPECT_EQ(out, Bytes(70000, 0xa5));
  use("CTR", KeySource::kOwn, false);
  ASSERT_EQ(1, PointerParams().number("max-bytes", m->bytes() - 1).set(ctx.get()));
  expect_refused("byte limit of this key reached: " + std::to_string(m->bytes()) +
                 " bytes more: this key of LEA-128 has had 0 of its max-bytes = " +
                 std::to_string(m->bytes() - 1));
  ASSERT_EQ(1, PointerParams().number("max-bytes", m->bytes()).set(ctx.get()));
  expect_made();
  expect_refused("byte limit of this key reached: " + std::to_string(m->bytes()) +
                 " bytes more: this key of LEA-128 has had " + std::to_string(m->bytes()) +
                 " of its max-bytes = " + std::to_string(m->bytes()));
}

TEST_F(RefusedBatch, Overlaps) {
  use("CTR", KeySource::kEach);
  const std::string overlap = "input and output overlap partly: ";
  std::size_t a = 0, b = 1;
  while (m->lengths[a] == 0) ++a;
  b = a + 1;
  while (m->lengths[b] == 0) ++b;
  const std::uint64_t before = m->offsets[b];
  m->offsets[b] = m->offsets[a];
  m->lengths[b] = 1;
  expect_refused(overlap + "messages " + std::to_string(a) + " and " + std::to_string(b) +
                 " share bytes");
  m->offsets[b] = before;
}

// Nothing that is written shares bytes with anything else.
TEST_F(RefusedBatch, ArraysThatOverlap) {
  use("GCM", KeySource::kEach);
  const std::string error =
      "input and output overlap partly: an array that 6 messages write overlaps another array";
  refused(PointerParams().add(GPUCTR_PARAM_BATCH_RESULTS, m->ivs.data() + 71, 6), error);
  refused(PointerParams().add(GPUCTR_PARAM_BATCH_RESULTS, m->keys.data(), 6), error);
  refused(PointerParams().add(GPUCTR_PARAM_BATCH_TAGS, m->lengths.data(), 96), error);
}

TEST_F(RefusedBatch, WithoutAKey) {
  use("GCM", KeySource::kEach);
  refused(PointerParams().add(GPUCTR_PARAM_BATCH_KEYS, nullptr, 0),
          "cipher operation failed: LEA-128 has no key yet");
  use("CTR", KeySource::kEach);
  refused(PointerParams().add(GPUCTR_PARAM_BATCH_KEYS, nullptr, 0),
          "no key set: LEA-128 has no key yet");
}

class AroundBatches : public RefusedBatch {};

TEST_F(AroundBatches, ParametersAreAnswered) {
  use("GCM", KeySource::kTable);
  std::uint64_t count = 0;
  void *ivs = nullptr, *aad = &count;
  OSSL_PARAM ask[] = {OSSL_PARAM_construct_uint64(GPUCTR_PARAM_BATCH_MESSAGES, &count),
                      OSSL_PARAM_construct_octet_ptr(GPUCTR_PARAM_BATCH_IVS, &ivs, 0),
                      OSSL_PARAM_construct_end()};
  ASSERT_EQ(1, EVP_CIPHER_CTX_get_params(ctx.get(), ask));
  EXPECT_EQ(count, 6u);
  EXPECT_EQ(ivs, m->ivs.data());
  EXPECT_EQ(ask[1].return_size, m->ivs.size());
  const Evp<EVP_CIPHER_CTX> fresh(EVP_CIPHER_CTX_new());
  ASSERT_EQ(1, EVP_EncryptInit_ex2(fresh.get(), cipher.get(), nullptr, nullptr, nullptr));
  OSSL_PARAM none[] = {OSSL_PARAM_construct_uint64(GPUCTR_PARAM_BATCH_MESSAGES, &count),
                       OSSL_PARAM_construct_octet_ptr(GPUCTR_PARAM_BATCH_AAD, &aad, 0),
                       OSSL_PARAM_construct_end()};
  ASSERT_EQ(1, EVP_CIPHER_CTX_get_params(fresh.get(), none));
  EXPECT_EQ(count, 0u);
  EXPECT_EQ(aad, nullptr);
}

// An ordinary message goes on after a batch as if there had been none.
TEST_F(AroundBatches, AnOrdinaryMessageIsNotDisturbed) {
  for (const char* mode : {"CTR", "GCM", "CBC"}) {
    SCOPED_TRACE(mode);
    use(mode, KeySource::kTable);
    const Bytes text(100, 7);
    const auto number = [](std::uint64_t n) {
      return PointerParams().number(GPUCTR_PARAM_BATCH_MESSAGES, n);
    };
    Bytes made[2];
    for (const bool batch_between : {false, true}) {
      Bytes out(200), tag(16);
      int first = 0, second = 0, last = 0, none = 0;
      ASSERT_EQ(1, number(0).set(ctx.get()));
      ASSERT_EQ(1,
                EVP_EncryptInit_ex2(ctx.get(), nullptr, m->own_key.data(), m->ivs.data(), nullptr));
      ASSERT_EQ(1, EVP_EncryptUpdate(ctx.get(), out.data(), &first, text.data(), 37));
      if (batch_between) {
        ASSERT_EQ(1, number(6).set(ctx.get()));
        expect_made();
        Bytes rest(16);
        ASSERT_EQ(1, EVP_EncryptFinal_ex(ctx.get(), rest.data(), &none));
        EXPECT_EQ(none, 0);
        ASSERT_EQ(1, number(0).set(ctx.get()));
      }
      ASSERT_EQ(1, EVP_EncryptUpdate(ctx.get(), out.data() + first, &second, text.data() + 37, 63));
      ASSERT_EQ(1, EVP_EncryptFinal_ex(ctx.get(), out.data() + first + second, &last));
      if (shape.aead()) {
        ASSERT_EQ(1, EVP_CIPHER_CTX_ctrl(ctx.get(), EVP_CTRL_AEAD_GET_TAG, 16, tag.data()));
      }
      out.insert(out.end(), tag.begin(), tag.end());
      made[batch_between ? 1 : 0] = out;
    }
    EXPECT_EQ(made[0], made[1]);
  }
}

// Messages without a text still have tags.
TEST_F(AroundBatches, EmptyMessages) {
  for (const char* mode : {"GCM", "CCM", "CTR", "CBC"}) {
    SCOPED_TRACE(mode);
    const std::string name = std::string("LEA-128-") + mode;
    shape = Shape();
    shape.mode = mode;
    shape.messages = 5;
    shape.longest = 0;
    shape.iv_bytes = shape.aead() ? 12 : 16;
    const Evp<EVP_CIPHER> of_mode = library.cipher(name);
    Messages empty(*find_cipher("LEA-128"), shape, &random);
    empty.encrypt_one_by_one(of_mode.get());
    ctx.reset(EVP_CIPHER_CTX_new());
    ASSERT_EQ(1, empty.set(ctx.get(), of_mode.get(), true));
    ASSERT_EQ(1, empty.update(ctx.get(), true)) << last_error();
    EXPECT_EQ(empty.results, Bytes(5, 1));
    if (shape.aead()) {
      EXPECT_EQ(empty.made_tags(), empty.tags());
    }
  }
}

// A copy and the original use the table after the application has wiped the keys.
TEST_F(AroundBatches, CopiesShareTheTable) {
  for (const char* mode : {"CTR", "GCM"}) {
    use(mode, KeySource::kTable);
    expect_made();
    const Evp<EVP_CIPHER_CTX> copy(EVP_CIPHER_CTX_new());
    ASSERT_EQ(1, EVP_CIPHER_CTX_copy(copy.get(), ctx.get()));
    m->keys.assign(m->keys.size(), 0);
    expect_made();
    ctx.reset(EVP_CIPHER_CTX_new());
    ctx.swap(const_cast<Evp<EVP_CIPHER_CTX>&>(copy));
    expect_made();
    // Set again, the table is made again.
    ASSERT_EQ(1, PointerParams()
                     .add(GPUCTR_PARAM_BATCH_KEYS, m->keys.data(), m->keys.size())
                     .set(ctx.get()));
    m->encrypt_one_by_one(cipher.get());
    expect_made();
  }
}

// A call with a bad parameter changes no setting of the batch.
TEST_F(AroundBatches, RefusedSettings) {
  use("CTR", KeySource::kTable);
  expect_made();
  const Bytes keys(80, 3);
  PointerParams bad;
  bad.number("ctr-bits", 7).add(GPUCTR_PARAM_BATCH_KEYS, keys.data(), keys.size());
  bad.number(GPUCTR_PARAM_BATCH_MESSAGES, 2);
  EXPECT_EQ(0, bad.set(ctx.get()));
  EXPECT_NE(last_error(), "");
  expect_made();
  const Evp<EVP_CIPHER_CTX> fresh(EVP_CIPHER_CTX_new());
  ASSERT_EQ(
      1, EVP_EncryptInit_ex2(fresh.get(), cipher.get(), m->own_key.data(), m->ivs.data(), nullptr));
  EXPECT_EQ(0, bad.set(fresh.get()));
  int n = 0;
  Bytes out(10);
  EXPECT_EQ(1, EVP_EncryptUpdate(fresh.get(), out.data(), &n, out.data(), 10));
  last_error();
}

TEST_F(AroundBatches, EvpCipherIsAnUpdate) {
  use("GCM", KeySource::kEach);
  Bytes out(m->bytes());
  const Bytes in(m->bytes(), 1);
  EXPECT_EQ(static_cast<int>(in.size()),
            EVP_Cipher(ctx.get(), out.data(), in.data(), static_cast<unsigned>(in.size())));
  EXPECT_EQ(m->results, Bytes(6, 1));
}

TEST_F(AroundBatches, ManyMessagesShareThreads) {
  const Evp<OSSL_LIB_CTX> context(OSSL_LIB_CTX_new());
  ASSERT_EQ(1, OSSL_PROVIDER_set_default_search_path(context.get(), GPUCTR_MODULE_DIR));
  configure(context.get(), "threads = 4\n");
  const Evp<OSSL_PROVIDER> provider(OSSL_PROVIDER_load(context.get(), "gpuctr"));
  for (const char* mode : {"CTR", "GCM", "CCM", "CBC"}) {
    SCOPED_TRACE(mode);
    const std::string name = std::string("LEA-128-") + mode;
    const Evp<EVP_CIPHER> threaded(
        EVP_CIPHER_fetch(context.get(), name.c_str(), "provider=gpuctr"));
    ASSERT_NE(threaded, nullptr);
    shape.mode = mode;
    shape.messages = 5000;
    shape.keys = KeySource::kTable;
    shape.longest = 600;
    shape.iv_bytes = shape.aead() ? 12 : 16;
    shape.offsets = shape.mode != "GCM";
    Messages big(*find_cipher("LEA-128"), shape, &random);
    big.encrypt_one_by_one(library.cipher(name).get());
    ctx.reset(EVP_CIPHER_CTX_new());
    ASSERT_EQ(1, big.set(ctx.get(), threaded.get(), true));
    ASSERT_EQ(1, big.update(ctx.get(), true)) << last_error();
    for (std::size_t i = 0; i < shape.messages; ++i)
      ASSERT_EQ(big.out_of(i), big.sealed_of(i)) << i;
    if (!shape.aead()) continue;
    for (const std::size_t i : {std::size_t{4321}, std::size_t{77}, std::size_t{3000}})
      big.spoil_tag(i);
    ASSERT_EQ(1, big.set(ctx.get(), threaded.get(), false));
    EXPECT_EQ(0, big.update(ctx.get(), false));
    EXPECT_NE(last_error().find("3 of 5000 messages of " + name +
                                " have a wrong tag, message 77 is the first"),
              std::string::npos);
  }
}

}  // namespace
}  // namespace gpuctr::test
