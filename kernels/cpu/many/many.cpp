#include "kernels/cpu/many/many.h"

#include "kernels/base/frames.h"
#include "kernels/cpu/many/sets.h"

namespace gpuctr {
namespace {

constexpr std::size_t kWindow = 256;   // messages that are sorted together
constexpr std::size_t kBuckets = 256;  // of lengths

// Lengths of less than 64 blocks by their number of blocks; above that four buckets for each
// doubling. 0 is the longest.
unsigned bucket_of(std::size_t blocks) {
  constexpr unsigned kSingle = 64;
  if (blocks < kSingle) return kBuckets - 1 - static_cast<unsigned>(blocks);
  const auto log = 63 - static_cast<unsigned>(__builtin_clzll(blocks));
  const auto quarter = static_cast<unsigned>(blocks >> (log - 2)) & 3;
  return kBuckets - 1 - (kSingle + 4 * (log - 6) + quarter);
}

struct Window {
  const ManyText* texts[kWindow];
  std::size_t count = 0;

  void sort(std::size_t block) {
    std::uint8_t buckets[kWindow];
    std::uint16_t places[kBuckets + 1] = {};
    const auto shift = static_cast<unsigned>(__builtin_ctzll(block));
    bool sorted = true;
    for (std::size_t i = 0; i < count; ++i) sorted &= texts[i]->n == texts[0]->n;
    if (sorted) return;
    sorted = true;
    for (std::size_t i = 0; i < count; ++i) {
      buckets[i] = static_cast<std::uint8_t>(bucket_of((texts[i]->n + block - 1) >> shift));
      ++places[buckets[i] + 1];
      sorted &= i == 0 || buckets[i] >= buckets[i - 1];
    }
    if (sorted) return;
    for (std::size_t b = 1; b < kBuckets; ++b) {
      places[b] = static_cast<std::uint16_t>(places[b] + places[b - 1]);
    }
    const ManyText* moved[kWindow];
    for (std::size_t i = 0; i < count; ++i) moved[places[buckets[i]]++] = texts[i];
    for (std::size_t i = 0; i < count; ++i) texts[i] = moved[i];
  }
};

__attribute__((noinline)) void run_window(const many::Machine& machine, const ManyOps& ops,
                                          const ManyBatch& batch, many::Sets& sets,
                                          Window& window) {
  window.sort(machine.spec.block_bytes);
  for (std::size_t at = 0; at != window.count;) {
    const std::size_t left = window.count - at;
    const auto take = static_cast<unsigned>(left < ops.lanes ? left : ops.lanes);
    if (take < ops.least || !sets.run(window.texts + at, take)) {
      for (unsigned i = 0; i < take; ++i) many::run_one(machine, batch, *window.texts[at + i]);
    }
    at += take;
  }
  window.count = 0;
}

// Long texts go one by one. With a schedule no key is expanded. GCM's powers of H take longer to
// make than a table of round keys, unless one loop makes text and hash.
bool goes_alone(const many::Machine& machine, const ManyOps& ops, const ManyBatch& batch,
                const ManyText& text) {
  constexpr std::size_t kLongest = 1024, kInOneLoop = 768;
  if (batch.mode == ManyMode::kCcm || (batch.mode == ManyMode::kCbc && batch.encrypts))
    return false;
  if (batch.mode != ManyMode::kGcm)
    return text.n > (text.keys != nullptr ? ops.long_text_with_schedule : ops.long_text);
  if (!many::gcm_in_one_loop(machine, batch)) return text.n > kLongest;
  return (text.keys != nullptr && text.powers != nullptr) || text.n > kInOneLoop;
}

// The stack of the functions below run_sets(): of Sets, of the modes, and of ManyOps. Clang 14
// takes 17 KB for Camellia's keys of 256 bits.
constexpr std::size_t kStackBytes = 12288 + 16 * kMoreSpills;

__attribute__((noinline)) void run_sets(const many::Machine& machine, const ManyOps& ops,
                                        const ManyModes& modes, const ManyBatch& batch,
                                        const ManyText* texts, std::size_t count) {
  many::Sets sets(machine, ops, modes, batch);
  Window window;
  for (std::size_t i = 0; i < count; ++i) {
    if (goes_alone(machine, ops, batch, texts[i])) {
      many::run_one(machine, batch, texts[i]);
      continue;
    }
    window.texts[window.count++] = &texts[i];
    if (window.count == kWindow) run_window(machine, ops, batch, sets, window);
  }
  run_window(machine, ops, batch, sets, window);
  wipe_stack<kStackBytes>();
}

__attribute__((noinline)) void run_all(const many::Machine& machine, const ManyBatch& batch,
                                       const ManyText* texts, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) many::run_one(machine, batch, texts[i]);
}

}  // namespace

void run_many(const CipherSpec& spec, const Backend& backend, const ManyBatch& batch,
              const ManyText* texts, std::size_t count) {
  const many::Machine machine{spec, backend.ops[spec.index], *backend.ghash};
  const ManyOps* const ops = backend.many[spec.index];
  if (ops == nullptr || count < ops->least || batch.key_bytes != spec.key_bytes ||
      batch.tweak != nullptr) {
    run_all(machine, batch, texts, count);
    wipe_stack<kStackBytes>();
    machine.ghash.multiply(nullptr, nullptr, 0);  // no product, but it wipes the registers
    return;
  }
  const ManyModes& modes = *backend.many_modes[spec.block_bytes == 16];
  run_sets(machine, *ops, modes, batch, texts, count);
  modes.wipe();
}

}  // namespace gpuctr
