// What bench_rand and bench_small time: a random generator and the same cipher's counter mode,
// through libcrypto.
#ifndef GPUCTR_TEST_BENCH_RAND_JOBS_H
#define GPUCTR_TEST_BENCH_RAND_JOBS_H

#include <openssl/evp.h>
#include <openssl/types.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace gpuctr::bench {

// A library context of its own in which one generator answers RAND_bytes. std::runtime_error if
// libcrypto refuses anything.
class RandSource {
 public:
  // Over this cipher ("LEA-128"): our generator, or OpenSSL's own CTR-DRBG.
  RandSource(const std::string& cipher, bool ours);
  ~RandSource();
  RandSource(const RandSource&) = delete;
  RandSource& operator=(const RandSource&) = delete;

  // "AES-256", or "OpenSSL AES-256".
  const std::string& name() const { return name_; }
  // RAND_bytes_ex.
  void bytes(std::uint8_t* out, std::size_t n) const;
  // EVP_RAND_generate on the context's public generator. `out` may be device memory. Whether it
  // succeeded.
  bool generate(std::uint8_t* out, std::size_t n) const;
  // One EVP_EncryptUpdate of the same cipher in CTR mode, in place.
  void encrypt(std::uint8_t* data, std::size_t n) const;

 private:
  std::string name_;
  OSSL_LIB_CTX* library_;
  EVP_RAND_CTX* public_;
  EVP_CIPHER_CTX* ctr_;
};

// Nanoseconds that one legal request of CTR_DRBG over a cipher of ours takes for its next (Key, V)
// alone, the output left out: what bounds a single generator, however fast its bodies expand.
double chain_nanoseconds(const std::string& cipher);
// Bytes of such a request.
std::size_t request_bytes(const std::string& cipher);

}  // namespace gpuctr::bench

#endif
