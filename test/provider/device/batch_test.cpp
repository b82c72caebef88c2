// Batches of messages through the provider over the fake device: every array in the device's
// memory, a failure at any of its calls, and what only a call past EVP shows.
#include <sys/mman.h>

#include <cstring>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "provider/core/gpuctr.h"
#include "test/bulk/device.h"
#include "test/provider/batch/pointer_params.h"
#include "test/provider/device/device.h"

namespace gpuctr {
namespace test {
namespace {

constexpr std::size_t kCount = 5, kAad = 7, kKey = 16, kIv = 12, kTag = 16;
constexpr std::uint32_t kLengths[kCount] = {100, 33, 0, 64, 16}, kIndex[kCount] = {1, 0, 1, 1, 0};
constexpr std::uint64_t kOffsets[kCount] = {3, 120, 0, 160, 230};
constexpr std::size_t kBytes = 250;
const std::string kOfAll = std::to_string(kBytes) + " bytes of LEA-128";

Bytes counted(std::size_t n, unsigned step) {
  Bytes bytes(n);
  for (std::size_t i = 0; i < n; ++i) bytes[i] = static_cast<std::uint8_t>(i * step + step);
  return bytes;
}

class BatchOnADevice : public OnFakeDevice {
 protected:
  // Each message in an ordinary context.
  void SetUp() override {
    sealed_ = text_;
    load("LEA-128-GCM", nullptr, {{"gpu", "off"}});
    for (std::size_t i = 0; i < kCount; ++i) {
      const auto key = keys_.begin() + static_cast<std::ptrdiff_t>(kKey * kIndex[i]);
      const auto iv = ivs_.begin() + static_cast<std::ptrdiff_t>(kIv * i);
      ASSERT_EQ(1, init(Bytes(key, key + kKey), Bytes(iv, iv + kIv)));
      ASSERT_EQ(1, update(nullptr, aad_.data() + kAad * i, kAad));
      std::uint8_t* const text = sealed_.data() + kOffsets[i];
      ASSERT_EQ(1, update(text, text, kLengths[i]));
      ASSERT_EQ(1, final(text));
      OSSL_PARAM tag[] = {
          {OSSL_CIPHER_PARAM_AEAD_TAG, OSSL_PARAM_OCTET_STRING, tags_.data() + kTag * i, kTag, 0},
          {nullptr, 0, nullptr, 0, 0}};
      ASSERT_EQ(1, function<OSSL_FUNC_cipher_get_ctx_params_fn>(f, OSSL_FUNC_CIPHER_GET_CTX_PARAMS)(
                       cipher, tag));
    }
  }
  void TearDown() override {
    arrays_.clear();
    OnFakeDevice::TearDown();
  }

  int set_params(PointerParams params) {
    return function<OSSL_FUNC_cipher_set_ctx_params_fn>(f, OSSL_FUNC_CIPHER_SET_CTX_PARAMS)(
        cipher, params.list());
  }
  std::uint8_t* put(PointerParams* params, const char* key, const void* data, std::size_t bytes) {
    arrays_.push_back(std::make_unique<Device>(g_layer, bytes));
    std::memcpy(fake_shadow(arrays_.back()->data()), data, bytes);
    if (key != nullptr) params->add(key, arrays_.back()->data(), bytes);
    return arrays_.back()->data();
  }
  // A new device, and every array in its memory.
  void begin() {
    arrays_.clear();
    unload();  // what it has on the last device
    load("LEA-128-GCM", fake_gpu(), {{"gpu-pointers", "yes"}, {"threads", "1"}});
    ASSERT_EQ(1, init({}, {}));
    PointerParams params;
    params.number(GPUCTR_PARAM_BATCH_MESSAGES, kCount);
    const std::uint32_t aad_length = kAad;
    const Bytes zeros(kTag * kCount);
    put(&params, GPUCTR_PARAM_BATCH_KEYS, keys_.data(), keys_.size());
    put(&params, GPUCTR_PARAM_BATCH_KEY_INDEX, kIndex, sizeof kIndex);
    put(&params, GPUCTR_PARAM_BATCH_IVS, ivs_.data(), ivs_.size());
    put(&params, GPUCTR_PARAM_BATCH_LENGTHS, kLengths, sizeof kLengths);
    put(&params, GPUCTR_PARAM_BATCH_OFFSETS, kOffsets, sizeof kOffsets);
    put(&params, GPUCTR_PARAM_BATCH_AAD, aad_.data(), aad_.size());
    put(&params, GPUCTR_PARAM_BATCH_AAD_LENGTHS, &aad_length, sizeof aad_length);
    made_tags_ = put(&params, GPUCTR_PARAM_BATCH_TAGS, zeros.data(), zeros.size());
    results_ = put(&params, GPUCTR_PARAM_BATCH_RESULTS, zeros.data(), kCount);
    data_ = put(&params, nullptr, text_.data(), text_.size());
    ASSERT_EQ(1, set_params(params));
  }
  int encrypt() {
    std::memcpy(fake_shadow(data_), text_.data(), text_.size());
    std::memset(fake_shadow(results_), 0, kCount);
    return update(data_, data_, kBytes);
  }
  void expect_made() {
    EXPECT_EQ(written, kBytes);
    EXPECT_EQ(0, std::memcmp(fake_shadow(data_), sealed_.data(), kBytes));
    EXPECT_EQ(0, std::memcmp(fake_shadow(made_tags_), tags_.data(), tags_.size()));
    EXPECT_EQ(Bytes(fake_shadow(results_), fake_shadow(results_) + kCount), Bytes(kCount, 1));
  }
  // The one error of a refused call: "reason: text".
  std::string take_error() {
    EXPECT_EQ(written, 0u);
    const auto errors = core->take_errors();
    EXPECT_EQ(errors.size(), 1u);
    return errors.empty() ? "" : std::to_string(errors[0].reason) + ": " + errors[0].data;
  }
  static std::string error(Reason reason, const std::string& text) {
    return std::to_string(static_cast<int>(reason)) + ": " + text;
  }

  const Bytes keys_ = counted(2 * kKey, 3), ivs_ = counted(kCount * kIv, 5),
              aad_ = counted(kCount * kAad, 7), text_ = counted(kBytes, 11);
  Bytes sealed_, tags_ = Bytes(kCount * kTag);
  std::vector<std::unique_ptr<Device>> arrays_;
  std::uint8_t *data_ = nullptr, *made_tags_ = nullptr, *results_ = nullptr;
};

TEST_F(BatchOnADevice, EveryArrayInItsMemory) {
  begin();
  ASSERT_EQ(1, encrypt());
  expect_made();
  EXPECT_EQ(fake_calls(Call::kMessages), 1u);
}

// A failure at any time, also of a device that launches no kernel, so that the CPU works on copies:
// one error, or the right bytes. The context is as it was.
TEST_F(BatchOnADevice, AFailureAtEachCall) {
  std::set<std::string> errors;
  for (const bool launches : {true, false}) {
    for (const Call call : {Call::kCopy, Call::kKernel}) {
      for (unsigned nth = 1;; ++nth) {
        SCOPED_TRACE(std::to_string(nth) + (launches ? "" : ", no launch"));
        begin();
        fake_fail(call, nth, DeviceStatus::kOther);
        if (!launches) fake_fail(Call::kMessages, 1, DeviceStatus::kLaunch);
        const bool made = encrypt() == 1;
        const unsigned struck = fake_struck() - (!launches && fake_calls(Call::kMessages) != 0);
        if (made) {
          expect_made();
        } else {
          errors.insert(take_error());
        }
        if (HasFailure()) return;
        if (struck == 0) {
          EXPECT_TRUE(made);
          break;
        }
        ASSERT_EQ(1, encrypt());
        expect_made();
      }
    }
  }
  EXPECT_EQ(errors, (std::set<std::string>{
                        error(Reason::kDeviceMemory, "a table of 2 keys of LEA-128"),
                        error(Reason::kGpuRequired, "no GPU could make 4 bytes of LEA-128"),
                        error(Reason::kGpuRequired, "no GPU could make " + kOfAll)}));
}

// A batch in ordinary memory, where a device is required: there is none, or it launches no kernel.
TEST_F(BatchOnADevice, RequiredInOrdinaryMemory) {
  for (const bool present : {false, true}) {
    load("LEA-128-CTR", present ? fake_gpu() : nullptr,
         {{"gpu", "require"}, {"gpu-threshold", "64K"}, {"threads", "1"}});
    const Bytes key(kKey, 1), ivs(2 * 16, 2), text(std::size_t{1} << 17, 3);
    ASSERT_EQ(1, init(key, {}));
    ASSERT_EQ(1, set_params(PointerParams()
                                .number(GPUCTR_PARAM_BATCH_MESSAGES, 2)
                                .add(GPUCTR_PARAM_BATCH_IVS, ivs.data(), ivs.size())));
    if (present) fake_fail(Call::kMessages, 1, DeviceStatus::kLaunch);
    Bytes out(text.size(), 0xa5);
    EXPECT_EQ(0, update(out.data(), text.data(), text.size()));
    EXPECT_EQ(take_error(),
              error(Reason::kGpuRequired, "no GPU could make 131072 bytes of LEA-128"));
    EXPECT_EQ(out, Bytes(text.size(), 0xa5));
    if (!present) continue;
    EXPECT_EQ(1, update(out.data(), text.data(), text.size()));
  }
}

// Texts in no order are sorted by 32 bits of their places: those of more bytes are refused.
TEST_F(BatchOnADevice, TextsInNoOrderOverMoreThan4GiB) {
  constexpr std::size_t kFar = std::size_t{1} << 32, kAll = kFar + 16;
  void* const memory = mmap(nullptr, kAll, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) GTEST_SKIP() << "no room for 4 GiB of addresses";
  auto* const data = static_cast<std::uint8_t*>(memory);
  load("LEA-128-CTR", nullptr, {{"gpu", "off"}, {"threads", "1"}});
  const Bytes key(kKey, 1), ivs(2 * 16, 2);
  const std::uint32_t lengths[] = {16, 16};
  const std::uint64_t falling[] = {kFar, 0}, rising[] = {0, kFar};
  const auto encrypt = [&](const std::uint64_t* offsets) {
    EXPECT_EQ(1, set_params(PointerParams()
                                .number(GPUCTR_PARAM_BATCH_MESSAGES, 2)
                                .add(GPUCTR_PARAM_BATCH_IVS, ivs.data(), ivs.size())
                                .add(GPUCTR_PARAM_BATCH_LENGTHS, lengths, sizeof lengths)
                                .add(GPUCTR_PARAM_BATCH_OFFSETS, offsets, sizeof falling)));
    return update(data, data, kAll);
  };
  ASSERT_EQ(1, init(key, {}));
  EXPECT_EQ(0, encrypt(falling));
  EXPECT_EQ(take_error(), error(Reason::kNoMemory, "2 messages of LEA-128-CTR"));
  EXPECT_EQ(Bytes(data, data + 16), Bytes(16));
  EXPECT_EQ(1, encrypt(rising));
  EXPECT_NE(Bytes(data, data + 16), Bytes(16));
  EXPECT_EQ(0, std::memcmp(data, data + kFar, 16));
  munmap(memory, kAll);
}

}  // namespace
}  // namespace test
}  // namespace gpuctr
