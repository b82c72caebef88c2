// Batches of messages and XTS on the fake device, by the CPU, and what a launch keeps of keys.
#ifndef GPUCTR_TEST_BULK_FAKE_GPU_MESSAGES_H
#define GPUCTR_TEST_BULK_FAKE_GPU_MESSAGES_H

#include <algorithm>
#include <cstring>
#include <functional>
#include <vector>

#include "kernels/base/wipe.h"
#include "kernels/cpu/many/many.h"
#include "kernels/gpu/layer.h"

namespace gpuctr::test {

// What a launch copies of the keys; gone with the launch, as the seam promises.
class LaunchKeys {
 public:
  explicit LaunchKeys(std::size_t count) : keys_(count) {}
  LaunchKeys(const LaunchKeys&) = delete;
  LaunchKeys& operator=(const LaunchKeys&) = delete;
  ~LaunchKeys() { wipe(keys_.data(), keys_.size() * sizeof keys_[0]); }
  // Of their memory there may be no more than the cipher's keys have.
  void keep(std::size_t i, const CipherSpec& cipher, const RoundKeys& keys) {
    std::memcpy(&keys_[i], &keys, cipher.round_key_bytes);
  }
  const RoundKeys& operator[](std::size_t i) const { return keys_[i]; }

 private:
  std::vector<RoundKeys> keys_;
};

// What a launch of messages copies, with the addresses that the fake itself may touch.
class FakeMessages {
 public:
  // `shadow`: the address behind a pointer that the device reaches, or nullptr.
  FakeMessages(const CipherSpec& cipher, const DeviceMessages& b,
               const std::function<std::uint8_t*(const void*)>& shadow)
      : cipher_(cipher),
        b_(b),
        index_(b.index, b.index == nullptr ? b.index : b.index + b.count),
        lengths_(b.lengths, b.lengths == nullptr ? b.lengths : b.lengths + b.count),
        offsets_(b.offsets, b.offsets == nullptr ? b.offsets : b.offsets + b.count),
        aad_lengths_(b.aad_lengths,
                     b.aad_lengths == nullptr ? b.aad_lengths : b.aad_lengths + b.count),
        keys_(b.keys == nullptr ? nullptr : shadow(b.keys)),
        ivs_(shadow(b.ivs)),
        in_(b.in == nullptr ? nullptr : shadow(b.in)),
        out_(b.out == nullptr ? nullptr : shadow(b.out)),
        aad_(b.aad == nullptr ? nullptr : shadow(b.aad)),
        tags_(b.tags == nullptr ? nullptr : shadow(b.tags)),
        results_(b.results == nullptr ? nullptr : shadow(b.results)),
        reaches_((b.keys == nullptr || keys_ != nullptr) && ivs_ != nullptr &&
                 (b.out == nullptr || out_ != nullptr) && (b.in == nullptr || in_ != nullptr) &&
                 (b.aad == nullptr || aad_ != nullptr) && (b.tags == nullptr || tags_ != nullptr) &&
                 (b.results == nullptr || results_ != nullptr)) {
    if (b.own != nullptr) std::memcpy(&own_, b.own, cipher.round_key_bytes);
  }
  ~FakeMessages() { wipe(&own_, sizeof own_); }
  FakeMessages(const FakeMessages&) = delete;
  FakeMessages& operator=(const FakeMessages&) = delete;

  bool reaches() const { return reaches_; }
  std::uint8_t* out() const { return out_; }
  std::size_t bytes() const {
    std::size_t sum = 0;
    for (std::size_t i = 0; i < b_.count; ++i) sum += length(i);
    return sum;
  }

  void run() {
    std::vector<ManyText> texts(b_.count);
    std::vector<std::uint8_t> tags(16 * b_.count);
    std::size_t at = 0, aad_at = 0;
    for (std::size_t i = 0; i < b_.count; ++i) {
      ManyText& t = texts[i];
      const std::size_t aad = aad_lengths_.empty() ? b_.aad_length : aad_lengths_[i];
      if (b_.own != nullptr) t.keys = &own_;
      if (b_.own == nullptr) t.key = keys_ + (index_.empty() ? i : index_[i]) * cipher_.key_bytes;
      t.iv = ivs_ + i * b_.iv_bytes;
      const std::size_t offset = offsets_.empty() ? at : offsets_[i];
      t.in = in_ + offset;
      t.out = out_ + offset;
      t.n = length(i);
      t.aad = aad_ + aad_at;
      t.aad_bytes = aad;
      t.tag = tags.data() + 16 * i;
      at += t.n;
      aad_at += aad;
    }
    ManyBatch batch;
    constexpr ManyMode kModes[] = {ManyMode::kCtr, ManyMode::kGcm, ManyMode::kCcm, ManyMode::kCbc};
    batch.mode = kModes[static_cast<int>(b_.mode)];
    batch.encrypts = b_.encrypts;
    batch.key_bytes = cipher_.key_bytes;
    batch.iv_bytes = b_.iv_bytes;
    batch.counter_bits = b_.counter_bits;
    if (b_.tag_bytes != 0) batch.tag_bytes = b_.tag_bytes;
    run_many(cipher_, best_backend(), batch, texts.data(), texts.size());
    for (std::size_t i = 0; i < b_.count; ++i) end(i, texts[i], tags.data() + 16 * i);
  }

 private:
  std::size_t length(std::size_t i) const { return lengths_.empty() ? b_.length : lengths_[i]; }
  void end(std::size_t i, const ManyText& t, const std::uint8_t* tag) {
    const bool tagged = b_.mode == DeviceMode::kGcm || b_.mode == DeviceMode::kCcm;
    bool good = true;
    if (tagged && b_.encrypts) std::memcpy(tags_ + i * b_.tag_bytes, tag, b_.tag_bytes);
    if (tagged && !b_.encrypts) {
      good = std::memcmp(tags_ + i * b_.tag_bytes, tag, b_.tag_bytes) == 0;
      if (!good) {
        std::memset(t.out, 0, t.n);
        ++b_.outcome[0];
        b_.outcome[1] = std::min(b_.outcome[1], static_cast<std::uint32_t>(i));
      }
    }
    if (results_ != nullptr) results_[i] = good ? 1 : 0;
  }

  const CipherSpec& cipher_;
  const DeviceMessages b_;
  RoundKeys own_ = {};
  const std::vector<std::uint32_t> index_, lengths_;
  const std::vector<std::uint64_t> offsets_;
  const std::vector<std::uint32_t> aad_lengths_;
  std::uint8_t *const keys_, *const ivs_, *const in_, *const out_, *const aad_, *const tags_,
                                                                                    *const results_;
  const bool reaches_;
};

// XTS of whole blocks, block by block.
inline void fake_xts(const CipherSpec& cipher, const RoundKeys& keys, const RoundKeys& tweak_keys,
                     const DeviceXts& work, const std::uint8_t* first_mask, const std::uint8_t* ivs,
                     const std::uint8_t* in, std::uint8_t* out) {
  const CipherOps& ops = best_backend().ops[cipher.index];
  std::uint8_t mask[16];
  const std::size_t unit = ivs == nullptr ? work.bytes : work.unit;
  for (std::size_t at = 0; at < work.bytes; at += 16) {
    if (at % unit == 0 && ivs == nullptr) std::memcpy(mask, first_mask, 16);
    if (at % unit == 0 && ivs != nullptr) ops.encrypt(tweak_keys, ivs + at / unit * 16, mask, 1);
    for (unsigned i = 0; i < 16; ++i) out[at + i] = in[at + i] ^ mask[i];
    (work.encrypts ? ops.encrypt : ops.decrypt)(keys, out + at, out + at, 1);
    unsigned carry = 0;
    for (unsigned i = 0; i < 16; ++i) {
      out[at + i] ^= mask[i];
      const unsigned byte = unsigned{mask[i]} << 1 | carry;
      mask[i] = static_cast<std::uint8_t>(byte);
      carry = byte >> 8;
    }
    if (carry != 0) mask[0] ^= 0x87;
  }
}

}  // namespace gpuctr::test

#endif
