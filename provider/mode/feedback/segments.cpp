// CFB8 and CFB1: cipher feedback in segments of 8 bits and of one bit (SP 800-38A 6.3). Each
// segment takes an encryption of one block. Encryption waits for each of them. In decryption the
// input blocks are windows of the ciphertext, so many blocks are encrypted at once.
#include <openssl/core_names.h>
#include <openssl/evp.h>

#include <algorithm>
#include <cstring>

#include "kernels/base/counter.h"
#include "kernels/base/wipe.h"
#include "provider/core/ossl_param.h"
#include "provider/mode/base/context_params.h"
#include "provider/mode/feedback/feedback.h"

namespace gpuctr {
namespace {

std::uint64_t load_word(const std::uint8_t* from) {
  std::uint64_t word;
  std::memcpy(&word, from, sizeof word);
  return big_endian64(word);
}
void store_word(std::uint8_t* to, std::uint64_t word) {
  word = big_endian64(word);
  std::memcpy(to, &word, sizeof word);
}

// Bit `at` of the text; bit 0 is the highest of the first byte.
unsigned bit_of(const std::uint8_t* text, std::size_t at) {
  return text[at / 8] >> (7 - at % 8) & 1u;
}
void set_bit(std::uint8_t* text, std::size_t at, unsigned bit) {
  const auto place = static_cast<unsigned>(7 - at % 8);
  text[at / 8] = static_cast<std::uint8_t>((text[at / 8] & ~(1u << place)) | bit << place);
}

template <unsigned kBits>
class SegmentContext final : public FeedbackContext {
 public:
  SegmentContext(const ContextMemory& memory, const CipherServices& services,
                 const CipherSpec& cipher)
      : FeedbackContext(memory, services, cipher, kBits == 8 ? kCfb8Mode : kCfb1Mode) {}
  SegmentContext(const ContextMemory& memory, const SegmentContext& other)
      : FeedbackContext(memory, other) {}

 private:
  // The windows of a piece fit the nearest cache. A piece of CFB1 is whole bytes.
  static constexpr std::size_t kPiece = 256;
  static constexpr std::size_t kMostBlock = kMaxBlockIv;

  CipherContext* copy() const override { return make_context<SegmentContext>(*cipher_, *this); }
  bool crypt(std::uint8_t* out, const std::uint8_t* in, std::size_t n) override;
  // Encrypts; with segments of 8 bits also decrypts.
  void crypt_in_turn(std::uint8_t* out, const std::uint8_t* in, std::size_t segments);
  void decrypt_piece(std::uint8_t* out, const std::uint8_t* in, std::size_t segments);
  void copy_window(const std::uint8_t* text, std::size_t at, std::uint8_t* to) const;
};

template <unsigned kBits>
bool SegmentContext<kBits>::crypt(std::uint8_t* out, const std::uint8_t* in, std::size_t n) {
  const std::size_t bytes = use_bits_ ? n / 8 : n;
  const std::size_t rest = use_bits_ ? n % 8 : 0;
  if (encrypts() || (kBits == 8 && n == 1)) {
    // In two calls, because SIZE_MAX bytes have more bits than a std::size_t counts.
    for (std::size_t at = 0; at < bytes; at += kPiece) {
      crypt_in_turn(out + at, in + at, std::min(kPiece, bytes - at) * (8 / kBits));
    }
    if (rest != 0) crypt_in_turn(out + bytes, in + bytes, rest);
  } else {
    constexpr std::size_t kBytes = kPiece * kBits / 8;
    for (std::size_t at = 0; at < bytes; at += kBytes) {
      decrypt_piece(out + at, in + at, std::min(kBytes, bytes - at) * (8 / kBits));
    }
    if (rest != 0) decrypt_piece(out + bytes, in + bytes, rest);
  }
  stream_.made_small(bytes + (rest != 0));
  return true;
}

// A block of 8 or 16 bytes as a number. It is stored in one piece: a CPU stalls when a load covers
// more bytes than the store before it.
struct Shifted {
  std::uint64_t high, low;

  Shifted(const std::uint8_t* block, std::size_t bytes)
      : high(load_word(block)), low(load_word(block + bytes - 8)) {}
  // Moves the number to the left by a segment, and puts the segment at its end.
  template <unsigned kBits>
  void take(unsigned segment) {
    high = high << kBits | low >> (64 - kBits);
    low = low << kBits | segment;
  }
  void store(std::uint8_t* block, std::size_t bytes) const {
    if (bytes == 8) return store_word(block, low);
    typedef std::uint64_t Both __attribute__((vector_size(16)));
    const Both both = {big_endian64(high), big_endian64(low)};
    std::memcpy(block, &both, sizeof both);
  }
};

template <unsigned kBits>
void SegmentContext<kBits>::crypt_in_turn(std::uint8_t* out, const std::uint8_t* in,
                                          std::size_t segments) {
  Wiped<std::uint8_t[kMostBlock]> made;
  Shifted next(block_, block_bytes());
  for (std::size_t i = 0; i < segments; ++i) {
    ops_.encrypt(keys_, block_, made.value, 1);
    if constexpr (kBits == 8) {
      const std::uint8_t given = in[i];
      out[i] = static_cast<std::uint8_t>(given ^ made.value[0]);
      next.template take<8>(encrypts() ? out[i] : given);
    } else {
      const unsigned bit = bit_of(in, i) ^ made.value[0] >> 7;
      set_bit(out, i, bit);
      next.template take<1>(bit);
    }
    next.store(block_, block_bytes());
  }
}

// The block that begins at segment `at` of the text. For CFB1 it reads one byte more.
template <unsigned kBits>
void SegmentContext<kBits>::copy_window(const std::uint8_t* text, std::size_t at,
                                        std::uint8_t* to) const {
  const std::uint8_t* const from = text + at * kBits / 8;
  const auto shift = static_cast<unsigned>(at * kBits % 8);
  for (std::size_t k = 0; k < block_bytes(); k += 8) {
    std::uint64_t word = load_word(from + k);
    if constexpr (kBits != 8) word = word << shift | from[k + 8] >> (8 - shift);
    store_word(to + k, word);
  }
}

// At most kPiece segments. `text` is the input block and the ciphertext behind it, saved before the
// output may overwrite it.
template <unsigned kBits>
void SegmentContext<kBits>::decrypt_piece(std::uint8_t* out, const std::uint8_t* in,
                                          std::size_t segments) {
  const std::size_t block = block_bytes();
  std::uint8_t text[kMostBlock + kPiece * kBits / 8 + 1];
  alignas(64) std::uint8_t made[kPiece * kMostBlock];
  __asm__("" : "=m"(made));  // else GCC 12 warns of reads that no number of segments makes
  copy_block(text, block_, block);
  std::memcpy(text + block, in, (segments * kBits + 7) / 8);
  text[block + (segments * kBits + 7) / 8] = 0;
  for (std::size_t i = 0; i < segments; ++i) copy_window(text, i, made + i * block);
  copy_window(text, segments, block_);
  ops_.encrypt(keys_, made, made, segments);
  for (std::size_t i = 0; i < segments; ++i) {
    if constexpr (kBits == 8) {
      out[i] = static_cast<std::uint8_t>(text[block + i] ^ made[i * block]);
    } else {
      set_bit(out, i, bit_of(text + block, i) ^ made[i * block] >> 7);
    }
  }
  wipe(made, segments * block);
}

template <unsigned kBits>
CipherContext* make(const CipherServices& services, const CipherSpec& cipher) {
  return make_context<SegmentContext<kBits>>(cipher, services, cipher);
}

FeedbackContext& feedback(CipherContext& context) { return static_cast<FeedbackContext&>(context); }

constexpr ContextParam kCfb1Params[] = {
    {OSSL_CIPHER_PARAM_USE_BITS, OSSL_PARAM_UNSIGNED_INTEGER, nullptr,
     [](CipherContext& c, std::uint64_t on) { return feedback(c).set_use_bits(on); }, UINT32_MAX},
    {OSSL_CIPHER_PARAM_NUM, OSSL_PARAM_UNSIGNED_INTEGER,
     [](CipherContext& c, OSSL_PARAM* param) { return answer_uint(param, c.num(), Width::kInt); },
     [](CipherContext& c, std::uint64_t used) { return feedback(c).set_num(used); }, UINT32_MAX},
    {nullptr, 0, nullptr, nullptr, 0},
};

}  // namespace

const Mode kCfb8Mode = {
    "CFB8", EVP_CIPH_CFB_MODE, true, true, false, kFeedbackParams, make<8>, false, 0, 0, 0,
    0,      kMaxBlockIv};
const Mode kCfb1Mode = {
    "CFB1", EVP_CIPH_CFB_MODE, true, true, false, kCfb1Params, make<1>, false, 0, 0, 0,
    0,      kMaxBlockIv};

}  // namespace gpuctr
