// What the mesh has to say: keystream from OpenSSL. HIGHT and LEA-128 from the module under test,
// through EVP; DES in counter mode from DES-ECB of libcrypto's legacy provider.
#ifndef GPUCTR_TEST_MESH_ORACLE_H
#define GPUCTR_TEST_MESH_ORACLE_H

#include <openssl/evp.h>
#include <openssl/provider.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace mesh {

using Bytes = std::vector<std::uint8_t>;

struct Element {
  const char* name;
  const char* evp;
  unsigned key_words, block_words, clocks;  // clocks a block
  unsigned key_bytes() const { return 8 * key_words; }
  unsigned block_bytes() const { return 8 * block_words; }
};

// In the order of mesh_pkg.sv.
constexpr Element kElements[] = {{"des", "DES-ECB", 1, 1, 16},
                                 {"des_pipelined", "DES-ECB", 1, 1, 1},
                                 {"lea128", "LEA-128-CTR", 2, 2, 24},
                                 {"hight", "HIGHT-CTR", 2, 1, 32}};

class Oracle {
 public:
  // `modules`: the folder of gpuctr.so. Ends the program with 77 where there is no legacy provider.
  Oracle(const Element& element, const std::string& modules);
  ~Oracle();
  Oracle(const Oracle&) = delete;
  Oracle& operator=(const Oracle&) = delete;

  // The keystream from a counter block on.
  Bytes keystream(const Bytes& key, const Bytes& counter, std::size_t bytes);

 private:
  const Element& element_;
  OSSL_LIB_CTX* library_ = nullptr;
  OSSL_PROVIDER* provider_ = nullptr;
  EVP_CIPHER* cipher_ = nullptr;
  EVP_CIPHER_CTX* ctx_ = nullptr;
};

// The big-endian counter, `by` further, modulo its size.
void add_to(Bytes& counter, std::uint64_t by);

}  // namespace mesh

#endif
