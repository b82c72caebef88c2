// Output feedback (SP 800-38A 6.4): each block of keystream is the encryption of the one before.
#include <openssl/evp.h>

#include <algorithm>

#include "kernels/base/frames.h"
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
  void crypt_blocks(std::uint8_t* out, const std::uint8_t* in, std::size_t blocks);
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
  const std::size_t lead = num_ == 0 ? 0 : std::min(n, block - num_);
  const std::size_t blocks = whole_blocks(n - lead);
  const std::size_t end = lead + blocks * block;
  use_block(out, in, lead);
  if (blocks != 0) crypt_blocks(out + lead, in + lead, blocks);
  if (end != n) {
    encrypt_block();
    use_block(out + end, in + end, n - end);
  }
  return true;
}

// The keystream is CBC encryption of zeros.
void OfbContext::crypt_blocks(std::uint8_t* out, const std::uint8_t* in, std::size_t blocks) {
  const std::size_t block = block_bytes();
  if (ops_.ofb != nullptr) {
    ops_.ofb(keys_, block_, in, out, blocks);
    return stream_.made_small(blocks * block);
  }
  if (blocks <= kFewBlocks) {
    stream_.made_small(blocks * block);
    for (; blocks != 0; --blocks, in += block, out += block) {
      encrypt_block();
      xor_blocks(block_, in, out, block);
    }
    return;
  }
  constexpr std::size_t kPiece = 2048;
  static const std::uint8_t kZeros[kPiece] = {};
  alignas(64) std::uint8_t made[kPiece];
  const std::size_t total = blocks * block;
  for (std::size_t at = 0; at < total; at += kPiece) {
    const std::size_t n = std::min(kPiece, total - at);
    cbc_chain(ops_, keys_, block, block_, kZeros, made, n / block);
    xor_pieces(made, in + at, out + at, n);
  }
  wipe(made, std::min(kPiece, total));
  wipe_stack<kTablesFrame>();  // the output of CBC is no secret, but here it is keystream
  stream_.made_small(total);
}

CipherContext* make(const CipherServices& services, const CipherSpec& cipher) {
  return make_context<OfbContext>(cipher, services, cipher);
}

}  // namespace

const Mode kOfbMode = {
    "OFB", EVP_CIPH_OFB_MODE, true, true, false, kFeedbackParams, make, false, 0, 0, 0,
    0,     kMaxBlockIv};

}  // namespace gpuctr
