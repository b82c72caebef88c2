#include "kernels/bulk/batch/cpu_work.h"

#include <algorithm>
#include <cstring>

#include "kernels/base/equal.h"
#include "kernels/bulk/base/process_state.h"
#include "kernels/bulk/base/threads.h"
#include "kernels/bulk/base/xts.h"
#include "kernels/bulk/batch/table.h"
#include "kernels/bulk/job/shared.h"
#include "kernels/cpu/many/many.h"

namespace gpuctr::bulk {
namespace {

constexpr std::size_t kTag = 16;
// A piece has at most this many bytes of text, or one message.
constexpr std::size_t kPieceBytes = 256u << 10;
constexpr std::size_t kLeastMessages = 64, kMostMessages = 1024;
constexpr std::size_t kTexts = 256;  // messages of a call of run_many()

ManyMode many_mode(BatchMode mode) {
  switch (mode) {
    case BatchMode::kGcm:
      return ManyMode::kGcm;
    case BatchMode::kCcm:
      return ManyMode::kCcm;
    case BatchMode::kCbc:
      return ManyMode::kCbc;
    case BatchMode::kCtr:
    case BatchMode::kXts:  // run_xts()
      break;
  }
  return ManyMode::kCtr;
}

}  // namespace

BatchWork::BatchWork(const Batch& batch, const Backend& cpu, unsigned threads)
    : batch_(batch),
      cpu_(cpu),
      most_(
          std::clamp(batch.messages / (4 * std::size_t{threads}), kLeastMessages, kMostMessages)) {
  many_.mode = many_mode(batch.mode);
  many_.encrypts = batch.encrypts;
  many_.key_bytes = batch.key_bytes;
  many_.iv_bytes = batch.iv_bytes;
  many_.counter_bits = batch.counter_bits;
  many_.tag_bytes = batch.tag_bytes;
  many_.tweak = batch.tweak;
  std::memset(own_hash_.value, 0, sizeof own_hash_.value);
  if (batch.mode == BatchMode::kGcm && batch.own_key != nullptr) {
    constexpr std::size_t kWorthPowers = 4;  // messages
    cpu.ops[batch.cipher->index].encrypt(*batch.own_key, own_hash_.value, own_hash_.value, 1);
    has_own_powers_ = batch.messages >= kWorthPowers;
    if (has_own_powers_) cpu.ghash->expand(own_hash_.value, &own_powers_.value);
  }
}

unsigned BatchWork::useful_helpers() const {
  const std::size_t by_count = batch_.messages / most_, by_bytes = batch_.bytes / kPieceBytes;
  const std::size_t pieces = std::max(by_count, std::min(by_bytes, batch_.messages));
  return static_cast<unsigned>(std::min<std::size_t>(pieces, UINT32_MAX));
}

bool BatchWork::take(Piece* piece) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const std::size_t left = batch_.messages - next_.first;
  if (left == 0) return false;
  *piece = next_;
  const std::size_t most = std::min(most_, left);
  std::size_t count = 0;
  std::uint64_t bytes = 0, aad = 0;
  if (batch_.lengths == nullptr && batch_.aad_lengths == nullptr) {
    count =
        batch_.length == 0 ? most : std::clamp<std::size_t>(kPieceBytes / batch_.length, 1, most);
    bytes = count * std::uint64_t{batch_.length};
    aad = count * std::uint64_t{batch_.aad_length};
  } else {
    for (; count < most && (count == 0 || bytes < kPieceBytes); ++count) {
      bytes += batch_.length_of(next_.first + count);
      aad += batch_.aad_length_of(next_.first + count);
    }
  }
  piece->count = count;
  next_.first += count;
  next_.text_at += bytes;
  next_.aad_at += aad;
  return true;
}

// The text of a wrong tag becomes zeros, as in an ordinary context of CCM.
void BatchWork::finish_tag(std::size_t message, const ManyText& text) {
  std::uint8_t* const tag = batch_.tags + message * batch_.tag_bytes;
  bool good = true;
  if (batch_.encrypts) {
    if (text.tag != tag) std::memcpy(tag, text.tag, batch_.tag_bytes);
  } else if (!equal_in_constant_time(tag, text.tag, batch_.tag_bytes)) {
    good = false;
    wipe(text.out, text.n);
    wrong_.fetch_add(1, std::memory_order_relaxed);
    std::size_t first = first_wrong_.load(std::memory_order_relaxed);
    while (message < first && !first_wrong_.compare_exchange_weak(first, message)) {
    }
  }
  if (batch_.results != nullptr) batch_.results[message] = good ? 1 : 0;
}

// The memory of one thread. It keeps the computed tags until the thread has no more work.
struct BatchWork::Scratch {
  ManyText texts[kTexts];
  Wiped<std::uint8_t[kTexts][kTag]> tags;
};

// Sets the key, the IV and the length of a message.
inline void BatchWork::set_text(std::size_t message, ManyText* text) const {
  const Batch& b = batch_;
  if (b.table != nullptr) {
    const std::size_t key = b.key_index[message];
    text->key = b.table->raw() + key * b.key_bytes;
    text->keys = b.table->round_keys(key);
    if (b.mode == BatchMode::kGcm) {
      text->hash = b.table->hash_key(key);
      text->powers = b.table->powers(key);
    }
  } else if (b.keys != nullptr) {
    text->key = b.keys + message * b.key_bytes;
  } else {
    text->keys = b.own_key;
    if (b.mode == BatchMode::kGcm) {
      text->hash = own_hash_.value;
      if (has_own_powers_) text->powers = &own_powers_.value;
    }
  }
  text->iv = b.ivs + message * b.iv_bytes;
  text->n = b.length_of(message);
}

// Data units of XTS: those of one length that come one after the other are one piece of work.
void BatchWork::run_xts(Piece* piece, std::size_t count) {
  const Batch& b = batch_;
  const CipherOps& ops = cpu_.ops[b.cipher->index];
  const std::uint8_t* const ivs = b.ivs + piece->first * b.iv_bytes;
  const auto work = [&](std::uint64_t at, std::size_t n) {
    return XtsWork{ops, cpu_.xts_masks, *b.own_key, b.encrypts, b.in + at, b.out + at, n};
  };
  if (b.lengths == nullptr && b.offsets == nullptr) {
    const std::size_t n = count * b.length;
    xts_units(work(piece->text_at, n), {b.length, ivs, *b.tweak_key});
    piece->text_at += n;
  } else {
    Wiped<std::uint8_t[kTexts * kXtsBlock]> masks;
    ops.encrypt(*b.tweak_key, ivs, masks.value, count);
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t n = b.length_of(piece->first + i);
      xts_unit(work(place_of(piece->first + i, *piece), n), masks.value + kXtsBlock * i);
      piece->text_at += n;
    }
  }
  if (b.results != nullptr) std::memset(b.results + piece->first, 1, count);
  piece->first += count;
  piece->count -= count;
}

// Runs the next `count` messages of the piece, at most kTexts.
void BatchWork::run(Piece* piece, std::size_t count, Scratch* scratch) {
  if (batch_.mode == BatchMode::kXts) return run_xts(piece, count);
  const Batch& b = batch_;
  ManyText* const texts = scratch->texts;
  const bool direct = b.encrypts && b.tag_bytes == kTag;
  const std::size_t first = piece->first;
  for (std::size_t i = 0; i < count; ++i) {
    ManyText& text = texts[i];
    set_text(first + i, &text);
    const std::uint64_t at = place_of(first + i, *piece);
    text.in = b.in + at;
    text.out = b.out + at;
    piece->text_at += text.n;
    if (!b.authenticates()) continue;
    text.aad = b.aad + piece->aad_at;
    text.aad_bytes = b.aad_length_of(first + i);
    text.tag = direct ? b.tags + (first + i) * kTag : scratch->tags.value[i];
    piece->aad_at += text.aad_bytes;
  }
  run_many(*b.cipher, cpu_, many_, texts, count);
  for (std::size_t i = 0; b.authenticates() && i < count; ++i) finish_tag(first + i, texts[i]);
  if (!b.authenticates() && b.results != nullptr) std::memset(b.results + first, 1, count);
  piece->first += count;
  piece->count -= count;
}

void BatchWork::work() {
  Scratch scratch;
  for (Piece piece; take(&piece);) {
    while (piece.count != 0) run(&piece, std::min(kTexts, piece.count), &scratch);
  }
}

void run_by_threads(Shared* shared, BatchWork* work, unsigned threads) {
  if (shared == nullptr || threads < 2) {
    work->work();
    return;
  }
  const CancelDisabled whole_batch;
  process_has_threads();
  shared->pool.start(threads - 1);
  shared->pool.post(work, std::min(threads - 1, work->useful_helpers()));
  work->work();
  shared->pool.finish(work);
}

}  // namespace gpuctr::bulk
