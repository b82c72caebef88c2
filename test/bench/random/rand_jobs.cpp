#include "test/bench/random/rand_jobs.h"

#include <openssl/provider.h>
#include <openssl/rand.h>

#include <vector>

#include "kernels/cpu/backend.h"
#include "test/bench/must.h"
#include "test/bench/timing.h"

namespace gpuctr::bench {
RandSource::RandSource(const std::string& cipher, bool ours)
    : name_((ours ? "" : "OpenSSL ") + cipher),
      library_(OSSL_LIB_CTX_new()),
      ctr_(EVP_CIPHER_CTX_new()) {
  OSSL_PROVIDER_set_default_search_path(library_, GPUCTR_MODULE_DIR);
  must(OSSL_PROVIDER_load(library_, "default") != nullptr, "the default provider");
  must(!ours || OSSL_PROVIDER_load(library_, "gpuctr") != nullptr, "the module");
  const std::string ctr = cipher + "-CTR";
  if (ours) {
    must(RAND_set_DRBG_type(library_, (ctr + "-DRBG").c_str(), nullptr, nullptr, nullptr) == 1,
         "the generator's type");
  } else {
    must(RAND_set_DRBG_type(library_, "CTR-DRBG", nullptr, ctr.c_str(), nullptr) == 1,
         "the generator's type");
  }
  public_ = RAND_get0_public(library_);
  must(public_ != nullptr, "the public generator");
  EVP_CIPHER* mode = EVP_CIPHER_fetch(library_, ctr.c_str(), ours ? "provider=gpuctr" : nullptr);
  const unsigned char key_and_iv[64] = {1, 2, 3};
  must(mode != nullptr && EVP_EncryptInit_ex2(ctr_, mode, key_and_iv, key_and_iv, nullptr) == 1,
       "the cipher");
  EVP_CIPHER_free(mode);
}

RandSource::~RandSource() {
  EVP_CIPHER_CTX_free(ctr_);
  OSSL_LIB_CTX_free(library_);
}

void RandSource::bytes(std::uint8_t* out, std::size_t n) const {
  must(RAND_bytes_ex(library_, out, n, 0) == 1, "RAND_bytes_ex");
}

bool RandSource::generate(std::uint8_t* out, std::size_t n) const {
  return EVP_RAND_generate(public_, out, n, 0, 0, nullptr, 0) == 1;
}

void RandSource::encrypt(std::uint8_t* data, std::size_t n) const {
  int done = 0;
  must(EVP_EncryptUpdate(ctr_, data, &done, data, static_cast<int>(n)) == 1, "EVP_EncryptUpdate");
}

std::size_t request_bytes(const std::string& cipher) {
  const CipherSpec* spec = find_cipher(cipher.c_str());
  return spec != nullptr && spec->block_bytes == 8 ? std::size_t{1} << 10 : std::size_t{1} << 16;
}

double chain_nanoseconds(const std::string& cipher) {
  const CipherSpec& spec = *find_cipher(cipher.c_str());
  const CipherOps& ops = best_backend().ops[spec.index];
  constexpr std::size_t kRequests = 512;
  std::vector<ChainLink> links(kRequests);
  std::uint8_t key[kMaxKeyBytes] = {7}, v[kMaxBlockBytes] = {8};
  const std::uint64_t blocks = request_bytes(cipher) / spec.block_bytes;
  std::vector<Job> jobs = {{[&] { ops.chain(key, v, blocks, links.data(), kRequests); }}};
  time_in_turns(jobs, 7, 0.002);
  return jobs[0].best() * 1e9 / kRequests;
}

}  // namespace gpuctr::bench
