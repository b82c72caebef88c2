// Sequences of EVP_RAND operations on the provider's generators against the second model of
// CTR_DRBG, with entropy from OpenSSL's TEST-RAND: instantiate, generate, reseed, prediction
// resistance, parameters, and every request that must be refused.
#include <openssl/core_dispatch.h>
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/provider.h>

#include <optional>
#include <string>

#include "drbg/mechanism.h"
#include "fuzz/input.h"
#include "fuzz/scalar.h"
#include "test/drbg/model.h"

extern "C" OSSL_provider_init_fn OSSL_provider_init;

namespace gpuctr::fuzz {
namespace {

constexpr std::size_t kMost = 900;  // one legal request of every cipher

struct World {
  World() : library(OSSL_LIB_CTX_new()) {
    require(OSSL_PROVIDER_add_builtin(library, "gpuctr", OSSL_provider_init) == 1, "add_builtin");
    require(OSSL_PROVIDER_load(library, "gpuctr") != nullptr, "the provider loads");
    require(OSSL_PROVIDER_load(library, "default") != nullptr, "default loads");
    source = EVP_RAND_fetch(library, "TEST-RAND", nullptr);
    for (std::size_t i = 0; i < kCipherCount; ++i) {
      if (cipher_spec(i).generator_answer == nullptr) continue;
      const std::string name = std::string(cipher_spec(i).name) + "-CTR-DRBG";
      rand[i] = EVP_RAND_fetch(library, name.c_str(), nullptr);
      require(rand[i] != nullptr, "fetch");
    }
  }
  OSSL_LIB_CTX* library;
  EVP_RAND* source;
  EVP_RAND* rand[kCipherCount];
};

World& world() {
  static World w;
  return w;
}

class Sequence {
 public:
  Sequence(const CipherSpec& spec, Input& in)
      : mechanism_(spec, scalar_engine()),
        strength_(static_cast<unsigned>(8 * spec.key_bytes)),
        entropy_(in.bytes(48 + in.upto(20))),
        nonce_(in.bytes(16 + in.upto(8))),
        source_(EVP_RAND_CTX_new(world().source, nullptr)) {
    unsigned most = 256;
    const OSSL_PARAM params[] = {
        OSSL_PARAM_construct_uint(OSSL_RAND_PARAM_STRENGTH, &most),
        OSSL_PARAM_construct_octet_string(OSSL_RAND_PARAM_TEST_ENTROPY, entropy_.data(),
                                          entropy_.size()),
        OSSL_PARAM_construct_octet_string(OSSL_RAND_PARAM_TEST_NONCE, nonce_.data(), nonce_.size()),
        OSSL_PARAM_construct_end()};
    require(EVP_RAND_instantiate(source_, 256, 0, nullptr, 0, params) == 1, "TEST-RAND");
    ctx_ = EVP_RAND_CTX_new(world().rand[spec.index], source_);
    require(ctx_ != nullptr, "a generator under TEST-RAND");
  }
  ~Sequence() {
    EVP_RAND_CTX_free(ctx_);
    EVP_RAND_CTX_free(source_);
    ERR_clear_error();
  }
  Sequence(const Sequence&) = delete;
  Sequence& operator=(const Sequence&) = delete;

  void step(Input& in) {
    switch (in.upto(6)) {
      case 0:
        return instantiate(in);
      case 1:
        return reseed(in);
      case 2:
        return uninstantiate(in);
      case 3:
        return requests(in);
      default:
        return generate(in);
    }
  }

 private:
  static const std::uint8_t* at(const Bytes& b) { return b.empty() ? nullptr : b.data(); }

  void refused() {
    require(ERR_peek_error() != 0, "a refusal puts an error on the queue");
    ERR_clear_error();
  }

  void instantiate(Input& in) {
    const Bytes person = in.bytes(1 + in.upto(40));
    const unsigned wanted =
        in.upto(5) == 0 ? strength_ + 1 : static_cast<unsigned>(in.upto(strength_));
    const bool legal = wanted <= strength_ && !model_;
    const bool done =
        EVP_RAND_instantiate(ctx_, wanted, 0, person.data(), person.size(), nullptr) == 1;
    require(done == legal, "instantiate");
    if (!legal) return refused();
    model_.emplace(mechanism_, true);
    model_->instantiate(entropy_, nonce_, person);
    served_ = 0;
  }

  void reseed(Input& in) {
    const Bytes own = in.bytes(in.flag() ? mechanism_.key + in.upto(20) : 0);
    const Bytes additional = in.bytes(in.upto(20));
    const bool done =
        EVP_RAND_reseed(ctx_, 0, at(own), own.size(), at(additional), additional.size()) == 1;
    require(done == model_.has_value(), "reseed");
    if (!model_) return refused();
    if (!own.empty()) model_->reseed(own, additional);
    model_->reseed(entropy_, own.empty() ? additional : Bytes{});
    served_ = 0;
  }

  void uninstantiate(Input& in) {
    if (in.upto(3) != 0) return;
    require(EVP_RAND_uninstantiate(ctx_) == 1, "uninstantiate");
    require(EVP_RAND_verify_zeroization(ctx_) == 1, "nothing is left");
    require(EVP_RAND_get_state(ctx_) == EVP_RAND_STATE_UNINITIALISED, "the state says so");
    model_.reset();
  }

  // reseed_requests, as OpenSSL counts: the request that finds n - 1 behind it reseeds first.
  void requests(Input& in) {
    unsigned n = static_cast<unsigned>(in.upto(5));
    const OSSL_PARAM params[] = {OSSL_PARAM_construct_uint(OSSL_DRBG_PARAM_RESEED_REQUESTS, &n),
                                 OSSL_PARAM_construct_end()};
    require(EVP_RAND_CTX_set_params(ctx_, params) == 1, "set_params");
    requests_ = n;
    std::uint64_t told = 99;
    OSSL_PARAM ask[] = {OSSL_PARAM_construct_uint64(OSSL_DRBG_PARAM_RESEED_REQUESTS, &told),
                        OSSL_PARAM_construct_end()};
    require(EVP_RAND_CTX_get_params(ctx_, ask) == 1 && told == n, "get_params");
  }

  void generate(Input& in) {
    const std::size_t n = 1 + in.upto(kMost - 1);
    const bool resist = in.upto(5) == 0;
    const unsigned wanted = in.upto(9) == 0 ? strength_ + 1 : 0;
    Bytes additional = in.bytes(in.upto(24));
    Bytes out(n + 1, 0x5a);
    const bool legal = model_ && wanted <= strength_;
    const bool done = EVP_RAND_generate(ctx_, out.data(), n, wanted, resist ? 1 : 0, at(additional),
                                        additional.size()) == 1;
    require(done == legal, "generate");
    require(out[n] == 0x5a, "nothing is written past the end");
    if (!legal) {
      require(out == Bytes(n + 1, 0x5a), "a refused request writes nothing");
      return refused();
    }
    if (resist || (requests_ != 0 && served_ + 1 >= requests_)) {
      model_->reseed(entropy_, additional);
      additional.clear();
      served_ = 0;
    }
    ++served_;
    out.resize(n);
    require(out == model_->generate(n, additional), "the output is the model's");
  }

  const drbg::Mechanism mechanism_;
  const unsigned strength_;
  Bytes entropy_;
  Bytes nonce_;
  EVP_RAND_CTX* source_;
  EVP_RAND_CTX* ctx_ = nullptr;
  std::optional<test::ModelDrbg> model_;
  std::uint64_t served_ = 0;
  std::uint64_t requests_ = 256;  // the provider's default
};

}  // namespace
}  // namespace gpuctr::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gpuctr;
  fuzz::Input in(data, size);
  const CipherSpec& spec = in.cipher();
  fuzz::Sequence sequence(spec, in);
  for (int steps = 0; in.more() && steps < 24; ++steps) sequence.step(in);
  return 0;
}
