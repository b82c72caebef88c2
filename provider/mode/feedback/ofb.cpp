// Output feedback (SP 800-38A 6.4): each block of keystream is the encryption of the one before.
#include <openssl/evp.h>

#include <algorithm>

#include "kernels/base/inline.h"
#include "kernels/base/wipe.h"
#include "provider/mode/base/cbc_chain.h"
#include "provider/mode/feedback/feedback.h"

namespace gpuctr {
namespace {

class OfbContext final : public FeedbackContext {
 public:
  OfbContext(const ContextMemory& memory, const CipherServices& services, const CipherSpec& cipher)
      : FeedbackContext(memory, services, cipher, kOfbMode) {}
  OfbContext(const ContextMemory& memory, const OfbContext& other)
      : FeedbackContext(memory, other) {}

 private:
  CipherContext* copy() const override { return make_context<OfbContext>(*cipher_, *this); }
  bool crypt(std::uint8_t* out, const std::uint8_t* in, std::size_t n) override;
  // n bytes in whole blocks. The others are not inline: the first needs fewer registers then.
  void crypt_blocks(std::uint8_t* out, const std::uint8_t* in, std::size_t n);
  GPUCTR_NOINLINE void crypt_few(std::uint8_t* out, const std::uint8_t* in, std::size_t n);
  GPUCTR_NOINLINE void crypt_many(std::uint8_t* out, const std::uint8_t* in, std::size_t n);
  void use_block(std::uint8_t* out, const std::uint8_t* in, std::size_t n);
};

// XORs n bytes with the rest of the block in use, which has at least as many.
void OfbContext::use_block(std::uint8_t* out, const std::uint8_t* in, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    out[i] = static_cast<std::uint8_t>(block_[num_ + i] ^ in[i]);
  }
  num_ = (num_ + static_cast<unsigned>(n)) & static_cast<unsigned>(block_bytes() - 1);
}

bool OfbContext::crypt(std::uint8_t* out, const std::uint8_t* in, std::size_t n) {
  const std::size_t block = block_bytes();
  if (num_ == 0 && (n & (block - 1)) == 0) {
    crypt_blocks(out, in, n);
    return true;
  }
  const std::size_t lead = num_ == 0 ? 0 : std::min(n, block - num_);
  const std::size_t blocks = (n - lead) & ~(block - 1), end = lead + blocks;
  use_block(out, in, lead);
  if (blocks != 0) crypt_blocks(out + lead, in + lead, blocks);
  if (end != n) {
    encrypt_block();
    use_block(out + end, in + end, n - end);
  }
  return true;
}

void OfbContext::crypt_blocks(std::uint8_t* out, const std::uint8_t* in, std::size_t n) {
  stream_.made_small(n);
  if (ops_.ofb != nullptr) return ops_.ofb(keys_, block_, in, out, whole_blocks(n));
  n <= kFewBlocks* block_bytes() ? crypt_few(out, in, n) : crypt_many(out, in, n);
}

void OfbContext::crypt_few(std::uint8_t* out, const std::uint8_t* in, std::size_t n) {
  const std::size_t block = block_bytes();
  for (std::size_t at = 0; at != n; at += block) {
    encrypt_block();
    xor_blocks(block_, in + at, out + at, block);
  }
}

// The keystream is CBC encryption of zeros.
void OfbContext::crypt_many(std::uint8_t* out, const std::uint8_t* in, std::size_t total) {
  constexpr std::size_t kPiece = 2048;
  static const std::uint8_t kZeros[kPiece] = {};
  alignas(64) std::uint8_t made[kPiece];
  for (std::size_t at = 0; at < total; at += kPiece) {
    const std::size_t n = std::min(kPiece, total - at);
    cbc_chain(ops_, keys_, block_bytes(), block_, kZeros, made, whole_blocks(n));
    xor_pieces(made, in + at, out + at, n);
  }
  wipe(made, std::min(kPiece, total));
  wipe_stack<256>();  // the output of CBC is no secret, but here it is keystream
}

CipherContext* make(const CipherServices& services, const CipherSpec& cipher) {
  return make_context<OfbContext>(cipher, services, cipher);
}

}  // namespace

const Mode kOfbMode = {
    "OFB", EVP_CIPH_OFB_MODE, true, true, false, kFeedbackParams, make, false, 0, 0, 0,
    0,     kMaxBlockIv};

}  // namespace gpuctr
