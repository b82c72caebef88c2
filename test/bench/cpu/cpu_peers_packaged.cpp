// libgcrypt and Botan 2, each where the build has it.
#include <algorithm>
#include <memory>
#include <stdexcept>

#include "test/bench/cpu/cpu_peers.h"

#ifdef GPUCTR_GCRYPT
#include <gcrypt.h>
#endif
#ifdef GPUCTR_BOTAN
#include <botan/stream_cipher.h>
#endif

namespace gpuctr::bench {

Peer libgcrypt([[maybe_unused]] const std::string& name) {
#ifdef GPUCTR_GCRYPT
  static const bool ready = gcry_check_version(nullptr) != nullptr &&
                            gcry_control(GCRYCTL_INITIALIZATION_FINISHED, 0) == 0;
  std::string known_as = name;  // "AES128"
  known_as.erase(std::remove(known_as.begin(), known_as.end(), '-'), known_as.end());
  if (name == "DES-EDE3") known_as = "3DES";
  if (name == "BF") known_as = "BLOWFISH";
  const int cipher = ready ? gcry_cipher_map_name(known_as.c_str()) : 0;
  gcry_cipher_hd_t handle = nullptr;
  if (cipher == 0 || gcry_cipher_open(&handle, cipher, GCRY_CIPHER_MODE_CTR, 0) != 0) return {};
  const std::shared_ptr<gcry_cipher_handle> owned(handle, gcry_cipher_close);
  const std::uint8_t zero[64] = {};
  std::uint8_t key[64];  // none that is weak
  for (std::size_t i = 0; i < sizeof key; ++i) key[i] = static_cast<std::uint8_t>(17 * i + 3);
  if (gcry_cipher_setkey(handle, key, gcry_cipher_get_algo_keylen(cipher)) != 0 ||
      gcry_cipher_setctr(handle, zero, gcry_cipher_get_algo_blklen(cipher)) != 0) {
    throw std::runtime_error("libgcrypt refuses a key or a counter of " + name);
  }
  return {[owned](std::uint8_t* data, std::size_t n) {
    gcry_cipher_encrypt(owned.get(), data, n, nullptr, 0);
  }};
#else
  return {};
#endif
}

Peer botan([[maybe_unused]] const std::string& name) {
#ifdef GPUCTR_BOTAN
  const std::string known_as = name == "DES-EDE3"        ? "TripleDES"
                               : name == "BF"            ? "Blowfish"
                               : name == "CAST5"         ? "CAST-128"
                               : name == "THREEFISH-512" ? "Threefish-512"
                                                         : name;
  const std::shared_ptr<Botan::StreamCipher> ctr =
      Botan::StreamCipher::create("CTR-BE(" + known_as + ")");
  if (ctr == nullptr) return {};
  const std::uint8_t zero[64] = {};
  ctr->set_key(zero, ctr->key_spec().maximum_keylength());
  ctr->set_iv(zero, ctr->default_iv_length());
  return {[ctr](std::uint8_t* data, std::size_t n) { ctr->cipher1(data, n); }};
#else
  return {};
#endif
}

}  // namespace gpuctr::bench
