// Contexts of the provider built into the test, over the fake device: what only a failing device or
// a look into a context's memory shows.
#include <gtest/gtest.h>
#include <openssl/core_names.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>

#include "provider/mode/base/cipher_context.h"
#include "test/fake_gpu/fake_gpu.h"
#include "test/provider/device/device.h"
#include "test/provider/reference.h"

namespace gpuctr {

const DeviceLayer* g_layer = nullptr;
const DeviceLayer* current_layer() { return g_layer; }

namespace test {
namespace {

// The device fails at each of its calls in turn, before the counter field's wrap and behind it.
// Where a device is required the update fails: nothing is written, and nothing has moved.
TEST_F(OnFakeDevice, AFailureBehindTheFieldsWrapLeavesNothing) {
  const CipherSpec& spec = *find_cipher("HIGHT");
  const Bytes key(16, 0x31);
  // The low 17 bits are 2^16: as many blocks to the wrap, 512 KiB.
  const Bytes iv = {0xf7, 0xf7, 0xf7, 0xf7, 0xf7, 0xf7, 0, 0};
  const Bytes text = Bytes((std::size_t{1} << 20) - 24, 0x42);
  const Bytes want = reference_ctr(spec, key, iv, text, 17);
  bool behind = false, done = false;
  for (unsigned nth = 1; !done; ++nth) {
    ASSERT_LT(nth, 200u);
    for (const bool in_place : {false, true}) {
      load("HIGHT-CTR", fake_gpu(),
           {{"gpu", "require"}, {"gpu-threshold", "64K"}, {"threads", "1"}, {"read-ahead", "off"}});
      ASSERT_EQ(1, init(key, iv));
      ASSERT_EQ(1, set("ctr-bits", 17));
      fake_fail(Call::kCtr, nth, DeviceStatus::kDeviceLost, 999);
      Bytes out = in_place ? text : Bytes(text.size(), 0xa5);
      done = update(out.data(), in_place ? out.data() : text.data(), text.size()) == 1;
      if (done) {
        EXPECT_EQ(out, want);
        continue;
      }
      EXPECT_GT(fake_struck(), 0u);
      EXPECT_EQ(core->take_errors().size(), 1u);
      // Zeros where something had been written, which only an update that passed the wrap has done.
      const bool zeros = out.front() == 0;
      if (in_place) {
        EXPECT_TRUE(out == text) << nth;
      } else {
        behind = behind || zeros;
        for (std::size_t i = 0; i < out.size(); ++i) {
          ASSERT_TRUE(out[i] == 0xa5 || out[i] == 0) << "byte " << i << ", failure " << nth;
        }
      }
      // A small update is the CPU's, and comes from the same counter.
      Bytes small(40, 0x42);
      ASSERT_EQ(1, update(small.data(), small.data(), small.size()));
      EXPECT_TRUE(std::equal(small.begin(), small.end(), want.begin())) << nth;
    }
  }
  EXPECT_TRUE(behind) << "no failure behind the wrap: nothing was tested";
}

// The counter written in the middle of a block, and the data after it in the device's memory.
TEST_F(OnFakeDevice, AWrittenCounterHoldsInTheDevicesMemory) {
  const CipherSpec& spec = *find_cipher("LEA-128");
  const Bytes key(16, 0x31), iv(16, 0xf7), other(16, 0xff), text(300, 0x42);
  const Bytes first = reference_ctr(spec, key, iv, text, 128);
  for (const std::size_t used : {0u, 5u, 16u, 21u}) {
    for (const std::size_t n : {3u, 11u, 12u, 100u}) {
      load("LEA-128-CTR", fake_gpu(), {{"gpu-pointers", "yes"}, {"threads", "1"}});
      void* memory = nullptr;
      ASSERT_EQ(DeviceStatus::kOk, g_layer->device_alloc(0, 4096, &memory));
      auto* const on_device = static_cast<std::uint8_t*>(memory);
      ASSERT_EQ(1, init(key, iv));
      Bytes out(text);
      ASSERT_EQ(1, update(out.data(), out.data(), used));
      std::memcpy(counter(), other.data(), other.size());
      std::memcpy(fake_shadow(memory), text.data(), text.size());
      ASSERT_EQ(1, update(on_device, on_device, n));
      std::memcpy(out.data() + used, fake_shadow(memory), n);
      ASSERT_EQ(1, update(out.data() + used + n, out.data() + used + n, 150));
      Bytes want(first.begin(), first.begin() + static_cast<std::ptrdiff_t>((used + 15) / 16 * 16));
      const Bytes rest = reference_ctr(spec, key, other, text, 128);
      want.insert(want.end(), rest.begin(), rest.end());
      EXPECT_TRUE(std::equal(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(used + n + 150),
                             want.begin()))
          << used << ", " << n;
      g_layer->device_free(0, memory);
    }
  }
}

// Bytes that wait for the rest of their block, and then so much that a device works. A device that
// fails where one is required leaves the waiting bytes, the chain value and the output as they
// were.
TEST_F(OnFakeDevice, PendingBytesBeforeWorkOfTheDevice) {
  const Bytes key(16, 0x31), text((std::size_t{1} << 17) + 16, 0x42);
  for (const char* name : {"LEA-128-ECB", "LEA-128-CBC"}) {
    SCOPED_TRACE(name);
    const Bytes iv(name == std::string("LEA-128-CBC") ? 16 : 0, 0xf7);
    const auto begin = [&](const DeviceLayer* layer, const char* gpu) {
      load(name, layer, {{"gpu", gpu}, {"gpu-threshold", "64K"}, {"threads", "1"}});
      ASSERT_EQ(1, init(key, iv, OSSL_FUNC_CIPHER_DECRYPT_INIT));
      ASSERT_EQ(1, set(OSSL_CIPHER_PARAM_PADDING, 0));
    };
    begin(nullptr, "off");
    Bytes want(text.size() + 16);
    ASSERT_EQ(1, update(want.data(), text.data(), text.size()));
    want.resize(text.size());
    for (const std::size_t pending : {1u, 5u, 15u, 16u + 3}) {
      begin(fake_gpu(), "require");
      const std::size_t early = pending / 16 * 16;
      Bytes out(text.size() + 16, 0xa5);
      ASSERT_EQ(1, update(out.data(), text.data(), pending));
      ASSERT_EQ(written, early);
      const auto rest = [&] {
        return update(out.data() + early, text.data() + pending, text.size() - pending);
      };
      fake_fail(Call::kBlocks, 1, DeviceStatus::kLaunch, 999);
      EXPECT_EQ(0, rest());
      EXPECT_EQ(core->take_errors().size(), 1u);
      EXPECT_EQ(out[early], 0xa5);
      fake_fail(Call::kBlocks, 0, DeviceStatus::kOk, 0);
      ASSERT_EQ(1, rest());
      EXPECT_EQ(written, text.size() - early);
      out.resize(text.size());
      EXPECT_TRUE(out == want) << pending;
    }
  }
}

// CFB decrypts whole blocks in the device's memory from the start of a block.
TEST_F(OnFakeDevice, CfbInTheDevicesMemory) {
  const Bytes key(16, 0x31), iv(16, 0xf7);
  const Bytes text = [] {
    Bytes bytes(160);
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(7 * i);
    return bytes;
  }();
  load("LEA-128-CFB", fake_gpu(), {{"gpu-pointers", "yes"}, {"threads", "1"}});
  void* memory = nullptr;
  ASSERT_EQ(DeviceStatus::kOk, g_layer->device_alloc(0, 4096, &memory));
  auto* const on_device = static_cast<std::uint8_t*>(memory);
  ASSERT_EQ(1, init(key, iv));
  expect_device_memory_refused(update(on_device, on_device, text.size()));
  Bytes sealed(3 * text.size() + 16);
  std::size_t at = 0;
  for (const std::size_t n : {text.size(), text.size(), std::size_t{16}, text.size()}) {
    ASSERT_EQ(1, update(sealed.data() + at, text.data(), n));
    at += n;
  }
  ASSERT_EQ(1, init(key, iv, OSSL_FUNC_CIPHER_DECRYPT_INIT));
  at = 0;
  const auto decrypts_on_device = [&] {
    std::memcpy(fake_shadow(memory), sealed.data() + at, text.size());
    ASSERT_EQ(1, update(on_device, on_device, text.size()));
    EXPECT_EQ(0, std::memcmp(fake_shadow(memory), text.data(), text.size())) << at;
    at += text.size();
  };
  decrypts_on_device();
  Bytes opened(text.size());  // from the device's memory into ordinary memory
  std::memcpy(fake_shadow(memory), sealed.data() + at, text.size());
  ASSERT_EQ(1, update(opened.data(), on_device, text.size()));
  EXPECT_EQ(opened, text);
  at += text.size();
  ASSERT_EQ(1, update(opened.data(), sealed.data() + at, 5));
  expect_device_memory_refused(update(on_device, on_device, 16));  // within a block
  ASSERT_EQ(1, update(opened.data() + 5, sealed.data() + at + 5, 11));
  EXPECT_EQ(0, std::memcmp(opened.data(), text.data(), 16));
  at += 16;
  expect_device_memory_refused(update(on_device, on_device, 17));
  decrypts_on_device();
  EXPECT_EQ(fake_calls(Call::kBlocks), 3u);
  g_layer->device_free(0, memory);
}

// ECB, and CBC that decrypts, take the device's memory in whole blocks that wait for nothing, and
// say so of anything else.
TEST_F(OnFakeDevice, WholeBlocksInTheDevicesMemory) {
  const Bytes key(16, 0x31);
  const Bytes text = [] {
    Bytes bytes(160);
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(i);
    return bytes;
  }();
  for (const char* name : {"LEA-128-ECB", "LEA-128-CBC"}) {
    SCOPED_TRACE(name);
    const bool cbc = name == std::string("LEA-128-CBC");
    load(name, fake_gpu(), {{"gpu-pointers", "yes"}, {"threads", "1"}});
    void* memory = nullptr;
    ASSERT_EQ(DeviceStatus::kOk, g_layer->device_alloc(0, 4096, &memory));
    auto* const on_device = static_cast<std::uint8_t*>(memory);
    std::memcpy(fake_shadow(memory), text.data(), text.size());
    const auto refused = [&](int status) {
      expect_device_memory_refused(status);
      EXPECT_EQ(0, std::memcmp(fake_shadow(memory), text.data(), text.size()));
    };
    ASSERT_EQ(1, init(key, Bytes(cbc ? 16 : 0)));
    if (cbc) {
      refused(update(on_device, on_device, text.size()));
      Bytes sealed(2 * text.size());
      ASSERT_EQ(1, update(sealed.data(), text.data(), text.size()));
      ASSERT_EQ(1, update(sealed.data() + text.size(), text.data(), text.size()));
      ASSERT_EQ(1, init(key, Bytes(16), OSSL_FUNC_CIPHER_DECRYPT_INIT));
      ASSERT_EQ(1, set(OSSL_CIPHER_PARAM_PADDING, 0));
      for (const std::size_t at : {std::size_t{0}, text.size()}) {
        std::memcpy(fake_shadow(memory), sealed.data() + at, text.size());
        ASSERT_EQ(1, update(on_device, on_device, text.size()));
        EXPECT_EQ(0, std::memcmp(fake_shadow(memory), text.data(), text.size())) << at;
      }
    } else {
      refused(update(on_device, on_device, 33));
      Bytes sealed(text.size() + 16);
      ASSERT_EQ(1, update(sealed.data(), text.data(), text.size()));
      ASSERT_EQ(1, update(on_device, on_device, text.size()));
      EXPECT_EQ(0, std::memcmp(fake_shadow(memory), sealed.data(), text.size()));
      ASSERT_EQ(1, init(key, {}, OSSL_FUNC_CIPHER_DECRYPT_INIT));
      ASSERT_EQ(1, set(OSSL_CIPHER_PARAM_PADDING, 0));
      ASSERT_EQ(1, update(on_device, on_device, text.size()));
      ASSERT_EQ(1, set(OSSL_CIPHER_PARAM_PADDING, 1));
      refused(update(on_device, on_device, text.size()));
      ASSERT_EQ(1, init(key, {}));
      ASSERT_EQ(1, update(sealed.data(), text.data(), 5));
      refused(update(on_device + 1024, on_device, 32));
      refused(final(on_device));
    }
    g_layer->device_free(0, memory);
    unload();
  }
}

// A long message in GCM whose device is required and fails in the middle of an update: nothing of
// that is left, and the message goes on where it was.
TEST_F(OnFakeDevice, AFailureInTheMiddleOfAMessageLeavesNothing) {
  const Bytes key(16, 0x31), iv(12, 0x0f);
  const Bytes text(std::size_t{2} << 20, 0x42);
  const auto tag = [&] {
    Bytes got(16);
    OSSL_PARAM params[] = {
        {OSSL_CIPHER_PARAM_AEAD_TAG, OSSL_PARAM_OCTET_STRING, got.data(), got.size(), 0},
        {nullptr, 0, nullptr, 0, 0}};
    EXPECT_EQ(1, function<OSSL_FUNC_cipher_get_ctx_params_fn>(f, OSSL_FUNC_CIPHER_GET_CTX_PARAMS)(
                     cipher, params));
    return got;
  };
  for (const std::size_t before : {0u, 5u, 32u, 300u}) {
    load("LEA-128-GCM", nullptr, {});
    Bytes want(before + 40);
    // Without text before the update that fails, associated data comes in two pieces: the second
    // follows the update that fails.
    const std::size_t aad = before == 0 ? 7 : 0;
    ASSERT_EQ(1, init(key, iv));
    ASSERT_EQ(1, update(nullptr, text.data(), 5 + aad));
    ASSERT_EQ(1, update(want.data(), text.data(), want.size()));
    ASSERT_EQ(1, final(want.data()));
    const Bytes want_tag = tag();
    for (const bool in_place : {false, true}) {
      SCOPED_TRACE(std::to_string(before) + (in_place ? " before, in place" : " before"));
      load("LEA-128-GCM", fake_gpu(), {{"gpu", "require"}, {"gpu-threshold", "64K"}});
      ASSERT_EQ(1, init(key, iv));
      Bytes out = in_place ? text : Bytes(text.size(), 0xa5);
      const std::uint8_t* const from = in_place ? out.data() : text.data();
      ASSERT_EQ(1, update(nullptr, text.data(), 5));
      ASSERT_EQ(1, update(out.data(), from, before));
      const Bytes first(out);
      fake_fail(Call::kDeviceCount, 1, DeviceStatus::kDeviceLost, 999);
      ASSERT_EQ(0, update(out.data() + before, from + before, text.size() - before));
      EXPECT_GT(fake_struck(), 0u);
      EXPECT_EQ(core->take_errors().size(), 1u);
      if (in_place) {
        EXPECT_TRUE(out == first);
      } else {
        EXPECT_EQ(out[before], 0) << "nothing was written and taken back: nothing was tested";
        for (std::size_t i = before; i < out.size(); ++i) {
          ASSERT_TRUE(out[i] == 0xa5 || out[i] == 0) << i;
        }
      }
      ASSERT_EQ(1, update(nullptr, text.data(), aad));
      ASSERT_EQ(1, update(out.data() + before, from + before, 40));
      EXPECT_TRUE(std::equal(want.begin(), want.end(), out.begin()));
      ASSERT_EQ(1, final(out.data()));
      EXPECT_EQ(tag(), want_tag);
    }
  }
}

// A device makes the keystream of a long message ahead of it: the bytes are the CPU's.
class LongMessage : public OnFakeDevice {
 protected:
  void in_updates_of(std::size_t step, const char* name) {
    SCOPED_TRACE(testing::Message() << name << ", updates of " << step);
    const Bytes key(16, 0x31), iv(12, 0x0f);
    const Bytes text(std::size_t{6} << 20, 0x42);
    Bytes results[2];
    for (const bool device : {false, true}) {
      load(name, device ? fake_gpu() : nullptr,
           {{"gpu", device ? "require" : "off"}, {"gpu-threshold", "64K"}, {"threads", "1"}});
      ASSERT_EQ(1, init(key, iv));
      Bytes& out = results[device ? 1 : 0];
      out = text;
      for (std::size_t at = 0; at < text.size(); at += step) {
        ASSERT_EQ(1, update(out.data() + at, out.data() + at, step));
      }
      if (device) {
        EXPECT_GT(fake_calls(Call::kCtr), 0u);
      }
    }
    EXPECT_TRUE(results[0] == results[1]);
  }
};
TEST_F(LongMessage, IsReadAhead) {
  in_updates_of(std::size_t{1} << 20, "LEA-128-GCM");
  if (find_cipher("AES-128") != nullptr) in_updates_of(std::size_t{16} << 10, "AES-128-GCM");
}

// CCM is the CPU's, whatever is required of devices, and so takes ordinary memory.
TEST_F(OnFakeDevice, CcmTakesOrdinaryMemory) {
  load("LEA-128-CCM", fake_gpu(),
       {{"gpu-pointers", "yes"}, {"threads", "1"}, {"gpu", "require"}, {"gpu-threshold", "64K"}});
  void* memory = nullptr;
  ASSERT_EQ(DeviceStatus::kOk, g_layer->device_alloc(0, 4096, &memory));
  auto* const on_device = static_cast<std::uint8_t*>(memory);
  Bytes here(std::size_t{1} << 20);
  ASSERT_EQ(1, init(Bytes(16, 0x31), Bytes(7, 7)));
  expect_refused_on_device(on_device, here.data(), 32);
  EXPECT_EQ(1, update(nullptr, nullptr, here.size()));
  expect_device_memory_refused(update(nullptr, on_device, 32));
  EXPECT_EQ(1, update(here.data(), here.data(), here.size()));
  g_layer->device_free(0, memory);
}

// Likewise CFB and OFB, in both directions, except whole blocks that CFB decrypts.
TEST_F(OnFakeDevice, FeedbackTakesOrdinaryMemory) {
  for (const char* name : {"LEA-128-CFB", "LEA-128-CFB8", "LEA-128-CFB1", "LEA-128-OFB"}) {
    for (const int id : {OSSL_FUNC_CIPHER_ENCRYPT_INIT, OSSL_FUNC_CIPHER_DECRYPT_INIT}) {
      SCOPED_TRACE(name);
      load(
          name, fake_gpu(),
          {{"gpu-pointers", "yes"}, {"threads", "1"}, {"gpu", "require"}, {"gpu-threshold", "4K"}});
      void* memory = nullptr;
      ASSERT_EQ(DeviceStatus::kOk, g_layer->device_alloc(0, 4096, &memory));
      auto* const on_device = static_cast<std::uint8_t*>(memory);
      Bytes here(8192);
      ASSERT_EQ(1, init(Bytes(16, 0x31), Bytes(16, 7), id));
      expect_refused_on_device(on_device, here.data(), 33);
      EXPECT_EQ(1, update(here.data(), here.data(), here.size()));
      g_layer->device_free(0, memory);
      unload();
    }
  }
}

TEST_F(OnFakeDevice, WrapTakesOrdinaryMemory) {
  for (const char* name : {"LEA-128-WRAP", "LEA-128-WRAP-PAD"}) {
    for (const int id : {OSSL_FUNC_CIPHER_ENCRYPT_INIT, OSSL_FUNC_CIPHER_DECRYPT_INIT}) {
      SCOPED_TRACE(name);
      load(name, fake_gpu(), {{"gpu-pointers", "yes"}});
      void* memory = nullptr;
      ASSERT_EQ(DeviceStatus::kOk, g_layer->device_alloc(0, 4096, &memory));
      auto* const on_device = static_cast<std::uint8_t*>(memory);
      Bytes here(64);
      ASSERT_EQ(1, init(Bytes(16, 0x31), {}, id));
      expect_refused_on_device(on_device, here.data(), 32);
      g_layer->device_free(0, memory);
      unload();
    }
  }
}

// What waits for its block is the caller's text: it goes when it was used.
TEST_F(OnFakeDevice, WhatWaitedForABlockIsWiped) {
  const Bytes key(16, 0x31);
  const Bytes text = {'a', ' ', 's', 'e', 'c', 'r', 'e', 't', ' ', 't', 'e'};
  for (const char* name : {"LEA-128-ECB", "LEA-128-CBC"}) {
    SCOPED_TRACE(name);
    const Bytes iv = Bytes(name == std::string("LEA-128-CBC") ? 16 : 0, 0x77);
    std::uint8_t out[64];
    const auto begin = [&](int id) {
      ASSERT_EQ(1, init(key, iv, id));
      ASSERT_EQ(1, update(out, text.data(), text.size()));
      ASSERT_TRUE(holds(text));
    };
    load(name, nullptr, {});
    begin(OSSL_FUNC_CIPHER_ENCRYPT_INIT);
    ASSERT_EQ(1, final(out));
    EXPECT_FALSE(holds(text)) << "after the final of an encryption";
    const Bytes sealed(out, out + 16);

    ASSERT_EQ(1, init(key, iv, OSSL_FUNC_CIPHER_DECRYPT_INIT));
    ASSERT_EQ(1, update(out, sealed.data(), sealed.size()));
    ASSERT_TRUE(holds(sealed));
    ASSERT_EQ(1, final(out));
    ASSERT_EQ(written, text.size());
    // In CBC it is the block that the next one is chained to.
    EXPECT_EQ(holds(sealed), !iv.empty()) << "after the final of a decryption";
    EXPECT_FALSE(holds(text)) << "after the final of a decryption";

    begin(OSSL_FUNC_CIPHER_ENCRYPT_INIT);
    ASSERT_EQ(1, init(key, iv));
    EXPECT_FALSE(holds(text)) << "after an init";

    begin(OSSL_FUNC_CIPHER_ENCRYPT_INIT);
    ASSERT_EQ(1, update(out, text.data(), 5));
    EXPECT_FALSE(holds(text)) << "after the block was full";
    unload();
  }
}

// The MAC so far of a message without text goes with a new IV, and with a new key.
TEST_F(OnFakeDevice, AMessageThatIsGivenUpIsWiped) {
  const Bytes key(16, 0x31), iv(7, 0x0f), aad(14, 0x42);
  const CipherSpec& spec = *find_cipher("LEA-128");
  RoundKeys keys;
  spec.expand(key.data(), &keys);
  Bytes mac = {0x40 | 5 << 3 | 7};  // the first block (RFC 3610 2.2): 12 bytes of tag, 40 of text
  mac.insert(mac.end(), iv.begin(), iv.end());
  mac.resize(16);
  mac[15] = 40;
  find_backend("scalar")->ops[spec.index].encrypt(keys, mac.data(), mac.data(), 1);
  mac[1] ^= 14;  // the second begins with the length of the associated data
  for (std::size_t i = 0; i < aad.size(); ++i) mac[2 + i] ^= aad[i];
  load("LEA-128-CCM", nullptr, {});
  for (const bool new_key : {false, true}) {
    ASSERT_EQ(1, init(key, iv));
    ASSERT_EQ(1, update(nullptr, nullptr, 40));
    ASSERT_EQ(1, update(nullptr, aad.data(), aad.size()));
    ASSERT_TRUE(holds(mac));
    ASSERT_EQ(1, init(new_key ? key : Bytes(), new_key ? Bytes() : Bytes(7, 1)));
    EXPECT_FALSE(holds(mac)) << new_key;
  }
}

// The device after work in its memory, and the CPU again after a small update.
TEST_F(OnFakeDevice, TheBackendIsWhoServedLast) {
  const auto backend = [&] {
    char name[32] = "";
    OSSL_PARAM params[] = {{"backend", OSSL_PARAM_UTF8_STRING, name, sizeof name, 0},
                           {nullptr, 0, nullptr, 0, 0}};
    EXPECT_EQ(1, function<OSSL_FUNC_cipher_get_ctx_params_fn>(f, OSSL_FUNC_CIPHER_GET_CTX_PARAMS)(
                     cipher, params));
    return std::string(name);
  };
  for (const std::string mode : {"CTR", "ECB", "CBC", "CFB", "GCM", "XTS"}) {
    SCOPED_TRACE(mode);
    load(("LEA-128-" + mode).c_str(), fake_gpu(), {{"gpu-pointers", "yes"}, {"threads", "1"}});
    Bytes key(mode == "XTS" ? 32 : 16, 0x31);
    key[0] = 1;
    const Bytes iv(mode == "ECB" ? 0 : mode == "GCM" ? 12 : 16, 0xf7);
    ASSERT_EQ(1, init(key, iv, OSSL_FUNC_CIPHER_DECRYPT_INIT));
    if (mode == "ECB" || mode == "CBC") {
      ASSERT_EQ(1, set(OSSL_CIPHER_PARAM_PADDING, 0));
    }
    const std::string cpu = backend();
    EXPECT_NE(cpu, "fake");
    constexpr std::size_t kBytes = std::size_t{1} << 18;
    void* memory = nullptr;
    ASSERT_EQ(DeviceStatus::kOk, g_layer->device_alloc(0, kBytes, &memory));
    auto* const on_device = static_cast<std::uint8_t*>(memory);
    ASSERT_EQ(1, update(on_device, on_device, kBytes));
    EXPECT_EQ(backend(), "fake");
    g_layer->device_free(0, memory);
    Bytes text(96, 0x42);
    ASSERT_EQ(1, update(text.data(), text.data(), text.size()));
    EXPECT_EQ(backend(), cpu);
  }
}

}  // namespace
}  // namespace test
}  // namespace gpuctr
