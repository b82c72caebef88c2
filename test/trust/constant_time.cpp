// Constant time as in Langley's ctgrind: secrets are marked undefined for a watcher, which then
// reports every branch and every address that depends on one. Valgrind watches the binary that
// users get, on the backends that it lets the CPU have (3.19: not AVX-512 and GFNI).
// MemorySanitizer sees the source, as clang takes it without optimising, on every backend.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "drbg/ctr_drbg.h"
#include "kernels/base/equal.h"
#include "kernels/bulk/base/xts.h"
#include "kernels/cipher/word.h"
#include "kernels/cpu/base/gcm_text.h"
#include "kernels/cpu/many/many.h"
#include "kernels/cpu/xex.h"
#include "provider/mode/aead/aead.h"
#include "provider/mode/aead/ccm_message.h"
#include "provider/mode/aead/gcm_message.h"
#include "provider/mode/aead/gcm_siv_message.h"
#include "provider/mode/wrap/key_wrap.h"
#include "provider/mode/wrap/sha1.h"
#include "test/trust/watcher.h"

namespace gpuctr {
namespace {

using Bytes = std::vector<std::uint8_t>;
using watcher::leaks;

constexpr int kSkipped = 77;  // for CTest

int g_failed = 0;

// Bytes with ordinary values, and the same as a secret.
Bytes known(std::size_t n) {
  Bytes out(n);
  for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<std::uint8_t>(37 * i + 11);
  return out;
}
Bytes secret(std::size_t n) {
  Bytes out = known(n);
  watcher::hide(out.data(), out.size());
  return out;
}

void expect(const std::string& what, unsigned long found, bool leaky) {
  const bool good = leaky ? found != 0 : found == 0;
  std::printf("%-8s %s: %lu\n", good ? "ok" : "FAILED", what.c_str(), found);
  if (!good) ++g_failed;
}

// --- Planted leaks: what this test is for must be seen by it. ---

volatile std::uint8_t g_table[256];  // volatile: the compiler may not know what is in it

void leaky_lookup() {
  const Bytes key = secret(16);
  volatile std::uint8_t sum = 0;
  for (const std::uint8_t b : key) sum = static_cast<std::uint8_t>(sum + g_table[b]);
}

void leaky_branch() {
  const Bytes key = secret(16);
  static volatile int multiplied = 0;
  for (const std::uint8_t b : key) {
    if ((b & 1) != 0) multiplied = multiplied + 1;
  }
}

// LEA's key schedule as somebody might write it who skips a rotation that does nothing.
void leaky_schedule() {
  const Bytes key = secret(16);
  RoundKeys keys;
  find_cipher("LEA-128")->expand(key.data(), &keys);
  auto* words = keys.words<std::uint32_t>();
  for (unsigned i = 0; i < 96; ++i) {
    if (words[i] != 0) words[i] = rotl_word(words[i], 3);
  }
}

// A backend as somebody might write it with an S-box: it encrypts rightly and leaks the key.
void leaky_ctr(const RoundKeys& keys, const std::uint8_t* counter, const std::uint8_t* in,
               std::uint8_t* out, std::size_t n) {
  find_backend("scalar")->ops[find_cipher("LEA-128")->index].ctr(keys, counter, in, out, n);
  volatile std::uint8_t looked_up = g_table[keys.bytes[0]];
  looked_up = static_cast<std::uint8_t>(looked_up + 1);
}

// Blocks with one secret byte each, under a public key, encrypted and decrypted. After the rounds
// every byte depends on it: a watcher that loses sight of it in one of a backend's instructions, or
// does not see it looked at, is blind.
Bytes through_rounds(const CipherSpec& spec, const CipherOps& ops) {
  constexpr std::size_t kBlocks = 100;
  RoundKeys keys;
  spec.expand(known(spec.key_bytes).data(), &keys);
  const std::size_t size = kBlocks * spec.block_bytes;
  Bytes data = known(2 * size);
  for (std::size_t i = 0; i < 2 * kBlocks; ++i) {
    watcher::hide(&data[i * spec.block_bytes + i % spec.block_bytes], 1);
  }
  ops.encrypt(keys, data.data(), data.data(), kBlocks);
  ops.decrypt(keys, data.data() + size, data.data() + size, kBlocks);
  return data;
}

void sight(const std::string& what, const CipherSpec& spec, const CipherOps& ops) {
  const Bytes data = through_rounds(spec, ops);
  const std::size_t lost = data.size() - watcher::hidden(data.data(), data.size());
  expect(what + ", bytes lost sight of", lost, false);
  expect("planted: a branch behind " + what,
         leaks(
             [&] {
               static volatile int odd = 0;
               const Bytes out = through_rounds(spec, ops);
               if ((out.back() & 1) != 0) odd = odd + 1;
             },
             true),
         true);
}

// GHASH of public blocks but one, at `place`, under a public H. All of that block is secret: in the
// portable form MemorySanitizer does not see a bit reach others through an integer product.
Bytes hash_of_a_secret(const GhashOps& ops, std::size_t place) {
  GhashKey key;
  ops.expand(known(16).data(), &key);
  Bytes in = known(16 * 75);
  watcher::hide(&in[16 * place], 16);
  Bytes y = known(16);
  ops.update(key, y.data(), in.data(), in.size() / 16);
  return y;
}

void sight_of_ghash(const std::string& what, const GhashOps& ops) {
  std::size_t lost = 0;
  for (const std::size_t place : {0u, 3u, 31u, 40u, 65u, 73u, 74u}) {
    const Bytes y = hash_of_a_secret(ops, place);
    lost += y.size() - watcher::hidden(y.data(), y.size());
  }
  expect(what + ", bytes lost sight of", lost, false);
  expect("planted: a branch behind " + what,
         leaks(
             [&] {
               static volatile int odd = 0;
               if ((hash_of_a_secret(ops, 40).back() & 1) != 0) odd = odd + 1;
             },
             true),
         true);
}

// --- What is claimed. ---

// GCM's text in one loop, both ways: round keys, GHASH's key, the hash and the text are secret.
void gcm(const RoundKeys& keys, const CipherOps& ops, const Bytes& counter, Bytes* data) {
  const GhashList forms = ghash_implementations();
  for (std::size_t i = 0; i < forms.count; ++i) {
    const GhashImplementation& form = forms.first[i];
    if (form.ops->powers != ops.gcm->powers || !form.available()) continue;
    const Bytes h = secret(16);
    GhashKey key;
    form.ops->expand(h.data(), &key);
    Bytes y = secret(16);
    for (const bool encrypts : {true, false}) {
      Bytes mask(16), before = secret(16), after(16);
      ops.gcm->crypt(keys, encrypts, key, y.data(),
                     {counter.data(), mask.data(), before.data(), data->data(), data->data(),
                      data->size() / 16, after.data()});
    }
  }
}

void cipher(const CipherSpec& spec, const CipherOps& ops, std::size_t n) {
  const Bytes key = secret(spec.key_bytes);
  RoundKeys keys;
  expand_on(spec, ops, key.data(), key.size(), &keys);
  const Bytes counter(spec.block_bytes, 0xff);  // public in CTR mode
  Bytes data = secret(n);
  ops.ctr(keys, counter.data(), data.data(), data.data(), n);
  const std::size_t blocks = n / spec.block_bytes;
  ops.encrypt(keys, data.data(), data.data(), blocks);
  ops.decrypt(keys, data.data(), data.data(), blocks);
  if (ops.gcm != nullptr) gcm(keys, ops, counter, &data);
  if (ops.xts != nullptr) {
    Bytes mask = secret(16);
    for (const bool encrypts : {true, false}) {
      ops.xts(keys, nullptr, encrypts, mask.data(), data.data(), data.data(), blocks);
      ops.xts(keys, &keys, encrypts, mask.data(), data.data(), data.data(), blocks);
    }
  }
  if (spec.block_bytes == 16 && ops.xts == nullptr) {
    const Bytes masks = secret(data.size());
    for (const bool encrypts : {true, false}) {
      crypt_masked(ops, keys, encrypts, masks.data(), data.data(), data.data(), blocks);
    }
  }
  Bytes chain = secret(spec.block_bytes);
  decrypt_cbc(ops, spec.block_bytes, keys, chain.data(), data.data(), data.data(), blocks);
  decrypt_cfb(ops, spec.block_bytes, keys, chain.data(), data.data(), data.data(), blocks);
  for (ChainOperation* const run : {ops.cbc_encrypt, ops.cfb_encrypt, ops.ofb}) {
    if (run != nullptr) run(keys, chain.data(), data.data(), data.data(), blocks);
  }
  if (ops.ccm == nullptr) return;
  for (const bool encrypts : {true, false}) {
    ops.ccm(keys, encrypts, counter.data(), chain.data(), data.data(), data.data(), blocks);
  }
}

// Many messages: keys, schedules and texts are secret; lengths, IVs and associated data are not.
// Enough messages for a set of lanes, with some left over, half of them long.
void many_messages(const CipherSpec& spec, const Backend& backend) {
  const ManyOps* const set = backend.many[spec.index];
  const std::size_t count = set != nullptr ? set->lanes + set->least / 2 + 1 : 2;
  const Bytes keys = secret(count * spec.key_bytes), ivs = known(16 * count), aad = known(33);
  std::vector<RoundKeys> schedules(count);
  GhashKey powers;
  backend.ghash->expand(secret(16).data(), &powers);
  for (const ManyMode mode : {ManyMode::kCtr, ManyMode::kCbc, ManyMode::kGcm, ManyMode::kCcm}) {
    const bool authenticates = mode == ManyMode::kGcm || mode == ManyMode::kCcm;
    if (authenticates && spec.block_bytes != 16) continue;
    for (const unsigned turn : {0u, 1u, 2u, 3u}) {
      ManyBatch batch;
      batch.mode = mode;
      batch.encrypts = turn % 2 == 0;
      batch.key_bytes = spec.key_bytes;
      batch.iv_bytes = authenticates ? 12 : spec.block_bytes < 16 ? spec.block_bytes : 16;
      std::vector<ManyText> texts(count);
      std::vector<Bytes> data(count, secret(17 * spec.block_bytes + 1)), tags(count, Bytes(16));
      for (std::size_t i = 0; i < count; ++i) {
        ManyText& text = texts[i];
        const std::uint8_t* const key = &keys[i * spec.key_bytes];
        spec.expand_bytes(key, spec.key_bytes, &schedules[i]);
        text.key = turn < 2 ? key : nullptr;
        text.keys = turn < 2 ? nullptr : &schedules[i];
        text.powers = turn < 2 || i % 2 == 0 ? nullptr : &powers;
        text.iv = &ivs[16 * i];
        text.in = text.out = data[i].data();
        text.n = i % (2 * spec.block_bytes) + (i < count / 2 ? data[i].size() / 2 : 0);
        if (mode == ManyMode::kCbc) text.n -= text.n % spec.block_bytes;
        text.aad = aad.data();
        text.aad_bytes = i % 2 == 0 ? aad.size() : 0;
        text.tag = tags[i].data();
      }
      run_many(spec, backend, batch, texts.data(), count);
    }
  }
}

// V of CTR_DRBG is as secret as its key, so here the counter is a secret too.
void secret_counter(const CipherSpec& spec, const CipherOps& ops, std::size_t n) {
  const Bytes key = secret(spec.key_bytes);
  RoundKeys keys;
  spec.expand(key.data(), &keys);
  const Bytes counter = secret(spec.block_bytes);
  Bytes out(n);
  ops.ctr(keys, counter.data(), nullptr, out.data(), n);
}

// A message of an authenticated mode, both ways: key and text are secret, lengths, IV, associated
// data and ciphertext are not; that tags are compared does not show where they differ.
template <class Make, class Start>
void messages(const CipherSpec& spec, const Make& make, const Start& start) {
  const Bytes key = secret(spec.key_bytes), aad = known(33);
  RoundKeys keys;
  spec.expand(key.data(), &keys);
  for (const std::size_t n : {0u, 1u, 31u, 300u, 5000u}) {
    for (const bool encrypt : {true, false}) {
      const auto message = make(keys);
      start(message.get(), n);
      Bytes data = secret(n), tag(16), other = secret(16);
      data.push_back(0);
      message->add_aad(aad.data(), aad.size());
      message->crypt(encrypt, data.data(), data.data(), n);
      message->finish(tag.data());
      [[maybe_unused]] volatile bool same = equal_in_constant_time(tag.data(), other.data(), 16);
    }
  }
}

void authenticated(const CipherSpec& spec, const Backend& backend) {
  EngineConfig config;
  config.cpu = &backend;
  Engine engine(config);
  const Bytes iv = known(12);
  GhashKey hash_key;
  const auto make_gcm = [&](const RoundKeys& keys) {
    return std::make_unique<GcmMessage>(&engine, spec, keys, &hash_key);
  };
  const auto start_gcm = [&](GcmMessage* message, std::size_t) {
    message->set_key();
    message->start(iv.data(), iv.size());
  };
  messages(spec, make_gcm, start_gcm);
  const auto make_ccm = [&](const RoundKeys& keys) {
    return std::make_unique<CcmMessage>(engine.cpu(spec), keys);
  };
  messages(spec, make_ccm, [&](CcmMessage* message, std::size_t n) {
    message->start(iv.data(), iv.size(), 16, n);
  });
}

// GCM-SIV: key and text are secret; the tag of a text is not, nor is the one that is given.
void gcm_siv(const CipherSpec& spec, const Backend& backend) {
  EngineConfig config;
  config.cpu = &backend;
  Engine engine(config);
  const Bytes key = secret(spec.key_bytes), nonce = known(12), aad = known(33);
  RoundKeys keys;
  spec.expand(key.data(), &keys);
  alignas(64) std::uint8_t memory[sizeof(RoundKeys) + sizeof(GhashKey) + 64];
  GcmSivMessage message(engine, spec, keys, memory);
  for (const std::size_t n : {0u, 1u, 31u, 300u, 9000u}) {
    message.start(nonce.data());
    Bytes data = secret(n), tag(16);
    data.push_back(0);
    message.encrypt(aad.data(), aad.size(), data.data(), data.data(), n, tag.data());
    const Bytes given = known(16);
    message.decrypt(aad.data(), aad.size(), data.data(), data.data(), n, given.data(), tag.data());
    [[maybe_unused]] volatile bool same = equal_in_constant_time(tag.data(), given.data(), 16);
  }
}

// Key and text are secret. Whether the check of a wrapped key passes is not, but where it fails is.
void key_wrap(const CipherSpec& spec, const Backend& backend) {
  const CipherOps& ops = backend.ops[spec.index];
  const Bytes key = secret(spec.key_bytes);
  RoundKeys keys;
  spec.expand(key.data(), &keys);
  const std::uint8_t icv[kSemiblock] = {0xa6, 0x59, 0x59, 0xa6};
  for (const std::size_t n : {8u, 16u, 40u, 4096u}) {
    Bytes text = secret(n + kSemiblock);
    std::uint8_t a[kSemiblock] = {};
    wrap_semiblocks({ops.encrypt, keys}, a, text.data(), n);
    unwrap_semiblocks({ops.decrypt, keys}, a, text.data(), n);
    std::size_t made = 0;
    volatile bool good = is_wrap_icv(a, icv);
    good = is_padded_icv(a, icv, text.data(), n, &made);
    static_cast<void>(good);
  }
}

// The checksum of a key that Triple DES wraps: the text is secret.
void checksum() {
  for (const std::size_t n : {8u, 24u, 64u, 200u}) {
    const Bytes text = secret(n);
    std::uint8_t hash[kSha1Bytes];
    sha1(text.data(), n, hash);
  }
}

// Data units by the backend's masks, with ciphertext stealing: keys, masks and text are secret. So
// is the mask that a thread begins with.
void xts(const CipherSpec& spec, const Backend& backend) {
  const CipherOps& ops = backend.ops[spec.index];
  const Bytes key = secret(spec.key_bytes);
  RoundKeys keys;
  spec.expand(key.data(), &keys);
  for (const std::size_t n : {16u, 31u, 100u, 1043u, 9000u}) {
    Bytes text = secret(n), mask = secret(16);
    for (const bool encrypts : {true, false}) {
      bulk::xts_unit({ops, backend.xts_masks, keys, encrypts, text.data(), text.data(), n},
                     mask.data());
      bulk::xts_skip(mask.data(), n);
    }
  }
}

void generator(const CipherSpec& spec, const Backend& backend, bool use_df) {
  EngineConfig config;
  config.cpu = &backend;
  Engine engine(config);
  const drbg::Mechanism mechanism(spec, &engine);
  drbg::CtrDrbg drbg(mechanism, use_df);
  const Bytes entropy = secret(drbg.min_entropy()), nonce = secret(16), additional = secret(9);
  const auto view = [](const Bytes& b) { return drbg::ByteView{b.data(), b.size()}; };
  bool good = drbg.instantiate(view(entropy), use_df ? view(nonce) : drbg::ByteView{},
                               view(additional)) == drbg::Status::kOk;
  Bytes out(3000);
  good = drbg.generate(out.data(), out.size(), {}) == drbg::Status::kOk && good;
  good = drbg.generate(out.data(), 33, view(additional)) == drbg::Status::kOk && good;
  good = drbg.reseed(view(entropy), view(additional)) == drbg::Status::kOk && good;
  good = drbg.generate(out.data(), 1, {}) == drbg::Status::kOk && good;
  if (!good) {
    std::printf("FAILED   %s refused its inputs\n", spec.name);
    std::exit(1);
  }
}

void ghash(const GhashOps& ops) {
  const Bytes h = secret(16);
  GhashKey key;
  ops.expand(h.data(), &key);
  for (const std::size_t blocks : {0u, 1u, 2u, 3u, 4u, 7u, 8u, 17u, 31u, 32u, 64u, 107u}) {
    Bytes y = secret(16);
    const Bytes in = secret(16 * blocks);
    ops.update(key, y.data(), in.data(), blocks);
    ops.polyval(key, y.data(), in.data(), blocks);
    ops.begin(h.data(), &key);
    ops.grow(&key, 1, blocks);
    ops.expand(h.data(), &key);
  }
  Bytes elements = secret(16 * 3);
  constexpr GhashProduct kProducts[] = {{0, 1, 2}, {2, 0, 0}};
  ops.multiply(reinterpret_cast<std::uint8_t(*)[16]>(elements.data()), kProducts, 2);
}

void every_form_of_ghash() {
  const GhashList forms = ghash_implementations();
  for (std::size_t i = 0; i < forms.count; ++i) {
    const GhashImplementation& form = forms.first[i];
    const std::string what = std::string("GHASH, ") + form.name;
    if (!form.available()) {
      std::printf("%-8s %s: %s\n", "absent", what.c_str(), watcher::kAbsent);
      continue;
    }
    sight_of_ghash(what, *form.ops);
    expect(what + ", key and blocks", leaks([&] { ghash(*form.ops); }), false);
  }
}

// With `planted`, a leaking backend takes the place of scalar: the test has to fail.
int run(bool planted) {
  if (planted) {
    const CipherSpec& spec = *find_cipher("LEA-128");
    CipherOps ops = find_backend("scalar")->ops[spec.index];
    ops.ctr = leaky_ctr;
    expect("LEA-128 on a backend that leaks", leaks([&] { cipher(spec, ops, 100); }), false);
    return g_failed == 0 ? 0 : 1;
  }
  expect("planted: a table indexed by the key", leaks(leaky_lookup, true), true);
  expect("planted: a branch on the key", leaks(leaky_branch, true), true);
  expect("planted: a branch in a key schedule", leaks(leaky_schedule, true), true);
  expect("SHA-1", leaks(checksum), false);
  every_form_of_ghash();
  const BackendList backends = cpu_backends();
  bool wanted = false;
  for (std::size_t m = 0; m < backends.count; ++m) {
    const Backend& backend = *backends.first[m];
    if (!backend.available()) {
      std::printf("%-8s %s: %s\n", "absent", backend.name, watcher::kAbsent);
      continue;
    }
    wanted = wanted || watcher::only_here(backend.name);
    bool messages_seen = false;
    for (std::size_t i = 0; i < kCipherCount; ++i) {
      const CipherSpec& spec = cipher_spec(i);
      const CipherOps& ops = backend.ops[i];
      if (!is_constant_time(spec, ops)) continue;  // nothing is claimed
      const std::string what = std::string(spec.name) + " on " + backend.name;
      // IDEA's products are vectors' but on scalar, which valgrind watches as well.
      const bool products =
          std::strcmp(spec.name, "IDEA") == 0 && std::strcmp(backend.name, "scalar") == 0;
      if (watcher::kFollowsProducts || !products) sight(what, spec, ops);
      const auto each_size = [&](auto work) {
        return leaks([&] {
          for (const std::size_t n : {1u, 8u, 16u, 24u, 64u, 100u, 512u, 1043u, 5000u}) {
            work(spec, ops, n);
          }
        });
      };
      expect(what + ", key schedule, CTR, ECB, CBC, GCM", each_size(cipher), false);
      if (!spec.legacy) {  // others are offered no batches, and some key schedules look up
        expect(what + ", many messages", leaks([&] { many_messages(spec, backend); }), false);
      }
      if (spec.generator_answer == nullptr) continue;
      expect(what + ", CTR from a secret counter", each_size(secret_counter), false);
      // What is theirs is the same for every cipher.
      if (spec.block_bytes == 16 && !messages_seen) {
        expect(what + ", GCM, CCM", leaks([&] { authenticated(spec, backend); }), false);
        expect(what + ", XTS", leaks([&] { xts(spec, backend); }), false);
        expect(what + ", key wrapping", leaks([&] { key_wrap(spec, backend); }), false);
        messages_seen = true;
      }
      if (std::strcmp(spec.name, "AES-128") == 0) {  // RFC 8452 has AES only
        expect(what + ", GCM-SIV", leaks([&] { gcm_siv(spec, backend); }), false);
      }
      expect(what + ", CTR_DRBG", leaks([&] {
               generator(spec, backend, true);
               generator(spec, backend, false);
             }),
             false);
    }
  }
  if (g_failed != 0) return 1;
  return wanted ? 0 : kSkipped;
}

}  // namespace
}  // namespace gpuctr

int main(int count, char** arguments) {
  if (!gpuctr::watcher::present()) {
    std::printf("this test means something under valgrind only\n");
    return 2;
  }
  std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);  // MemorySanitizer ends a process without a flush
  return gpuctr::run(count > 1 && std::strcmp(arguments[1], "--planted") == 0);
}
