// The provider with a device, as programs meet it: through libcrypto, up to the end of the process.
// The module is the real one with the fake device behind it. Each case runs in a process of its
// own, whose status and output are checked: anything printed by the module would show.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/provider.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "test/bulk/sanitizers.h"
#include "test/bulk/support.h"

namespace gpuctr::test {
namespace {

constexpr char kModule[] = GPUCTR_FAKE_MODULE;

// Loads the module into libcrypto's default context with `lines` in its section.
void load(const std::string& lines) {
  char path[] = "/tmp/gpuctr-module-XXXXXX";
  close(mkstemp(path));
  std::ofstream(path) << "openssl_conf = init\n[init]\nproviders = providers\n"
                         "[providers]\ndefault = default_section\ngpuctr = gpuctr_section\n"
                         "[default_section]\nactivate = 1\n[gpuctr_section]\nmodule = "
                      << kModule << "\nactivate = 1\ngpu-threshold = 256K\n"
                      << lines;
  const int loaded = OSSL_LIB_CTX_load_config(nullptr, path);
  std::remove(path);
  if (loaded != 1 || OSSL_PROVIDER_available(nullptr, "gpuctr") != 1) _exit(90);
}

struct Stream {
  EVP_CIPHER_CTX* context = EVP_CIPHER_CTX_new();
  Key key{lea()};
  std::size_t at = 0;

  Stream() {
    EVP_CIPHER* const cipher = EVP_CIPHER_fetch(nullptr, "LEA-128-CTR", nullptr);
    const Bytes raw = random_bytes(kMaxKeyBytes, 7);  // as Key has it
    if (EVP_EncryptInit_ex2(context, cipher, raw.data(), key.counter, nullptr) != 1) _exit(91);
    EVP_CIPHER_free(cipher);
  }
  int update(std::uint8_t* data, std::size_t n) {
    int written = 0;
    const int good = EVP_EncryptUpdate(context, data, &written, data, static_cast<int>(n));
    return good == 1 && static_cast<std::size_t>(written) == n ? 1 : 0;
  }
  // n bytes of zeros, `step` at a time, are the right keystream.
  bool right(std::size_t n, std::size_t step) {
    Bytes data(n);
    for (std::size_t i = 0; i < n; i += step) {
      if (update(data.data() + i, std::min(step, n - i)) != 1) return false;
    }
    Bytes want(n);
    find_backend("scalar")->ops[key.cipher.index].ctr(key.keys, key.at(at).data(), nullptr,
                                                      want.data(), n);
    at += n;
    return data == want;
  }
  std::string backend() const {
    char text[32] = "";
    OSSL_PARAM params[2] = {OSSL_PARAM_construct_utf8_string("backend", text, sizeof text),
                            OSSL_PARAM_construct_end()};
    EVP_CIPHER_CTX_get_params(context, params);
    return text;
  }
  // A stream the device serves, with windows in flight.
  bool start() {
    for (int i = 0; i < 500; ++i) {
      if (!right(2 * kMiB, 4096)) return false;
      for (int j = 0; j < 64; ++j) {
        if (backend() == "fake") return true;
        if (!right(4096, 4096)) return false;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    return false;
  }
};

class Module : public testing::Test {
 protected:
  void SetUp() override {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    setenv("GPUCTR_FAKE_KERNEL_US", "1000", 1);
  }
  void TearDown() override {
    unsetenv("GPUCTR_FAKE_KERNEL_US");
    unsetenv("GPUCTR_FAKE_CARDS");
    unsetenv("GPUCTR_FAKE_LOST");
    unsetenv("GPUCTR_FAKE_MEMORY");
  }
  static void begin(const std::string& lines = "") {
    std::fflush(stdout);
    dup2(STDERR_FILENO, STDOUT_FILENO);
    load(lines);
  }
};

TEST_F(Module, ExitWithReadAheadInFlight) {
  EXPECT_EXIT(
      {
        begin();
        Stream stream;
        exit(stream.start() ? 7 : 1);
      },
      testing::ExitedWithCode(7), testing::Eq(""));
}

TEST_F(Module, ExitWithoutCleanup) {
  EXPECT_EXIT(
      {
        OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, nullptr);
        begin();
        Stream stream;
        exit(stream.start() ? 7 : 1);
      },
      testing::ExitedWithCode(7), testing::Eq(""));
}

TEST_F(Module, ExitAfterCleanup) {
  EXPECT_EXIT(
      {
        begin();
        auto stream = std::make_unique<Stream>();
        const bool good = stream->start();
        EVP_CIPHER_CTX_free(stream->context);
        OPENSSL_cleanup();
        exit(good ? 7 : 1);
      },
      testing::ExitedWithCode(7), testing::Eq(""));
}

TEST_F(Module, CleanupWithAContextLeftOpen) {
  EXPECT_EXIT(
      {
        begin();
        Stream stream;
        const bool good = stream.start();
        OPENSSL_cleanup();
        exit(good ? 7 : 1);
      },
      testing::ExitedWithCode(7), testing::Eq(""));
}

TEST_F(Module, QuickExitAndReturnFromAThread) {
  EXPECT_EXIT(
      {
        begin();
        std::thread([] {
          Stream stream;
          exit(stream.start() ? 7 : 1);
        }).join();
      },
      testing::ExitedWithCode(7), testing::Eq(""));
}

// A library context of its own for the module with `lines` in its section, and n bytes by it,
// `step` at a time.
bool in_own_context(const std::string& lines, std::size_t n, std::size_t step) {
  char path[] = "/tmp/gpuctr-module-XXXXXX";
  close(mkstemp(path));
  std::ofstream(path) << "openssl_conf = init\n[init]\nproviders = providers\n"
                         "[providers]\ngpuctr = section\n[section]\nmodule = "
                      << kModule << "\nactivate = 1\n"
                      << lines;
  OSSL_LIB_CTX* const library = OSSL_LIB_CTX_new();
  bool good = OSSL_LIB_CTX_load_config(library, path) == 1;
  std::remove(path);
  EVP_CIPHER* const cipher = EVP_CIPHER_fetch(library, "LEA-128-CTR", nullptr);
  EVP_CIPHER_CTX* const context = EVP_CIPHER_CTX_new();
  const std::uint8_t zeros[16] = {};
  good = good && EVP_EncryptInit_ex2(context, cipher, zeros, zeros, nullptr) == 1;
  EVP_CIPHER_free(cipher);
  Bytes data(step);
  int written = 0;
  for (std::size_t at = 0; good && at < n; at += step) {
    good =
        EVP_EncryptUpdate(context, data.data(), &written, data.data(), static_cast<int>(step)) == 1;
  }
  EVP_CIPHER_CTX_free(context);
  OSSL_LIB_CTX_free(library);
  return good;
}

// The module is unloaded with windows in flight, and loaded again.
TEST_F(Module, Unload) {
  EXPECT_EXIT(
      {
        std::fflush(stdout);
        dup2(STDERR_FILENO, STDOUT_FILENO);
        bool good = true;
        for (int i = 0; i < 3; ++i) {
          good = good && in_own_context("gpu-threshold = 256K\n", 4 * kMiB, 4096);
        }
        exit(good ? 7 : 1);
      },
      testing::ExitedWithCode(7), testing::Eq(""));
}

std::size_t threads_now() {
  std::size_t n = 0;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    static_cast<void>(task);
    ++n;
  }
  return n;
}

// Waits at most 30 s for it: a thread that ends is in /proc until the kernel has buried it.
bool threads_become_at_most(std::size_t most) {
  for (int i = 0; i < 30000 && threads_now() > most; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return threads_now() <= most;
}

// Library contexts of all kinds of settings come and go: the threads of one at most, and in the end
// none.
TEST_F(Module, UnloadEndsTheThreads) {
  if (kSanitized) GTEST_SKIP() << "a sanitizer has threads of its own";
  EXPECT_EXIT(
      {
        bool good = true;
        for (int i = 1; good && i <= 12; ++i) {
          good =
              in_own_context("gpu = off\nthreads = 8\ngpu-threshold = " + std::to_string(i) + "M\n",
                             4 * kMiB, 4 * kMiB);
          good = good && threads_become_at_most(8);
        }
        exit(good && threads_become_at_most(1) ? 7 : 1);
      },
      testing::ExitedWithCode(7), testing::Eq(""));
}

TEST_F(Module, DlopenAndDlclose) {
  EXPECT_EXIT(
      {
        std::fflush(stdout);
        dup2(STDERR_FILENO, STDOUT_FILENO);
        void* const handle = dlopen(kModule, RTLD_NOW | RTLD_LOCAL);
        bool good = handle != nullptr && dlsym(handle, "OSSL_provider_init") != nullptr;
        good = good && dlclose(handle) == 0;
        load("");
        Stream stream;
        exit(good && stream.start() ? 7 : 1);
      },
      testing::ExitedWithCode(7), testing::Eq(""));
}

// A child of a process whose device is at work: right bytes, from the CPU; exit() is quiet there
// too. Status 99 would tell of a call to the parent's device.
TEST_F(Module, Fork) {
  EXPECT_EXIT(
      {
        begin();
        Stream stream;
        const bool started = stream.start();
        const pid_t child = fork();
        if (child == 0) {
          Stream fresh;
          const bool good = stream.right(2 * kMiB, 4096) && fresh.right(2 * kMiB, 4096) &&
                            fresh.right(kMiB, kMiB) && fresh.backend() != "fake";
          exit(good ? 5 : 1);
        }
        int status = 0;
        waitpid(child, &status, 0);
        const bool good = WIFEXITED(status) && WEXITSTATUS(status) == 5;
        exit(started && good && stream.right(2 * kMiB, 4096) ? 7 : 1);
      },
      testing::ExitedWithCode(7), testing::Eq(""));
}

// nginx's way: the master loads the provider and uses it a little, the workers work.
TEST_F(Module, WorkersOfAMasterThatNeverStarted) {
  EXPECT_EXIT(
      {
        begin();
        Stream little;
        bool good = little.right(1000, 1000);
        for (int worker = 0; worker < 3; ++worker) {
          const pid_t child = fork();
          if (child == 0) {
            Stream stream;
            exit(stream.start() ? 5 : 1);
          }
          int status = 0;
          waitpid(child, &status, 0);
          good = good && WIFEXITED(status) && WEXITSTATUS(status) == 5;
        }
        exit(good ? 7 : 1);
      },
      testing::ExitedWithCode(7), testing::Eq(""));
}

TEST_F(Module, ALostDeviceGoesUnnoticed) {
  setenv("GPUCTR_FAKE_LOST", "9", 1);
  EXPECT_EXIT(
      {
        begin();
        Stream stream;
        bool good = true;
        for (int i = 0; i < 20; ++i)
          good = good && stream.right(kMiB + 48, i % 2 == 0 ? 4096 : kMiB);
        exit(good ? 7 : 1);
      },
      testing::ExitedWithCode(7), testing::Eq(""));
}

// Device memory through EVP: the CPU can't touch it, whatever the lengths; sides change on the way.
TEST_F(Module, DevicePointers) {
  setenv("GPUCTR_FAKE_MEMORY", "1048576", 1);
  EXPECT_EXIT(
      {
        begin("gpu-pointers = yes\n");
        Stream stream;
        void* device = nullptr;
        void* shadow = nullptr;
        bool good = std::sscanf(std::getenv("GPUCTR_FAKE_AT"), "%p %p", &device, &shadow) == 2;
        const Bytes in = random_bytes(700000);
        Bytes got(in.size());
        std::size_t at = 0;
        for (const std::size_t n : {1u, 14u, 1u, 16u, 100u, 33u, 65536u, 7u, 500000u, 3u, 4096u}) {
          std::memcpy(shadow, in.data() + at, n);
          auto* const data = static_cast<std::uint8_t*>(device);
          good = good && stream.update(data, n) == 1;
          good = good && (n <= 16 || stream.backend() == "fake");
          std::memcpy(got.data() + at, shadow, n);
          at += n;
          std::memcpy(got.data() + at, in.data() + at, 21);
          good = good && stream.update(got.data() + at, 21) == 1;
          at += 21;
        }
        got.resize(at);
        exit(good && got == stream.key.expect(Bytes(in.begin(), in.begin() + static_cast<long>(at)))
                 ? 7
                 : 1);
      },
      testing::ExitedWithCode(7), testing::Eq(""));
}

// `gpu = require` and no device: one error that says so, and the output untouched.
TEST_F(Module, RequireWithoutADeviceIsOneError) {
  setenv("GPUCTR_FAKE_CARDS", "0", 1);
  EXPECT_EXIT(
      {
        begin("gpu = require\n");
        Stream stream;
        Bytes in(kMiB, 0x11);
        Bytes out(kMiB, 0x77);
        int written = 0;
        const int status = EVP_EncryptUpdate(stream.context, out.data(), &written, in.data(),
                                             static_cast<int>(in.size()));
        const char* data = "";
        int flags = 0;
        const unsigned long first = ERR_get_error_all(nullptr, nullptr, nullptr, &data, &flags);
        const bool one = first != 0 && ERR_get_error() == 0;
        const bool clear =
            std::strstr(ERR_reason_error_string(first), "GPU is required") != nullptr &&
            std::strstr(data, "LEA-128") != nullptr;
        exit(status == 0 && one && clear && out == Bytes(kMiB, 0x77) ? 7 : 1);
      },
      testing::ExitedWithCode(7), testing::Eq(""));
}

// The trace of a context says who made its bytes, also where a later update was refused.
TEST_F(Module, TheTraceNamesWhoMadeTheBytes) {
  setenv("GPUCTR_FAKE_CARDS", "0", 1);
  // The process that EXPECT_EXIT starts comes by here as well, and keeps the name it inherits.
  setenv("GPUCTR_TRACE", ("/tmp/gpuctr-trace-" + std::to_string(getpid())).c_str(), 0);
  const std::string trace = std::getenv("GPUCTR_TRACE");
  EXPECT_EXIT(
      {
        begin("gpu = require\ncpu = scalar\n");
        Stream stream;
        bool good = stream.right(kMiB - 4096, 4096);
        Bytes more(kMiB);
        good = good && stream.update(more.data(), more.size()) == 0;
        EVP_CIPHER_CTX_free(stream.context);
        exit(good ? 7 : 1);
      },
      testing::ExitedWithCode(7), testing::Eq(""));
  unsetenv("GPUCTR_TRACE");
  std::ifstream file(trace);
  const std::string said((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  std::remove(trace.c_str());
  EXPECT_NE(said.find("backend=scalar"), std::string::npos) << said;
  EXPECT_EQ(said.find("backend=fake"), std::string::npos) << said;
}

// The command line with a device: the same file as without one, and nothing on stderr.
TEST_F(Module, OpensslEnc) {
  if (kSanitized) GTEST_SKIP() << "the openssl program has no sanitizer for the module to use";
  const std::string base = "/tmp/gpuctr-enc-" + std::to_string(getpid());
  {
    const Bytes data = random_bytes(8 * kMiB + 77);
    std::ofstream(base + ".in", std::ios::binary)
        .write(reinterpret_cast<const char*>(data.data()),
               static_cast<std::streamsize>(data.size()));
  }
  for (const std::string mode : {"ctr", "ecb"}) {
    for (const std::string gpu : {"auto", "off", "require"}) {
      std::ofstream(base + ".cnf")
          << "openssl_conf = init\n[init]\nproviders = providers\n"
             "[providers]\ndefault = d\ngpuctr = g\n[d]\nactivate = 1\n"
             "[g]\nmodule = "
          << kModule << "\nactivate = 1\ngpu-threshold = 256K\ngpu = " << gpu << "\n";
      const std::string trace = base + "." + gpu + ".trace";
      const std::string iv = mode == "ctr" ? " -iv ffffffffffffffffffffffffffffff00" : "";
      const std::string command =
          "OPENSSL_CONF=" + base + ".cnf GPUCTR_TRACE=" + trace + " openssl enc -lea-128-" + mode +
          " -K 000102030405060708090a0b0c0d0e0f" + iv + " -in " + base + ".in -out " + base + "." +
          gpu + " >" + base + ".said 2>&1 && test ! -s " + base + ".said";
      EXPECT_EQ(std::system(command.c_str()), 0) << gpu;
    }
    const auto holds = [&](const std::string& command) {
      EXPECT_EQ(std::system(command.c_str()), 0) << mode << ": " << command;
    };
    holds("cmp " + base + ".off " + base + ".auto");
    holds("cmp " + base + ".off " + base + ".require");
    holds("grep -q 'by-device=0$' " + base + ".off.trace");
    // openssl enc has ECB's blocks come 4 KiB at a time, which are the CPU's.
    const std::string by_device = mode == "ctr" ? "[1-9]" : "0$";
    holds("grep -q 'by-device=" + by_device + "' " + base + ".require.trace");
    holds("rm " + base + ".*.trace");
  }
  EXPECT_EQ(std::system(("rm -f " + base + ".*").c_str()), 0);
}

}  // namespace
}  // namespace gpuctr::test
