#include "kernels/bulk/batch/check.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <new>
#include <utility>

#include "kernels/bulk/batch/table.h"

namespace gpuctr::bulk {
namespace {

BatchOutcome fault(BatchFault what, std::size_t message, std::uint64_t value) {
  BatchOutcome outcome;
  outcome.fault = what;
  outcome.message = message;
  outcome.value = value;
  return outcome;
}

// The longest text of one message, bytes.
std::uint64_t most_text(const Batch& b) {
  const std::uint64_t block = b.cipher->block_bytes;
  switch (b.mode) {
    case BatchMode::kCtr: {
      // The shift cannot overflow: a length has at most 63 bits.
      if (b.counter_bits >= 56) return INT64_MAX;
      return (std::uint64_t{1} << b.counter_bits) * block;
    }
    case BatchMode::kGcm:  // SP 800-38D 5.2.1.1
      return (std::uint64_t{1} << 36) - 32;
    case BatchMode::kCcm: {  // IV and length share 15 bytes (RFC 3610 2.1)
      const std::size_t bits = 8 * (15 - b.iv_bytes);
      return bits >= 63 ? INT64_MAX : (std::uint64_t{1} << bits) - 1;
    }
    case BatchMode::kXts:  // IEEE 1619 5.1
      return (std::uint64_t{1} << 20) * block;
    case BatchMode::kCbc:
      break;
  }
  return INT64_MAX;
}

// What the mode says of a text's length.
class Lengths {
 public:
  explicit Lengths(const Batch& b)
      : least_(b.mode == BatchMode::kXts ? b.cipher->block_bytes : 0),
        most_(most_text(b)),
        in_block_(b.mode == BatchMode::kCbc ? b.cipher->block_bytes - 1 : 0) {}
  BatchFault fault_of(std::uint64_t n) const {
    if (n < least_) return BatchFault::kTooShort;
    if (n > most_) return BatchFault::kTooLong;
    return (n & in_block_) != 0 ? BatchFault::kBlocks : BatchFault::kNone;
  }

 private:
  const std::uint64_t least_, most_, in_block_;
};

// The texts of a batch without arrays of lengths or offsets.
BatchOutcome check_one_length(const Batch& b) {
  const BatchFault wrong = Lengths(b).fault_of(b.length);
  if (wrong != BatchFault::kNone) return fault(wrong, 0, b.length);
  const std::uint64_t sum = std::uint64_t{b.messages} * b.length;
  if (sum != b.bytes) return fault(BatchFault::kSum, b.messages - 1, sum);
  BatchOutcome outcome;
  outcome.bytes = b.bytes;
  return outcome;
}

// The texts, message by message.
BatchOutcome check_texts(const Batch& b) {
  const Lengths lengths(b);
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < b.messages; ++i) {
    const std::uint64_t n = b.length_of(i);
    const BatchFault wrong = lengths.fault_of(n);
    if (wrong != BatchFault::kNone) return fault(wrong, i, n);
    const std::uint64_t at = b.offsets != nullptr ? b.offsets[i] : sum;
    if (at > b.bytes || n > b.bytes - at) return fault(BatchFault::kLength, i, at + n);
    sum += n;
  }
  if (b.offsets == nullptr && sum != b.bytes) return fault(BatchFault::kSum, b.messages - 1, sum);
  BatchOutcome outcome;
  outcome.bytes = sum;
  return outcome;
}

// Associated data and numbers of keys.
BatchOutcome check_aad_and_keys(const Batch& b) {
  std::uint64_t aad = std::uint64_t{b.messages} * b.aad_length;
  if (b.aad_lengths == nullptr && aad > b.aad_bytes) {
    return fault(BatchFault::kAad, b.messages - 1, aad);
  }
  aad = 0;
  for (std::size_t i = 0; b.aad_lengths != nullptr && i < b.messages; ++i) {
    aad += b.aad_lengths[i];
    if (aad > b.aad_bytes) return fault(BatchFault::kAad, i, aad);
  }
  for (std::size_t i = 0; b.table != nullptr && i < b.messages; ++i) {
    if (b.key_index[i] >= b.table->count()) return fault(BatchFault::kIndex, i, b.key_index[i]);
  }
  return {};
}

BatchOutcome check_messages(const Batch& b) {
  const BatchOutcome outcome =
      b.lengths == nullptr && b.offsets == nullptr ? check_one_length(b) : check_texts(b);
  if (outcome.fault != BatchFault::kNone) return outcome;
  if (outcome.bytes > b.most_bytes) return fault(BatchFault::kLimit, 0, outcome.bytes);
  const BatchOutcome rest = check_aad_and_keys(b);
  return rest.fault != BatchFault::kNone ? rest : outcome;
}

// Sorts `count` words by their high 32 bits, of which the last `bits` vary. Returns the sorted
// words: `words` or `spare`.
std::uint64_t* sort_words(std::uint64_t* words, std::uint64_t* spare, std::size_t count,
                          unsigned bits) {
  constexpr unsigned kDigit = 11;
  for (unsigned at = 0; at < bits; at += kDigit) {
    const auto digit = [at](std::uint64_t word) {
      return (word >> (32 + at)) & ((1u << kDigit) - 1);
    };
    std::size_t place[(1u << kDigit) + 1] = {};
    for (std::size_t i = 0; i < count; ++i) ++place[digit(words[i]) + 1];
    for (std::size_t d = 1; d < std::size(place); ++d) place[d] += place[d - 1];
    for (std::size_t i = 0; i < count; ++i) spare[place[digit(words[i])]++] = words[i];
    std::swap(words, spare);
  }
  return words;
}

// Finds two texts that share bytes among texts in any order.
BatchOutcome check_sorted(const Batch& b) {
  if (b.bytes > UINT32_MAX || b.messages > UINT32_MAX) {
    return fault(BatchFault::kMemory, 0, b.messages);
  }
  const std::unique_ptr<std::uint64_t[]> memory(new (std::nothrow) std::uint64_t[2 * b.messages]);
  if (memory == nullptr) return fault(BatchFault::kMemory, 0, 2 * b.messages);
  std::size_t count = 0;
  for (std::size_t i = 0; i < b.messages; ++i) {
    if (b.length_of(i) != 0) memory[count++] = b.offsets[i] << 32 | i;
  }
  const auto bits = static_cast<unsigned>(64 - __builtin_clzll(b.bytes | 1));
  const std::uint64_t* const sorted =
      sort_words(memory.get(), memory.get() + b.messages, count, bits);
  for (std::size_t i = 1; i < count; ++i) {
    const std::size_t x = sorted[i - 1] & UINT32_MAX, y = sorted[i] & UINT32_MAX;
    if (b.offsets[x] + b.length_of(x) <= b.offsets[y]) continue;
    return fault(BatchFault::kOverlap, std::max(x, y), std::min(x, y));
  }
  return {};
}

// Texts in ascending order are checked in one pass; other texts are sorted first.
BatchOutcome check_apart(const Batch& b) {
  std::uint64_t end = 0;
  std::size_t last = 0;
  for (std::size_t i = 0; i < b.messages; ++i) {
    if (b.length_of(i) == 0) continue;
    if (b.offsets[i] < end) {
      return b.offsets[i] < b.offsets[last] ? check_sorted(b)
                                            : fault(BatchFault::kOverlap, i, last);
    }
    end = b.offsets[i] + b.length_of(i);
    last = i;
  }
  return {};
}

struct Range {
  std::uintptr_t begin, end;
  bool shares(const Range& o) const { return begin < o.end && o.begin < end; }
};

Range range(const void* data, std::size_t bytes) {
  const auto at = reinterpret_cast<std::uintptr_t>(data);
  return data == nullptr || bytes == 0 ? Range{0, 0} : Range{at, at + bytes};
}

// The part of `data` from the first byte of any text to the last.
Range range_of_texts(const Batch& b, const std::uint8_t* data) {
  if (b.offsets == nullptr) return range(data, b.bytes);
  std::uint64_t begin = UINT64_MAX, end = 0;
  for (std::size_t i = 0; i < b.messages; ++i) {
    const std::uint64_t n = b.length_of(i);
    if (n == 0) continue;
    begin = std::min(begin, b.offsets[i]);
    end = std::max(end, b.offsets[i] + n);
  }
  return end == 0 ? Range{0, 0} : range(data + begin, static_cast<std::size_t>(end - begin));
}

// What the batch writes is apart from what it reads. Texts may be encrypted in place.
bool arrays_are_apart(const Batch& b) {
  const std::size_t n = b.messages;
  const Range out = range_of_texts(b, b.out), results = range(b.results, n),
              tags = range(b.tags, n * b.tag_bytes);
  const Range in = b.in == b.out ? Range{0, 0} : range_of_texts(b, b.in);
  const std::size_t keys = b.table != nullptr ? 0 : n * b.key_bytes;
  const Range read[] = {in,
                        range(b.keys, keys),
                        range(b.key_index, n * sizeof *b.key_index),
                        range(b.ivs, n * b.iv_bytes),
                        range(b.lengths, n * sizeof *b.lengths),
                        range(b.offsets, n * sizeof *b.offsets),
                        range(b.aad, b.aad_bytes),
                        range(b.aad_lengths, n * sizeof *b.aad_lengths)};
  if (out.shares(results) || out.shares(tags) || results.shares(tags)) return false;
  for (const Range& r : read) {
    if (out.shares(r) || results.shares(r) || (b.encrypts && tags.shares(r))) return false;
  }
  return true;
}

}  // namespace

BatchOutcome check_batch(const Batch& batch) {
  const BatchOutcome outcome = check_messages(batch);
  if (outcome.fault != BatchFault::kNone) return outcome;
  if (batch.offsets != nullptr) {
    const BatchOutcome apart = check_apart(batch);
    if (apart.fault != BatchFault::kNone) return apart;
  }
  return arrays_are_apart(batch) ? outcome : fault(BatchFault::kArrays, 0, 0);
}

}  // namespace gpuctr::bulk
