// The generators' functions called as libcrypto calls them, for what EVP_RAND never lets through: a
// request above max_request, and parents that lack functions or fail in the middle.
#include <gtest/gtest.h>
#include <openssl/core_dispatch.h>
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/proverr.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "kernels/cipher/registry.h"
#include "test/support/core.h"
#include "test/support/generators.h"
#include "test/support/module.h"

namespace gpuctr {
namespace {

using Function = void (*)();

std::vector<unsigned> one(int reason) {
  return {static_cast<unsigned>(ERR_PACK(ERR_LIB_PROV, 0, reason))};
}

// Of the cipher under a generator.
std::size_t key_bytes(const std::string& generator) {
  for (const char* const name : test::generator_ciphers()) {
    if (generator.rfind(std::string(name) + "-", 0) == 0) return find_cipher(name)->key_bytes;
  }
  ADD_FAILURE() << "no cipher of " << generator;
  return 0;
}

// A parent whose every answer the test chooses.
struct Parent {
  unsigned strength = 256;
  std::size_t entropy = 32;
  int cleared = 0;
  int lockable = 1;
  int prediction_resistance = -1;  // of the last request
  unsigned char seed[64] = {1, 2, 3};

  static int get_params(void* p, OSSL_PARAM* params) {
    for (; params->key != nullptr; ++params) {
      if (std::strcmp(params->key, OSSL_RAND_PARAM_STRENGTH) != 0) continue;
      std::memcpy(params->data, &static_cast<Parent*>(p)->strength, sizeof(unsigned));
    }
    return 1;
  }
  static std::size_t get_seed(void* p, unsigned char** out, int, std::size_t, std::size_t,
                              int prediction_resistance, const unsigned char*, std::size_t) {
    static_cast<Parent*>(p)->prediction_resistance = prediction_resistance;
    *out = static_cast<Parent*>(p)->seed;
    return static_cast<Parent*>(p)->entropy;
  }
  static void clear_seed(void* p, unsigned char*, std::size_t) {
    ++static_cast<Parent*>(p)->cleared;
  }
  static int enable_locking(void* p) { return static_cast<Parent*>(p)->lockable; }
  static const OSSL_DISPATCH* functions() {
    static const OSSL_DISPATCH list[] = {
        {OSSL_FUNC_RAND_GET_CTX_PARAMS, reinterpret_cast<Function>(get_params)},
        {OSSL_FUNC_RAND_GET_SEED, reinterpret_cast<Function>(get_seed)},
        {OSSL_FUNC_RAND_CLEAR_SEED, reinterpret_cast<Function>(clear_seed)},
        {OSSL_FUNC_RAND_ENABLE_LOCKING, reinterpret_cast<Function>(enable_locking)},
        {0, nullptr}};
    return list;
  }
};

// A parent that has every function and writes down, a letter a call, which it was asked.
struct WholeParent {
  std::string calls;
  unsigned char seed[64] = {1, 2, 3};

  static int note(void* p, char call) {
    static_cast<WholeParent*>(p)->calls += call;
    return 1;
  }
  static int enable_locking(void* p) { return note(p, 'e'); }
  static int lock(void* p) { return note(p, '('); }
  static void unlock(void* p) { note(p, ')'); }
  static int get_params(void* p, OSSL_PARAM* params) {
    Parent strong;
    Parent::get_params(&strong, params);
    return note(p, 'p');
  }
  static std::size_t nonce(void* p, unsigned char* out, unsigned, std::size_t min, std::size_t) {
    note(p, 'n');
    if (out != nullptr) std::memset(out, 4, min);
    return min;
  }
  static std::size_t get_seed(void* p, unsigned char** out, int, std::size_t min, std::size_t, int,
                              const unsigned char*, std::size_t) {
    note(p, 's');
    *out = static_cast<WholeParent*>(p)->seed;
    return min;
  }
  static void clear_seed(void* p, unsigned char*, std::size_t) { note(p, 'c'); }
  static std::vector<OSSL_DISPATCH> functions() {
    return {{OSSL_FUNC_RAND_ENABLE_LOCKING, reinterpret_cast<Function>(enable_locking)},
            {OSSL_FUNC_RAND_LOCK, reinterpret_cast<Function>(lock)},
            {OSSL_FUNC_RAND_UNLOCK, reinterpret_cast<Function>(unlock)},
            {OSSL_FUNC_RAND_GET_CTX_PARAMS, reinterpret_cast<Function>(get_params)},
            {OSSL_FUNC_RAND_NONCE, reinterpret_cast<Function>(nonce)},
            {OSSL_FUNC_RAND_GET_SEED, reinterpret_cast<Function>(get_seed)},
            {OSSL_FUNC_RAND_CLEAR_SEED, reinterpret_cast<Function>(clear_seed)}};
  }
};

struct Functions {
  explicit Functions(const OSSL_DISPATCH* f) {
    for (; f->function_id != 0; ++f) {
      if (f->function_id == OSSL_FUNC_RAND_NEWCTX) make = OSSL_FUNC_rand_newctx(f);
      if (f->function_id == OSSL_FUNC_RAND_FREECTX) free = OSSL_FUNC_rand_freectx(f);
      if (f->function_id == OSSL_FUNC_RAND_INSTANTIATE) instantiate = OSSL_FUNC_rand_instantiate(f);
      if (f->function_id == OSSL_FUNC_RAND_RESEED) reseed = OSSL_FUNC_rand_reseed(f);
      if (f->function_id == OSSL_FUNC_RAND_GENERATE) generate = OSSL_FUNC_rand_generate(f);
      if (f->function_id == OSSL_FUNC_RAND_GET_SEED) get_seed = OSSL_FUNC_rand_get_seed(f);
      if (f->function_id == OSSL_FUNC_RAND_CLEAR_SEED) clear_seed = OSSL_FUNC_rand_clear_seed(f);
      if (f->function_id == OSSL_FUNC_RAND_NONCE) nonce = OSSL_FUNC_rand_nonce(f);
      if (f->function_id == OSSL_FUNC_RAND_ENABLE_LOCKING) lock = OSSL_FUNC_rand_enable_locking(f);
    }
  }
  OSSL_FUNC_rand_newctx_fn* make = nullptr;
  OSSL_FUNC_rand_freectx_fn* free = nullptr;
  OSSL_FUNC_rand_instantiate_fn* instantiate = nullptr;
  OSSL_FUNC_rand_reseed_fn* reseed = nullptr;
  OSSL_FUNC_rand_generate_fn* generate = nullptr;
  OSSL_FUNC_rand_get_seed_fn* get_seed = nullptr;
  OSSL_FUNC_rand_clear_seed_fn* clear_seed = nullptr;
  OSSL_FUNC_rand_enable_locking_fn* lock = nullptr;
  OSSL_FUNC_rand_nonce_fn* nonce = nullptr;
};

class Dispatch : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(core.load(test::module_entry()));
    algorithms = core.algorithms(OSSL_OP_RAND);
  }
  // Of the errors raised since the last look.
  std::vector<unsigned> take_reasons() {
    std::vector<unsigned> out;
    for (const test::Core::Error& e : core.take_errors()) out.push_back(e.reason);
    return out;
  }

  static bool is_stream(const std::string& name) {
    return name.find("-STREAM") != std::string::npos;
  }

  test::Core core;
  std::map<std::string, const OSSL_DISPATCH*> algorithms;
};

TEST_F(Dispatch, ARequestOverTheLimit) {
  std::size_t streams = 0;
  for (const auto& [name, table] : algorithms) streams += is_stream(name);
  ASSERT_EQ(algorithms.size() - streams, test::generator_ciphers().size());
  for (const auto& [name, table] : algorithms) {
    const Functions f(table);
    void* rand = f.make(core.context(), nullptr, nullptr);
    ASSERT_EQ(f.instantiate(rand, 0, 0, nullptr, 0, nullptr), 1) << name;
    constexpr std::size_t kLimit = std::size_t{1} << 30;
    unsigned char out[1] = {7};
    EXPECT_EQ(f.generate(rand, out, kLimit + 1, 0, 0, nullptr, 0), 0);
    EXPECT_EQ(take_reasons(), one(PROV_R_REQUEST_TOO_LARGE_FOR_DRBG));
    EXPECT_EQ(out[0], 7) << "nothing is written";
    EXPECT_EQ(f.generate(rand, out, 0, 0, 0, nullptr, 0), 1);
    EXPECT_EQ(out[0], 7);
    f.free(rand);
  }
}

TEST_F(Dispatch, ParentsThatLackFunctions) {
  const OSSL_DISPATCH none[] = {{0, nullptr}};
  for (const auto& [name, table] : algorithms) {
    const Functions f(table);
    Parent parent;
    EXPECT_EQ(f.make(core.context(), &parent, none), nullptr) << name;
    EXPECT_EQ(take_reasons(), one(PROV_R_PARENT_STRENGTH_TOO_WEAK));
    // A strength alone is not enough to be seeded from.
    const OSSL_DISPATCH no_seed[] = {Parent::functions()[0], {0, nullptr}};
    void* rand = f.make(core.context(), &parent, no_seed);
    ASSERT_NE(rand, nullptr);
    EXPECT_EQ(f.instantiate(rand, 0, 0, nullptr, 0, nullptr), 0);
    EXPECT_EQ(take_reasons(), one(PROV_R_ERROR_RETRIEVING_ENTROPY));
    f.free(rand);
  }
}

// Whatever the order of its functions, each call goes to the one that it is for, under the lock.
TEST_F(Dispatch, AParentsFunctionsInAnyOrder) {
  for (const auto& [name, table] : algorithms) {
    if (is_stream(name)) continue;
    const Functions f(table);
    for (const bool reversed : {false, true}) {
      std::vector<OSSL_DISPATCH> list = WholeParent::functions();
      if (reversed) std::reverse(list.begin(), list.end());
      list.push_back({0, nullptr});
      WholeParent parent;
      void* rand = f.make(core.context(), &parent, list.data());
      ASSERT_NE(rand, nullptr) << name;
      EXPECT_EQ(parent.calls, "(p)") << name << reversed << ": the strength";
      EXPECT_EQ(f.lock(rand), 1);
      EXPECT_EQ(parent.calls.substr(3), "e");
      EXPECT_EQ(f.instantiate(rand, 0, 0, nullptr, 0, nullptr), 1);
      EXPECT_EQ(parent.calls.substr(4), "(nn)(s)(p)(c)") << name << reversed;
      f.free(rand);
      EXPECT_EQ(parent.calls.size(), 17u);
    }
  }
}

// The nonce is then taken as entropy (SP 800-90A 8.6.7), so less than half as much again is short.
TEST_F(Dispatch, AParentThatGivesLessOrMoreThanAsked) {
  for (const auto& [name, table] : algorithms) {
    if (is_stream(name)) continue;  // draws at each request: the next test
    const Functions f(table);
    Parent parent;
    const std::size_t key = key_bytes(name);
    for (const std::size_t n : {std::size_t{0}, std::size_t{1}, key, key * 3 / 2 - 1}) {
      void* rand = f.make(core.context(), &parent, Parent::functions());
      parent.entropy = n;
      EXPECT_EQ(f.instantiate(rand, 0, 0, nullptr, 0, nullptr), 0) << name << " " << n;
      EXPECT_EQ(take_reasons(), one(PROV_R_ERROR_RETRIEVING_ENTROPY));
      unsigned char out[1] = {7};
      EXPECT_EQ(f.generate(rand, out, 1, 0, 0, nullptr, 0), 0);
      EXPECT_EQ(take_reasons(), one(PROV_R_ERROR_RETRIEVING_ENTROPY));
      EXPECT_EQ(out[0], 7);
      f.free(rand);
    }
    void* rand = f.make(core.context(), &parent, Parent::functions());
    parent.entropy = key * 3 / 2;
    parent.cleared = 0;
    EXPECT_EQ(f.instantiate(rand, 0, 0, nullptr, 0, nullptr), 1);
    EXPECT_EQ(parent.cleared, 1) << "the seed goes back to its owner";
    f.free(rand);
  }
}

TEST_F(Dispatch, AParentThatGivesAStreamLessThanAsked) {
  for (const auto& [name, table] : algorithms) {
    if (!is_stream(name)) continue;
    const Functions f(table);
    Parent parent;
    void* rand = f.make(core.context(), &parent, Parent::functions());
    ASSERT_EQ(f.instantiate(rand, 0, 0, nullptr, 0, nullptr), 1) << name;
    unsigned char out[1] = {7};
    for (const std::size_t n : {std::size_t{0}, std::size_t{1}, key_bytes(name) + 15}) {
      parent.entropy = n;
      EXPECT_EQ(f.generate(rand, out, 1, 0, 0, nullptr, 0), 0) << name << " " << n;
      EXPECT_EQ(take_reasons(), one(PROV_R_ERROR_RETRIEVING_ENTROPY));
      EXPECT_EQ(out[0], 7);
    }
    for (const int wanted : {0, 1}) {
      parent.entropy = key_bytes(name) + 16;
      parent.cleared = 0;
      EXPECT_EQ(f.generate(rand, out, 1, 0, wanted, nullptr, 0), 1);
      EXPECT_EQ(parent.cleared, 1) << "the seed goes back to its owner";
      EXPECT_EQ(parent.prediction_resistance, wanted);
    }
    f.free(rand);
  }
}

// A request for prediction resistance goes up to the source, and no other does.
TEST_F(Dispatch, AParentIsToldOfPredictionResistance) {
  for (const auto& [name, table] : algorithms) {
    if (is_stream(name)) continue;
    const Functions f(table);
    Parent parent;
    parent.entropy = 64;
    for (const int wanted : {0, 1}) {
      void* rand = f.make(core.context(), &parent, Parent::functions());
      EXPECT_EQ(f.instantiate(rand, 0, wanted, nullptr, 0, nullptr), 1) << name;
      EXPECT_EQ(parent.prediction_resistance, wanted) << "instantiate";
      parent.prediction_resistance = -1;
      EXPECT_EQ(f.reseed(rand, wanted, nullptr, 0, nullptr, 0), 1);
      EXPECT_EQ(parent.prediction_resistance, wanted) << "reseed";
      parent.prediction_resistance = -1;
      unsigned char out[1];
      EXPECT_EQ(f.generate(rand, out, 1, 0, wanted, nullptr, 0), 1);
      EXPECT_EQ(parent.prediction_resistance, wanted == 1 ? 1 : -1) << "generate";
      f.free(rand);
    }
  }
}

TEST_F(Dispatch, AParentThatCannotBeLocked) {
  for (const auto& [name, table] : algorithms) {
    const Functions f(table);
    Parent parent;
    void* rand = f.make(core.context(), &parent, Parent::functions());
    ASSERT_NE(rand, nullptr) << name;
    parent.lockable = 0;
    EXPECT_EQ(f.lock(rand), 0);
    EXPECT_EQ(take_reasons(), one(PROV_R_PARENT_LOCKING_NOT_ENABLED));
    parent.lockable = 1;
    EXPECT_EQ(f.lock(rand), 1);
    EXPECT_EQ(take_reasons(), std::vector<unsigned>());
    f.free(rand);
  }
}

// Half as many bits as the strength, within what is asked for (SP 800-90A 8.6.7).
TEST_F(Dispatch, NoncesForChildren) {
  for (const auto& [name, table] : algorithms) {
    const Functions f(table);
    void* rand = f.make(core.context(), nullptr, nullptr);
    ASSERT_EQ(f.instantiate(rand, 0, 0, nullptr, 0, nullptr), 1) << name;
    unsigned char out[64] = {};
    EXPECT_EQ(f.nonce(rand, out, 0, 1, sizeof out), key_bytes(name) / 2) << name;
    EXPECT_EQ(f.nonce(rand, out, 0, 20, sizeof out), 20u);
    EXPECT_EQ(f.nonce(rand, out, 0, 1, 5), 5u);
    f.free(rand);
  }
}

TEST_F(Dispatch, SeedsForChildren) {
  for (const auto& [name, table] : algorithms) {
    const Functions f(table);
    void* rand = f.make(core.context(), nullptr, nullptr);
    unsigned char* seed = nullptr;
    EXPECT_EQ(f.get_seed(rand, &seed, 128, 16, 64, 0, nullptr, 0), 0u) << "not instantiated";
    EXPECT_EQ(seed, nullptr);
    EXPECT_EQ(take_reasons(), one(PROV_R_NOT_INSTANTIATED));
    ASSERT_EQ(f.instantiate(rand, 0, 0, nullptr, 0, nullptr), 1);
    EXPECT_EQ(f.get_seed(rand, &seed, 128, 16, 64, 0, nullptr, 0), 16u);
    f.clear_seed(rand, seed, 16);
    EXPECT_EQ(f.get_seed(rand, &seed, 384, 16, 64, 0, nullptr, 0), 48u);
    f.clear_seed(rand, seed, 48);
    EXPECT_EQ(f.get_seed(rand, &seed, 8, 33, 64, 0, nullptr, 0), 33u);
    f.clear_seed(rand, seed, 33);
    f.free(rand);
  }
}

}  // namespace
}  // namespace gpuctr
