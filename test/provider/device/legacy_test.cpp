// Ciphers of legacy = yes on a device, the fake one: bulk work of every mode goes there, comes out
// the same when the device fails, and takes the device's memory.
#include <gtest/gtest.h>
#include <openssl/core_names.h>

#include <cstring>
#include <string>

#include "provider/mode/ctr/pipeline.h"
#include "test/provider/device/device.h"
#include "test/provider/reference.h"

namespace gpuctr::test {
namespace {

constexpr std::size_t kBytes = std::size_t{1} << 20;

class LegacyDevice : public OnFakeDevice {
 protected:
  // A context of `name` that decrypts, with the settings of `section` besides legacy = yes.
  void begin(const std::string& name, const DeviceLayer* layer, Core::Section section) {
    section["legacy"] = "yes";
    load(name.c_str(), layer, section);
    const bool ecb = name.find("-ECB") != std::string::npos;
    ASSERT_EQ(1, init(key_, ecb ? Bytes() : iv_, OSSL_FUNC_CIPHER_DECRYPT_INIT));
    if (name.find("-CTR") == std::string::npos) {
      ASSERT_EQ(1, set(OSSL_CIPHER_PARAM_PADDING, 0));
    }
  }
  Bytes made() {
    Bytes out(kBytes + 16);
    EXPECT_EQ(1, update(out.data(), text_.data(), kBytes));
    out.resize(kBytes);
    return out;
  }

  void everywhere(const std::string& name) {
    begin(name, nullptr, {{"gpu", "off"}});
    const Bytes want = made();

    const Core::Section required = {{"gpu", "require"}, {"gpu-threshold", "64K"}};
    begin(name, fake_gpu(), required);
    EXPECT_TRUE(made() == want);
    EXPECT_GT(fake_calls(Call::kCtr) + fake_calls(Call::kBlocks), 0u);

    in_memory_of_the_device(name, want, false);
    in_memory_of_the_device(name, want, true);
  }

  // `fails`: no kernel of the device can be launched, and the CPU makes up for it.
  void in_memory_of_the_device(const std::string& name, const Bytes& want, bool fails) {
    begin(name, fake_gpu(), {{"gpu-pointers", "yes"}});
    const Call call = name.find("-CTR") != std::string::npos ? Call::kCtr : Call::kBlocks;
    if (fails) fake_fail(call, 1, DeviceStatus::kLaunch, 999);
    void* memory = nullptr;
    ASSERT_EQ(DeviceStatus::kOk, g_layer->device_alloc(0, kBytes, &memory));
    std::memcpy(fake_shadow(memory), text_.data(), kBytes);
    auto* const on_device = static_cast<std::uint8_t*>(memory);
    ASSERT_EQ(1, update(on_device, on_device, kBytes));
    EXPECT_EQ(0, std::memcmp(fake_shadow(memory), want.data(), kBytes)) << fails;
    EXPECT_EQ(fake_struck() != 0, fails);
    EXPECT_GT(fake_calls(call), 0u);
    g_layer->device_free(0, memory);
  }

  Bytes key_, iv_, text_;
};

TEST_F(LegacyDevice, EveryModeInEveryPlace) {
  text_.resize(kBytes);
  for (std::size_t i = 0; i < kBytes; ++i) text_[i] = static_cast<std::uint8_t>(i * i >> 5);
  for (std::size_t i = 0; i < kCipherCount; ++i) {
    const CipherSpec& spec = cipher_spec(i);
    if (!spec.legacy) continue;
    key_ = Bytes(spec.key_bytes, 0x31);
    iv_ = Bytes(iv_bytes_of(spec), 0xf7);
    for (const char* mode : {"-CTR", "-ECB", "-CBC"}) {
      if (spec.block_bytes > 16 && mode == std::string("-CBC")) continue;
      SCOPED_TRACE(spec.name + std::string(mode));
      everywhere(spec.name + std::string(mode));
      if (HasFatalFailure()) return;
    }
  }
}

// Short pipes are one batch, of ciphers without a generator too.
TEST_F(LegacyDevice, ManyPipesAreABatch) {
  constexpr std::size_t kEach = 48 * 1024;
  for (std::size_t i = 0; i < kCipherCount; ++i) {
    const CipherSpec& spec = cipher_spec(i);
    if (!spec.legacy || spec.block_bytes > 16) continue;
    SCOPED_TRACE(spec.name);
    load((spec.name + std::string("-CTR")).c_str(), fake_gpu(),
         {{"legacy", "yes"}, {"gpu", "require"}, {"gpu-threshold", "64K"}});
    if (HasFatalFailure()) return;
    const Bytes key(spec.key_bytes, 0x31), plain(kEach, 0x5a);
    std::vector<Bytes> ivs(kMaxPipes), data(kMaxPipes, plain);
    const unsigned char *iv[kMaxPipes], *in[kMaxPipes];
    unsigned char* out[kMaxPipes];
    std::size_t size[kMaxPipes], made[kMaxPipes];
    for (std::size_t p = 0; p < kMaxPipes; ++p) {
      ivs[p] = Bytes(spec.block_bytes, static_cast<std::uint8_t>(p));
      iv[p] = ivs[p].data();
      in[p] = out[p] = data[p].data();
      size[p] = kEach;
    }
    ASSERT_EQ(1, (function<OSSL_FUNC_cipher_pipeline_encrypt_init_fn>(
                     f, OSSL_FUNC_CIPHER_PIPELINE_ENCRYPT_INIT)(
                     cipher, key.data(), key.size(), kMaxPipes, iv, spec.block_bytes, nullptr)));
    ASSERT_EQ(1, function<OSSL_FUNC_cipher_pipeline_update_fn>(f, OSSL_FUNC_CIPHER_PIPELINE_UPDATE)(
                     cipher, kMaxPipes, out, made, size, in, size));
    for (std::size_t p = 0; p < kMaxPipes; ++p) {
      EXPECT_TRUE(data[p] == reference_ctr(spec, key, ivs[p], plain, 64)) << "pipe " << p;
    }
    EXPECT_GT(fake_calls(Call::kBatch), 0u);

    fake_fail(Call::kBatch, 1, DeviceStatus::kLaunch, 999);
    EXPECT_EQ(0, function<OSSL_FUNC_cipher_pipeline_update_fn>(f, OSSL_FUNC_CIPHER_PIPELINE_UPDATE)(
                     cipher, kMaxPipes, out, made, size, in, size));
    EXPECT_EQ(core->take_errors().size(), 1u);
  }
}

}  // namespace
}  // namespace gpuctr::test
