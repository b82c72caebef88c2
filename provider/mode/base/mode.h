// A mode of operation, as EVP sees it. Each mode has one row in kModes and its source in a folder
// of provider/mode/. The provider offers every mode with every cipher of the registry that
// Mode::takes() accepts.
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

// The most bytes of an IV that fills a block: EVP_MAX_IV_LENGTH. In a longer block, zeros precede
// the IV.
constexpr std::size_t kMaxBlockIv = 16;

struct Mode {
  const char* name;  // "CTR": follows the cipher's name
  int evp;           // EVP_CIPH_CTR_MODE
  bool has_iv;       // of usual_iv_bytes if set, else of the block's size but at most kMaxBlockIv
  bool stream;       // takes any number of bytes: EVP sees a block of one byte
  bool pipes;        // has OpenSSL 3.5's pipeline functions
  // The parameters that only this mode's contexts have. A row without a key ends the list.
  const ContextParam* params;
  // Returns a new context. nullptr: no memory, and nothing on the error queue.
  CipherContext* (*make)(const CipherServices& services, const CipherSpec& cipher);
  bool aead = false;  // authenticated, with associated data; every IV comes from EVP
  // The only block size that the mode takes, bytes; 0: any.
  std::size_t only_block_bytes = 0;
  // The length of an IV, bytes, unless a parameter sets another; 0: the block's size.
  std::size_t usual_iv_bytes = 0;
  // The least and the most length of an IV, bytes, in a mode where a parameter can set the length.
  std::size_t least_iv_bytes = 0;
  std::size_t most_iv_bytes = 0;
  // The longest block that the mode takes, bytes; 0: any.
  std::size_t most_block_bytes = 0;
  // The block that EVP sees, bytes; 0: the cipher's block, or one byte if `stream`.
  std::size_t evp_block_bytes = 0;
  // EVP_CIPH_CUSTOM_IV. The mode's own rows have all parameters of the IV and the padding.
  bool custom_iv = false;
  bool one_shot = true;  // EVP_Cipher() has a function of its own; a mode with `pipes` has one
  // The only family of ciphers that the mode takes, as "AES": their names begin with it and "-". Or
  // the name of the only cipher. nullptr: any.
  const char* only_family = nullptr;
  // OpenSSL's name of the only cipher in the mode, if it differs from the cipher's and the mode's.
  const char* stock_name = nullptr;

  // The number of the cipher's keys in a key. With two, the mode takes keys of 128 and of 256 bits
  // and no other sizes: IEEE 1619 defines XTS for these.
  std::size_t keys = 1;

  bool takes(const CipherSpec& cipher) const;
  // The length of an IV, bytes, unless a parameter sets another; 0: no IV.
  std::size_t iv_bytes(const CipherSpec& cipher) const;
};

extern const Mode kCtrMode;
extern const Mode kEcbMode;
extern const Mode kCbcMode;
extern const Mode kCfbMode;
extern const Mode kCfb8Mode;
extern const Mode kCfb1Mode;
extern const Mode kOfbMode;
extern const Mode kGcmMode;
extern const Mode kCcmMode;
extern const Mode kXtsMode;
extern const Mode kWrapMode;
extern const Mode kPaddedWrapMode;
extern const Mode kWrapInverseMode;
extern const Mode kPaddedWrapInverseMode;
extern const Mode kGcmSivMode;
extern const Mode kTripleDesWrapMode;

// The table, in the order in which algorithms are listed.
constexpr const Mode* kModes[] = {&kCtrMode,
                                  &kEcbMode,
                                  &kCbcMode,
                                  &kCfbMode,
                                  &kCfb8Mode,
                                  &kCfb1Mode,
                                  &kOfbMode,
                                  &kGcmMode,
                                  &kCcmMode,
                                  &kWrapMode,
                                  &kPaddedWrapMode,
                                  &kWrapInverseMode,
                                  &kPaddedWrapInverseMode,
                                  &kXtsMode,
                                  &kGcmSivMode,
                                  &kTripleDesWrapMode};
constexpr std::size_t kModeCount = std::size(kModes);

}  // namespace gpuctr

#endif
