#include "test/bench/bulk/bulk_evp.h"

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

Cipher::Cipher(const Library& library, const std::string& name, const char* properties,
               Direction direction)
    : cipher_(EVP_CIPHER_fetch(library.get(), name.c_str(), properties)),
      context_(EVP_CIPHER_CTX_new()) {
  if (cipher_ == nullptr) die("no cipher " + name);
  std::memset(key_, 0x5a, sizeof key_);
  std::memset(iv_, 0x17, sizeof iv_);
  const int encrypts = direction == Direction::kEncrypt ? 1 : 0;
  if (EVP_CipherInit_ex2(context_.get(), cipher_.get(), key_, iv_, encrypts, nullptr) != 1)
    die("init " + name);
  EVP_CIPHER_CTX_set_padding(context_.get(), 0);
}

void Cipher::restart() {
  if (EVP_CipherInit_ex2(context_.get(), nullptr, key_, iv_, -1, nullptr) != 1) die("restart");
}

void Cipher::update(std::uint8_t* out, const std::uint8_t* in, std::size_t n) {
  constexpr std::size_t kMost = std::size_t{1} << 30;
  for (std::size_t at = 0; at < n;) {
    const std::size_t now = std::min(kMost, n - at);
    int written = 0;
    if (EVP_CipherUpdate(context_.get(), out + at, &written, in + at, static_cast<int>(now)) != 1 ||
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

Aead::Aead(const Library& library, const std::string& name)
    : cipher_(EVP_CIPHER_fetch(library.get(), name.c_str(), "provider=gpuctr")),
      encrypts_(EVP_CIPHER_CTX_new()),
      decrypts_(EVP_CIPHER_CTX_new()) {
  const std::uint8_t key[EVP_MAX_KEY_LENGTH] = {1, 2, 3};
  if (cipher_ == nullptr ||
      EVP_EncryptInit_ex2(encrypts_.get(), cipher_.get(), key, nullptr, nullptr) != 1 ||
      EVP_DecryptInit_ex2(decrypts_.get(), cipher_.get(), key, nullptr, nullptr) != 1) {
    die("init " + name);
  }
}

void Aead::update(const Context& context, std::uint8_t* text, std::size_t n) {
  int written = 0;
  if (EVP_CipherInit_ex2(context.get(), nullptr, nullptr, iv_, -1, nullptr) != 1 ||
      EVP_CipherUpdate(context.get(), text, &written, text, static_cast<int>(n)) != 1 ||
      static_cast<std::size_t>(written) != n) {
    die("message");
  }
}

void Aead::encrypt(std::uint8_t* text, std::size_t n) {
  ++iv_[0];
  update(encrypts_, text, n);
  int written = 0;
  if (EVP_EncryptFinal_ex(encrypts_.get(), tag_, &written) != 1 ||
      EVP_CIPHER_CTX_ctrl(encrypts_.get(), EVP_CTRL_AEAD_GET_TAG, sizeof tag_, tag_) != 1) {
    die("tag");
  }
}

void Aead::decrypt(std::uint8_t* text, std::size_t n) {
  update(decrypts_, text, n);
  int written = 0;
  std::uint8_t nothing[16];
  if (EVP_CIPHER_CTX_ctrl(decrypts_.get(), EVP_CTRL_AEAD_SET_TAG, sizeof tag_, tag_) != 1 ||
      EVP_DecryptFinal_ex(decrypts_.get(), nothing, &written) != 1) {
    die("tag");
  }
}

Buffer::Buffer(std::size_t bytes)
    : data_(static_cast<std::uint8_t*>(mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0))),
      bytes_(bytes) {
  if (data_ == MAP_FAILED) die("no memory for " + std::to_string(bytes) + " bytes");
}

Buffer::~Buffer() { munmap(data_, bytes_); }

}  // namespace gpuctr::bench
