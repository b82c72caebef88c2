// openssl.cnf: what each key's value sets. Which values are taken is config_test's subject.
#include <gtest/gtest.h>
#include <openssl/core_dispatch.h>

#include <cstring>
#include <set>
#include <string>

#include "provider/config/config.h"

namespace gpuctr {
namespace {

const char* g_key;
const char* g_value;

int get_params(const OSSL_CORE_HANDLE*, OSSL_PARAM* params) {
  for (OSSL_PARAM* p = params; p->key != nullptr; ++p) {
    if (std::strcmp(p->key, g_key) == 0) *static_cast<const char**>(p->data) = g_value;
  }
  return 1;
}

Settings settings_of(const char* key, const char* value) {
  g_key = key;
  g_value = value;
  Core core;
  core.get_params = get_params;
  Settings settings;
  EXPECT_TRUE(read_config(core, &settings)) << key << " = " << value;
  return settings;
}
EngineConfig engine_of(const char* key, const char* value) {
  return settings_of(key, value).engine;
}

TEST(Settings, OfEveryKey) {
  EXPECT_STREQ(engine_of("cpu", "scalar").cpu->name, "scalar");
  EXPECT_EQ(engine_of("gpu", "auto").gpu, GpuUse::kAuto);
  EXPECT_EQ(engine_of("gpu", "off").gpu, GpuUse::kOff);
  EXPECT_EQ(engine_of("gpu", "require").gpu, GpuUse::kRequire);
  EXPECT_EQ(engine_of("gpu-threshold", "3M").gpu_threshold, 3u << 20);
  EXPECT_EQ(engine_of("gpus", "0,2,63").gpus, 0x8000000000000005u);
  EXPECT_EQ(engine_of("gpus", "0, 2").gpus, 5u);
  EXPECT_EQ(engine_of("read-ahead", "128K").read_ahead, 128u << 10);
  EXPECT_EQ(engine_of("read-ahead", "off").read_ahead, 0u);
  EXPECT_EQ(engine_of("threads", "7").threads, 7u);
  EXPECT_EQ(engine_of("gpu-pointers", "yes").gpu_pointers, GpuPointers::kYes);
  EXPECT_EQ(engine_of("gpu-pointers", "no").gpu_pointers, GpuPointers::kNo);
  EXPECT_EQ(engine_of("pinned-memory", "3M").ring_bytes, 3u << 20);
  EXPECT_EQ(settings_of("max-bytes", "5G").max_bytes, std::uint64_t{5} << 30);
}

TEST(Settings, AutoIsTheDefault) {
  const EngineConfig fresh = Settings().engine;
  EXPECT_EQ(engine_of("cpu", "auto").cpu, fresh.cpu);
  EXPECT_EQ(engine_of("gpu-threshold", "auto").gpu_threshold, fresh.gpu_threshold);
  EXPECT_EQ(engine_of("gpus", "all").gpus, fresh.gpus);
  EXPECT_EQ(engine_of("read-ahead", "auto").read_ahead, fresh.read_ahead);
  EXPECT_EQ(engine_of("threads", "auto").threads, fresh.threads);
  EXPECT_EQ(engine_of("gpu-pointers", "auto").gpu_pointers, fresh.gpu_pointers);
  EXPECT_EQ(settings_of("max-bytes", "off").max_bytes, Settings().max_bytes);
}

TEST(Settings, Algorithms) {
  const Offer offer = settings_of("algorithms", "LEA-128-CBC,hight,lea-256-gcm").offer;
  for (std::size_t i = 0; i < kCipherCount; ++i) {
    const std::string name = cipher_spec(i).name;
    for (std::size_t m = 0; m < kModeCount; ++m) {
      const bool cbc = std::strcmp(kModes[m]->name, "CBC") == 0;
      const bool gcm = std::strcmp(kModes[m]->name, "GCM") == 0;
      const bool hight = name == "HIGHT" && kModes[m]->takes(cipher_spec(i));
      EXPECT_EQ(offer.cipher[i][m],
                hight || (name == "LEA-128" && cbc) || (name == "LEA-256" && gcm))
          << name;
    }
    EXPECT_EQ(offer.generator[i], name == "HIGHT") << name;
  }
}

// What `faster` offers on a backend.
std::set<std::string> faster_on(const std::string& backend, const std::string& words = "faster") {
  Offer offer = {};
  const Backend* const cpu = find_backend(backend.c_str());
  EXPECT_NE(cpu, nullptr) << backend;
  if (cpu == nullptr) return {};
  EXPECT_TRUE(parse_offer(words.c_str(), false, *cpu, &offer));
  std::set<std::string> names;
  for (std::size_t i = 0; i < kCipherCount; ++i) {
    const std::string name = cipher_spec(i).name;
    for (std::size_t m = 0; m < kModeCount; ++m) {
      if (offer.cipher[i][m]) names.insert(name + "-" + kModes[m]->name);
    }
    if (offer.generator[i]) names.insert(name + kRandSuffix);
  }
  return names;
}

TEST(Settings, FasterDependsOnTheBackend) {
  if (!GPUCTR_EVERY_CIPHER) GTEST_SKIP() << "a build with a part of the ciphers";
  const std::set<std::string> own = faster_on("scalar", "own");
  EXPECT_EQ(own.count("LEA-128-CTR") + own.count("SEED-CBC") + own.count("CAMELLIA-128-GCM"), 3u);
  EXPECT_EQ(own.count("CAMELLIA-128-CTR"), 0u);
  const BackendList backends = cpu_backends();
  for (std::size_t i = 0; i < backends.count; ++i) {
    const std::string backend = backends.first[i]->name;
    const std::set<std::string> names = faster_on(backend);
    for (const std::string& name : own) EXPECT_EQ(names.count(name), 1u) << backend << " " << name;
    const bool gfni = backend == "avx512-gfni" || backend == "avx2-gfni";
    const bool aesni =
        gfni || backend == "avx2-vaes" || backend == "avx512" || backend == "avx2-aesni";
    for (const char* size : {"128", "192", "256"}) {
      const std::string of = size;
      const auto has = [&](const std::string& name) { return names.count(name) == 1; };
      for (const char* mode : {"CTR", "ECB", "CBC", "GCM", "CCM", "CFB", "CFB8", "CFB1", "OFB"}) {
        EXPECT_EQ(has("ARIA-" + of + "-" + mode), aesni) << backend << " " << mode;
      }
      EXPECT_EQ(has("CAMELLIA-" + of + "-CTR"), gfni) << backend;
      EXPECT_FALSE(has("CAMELLIA-" + of + "-CBC")) << backend;
      for (const char* mode : {"CTR", "ECB", "CBC", "GCM", "CCM", "CFB", "CFB1", "OFB"}) {
        EXPECT_FALSE(has("AES-" + of + "-" + mode)) << backend;
      }
      EXPECT_EQ(has("AES-" + of + "-GCM-SIV"), aesni) << backend;
      EXPECT_EQ(has("AES-" + of + "-CFB8"), aesni) << backend;
      for (const char* mode : {"CFB", "CFB8", "CFB1", "OFB"}) {
        EXPECT_FALSE(has("CAMELLIA-" + of + "-" + mode)) << backend << " " << mode;
      }
      for (const char* mode : {"WRAP", "WRAP-PAD", "WRAP-INV", "WRAP-PAD-INV"}) {
        EXPECT_EQ(has("AES-" + of + "-" + mode), aesni) << backend << " " << mode;
        EXPECT_TRUE(has("ARIA-" + of + "-" + mode)) << backend << " " << mode;
      }
    }
  }
}

TEST(Settings, ListsCombineWordsAndNames) {
  if (!GPUCTR_EVERY_CIPHER) GTEST_SKIP() << "a build with a part of the ciphers";
  std::set<std::string> both = faster_on("scalar", "own");
  both.insert("ARIA-128-CBC");
  EXPECT_EQ(faster_on("scalar", " own ,\tARIA-128-CBC "), both);
  EXPECT_EQ(faster_on("scalar", "aria-128-cbc,FASTER"), both);
  EXPECT_EQ(faster_on("scalar", "faster"), faster_on("scalar", "own"));
}

// `algorithms` follows `cpu`, whichever line comes first in the file.
TEST(Settings, FasterFollowsTheKeyCpu) {
  Core core;
  core.get_params = [](const OSSL_CORE_HANDLE*, OSSL_PARAM* params) {
    for (OSSL_PARAM* p = params; p->key != nullptr; ++p) {
      if (std::strcmp(p->key, "cpu") == 0) *static_cast<const char**>(p->data) = "scalar";
      if (std::strcmp(p->key, "algorithms") == 0) *static_cast<const char**>(p->data) = "faster";
    }
    return 1;
  };
  Settings settings;
  ASSERT_TRUE(read_config(core, &settings));
  Offer own = {};
  ASSERT_TRUE(parse_offer("own", false, *find_backend("scalar"), &own));
  EXPECT_EQ(std::memcmp(&settings.offer, &own, sizeof own), 0);
}

}  // namespace
}  // namespace gpuctr
