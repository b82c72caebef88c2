// All states of CTR_DRBG that calls can reach, against SP 800-90A, over toy ciphers whose blocks
// have few values. The search ends when no call leads to a new state, so sequences of every length
// of these calls are covered.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <queue>

#define private public  // Key and V are compared where they lie
#include "drbg/ctr_drbg.h"
#undef private
#include "test/prove/drbg/standard.h"

namespace gpuctr::prove {
namespace {

// The last byte of the result is one of eight, by a table made from a number; the others are zero.
struct Toy {
  std::uint8_t table[64];
  explicit Toy(unsigned seed) {
    for (std::uint8_t& entry : table) {
      seed = seed * 1103515245 + 12345;
      entry = static_cast<std::uint8_t>(seed >> 20 & 7);
    }
  }
  Half operator()(const Half& key, const Half& block) const {
    std::uint32_t k = 1, b = 1;
    for (unsigned i = 0; i < 8; ++i) {
      k = (k ^ key[i]) * 0x9e3779b1;
      b = (b ^ block[i]) * 0x85ebca77;
    }
    Half out = {};
    out[7] = table[k >> 29 << 3 | b >> 29];
    return out;
  }
};

class ToyCipher final : public drbg::BlockCipher {
 public:
  ToyCipher(const Toy& toy, bool shared) : BlockCipher(8, 8, 16), toy_(toy), shared_(shared) {}

  void expand(const std::uint8_t* key, RoundKeys* out) const override {
    std::memset(out, 0, sizeof *out);
    std::memcpy(out, key, 8);
  }
  void encrypt(const RoundKeys& keys, const std::uint8_t* in, std::uint8_t* out,
               std::size_t blocks) const override {
    Half key, block;
    std::memcpy(key.data(), &keys, 8);
    for (std::size_t i = 0; i < blocks; ++i) {
      std::memcpy(block.data(), in + 8 * i, 8);
      block = toy_(key, block);
      std::memcpy(out + 8 * i, block.data(), 8);
    }
  }
  void keystream(const RoundKeys& keys, const std::uint8_t* counter, std::uint8_t* out,
                 std::size_t n) const override {
    std::uint8_t at[8], block[8];
    std::memcpy(at, counter, 8);
    for (std::size_t i = 0; i < n; i += 8) {
      encrypt(keys, at, block, 1);
      std::memcpy(out + i, block, std::min<std::size_t>(8, n - i));
      counter_add(at, 8, 1);
    }
  }
  bool output(const BulkSegment* segments, std::size_t count) const override {
    for (std::size_t i = 0; i < count; ++i) {
      RoundKeys keys;
      if (segments[i].keys == nullptr) expand(segments[i].key, &keys);
      keystream(segments[i].keys == nullptr ? keys : *segments[i].keys, segments[i].counter,
                segments[i].out, segments[i].bytes);
    }
    return !fails;
  }
  bool shares(const void*, std::size_t) const override { return shared_; }

  bool fails = false;

 private:
  const Toy& toy_;
  bool shared_;
};

struct Call {
  enum { kInstantiate, kReseed, kGenerate, kUninstantiate } what;
  Bytes entropy = {}, nonce = {}, other = {};
  std::size_t n = 0;
  bool fails = false;  // the backend, at generate
};

std::vector<Call> calls(bool use_df, bool shared) {
  std::vector<Call> all;
  const Bytes good = use_df ? Bytes{1, 2} : Bytes(16, 1);
  Bytes second = good, little = good;
  second.back() = 6;
  little.pop_back();
  const Bytes much(17, 3), some = {5, 4, 3};
  const Bytes entropies[] = {good, second, little, much};
  for (const Bytes& entropy : entropies) {
    for (const Bytes& other : {Bytes{}, some, much}) {
      all.push_back({Call::kInstantiate, entropy, {7}, other});
      all.push_back({Call::kReseed, entropy, {}, other});
    }
    all.push_back({Call::kInstantiate, entropy, {}, {}});
  }
  for (const std::size_t n : {0, 1, 8, 9, 1023, 1024, 1025, 2048, 2049, 3072, 3073}) {
    for (const Bytes& other : {Bytes{}, some, much}) {
      all.push_back({Call::kGenerate, {}, {}, other, n});
    }
    if (shared && n != 0) all.push_back({Call::kGenerate, {}, {}, {}, n, true});
  }
  all.push_back({Call::kUninstantiate});
  return all;
}

const char* name_of(drbg::Status status) {
  switch (status) {
    case drbg::Status::kOk:
      return "";
    case drbg::Status::kAlreadyInstantiated:
      return "exists";
    case drbg::Status::kNotInstantiated:
      return "does not exist";
    case drbg::Status::kInErrorState:
      return "error state";
    case drbg::Status::kEntropyTooShort:
      return "too little entropy";
    case drbg::Status::kEntropyTooLong:
      return "too much entropy";
    case drbg::Status::kNonceTooShort:
      return "nonce";
    case drbg::Status::kPersonalizationTooLong:
    case drbg::Status::kAdditionalInputTooLong:
      return "too long";
    case drbg::Status::kReseedRequired:
      return "reseed";
    case drbg::Status::kOutputFailed:
      return "output";
    default:
      return "?";
  }
}

drbg::ByteView view(const Bytes& bytes) { return {bytes.data(), bytes.size()}; }

// The standard's answer: n bytes are a chain of requests, refused as a whole before the first.
Verdict ask(StandardDrbg* drbg, const Limits& limits, const Call& call, Bytes* out) {
  switch (call.what) {
    case Call::kInstantiate:
      return drbg->instantiate(call.entropy, call.nonce, call.other);
    case Call::kReseed:
      return drbg->reseed(call.entropy, call.other);
    case Call::kUninstantiate:
      drbg->uninstantiate();
      return "";
    default:
      break;
  }
  const StandardDrbg before = *drbg;
  std::size_t left = call.n;
  do {
    const std::size_t take = std::min(left, limits.request);
    const Verdict verdict = drbg->generate(take, call.other, out);
    if (!verdict.empty()) {
      *drbg = before;
      out->clear();
      return verdict;
    }
    left -= take;
  } while (left != 0);
  if (!call.fails) return "";
  drbg->break_down();
  out->clear();
  return "output";
}

Verdict ask(drbg::CtrDrbg* drbg, ToyCipher* cipher, const Call& call, Bytes* out) {
  constexpr std::uint8_t kUntouched = 0xa5;
  drbg::Status status = drbg::Status::kOk;
  switch (call.what) {
    case Call::kInstantiate:
      status = drbg->instantiate(view(call.entropy), view(call.nonce), view(call.other));
      break;
    case Call::kReseed:
      status = drbg->reseed(view(call.entropy), view(call.other));
      break;
    case Call::kUninstantiate:
      drbg->uninstantiate();
      break;
    default:
      Bytes memory(call.n + 1, kUntouched);
      cipher->fails = call.fails;
      status = drbg->generate(memory.data(), call.n, view(call.other));
      cipher->fails = false;
      if (memory.back() != kUntouched) return "written past the end";
      memory.pop_back();
      if (status == drbg::Status::kOk) {
        *out = memory;
      } else if (status != drbg::Status::kOutputFailed &&
                 std::count(memory.begin(), memory.end(), kUntouched) != long(call.n)) {
        return "refused, and written";
      }
  }
  return name_of(status);
}

using StateKey = std::array<std::uint64_t, 4>;
StateKey key_of(const StandardDrbg& drbg) {
  StateKey made = {0, 0, drbg.reseed_counter, std::uint64_t{drbg.exists} << 1 | drbg.broken};
  std::memcpy(&made[0], drbg.key.data(), 8);
  std::memcpy(&made[1], drbg.v.data(), 8);
  return made;
}
StateKey key_of(const drbg::CtrDrbg& drbg) {
  StateKey made = {0, 0, drbg.reseed_counter(),
                   std::uint64_t{drbg.state() == drbg::State::kReady} << 1 |
                       (drbg.state() == drbg::State::kError)};
  std::memcpy(&made[0], drbg.key_, 8);
  std::memcpy(&made[1], drbg.v_, 8);
  return made;
}

struct Count {
  std::size_t states = 0, calls = 0, depth = 0;
};

// Every call in every state. The states of both are compared whole, so that one path to a state
// stands for all.
bool search(unsigned seed, const Limits& limits, bool shared, Count* count) {
  const Toy toy(seed);
  ToyCipher cipher(toy, shared);
  const drbg::Mechanism mechanism(cipher);
  const std::vector<Call> all = calls(limits.use_df, shared);
  std::map<StateKey, std::vector<std::size_t>> paths;
  std::queue<StateKey> open;
  const StandardDrbg fresh(toy, limits);
  paths[key_of(fresh)] = {};
  open.push(key_of(fresh));
  for (; !open.empty(); open.pop()) {
    const std::vector<std::size_t> path = paths[open.front()];
    count->depth = std::max(count->depth, path.size());
    for (std::size_t next = 0; next < all.size(); ++next) {
      StandardDrbg standard = fresh;
      drbg::CtrDrbg ours(mechanism, limits.use_df);
      ours.set_reseed_interval(limits.reseed_interval);
      Bytes ignored;
      for (const std::size_t i : path) {
        ask(&standard, limits, all[i], &ignored);
        ask(&ours, &cipher, all[i], &ignored);
      }
      Bytes want, got;
      const Verdict expected = ask(&standard, limits, all[next], &want);
      const Verdict verdict = ask(&ours, &cipher, all[next], &got);
      ++count->calls;
      RoundKeys schedule = {};
      if (standard.exists) cipher.expand(standard.key.data(), &schedule);
      if (verdict != expected || got != want || key_of(ours) != key_of(standard) ||
          std::memcmp(&schedule, &ours.keys_, sizeof schedule) != 0) {
        std::printf("toy %u, %s derivation function, interval %u, %s output: after calls", seed,
                    limits.use_df ? "with" : "without", unsigned(limits.reseed_interval),
                    shared ? "shared" : "own");
        for (const std::size_t i : path) std::printf(" %zu", i);
        std::printf(" call %zu gives '%s', the standard '%s'; outputs are %s, states %s\n", next,
                    verdict.c_str(), expected.c_str(), got == want ? "equal" : "different",
                    key_of(ours) == key_of(standard) ? "equal" : "different");
        return false;
      }
      if (paths.count(key_of(standard)) != 0) continue;
      std::vector<std::size_t> longer = path;
      longer.push_back(next);
      paths[key_of(standard)] = std::move(longer);
      open.push(key_of(standard));
    }
  }
  count->states += paths.size();
  return true;
}

}  // namespace
}  // namespace gpuctr::prove

int main() {
  gpuctr::prove::Count count;
  for (unsigned seed = 1; seed <= 2; ++seed) {
    for (const bool use_df : {false, true}) {
      for (const unsigned interval : {1u, 2u, 3u, 4u}) {
        for (const bool shared : {false, true}) {
          if (!gpuctr::prove::search(seed, {use_df, interval}, shared, &count)) return 1;
        }
      }
    }
  }
  std::printf("%zu states, %zu calls, the farthest state %zu calls away: as SP 800-90A\n",
              count.states, count.calls, count.depth);
  return count.states < 100 ? 1 : 0;
}
