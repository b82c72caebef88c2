// The built module under a configuration of the benchmark's choice, through EVP alone.
#ifndef GPUCTR_TEST_BENCH_BULK_EVP_H
#define GPUCTR_TEST_BENCH_BULK_EVP_H

#include <openssl/evp.h>
#include <openssl/provider.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace gpuctr::bench {

// Seconds of wall clock: threads and devices work beside the caller.
template <class Work>
double seconds(const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// The middle of `rounds` timings. `prepare`, before each, is not timed.
template <class Prepare, class Work>
double median_seconds(int rounds, const Prepare& prepare, const Work& work) {
  std::vector<double> t(static_cast<std::size_t>(rounds));
  for (double& one : t) {
    prepare();
    one = seconds(work);
  }
  std::nth_element(t.begin(), t.begin() + rounds / 2, t.end());
  return t[static_cast<std::size_t>(rounds / 2)];
}
template <class Work>
double median_seconds(int rounds, const Work& work) {
  return median_seconds(
      rounds, [] {}, work);
}

// A library context with the default provider and gpuctr, whose section has `keys`: lines of
// openssl.cnf such as "gpu = off\nthreads = 1\n". Ends the program with a message when it can't be.
class Library {
 public:
  explicit Library(const std::string& keys);
  OSSL_LIB_CTX* get() const { return context_.get(); }

 private:
  struct Free {
    void operator()(OSSL_LIB_CTX* c) const { OSSL_LIB_CTX_free(c); }
  };
  std::unique_ptr<OSSL_LIB_CTX, Free> context_;
};

// Writes such a configuration for a command line and returns its path.
std::string write_config(const std::string& keys, const std::string& name);

// One context, one key: updates go on in one sequence.
class Cipher {
 public:
  enum class Direction { kEncrypt, kDecrypt };
  Cipher(const Library& library, const std::string& name,
         const char* properties = "provider=gpuctr", Direction direction = Direction::kEncrypt);
  // The key again, and the first IV.
  void restart();
  // Any size; pieces of 1 GiB beyond what one call can take. Without padding.
  void update(std::uint8_t* out, const std::uint8_t* in, std::size_t n);
  // "cuda", "avx512", ...; "openssl" for a cipher of the default provider.
  std::string backend() const;

 private:
  struct Free {
    void operator()(EVP_CIPHER* c) const { EVP_CIPHER_free(c); }
    void operator()(EVP_CIPHER_CTX* c) const { EVP_CIPHER_CTX_free(c); }
  };
  std::unique_ptr<EVP_CIPHER, Free> cipher_;
  std::unique_ptr<EVP_CIPHER_CTX, Free> context_;
  std::uint8_t key_[EVP_MAX_KEY_LENGTH];
  std::uint8_t iv_[EVP_MAX_IV_LENGTH];
};

// Messages of an AEAD cipher in place, at most 1 GiB each, under one key, each with an IV of its
// own and 16 bytes of tag.
class Aead {
 public:
  Aead(const Library& library, const std::string& name);
  void encrypt(std::uint8_t* text, std::size_t n);
  // The last message that was encrypted.
  void decrypt(std::uint8_t* text, std::size_t n);

 private:
  struct Free {
    void operator()(EVP_CIPHER* c) const { EVP_CIPHER_free(c); }
    void operator()(EVP_CIPHER_CTX* c) const { EVP_CIPHER_CTX_free(c); }
  };
  using Context = std::unique_ptr<EVP_CIPHER_CTX, Free>;
  void update(const Context& context, std::uint8_t* text, std::size_t n);

  std::unique_ptr<EVP_CIPHER, Free> cipher_;
  Context encrypts_;
  Context decrypts_;
  std::uint8_t iv_[12] = {};
  std::uint8_t tag_[16] = {};
};

// Memory with its pages in place.
class Buffer {
 public:
  explicit Buffer(std::size_t bytes);
  ~Buffer();
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  std::uint8_t* data() const { return data_; }
  std::size_t size() const { return bytes_; }

 private:
  std::uint8_t* data_;
  std::size_t bytes_;
};

// Ends the program with `what` and the last error of OpenSSL's queue.
[[noreturn]] void die(const std::string& what);

}  // namespace gpuctr::bench

#endif
