// openssl.cnf: what each key's value sets. Which values are taken is config_test's subject.
#include <gtest/gtest.h>
#include <openssl/core_dispatch.h>

#include <cstring>

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
  ProviderContext provider;
  provider.get_core_params = get_params;
  Settings settings;
  EXPECT_TRUE(read_config(provider, &settings)) << key << " = " << value;
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
      const bool wide = kModes[m]->only_block_bytes == 16;
      EXPECT_EQ(offer.cipher[i][m], (name == "HIGHT" && !wide) || (name == "LEA-128" && cbc) ||
                                        (name == "LEA-256" && gcm))
          << name;
    }
    EXPECT_EQ(offer.generator[i], name == "HIGHT") << name;
  }
}

}  // namespace
}  // namespace gpuctr
