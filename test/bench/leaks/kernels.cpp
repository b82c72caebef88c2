#include <cstring>
#include <memory>

#include "kernels/cpu/backend.h"
#include "test/bench/leaks/leaks.h"

namespace gpuctr::bench {
namespace {

// One of each kind of definition.
constexpr const char* kCiphers[] = {"AES-128", "ARIA-128", "CAMELLIA-128", "SEED",
                                    "LEA-128", "HIGHT",    "CHAM-64-128",  "CHAM-128-128"};
constexpr std::size_t kBlocks = 5;  // more than one, fewer than a vector of any backend

volatile std::uint8_t g_kept;  // results that nobody reads are not made otherwise

// What one cipher's trials on a backend share.
struct Work {
  Work(const CipherSpec& s, const Backend& backend)
      : spec(s),
        ops(backend.ops[s.index]),
        keys(s.key_bytes, 2),
        texts(kBlocks * s.block_bytes, 3) {
    for (unsigned i = 0; i < kSchedules; ++i) {
      expand_on(spec, ops, keys.next(false), spec.key_bytes, &schedules[0][i]);
      expand_on(spec, ops, keys.next(true), spec.key_bytes, &schedules[1][i]);
    }
    schedule = schedules[1][0];
  }
  const CipherSpec& spec;
  const CipherOps& ops;
  Inputs keys, texts;
  std::uint8_t key[kMaxKeyBytes] = {}, in[kBlocks * kMaxBlockBytes] = {}, out[sizeof in] = {};
  static constexpr unsigned kSchedules = 32;
  RoundKeys schedule = {}, expanded = {};
  RoundKeys schedules[2][kSchedules] = {};  // copies of one, and others
  unsigned next = 0;

  void text(bool random) { std::memcpy(in, texts.next(random), texts.bytes()); }
  void schedule_of(bool random) {
    next = (next + 1) % kSchedules;
    schedule = schedules[random][next];
  }
};

void add_cipher(const CipherSpec& spec, const Backend& backend, std::vector<Trial>* trials) {
  const auto work = std::make_shared<Work>(spec, backend);
  const std::string name = spec.name;
  const auto add = [&](const char* what, std::function<void(bool)> prepare,
                       std::function<void()> call) {
    trials->push_back(
        {backend.name, name + " " + what, false, std::move(prepare), std::move(call)});
  };
  Work* const w = work.get();  // each function below holds `work`
  const auto encrypt = [work, w] {
    w->ops.encrypt(w->schedule, w->in, w->out, kBlocks);
    g_kept = w->out[0];
  };
  const auto decrypt = [work, w] {
    w->ops.decrypt(w->schedule, w->in, w->out, kBlocks);
    g_kept = w->out[0];
  };
  add(
      "encryption, texts", [work, w](bool r) { w->text(r); }, encrypt);
  add(
      "encryption, keys", [work, w](bool r) { w->schedule_of(r); }, encrypt);
  add(
      "decryption, texts", [work, w](bool r) { w->text(r); }, decrypt);
  add(
      "decryption, keys", [work, w](bool r) { w->schedule_of(r); }, decrypt);
  add(
      "key schedule",
      [work, w](bool r) { std::memcpy(w->key, w->keys.next(r), w->spec.key_bytes); },
      [work, w] { expand_on(w->spec, w->ops, w->key, w->spec.key_bytes, &w->expanded); });
}

struct HashWork {
  explicit HashWork(const GhashOps& o) : ops(o), keys(16, 4), texts(80, 5) {
    for (unsigned i = 0; i < kKeys; ++i) {
      ops.expand(keys.next(false), &expanded[0][i]);
      ops.expand(keys.next(true), &expanded[1][i]);
    }
    key = expanded[1][0];
  }
  const GhashOps& ops;
  Inputs keys, texts;
  std::uint8_t h[16] = {}, in[80] = {}, y[16] = {};
  static constexpr unsigned kKeys = 32;
  GhashKey expanded[2][kKeys], key, made;
  unsigned next = 0;
};

void add_ghash(const Backend& backend, std::vector<Trial>* trials) {
  const auto work = std::make_shared<HashWork>(*backend.ghash);
  HashWork* const w = work.get();
  const auto hash = [work, w] {
    w->ops.update(w->key, w->y, w->in, sizeof w->in / 16);
    g_kept = w->y[0];
  };
  trials->push_back({backend.name, "GHASH, texts", false,
                     [work, w](bool r) {
                       std::memcpy(w->in, w->texts.next(r), sizeof w->in);
                       std::memset(w->y, 0, sizeof w->y);
                     },
                     hash});
  trials->push_back({backend.name, "GHASH, keys", false,
                     [work, w](bool r) {
                       w->next = (w->next + 1) % HashWork::kKeys;
                       w->key = w->expanded[r][w->next];
                       std::memset(w->y, 0, sizeof w->y);
                     },
                     hash});
  trials->push_back({backend.name, "GHASH's powers", false,
                     [work, w](bool r) { std::memcpy(w->h, w->keys.next(r), sizeof w->h); },
                     [work, w] { w->ops.expand(w->h, &w->made); }});
}

}  // namespace

void add_kernels(std::vector<Trial>* trials) {
  const BackendList all = cpu_backends();
  for (std::size_t i = 0; i < all.count; ++i) {
    const Backend& backend = *all.first[i];
    if (!backend.available()) continue;
    for (const char* name : kCiphers) {
      const CipherSpec* const spec = find_cipher(name);
      if (spec != nullptr) add_cipher(*spec, backend, trials);
    }
    add_ghash(backend, trials);
  }
}

// Leaks that have to be found: a comparison that stops at the first wrong byte, a look-up in a
// table of 1 MiB, a branch on a bit.
void add_planted(std::vector<Trial>* trials) {
  static constexpr std::uint32_t kTable = 1u << 20;
  struct Planted {
    Inputs texts{64, 6};
    std::uint8_t in[64] = {};
    Bytes table = Bytes(kTable, 7);
    volatile std::uint32_t sum = 0;
  };
  const auto work = std::make_shared<Planted>();
  Planted* const w = work.get();
  const auto prepare = [work, w](bool r) { std::memcpy(w->in, w->texts.next(r), sizeof w->in); };
  trials->push_back({"planted", "comparison that stops early", true,
                     [work, w](bool r) {
                       std::memset(w->in, 0, sizeof w->in);
                       w->in[r ? 2 : 60] = 1;
                     },
                     [work, w] {
                       unsigned i = 0;
                       while (i < sizeof w->in &&
                              static_cast<volatile std::uint8_t*>(w->in)[i] == 0)
                         ++i;
                       w->sum = i;
                     }});
  trials->push_back({"planted", "look-up in a table of 1 MiB", true, prepare, [work, w] {
                       std::uint32_t at = 0;
                       for (unsigned i = 0; i < 16; ++i) {
                         at = (at * 1021 + w->in[2 * i] * 4093u + w->in[2 * i + 1] * 257u) % kTable;
                         at += w->table[at];
                       }
                       w->sum = at;
                     }});
  trials->push_back({"planted", "branch on a bit", true, prepare, [work, w] {
                       std::uint32_t sum = 0;
                       for (unsigned i = 0; i < sizeof w->in; ++i)
                         if ((static_cast<volatile std::uint8_t*>(w->in)[i] & 1) != 0)
                           sum = sum * 3 + 1;
                       w->sum = sum;
                     }});
}

}  // namespace gpuctr::bench
