// The other side of the wire: the built provider, through libcrypto's EVP.
#ifndef GPUCTR_AVR_TEST_PEER_H
#define GPUCTR_AVR_TEST_PEER_H

#include <openssl/core.h>
#include <openssl/evp.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gpuctr::avr {

using Bytes = std::vector<std::uint8_t>;

// All functions throw std::runtime_error when libcrypto refuses. `name` is the cipher's, without
// mode. The library context lives as long as the process.
// A program that has the provider linked in names its entry point before any other call; without
// it the module is loaded from the build folder.
void peer_use(OSSL_provider_init_fn* init);

std::size_t peer_key_size(const std::string& name);
std::size_t peer_block_size(const std::string& name);
Bytes peer_ecb(const std::string& name, const Bytes& key, const Bytes& data);
// `bits` is the width of the counter field; 0: the whole block.
Bytes peer_ctr(const std::string& name, const Bytes& key, const Bytes& iv, const Bytes& data,
               unsigned bits = 0);

// OpenSSL's CMAC over the provider's cipher, the whole tag.
Bytes peer_cmac(const std::string& name, const Bytes& key, const Bytes& data);

// CCM: the sealed text and the tag behind it; and the text, nullopt where the tag is wrong.
Bytes peer_ccm_seal(const std::string& name, const Bytes& key, const Bytes& nonce, const Bytes& aad,
                    const Bytes& text, std::size_t tag_size);
std::optional<Bytes> peer_ccm_open(const std::string& name, const Bytes& key, const Bytes& nonce,
                                   const Bytes& aad, const Bytes& sealed, const Bytes& tag);

// The provider's generator under a parent whose entropy the test chooses.
class PeerDrbg {
 public:
  PeerDrbg(const std::string& name, bool use_df);
  ~PeerDrbg();
  PeerDrbg(const PeerDrbg&) = delete;
  PeerDrbg& operator=(const PeerDrbg&) = delete;

  void instantiate(const Bytes& entropy, const Bytes& nonce, const Bytes& personalization);
  void reseed(const Bytes& entropy, const Bytes& additional);
  Bytes generate(std::size_t size, const Bytes& additional);
  // With prediction resistance.
  Bytes generate_fresh(std::size_t size, const Bytes& entropy, const Bytes& additional);

 private:
  EVP_RAND_CTX* parent_;
  EVP_RAND_CTX* drbg_ = nullptr;
};

}  // namespace gpuctr::avr

#endif
