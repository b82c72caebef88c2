// GCM over the fake device's memory: the same messages as through ordinary memory, whatever is cut
// and wherever the pieces lie, and what is left when the device fails.
#include <algorithm>
#include <cstring>
#include <random>
#include <string>

#include "kernels/cpu/backend.h"
#include "kernels/cpu/ghash.h"
#include "provider/core/errors.h"
#include "test/bulk/device.h"
#include "test/provider/device/device.h"

namespace gpuctr {
namespace test {
namespace {

constexpr std::size_t kMost = 200000;

class GcmOnADevice : public OnFakeDevice {
 protected:
  static std::size_t below(std::size_t n) { return source()() % n; }
  static std::mt19937& source() {
    static std::mt19937 random(20261123);
    return random;
  }

  int get_tag(Bytes* tag) {
    OSSL_PARAM params[] = {
        {OSSL_CIPHER_PARAM_AEAD_TAG, OSSL_PARAM_OCTET_STRING, tag->data(), tag->size(), 0},
        {nullptr, 0, nullptr, 0, 0}};
    return function<OSSL_FUNC_cipher_get_ctx_params_fn>(f, OSSL_FUNC_CIPHER_GET_CTX_PARAMS)(cipher,
                                                                                            params);
  }
  int set_tag(Bytes tag) {
    const OSSL_PARAM params[] = {
        {OSSL_CIPHER_PARAM_AEAD_TAG, OSSL_PARAM_OCTET_STRING, tag.data(), tag.size(), 0},
        {nullptr, 0, nullptr, 0, 0}};
    return function<OSSL_FUNC_cipher_set_ctx_params_fn>(f, OSSL_FUNC_CIPHER_SET_CTX_PARAMS)(cipher,
                                                                                            params);
  }

  struct Message {
    Bytes key, iv, aad, text;
  };
  struct Sealed {
    Bytes text, tag;
  };
  static Bytes random(std::size_t n) {
    Bytes b(n);
    for (auto& x : b) x = static_cast<std::uint8_t>(source()());
    return b;
  }
  static Message random_message(std::size_t text) {
    // An IV of 12 bytes, or one whose counter wraps soon for a few of them.
    return {random(16), random(below(3) == 0 ? 16 : 12), random(below(100)), random(text)};
  }

  // In one update through ordinary memory.
  Sealed by_cpu(const Message& m) {
    Sealed s{Bytes(m.text.size()), Bytes(16)};
    std::uint8_t nothing[16];
    EXPECT_EQ(1, init(m.key, m.iv));
    EXPECT_EQ(1, update(nullptr, m.aad.data(), m.aad.size()));
    EXPECT_EQ(1, update(s.text.data(), m.text.data(), m.text.size()));
    EXPECT_EQ(1, final(nothing));
    EXPECT_EQ(1, get_tag(&s.tag));
    return s;
  }

  // How the pieces of a message lie.
  enum class Place { kDevice, kInPlace, kToDevice, kFromDevice, kHost, kCount };

  // The same in pieces; `out` gets what came.
  void in_pieces(const Message& m, const Bytes& in, Bytes* out, std::size_t longest) {
    Device from(g_layer, kMost + 64), to(g_layer, kMost + 64);
    Bytes host_in = in, host_out(in.size());
    from.fill(in);
    std::memset(fake_shadow(to.data()), 0x5a, in.size());
    if (!m.aad.empty()) {
      Device aad(g_layer, 4096);
      aad.fill(m.aad);
      ASSERT_EQ(1, update(nullptr, aad.data(), m.aad.size()));
    }
    out->resize(in.size());
    for (std::size_t at = 0, n; at != in.size(); at += n) {
      n = std::min(in.size() - at, 1 + below(longest));
      const auto place = static_cast<Place>(below(static_cast<std::size_t>(Place::kCount)));
      const bool reads_device = place != Place::kToDevice && place != Place::kHost;
      const bool writes_device = place != Place::kFromDevice && place != Place::kHost;
      const std::uint8_t* const source = (reads_device ? from.data() : host_in.data()) + at;
      std::uint8_t* const target = place == Place::kInPlace ? from.data() + at
                                   : writes_device          ? to.data() + at
                                                            : host_out.data() + at;
      ASSERT_EQ(1, update(target, source, n)) << at << " + " << n;
      ASSERT_EQ(written, n);
      const std::uint8_t* const came = writes_device ? fake_shadow(target) : target;
      std::copy(came, came + n, out->begin() + static_cast<std::ptrdiff_t>(at));
    }
  }
};

TEST_F(GcmOnADevice, AnyPiecesInAnyMemory) {
  for (const char* name : {"LEA-128-GCM", "CHAM-128-128-GCM"}) {
    SCOPED_TRACE(name);
    for (const unsigned kind : {0U, 1U, 2U}) {
      const bool no_ghash = kind == 1;
      const bool one_pass = kind == 2;
      FakeOptions options;
      options.no_ghash = no_ghash;
      options.one_pass = one_pass;
      load(name, fake_gpu(options), {{"gpu-pointers", "yes"}, {"threads", "1"}});
      for (unsigned i = 0; i < 40; ++i) {
        const Message m = random_message(below(i % 4 == 0 ? kMost : 700));
        const Sealed want = by_cpu(m);
        const std::size_t longest = i % 2 == 0 ? kMost : 40;
        Bytes text, tag(16);
        std::uint8_t nothing[16];
        ASSERT_EQ(1, init(m.key, m.iv));
        in_pieces(m, m.text, &text, longest);
        ASSERT_EQ(1, final(nothing));
        ASSERT_EQ(1, get_tag(&tag));
        ASSERT_TRUE(text == want.text) << i;
        ASSERT_EQ(tag, want.tag) << i;

        ASSERT_EQ(1, init(m.key, m.iv, OSSL_FUNC_CIPHER_DECRYPT_INIT));
        in_pieces(m, want.text, &text, longest);
        ASSERT_EQ(1, set_tag(want.tag));
        ASSERT_EQ(1, final(nothing));
        ASSERT_TRUE(text == m.text) << i;

        Bytes wrong = want.tag;
        wrong[below(16)] ^= 1;
        ASSERT_EQ(1, init(m.key, m.iv, OSSL_FUNC_CIPHER_DECRYPT_INIT));
        in_pieces(m, want.text, &text, longest);
        ASSERT_EQ(1, set_tag(wrong));
        ASSERT_EQ(0, final(nothing));
        ASSERT_TRUE(core->take_errors().empty()) << "as OpenSSL's own";
      }
      EXPECT_EQ(fake_calls(Call::kGhash) == 0, no_ghash);
      EXPECT_EQ(fake_calls(Call::kGcm) != 0, one_pass);
    }
  }
}

// An IV of 16 bytes under which the 32 bits that count wrap within so many blocks: one of half a
// million does.
Bytes iv_that_wraps(const Bytes& key, std::uint32_t blocks) {
  const CipherSpec& spec = *find_cipher("LEA-128");
  RoundKeys keys;
  spec.expand(key.data(), &keys);
  std::uint8_t h[16] = {};
  find_backend("scalar")->ops[spec.index].encrypt(keys, h, h, 1);
  const GhashOps& ops = *best_ghash(64).ops;
  GhashKey powers;
  ops.expand(h, &powers);
  Bytes data(32);
  data[31] = 128;  // the IV's length in bits
  for (std::uint64_t i = 0;; ++i) {
    std::memcpy(data.data(), &i, sizeof i);
    std::uint8_t j0[16] = {};
    ops.update(powers, j0, data.data(), 2);
    const std::uint32_t counter = std::uint32_t{j0[12]} << 24 | std::uint32_t{j0[13]} << 16 |
                                  std::uint32_t{j0[14]} << 8 | j0[15];
    if (0 - counter < blocks && 0 - counter > 16) return Bytes(data.begin(), data.begin() + 16);
  }
}

TEST_F(GcmOnADevice, TheCounterWraps) {
  load("LEA-128-GCM", fake_gpu(), {{"gpu-pointers", "yes"}, {"threads", "1"}});
  Message m = random_message(kMost);
  m.iv = iv_that_wraps(m.key, kMost / 16);
  const Sealed want = by_cpu(m);
  Device text(g_layer, kMost);
  text.fill(m.text);
  Bytes tag(16);
  std::uint8_t nothing[16];
  ASSERT_EQ(1, init(m.key, m.iv));
  ASSERT_EQ(1, update(nullptr, m.aad.data(), m.aad.size()));
  ASSERT_EQ(1, update(text.data(), text.data(), kMost));
  ASSERT_EQ(1, final(nothing));
  ASSERT_EQ(1, get_tag(&tag));
  EXPECT_TRUE(text.read(kMost) == want.text);
  EXPECT_EQ(tag, want.tag);
}

// A launch that fails leaves the data as it was: two passes or the CPU do what it should have done.
TEST_F(GcmOnADevice, ALaunchThatFailsIsTheCpus) {
  for (const Call call : {Call::kGhash, Call::kCtr, Call::kGcm}) {
    for (const bool encrypts : {true, false}) {
      FakeOptions options;
      options.one_pass = call == Call::kGcm;
      load("LEA-128-GCM", fake_gpu(options), {{"gpu-pointers", "yes"}, {"threads", "1"}});
      const Message m = random_message(100000);
      const Sealed want = by_cpu(m);
      Device text(g_layer, kMost);
      text.fill(encrypts ? m.text : want.text);
      std::uint8_t nothing[16];
      ASSERT_EQ(1, init(m.key, m.iv,
                        encrypts ? OSSL_FUNC_CIPHER_ENCRYPT_INIT : OSSL_FUNC_CIPHER_DECRYPT_INIT));
      ASSERT_EQ(1, update(nullptr, m.aad.data(), m.aad.size()));
      fake_fail(call, 1, DeviceStatus::kOutOfMemory);
      ASSERT_EQ(1, update(text.data(), text.data(), m.text.size()));
      EXPECT_EQ(fake_struck(), 1u);
      EXPECT_TRUE(text.read(m.text.size()) == (encrypts ? want.text : m.text));
      if (encrypts) {
        Bytes tag(16);
        ASSERT_EQ(1, final(nothing));
        ASSERT_EQ(1, get_tag(&tag));
        EXPECT_EQ(tag, want.tag);
      } else {
        ASSERT_EQ(1, set_tag(want.tag));
        ASSERT_EQ(1, final(nothing));
      }
    }
  }
}

// After any other failure the data is lost with the device: one error, and no tag is ever right.
TEST_F(GcmOnADevice, AKernelThatFailsIsAnError) {
  for (unsigned nth = 0; nth <= 2; ++nth) {
    FakeOptions options;
    options.one_pass = nth == 0;
    load("LEA-128-GCM", fake_gpu(options), {{"gpu-pointers", "yes"}, {"threads", "1"}});
    const Message m = random_message(100000);
    Device text(g_layer, kMost);
    text.fill(m.text);
    ASSERT_EQ(1, init(m.key, m.iv));
    fake_fail(Call::kKernel, std::max(nth, 1u), DeviceStatus::kDeviceLost);
    EXPECT_EQ(0, update(text.data(), text.data(), m.text.size()));
    EXPECT_EQ(fake_struck(), 1u);
    EXPECT_EQ(written, 0u);
    const auto errors = core->take_errors();
    ASSERT_EQ(errors.size(), 1u);
    EXPECT_EQ(errors[0].reason, static_cast<std::uint32_t>(Reason::kGpuRequired));
  }
}

// Records of TLS are libssl's, which has none on a device.
TEST_F(GcmOnADevice, ARecordIsInOrdinaryMemory) {
  load("LEA-128-GCM", fake_gpu(), {{"gpu-pointers", "yes"}, {"threads", "1"}});
  Device record(g_layer, 4096);
  ASSERT_EQ(1, init(Bytes(16, 0x31), {}));
  std::uint8_t fixed[4] = {1, 2, 3, 4};
  std::uint8_t header[13] = {0, 0, 0, 0, 0, 0, 0, 1, 23, 3, 3, 0, 64};
  const OSSL_PARAM params[] = {
      {OSSL_CIPHER_PARAM_AEAD_TLS1_IV_FIXED, OSSL_PARAM_OCTET_STRING, fixed, sizeof fixed, 0},
      {OSSL_CIPHER_PARAM_AEAD_TLS1_AAD, OSSL_PARAM_OCTET_STRING, header, sizeof header, 0},
      {nullptr, 0, nullptr, 0, 0}};
  ASSERT_EQ(1, function<OSSL_FUNC_cipher_set_ctx_params_fn>(f, OSSL_FUNC_CIPHER_SET_CTX_PARAMS)(
                   cipher, params));
  expect_device_memory_refused(update(record.data(), record.data(), 8 + 56 + 16));
}

// GCM-SIV takes ordinary memory. A refused call is no part of the message; the associated data of
// the one before it stay.
TEST_F(GcmOnADevice, GcmSivIsInOrdinaryMemory) {
  if (find_cipher("AES-128") == nullptr) GTEST_SKIP() << "this build has no AES";
  load("AES-128-GCM-SIV", fake_gpu(), {{"gpu-pointers", "yes"}, {"threads", "1"}});
  Device memory(g_layer, 4096);
  const Message m = {random(16), random(12), random(20), random(100)};
  const Sealed want = by_cpu(m);
  Sealed made{Bytes(m.text.size()), Bytes(16)};
  ASSERT_EQ(1, init(m.key, m.iv));
  expect_device_memory_refused(update(nullptr, memory.data(), 20));
  expect_device_memory_refused(update(memory.data(), memory.data(), 100));
  expect_device_memory_refused(update(memory.data(), m.text.data(), 100));
  expect_device_memory_refused(update(made.text.data(), memory.data(), 100));
  EXPECT_EQ(made.text, Bytes(100));
  ASSERT_EQ(1, update(made.text.data(), m.text.data(), 100));
  EXPECT_EQ(made.text, want.text);
  ASSERT_EQ(1, get_tag(&made.tag));
  EXPECT_EQ(made.tag, want.tag);
}

}  // namespace
}  // namespace test
}  // namespace gpuctr
