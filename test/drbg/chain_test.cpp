// The generator against the model: any sequence of calls, and one large generate against the legal
// requests it stands for.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <new>

#include "test/drbg/ciphers.h"
#include "test/drbg/model.h"
#include "test/support/generators.h"

namespace {

bool g_arrays_fail = false;  // where no exception may tell

}  // namespace

void* operator new[](std::size_t size, const std::nothrow_t&) noexcept {
  return g_arrays_fail ? nullptr : std::malloc(size);
}
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void* operator new[](std::size_t size) {
  void* const memory = std::malloc(size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

namespace gpuctr {
namespace {

using drbg::Status;
using test::Bytes;
using test::view;

class Chain : public testing::TestWithParam<const char*> {
 protected:
  Chain() : cipher(test::make_cipher(GetParam())), mechanism(cipher->mechanism), random(20) {}

  // Both generators from the same seed.
  void seed(drbg::CtrDrbg& drbg, test::ModelDrbg& model) {
    const Bytes entropy = test::random_bytes(
        random, drbg.uses_df() ? drbg.min_entropy() + random() % 40 : drbg.min_entropy());
    const Bytes nonce =
        drbg.uses_df() ? test::random_bytes(random, drbg.min_nonce() + random() % 20) : Bytes();
    const Bytes personalization = test::random_bytes(random, random() % (mechanism.seed + 1));
    model.instantiate(entropy, nonce, personalization);
    ASSERT_EQ(drbg.instantiate(view(entropy), view(nonce), view(personalization)), Status::kOk);
  }

  // What a caller gets who makes legal requests only.
  Bytes requests(test::ModelDrbg& model, std::size_t n, const Bytes& additional) {
    Bytes all;
    while (all.size() < n) {
      const Bytes part =
          model.generate(std::min(n - all.size(), mechanism.max_request), additional);
      all.insert(all.end(), part.begin(), part.end());
    }
    return all;
  }

  std::unique_ptr<test::Cipher> cipher;
  const drbg::Mechanism& mechanism;
  std::mt19937_64 random;
};

TEST_P(Chain, AnySequenceOfCalls) {
  for (int round = 0; round < 20; ++round) {
    const bool use_df = round % 2 == 0;
    drbg::CtrDrbg drbg(mechanism, use_df);
    test::ModelDrbg model(mechanism, use_df);
    seed(drbg, model);
    for (int i = 0; i < 30; ++i) {
      const Bytes additional =
          random() % 2 == 0 ? Bytes() : test::random_bytes(random, random() % (mechanism.seed + 1));
      if (random() % 8 == 0) {
        const Bytes entropy = test::random_bytes(random, drbg.min_entropy());
        model.reseed(entropy, additional);
        ASSERT_EQ(drbg.reseed(view(entropy), view(additional)), Status::kOk);
        ASSERT_EQ(drbg.reseed_counter(), 1u);
        continue;
      }
      const std::size_t n = 1 + random() % (random() % 10 == 0 ? 5000 : 100);
      Bytes out(n);
      ASSERT_EQ(drbg.generate(out.data(), n, view(additional)), Status::kOk);
      ASSERT_EQ(out, requests(model, n, additional)) << "round " << round << " step " << i;
    }
  }
}

// Found by fuzzing: with blocks of 16 bytes a request for no bytes moved V by 2^64.
TEST_P(Chain, ARequestForNoBytesIsARequest) {
  drbg::CtrDrbg drbg(mechanism, true);
  test::ModelDrbg model(mechanism, true);
  seed(drbg, model);
  ASSERT_EQ(drbg.generate(nullptr, 0, {}), Status::kOk);
  EXPECT_EQ(drbg.reseed_counter(), 2u);
  EXPECT_EQ(model.generate(0, {}), Bytes());
  Bytes out(100);
  ASSERT_EQ(drbg.generate(out.data(), out.size(), {}), Status::kOk);
  EXPECT_EQ(out, model.generate(out.size(), {}));
}

// Sizes around one request, around the size from which the chain is worked out beforehand, and
// with an odd last request.
TEST_P(Chain, OneLargeGenerateIsTheChainOfLegalRequests) {
  const std::size_t unit = mechanism.max_request;
  const std::size_t bulk = std::size_t{1} << 20;
  EngineConfig with_threads;
  with_threads.gpu = GpuUse::kOff;
  with_threads.threads = 3;
  const auto shared = test::make_cipher(GetParam(), with_threads);
  for (const bool threads : {false, true})
    for (const Bytes& additional : {Bytes(), Bytes{1, 2, 3}}) {
      drbg::CtrDrbg drbg(threads ? shared->mechanism : mechanism, true);
      test::ModelDrbg model(mechanism, true);
      seed(drbg, model);
      for (const std::size_t n : {unit - 1, unit, unit + 1, 3 * unit + 5, bulk - 1, bulk, bulk + 1,
                                  bulk + 3 * unit + 7}) {
        Bytes out(n + 8, 0xa5);
        const auto before = drbg.reseed_counter();
        ASSERT_EQ(drbg.generate(out.data(), n, view(additional)), Status::kOk);
        EXPECT_EQ(drbg.reseed_counter() - before, (n + unit - 1) / unit) << "each request counts";
        EXPECT_EQ(Bytes(out.end() - 8, out.end()), Bytes(8, 0xa5)) << "n = " << n;
        out.resize(n);
        ASSERT_TRUE(out == requests(model, n, additional)) << "n = " << n;
      }
    }
}

// Without memory for the states of a batch the engine makes one request after the other.
TEST_P(Chain, WithoutMemoryForBatchesEachRequestCounts) {
  EngineConfig with_threads;
  with_threads.gpu = GpuUse::kOff;
  with_threads.threads = 3;
  const auto shared = test::make_cipher(GetParam(), with_threads);
  const std::size_t n = (std::size_t{1} << 20) + 3 * mechanism.max_request + 7;
  for (const Bytes& additional : {Bytes(), Bytes{1, 2, 3}}) {
    drbg::CtrDrbg drbg(shared->mechanism, true);
    test::ModelDrbg model(mechanism, true);
    seed(drbg, model);
    Bytes out(n);
    g_arrays_fail = true;
    const Status status = drbg.generate(out.data(), n, view(additional));
    g_arrays_fail = false;
    ASSERT_EQ(status, Status::kOk);
    EXPECT_EQ(drbg.reseed_counter() - 1, drbg.requests_for(n));
    ASSERT_TRUE(out == requests(model, n, additional));
  }
}

// Each cipher of this build that has a generator, and two of libcrypto's, if their sizes are not
// larger than those of this build's ciphers.
std::vector<const char*> ciphers() {
  std::vector<const char*> names = test::generator_ciphers();
  for (const char* const other : {"AES-256", "3KeyTDEA"}) {
    if (find_cipher(other) == nullptr && test::make_cipher(other) != nullptr) {
      names.push_back(other);
    }
  }
  return names;
}

INSTANTIATE_TEST_SUITE_P(EveryCipher, Chain, testing::ValuesIn(ciphers()), test::test_name);

// A backend may make several requests in one call. Counts the calls of one cipher's.
unsigned g_joined = 0;
decltype(CipherOps::requests) g_requests = nullptr;
bool counted(std::uint8_t* key, std::uint8_t* v, std::uint8_t* out, std::size_t n,
             std::size_t count) {
  ++g_joined;
  return g_requests(key, v, out, n, count);
}

TEST(Joined, RequestsThatTheBackendJoins) {
  for (const std::size_t i : test::usual_ciphers()) {
    const CipherSpec& spec = cipher_spec(i);
    static Backend backend;
    backend = best_backend();
    g_requests = backend.ops[i].requests;
    if (g_requests == nullptr) continue;
    backend.ops[i].requests = counted;
    EngineConfig config;
    config.gpu = GpuUse::kOff;
    config.cpu = &backend;
    test::Cipher cipher(spec, config);
    drbg::CtrDrbg drbg(cipher.mechanism, true);
    test::ModelDrbg model(cipher.mechanism, true);
    const Bytes entropy(48, 1), nonce(16, 2);
    model.instantiate(entropy, nonce, {});
    ASSERT_EQ(drbg.instantiate(view(entropy), view(nonce), {}), Status::kOk);
    const std::size_t unit = cipher.mechanism.max_request;
    Bytes out(3 * unit + 5), expected;
    for (const std::size_t n : {unit, unit, unit, std::size_t{5}}) {
      const Bytes part = model.generate(n, {});
      expected.insert(expected.end(), part.begin(), part.end());
    }
    g_joined = 0;
    ASSERT_EQ(drbg.generate(out.data(), out.size(), {}), Status::kOk);
    EXPECT_EQ(g_joined, 1u) << spec.name;
    EXPECT_TRUE(out == expected) << spec.name;
    EXPECT_EQ(drbg.reseed_counter(), 5u);
    EXPECT_EQ(cipher.engine.stats().cpu_bytes, out.size());
  }
}

}  // namespace
}  // namespace gpuctr
