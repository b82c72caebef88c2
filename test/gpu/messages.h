// Random batches of messages, and what the scalar backend makes of them.
#ifndef GPUCTR_TEST_GPU_MESSAGES_H
#define GPUCTR_TEST_GPU_MESSAGES_H

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>
#include <vector>

#include "kernels/cpu/many/many.h"
#include "kernels/gpu/layer.h"

namespace gpuctr::test {

enum class KeySource { kOwn, kEach, kTable };

struct Messages {
  using Bytes = std::vector<std::uint8_t>;
  struct Shape {
    DeviceMode mode = DeviceMode::kCtr;
    bool encrypts = true;
    KeySource keys = KeySource::kEach;
    std::size_t count = 1;
    std::size_t length = 64;  // of all, or the most of mixed ones
    bool mixed = false;
    bool scattered = false;  // offsets, with gaps, in any order
    bool in_place = false;
    std::size_t iv_bytes = 0;  // 0: the usual
    std::size_t aad = 0;       // of all, or the most of mixed ones
    std::size_t tag_bytes = 16;
    bool wrong_tags = false;
    unsigned counter_bits = 0;
    std::size_t skew = 0;  // of the texts from an aligned address
  };

  Messages(const CipherSpec& spec, const Shape& of) : cipher(spec), shape(of) {
    const std::size_t block = cipher.block_bytes;
    if (shape.iv_bytes == 0) shape.iv_bytes = authenticates() ? 12 : block;
    const std::size_t key_count = shape.keys == KeySource::kEach    ? shape.count
                                  : shape.keys == KeySource::kTable ? 1 + shape.count / 3
                                                                    : 1;
    keys = random_bytes(key_count * cipher.key_bytes);
    cipher.expand(keys.data(), &own);
    if (shape.keys == KeySource::kTable) {
      for (std::size_t i = 0; i < shape.count; ++i)
        index.push_back(static_cast<std::uint32_t>(random_below(key_count)));
    }
    ivs = random_bytes(shape.count * shape.iv_bytes);
    for (std::size_t i = 0; i < shape.count; i += 3) {  // counters that carry
      if (!authenticates()) std::memset(&ivs[i * shape.iv_bytes], 0xff, shape.iv_bytes);
    }
    place();
    for (std::size_t i = 0; i < shape.count; ++i) {
      const auto n = static_cast<std::uint32_t>(random_below(shape.aad + 1));
      aad_lengths.push_back(shape.mixed ? n : static_cast<std::uint32_t>(shape.aad));
    }
    aad = random_bytes(std::accumulate(aad_lengths.begin(), aad_lengths.end(), std::size_t{0}) + 1);
    tags = random_bytes(shape.count * shape.tag_bytes + 1);
    in = random_bytes(bytes);
    out = shape.in_place ? in : random_bytes(bytes);
    make();
  }

  bool authenticates() const {
    return shape.mode == DeviceMode::kGcm || shape.mode == DeviceMode::kCcm;
  }
  // Without memory: the test sets the pointers.
  DeviceMessages device() const {
    DeviceMessages d = {};
    d.mode = shape.mode;
    d.encrypts = shape.encrypts;
    d.count = shape.count;
    d.own = shape.keys == KeySource::kOwn ? &own : nullptr;
    d.index = index.empty() ? nullptr : index.data();
    d.iv_bytes = shape.iv_bytes;
    d.counter_bits = shape.counter_bits;
    d.lengths = shape.mixed ? lengths.data() : nullptr;
    d.length = shape.mixed ? 0 : shape.length;
    d.offsets = shape.scattered ? offsets.data() : nullptr;
    d.aad_lengths = shape.mixed ? aad_lengths.data() : nullptr;
    d.aad_length = shape.mixed ? 0 : shape.aad;
    d.tag_bytes = shape.tag_bytes;
    return d;
  }

  const CipherSpec& cipher;
  Shape shape;
  RoundKeys own = {};
  Bytes keys, ivs, aad, tags, in, out;
  std::vector<std::uint32_t> index, lengths, aad_lengths;
  std::vector<std::uint64_t> offsets;
  std::size_t bytes = 0;
  // What the device is to make.
  Bytes want, want_tags, want_results;
  std::uint32_t wrong = 0;
  std::uint32_t first_wrong = UINT32_MAX;

 private:
  static std::mt19937_64& source() {
    static std::mt19937_64 numbers(20201121);
    return numbers;
  }
  static std::uint64_t random_below(std::uint64_t n) { return source()() % n; }
  static Bytes random_bytes(std::size_t n) {
    Bytes b(n);
    for (auto& x : b) x = static_cast<std::uint8_t>(source()());
    return b;
  }

  void place() {
    const std::size_t unit = shape.mode == DeviceMode::kCbc ? cipher.block_bytes : 1;
    for (std::size_t i = 0; i < shape.count; ++i) {
      std::size_t n = shape.length;
      if (shape.mixed) n = random_below(8) == 0 ? random_below(n + 1) : random_below(n / 16 + 2);
      lengths.push_back(static_cast<std::uint32_t>(n / unit * unit));
    }
    std::vector<std::size_t> order(shape.count);
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (shape.scattered) std::shuffle(order.begin(), order.end(), source());
    offsets.resize(shape.count);
    for (const std::size_t i : order) {
      if (shape.scattered) bytes += random_below(3) == 0 ? random_below(37) : 16;
      offsets[i] = bytes;
      bytes += lengths[i];
    }
    bytes += 16;  // must stay
  }

  void run(bool encrypts, const std::uint8_t* from, std::uint8_t* to, std::uint8_t* full_tags) {
    std::vector<ManyText> texts(shape.count);
    std::size_t at = 0;
    for (std::size_t i = 0; i < shape.count; ++i) {
      ManyText& t = texts[i];
      const std::size_t key = shape.keys == KeySource::kOwn ? 0 : index.empty() ? i : index[i];
      t.key = keys.data() + key * cipher.key_bytes;
      t.iv = ivs.data() + i * shape.iv_bytes;
      t.in = from + offsets[i];
      t.out = to + offsets[i];
      t.n = lengths[i];
      t.aad = aad.data() + at;
      t.aad_bytes = authenticates() ? aad_lengths[i] : 0;
      t.tag = full_tags + 16 * i;
      at += aad_lengths[i];
    }
    ManyBatch batch;
    batch.mode = shape.mode == DeviceMode::kCtr   ? ManyMode::kCtr
                 : shape.mode == DeviceMode::kGcm ? ManyMode::kGcm
                 : shape.mode == DeviceMode::kCcm ? ManyMode::kCcm
                                                  : ManyMode::kCbc;
    batch.encrypts = encrypts;
    batch.key_bytes = cipher.key_bytes;
    batch.iv_bytes = shape.iv_bytes;
    batch.counter_bits = shape.counter_bits;
    batch.tag_bytes = shape.tag_bytes;
    run_many(cipher, *find_backend("scalar"), batch, texts.data(), texts.size());
  }

  void make() {
    want = out;
    want_tags = tags;
    want_results = Bytes(shape.count, 1);
    Bytes full_tags(16 * shape.count);
    if (shape.encrypts || !authenticates()) {
      run(shape.encrypts, in.data(), want.data(), full_tags.data());
      if (authenticates()) put_tags(full_tags, &want_tags);
      return;
    }
    const Bytes text = in;
    run(true, text.data(), in.data(), full_tags.data());
    put_tags(full_tags, &tags);
    if (shape.in_place) out = want = in;
    for (std::size_t i = 0; i < shape.count; ++i) {
      const bool is_wrong = shape.wrong_tags && random_below(3) == 0;
      if (is_wrong) {
        tags[i * shape.tag_bytes + random_below(shape.tag_bytes)] ^=
            static_cast<std::uint8_t>(1u << random_below(8));
        want_results[i] = 0;
        ++wrong;
        first_wrong = std::min(first_wrong, static_cast<std::uint32_t>(i));
      }
      for (std::size_t j = 0; j < lengths[i]; ++j)
        want[offsets[i] + j] = is_wrong ? 0 : text[offsets[i] + j];
    }
    want_tags = tags;
  }
  void put_tags(const Bytes& full, Bytes* to) const {
    for (std::size_t i = 0; i < shape.count; ++i)
      std::memcpy(to->data() + i * shape.tag_bytes, full.data() + 16 * i, shape.tag_bytes);
  }
};

}  // namespace gpuctr::test

#endif
