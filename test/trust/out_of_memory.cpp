// usage: trust_out_of_memory MODULE_DIR [STORY [N m|a [for good]]]
// Each story below is told again and again, and in each telling another allocation fails: the n-th
// alone, or the n-th and all after it; of the module's own, or of the whole process. It must end
// with success or an error, never with the process, leave no memory behind, and succeed when it is
// told once more with memory to be had. Each telling is a child's, so that all begin alike.
//
// The program itself does without libstdc++, as an application in C does: the module brings it, and
// what it needs of memory for a thread is allocated when it is first asked for.
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <openssl/core_dispatch.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/provider.h>
#include <openssl/rand.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

#include "provider/core/errors.h"
#include "test/trust/memory_batch.h"

// The C library's own functions, below the ones that this program puts in front of them.
extern "C" {
void* __libc_malloc(std::size_t);                 // NOLINT
void* __libc_calloc(std::size_t, std::size_t);    // NOLINT
void* __libc_realloc(void*, std::size_t);         // NOLINT
void* __libc_memalign(std::size_t, std::size_t);  // NOLINT
void __libc_free(void*);                          // NOLINT
}

namespace {

enum class Whose { kModule, kAll };

std::atomic<bool> g_on{false};
std::atomic<long> g_count{0};
long g_fail_at = 0;  // 0: none
bool g_for_good = false;
Whose g_whose = Whose::kAll;
// Where the module's code is. It stays there when it is unloaded.
std::uintptr_t g_begin = 0, g_end = 0;
// What the module has allocated and not freed.
constexpr std::size_t kLive = 1 << 14;
std::atomic<void*> g_live[kLive];

bool ours(const void* caller) {
  const auto at = reinterpret_cast<std::uintptr_t>(caller);
  return at >= g_begin && at < g_end;
}

bool fails(const void* caller) {
  if (!g_on || (g_whose == Whose::kModule && !ours(caller))) return false;
  const long n = ++g_count;
  if (g_fail_at == 0 || (g_for_good ? n < g_fail_at : n != g_fail_at)) return false;
  errno = ENOMEM;
  return true;
}

void* note(void* p, const void* caller) {
  if (p == nullptr || !ours(caller)) return p;
  for (std::size_t i = reinterpret_cast<std::uintptr_t>(p) >> 4;; ++i) {
    void* none = nullptr;
    if (g_live[i % kLive].compare_exchange_strong(none, p)) return p;
  }
}

std::size_t live() {
  std::size_t n = 0;
  for (const auto& p : g_live) n += p != nullptr ? 1 : 0;
  return n;
}

}  // namespace

#define CALLER __builtin_return_address(0)
#pragma GCC visibility push(default)
extern "C" {
void* malloc(std::size_t n) { return fails(CALLER) ? nullptr : note(__libc_malloc(n), CALLER); }
void* calloc(std::size_t n, std::size_t size) {
  return fails(CALLER) ? nullptr : note(__libc_calloc(n, size), CALLER);
}
void* realloc(void* p, std::size_t n) { return fails(CALLER) ? nullptr : __libc_realloc(p, n); }
void* memalign(std::size_t unit, std::size_t n) {
  return fails(CALLER) ? nullptr : note(__libc_memalign(unit, n), CALLER);
}
void* aligned_alloc(std::size_t unit, std::size_t n) {
  return fails(CALLER) ? nullptr : note(__libc_memalign(unit, n), CALLER);
}
int posix_memalign(void** p, std::size_t unit, std::size_t n) {
  if (fails(CALLER)) return ENOMEM;
  *p = note(__libc_memalign(unit, n), CALLER);
  return *p == nullptr ? ENOMEM : 0;
}
void free(void* p) {
  if (p == nullptr) return;
  // Another slot than the first may have it, if those before were taken then.
  for (std::size_t i = reinterpret_cast<std::uintptr_t>(p) >> 4, n = 0; n < 64; ++i, ++n) {
    void* expected = p;
    if (g_live[i % kLive].compare_exchange_strong(expected, nullptr)) break;
  }
  __libc_free(p);
}
}
#pragma GCC visibility pop

namespace {

enum Outcome { kWrong = -1, kError = 0, kDone = 1 };

constexpr std::size_t kLarge = std::size_t{3} << 20;
const std::uint8_t kKey[32] = {1, 2, 3};
const std::uint8_t kIv[16] = {4, 5, 6};

char g_directory[400];
char g_configuration[500];
char g_module[500];
OSSL_provider_init_fn* g_enter = nullptr;
OSSL_LIB_CTX* g_lib = nullptr;
std::uint8_t* g_data = nullptr;
std::uint8_t* g_expected = nullptr;  // of kLarge zeros under LEA-128-CTR

int int_of(std::size_t n) { return static_cast<int>(n); }

struct CipherCtx {
  EVP_CIPHER_CTX* p = EVP_CIPHER_CTX_new();
  ~CipherCtx() { EVP_CIPHER_CTX_free(p); }
};
struct Cipher {
  explicit Cipher(const char* name) : p(EVP_CIPHER_fetch(g_lib, name, nullptr)) {}
  ~Cipher() { EVP_CIPHER_free(p); }
  EVP_CIPHER* p;
};
struct RandCtx {
  RandCtx(const char* name, EVP_RAND_CTX* parent) {
    EVP_RAND* const rand = EVP_RAND_fetch(g_lib, name, nullptr);
    if (rand != nullptr) p = EVP_RAND_CTX_new(rand, parent);
    EVP_RAND_free(rand);
  }
  ~RandCtx() { EVP_RAND_CTX_free(p); }
  EVP_RAND_CTX* p = nullptr;
};

bool update(EVP_CIPHER_CTX* ctx, std::uint8_t* out, const std::uint8_t* in, std::size_t n) {
  int written = 0;
  return EVP_EncryptUpdate(ctx, out, &written, in, int_of(n)) == 1 && written == int_of(n);
}

// An update of n bytes and of 100 more, the latter in a copy of the context too.
Outcome counter_mode(std::size_t n) {
  const Cipher cipher("LEA-128-CTR");
  const CipherCtx ctx, copy;
  if (cipher.p == nullptr || ctx.p == nullptr || copy.p == nullptr) return kError;
  if (EVP_EncryptInit_ex2(ctx.p, cipher.p, kKey, kIv, nullptr) != 1) return kError;
  std::memset(g_data, 0, n + 200);
  if (!update(ctx.p, g_data, g_data, n)) return kError;
  if (EVP_CIPHER_CTX_copy(copy.p, ctx.p) != 1) return kError;
  if (!update(copy.p, g_data + n, g_data + n, 100)) return kError;
  if (!update(ctx.p, g_data + n + 100, g_data + n + 100, 100)) return kError;
  return std::memcmp(g_data, g_expected, n + 100) == 0 &&
                 std::memcmp(g_data + n + 100, g_expected + n, 100) == 0
             ? kDone
             : kWrong;
}

Outcome small_ctr() { return counter_mode(500); }
Outcome large_ctr() { return counter_mode(kLarge); }

Outcome ecb() {
  const Cipher cipher("HIGHT-ECB");
  const CipherCtx ctx;
  if (cipher.p == nullptr || ctx.p == nullptr) return kError;
  if (EVP_EncryptInit_ex2(ctx.p, cipher.p, kKey, nullptr, nullptr) != 1) return kError;
  int n = 0, rest = 0;
  if (EVP_EncryptUpdate(ctx.p, g_data, &n, g_data, 1001) != 1) return kError;
  if (EVP_EncryptFinal_ex(ctx.p, g_data + n, &rest) != 1) return kError;
  return n + rest == 1008 ? kDone : kWrong;
}

// A message that is copied in the middle: the copy ends with the same tag.
Outcome gcm() {
  const Cipher cipher("LEA-128-GCM");
  const CipherCtx ctx, copy;
  if (cipher.p == nullptr || ctx.p == nullptr || copy.p == nullptr) return kError;
  if (EVP_EncryptInit_ex2(ctx.p, cipher.p, kKey, kIv, nullptr) != 1) return kError;
  std::uint8_t tags[2][16];
  int n = 0;
  if (!update(ctx.p, nullptr, kKey, 20) || !update(ctx.p, g_data, g_data, 1001)) return kError;
  if (EVP_CIPHER_CTX_copy(copy.p, ctx.p) != 1) return kError;
  for (unsigned i = 0; i < 2; ++i) {
    EVP_CIPHER_CTX* const one = i == 0 ? ctx.p : copy.p;
    if (EVP_EncryptFinal_ex(one, g_data, &n) != 1) return kError;
    if (EVP_CIPHER_CTX_ctrl(one, EVP_CTRL_AEAD_GET_TAG, 16, tags[i]) != 1) return kError;
  }
  return std::memcmp(tags[0], tags[1], sizeof tags[0]) == 0 ? kDone : kWrong;
}

// A message whose context is copied before its text: the copy ends with the same tag.
Outcome ccm() {
  const Cipher cipher("LEA-128-CCM");
  const CipherCtx ctx, copy;
  if (cipher.p == nullptr || ctx.p == nullptr || copy.p == nullptr) return kError;
  if (EVP_EncryptInit_ex2(ctx.p, cipher.p, kKey, kIv, nullptr) != 1) return kError;
  std::uint8_t tags[2][12];
  if (!update(ctx.p, nullptr, nullptr, 1001) || !update(ctx.p, nullptr, kKey, 20)) return kError;
  if (EVP_CIPHER_CTX_copy(copy.p, ctx.p) != 1) return kError;
  for (unsigned i = 0; i < 2; ++i) {
    EVP_CIPHER_CTX* const one = i == 0 ? ctx.p : copy.p;
    std::memset(g_data, 0, 1001);
    if (!update(one, g_data, g_data, 1001)) return kError;
    if (EVP_CIPHER_CTX_ctrl(one, EVP_CTRL_AEAD_GET_TAG, 12, tags[i]) != 1) return kError;
  }
  return std::memcmp(tags[0], tags[1], sizeof tags[0]) == 0 ? kDone : kWrong;
}

Outcome batch() { return static_cast<Outcome>(gpuctr::trust::batch_of_messages(g_lib, g_data)); }

Outcome generator(std::size_t n) {
  const RandCtx primary("CHAM-128-256-CTR-DRBG", nullptr);
  if (primary.p == nullptr || EVP_RAND_enable_locking(primary.p) != 1) return kError;
  if (EVP_RAND_instantiate(primary.p, 0, 0, nullptr, 0, nullptr) != 1) return kError;
  const RandCtx rand("LEA-128-CTR-DRBG", primary.p);
  if (rand.p == nullptr || EVP_RAND_enable_locking(rand.p) != 1) return kError;
  if (EVP_RAND_instantiate(rand.p, 0, 1, kKey, 5, nullptr) != 1) return kError;
  if (EVP_RAND_generate(rand.p, g_data, 100, 0, 1, kKey, 7) != 1) return kError;
  if (EVP_RAND_generate(rand.p, g_data, n, 0, 0, nullptr, 0) != 1) return kError;
  if (EVP_RAND_reseed(rand.p, 1, nullptr, 0, kKey, 9) != 1) return kError;
  return EVP_RAND_uninstantiate(rand.p) == 1 ? kDone : kError;
}

Outcome small_rand() { return generator(200); }
Outcome large_rand() { return generator(kLarge); }

#ifndef GPUCTR_HAVE_CUDA  // NVIDIA's runtime does not survive it: SECURITY.md
// The dynamic linker, and what runs of the module when it is mapped.
Outcome map_module() { return dlopen(g_module, RTLD_NOW | RTLD_LOCAL) != nullptr ? kDone : kError; }
#endif

// From nothing: a library context with a configuration, and its first random bytes.
Outcome load() {
  OSSL_LIB_CTX* const lib = OSSL_LIB_CTX_new();
  if (lib == nullptr) return kError;
  const bool loaded = OSSL_PROVIDER_set_default_search_path(lib, g_directory) == 1 &&
                      OSSL_LIB_CTX_load_config(lib, g_configuration) == 1 &&
                      OSSL_PROVIDER_available(lib, "gpuctr") == 1 &&
                      RAND_bytes_ex(lib, g_data, 100, 0) == 1 &&
                      RAND_priv_bytes_ex(lib, g_data, 100, 0) == 1;
  OSSL_LIB_CTX_free(lib);
  return loaded ? kDone : kError;
}

// The entry point itself: libcrypto 3.0 drops the errors of a provider that refuses.
Outcome enter(const char* threads) {
  const auto get_params = [](const OSSL_CORE_HANDLE* handle, OSSL_PARAM* params) {
    for (; params->key != nullptr; ++params) {
      if (std::strcmp(params->key, "threads") != 0) continue;
      *static_cast<const char**>(params->data) = reinterpret_cast<const char*>(handle);
    }
    return 1;
  };
  const auto new_error = [](const OSSL_CORE_HANDLE*) {};
  const auto set_error = [](const OSSL_CORE_HANDLE*, std::uint32_t reason, const char*, va_list) {
    ERR_raise(ERR_LIB_USER, static_cast<int>(reason));
  };
  using Function = void (*)();
  const OSSL_DISPATCH core[] = {
      {OSSL_FUNC_CORE_GET_PARAMS,
       reinterpret_cast<Function>(static_cast<OSSL_FUNC_core_get_params_fn*>(get_params))},
      {OSSL_FUNC_CORE_NEW_ERROR,
       reinterpret_cast<Function>(static_cast<OSSL_FUNC_core_new_error_fn*>(new_error))},
      {OSSL_FUNC_CORE_VSET_ERROR,
       reinterpret_cast<Function>(static_cast<OSSL_FUNC_core_vset_error_fn*>(set_error))},
      {0, nullptr}};
  const OSSL_DISPATCH* functions = nullptr;
  void* context = nullptr;
  const auto* const handle = reinterpret_cast<const OSSL_CORE_HANDLE*>(threads);
  if (g_enter(handle, core, &functions, &context) != 1) return kError;
  for (; functions->function_id != 0; ++functions) {
    if (functions->function_id == OSSL_FUNC_PROVIDER_TEARDOWN) {
      OSSL_FUNC_provider_teardown(functions)(context);
    }
  }
  return kDone;
}

Outcome enter_good() { return enter("3"); }
// Refused, with an error, whatever there is of memory.
Outcome enter_bad() {
  ERR_clear_error();
  if (enter("many") != kError) return kWrong;
  const unsigned long e = ERR_peek_error();
  if (ERR_GET_LIB(e) != ERR_LIB_USER) return g_whose == Whose::kAll && g_on ? kDone : kWrong;
  const int reason = ERR_GET_REASON(e);
  const bool right = reason == static_cast<int>(gpuctr::Reason::kBadConfig) ||
                     reason == static_cast<int>(gpuctr::Reason::kNoMemory);
  return right ? kDone : kWrong;
}

// The device runtime, one a process, which the first engine for devices makes and nobody frees.
#ifdef GPUCTR_HAVE_CUDA
constexpr std::size_t kRuntime = 1;
#else
constexpr std::size_t kRuntime = 0;
#endif

struct Story {
  const char* name;
  Outcome (*tell)();
  std::size_t keeps = 0;         // allocations of the module that stay for the process
  bool by_module_alone = false;  // libcrypto does not survive it where its own allocations fail
  bool says_so = true;           // each failure leaves an error on the queue
  bool comes_back = true;        // the dynamic linker of glibc 2.36 does not always
};
// A first large job leaves three: the process's threads, its devices, and what engines of one
// setting share.
const Story kStories[] = {{"load", load, 0, true, false},  // libcrypto 3.0 drops a provider's
                          {"entry point", enter_good, kRuntime},
                          {"entry point, a bad value", enter_bad},
                          {"counter mode", small_ctr},
                          {"counter mode, large", large_ctr, 3},
                          {"ECB", ecb},
                          {"GCM", gcm},
                          {"CCM", ccm},
                          {"batch", batch},
                          {"generator", small_rand},
                          {"generator, large", large_rand, 3}};

// Exit codes of a telling.
enum Ending { kFine, kWrongBytes, kNoError, kNotAfterwards, kLeak };
constexpr int kReached = 64;  // beside the ending: there were so many allocations
const char* const kEndings[] = {"fine", "wrong bytes", "no error of the module's",
                                "fails afterwards", "memory left behind"};

// Whether there is an error of the module's: of its own library, or one of the default provider's
// with data, which the default provider's own errors lack. libcrypto adds others to it. Empties the
// queue.
bool module_said_so() {
  bool said = false;
  const char* data = nullptr;
  int flags = 0;
  while (const unsigned long e = ERR_get_error_all(nullptr, nullptr, nullptr, &data, &flags)) {
    const bool has_data = (flags & ERR_TXT_STRING) != 0 && data != nullptr && *data != '\0';
    said = said || ERR_GET_LIB(e) >= ERR_LIB_USER || (ERR_GET_LIB(e) == ERR_LIB_PROV && has_data);
  }
  return said;
}

Ending tell(const Story& story, Whose whose, long n, bool for_good) {
  const std::size_t before = live();
  g_whose = whose;
  g_fail_at = n;
  g_for_good = for_good;
  g_on = true;
  const Outcome outcome = story.tell();
  g_on = false;
  const bool said = module_said_so();
  if (outcome == kWrong) return kWrongBytes;
  // Where all fails, libcrypto has no memory for its queue either.
  if (outcome == kError && whose == Whose::kModule && story.says_so && !said) return kNoError;
  if (story.tell() != kDone && story.comes_back) return kNotAfterwards;
  if (live() > before + story.keeps) return kLeak;
  return kFine;
}

// How many failed tellings; `total` of them.
unsigned run(const Story& story, Whose whose, bool for_good, long* total) {
  unsigned failed = 0;
  for (long n = 1;; ++n) {
    std::fflush(nullptr);
    const pid_t child = fork();
    if (child == 0) {
      alarm(60);
      const Ending ending = tell(story, whose, n, for_good);
      _exit(ending | (g_count >= n ? kReached : 0));
    }
    int status = 0;
    waitpid(child, &status, 0);
    *total = n;
    const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    const int ending = code & ~kReached;
    const bool known = ending <= kLeak;
    if (WIFEXITED(status) && ending == kFine) {
      if ((code & kReached) == 0) return failed;
    } else if (++failed <= 3) {
      std::printf("    allocation %ld: %s, status 0x%x\n", n, known ? kEndings[ending] : "exit",
                  static_cast<unsigned>(status));
    }
    if (WIFEXITED(status) && known && (code & kReached) == 0) return failed;
  }
}

bool write_configuration() {
  std::snprintf(g_configuration, sizeof g_configuration, "%s/trust_out_of_memory.cnf", g_directory);
  std::FILE* const file = std::fopen(g_configuration, "we");
  if (file == nullptr) return false;
  std::fputs(
      "config_diagnostics = 1\nopenssl_conf = init\n[init]\nproviders = providers\n"
      "random = random\n[providers]\ndefault = stock\ngpuctr = ours\n[stock]\nactivate = 1\n"
      "[ours]\nactivate = 1\ngpu = off\nthreads = 2\n[random]\nrandom = LEA-256-CTR-DRBG\n",
      file);
  return std::fclose(file) == 0;
}

int is_libstdcxx(dl_phdr_info* info, std::size_t, void*) {
  return std::strstr(info->dlpi_name, "libstdc++") != nullptr ? 1 : 0;
}

int find_module(dl_phdr_info* info, std::size_t, void*) {
  const char* const name = std::strrchr(info->dlpi_name, '/');
  if (name == nullptr || std::strcmp(name, "/gpuctr.so") != 0) return 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& header = info->dlpi_phdr[i];
    if (header.p_type != PT_LOAD || (header.p_flags & PF_X) == 0) continue;
    g_begin = info->dlpi_addr + header.p_vaddr;
    g_end = g_begin + header.p_memsz;
  }
  return 1;
}

bool prepare() {
  if (!write_configuration()) return false;
  g_lib = OSSL_LIB_CTX_new();
  OSSL_PROVIDER_set_default_search_path(g_lib, g_directory);
  if (OSSL_LIB_CTX_load_config(g_lib, g_configuration) != 1) return false;
  void* const module = dlopen(g_module, RTLD_NOW | RTLD_LOCAL);
  if (module == nullptr) return false;
  g_enter = reinterpret_cast<OSSL_provider_init_fn*>(dlsym(module, "OSSL_provider_init"));
  dl_iterate_phdr(find_module, nullptr);
  g_data = static_cast<std::uint8_t*>(std::malloc(kLarge + 4096));
  g_expected = static_cast<std::uint8_t*>(std::calloc(1, kLarge + 4096));
  // In pieces for which no thread is started.
  const Cipher cipher("LEA-128-CTR");
  const CipherCtx ctx;
  bool good = EVP_EncryptInit_ex2(ctx.p, cipher.p, kKey, kIv, nullptr) == 1;
  for (std::size_t done = 0; done < kLarge + 4096; done += 4096) {
    good = update(ctx.p, g_expected + done, g_expected + done, 4096) && good;
  }
  // libcrypto's own part of a first call, after which a failure stays with it for good.
  for (const auto warm_up : {small_ctr, ecb, small_rand}) good = warm_up() == kDone && good;
  return good && g_begin != 0;
}

// Tells a story in every way that the arguments ask for. How many tellings failed.
unsigned all_of(const Story& story, int count, char** arguments) {
  if (count > 2 && std::strcmp(arguments[2], story.name) != 0) return 0;
  if (count > 4) {  // one telling in this process, for a debugger
    const Whose whose = *arguments[4] == 'm' ? Whose::kModule : Whose::kAll;
    return tell(story, whose, std::atol(arguments[3]), count > 5) == kFine ? 0 : 1;
  }
  unsigned failed = 0;
  for (const Whose whose : {Whose::kModule, Whose::kAll}) {
    if (whose == Whose::kAll && story.by_module_alone) continue;
    for (const bool for_good : {false, true}) {
      long total = 0;
      const unsigned bad = run(story, whose, for_good, &total);
      std::printf("%-6s %s: %s%s of %ld: %u bad\n", bad == 0 ? "ok" : "FAILED", story.name,
                  whose == Whose::kModule ? "the module's" : "each allocation",
                  for_good ? " and all after it" : "", total, bad);
      failed += bad;
    }
  }
  return failed;
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 2) return 2;
  std::snprintf(g_directory, sizeof g_directory, "%s", arguments[1]);
  std::snprintf(g_module, sizeof g_module, "%s/gpuctr.so", g_directory);
  if (dl_iterate_phdr(is_libstdcxx, nullptr) != 0) {
    std::puts("libstdc++ is here before the module is");
    return 2;
  }
  // glibc's dynamic linker ends the process where it has no memory for libstdc++'s unique symbols.
  if (dlopen("libstdc++.so.6", RTLD_NOW | RTLD_LOCAL) == nullptr) return 2;
#ifdef GPUCTR_HAVE_CUDA
  unsigned failed = 0;
#else
  unsigned failed = all_of({"map the module", map_module, 0, false, true, false}, count, arguments);
#endif
  if (!prepare()) {
    ERR_print_errors_fp(stdout);
    return 2;
  }
  for (const Story& story : kStories) failed += all_of(story, count, arguments);
  return failed == 0 ? 0 : 1;
}
