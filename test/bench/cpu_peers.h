// What a user would otherwise run: Crypto++'s HIGHT, LEA and CHAM in counter mode, and OpenSSL's
// AES-128-CTR.
#ifndef GPUCTR_TEST_BENCH_CPU_PEERS_H
#define GPUCTR_TEST_BENCH_CPU_PEERS_H

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace gpuctr::bench {

struct Peer {
  std::function<void(std::uint8_t* data, std::size_t n)> ctr;  // in place
  // Its rounds over those of our cipher: Crypto++ has the CHAM of 2017, which has fewer. A time is
  // divided by this to compare the same work.
  double work = 1;
  std::string note = {};
};

// Crypto++'s cipher of that name ("LEA-128"). For CHAM the number of its rounds is found by trying.
// Throws std::runtime_error if it is none of the published numbers.
Peer cryptopp(const std::string& name);

Peer openssl(const std::string& name);

}  // namespace gpuctr::bench

#endif
