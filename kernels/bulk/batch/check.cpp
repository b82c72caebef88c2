#include "kernels/bulk/batch/check.h"

#include <algorithm>
#include <memory>
#include <new>

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
    case BatchMode::kCbc:
      break;
  }
  return INT64_MAX;
}

// Texts, associated data and indices, message by message.
BatchOutcome check_messages(const Batch& b) {
  const std::uint64_t most = most_text(b);
  const std::size_t in_block = b.mode == BatchMode::kCbc ? b.cipher->block_bytes - 1 : 0;
  std::uint64_t sum = 0, aad = 0;
  for (std::size_t i = 0; i < b.messages; ++i) {
    const std::uint64_t n = b.length_of(i);
    if (n > most) return fault(BatchFault::kTooLong, i, n);
    if ((n & in_block) != 0) return fault(BatchFault::kBlocks, i, n);
    const std::uint64_t at = b.offsets != nullptr ? b.offsets[i] : sum;
    if (at > b.bytes || n > b.bytes - at) return fault(BatchFault::kLength, i, at + n);
    sum += n;
    aad += b.aad_length_of(i);
    if (aad > b.aad_bytes) return fault(BatchFault::kAad, i, aad);
    if (b.table != nullptr && b.key_index[i] >= b.table->count()) {
      return fault(BatchFault::kIndex, i, b.key_index[i]);
    }
  }
  if (b.offsets == nullptr && sum != b.bytes) return fault(BatchFault::kSum, b.messages - 1, sum);
  if (sum > b.most_bytes) return fault(BatchFault::kLimit, 0, sum);
  BatchOutcome outcome;
  outcome.bytes = sum;
  return outcome;
}

// A text and the number of its message.
struct Span {
  std::uint64_t begin, end;
  std::size_t message;
};

// Texts in ascending order are checked in one pass; other texts are sorted first.
BatchOutcome check_apart(const Batch& b) {
  std::uint64_t end = 0;
  std::size_t last = 0, i = 0;
  for (; i < b.messages; ++i) {
    if (b.length_of(i) == 0) continue;
    if (b.offsets[i] < end) break;
    end = b.offsets[i] + b.length_of(i);
    last = i;
  }
  if (i == b.messages) return {};
  if (b.offsets[i] >= b.offsets[last]) return fault(BatchFault::kOverlap, i, last);
  const std::unique_ptr<Span[]> spans(new (std::nothrow) Span[b.messages]);
  if (spans == nullptr) return fault(BatchFault::kMemory, 0, b.messages * sizeof(Span));
  std::size_t count = 0;
  for (i = 0; i < b.messages; ++i) {
    const std::uint64_t n = b.length_of(i);
    if (n != 0) spans[count++] = {b.offsets[i], b.offsets[i] + n, i};
  }
  std::sort(spans.get(), spans.get() + count,
            [](const Span& x, const Span& y) { return x.begin < y.begin; });
  for (i = 1; i < count; ++i) {
    if (spans[i].begin >= spans[i - 1].end) continue;
    const std::size_t x = spans[i].message, y = spans[i - 1].message;
    return fault(BatchFault::kOverlap, std::max(x, y), std::min(x, y));
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
