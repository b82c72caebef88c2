// The ciphers' functions called as libcrypto calls them, for what EVP never lets through: keys and
// IVs of the wrong length, an output buffer that is too small, and, on any version, pipelines.
#include <gtest/gtest.h>
#include <openssl/core_dispatch.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/params.h>
#include <openssl/prov_ssl.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "provider/mode/ctr/pipeline.h"
#include "test/provider/reference.h"
#include "test/support/core.h"
#include "test/support/gtest_name.h"
#include "test/support/module.h"

namespace gpuctr::test {
namespace {

class Dispatch : public testing::TestWithParam<std::size_t> {
 protected:
  void SetUp() override {
    OPENSSL_init_crypto(OPENSSL_INIT_LOAD_CRYPTO_STRINGS, nullptr);
    ASSERT_TRUE(core_.load(module_entry()));
    const OSSL_ITEM* r = core_.call<OSSL_FUNC_provider_get_reason_strings_fn>(
        OSSL_FUNC_PROVIDER_GET_REASON_STRINGS)(core_.context());
    for (; r->id != 0; ++r) reasons_[r->id] = static_cast<const char*>(r->ptr);
    table_ = core_.find(OSSL_OP_CIPHER, name);
    ASSERT_NE(table_, nullptr);
    ctx = function<OSSL_FUNC_cipher_newctx_fn>(OSSL_FUNC_CIPHER_NEWCTX)(core_.context());
    ASSERT_NE(ctx, nullptr);
    take_errors();
  }
  void TearDown() override {
    function<OSSL_FUNC_cipher_freectx_fn>(OSSL_FUNC_CIPHER_FREECTX)(ctx);
    EXPECT_EQ(take_errors(), std::vector<std::string>{});
  }

  // "reason: data" of the errors raised since the last look.
  std::vector<std::string> take_errors() {
    std::vector<std::string> texts;
    for (const auto& e : core_.take_errors()) texts.push_back(reason(e.reason) + ": " + e.data);
    return texts;
  }
  // A reason of ours, or a packed error of OpenSSL's.
  std::string reason(std::uint32_t code) {
    const char* const stock = ERR_GET_LIB(code) == 0 ? nullptr : ERR_reason_error_string(code);
    return stock == nullptr ? reasons_[code] : stock;
  }
  template <class Type>
  Type* function(int id) const {
    Type* const found = test::function<Type>(table_, id);
    EXPECT_NE(found, nullptr) << "no function " << id;
    return found;
  }
  // False: the cipher has no such mode, and the context is that of before.
  bool use_mode(const char* mode) {
    const OSSL_DISPATCH* const table = core_.find(OSSL_OP_CIPHER, std::string(spec.name) + mode);
    if (table == nullptr) return false;
    function<OSSL_FUNC_cipher_freectx_fn>(OSSL_FUNC_CIPHER_FREECTX)(ctx);
    table_ = table;
    ctx = function<OSSL_FUNC_cipher_newctx_fn>(OSSL_FUNC_CIPHER_NEWCTX)(core_.context());
    return true;
  }
  int init(std::size_t key_bytes, std::size_t iv_bytes, int id = OSSL_FUNC_CIPHER_ENCRYPT_INIT) {
    return function<OSSL_FUNC_cipher_encrypt_init_fn>(id)(ctx, key.data(), key_bytes, iv.data(),
                                                          iv_bytes, nullptr);
  }
  int update(std::size_t room) {
    return function<OSSL_FUNC_cipher_update_fn>(OSSL_FUNC_CIPHER_UPDATE)(
        ctx, out.data(), &written, room, text.data(), text.size());
  }
  int start_pipes(const std::uint8_t* with_key, std::size_t pipes, const std::uint8_t** ivs,
                  std::size_t iv_bytes) {
    return function<OSSL_FUNC_cipher_pipeline_encrypt_init_fn>(
        OSSL_FUNC_CIPHER_PIPELINE_ENCRYPT_INIT)(ctx, with_key, key.size(), pipes, ivs, iv_bytes,
                                                nullptr);
  }
  // One update of `pipes` pipes with all of `text` each.
  int run_pipes(std::size_t pipes) {
    unsigned char* to[kPipes];
    const unsigned char* from[kPipes];
    std::size_t sizes[kPipes];
    for (std::size_t i = 0; i < pipes; ++i) {
      outs[i].assign(text.size(), 0xa5);
      to[i] = outs[i].data();
      from[i] = text.data();
      sizes[i] = text.size();
    }
    std::size_t done[kPipes] = {};
    return function<OSSL_FUNC_cipher_pipeline_update_fn>(OSSL_FUNC_CIPHER_PIPELINE_UPDATE)(
        ctx, pipes, to, done, sizes, from, sizes);
  }
  Bytes expected(const Bytes& from) const {
    return reference_ctr(spec, key, from, text, static_cast<unsigned>(8 * spec.block_bytes));
  }
  void expect_works() {
    EXPECT_EQ(init(key.size(), iv.size()), 1);
    EXPECT_EQ(update(out.size()), 1);
    EXPECT_EQ(written, text.size());
    EXPECT_EQ(out, expected(iv));
  }

  static constexpr std::size_t kPipes = 3;
  const CipherSpec& spec = cipher_spec(GetParam());
  const std::size_t iv_size = iv_bytes_of(spec);
  const std::string name = std::string(spec.name) + "-CTR";
  Core core_{Core::Section{{"legacy", "yes"}}};
  std::map<unsigned, std::string> reasons_;
  const OSSL_DISPATCH* table_ = nullptr;
  void* ctx = nullptr;
  Bytes key = Bytes(spec.key_bytes, 0x11);
  Bytes iv = Bytes(iv_size, 0x22);
  Bytes text = Bytes(100, 0x33);
  Bytes out = Bytes(100, 0xa5);
  Bytes outs[kPipes];
  std::size_t written = 0;
};

TEST_P(Dispatch, WrongIvLength) {
  const std::size_t block = iv_size;
  for (const int id : {OSSL_FUNC_CIPHER_ENCRYPT_INIT, OSSL_FUNC_CIPHER_DECRYPT_INIT}) {
    for (const std::size_t bytes : {std::size_t{0}, block - 1, block + 1, 2 * block}) {
      iv.resize(std::max(bytes, block), 0x22);
      EXPECT_EQ(init(key.size(), bytes, id), 0);
      EXPECT_EQ(take_errors(),
                std::vector<std::string>{"invalid iv length: IV is " + std::to_string(bytes) +
                                         " bytes, " + name + " takes " + std::to_string(block)});
      iv.resize(block);
    }
  }
  EXPECT_EQ(update(out.size()), 0);  // the key that came with it was not taken either
  EXPECT_EQ(take_errors(),
            std::vector<std::string>{std::string("no key set: ") + spec.name + " has no key yet"});
  EXPECT_EQ(out, Bytes(100, 0xa5));
  EXPECT_EQ(written, 0u);
  expect_works();
}

TEST_P(Dispatch, WrongKeyLength) {
  const std::size_t least = spec.least_key_bytes, most = spec.most_key_bytes;
  const std::string takes =
      least == most ? std::to_string(most) : std::to_string(least) + " to " + std::to_string(most);
  const std::size_t fewer = least - std::min<std::size_t>(least, 4);
  for (const std::size_t bytes : {std::size_t{0}, fewer, least - 1, most + 1, most + 8}) {
    key.resize(std::max(bytes, spec.key_bytes), 0x11);
    EXPECT_EQ(init(bytes, iv.size()), 0);
    EXPECT_EQ(take_errors(),
              std::vector<std::string>{"invalid key length: key is " + std::to_string(bytes) +
                                       " bytes, " + spec.name + " takes " + takes});
    key.resize(spec.key_bytes);
  }
  expect_works();
}

TEST_P(Dispatch, TooLittleRoom) {
  ASSERT_EQ(init(key.size(), iv.size()), 1);
  EXPECT_EQ(update(99), 0);
  EXPECT_EQ(take_errors(), std::vector<std::string>{"output buffer too small: room for 99 bytes, "
                                                    "100 are to be written"});
  EXPECT_EQ(out, Bytes(100, 0xa5));
  EXPECT_EQ(update(100), 1);  // and nothing of the keystream is gone
  EXPECT_EQ(out, expected(iv));
}

// Of whole blocks, which wait for nothing.
TEST_P(Dispatch, TooLittleRoomForBlocks) {
  text.resize(2 * spec.block_bytes);
  out.assign(text.size(), 0xa5);
  const std::size_t room = text.size() - 1;
  for (const char* const mode : {"-ECB", "-CBC"}) {
    if (!use_mode(mode)) continue;
    ASSERT_EQ(init(key.size(), iv.size()), 1);
    EXPECT_EQ(update(room), 0);
    EXPECT_EQ(take_errors(), std::vector<std::string>{
                                 "output buffer too small: room for " + std::to_string(room) +
                                 " bytes, " + std::to_string(text.size()) + " are to be written"});
    EXPECT_EQ(out, Bytes(text.size(), 0xa5));
  }
}

// Without a buffer there is nothing to work on, and counter mode's bare keystream is no answer. In
// GCM an output of NULL makes associated data, and in CCM calls with NULL have a meaning each.
TEST_P(Dispatch, DataNeedsBothBuffers) {
  text.resize(2 * spec.block_bytes);
  for (const std::string mode : {"-CTR", "-ECB", "-CBC", "-GCM"}) {
    if (!use_mode(mode.c_str())) continue;
    iv.assign(mode == "-GCM" ? 12 : iv_size, 0x22);
    for (const int id : {OSSL_FUNC_CIPHER_ENCRYPT_INIT, OSSL_FUNC_CIPHER_DECRYPT_INIT}) {
      ASSERT_EQ(init(key.size(), iv.size(), id), 1);
      const auto give = [&](bool one_shot, std::uint8_t* to, const std::uint8_t* from,
                            std::size_t n) {
        written = 7;
        const int status = one_shot ? function<OSSL_FUNC_cipher_cipher_fn>(OSSL_FUNC_CIPHER_CIPHER)(
                                          ctx, to, &written, 4 * spec.block_bytes, from, n)
                                    : function<OSSL_FUNC_cipher_update_fn>(OSSL_FUNC_CIPHER_UPDATE)(
                                          ctx, to, &written, 4 * spec.block_bytes, from, n);
        return status;
      };
      // What the same context gives without the refused calls.
      Bytes first(4 * spec.block_bytes), again(first);
      ASSERT_EQ(give(false, first.data(), text.data(), text.size()), 1);
      ASSERT_EQ(init(key.size(), iv.size(), id), 1);
      Bytes untouched(4 * spec.block_bytes, 0xa5);
      for (const bool one_shot : {false, true}) {
        for (const bool no_input : {true, false}) {
          if (!no_input && mode == "-GCM") continue;
          std::uint8_t* const to = no_input ? untouched.data() : nullptr;
          const std::uint8_t* const from = no_input ? nullptr : text.data();
          EXPECT_EQ(give(one_shot, to, from, text.size()), 0) << mode;
          EXPECT_EQ(written, 0u);
          EXPECT_EQ(take_errors(), std::vector<std::string>{
                                       "bad parameter: " + std::to_string(text.size()) +
                                       " bytes of " + spec.name + mode + " have no " +
                                       (no_input ? "input" : "output") + " buffer: it is NULL"});
        }
        EXPECT_EQ(give(false, nullptr, nullptr, 0), 1) << mode;  // nothing needs no buffer
      }
      EXPECT_EQ(untouched, Bytes(untouched.size(), 0xa5));
      ASSERT_EQ(give(false, again.data(), text.data(), text.size()), 1);
      EXPECT_EQ(again, first) << mode;
    }
  }
}

// Bytes that wait for their block need no output, and a final that writes needs one.
TEST_P(Dispatch, AFinalNeedsItsBuffer) {
  for (const char* const mode : {"-ECB", "-CBC"}) {
    if (!use_mode(mode)) continue;
    const std::size_t block = spec.block_bytes;
    const auto run = [&](Bytes* to, const Bytes& from, int id) {
      ASSERT_EQ(init(key.size(), iv.size(), id), 1);
      const bool encrypt = id == OSSL_FUNC_CIPHER_ENCRYPT_INIT;
      ASSERT_EQ(function<OSSL_FUNC_cipher_update_fn>(OSSL_FUNC_CIPHER_UPDATE)(
                    ctx, nullptr, &written, 0, from.data(), from.size()),
                1);
      EXPECT_EQ(written, 0u);
      to->assign(block, 0);
      const auto end = function<OSSL_FUNC_cipher_final_fn>(OSSL_FUNC_CIPHER_FINAL);
      EXPECT_EQ(end(ctx, nullptr, &written, block), 0);
      EXPECT_EQ(take_errors().size(), 1u);
      ASSERT_EQ(end(ctx, to->data(), &written, block), 1);
      EXPECT_EQ(written, encrypt ? block : 5);
    };
    Bytes sealed, opened;
    run(&sealed, Bytes(5, 0x33), OSSL_FUNC_CIPHER_ENCRYPT_INIT);
    run(&opened, sealed, OSSL_FUNC_CIPHER_DECRYPT_INIT);
    opened.resize(5);
    EXPECT_EQ(opened, Bytes(5, 0x33));
  }
}

TEST_P(Dispatch, PipesNeedBothBuffers) {
  const std::uint8_t* ivs[kPipes] = {iv.data(), iv.data()};
  ASSERT_EQ(start_pipes(key.data(), 2, ivs, iv.size()), 1);
  Bytes memory[2] = {Bytes(100, 0xa5), Bytes(100, 0xa5)};
  for (const bool no_input : {true, false}) {
    for (const std::size_t which : {std::size_t{0}, std::size_t{1}}) {
      unsigned char* to[] = {memory[0].data(), memory[1].data()};
      const unsigned char* from[] = {text.data(), text.data()};
      (no_input ? from[which] : const_cast<const unsigned char*&>(to[which])) = nullptr;
      std::size_t sizes[] = {100, 100}, done[] = {7, 7};
      const auto update_pipes =
          function<OSSL_FUNC_cipher_pipeline_update_fn>(OSSL_FUNC_CIPHER_PIPELINE_UPDATE);
      EXPECT_EQ(update_pipes(ctx, 2, to, done, sizes, from, sizes), 0);
      EXPECT_EQ(take_errors().size(), 1u);
      EXPECT_EQ(done[0] + done[1], 0u);
    }
  }
  for (const Bytes& untouched : memory) EXPECT_EQ(untouched, Bytes(100, 0xa5));
  ASSERT_EQ(run_pipes(2), 1);  // and no pipe has moved
  EXPECT_EQ(outs[0], expected(iv));
}

// Where libssl's record is not padded in place, which is how it always calls.
TEST_P(Dispatch, ARefusedTlsRecordHasNoLength) {
  ASSERT_EQ(use_mode("-CBC"), spec.block_bytes <= 16);
  if (spec.block_bytes > 16) return;
  ASSERT_EQ(init(key.size(), iv.size()), 1);
  unsigned version = TLS1_2_VERSION;
  const OSSL_PARAM params[] = {OSSL_PARAM_construct_uint(OSSL_CIPHER_PARAM_TLS_VERSION, &version),
                               OSSL_PARAM_construct_end()};
  ASSERT_EQ(
      function<OSSL_FUNC_cipher_set_ctx_params_fn>(OSSL_FUNC_CIPHER_SET_CTX_PARAMS)(ctx, params),
      1);
  written = 7;
  EXPECT_EQ(update(out.size()), 0);
  EXPECT_EQ(written, 0u);
  EXPECT_EQ(out, Bytes(100, 0xa5));
  EXPECT_EQ(take_errors().size(), 1u);
}

TEST_P(Dispatch, PipesKeepTheKeyAndNotTheIvs) {
  const Bytes other(iv_size, 0x44);
  const std::uint8_t* ivs[kPipes] = {iv.data(), other.data(), iv.data()};
  ASSERT_EQ(start_pipes(key.data(), 2, ivs, iv.size()), 1);
  ASSERT_EQ(run_pipes(2), 1);
  EXPECT_EQ(outs[0], expected(iv));
  EXPECT_EQ(outs[1], expected(other));
  // New IVs alone, and another number of pipes.
  const Bytes third(iv_size, 0x55);
  const std::uint8_t* again[kPipes] = {other.data(), third.data(), iv.data()};
  ASSERT_EQ(start_pipes(nullptr, 3, again, iv.size()), 1);
  ASSERT_EQ(run_pipes(3), 1);
  EXPECT_EQ(outs[0], expected(other));
  EXPECT_EQ(outs[1], expected(third));
  EXPECT_EQ(outs[2], expected(iv));
  // Neither: the pipes may not start with the keystream of before, nor all with the context's IV.
  for (int round = 0; round < 2; ++round) {
    ASSERT_EQ(start_pipes(nullptr, 2, nullptr, 0), 1);
    EXPECT_EQ(run_pipes(2), 0);
    EXPECT_EQ(take_errors(), std::vector<std::string>{"no IV set: " + name + " has no IV yet"});
    EXPECT_EQ(outs[0], Bytes(100, 0xa5));
    ASSERT_EQ(init(key.size(), iv.size()), 1);
  }
}

// Pipes are made in any order: none may write what another one reads or writes.
TEST_P(Dispatch, PipesMayNotShareWhatIsWritten) {
  const Bytes other(iv_size, 0x44);
  const std::uint8_t* ivs[kPipes] = {iv.data(), other.data(), iv.data()};
  ASSERT_EQ(start_pipes(key.data(), 2, ivs, iv.size()), 1);
  const std::size_t n = 40;
  const auto run = [&](std::size_t out0, std::size_t in0, std::size_t out1, std::size_t in1,
                       std::size_t n1) {
    Bytes memory(400);
    for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<std::uint8_t>(i);
    const Bytes before = memory;
    unsigned char* to[] = {memory.data() + out0, memory.data() + out1};
    const unsigned char* from[] = {memory.data() + in0, memory.data() + in1};
    const std::size_t sizes[] = {n, n1};
    std::size_t done[2] = {7, 7};
    const int status = function<OSSL_FUNC_cipher_pipeline_update_fn>(
        OSSL_FUNC_CIPHER_PIPELINE_UPDATE)(ctx, 2, to, done, sizes, from, sizes);
    const std::vector<std::string> errors = take_errors();
    EXPECT_EQ(errors.size(), status == 1 ? 0u : 1u);
    EXPECT_TRUE(status == 1 || memory == before);
    EXPECT_EQ(done[0], status == 1 ? n : 0);
    return status;
  };
  EXPECT_EQ(run(200, 0, 300, 0, n), 1);    // the same input
  EXPECT_EQ(run(200, 0, 240, 40, n), 1);   // side by side
  EXPECT_EQ(run(200, 0, 200, 100, n), 0);  // one output
  EXPECT_EQ(run(200, 0, 239, 100, n), 0);  // their outputs share a byte
  EXPECT_EQ(run(239, 0, 200, 100, n), 0);
  EXPECT_EQ(run(200, 0, 300, 239, n), 0);  // the first writes what the second reads
  EXPECT_EQ(run(300, 239, 200, 0, n), 0);
  EXPECT_EQ(run(0, 0, 100, 100, n), 1);    // both in place
  EXPECT_EQ(run(0, 0, 0, 0, n), 0);        // the same place
  EXPECT_EQ(run(200, 0, 210, 210, 0), 1);  // nothing
}

TEST_P(Dispatch, AWrongPipelineInitChangesNothing) {
  const Bytes other(iv_size, 0x44);
  const std::uint8_t* ivs[kPipes] = {iv.data(), other.data(), iv.data()};
  ASSERT_EQ(start_pipes(key.data(), 2, ivs, iv.size()), 1);
  EXPECT_EQ(start_pipes(key.data(), 3, ivs, iv.size() - 1), 0);
  EXPECT_EQ(take_errors(),
            std::vector<std::string>{"invalid iv length: IV is " + std::to_string(iv.size() - 1) +
                                     " bytes, " + name + " takes " + std::to_string(iv.size())});
  ASSERT_EQ(run_pipes(2), 1);
  EXPECT_EQ(outs[0], expected(iv));
  EXPECT_EQ(outs[1], expected(other));
}

// max-bytes is of the key: pipes have it together, and an init with IVs alone does not begin anew.
TEST_P(Dispatch, PipesShareTheByteLimitOfTheirKey) {
  std::size_t most = 500;
  const OSSL_PARAM limit[] = {{"max-bytes", OSSL_PARAM_UNSIGNED_INTEGER, &most, sizeof most, 0},
                              {nullptr, 0, nullptr, 0, 0}};
  EXPECT_EQ(
      function<OSSL_FUNC_cipher_set_ctx_params_fn>(OSSL_FUNC_CIPHER_SET_CTX_PARAMS)(ctx, limit), 1);
  const Bytes other(iv_size, 0x44);
  const std::uint8_t* ivs[kPipes] = {iv.data(), other.data(), iv.data()};
  ASSERT_EQ(start_pipes(key.data(), 2, ivs, iv.size()), 1);
  EXPECT_EQ(run_pipes(2), 1);
  ASSERT_EQ(start_pipes(nullptr, 2, ivs, iv.size()), 1);
  EXPECT_EQ(run_pipes(2), 1);
  EXPECT_EQ(run_pipes(2), 0);
  EXPECT_EQ(take_errors(), std::vector<std::string>{
                               std::string("byte limit of this key reached: 200 bytes more: this "
                                           "key of ") +
                               spec.name + " has had 400 of its max-bytes = 500"});
  EXPECT_EQ(outs[0], Bytes(100, 0xa5));
  ASSERT_EQ(start_pipes(key.data(), 2, ivs, iv.size()), 1);
  EXPECT_EQ(run_pipes(2), 1);
}

INSTANTIATE_TEST_SUITE_P(AllCiphers, Dispatch, testing::Range(std::size_t{0}, kCipherCount),
                         [](const auto& param) {
                           return gtest_name(cipher_spec(param.param).name);
                         });

}  // namespace
}  // namespace gpuctr::test
