#include "provider/config/stock.h"

#include <strings.h>

#include <cstring>

namespace gpuctr {
namespace {

// The backends on which anything is faster, best first. A row that names one holds on it and on
// those before it; avx512 has the functions of avx2-aesni for S-boxes. The others (avx2, sse,
// scalar) use neither GFNI nor AES-NI for them, and lose. sse-aesni and NEON were not measured on a
// CPU that takes them.
constexpr const char* kFast[] = {"avx512-gfni", "avx2-gfni", "avx2-vaes", "avx512", "avx2-aesni"};

// One algorithm, or that of a whole family, which OpenSSL's default provider has. The same in
// OpenSSL 3.0 and 3.5, but SM4 in GCM and CCM, which 3.0 lacks.
struct StockAlgorithm {
  const char* cipher;
  const char* mode;
  const char* faster_from;  // the least of kFast from which ours is faster; nullptr: none
};

// `faster_from` follows from `./run bench calls`: a backend is named where OpenSSL's time is at
// least 1.1 of ours, in both directions and for every key size, for each of these messages in a
// context that is used again: a new IV and 64, 256, 1024 or 16384 bytes; a new key and IV and 256,
// 1024 or 16384 bytes. The number is the least such ratio on the backends that the row takes, or on
// avx512-gfni where it takes none: Zen 4, OpenSSL 3.0.19, `calls-zen4.json`. Beside
// OpenSSL 3.6.5 the rows of ARIA have 1.27 and those of Camellia 1.19 at least (128-bit keys).
constexpr StockAlgorithm kRows[] = {
    {"AES", "CTR", nullptr},             // 0.95
    {"AES", "ECB", nullptr},             // 1.00
    {"AES", "CBC", nullptr},             // 0.92
    {"AES", "GCM", nullptr},             // 0.88
    {"AES", "CCM", nullptr},             // 1.02
    {"ARIA", "CTR", "avx2-aesni"},       // 1.56
    {"ARIA", "ECB", "avx2-aesni"},       // 1.64
    {"ARIA", "CBC", "avx2-aesni"},       // 1.64
    {"ARIA", "GCM", "avx2-aesni"},       // 1.37
    {"ARIA", "CCM", "avx2-aesni"},       // 1.60
    {"CAMELLIA", "CTR", "avx2-gfni"},    // 1.39
    {"CAMELLIA", "ECB", "avx2-gfni"},    // 1.31
    {"CAMELLIA", "CBC", nullptr},        // 1.02
    {"DES-EDE3", "ECB", "avx512-gfni"},  // 2.28
    {"DES-EDE3", "CBC", nullptr},        // 0.93
    // No cipher of this repository, but one that a user may add: not measured.
    {"SM4", "CTR", nullptr},
    {"SM4", "ECB", nullptr},
    {"SM4", "CBC", nullptr},
    {"SM4", "GCM", nullptr},
    {"SM4", "CCM", nullptr},
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
  // A cipher that a user added, of OpenSSL's by its definition, has no row: assume OpenSSL has it.
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
