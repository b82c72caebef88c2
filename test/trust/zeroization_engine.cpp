// usage: trust_zeroization_engine [--planted]
// Nothing of a key is left in this process's memory after the bulk engine and CTR_DRBG have worked:
// large jobs, read-ahead and device memory over the fake device, its pinned ring and staging
// memory, with failing devices, after a fork; and generators after uninstantiate, on every backend
// this CPU has. With --planted the engine and CTR_DRBG linked in are built without wiping, and the
// scan has to find what each of them left.
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "drbg/ctr_drbg.h"
#include "kernels/base/counter.h"
#include "kernels/base/wipe.h"
#include "kernels/bulk/engine.h"
#include "test/bulk/support.h"
#include "test/drbg/model.h"
#include "test/support/generators.h"
#include "test/trust/memory_scan.h"

namespace gpuctr::trust {
namespace {

using test::Bytes;
using test::Call;
using test::kKiB;
using test::kMiB;

constexpr std::size_t kJob = 2 * kMiB + 13;

bool g_planted = false;
unsigned g_failed = 0;
std::uint64_t g_seed = 0;  // each part has keys of its own: nothing is found twice

void expect(const std::string& what, bool good, const std::string& detail = "") {
  std::printf("%-8s %s\n%s", good ? "ok" : "FAILED", what.c_str(), good ? "" : detail.c_str());
  if (!good) ++g_failed;
}

// What has to be clean, and what without wiping was not.
struct Left {
  const char* kind;
  unsigned checks = 0;
  unsigned dirty = 0;
};
Left g_left[] = {{"a large job"},
                 {"a stream"},
                 {"a job on device memory"},
                 {"uninstantiate"},
                 {"a large request"}};

void expect_clean(const std::string& what, const Secrets& secrets) {
  const Secrets::Found found = secrets.find();
  for (Left& left : g_left) {
    if (what.find(std::string("after ") + left.kind) == std::string::npos) continue;
    ++left.checks;
    left.dirty += found.total() != 0 ? 1 : 0;
  }
  if (!g_planted) expect(what, found.total() == 0, found.where);
}

// A key that exists while this does.
struct Keyed {
  Keyed(const CipherSpec& c, std::uint64_t seed) : cipher(c) {
    Wiped<std::uint8_t[kMaxKeyBytes]> key;
    make_secret(seed, key.value, sizeof key.value);
    keys.value = {};
    cipher.expand(key.value, &keys.value);
  }
  const CipherSpec& cipher;
  Wiped<RoundKeys> keys;
  const std::uint8_t counter[kMaxBlockBytes] = {1, 2, 3};
};

// The keystream from the counter on, of `bytes` bytes, a window each 64.
void learn(const CipherSpec& cipher, std::uint64_t seed, std::size_t bytes, Secrets* secrets) {
  secrets->clear();
  secrets->add_in_child([&](Secrets& out) {
    const Keyed key(cipher, seed);
    out.add(Secrets::kRoundKeys, key.keys.value.bytes, cipher.round_key_bytes);
    Bytes keystream(bytes);
    find_backend("scalar")->ops[cipher.index].ctr(key.keys.value, key.counter, nullptr,
                                                  keystream.data(), bytes);
    out.add(Secrets::kKeystream, keystream.data(), bytes, 64);
  });
}

void large(const CipherSpec& cipher, const char* fault, Call call, DeviceStatus status) {
  const std::uint64_t seed = 1000 * ++g_seed;
  Secrets secrets;
  learn(cipher, seed, kJob, &secrets);
  Engine engine(test::config(test::fake_gpu()));
  engine.warm_up(cipher);
  if (call != Call::kCount) test::fake_fail(call, 2, status, 2);
  if (call == Call::kEventQuery) {  // nor does anything else of the device answer
    test::fake_fail(Call::kEventWait, 1, status, 1000);
    test::fake_fail(Call::kStreamWait, 1, status, 1000);
  }
  {
    const Keyed key(cipher, seed);
    Bytes data(kJob);
    engine.ctr(cipher, key.keys.value, key.counter, data.data(), data.data(), data.size());
    expect(std::string("the scan sees a large job's output, ") + fault,
           secrets.find().of(Secrets::kKeystream) > 1000);
    wipe(data.data(), data.size());
  }
  const bool struck = call == Call::kCount || test::fake_struck() != 0;
  expect(std::string(cipher.name) + " large job, the fault strikes: " + fault, struck);
  expect_clean(std::string(cipher.name) + " after a large job, " + fault, secrets);
}

// A stream with windows ahead of it, `then` while they are there.
template <class Then>
void stream(const CipherSpec& cipher, const char* what, const Then& then) {
  const std::uint64_t seed = 1000 * ++g_seed;
  Secrets secrets;
  learn(cipher, seed, 4 * kMiB, &secrets);
  Engine engine(test::config(test::fake_gpu()));
  engine.warm_up(cipher);
  {
    const Keyed key(cipher, seed);
    auto ahead = std::make_unique<BulkStream>(&engine);
    std::uint8_t counter[kMaxBlockBytes];
    std::memcpy(counter, key.counter, sizeof counter);
    Bytes piece(4 * kKiB);
    for (std::size_t done = 0; done < 2 * kMiB; done += piece.size()) {
      wipe(piece.data(), piece.size());
      ahead->ctr(cipher, key.keys.value, counter, piece.data(), piece.data(), piece.size());
      counter_add(counter, cipher.block_bytes, piece.size() / cipher.block_bytes);
    }
    wipe(piece.data(), piece.size());
    expect(std::string("the scan sees keystream read ahead, ") + what,
           secrets.find().of(Secrets::kKeystream) > 100);
    then(&ahead, secrets, engine, key);
  }
  expect_clean(std::string(cipher.name) + " after a stream with read-ahead, " + what, secrets);
}

void streams(const CipherSpec& cipher) {
  using Ahead = std::unique_ptr<BulkStream>;
  stream(cipher, "freed",
         [](Ahead* ahead, const Secrets&, Engine&, const Keyed&) { ahead->reset(); });
  stream(cipher, "reset", [&](Ahead* ahead, const Secrets& secrets, Engine&, const Keyed&) {
    (*ahead)->reset();
    const Secrets::Found found = secrets.find();
    expect(std::string(cipher.name) + " reset leaves no keystream",
           (found.of(Secrets::kKeystream) == 0) != g_planted, found.where);
  });
  stream(cipher, "another counter", [](Ahead* ahead, const Secrets&, Engine&, const Keyed& key) {
    const std::uint8_t elsewhere[kMaxBlockBytes] = {9, 9, 9};
    Bytes piece(4 * kKiB);
    (*ahead)->ctr(key.cipher, key.keys.value, elsewhere, piece.data(), piece.data(), piece.size());
  });
  stream(cipher, "card lost", [](Ahead* ahead, const Secrets&, Engine&, const Keyed& key) {
    test::fake_fail(Call::kEventQuery, 1, DeviceStatus::kDeviceLost, 1000);
    test::fake_fail(Call::kEventWait, 1, DeviceStatus::kDeviceLost, 1000);
    std::uint8_t counter[kMaxBlockBytes];
    std::memcpy(counter, key.counter, sizeof counter);
    counter_add(counter, key.cipher.block_bytes, 2 * kMiB / key.cipher.block_bytes);
    Bytes piece(512 * kKiB);  // past both windows
    for (std::size_t at = 0; at < piece.size(); at += 4 * kKiB) {
      (*ahead)->ctr(key.cipher, key.keys.value, counter, piece.data() + at, piece.data() + at,
                    4 * kKiB);
      counter_add(counter, key.cipher.block_bytes, 4 * kKiB / key.cipher.block_bytes);
    }
    wipe(piece.data(), piece.size());
    ahead->reset();
  });
  stream(cipher, "freed in a child",
         [&](Ahead* ahead, const Secrets& secrets, Engine&, const Keyed&) {
           std::fflush(nullptr);
           const int child = fork();
           if (child == 0) {
             ahead->reset();
             const Secrets::Found found = secrets.find();
             std::printf("%s", found.of(Secrets::kKeystream) != 0 ? found.where.c_str() : "");
             std::fflush(nullptr);
             _exit(found.of(Secrets::kKeystream) == 0 ? 0 : 1);
           }
           int status = 0;
           waitpid(child, &status, 0);
           if (g_planted) return;
           expect(std::string(cipher.name) + " a child inherits no keystream", status == 0);
         });
}

// From the device's memory to ordinary memory, by way of the pinned staging memory.
void device_memory(const CipherSpec& cipher, const char* fault, Call call, DeviceStatus status) {
  const std::uint64_t seed = 1000 * ++g_seed;
  Secrets secrets;
  learn(cipher, seed, kJob, &secrets);
  const DeviceLayer* const layer = test::fake_gpu();
  Engine engine(test::config(layer));
  engine.warm_up(cipher);
  void* zeros = nullptr;
  bool good = layer->device_alloc(0, kJob, &zeros) == DeviceStatus::kOk;
  if (call != Call::kCount) test::fake_fail(call, 2, status);
  {
    const Keyed key(cipher, seed);
    Bytes data(kJob);
    const auto* const in = static_cast<const std::uint8_t*>(zeros);
    const BulkStatus done =
        engine.ctr(cipher, key.keys.value, key.counter, in, data.data(), data.size());
    good = (done == BulkStatus::kOk) == (call == Call::kCount) && good;
    expect(std::string("the scan sees what came from device memory, ") + fault,
           good && secrets.find().of(Secrets::kKeystream) > 1000);
    wipe(data.data(), data.size());
  }
  layer->device_free(0, zeros);
  expect_clean(std::string(cipher.name) + " after a job on device memory, " + fault, secrets);
}

// V and the counter that output starts at, as they are stored and as the 64-bit integers that SIMD
// backends count in.
void add_v(Bytes v, Secrets* out) {
  for (int i = 0; i < 2; ++i) {
    out->add(Secrets::kState, v.data(), v.size());
    Bytes integers = v;
    for (std::size_t at = 0; at < v.size(); at += 8) {
      std::reverse(integers.data() + at, integers.data() + at + 8);
      out->add(Secrets::kState, integers.data() + at, 8);
    }
    counter_add(v.data(), v.size(), 1);
  }
}

// The stack that the calls before it have left behind, before another call writes there. The scan
// finds it in the copies.
constexpr std::size_t kDeadStack = 8192;
std::uint8_t g_dead_stacks[8][kDeadStack];
__attribute__((noinline)) void keep_dead_stack(unsigned number) {
  std::uint8_t below[kDeadStack];
  __asm__ volatile("" : : "r"(below) : "memory");  // as if it had been written
  std::memcpy(g_dead_stacks[number], below, sizeof below);
}

// A generator's life, the same in drbg/ and in the model that tells what to look for.
constexpr std::size_t kOutput = 70000;

void generator(const CipherSpec& cipher, const Backend& backend) {
  const std::uint64_t seed = 1000 * ++g_seed;
  EngineConfig config;
  config.cpu = &backend;
  Engine engine(config);
  Secrets secrets;
  secrets.add_in_child([&](Secrets& out) {
    const drbg::Mechanism mechanism(cipher, &engine);
    Bytes entropy(48);
    make_secret(seed, entropy.data(), entropy.size());
    test::ModelDrbg model(mechanism, true);
    const auto state = [&] {
      out.add(Secrets::kState, model.key().data(), model.key().size());
      add_v(model.v(), &out);
      RoundKeys keys = {};  // of which a short key leaves a part as it is
      cipher.expand(model.key().data(), &keys);
      out.add(Secrets::kRoundKeys, keys.bytes, cipher.round_key_bytes);
    };
    out.add(Secrets::kKey, entropy.data(), entropy.size());
    model.instantiate(entropy, Bytes(16, 7), {});
    state();
    const std::size_t legal = cipher.block_bytes == 8 ? 1024 : 65536;
    for (std::size_t done = 0; done < kOutput; done += legal) {
      const Bytes part = model.generate(std::min(legal, kOutput - done), {});
      out.add(Secrets::kKeystream, part.data(), part.size(), cipher.block_bytes);
      state();
    }
    model.reseed(entropy, {});
    state();
    model.generate(100, entropy);
    state();
    model.generate(16, {});  // out of one narrow batch with the state that follows
    state();
  });
  const std::string what = std::string(cipher.name) + " CTR_DRBG on " + backend.name;
  {
    const drbg::Mechanism mechanism(cipher, &engine);
    drbg::CtrDrbg drbg(mechanism, true);
    Bytes entropy(48), out(kOutput);
    const Bytes nonce(16, 7);
    make_secret(seed, entropy.data(), entropy.size());
    const drbg::ByteView input{entropy.data(), entropy.size()};
    bool good = drbg.instantiate(input, {nonce.data(), nonce.size()}, {}) == drbg::Status::kOk;
    keep_dead_stack(0);
    good = drbg.generate(out.data(), out.size(), {}) == drbg::Status::kOk && good;
    good = drbg.reseed(input, {}) == drbg::Status::kOk && good;
    keep_dead_stack(1);
    good = drbg.generate(out.data(), 100, input) == drbg::Status::kOk && good;
    keep_dead_stack(2);
    good = drbg.generate(out.data(), 16, {}) == drbg::Status::kOk && good;
    wipe(entropy.data(), entropy.size());
    wipe(out.data(), out.size());
    expect(what + ": the scan sees the live state",
           good && secrets.find().of(Secrets::kState) != 0);
    drbg.uninstantiate();
  }
  expect_clean(what + " after uninstantiate", secrets);
}

// A request so large that the engine's threads share it: the states of all its requests lie in
// windows on the heap meanwhile.
void large_generator(const CipherSpec& cipher) {
  const std::uint64_t seed = 1000 * ++g_seed;
  const std::size_t n = 3 * kMiB;
  EngineConfig config;
  config.gpu = GpuUse::kOff;
  config.threads = 2;
  Engine engine(config);
  const drbg::Mechanism mechanism(cipher, &engine);
  Secrets secrets;
  secrets.add_in_child([&](Secrets& out) {
    Bytes entropy(48);
    make_secret(seed, entropy.data(), entropy.size());
    test::ModelDrbg model(mechanism, true);
    model.instantiate(entropy, Bytes(16, 7), {});
    const std::size_t legal = cipher.block_bytes == 8 ? 1024 : 65536;
    for (std::size_t done = 0; done < n; done += legal) {
      out.add(Secrets::kState, model.key().data(), model.key().size());
      add_v(model.v(), &out);
      model.generate(std::min(legal, n - done), {});
    }
  });
  {
    drbg::CtrDrbg drbg(mechanism, true);
    Bytes entropy(48), out(n);
    const Bytes nonce(16, 7);
    make_secret(seed, entropy.data(), entropy.size());
    bool good = drbg.instantiate({entropy.data(), entropy.size()}, {nonce.data(), nonce.size()},
                                 {}) == drbg::Status::kOk;
    wipe(entropy.data(), entropy.size());
    expect(std::string(cipher.name) + " CTR_DRBG: the scan sees the state before a large request",
           good && engine.shares(out.data(), n) && secrets.find().of(Secrets::kState) != 0);
    good = drbg.generate(out.data(), n, {}) == drbg::Status::kOk;
    expect("a large request", good);
    drbg.uninstantiate();
  }
  expect_clean(std::string(cipher.name) + " CTR_DRBG after a large request", secrets);
}

int run() {
  for (const char* name : {"LEA-128", "CHAM-128-256", "HIGHT"}) {
    large_generator(*find_cipher(name));
  }
  for (const char* name : {"LEA-128", "HIGHT"}) {
    const CipherSpec& cipher = *find_cipher(name);
    large(cipher, "no fault", Call::kCount, DeviceStatus::kOk);
    large(cipher, "launch fails", Call::kCtr, DeviceStatus::kLaunch);
    large(cipher, "kernel leaves rubbish", Call::kKernel, DeviceStatus::kOther);
    large(cipher, "card does not answer", Call::kEventQuery, DeviceStatus::kOther);
    large(cipher, "card lost", Call::kKernel, DeviceStatus::kDeviceLost);
    streams(cipher);
    device_memory(cipher, "no fault", Call::kCount, DeviceStatus::kOk);
    // Not with a lost device: nobody waits for that, and it may still write after all is wiped.
    device_memory(cipher, "a wait fails", Call::kEventWait, DeviceStatus::kOther);
  }
  const BackendList backends = cpu_backends();
  for (std::size_t m = 0; m < backends.count; ++m) {
    if (!backends.first[m]->available()) continue;
    for (const std::size_t i : test::usual_ciphers()) {
      generator(cipher_spec(i), *backends.first[m]);
    }
  }
  for (const Left& left : g_left) {
    std::printf("after %s: %u checks, %u found something\n", left.kind, left.checks, left.dirty);
    expect(left.kind, left.checks != 0 && (left.dirty != 0) == g_planted);
  }
  std::printf("%u failed\n", g_failed);
  return g_failed == 0 ? 0 : 1;
}

}  // namespace
}  // namespace gpuctr::trust

int main(int count, char** arguments) {
  gpuctr::trust::g_planted = count > 1 && std::strcmp(arguments[1], "--planted") == 0;
  // Every stack is scanned: small ones, for the engine's threads as for the fake device's.
  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, 256 * 1024);
  pthread_setattr_default_np(&small);
  return gpuctr::trust::run();
}
