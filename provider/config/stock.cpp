#include "provider/config/stock.h"

#include <strings.h>

#include <cstring>

namespace gpuctr {
namespace {

// The backends on which any algorithm is faster than OpenSSL's, best first. A row that names a
// backend holds on that backend and on those before it. avx512 computes S-boxes with the functions
// of avx2-aesni. avx2, sse and scalar use neither GFNI nor AES-NI for S-boxes and are slower than
// OpenSSL. sse-aesni and NEON were not measured on a CPU that selects these backends.
constexpr const char* kFast[] = {"avx512-gfni", "avx2-gfni", "avx2-vaes", "avx512", "avx2-aesni"};

// One algorithm of OpenSSL's default provider, for a cipher or a whole family. The rows hold for
// OpenSSL 3.0 and 3.5, except that 3.0 lacks SM4 in GCM, CCM and XTS, and AES in GCM-SIV.
struct StockAlgorithm {
  const char* cipher;
  const char* mode;
  const char* faster_from;  // the last backend of kFast on which gpuctr is faster; nullptr: none
};

// `faster_from` follows from `./run bench calls`: a row names a backend if OpenSSL's time is at
// least 1.1 times the provider's. This holds in both directions, for every key size and for each of
// these messages in a reused context: a new IV and 64, 256, 1024 or 16384 bytes; a new key and IV
// and 256, 1024 or 16384 bytes. The number is the least such ratio on the row's backends, or on
// avx512-gfni if the row names none. Zen 4, OpenSSL 3.0.19, `calls-zen4.json`. Compared with
// OpenSSL 3.6.5, the rows of ARIA have at least 1.27 and those of Camellia at least 1.19 (128-bit
// keys).
constexpr StockAlgorithm kRows[] = {
    {"AES", "CTR", nullptr},  // 0.95
    {"AES", "ECB", nullptr},  // 1.00
    {"AES", "CBC", nullptr},  // 0.92
    {"AES", "GCM", nullptr},  // 0.88
    {"AES", "CCM", nullptr},  // 1.02
    // 2.4 with 16 bytes, 7 and more from 1024 bytes on: OpenSSL's is by table look-ups.
    {"AES", "GCM-SIV", "avx2-aesni"},
    {"AES", "XTS", nullptr},  // 0.91, on a Xeon with AVX-512, OpenSSL 3.0.22
    // One message of 16 to 16384 bytes with a new IV, a new key or neither. OpenSSL's key wrapping
    // uses tables, ours the instructions for AES. Measured on one CPU with AVX-512.
    {"AES", "WRAP", "avx2-aesni"},          // 6.27
    {"AES", "WRAP-PAD", "avx2-aesni"},      // 6.24
    {"AES", "WRAP-INV", "avx2-aesni"},      // 6.56
    {"AES", "WRAP-PAD-INV", "avx2-aesni"},  // 6.66
    {"ARIA", "CTR", "avx2-aesni"},          // 1.56
    {"ARIA", "ECB", "avx2-aesni"},          // 1.64
    {"ARIA", "CBC", "avx2-aesni"},          // 1.64
    {"ARIA", "GCM", "avx2-aesni"},          // 1.37
    {"ARIA", "CCM", "avx2-aesni"},          // 1.60
    {"CAMELLIA", "CTR", "avx2-gfni"},       // 1.39
    {"CAMELLIA", "ECB", "avx2-gfni"},       // 1.31
    {"CAMELLIA", "CBC", nullptr},           // 1.02
    {"DES-EDE3", "ECB", "avx512-gfni"},     // 2.28
    {"DES-EDE3", "CBC", nullptr},           // 0.93
    {"DES-EDE", "ECB", "avx512-gfni"},      // the rounds of DES-EDE3
    {"DES-EDE", "CBC", nullptr},
    // CFB, OFB and DES3-WRAP: a Xeon with AVX-512, the less of the ratios to OpenSSL 3.0.22 and
    // 3.6.5; DES: to 3.0.22. CFB8 with up to 1024 bytes, CFB1 with up to 256, DES3-WRAP with 64 and
    // more. `calls-feedback-xeon.json`, `calls-feedback-xeon-openssl36.json`.
    {"AES", "CFB", nullptr},         // 0.53
    {"AES", "CFB8", "avx2-aesni"},   // 1.15
    {"AES", "CFB1", nullptr},        // 1.02 on avx512
    {"AES", "OFB", nullptr},         // 0.78
    {"ARIA", "CFB", "avx2-aesni"},   // 1.16
    {"ARIA", "CFB8", "avx2-aesni"},  // 1.42
    {"ARIA", "CFB1", "avx2-aesni"},  // 1.44
    {"ARIA", "OFB", "avx2-aesni"},   // 1.15
    {"CAMELLIA", "CFB", nullptr},    // 0.93
    {"CAMELLIA", "CFB8", nullptr},   // 1.05
    {"CAMELLIA", "CFB1", nullptr},   // 1.05
    {"CAMELLIA", "OFB", nullptr},    // 0.88
    {"DES-EDE3", "CFB", nullptr},    // 0.97
    {"DES-EDE3", "CFB8", nullptr},   // 0.76
    {"DES-EDE3", "CFB1", nullptr},   // 0.86
    {"DES-EDE3", "OFB", nullptr},    // 0.87
    {"DES-EDE3", "WRAP", nullptr},   // 0.89
    {"DES-EDE", "CFB", nullptr},     // 0.92
    {"DES-EDE", "OFB", nullptr},     // 0.89
    // SM4 is not in this repository, but a user may add it: not measured.
    {"SM4", "CTR", nullptr},
    {"SM4", "ECB", nullptr},
    {"SM4", "CBC", nullptr},
    {"SM4", "CFB", nullptr},
    {"SM4", "OFB", nullptr},
    {"SM4", "GCM", nullptr},
    {"SM4", "CCM", nullptr},
    {"SM4", "XTS", nullptr},
};

const StockAlgorithm* find_row(const CipherSpec& cipher, const Mode& mode) {
  for (const StockAlgorithm& row : kRows) {
    if (names_cipher(row.cipher, cipher) && std::strcmp(row.mode, mode.name) == 0) return &row;
  }
  return nullptr;
}

bool is_listed(const CipherSpec& cipher) {
  for (const StockAlgorithm& row : kRows) {
    if (names_cipher(row.cipher, cipher)) return true;
  }
  return false;
}

}  // namespace

bool names_cipher(const char* word, const CipherSpec& cipher) {
  const std::size_t n = std::strlen(word);
  if (strncasecmp(word, cipher.name, n) != 0) return false;
  return cipher.name[n] == '\0' || (cipher.name[n] == '-' && std::strchr(word, '-') == nullptr);
}

bool in_default_provider(const CipherSpec& cipher, const Mode& mode) {
  // A cipher that a user added has no row. Its definition states whether OpenSSL has the cipher;
  // assume that OpenSSL then has every mode.
  if (!is_listed(cipher)) return cipher.in_openssl;
  return find_row(cipher, mode) != nullptr;
}

bool is_faster(const CipherSpec& cipher, const Mode& mode, const Backend& backend) {
  const StockAlgorithm* const row = find_row(cipher, mode);
  if (row == nullptr || row->faster_from == nullptr) return false;
  for (const char* name : kFast) {
    if (std::strcmp(name, backend.name) == 0) return true;
    if (std::strcmp(name, row->faster_from) == 0) return false;
  }
  return false;
}

}  // namespace gpuctr
