#include "test/bench/bulk_evp.h"

#include <openssl/err.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace gpuctr::bench {

void die(const std::string& what) {
  std::fprintf(stderr, "bench_bulk: %s\n", what.c_str());
  ERR_print_errors_fp(stderr);
  std::exit(1);
}

std::string write_config(const std::string& keys, const std::string& name) {
  const std::filesystem::path path = std::filesystem::absolute("build/bench/" + name + ".cnf");
  std::filesystem::create_directories(path.parent_path());
  std::ofstream out(path);
  out << "openssl_conf = init\n[init]\nproviders = providers\n"
      << "[providers]\ndefault = default_section\ngpuctr = gpuctr_section\n"
      << "xor_ready = xor_section\n"
      << "[default_section]\nactivate = 1\n"
      << "[xor_section]\nmodule = " << GPUCTR_XOR_MODULE << "\nactivate = 1\n"
      << "[gpuctr_section]\nmodule = " << GPUCTR_MODULE << "\nactivate = 1\n"
      << keys;
  if (!out.flush()) die("cannot write " + path.string());
  return path.string();
}

Library::Library(const std::string& keys) : context_(OSSL_LIB_CTX_new()) {
  const std::string path = write_config(keys, "bulk-" + std::to_string(getpid()));
  const bool loaded = OSSL_LIB_CTX_load_config(context_.get(), path.c_str()) == 1 &&
                      OSSL_PROVIDER_available(context_.get(), "gpuctr") == 1;
  std::filesystem::remove(path);
  if (!loaded) die("cannot load gpuctr with\n" + keys);
}

Cipher::Cipher(const Library& library, const std::string& name, const char* properties)
    : cipher_(EVP_CIPHER_fetch(library.get(), name.c_str(), properties)),
      context_(EVP_CIPHER_CTX_new()) {
  if (cipher_ == nullptr) die("no cipher " + name);
  std::uint8_t key[EVP_MAX_KEY_LENGTH];
  std::uint8_t iv[EVP_MAX_IV_LENGTH];
  std::memset(key, 0x5a, sizeof key);
  std::memset(iv, 0x17, sizeof iv);
  if (EVP_EncryptInit_ex2(context_.get(), cipher_.get(), key, iv, nullptr) != 1)
    die("init " + name);
}

void Cipher::update(std::uint8_t* out, const std::uint8_t* in, std::size_t n) {
  constexpr std::size_t kMost = std::size_t{1} << 30;
  for (std::size_t at = 0; at < n;) {
    const std::size_t now = std::min(kMost, n - at);
    int written = 0;
    if (EVP_EncryptUpdate(context_.get(), out + at, &written, in + at, static_cast<int>(now)) !=
            1 ||
        static_cast<std::size_t>(written) != now) {
      die("update");
    }
    at += now;
  }
}

std::string Cipher::backend() const {
  char text[32] = "openssl";
  OSSL_PARAM params[2] = {OSSL_PARAM_construct_utf8_string("backend", text, sizeof text),
                          OSSL_PARAM_construct_end()};
  if (EVP_CIPHER_CTX_get_params(context_.get(), params) != 1) ERR_clear_error();
  return text;
}

Buffer::Buffer(std::size_t bytes)
    : data_(static_cast<std::uint8_t*>(mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0))),
      bytes_(bytes) {
  if (data_ == MAP_FAILED) die("no memory for " + std::to_string(bytes) + " bytes");
}

Buffer::~Buffer() { munmap(data_, bytes_); }

}  // namespace gpuctr::bench
