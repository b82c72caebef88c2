// A process under a seccomp filter, such as OpenSSH's pre-auth child, encrypts with the module. It
// may read, write, end and allocate memory; any other system call kills it. Each case runs in a
// child, which loads the module, restricts itself, and ends with its verdict.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <openssl/core_names.h>
#include <openssl/self_test.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>

#include "test/provider/support.h"
#include "test/support/seccomp.h"

namespace gpuctr::test {
namespace {

constexpr std::size_t kBytes = std::size_t{1} << 16;

// What memory for a context takes, and what a child needs to end.
bool restrict_calls() {
  return allow_only({SYS_read, SYS_write, SYS_exit, SYS_exit_group, SYS_rt_sigreturn, SYS_brk,
                     SYS_mmap, SYS_munmap, SYS_mremap, SYS_mprotect, SYS_madvise, SYS_futex});
}

bool encrypts(const EVP_CIPHER* cipher) {
  const Evp<EVP_CIPHER_CTX> context(EVP_CIPHER_CTX_new());
  const Bytes key(64, 0x31), text(kBytes, 0x42);
  Bytes out(kBytes + 64);
  int n = 0;
  return EVP_EncryptInit_ex2(context.get(), cipher, key.data(), key.data(), nullptr) == 1 &&
         EVP_EncryptUpdate(context.get(), out.data(), &n, text.data(), kBytes) == 1 &&
         EVP_EncryptFinal_ex(context.get(), out.data(), &n) == 1;
}

// Ciphers of three modes, each in a context of its own, under the restriction. The first use of
// EVP reads OpenSSL's configuration.
bool encrypts_restricted() {
  const Library library;
  const auto ctr = library.cipher("LEA-128-CTR"), gcm = library.cipher("LEA-128-GCM"),
             cbc = library.cipher("LEA-128-CBC");
  return encrypts(ctr.get()) && restrict_calls() && encrypts(ctr.get()) && encrypts(gcm.get()) &&
         encrypts(cbc.get());
}

// OpenSSH's child may not write to files either. `path` is emptied before that.
bool encrypts_in_openssh(const std::string& path) {
  const Library library;
  const auto ctr = library.cipher("LEA-128-CTR");
  const rlimit none = {0, 0};
  return encrypts(ctr.get()) && truncate(path.c_str(), 0) == 0 &&
         setrlimit(RLIMIT_FSIZE, &none) == 0 && restrict_calls() && encrypts(ctr.get());
}

// A required device that is missing: a note of the engine and an error. An engine of equal settings
// has looked for the device before, so that no driver starts under the restriction.
bool refuses_restricted() {
  struct Loaded {
    Loaded() {
      configure(context.get(), "gpu = require\ngpu-threshold = 4K\ngpus = 63\n");
      OSSL_PROVIDER_set_default_search_path(context.get(), GPUCTR_MODULE_DIR);
      provider.reset(OSSL_PROVIDER_load(context.get(), "gpuctr"));
      cipher.reset(EVP_CIPHER_fetch(context.get(), "LEA-128-CTR", "provider=gpuctr"));
    }
    const Evp<OSSL_LIB_CTX> context{OSSL_LIB_CTX_new()};
    Evp<OSSL_PROVIDER> provider;
    Evp<EVP_CIPHER> cipher;
  };
  const Loaded first, second;
  return first.cipher != nullptr && second.cipher != nullptr && !encrypts(first.cipher.get()) &&
         restrict_calls() && !encrypts(second.cipher.get());
}

// The self-test, with an application that follows its events.
bool tests_itself_restricted() {
  const Library library;
  int events = 0;
  OSSL_SELF_TEST_set_callback(
      library.get(), [](const OSSL_PARAM*, void* count) { return ++*static_cast<int*>(count), 1; },
      &events);
  return restrict_calls() && OSSL_PROVIDER_self_test(library.provider()) == 1 && events > 0;
}

class Sandbox : public testing::Test {
 protected:
  void SetUp() override {
    if (!kCallsAreOurs) GTEST_SKIP() << "a sanitizer makes system calls of its own";
  }
  Sandbox() {
    char folder[] = "/tmp/gpuctr-sandbox-XXXXXX";
    folder_ = mkdtemp(folder);
    file_ = folder_ + "/trace";
  }
  ~Sandbox() override { std::filesystem::remove_all(folder_); }

  // The verdict of `act` in a child under GPUCTR_TRACE=target, or minus the signal that killed it.
  // Standard error is the file of the case.
  int child(const char* target, const std::function<bool()>& act) const {
    const pid_t pid = fork();
    if (pid == 0) {
      setenv("GPUCTR_TRACE", target, 1);
      dup2(open(file_.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600), STDERR_FILENO);
      alarm(60);
      _exit(act() ? 0 : 1);
    }
    int status = 0;
    waitpid(pid, &status, 0);
    return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
  }
  std::string written() const {
    std::ostringstream text;
    text << std::ifstream(file_).rdbuf();
    return text.str();
  }

  std::string folder_, file_;
};

// What the restriction has to allow is what the work takes.
TEST_F(Sandbox, WithoutATrace) {
  EXPECT_EQ(0, child("", encrypts_restricted));
  EXPECT_EQ(0, child("", [this] { return encrypts_in_openssh(file_); }));
  EXPECT_EQ(0, child("", refuses_restricted));
  EXPECT_EQ(0, child("", tests_itself_restricted));
  EXPECT_EQ("", written());
}

TEST_F(Sandbox, TraceOfCiphers) {
  for (const std::string& target : {file_, std::string("stderr")}) {
    std::filesystem::remove(file_);
    EXPECT_EQ(0, child(target.c_str(), encrypts_restricted)) << target;
    for (const char* line :
         {"LEA-128-CTR backend=", "LEA-128-GCM backend=", "LEA-128-CBC backend="}) {
      EXPECT_NE(std::string::npos, written().find(line)) << target << ": " << written();
    }
  }
}

TEST_F(Sandbox, TraceWhereNoFileMayGrow) {
  EXPECT_EQ(0, child(file_.c_str(), [this] { return encrypts_in_openssh(file_); }));
  EXPECT_EQ(0, child("stderr", [this] { return encrypts_in_openssh(file_); }));
  EXPECT_EQ("", written());
}

TEST_F(Sandbox, TraceOfAFailure) {
  EXPECT_EQ(0, child(file_.c_str(), refuses_restricted));
  const std::string text = written(), note = "the CPU does a device's work";
  const std::size_t first = text.find(note);
  ASSERT_NE(std::string::npos, first) << text;
  EXPECT_NE(std::string::npos, text.find(note, first + 1)) << text;
}

TEST_F(Sandbox, SelfTestEvents) { EXPECT_EQ(0, child(file_.c_str(), tests_itself_restricted)); }

}  // namespace
}  // namespace gpuctr::test
