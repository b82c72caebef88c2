// usage: trust_zeroization_rand MODULE [--planted]
// Seeds are gone from this process's memory once a generator has taken them: those from the system,
// which this program chooses, and those that a generator gives to its children. With --planted the
// module is one that was built without wiping, and each check has to find what it left.
#include <dlfcn.h>
#include <openssl/core_dispatch.h>
#include <openssl/core_names.h>
#include <openssl/params.h>

#include <cstdio>
#include <cstring>
#include <string>

#include "test/support/core.h"
#include "test/trust/memory_scan.h"

namespace {

std::uint64_t g_seed = 1;

}  // namespace

// The module's entropy from the operating system.
extern "C" __attribute__((visibility("default"))) int getentropy(void* out, std::size_t n) {
  gpuctr::trust::make_secret(g_seed++, out, n);
  return 0;
}

namespace gpuctr::trust {
namespace {

unsigned g_failed = 0;
bool g_planted = false;
unsigned g_planted_seen = 0;
unsigned g_planted_left = 0;  // at least so many are left by a module that does not wipe

void expect(const std::string& what, bool good, const std::string& where = "") {
  std::printf("%-8s %s\n%s", good ? "ok" : "FAILED", what.c_str(), good ? "" : where.c_str());
  if (!good) ++g_failed;
}

void expect_clean(const std::string& what, const Secrets::Found& found) {
  if (g_planted) {
    g_planted_seen += found.total() != 0 ? 1 : 0;
  } else {
    expect(what, found.total() == 0, found.where);
  }
}

// The security strength in bits, and so the length of the entropy.
unsigned strength(const OSSL_DISPATCH* table, void* rand) {
  unsigned bits = 0;
  OSSL_PARAM params[] = {OSSL_PARAM_uint(OSSL_RAND_PARAM_STRENGTH, &bits), OSSL_PARAM_END};
  const auto get =
      test::function<OSSL_FUNC_rand_get_ctx_params_fn>(table, OSSL_FUNC_RAND_GET_CTX_PARAMS);
  expect("a generator has a strength", get(rand, params) == 1 && bits != 0);
  return bits;
}

void generator(const std::string& name, const OSSL_DISPATCH* table, void* provider) {
  void* const rand = test::function<OSSL_FUNC_rand_newctx_fn>(table, OSSL_FUNC_RAND_NEWCTX)(
      provider, nullptr, nullptr);
  const auto instantiate =
      test::function<OSSL_FUNC_rand_instantiate_fn>(table, OSSL_FUNC_RAND_INSTANTIATE);
  const auto reseed = test::function<OSSL_FUNC_rand_reseed_fn>(table, OSSL_FUNC_RAND_RESEED);
  const std::uint64_t first = g_seed;
  Secrets secrets;
  // Nonce and entropy, and the entropy of a reseed, in the order in which they are asked for.
  secrets.add_in_child([&](Secrets& out) {
    std::uint8_t bytes[48];
    for (std::uint64_t i = 0; i < 4; ++i) {
      make_secret(first + i, bytes, sizeof bytes);
      out.add(Secrets::kKey, bytes, sizeof bytes);
    }
  });
  bool good = instantiate(rand, 0, 0, nullptr, 0, nullptr) == 1;
  good = reseed(rand, 0, nullptr, 0, nullptr, 0) == 1 && good;
  // A stream generator asks at each request.
  for (int i = 0; i < 3 && name.find("-STREAM") != std::string::npos; ++i) {
    const auto generate =
        test::function<OSSL_FUNC_rand_generate_fn>(table, OSSL_FUNC_RAND_GENERATE);
    good = generate(rand, nullptr, 0, 0, 0, nullptr, 0) == 1 && good;
  }
  // At once: whoever allocates next may overwrite what was left.
  const Secrets::Found left = secrets.find();
  expect(name + " asked for its seeds", good && g_seed >= first + 3 && g_seed <= first + 4);
  expect_clean(name + ": seeds from the system", left);

  secrets.clear();
  unsigned char* seed = nullptr;
  const std::size_t n = test::function<OSSL_FUNC_rand_get_seed_fn>(table, OSSL_FUNC_RAND_GET_SEED)(
      rand, &seed, 384, 48, 48, 0, nullptr, 0);
  secrets.add(Secrets::kKey, seed, n);
  expect(name + ": the scan sees a child's seed", n == 48 && secrets.find().total() != 0);
  test::function<OSSL_FUNC_rand_clear_seed_fn>(table, OSSL_FUNC_RAND_CLEAR_SEED)(rand, seed, n);
  expect_clean(name + ": a child's seed", secrets.find());
  // free() overwrites 16 bytes itself, which are the whole of the shorter seeds from the system.
  g_planted_left += strength(table, rand) > 128 ? 2 : 1;
  test::function<OSSL_FUNC_rand_freectx_fn>(table, OSSL_FUNC_RAND_FREECTX)(rand);
}

int run(const char* path) {
  void* const module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  test::Core core;
  if (module == nullptr ||
      !core.load(reinterpret_cast<OSSL_provider_init_fn*>(dlsym(module, "OSSL_provider_init")))) {
    std::printf("cannot load %s\n", path);
    return 2;
  }
  for (const auto& [name, table] : core.algorithms(OSSL_OP_RAND)) {
    generator(name, table, core.context());
  }
  if (g_planted) expect("what was not wiped is seen", g_planted_seen >= g_planted_left);
  return g_failed == 0 ? 0 : 1;
}

}  // namespace
}  // namespace gpuctr::trust

int main(int count, char** arguments) {
  if (count < 2) return 2;
  gpuctr::trust::g_planted = count > 2 && std::strcmp(arguments[2], "--planted") == 0;
  return gpuctr::trust::run(arguments[1]);
}
