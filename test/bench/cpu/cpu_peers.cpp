#include "test/bench/cpu/cpu_peers.h"

#include <cryptopp/aes.h>
#include <cryptopp/aria.h>
#include <cryptopp/blowfish.h>
#include <cryptopp/camellia.h>
#include <cryptopp/cast.h>
#include <cryptopp/cham.h>
#include <cryptopp/des.h>
#include <cryptopp/hight.h>
#include <cryptopp/idea.h>
#include <cryptopp/lea.h>
#include <cryptopp/modes.h>
#include <cryptopp/rc2.h>
#include <cryptopp/seed.h>
#include <cryptopp/threefish.h>
#include <openssl/evp.h>
#include <openssl/provider.h>

#include <algorithm>
#include <memory>
#include <stdexcept>

#include "kernels/cipher/cham/cham.h"
#include "kernels/cipher/registry.h"

namespace gpuctr::bench {
namespace {

template <class Cipher>
Peer ctr_peer(std::size_t key_bytes) {
  const std::uint8_t zero[128] = {};
  auto mode = std::make_shared<typename CryptoPP::CTR_Mode<Cipher>::Encryption>();
  mode->SetKeyWithIV(zero, key_bytes, zero, Cipher::BLOCKSIZE);
  return {[mode](std::uint8_t* data, std::size_t n) { mode->ProcessData(data, data, n); }};
}

// Whether Crypto++'s CHAM has this many rounds. It reads words big-endian where the standard's
// bytes are little-endian, so the bytes of each word are turned round.
template <class Cipher, class Word, unsigned KeyBits, unsigned Rounds>
bool has_rounds() {
  using Ours = Cham<Word, KeyBits, Rounds>;
  std::uint8_t key[KeyBits / 8];
  std::uint8_t block[4 * sizeof(Word)];
  for (std::size_t i = 0; i < sizeof key; ++i) key[i] = static_cast<std::uint8_t>(17 * i + 3);
  for (std::size_t i = 0; i < sizeof block; ++i) block[i] = static_cast<std::uint8_t>(31 * i + 7);
  std::uint8_t theirs[sizeof block];
  typename Cipher::Encryption(key, sizeof key).ProcessBlock(block, theirs);

  const auto turn = [](std::uint8_t* p, std::size_t n) {
    for (std::size_t i = 0; i < n; i += sizeof(Word)) std::reverse(p + i, p + i + sizeof(Word));
  };
  turn(key, sizeof key);
  turn(block, sizeof block);
  Word rk[Ours::kRoundKeyWords];
  gpuctr::expand_key<Ours>(key, rk);
  PlainWord<Word> x[4];
  for (unsigned j = 0; j < 4; ++j) x[j].v = load_le<Word>(block + sizeof(Word) * j);
  Ours::encrypt(x, PlainKeys<Word>{rk});
  for (unsigned j = 0; j < 4; ++j) store_le<Word>(block + sizeof(Word) * j, x[j].v);
  turn(block, sizeof block);
  return std::equal(block, block + sizeof block, theirs);
}

// Old: the rounds of 2017. New: the revised rounds, which are ours.
template <class Cipher, class Word, unsigned KeyBits, unsigned Old, unsigned New>
Peer cham_peer() {
  Peer peer = ctr_peer<Cipher>(KeyBits / 8);
  unsigned rounds = 0;
  if (has_rounds<Cipher, Word, KeyBits, Old>()) rounds = Old;
  if (has_rounds<Cipher, Word, KeyBits, New>()) rounds = New;
  if (rounds == 0) throw std::runtime_error("Crypto++'s CHAM has unknown rounds");
  peer.work = static_cast<double>(rounds) / New;
  peer.note = std::to_string(rounds) + " rounds, scaled to " + std::to_string(New);
  return peer;
}

}  // namespace

Peer cryptopp(const std::string& name) {
  if (name == "HIGHT") return ctr_peer<CryptoPP::HIGHT>(16);
  if (name == "LEA-128") return ctr_peer<CryptoPP::LEA>(16);
  if (name == "LEA-192") return ctr_peer<CryptoPP::LEA>(24);
  if (name == "LEA-256") return ctr_peer<CryptoPP::LEA>(32);
  if (name == "CHAM-64-128") return cham_peer<CryptoPP::CHAM64, std::uint16_t, 128, 80, 88>();
  if (name == "CHAM-128-128") return cham_peer<CryptoPP::CHAM128, std::uint32_t, 128, 80, 112>();
  if (name == "CHAM-128-256") return cham_peer<CryptoPP::CHAM128, std::uint32_t, 256, 96, 120>();
  if (name == "AES-128") return ctr_peer<CryptoPP::AES>(16);
  if (name == "AES-192") return ctr_peer<CryptoPP::AES>(24);
  if (name == "AES-256") return ctr_peer<CryptoPP::AES>(32);
  if (name == "ARIA-128") return ctr_peer<CryptoPP::ARIA>(16);
  if (name == "ARIA-192") return ctr_peer<CryptoPP::ARIA>(24);
  if (name == "ARIA-256") return ctr_peer<CryptoPP::ARIA>(32);
  if (name == "SEED") return ctr_peer<CryptoPP::SEED>(16);
  if (name == "CAMELLIA-128") return ctr_peer<CryptoPP::Camellia>(16);
  if (name == "CAMELLIA-192") return ctr_peer<CryptoPP::Camellia>(24);
  if (name == "CAMELLIA-256") return ctr_peer<CryptoPP::Camellia>(32);
  if (name == "THREEFISH-256") return ctr_peer<CryptoPP::Threefish256>(32);
  if (name == "THREEFISH-512") return ctr_peer<CryptoPP::Threefish512>(64);
  if (name == "THREEFISH-1024") return ctr_peer<CryptoPP::Threefish1024>(128);
  if (name == "IDEA") return ctr_peer<CryptoPP::IDEA>(16);
  if (name == "DES") return ctr_peer<CryptoPP::DES>(8);
  if (name == "DES-EDE") return ctr_peer<CryptoPP::DES_EDE2>(16);
  if (name == "DES-EDE3") return ctr_peer<CryptoPP::DES_EDE3>(24);
  if (name == "CAST5") return ctr_peer<CryptoPP::CAST128>(16);
  if (name == "BF") return ctr_peer<CryptoPP::Blowfish>(16);
  if (name == "RC2") return ctr_peer<CryptoPP::RC2>(16);
  return {};
}

Peer openssl(const std::string& name) {
  const std::uint8_t zero[128] = {};
  static const bool legacy = OSSL_PROVIDER_load(nullptr, "default") != nullptr &&
                             OSSL_PROVIDER_load(nullptr, "legacy") != nullptr;
  const auto fetch = [&](const char* mode) {
    return std::shared_ptr<EVP_CIPHER>(
        EVP_CIPHER_fetch(nullptr, (name + mode).c_str(), "provider!=gpuctr"), EVP_CIPHER_free);
  };
  Peer peer;
  std::shared_ptr<EVP_CIPHER> cipher = fetch("-CTR");
  if (cipher == nullptr && legacy) {
    peer.note = "it has no CTR: ECB";
    cipher = fetch("-ECB");
  }
  if (cipher == nullptr) return {};
  std::shared_ptr<EVP_CIPHER_CTX> ctx(EVP_CIPHER_CTX_new(), EVP_CIPHER_CTX_free);
  if (EVP_EncryptInit_ex2(ctx.get(), cipher.get(), zero, zero, nullptr) != 1) {
    throw std::runtime_error("OpenSSL refuses a key of " + name);
  }
  peer.ctr = [ctx](std::uint8_t* data, std::size_t n) {
    int written = 0;
    EVP_EncryptUpdate(ctx.get(), data, &written, data, static_cast<int>(n));
  };
  return peer;
}

}  // namespace gpuctr::bench
