// usage: trust_soak [SECONDS]            (1800)
// Mixed use for half an hour: threads that open, use, copy and close contexts of every cipher and
// generator, children forked in the middle of it, and the bulk engine over the fake device with
// failing calls in processes of its own. Every result is checked, and memory and descriptors have
// to stay flat. First of all, what 10,000 open contexts cost.
#include <dirent.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/provider.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "kernels/bulk/engine.h"
#include "test/bulk/support.h"
#include "test/support/generators.h"

extern char** environ;

namespace gpuctr {
namespace {

using test::Bytes;
using test::kKiB;
using Clock = std::chrono::steady_clock;

constexpr unsigned kThreads = 4;
constexpr std::size_t kMostBytes = 200 * kKiB;

// A key and an IV of any cipher of the build in any mode: the IV of GCM and CCM has up to 16 bytes.
constexpr std::size_t kKey = kMaxKeyBytes, kIv = std::max<std::size_t>(16, kMaxBlockBytes);

std::atomic<bool> g_stop{false};
std::atomic<unsigned> g_wrong{0};
std::atomic<std::uint64_t> g_operations{0};
std::atomic<std::uint64_t> g_contexts{0};

void check(bool good, const char* what) {
  if (good) return;
  if (g_wrong.fetch_add(1) < 10) std::fprintf(stderr, "wrong: %s\n", what);
}

struct Algorithms {
  bool fetch() {
    OSSL_PROVIDER_set_default_search_path(nullptr, GPUCTR_MODULE_DIR);
    if (OSSL_PROVIDER_load(nullptr, "gpuctr") == nullptr) return false;
    if (OSSL_PROVIDER_load(nullptr, "default") == nullptr) return false;
    for (const std::size_t i : test::usual_ciphers()) {
      const std::string stem = cipher_spec(i).name;
      ctr[i] = EVP_CIPHER_fetch(nullptr, (stem + "-CTR").c_str(), nullptr);
      ecb[i] = EVP_CIPHER_fetch(nullptr, (stem + "-ECB").c_str(), nullptr);
      rand[i] = EVP_RAND_fetch(nullptr, (stem + "-CTR-DRBG").c_str(), nullptr);
      if (ctr[i] == nullptr || ecb[i] == nullptr) return false;
      if ((rand[i] != nullptr) != (cipher_spec(i).generator_answer != nullptr)) return false;
      siv[i] = EVP_CIPHER_fetch(nullptr, (stem + "-GCM-SIV").c_str(), "provider=gpuctr");
      if ((siv[i] != nullptr) != (stem.rfind("AES-", 0) == 0)) return false;
      gcm[i] = EVP_CIPHER_fetch(nullptr, (stem + "-GCM").c_str(), nullptr);
      ccm[i] = EVP_CIPHER_fetch(nullptr, (stem + "-CCM").c_str(), nullptr);
      const bool wide = cipher_spec(i).block_bytes == 16;
      if ((gcm[i] != nullptr) != wide || (ccm[i] != nullptr) != wide) return false;
      ERR_clear_error();
    }
    return true;
  }
  EVP_CIPHER* ctr[kCipherCount];
  EVP_CIPHER* ecb[kCipherCount];
  EVP_CIPHER* gcm[kCipherCount];  // nullptr: a block of 8 bytes
  EVP_CIPHER* ccm[kCipherCount];
  EVP_CIPHER* siv[kCipherCount];  // nullptr: another cipher than AES
  EVP_RAND* rand[kCipherCount];
};
Algorithms g_algorithms;

class User {
 public:
  explicit User(unsigned seed) : random_(seed) {}

  void once() {
    const std::size_t cipher = usual_[random_() % usual_.size()];
    switch (random_() % 7) {
      case 0:
        if (g_algorithms.rand[cipher] != nullptr) generate(cipher);
        break;
      case 2:
        if (g_algorithms.gcm[cipher] != nullptr) message(g_algorithms.gcm[cipher], false, 12);
        break;
      case 3:
        if (g_algorithms.ccm[cipher] != nullptr) message(g_algorithms.ccm[cipher], true, 12);
        break;
      case 4:
        if (g_algorithms.siv[cipher] != nullptr) message(g_algorithms.siv[cipher], false, 16);
        break;
      case 1:
        round_trip(g_algorithms.ecb[cipher]);
        break;
      default:
        round_trip(g_algorithms.ctr[cipher]);
        break;
    }
    g_operations.fetch_add(1, std::memory_order_relaxed);
  }

 private:
  Bytes bytes(std::size_t n) {
    Bytes out(n);
    for (auto& b : out) b = static_cast<std::uint8_t>(random_());
    return out;
  }

  // Encrypts in one context, which is copied in the middle, and decrypts in another.
  void round_trip(const EVP_CIPHER* cipher) {
    const Bytes key = bytes(kKey), iv = bytes(kIv);
    const Bytes plain = bytes(random_() % (random_() % 8 == 0 ? kMostBytes : 3000));
    Bytes sealed(plain.size() + 64), again(plain.size() + 128);
    EVP_CIPHER_CTX* ctx = EVP_CIPHER_CTX_new();
    EVP_CIPHER_CTX* const other = EVP_CIPHER_CTX_new();
    g_contexts.fetch_add(2, std::memory_order_relaxed);
    bool good = EVP_EncryptInit_ex2(ctx, cipher, key.data(), iv.data(), nullptr) == 1;
    const std::size_t half = plain.size() / 2;
    int a = 0, b = 0, end = 0;
    good = EVP_EncryptUpdate(ctx, sealed.data(), &a, plain.data(), static_cast<int>(half)) == 1 &&
           good;
    good = EVP_CIPHER_CTX_copy(other, ctx) == 1 && good;
    EVP_CIPHER_CTX_free(ctx);
    good = EVP_EncryptUpdate(other, sealed.data() + a, &b, plain.data() + half,
                             static_cast<int>(plain.size() - half)) == 1 &&
           good;
    good = EVP_EncryptFinal_ex(other, sealed.data() + a + b, &end) == 1 && good;
    const int size = a + b + end;
    ctx = EVP_CIPHER_CTX_new();
    good = EVP_DecryptInit_ex2(ctx, cipher, key.data(), iv.data(), nullptr) == 1 && good;
    good = EVP_DecryptUpdate(ctx, again.data(), &a, sealed.data(), size) == 1 && good;
    good = EVP_DecryptFinal_ex(ctx, again.data() + a, &end) == 1 && good;
    again.resize(static_cast<std::size_t>(a + end));
    check(good && again == plain, EVP_CIPHER_get0_name(cipher));
    EVP_CIPHER_CTX_free(ctx);
    EVP_CIPHER_CTX_free(other);
  }

  // Seals a message, opens it, and opens it with another tag, which fails.
  void message(const EVP_CIPHER* cipher, bool announce, std::size_t tag_bytes) {
    const Bytes key = bytes(kKey), iv = bytes(kIv), aad = bytes(1 + random_() % 100);
    const Bytes plain = bytes(1 + random_() % (random_() % 8 == 0 ? kMostBytes : 3000));
    const int size = static_cast<int>(plain.size());
    const int tag_size = static_cast<int>(tag_bytes);
    Bytes data(plain), tag(tag_bytes);
    EVP_CIPHER_CTX* const ctx = EVP_CIPHER_CTX_new();
    g_contexts.fetch_add(1, std::memory_order_relaxed);
    bool good = true;
    for (int pass = 0; pass < 3; ++pass) {
      int n = 0;
      if (pass == 2) {
        data = plain;
        tag[random_() % tag.size()] ^= 1;
      }
      good = EVP_CipherInit_ex2(ctx, cipher, key.data(), iv.data(), pass == 0 ? 1 : 0, nullptr) &&
             (pass == 0 ||
              EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, tag_size, tag.data()) == 1) &&
             (!announce || EVP_CipherUpdate(ctx, nullptr, &n, nullptr, size) == 1) &&
             EVP_CipherUpdate(ctx, nullptr, &n, aad.data(), static_cast<int>(aad.size())) == 1 &&
             good;
      const bool opened = EVP_CipherUpdate(ctx, data.data(), &n, data.data(), size) == 1 &&
                          EVP_CipherFinal_ex(ctx, data.data() + n, &n) == 1;
      good = opened == (pass != 2) && good;
      if (pass == 0) {
        good = EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, tag_size, tag.data()) == 1 && good;
      }
      if (pass == 1) good = data == plain && good;
    }
    ERR_clear_error();
    check(good, EVP_CIPHER_get0_name(cipher));
    EVP_CIPHER_CTX_free(ctx);
  }

  void generate(std::size_t cipher) {
    EVP_RAND_CTX* const ctx = EVP_RAND_CTX_new(g_algorithms.rand[cipher], nullptr);
    const auto strength = cipher_spec(cipher).strength_bits;
    Bytes a(1 + random_() % 5000), b(a.size());
    bool good = EVP_RAND_instantiate(ctx, strength, 0, nullptr, 0, nullptr) == 1;
    good = EVP_RAND_generate(ctx, a.data(), a.size(), strength, 0, nullptr, 0) == 1 && good;
    good = EVP_RAND_reseed(ctx, 0, nullptr, 0, nullptr, 0) == 1 && good;
    good = EVP_RAND_generate(ctx, b.data(), b.size(), strength, 1, nullptr, 0) == 1 && good;
    check(good && (a.size() < 16 || a != b), "a generator");
    EVP_RAND_CTX_free(ctx);
  }

  const std::vector<std::size_t> usual_ = test::usual_ciphers();
  std::mt19937 random_;
};

// The engine over the fake device, where one call in a few fails; in a process of its own, because
// devices that failed stay away for ever.
int engine(unsigned seed, int seconds) {
  const auto end = Clock::now() + std::chrono::seconds(seconds);
  std::mt19937 source(seed);
  const auto random = [&] { return static_cast<unsigned>(source()); };
  while (Clock::now() < end) {
    EngineConfig config = test::config(test::fake_gpu());
    config.cpu = &best_backend();
    config.threads = 2;
    Engine engine(config);
    const test::Key key(cipher_spec(random() % kCipherCount));
    engine.warm_up(key.cipher);
    BulkStream stream(&engine);
    for (int i = 0; i < 6; ++i) {
      const auto call =
          static_cast<test::Call>(random() % static_cast<unsigned>(test::Call::kCount));
      if (i > 1) test::fake_fail(call, 1 + random() % 5, DeviceStatus::kOther, 1 + random() % 3);
      const Bytes in = test::random_bytes(1 + random() % (2 * test::kMiB), random());
      const Bytes want = key.expect(in);
      Bytes out(in.size());
      stream.ctr(key.cipher, key.keys, key.counter, in.data(), out.data(), out.size());
      check(out == want, "the bulk engine with a failing card");
    }
  }
  return g_wrong == 0 ? 0 : 1;
}

std::size_t resident_kib() {
  std::FILE* const f = std::fopen("/proc/self/statm", "r");
  unsigned long all = 0, resident = 0;
  if (f == nullptr || std::fscanf(f, "%lu %lu", &all, &resident) != 2) return 0;
  std::fclose(f);
  return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) / kKiB;
}

unsigned descriptors() {
  unsigned n = 0;
  DIR* const d = opendir("/proc/self/fd");
  while (readdir(d) != nullptr) ++n;
  closedir(d);
  return n;
}

void ten_thousand() {
  const std::size_t before = resident_kib();
  std::vector<EVP_CIPHER_CTX*> all(10000);
  const Bytes key(kKey, 1), iv(kIv, 2);
  Bytes data(100);
  int n = 0;
  const std::vector<std::size_t> usual = test::usual_ciphers();
  std::size_t i = 0;
  bool good = true;
  for (auto& ctx : all) {
    ctx = EVP_CIPHER_CTX_new();
    good = EVP_EncryptInit_ex2(ctx, g_algorithms.ctr[usual[i++ % usual.size()]], key.data(),
                               iv.data(), nullptr) == 1 &&
           EVP_EncryptUpdate(ctx, data.data(), &n, data.data(), 100) == 1 && good;
  }
  check(good, "10,000 contexts");
  const std::size_t open = resident_kib();
  for (auto* ctx : all) EVP_CIPHER_CTX_free(ctx);
  std::printf("10,000 open contexts: %zu bytes each, %u descriptors\n",
              (open - before) * kKiB / all.size(), descriptors());
}

// A child of a process whose threads are in the middle of anything.
void fork_once(unsigned seed) {
  const pid_t child = fork();
  if (child == 0) {
    g_wrong = 0;
    User user(seed);
    for (int i = 0; i < 20; ++i) user.once();
    _exit(g_wrong == 0 ? 0 : 1);
  }
  int status = 0;
  check(child > 0 && waitpid(child, &status, 0) == child && status == 0, "a forked child");
}

void engine_once(const char* self, unsigned seed) {
  const std::string text = std::to_string(seed);
  char* arguments[] = {const_cast<char*>(self), const_cast<char*>("--engine"),
                       const_cast<char*>(text.c_str()), nullptr};
  pid_t child = 0;
  int status = 0;
  const bool good =
      posix_spawn(&child, "/proc/self/exe", nullptr, nullptr, arguments, environ) == 0;
  check(good && waitpid(child, &status, 0) == child && status == 0,
        "the engine with failing cards");
}

int soak(const char* self, int seconds) {
  if (!g_algorithms.fetch()) {
    std::fprintf(stderr, "cannot load the module\n");
    return 2;
  }
  ten_thousand();
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < kThreads; ++i) {
    threads.emplace_back([i] {
      User user(1000 + i);
      while (!g_stop) user.once();
    });
  }
  const auto start = Clock::now();
  const auto passed = [&] {
    return std::chrono::duration<double>(Clock::now() - start).count() / seconds;
  };
  std::printf("%8s %12s %12s %8s %8s %10s %6s\n", "seconds", "operations", "contexts", "children",
              "engines", "RSS KiB", "fds");
  // The first third settles; the most of the second third is what the last may not exceed. Each has
  // a sample at least, however slow the backend.
  std::size_t settled = 0, last = 0, children = 0, engines = 0;
  unsigned settled_fds = 0, last_fds = 0;
  double shown = 0;
  for (unsigned round = 0; passed() < 1 || last == 0; ++round) {
    fork_once(round);
    ++children;
    if (round % 16 == 0) {
      engine_once(self, round);
      ++engines;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    const double at = passed();
    const std::size_t now = resident_kib();
    const unsigned fds = descriptors();
    if (at > 0.33 && (at <= 0.67 || settled == 0)) {
      settled = std::max(settled, now);
      settled_fds = std::max(settled_fds, fds);
    } else if (at > 0.67) {
      last = std::max(last, now);
      last_fds = std::max(last_fds, fds);
    }
    if (at < shown && at < 1) continue;
    shown += 0.1;
    std::printf("%8.0f %12llu %12llu %8zu %8zu %10zu %6u\n", at * seconds,
                static_cast<unsigned long long>(g_operations.load()),
                static_cast<unsigned long long>(g_contexts.load()), children, engines, now, fds);
    std::fflush(stdout);
  }
  g_stop = true;
  for (auto& thread : threads) thread.join();
  // glibc's arenas come and go by some MiB with four threads; a leak of a byte an operation is
  // more.
  check(last <= settled + settled / 20 + 4096, "memory grew");
  check(last_fds <= settled_fds, "descriptors grew");
  std::printf("most RSS: %zu KiB in the middle third, %zu KiB in the last; %u wrong\n", settled,
              last, g_wrong.load());
  return g_wrong == 0 ? 0 : 1;
}

}  // namespace
}  // namespace gpuctr

int main(int count, char** arguments) {
  if (count == 3 && std::strcmp(arguments[1], "--engine") == 0) {
    return gpuctr::engine(static_cast<unsigned>(std::atoi(arguments[2])), 1);
  }
  return gpuctr::soak(arguments[0], count > 1 ? std::atoi(arguments[1]) : 1800);
}
