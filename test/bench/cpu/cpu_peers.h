// What a user would otherwise run: the ciphers of Crypto++, OpenSSL, libgcrypt and Botan in counter
// mode.
#ifndef GPUCTR_TEST_BENCH_CPU_PEERS_H
#define GPUCTR_TEST_BENCH_CPU_PEERS_H

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace gpuctr::bench {

struct Peer {
  // In place; empty where the library lacks the cipher.
  std::function<void(std::uint8_t* data, std::size_t n)> ctr = {};
  // Its rounds over those of our cipher: Crypto++ has the CHAM of 2017, which has fewer. A time is
  // divided by this to compare the same work.
  double work = 1;
  std::string note = {};
};

// Crypto++'s cipher of that name ("LEA-128"). For CHAM the number of its rounds is found by trying.
// Throws std::runtime_error if it is none of the published numbers.
Peer cryptopp(const std::string& name);

Peer openssl(const std::string& name);

// The ciphers of that name in libraries that this build may lack: then they have none.
Peer libgcrypt(const std::string& name);
Peer botan(const std::string& name);

}  // namespace gpuctr::bench

#endif
