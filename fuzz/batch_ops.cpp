// Many messages in one update against one ordinary context for each message: any cipher, mode and
// shape of a batch; then numbers and sizes of arrays changed at random. A changed batch is made, or
// refused with one error and nothing written.
#include <openssl/core_dispatch.h>
#include <openssl/err.h>
#include <openssl/provider.h>

#include <algorithm>

#include "fuzz/input.h"
#include "provider/core/gpuctr.h"
#include "test/provider/batch/messages.h"
#include "test/provider/reference.h"

extern "C" OSSL_provider_init_fn OSSL_provider_init;

namespace gpuctr::test {
// What the helpers of the tests say of a call that failed; their own needs GoogleTest.
std::string last_error() {
  ERR_clear_error();
  return "an error";
}
}  // namespace gpuctr::test

namespace gpuctr::fuzz {
namespace {

using test::KeySource;
using test::Messages;
using test::PointerParams;
using test::Shape;

constexpr const char* kModes[] = {"CTR", "CBC", "GCM", "CCM"};

struct World {
  World() : library(OSSL_LIB_CTX_new()) {
    require(OSSL_PROVIDER_add_builtin(library, "gpuctr", OSSL_provider_init) == 1, "add_builtin");
    require(OSSL_PROVIDER_load(library, "gpuctr") != nullptr, "the provider loads");
    for (std::size_t i = 0; i < kCipherCount; ++i) {
      for (std::size_t m = 0; m < 4; ++m) {
        const std::string name = std::string(cipher_spec(i).name) + "-" + kModes[m];
        of[i][m] = EVP_CIPHER_fetch(library, name.c_str(), nullptr);
        ERR_clear_error();
      }
    }
  }
  OSSL_LIB_CTX* library;
  EVP_CIPHER* of[kCipherCount][4];
};

Shape shape_of(const CipherSpec& spec, std::size_t mode, Input& in) {
  Shape s;
  s.mode = kModes[mode];
  s.messages = 1 + in.upto(80);
  s.longest = in.flag() ? 20 : in.upto(1500);
  s.keys = static_cast<KeySource>(in.upto(2));
  s.table = 1 + in.upto(6);
  s.iv_bytes = test::iv_bytes_of(spec);
  if (s.mode == "GCM") s.iv_bytes = in.flag() ? 12 : 1 + in.upto(127);
  if (s.mode == "CCM") {
    s.iv_bytes = 7 + in.upto(6);
    s.tag_bytes = 4 + 2 * in.upto(6);
  }
  if (s.mode == "CTR" && in.flag()) {
    s.counter_bits = static_cast<unsigned>(16 + in.upto(8 * spec.block_bytes - 16));
  }
  s.one_length = in.flag();
  s.offsets = in.flag();
  s.in_place = in.flag();
  s.one_aad_length = in.flag();
  s.longest_aad = in.upto(40);
  return s;
}

// A number that fits badly.
std::uint64_t bad_number(Input& in) {
  static constexpr std::uint64_t kNumbers[] = {0,          1,          17,        0xffff,
                                               0x7fffffff, 0xffffffff, UINT64_MAX};
  return kNumbers[in.upto(6)];
}

void change(Messages* m, PointerParams* params, Input& in) {
  const std::size_t i = in.upto(m->shape.messages - 1);
  static const Bytes room(1 << 16);
  static constexpr const char* kArrays[] = {
      GPUCTR_PARAM_BATCH_KEYS,    GPUCTR_PARAM_BATCH_KEY_INDEX,  GPUCTR_PARAM_BATCH_IVS,
      GPUCTR_PARAM_BATCH_LENGTHS, GPUCTR_PARAM_BATCH_OFFSETS,    GPUCTR_PARAM_BATCH_AAD,
      GPUCTR_PARAM_BATCH_TAGS,    GPUCTR_PARAM_BATCH_AAD_LENGTHS};
  switch (in.upto(5)) {
    case 0:
      m->lengths[i] = static_cast<std::uint32_t>(bad_number(in));
      break;
    case 1:
      m->index[i] = static_cast<std::uint32_t>(bad_number(in));
      break;
    case 2:
      if (!m->offsets.empty()) m->offsets[i] = bad_number(in);
      break;
    case 3:
      m->aad_lengths[i] = static_cast<std::uint32_t>(bad_number(in));
      break;
    case 4:
      params->number(GPUCTR_PARAM_BATCH_MESSAGES, 1 + in.upto(m->shape.messages - 1));
      break;
    default: {
      const char* const key = kArrays[in.upto(7)];
      // Of zeros, which only reading may use; tags are written by encryption.
      if (std::string(key) == GPUCTR_PARAM_BATCH_TAGS) return;
      params->add(key, in.flag() ? nullptr : room.data() + in.upto(9), 0);
      break;
    }
  }
}

void changed(Messages* m, EVP_CIPHER_CTX* ctx, const EVP_CIPHER* cipher, Input& in) {
  require(m->set(ctx, cipher, true) == 1, "a batch is set");
  PointerParams params;
  for (std::size_t left = 1 + in.upto(2); left != 0; --left) change(m, &params, in);
  require(params.set(ctx) == 1, "arrays are set");
  std::fill(m->results.begin(), m->results.end(), 0xa5);
  m->forget_tags();
  ERR_clear_error();
  if (m->update(ctx, true) == 1) {
    require(ERR_peek_error() == 0, "an error without a refusal");
    return;
  }
  require(ERR_get_error() != 0 && ERR_get_error() == 0, "one error for one refusal");
  require(m->wrote_nothing(), "a refused batch writes nothing");
}

void unchanged(Messages* m, EVP_CIPHER_CTX* ctx, const EVP_CIPHER* cipher, Input& in) {
  require(m->set(ctx, cipher, true) == 1 && m->update(ctx, true) == 1, "a batch is made");
  for (std::size_t i = 0; i < m->shape.messages; ++i) {
    require(m->out_of(i) == m->sealed_of(i), "a message is that of an ordinary context");
  }
  require(!m->shape.aead() || m->made_tags() == m->tags(), "tags are those of ordinary contexts");
  require(m->gaps_are_clean(), "nothing between the messages is written");
  const bool spoils = m->shape.aead() && in.flag();
  const std::size_t spoilt = in.upto(m->shape.messages - 1);
  if (spoils) m->spoil_tag(spoilt);
  require(m->set(ctx, cipher, false) == 1, "the direction");
  require(m->update(ctx, false) == (spoils ? 0 : 1), "the tags decide");
  require(!spoils || (ERR_get_error() != 0 && ERR_get_error() == 0), "one error for wrong tags");
  for (std::size_t i = 0; i < m->shape.messages; ++i) {
    const bool good = !spoils || i != spoilt;
    require(m->results[i] == (good ? 1 : 0), "the results");
    require(m->out_of(i) == (good ? m->plain_of(i) : Bytes(m->lengths[i])), "the texts");
  }
}

}  // namespace
}  // namespace gpuctr::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gpuctr;
  static fuzz::World world;
  fuzz::Input in(data, size);
  const CipherSpec& spec = in.cipher();
  const std::size_t mode = in.upto(3);
  EVP_CIPHER* const cipher = world.of[spec.index][mode];
  if (cipher == nullptr) return 0;
  const test::Shape shape = fuzz::shape_of(spec, mode, in);
  std::mt19937 random(static_cast<unsigned>(in.upto(0xffff)));
  test::Messages m(spec, shape, &random);
  m.encrypt_one_by_one(cipher);
  const test::Evp<EVP_CIPHER_CTX> ctx(EVP_CIPHER_CTX_new());
  for (int batches = 0; batches < 3; ++batches) {
    test::Messages next = m;
    if (in.flag()) {
      fuzz::changed(&next, ctx.get(), cipher, in);
      EVP_CIPHER_CTX_reset(ctx.get());
    } else {
      fuzz::unchanged(&next, ctx.get(), cipher, in);
      if (in.flag()) EVP_CIPHER_CTX_reset(ctx.get());
    }
    ERR_clear_error();
  }
  return 0;
}
