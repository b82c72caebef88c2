// A mode of operation, as EVP sees it: one file of this folder and one row of kModes. Every
// cipher of the registry that a mode takes is offered in it.
#ifndef GPUCTR_PROVIDER_MODE_BASE_MODE_H
#define GPUCTR_PROVIDER_MODE_BASE_MODE_H

#include <cstddef>
#include <cstdint>
#include <iterator>

namespace gpuctr {

struct CipherSpec;
struct ContextParam;
struct CipherServices;
class CipherContext;

// The longest IV that is a block, bytes: EVP_MAX_IV_LENGTH. A longer block has zeros before it.
constexpr std::size_t kMaxBlockIv = 16;

struct Mode {
  const char* name;  // "CTR": behind a cipher's name
  int evp;           // EVP_CIPH_CTR_MODE
  bool has_iv;       // of the block's size but at most kMaxBlockIv, or of usual_iv_bytes
  bool stream;       // takes any number of bytes: to EVP its block is one byte
  bool pipes;        // has OpenSSL 3.5's pipeline functions
  // The parameters of its contexts, beside those that every mode has: rows up to one without a key.
  const ContextParam* params;
  // A new context; nullptr: no memory, and nothing on the error queue.
  CipherContext* (*make)(const CipherServices& services, const CipherSpec& cipher);
  bool aead = false;  // authenticated, with associated data; EVP hands it every IV itself
  // Of the ciphers that it takes, bytes; 0: any.
  std::size_t only_block_bytes = 0;
  // Of an IV whose length no parameter sets; 0: the block's size.
  std::size_t usual_iv_bytes = 0;
  // Where the IV's length can be set: the least and the most, bytes.
  std::size_t least_iv_bytes = 0;
  std::size_t most_iv_bytes = 0;
  // The longest block that it takes, bytes; 0: any.
  std::size_t most_block_bytes = 0;

  bool takes(const CipherSpec& cipher) const;
  // Bytes, unless a parameter sets another length; 0: no IV.
  std::size_t iv_bytes(const CipherSpec& cipher) const;
};

extern const Mode kCtrMode;
extern const Mode kEcbMode;
extern const Mode kCbcMode;
extern const Mode kGcmMode;
extern const Mode kCcmMode;

// The table, in the order in which algorithms are listed.
constexpr const Mode* kModes[] = {&kCtrMode, &kEcbMode, &kCbcMode, &kGcmMode, &kCcmMode};
constexpr std::size_t kModeCount = std::size(kModes);

}  // namespace gpuctr

#endif
